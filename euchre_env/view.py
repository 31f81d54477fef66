"""Views: the information of one seat as a record, and the only function that makes one from a deal.

Seats are relative to the viewer: 0 me, 1 left, 2 partner, 3 right; team 0 is the viewer's. Bots, searchers, the encoder
and explanations get only views, so none of them can see hidden cards.
"""

from typing import TypeAlias

import numpy as np

from euchre_env.cards import NO_CARD, PACK, PACK_WITH_BENNY, CardSet
from euchre_env.checks import shortened
from euchre_env.deal import (
    NOBODY,
    NUM_TRICKS,
    SEATS,
    Deal,
    Rules,
    Seat,
    legal_actions,
)
from euchre_env.house_rules import RULES
from euchre_env.kernel import Record, Records, inlined_kernel, kernel, records

View: TypeAlias = Record  # a row of dtype VIEW

ME, LEFT, PARTNER, RIGHT = SEATS
SEAT_NAMES = ("ME", "LEFT", "PARTNER", "RIGHT")  # of relative seats
MAX_NEEDED = 127  # the highest `needed`, far above the values of any legal game

VIEW = np.dtype(
    [
        ("rules", RULES),  # the house rules
        ("phase", np.int64),  # index in PHASES
        ("turn", np.int64),  # the seat to act, NOBODY when the deal is over
        ("hand", np.int64),  # own card set
        ("upcard", np.int64),  # the card turned up, also after it is taken or turned down
        ("upcard_taken", np.int64),  # 1 when the dealer took the upcard; else it is up, turned down or out of play
        ("dealer", np.int64),  # the seat that deals
        ("num_passes", np.int64),  # 0..8, from the seat left of the dealer on
        ("trump", np.int64),  # NO_SUIT before it is made
        ("maker", np.int64),  # the seat that made trump, NOBODY before that
        ("alone", np.int64),  # 1 when the maker goes alone
        ("num_declined", np.int64),  # number of defenders who declined to defend alone
        ("lone_defender", np.int64),  # the seat that defends alone, else NOBODY
        ("sitting_out", np.int64),  # bit s is set when relative seat s is out
        ("discard", np.int64),  # own discard; NO_CARD for everybody but the dealer
        ("trick", np.int64),  # number of tricks completed: the index of the trick in progress
        ("num_played", np.int64),  # number of cards in the trick in progress
        ("leaders", np.int64, NUM_TRICKS),  # the seat that led to each trick or leads now; NOBODY for those to come
        ("played", np.int64, (NUM_TRICKS, 4)),  # card by trick and relative seat; row `trick` is the one in progress
        ("voids", np.int64, 4),  # per relative seat, suits it has failed to follow
        ("tricks", np.int64, 2),  # tricks won by my team and by the other
        ("needed", np.int64, 2),  # points my team and the other still need: max(points_to_win, other + win_by) - own
        ("legal", np.int64),  # own legal actions, none when another seat is to act
    ],
    align=True,
)


def batch_of(view: View) -> Records:
    """A batch of one: a copy of `view` as a record array of dtype VIEW, shape (1,).

    Raises:
        ValueError: if it is not a record of dtype VIEW.
    """
    check_is_view(view)
    views = records(1, VIEW)
    views[0] = view
    return views


def check_is_view(view: View) -> None:
    """Check that `view` is a view.

    Raises:
        ValueError: if it is not a record of dtype VIEW.
    """
    if not isinstance(view, np.void) or view.dtype != VIEW:
        raise ValueError(f"a view must be a record of dtype VIEW, not {shortened(view)}")


@kernel
def relative(seat: Seat, viewer: Seat) -> Seat:
    """`seat` relative to `viewer`; `NOBODY` stays `NOBODY`."""
    return NOBODY if seat == NOBODY else (seat - viewer) & 3


@kernel
def points_needed(own: int, other: int, rules: Rules) -> int:
    """The points that a team with `own` points needs to win against a team with `other`, 0 to `MAX_NEEDED`."""
    needed = max(rules.points_to_win, other + rules.win_by) - own
    return min(max(needed, 0), MAX_NEEDED)


@inlined_kernel
def make_view(deal: Deal, scores: np.ndarray, rules: Rules, viewer: Seat, view: View) -> None:
    """Write the view of `viewer` in `deal` to `view`; scores int64, shape (2,), by team."""
    view.rules = rules
    view.phase = deal.phase
    view.turn = relative(deal.turn, viewer)
    view.hand = deal.hands[viewer]
    view.upcard = deal.upcard
    view.upcard_taken = deal.upcard_taken
    view.dealer = relative(deal.dealer, viewer)
    view.num_passes = deal.num_passes
    view.trump = deal.trump
    view.maker = relative(deal.maker, viewer)
    view.alone = deal.alone
    view.num_declined = deal.num_declined
    view.lone_defender = relative(deal.lone_defender, viewer)
    view.sitting_out = (deal.sitting_out >> viewer | deal.sitting_out << (4 - viewer)) & 0b1111
    view.discard = deal.discard if viewer == deal.dealer else NO_CARD
    view.trick = deal.trick
    view.num_played = deal.num_played
    for trick in range(NUM_TRICKS):
        view.leaders[trick] = relative(deal.leaders[trick], viewer)
        for seat in SEATS:
            view.played[trick, seat] = deal.played[trick, (seat + viewer) & 3]
    for seat in SEATS:
        view.voids[seat] = deal.voids[(seat + viewer) & 3]
    for side in range(2):
        team = (viewer + side) & 1
        view.tricks[side] = deal.tricks[team]
        view.needed[side] = points_needed(scores[team], scores[1 - team], rules)
    view.legal = legal_actions(deal, rules) if deal.turn == viewer else 0


@kernel
def cards_to_come(view: View) -> CardSet:
    """The cards that can still come, wherever they lie.

    These are all cards except the own hand, the cards played, the own discard, and an upcard that nobody took.
    """
    cards = PACK_WITH_BENNY if view.rules.benny else PACK
    cards &= ~view.hand
    for trick in range(view.trick + 1):
        for seat in SEATS:
            if view.played[trick, seat] != NO_CARD:
                cards &= ~(1 << view.played[trick, seat])
    if view.discard != NO_CARD:
        cards &= ~(1 << view.discard)
    if not view.upcard_taken:
        cards &= ~(1 << view.upcard)
    return cards
