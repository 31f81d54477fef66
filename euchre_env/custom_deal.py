"""Deals with fixed cards: some or all of the hands, the upcard and the kitty; the rest is dealt at random."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from euchre_env.cards import BENNY_NAME, CARD_NAMES, NUM_CARDS, Card, parse_card
from euchre_env.checks import shortened, whole_number
from euchre_env.deal import HAND_SIZE, SEATS, Deal, Rules, Seat, clear, open_auction, shuffled_pack

CardLike: TypeAlias = str | int  # "JC" or a card id


@dataclass(frozen=True)
class FixedCards:
    """The cards to fix in a deal, by name or id; empty hands, and an upcard or kitty of None, are dealt at random."""

    hands: Sequence[Sequence[CardLike]] = ((), (), (), ())
    """Four hands in absolute seats, each of five cards or empty."""
    upcard: CardLike | None = None
    kitty: Sequence[CardLike] | None = None
    """The three cards (four with the Benny) under the upcard."""


def lay_cards(deal: Deal, rules: Rules, seed: int, number: int, dealer: Seat, cards: FixedCards) -> None:
    """Start `deal` with `cards`, and deal the other cards in the order of deal `number` of `seed`.

    Raises:
        ValueError: if the cards are not distinct, not in the pack, or not five to a hand; `deal` has not changed.
    """
    benny = int(rules.benny)
    kitty_size = 3 + benny
    if not isinstance(cards, FixedCards):
        raise ValueError(f"cards must be FixedCards(hands, upcard, kitty), not {shortened(cards)}")
    if not isinstance(cards.hands, Sequence) or len(cards.hands) != len(SEATS):
        raise ValueError(f"hands must be four lists of cards, not {shortened(cards.hands)}")
    hands = [_cards(hand, HAND_SIZE, f"the hand of seat {seat}") for seat, hand in enumerate(cards.hands)]
    upcard = _cards([] if cards.upcard is None else [cards.upcard], 1, "the upcard")
    kitty = _cards([] if cards.kitty is None else cards.kitty, kitty_size, "the kitty")
    fixed = [card for part in (*hands, upcard, kitty) for card in part]
    for card in fixed:
        if fixed.count(card) > 1:
            raise ValueError(f"{CARD_NAMES[card]} stands more than once in the deal {cards}")
        if card >= 24 + benny:
            raise ValueError(f"{BENNY_NAME} is in the pack only under the house rule benny: {cards}")
    rest = [int(card) for card in shuffled_pack(seed, number, benny) if card not in fixed]
    clear(deal, dealer)
    for seat in SEATS:
        hand = hands[seat] or [rest.pop(0) for _ in range(HAND_SIZE)]
        deal.hands[seat] = sum(1 << card for card in hand)
    deal.upcard = (upcard or [rest.pop(0)])[0]
    deal.kitty = sum(1 << card for card in kitty or rest)
    open_auction(deal, rules)


def _cards(part: Sequence[CardLike], size: int, name: str) -> list[Card]:
    """The ids of `part`, which must have `size` cards or be empty."""
    if isinstance(part, str) or not isinstance(part, Sequence):
        raise ValueError(f"{name} must be a list of cards, not {shortened(part)}")
    if len(part) not in (0, size):
        raise ValueError(f"{name} must have {size} cards or be left empty, not {len(part)}: {shortened(list(part))}")
    return [_card(card, name) for card in part]


def _card(card: CardLike, name: str) -> Card:
    if isinstance(card, str):
        return parse_card(card)
    number = whole_number(card)
    if number is None or not 0 <= number < NUM_CARDS:
        raise ValueError(
            f"a card of {name} must be a name such as 'JC' or an id from 0 to {NUM_CARDS - 1}, not {shortened(card)}"
        )
    return number
