"""Matching cards to places, each of which admits some of them."""

from collections.abc import Sequence

from euchre_env.cards import Card, CardSet


def match(cards: Sequence[Card], places: Sequence[CardSet]) -> list[Card] | None:
    """A card of `cards` for each of as many `places`, all different; None if there is no such matching.

    The earlier a card stands, the earlier the place it gets.

    >>> match([0, 1], [0b11, 0b01]), match([0, 1], [0b01, 0b01])
    ([1, 0], None)

    Source: H. W. Kuhn, "The Hungarian method for the assignment problem", 1955, by augmenting paths.
    """
    matched: list[Card | None] = [None] * len(places)

    def can_place(card: Card, tried: set[int]) -> bool:
        for index, admitted in enumerate(places):
            if admitted >> card & 1 and index not in tried:
                tried.add(index)
                other = matched[index]
                if other is None or can_place(other, tried):
                    matched[index] = card
                    return True
        return False

    if len(cards) != len(places) or not all(can_place(card, set()) for card in cards):
        return None
    return [card for card in matched if card is not None]
