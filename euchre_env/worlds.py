"""Worlds: a view and a guess of its hidden cards make a deal with all cards open, to play on from.

A world counts seats like its view: seat 0 is the viewer, 1 to 3 are `LEFT`, `PARTNER` and `RIGHT`, and team 0 is the
viewer's. The view of seat 0 in the world equals the original view, so a searching player can ask any player for its
choice there. Suits are those of the view: a view in relative suits gives a world in relative suits.

Before the first card is played, the unseen cards may lie anywhere. This example tries each legal bid once in one such
world and continues at random; `results["points"][k]` are the points after bid k, the viewer's team first.

>>> from euchre_env import HouseRules, Table, Tables
>>> from euchre_env.actions import actions_in
>>> from euchre_env.cards import PACK, cards_in
>>> view = Table(seed=7).view()
>>> unseen = cards_in(PACK & ~(view.hand | 1 << view.upcard))
>>> left, partner, right, kitty = (sum(1 << card for card in unseen[i : i + 5]) for i in (0, 5, 10, 15))
>>> deal = deal_of_world(view, (left, partner, right), kitty)
>>> bids = actions_in(view.legal)
>>> games = games_of_worlds(view, [deal] * len(bids))
>>> tables = Tables(positions=games, rules=HouseRules.unpacked(view.rules))
>>> all(world == view for world in tables.views())
True
>>> ended = [tables.step(np.array(bids))]
>>> while len(tables):
...     ended.append(tables.step_at_random(seed=0))
>>> results = np.sort(np.concatenate(ended), order="episode")
>>> results["points"].shape
(3, 2)

`hand_size` and `hides_discard` describe the cards that a guess needs. The kernel `lay_world` writes a world without
checks, for loops that make valid guesses.
"""

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
from euchre_env.deal import DEAL, DISCARD, HAND_SIZE, NOBODY, NUM_TRICKS, OVER, SEATS, Deal, Seat, dealt_hand
from euchre_env.game import GAME, clear_game
from euchre_env.house_rules import REDEAL_OFF
from euchre_env.kernel import Records, kernel, records, row
from euchre_env.positions import FAULTS, replay
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, SEAT_NAMES, VIEW, View, batch_of, make_view, points_needed

HIDDEN_SEATS = (LEFT, PARTNER, RIGHT)
_HANDS = tuple(f"the hand of {name}" for name in SEAT_NAMES)

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
def hides_discard(view: View) -> bool:
    """Whether another seat than the viewer has discarded, so that a world needs the discard too."""
    return view.upcard_taken == 1 and view.phase != DISCARD and view.dealer != ME


@kernel
def hand_size(view: View, seat: Seat) -> int:
    """The number of cards that relative `seat` holds in a deal in progress: six for a dealer who is to discard."""
    size = HAND_SIZE + (1 if view.phase == DISCARD and seat == view.dealer else 0)
    for trick in range(NUM_TRICKS):
        if view.played[trick, seat] != NO_CARD:
            size -= 1
    return size


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
    sets = [check_number(cards, 0, PACK_WITH_BENNY, _HANDS[i + LEFT]) for i, cards in enumerate(hands)]
    kitty = check_number(kitty, 0, PACK_WITH_BENNY, "the kitty")
    discard = NO_CARD if discard is None else check_number(discard, 0, NO_CARD, "the discard")
    if view.phase == OVER:
        raise ValueError("the deal of the view is over, so there is nothing to play on")
    deal = row(records(1, DEAL))
    lay_world(view, np.array(sets, np.int64), kitty, discard, deal)
    if not is_within_bounds(deal):
        raise _faulty_view("a field holds a value that it never takes")
    _check_numbers_of_cards(view, deal, discard)
    _check_each_card_lies_once(view, deal)
    _check_voids(deal)
    _check_upcard(view, deal)
    _check_cards_as_dealt(view, deal)
    _check_view(view, deal)
    return deal


def scores_of(view: View) -> tuple[int, int]:
    """Scores of teams 0 (the viewer's) and 1 from which `make_view` computes the points needed in `view`.

    Several scores may fit, as in a game past its target under `win_by=2`; then one of them is returned. In a game that
    is not won they are equivalent: both teams need the same points after any further scores.

    Raises:
        ValueError: if no scores fit.
    """
    view = row(batch_of(view))
    ours, theirs = (int(needed) for needed in view.needed)
    target, lead = int(view.rules.points_to_win), int(view.rules.win_by)
    ahead = theirs - lead if theirs > ours else lead - ours  # the viewer's team, if both teams need the lead
    least = max(target - lead, 0)  # from here on a team makes the other need the lead
    candidates = (
        (target - ours, target - theirs),  # each team needs the target
        (target - theirs + lead - ours, target - theirs),  # the viewer's team needs the lead, the other the target
        (target - ours, target - ours + lead - theirs),  # the other way round
        (least + max(ahead, 0), least + max(-ahead, 0)),  # each needs the lead, or has won by it
    )
    for own, other in candidates:
        needed = points_needed(own, other, view.rules), points_needed(other, own, view.rules)
        if min(own, other) >= 0 and needed == (ours, theirs):
            return own, other
    raise ValueError(f"no scores leave the teams {ours} and {theirs} points to win with {target} and a lead of {lead}")


def games_of_worlds(view: View, deals: Sequence[Deal] | np.ndarray) -> Records:
    """Worlds of one view as games, to play on from in a batch.

    Pass them to `Tables(positions=games, rules=HouseRules.unpacked(view.rules))`: episode k plays world k to the end of
    its deal, and in its results team 0 is the viewer's.

    Args:
        view: the view of the worlds; the games have the scores of `scores_of(view)`.
        deals: the worlds, records of dtype DEAL, shape (n,).

    Returns:
        A fresh array, dtype GAME, shape (n,).

    Raises:
        ValueError: if `deals` is not a list of deals, or no scores fit the view.
    """
    worlds = np.array(deals) if np.size(deals) else np.empty(0, DEAL)
    if worlds.dtype != DEAL or worlds.ndim != 1:
        raise ValueError(f"deals must be records of dtype DEAL, shape (n,), not {shortened(deals)}")
    fresh = records(1, GAME)
    clear_game(row(fresh), 0, 0, 1)
    fresh["scores"] = scores_of(view)
    games = records(len(worlds), GAME)
    games[:] = fresh[0]
    games["deal"] = worlds
    return games


def _faulty_view(fault: str) -> ValueError:
    return ValueError(f"the view is not one of a deal in progress: {fault}")


def _check_numbers_of_cards(view: View, deal: Deal, discard: Card) -> None:
    """Check the number of cards in each place; `discard` is the argument, as `deal.discard` may be the viewer's own."""
    sizes = [(_HANDS[seat], deal.hands[seat], hand_size(view, seat)) for seat in HIDDEN_SEATS]
    for place, cards, size in [*sizes, ("the kitty", deal.kitty, 3 + view.rules.benny)]:
        if num_members(cards) != size:
            came = f"{num_members(cards)}: {' '.join(card_names(cards)) or 'none'}"
            raise ValueError(f"the number of cards in {place} must be {size} here, not {came}")
    if hides_discard(view) and discard == NO_CARD:
        raise ValueError("the dealer has discarded a card that the view hides; the world needs a discard")
    if not hides_discard(view) and discard != NO_CARD:
        raise ValueError(f"the view hides no discard; leave {CARD_NAMES[discard]} out")


def _check_each_card_lies_once(view: View, deal: Deal) -> None:
    places: list[Place] = [(_HANDS[seat], deal.hands[seat]) for seat in SEATS]
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
                raise ValueError(f"{CARD_NAMES[card]} cannot be in {_HANDS[seat]}: {failed}")


def _check_upcard(view: View, deal: Deal) -> None:
    """Check that an upcard that was taken is the dealer's, and is discarded only if the house rules allow it."""
    if not deal.upcard_taken or deal.dealer == ME:
        return
    dealer, upcard = int(deal.dealer), int(deal.upcard)
    if deal.discard == upcard and not view.rules.discard_upcard:
        raise ValueError(f"the discard cannot be {CARD_NAMES[upcard]}, the upcard, under discard_upcard=false")
    is_held = deal.hands[dealer] >> upcard & 1
    if not is_held and deal.discard != upcard and upcard not in deal.played[:, dealer]:
        where = _HANDS[dealer] + (" or be the discard" if hides_discard(view) and view.rules.discard_upcard else "")
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


def _check_view(view: View, deal: Deal) -> None:
    """Check the view itself, after the hidden cards: a remaining fault of the world is a fault of the view."""
    replayed = row(records(1, DEAL))
    fault = replay(deal, view.rules, replayed)
    if fault:
        raise _faulty_view(FAULTS[fault])
    for name in DEAL.names or ():
        if replayed[name].tobytes() != deal[name].tobytes():
            raise _faulty_view(f"its bids and tricks do not lead to its {name}")
    seen = row(records(1, VIEW))
    make_view(deal, np.zeros(2, np.int64), view.rules, ME, seen)
    seen.needed = view.needed
    for name in VIEW.names or ():
        if seen[name].tobytes() != view[name].tobytes():
            raise _faulty_view(f"its {name} contradicts its other fields")
