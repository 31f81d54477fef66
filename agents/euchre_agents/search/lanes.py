"""A position of the play for the solver: the cards in play in lanes, one lane for each effective suit.

A lane is a run of bits, the strongest card lowest. Trump is the lowest lane, so of the cards that can win a trick the
one with the lowest bit does. Cards that nobody can play any more have no bit: of two neighbouring bits of one seat,
either card does the same. The bit above each lane stays free, which keeps such neighbours within their lane.
"""

from typing import Any, TypeAlias

import numpy as np

from euchre_env.cards import CARDS_IN_SUIT, NO_CARD, SUITS, TRICK_POWER, CardSet, cards_in
from euchre_env.deal import NUM_TRICKS, SEATS, Deal, Rules, next_active, points
from euchre_env.kernel import Record, Records, inlined_kernel, kernel

Search: TypeAlias = Record  # a row of dtype SEARCH
LaneCard: TypeAlias = int  # one bit
LaneCards: TypeAlias = int  # a set of such bits

FIRST_PLACE = (0, 9, 16, 23)
"""The first bit of each lane: eight trumps at most, six cards of another suit, and a free bit after each lane."""
LONGEST_LANE = 8
NUM_PLACES = 30
LANES: tuple[LaneCards, ...] = (0xFF, 0x3F << 9, 0x3F << 16, 0x3F << 23)
TRUMPS, PLAIN_LANES = LANES[0], LANES[1:]
LANE_ENDS: LaneCards = 1 << 8 | 1 << 15 | 1 << 22 | 1 << 29

TABLE_SIZE = 1024
"""The entries of the transposition table: a power of 2."""

SEARCH = np.dtype(
    [
        ("hands", np.int64, 4),  # the cards in play that each seat holds, in lanes; none if it sits out
        ("next_seat", np.int64, 4),  # the active seat after each seat
        ("num_active", np.int64),  # the number of active seats: the cards of a trick
        ("makers", np.int64),  # the team of the makers
        ("up", np.int64),  # the cards of the trick in progress, in lanes
        ("seat", np.int64),  # the seat to act
        ("waiting", np.int64),  # the number of seats that play to this trick after it
        ("led", np.int64),  # the bits of the lane that was led, 0 between tricks
        ("best", np.int64),  # the card that wins the trick so far
        ("taker", np.int64),  # the seat that played it
        ("won", np.int64),  # the tricks that the makers have won
        ("left", np.int64),  # the tricks to come, the one in progress among them
        ("scores", np.int64, NUM_TRICKS + 1),  # the makers' net points by the tricks that they win in all
        ("cards", np.int64, NUM_PLACES),  # the card of each bit
        ("table", np.int64, TABLE_SIZE),  # the transposition table, see solver.py
    ],
    align=True,
)


def _cards_by_lane() -> np.ndarray:
    """The cards of each lane, the strongest first, then `NO_CARD`: int64, [trump, lane, place]."""
    by_lane = np.full((len(SUITS), len(SUITS), LONGEST_LANE), NO_CARD, np.int64)
    for trump in SUITS:
        for lane, suit in enumerate([trump, *(suit for suit in SUITS if suit != trump)]):
            cards = cards_in(int(CARDS_IN_SUIT[trump, suit]))
            cards.sort(key=lambda card, led=suit: -TRICK_POWER[trump, led, card])
            by_lane[trump, lane, : len(cards)] = cards
    return by_lane


CARDS_BY_LANE: Any = _cards_by_lane()


@inlined_kernel
def lay_in_lanes(deal: Deal, rules: Rules, scratch: Records, search: Search) -> None:
    """Write a deal in the phase PLAY to `search`, all but its table; `scratch` is one record of dtype DEAL."""
    search.makers = deal.maker & 1
    search.won = deal.tricks[search.makers]
    search.left = NUM_TRICKS - deal.trick
    search.seat = deal.turn
    search.num_active = 0
    in_play = 0
    for seat in SEATS:
        search.hands[seat] = 0
        search.next_seat[seat] = next_active(deal, seat)
        if not deal.sitting_out >> seat & 1:
            search.num_active += 1
            in_play |= deal.hands[seat]
            card = deal.played[deal.trick, seat]
            if card != NO_CARD:
                in_play |= 1 << card
    search.waiting = search.num_active - deal.num_played - 1
    _place_cards(deal, in_play, search)
    net_points(deal, rules, scratch, search.scores)


@inlined_kernel
def _place_cards(deal: Deal, in_play: CardSet, search: Search) -> None:
    """Give each card of `in_play` its bit, and write the cards that each seat and the trick in progress have."""
    leader = deal.leaders[deal.trick]
    search.up, search.led, search.best, search.taker = 0, 0, 0, leader
    for lane in range(4):
        place = FIRST_PLACE[lane]
        for i in range(LONGEST_LANE):
            card = CARDS_BY_LANE[deal.trump, lane, i]
            if card == NO_CARD:
                break
            if not in_play >> card & 1:
                continue
            bit = 1 << place
            search.cards[place] = card
            place += 1
            for seat in SEATS:
                if deal.hands[seat] >> card & 1:
                    search.hands[seat] |= bit
                elif deal.played[deal.trick, seat] == card:
                    search.up |= bit
                    if seat == leader:
                        search.led = LANES[lane]
    if search.up:
        could_win = search.up & (search.led | TRUMPS)
        search.best = could_win & -could_win
        place = 0
        while search.best >> place != 1:
            place += 1
        for seat in SEATS:
            if deal.played[deal.trick, seat] == search.cards[place]:
                search.taker = seat


@inlined_kernel
def net_points(deal: Deal, rules: Rules, scratch: Records, scores: np.ndarray) -> None:
    """Write the makers' points less the defenders' for each number of tricks of the makers, 0 to 5, to `scores`."""
    scratch[0] = deal
    ended = scratch[0]
    makers = deal.maker & 1
    for won in range(NUM_TRICKS + 1):
        ended.tricks[makers] = won
        ended.tricks[1 - makers] = NUM_TRICKS - won
        both = points(ended, rules)
        scores[won] = both[makers] - both[1 - makers]


@kernel
def points_rise(scores: np.ndarray) -> bool:
    """Whether no trick more costs the makers points."""
    for won in range(NUM_TRICKS):
        if scores[won] > scores[won + 1]:
            return False
    return True
