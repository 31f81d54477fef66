"""One world, made of a view and given hidden cards: by a kernel, or checked, with the reason if it is impossible."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from euchre_env.cards import (
    ACES_AND_FACES,
    BENNY,
    BENNY_NAME,
    CARD_NAMES,
    NO_CARD,
    NO_SUIT,
    PACK_WITH_BENNY,
    SUIT_NAMES,
    SUIT_OF,
    Card,
    CardSet,
    card_names,
    cards_in,
    num_members,
)
from euchre_env.checks import check_number, shortened
from euchre_env.deal import DEAL, NOBODY, NUM_TRICKS, OVER, SEATS, Deal, dealt_hand
from euchre_env.hidden_cards import HIDDEN_SEATS, hand_size, hides_discard
from euchre_env.house_rules import REDEAL_OFF
from euchre_env.kernel import kernel, records, row
from euchre_env.positions import FAULTS, replay
from euchre_env.view import LEFT, ME, SEAT_NAMES, VIEW, View, batch_of, make_view

HANDS = tuple(f"the hand of {name}" for name in SEAT_NAMES)

Place: TypeAlias = tuple[str, CardSet]  # the name of a place for messages, and the cards in it


@kernel
def lay_world(view: View, hands: np.ndarray, kitty: CardSet, discard: Card, deal: Deal) -> None:
    """Write the world of `view` with these hidden cards to `deal`, without checks, for kernels.

    Args:
        view: the view of seat 0 of the world.
        hands: the card sets that `LEFT`, `PARTNER` and `RIGHT` hold now, int64, shape (3,).
        kitty: a card set, without the upcard.
        discard: the dealer's discard, `NO_CARD` unless `hides_discard(view)`.
        deal: a record of dtype DEAL; every field is written.
    """
    deal.hands[ME] = view.hand
    for seat in HIDDEN_SEATS:
        deal.hands[seat] = hands[seat - LEFT]
    deal.upcard = view.upcard
    deal.kitty = kitty
    deal.dealer = view.dealer
    deal.phase = view.phase
    deal.turn = view.turn
    deal.num_passes = view.num_passes
    deal.trump = view.trump
    deal.maker = view.maker
    deal.alone = view.alone
    deal.upcard_taken = view.upcard_taken
    deal.discard = discard if view.discard == NO_CARD else view.discard
    deal.num_declined = view.num_declined
    deal.lone_defender = view.lone_defender
    deal.sitting_out = view.sitting_out
    deal.trick = view.trick
    deal.num_played = view.num_played
    deal.leaders = view.leaders
    deal.played = view.played
    deal.voids = view.voids
    deal.tricks = view.tricks


@kernel
def is_within_bounds(deal: Deal) -> bool:
    """Whether no field of a deal in progress would index an array beyond its end."""
    scalars = (
        (deal.phase, OVER - 1),
        (deal.turn, 3),
        (deal.dealer, 3),
        (deal.upcard, NO_CARD - 1),
        (deal.num_passes, 7),
        (deal.trump, NO_SUIT),
        (deal.maker, NOBODY),
        (deal.alone, 1),
        (deal.upcard_taken, 1),
        (deal.discard, NO_CARD),
        (deal.num_declined, 2),
        (deal.lone_defender, NOBODY),
        (deal.sitting_out, 0b1111),
        (deal.trick, NUM_TRICKS - 1),
        (deal.num_played, 3),
        (deal.kitty, PACK_WITH_BENNY),
        (deal.tricks[0], NUM_TRICKS),
        (deal.tricks[1], NUM_TRICKS),
    )
    for value, highest in scalars:
        if not 0 <= value <= highest:
            return False
    for seat in SEATS:
        if not 0 <= deal.hands[seat] <= PACK_WITH_BENNY or not 0 <= deal.voids[seat] <= 0b1111:
            return False
    for trick in range(NUM_TRICKS):
        if not 0 <= deal.leaders[trick] <= NOBODY:
            return False
        for seat in SEATS:
            if not 0 <= deal.played[trick, seat] <= NO_CARD:
                return False
    return True


def deal_of_world(
    view: View, hands: Sequence[CardSet] | np.ndarray, kitty: CardSet, discard: Card | None = None
) -> Deal:
    """The world of `view` with these hidden cards: a deal in progress in which seat 0 is the viewer.

    Args:
        view: the view of one seat, to act or not, in a deal in progress: a record of dtype VIEW.
        hands: the card sets that `LEFT`, `PARTNER` and `RIGHT` hold now.
        kitty: a card set, without the upcard.
        discard: the dealer's discard; None or `NO_CARD` unless `hides_discard(view)`.

    Returns:
        A fresh record of dtype DEAL. The hidden cards could have been dealt, and every action so far been legal with
        them; the view of seat 0, with the scores of `scores_of`, equals `view`.

    Raises:
        ValueError: if the hidden cards contradict the view or its house rules, the deal of the view is over, or the
            view contradicts itself; the message says how.
    """
    view = row(batch_of(view))
    if np.shape(hands) != (len(HIDDEN_SEATS),):
        raise ValueError(f"hands must be the card sets of LEFT, PARTNER and RIGHT, not {shortened(hands)}")
    sets = [check_number(cards, 0, PACK_WITH_BENNY, HANDS[i + LEFT]) for i, cards in enumerate(hands)]
    kitty = check_number(kitty, 0, PACK_WITH_BENNY, "the kitty")
    discard = NO_CARD if discard is None else check_number(discard, 0, NO_CARD, "the discard")
    deal = row(records(1, DEAL))
    lay_world(view, np.array(sets, np.int64), kitty, discard, deal)
    check_in_progress(view, deal)
    _check_hidden_cards(view, deal, discard)
    check_view(view, deal)
    return deal


def check_in_progress(view: View, deal: Deal) -> None:
    """Check that a view is of a deal in progress, and that kernels may read its world `deal`.

    Raises:
        ValueError: if not.
    """
    if view.phase == OVER:
        raise ValueError("the deal of the view is over, so there is nothing to play on")
    if not is_within_bounds(deal):
        raise faulty_view("a field holds a value that it never takes")


def faulty_view(fault: str) -> ValueError:
    """The error of a view that contradicts itself."""
    return ValueError(f"the view is not one of a deal in progress: {fault}")


def _check_hidden_cards(view: View, deal: Deal, discard: Card) -> None:
    """Check the hidden cards of a world that is within bounds.

    Args:
        view: the view of seat 0.
        deal: its world.
        discard: the discard given, as `deal.discard` may be the viewer's own.

    Raises:
        ValueError: if they contradict the view or its house rules; the message says how.
    """
    _check_numbers_of_cards(view, deal, discard)
    _check_each_card_lies_once(view, deal)
    _check_voids(deal)
    _check_upcard(view, deal)
    _check_cards_as_dealt(view, deal)


def _check_numbers_of_cards(view: View, deal: Deal, discard: Card) -> None:
    sizes = [(HANDS[seat], deal.hands[seat], hand_size(view, seat)) for seat in HIDDEN_SEATS]
    for place, cards, size in [*sizes, ("the kitty", deal.kitty, 3 + view.rules.benny)]:
        if num_members(cards) != size:
            came = f"{num_members(cards)}: {' '.join(card_names(cards)) or 'none'}"
            raise ValueError(f"the number of cards in {place} must be {size} here, not {came}")
    if hides_discard(view) and discard == NO_CARD:
        raise ValueError("the dealer has discarded a card that the view hides; the world needs a discard")
    if not hides_discard(view) and discard != NO_CARD:
        raise ValueError(f"the view hides no discard; leave {CARD_NAMES[discard]} out")


def _check_each_card_lies_once(view: View, deal: Deal) -> None:
    places: list[Place] = [(HANDS[seat], deal.hands[seat]) for seat in SEATS]
    places.append(("the kitty", deal.kitty))
    places.append(("the cards played", sum(1 << card for card in deal.played.ravel().tolist() if card != NO_CARD)))
    if deal.discard != NO_CARD:
        places.append(("the discard", 1 << deal.discard))
    if not deal.upcard_taken:
        places.append(("the upcard's place", 1 << deal.upcard))
    place_of: dict[Card, str] = {}
    for place, cards in places:
        for card in cards_in(cards):
            if card == BENNY and not view.rules.benny:
                raise ValueError(f"{BENNY_NAME} is in the pack only under the house rule benny, and not in {place}")
            if card in place_of:
                raise ValueError(f"{CARD_NAMES[card]} is in two places: {place_of[card]} and {place}")
            place_of[card] = place


def _check_voids(deal: Deal) -> None:
    for seat in HIDDEN_SEATS:
        for card in cards_in(deal.hands[seat]):
            suit = SUIT_OF[card, deal.trump]
            if deal.voids[seat] >> suit & 1:
                failed = f"{SEAT_NAMES[seat]} has failed to follow {SUIT_NAMES[suit]}"
                raise ValueError(f"{CARD_NAMES[card]} cannot be in {HANDS[seat]}: {failed}")


def _check_upcard(view: View, deal: Deal) -> None:
    """Check that an upcard that was taken is the dealer's, and is discarded only if the house rules allow it."""
    if not deal.upcard_taken or deal.dealer == ME:
        return
    dealer, upcard = int(deal.dealer), int(deal.upcard)
    if deal.discard == upcard and not view.rules.discard_upcard:
        raise ValueError(f"the discard cannot be {CARD_NAMES[upcard]}, the upcard, under discard_upcard=false")
    is_held = deal.hands[dealer] >> upcard & 1
    if not is_held and deal.discard != upcard and upcard not in deal.played[:, dealer]:
        where = HANDS[dealer] + (" or be the discard" if hides_discard(view) and view.rules.discard_upcard else "")
        raise ValueError(f"{CARD_NAMES[upcard]}, the upcard that {SEAT_NAMES[dealer]} took, must be in {where}")


def _check_cards_as_dealt(view: View, deal: Deal) -> None:
    if view.rules.no_ace_no_face == REDEAL_OFF:
        return
    for seat in SEATS:
        if not dealt_hand(deal, seat) & ACES_AND_FACES:
            cards = " ".join(card_names(dealt_hand(deal, seat)))
            raise ValueError(
                f"{SEAT_NAMES[seat]} cannot have been dealt {cards}: under no_ace_no_face that is dealt again"
            )


def check_view(view: View, deal: Deal) -> None:
    """Check the view itself, after the hidden cards: a remaining fault of the world is a fault of the view.

    Raises:
        ValueError: if the view is not one of a deal in progress; the message says how.
    """
    replayed = row(records(1, DEAL))
    fault = replay(deal, view.rules, replayed)
    if fault:
        raise faulty_view(FAULTS[fault])
    for name in DEAL.names or ():
        if replayed[name].tobytes() != deal[name].tobytes():
            raise faulty_view(f"its bids and tricks do not lead to its {name}")
    seen = row(records(1, VIEW))
    make_view(deal, np.zeros(2, np.int64), view.rules, ME, seen)
    seen.needed = view.needed
    for name in VIEW.names or ():
        if seen[name].tobytes() != view[name].tobytes():
            raise faulty_view(f"its {name} contradicts its other fields")
