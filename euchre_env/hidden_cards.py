"""The hidden cards of a view: how many ways they can lie, and the way with a given number, for kernels.

The ways are exactly those that agree with the view and its house rules. A hand holds no suit that its seat failed to
follow. An upcard that was taken is in the dealer's hand, or is its discard where the rules allow that. No hand as dealt
is one that `no_ace_no_face` deals again. Nothing else about the hidden cards makes an earlier action illegal, because
calls and passes do not depend on the hand. The ways are numbered from 0, so a random number gives a random way.

Method: unseen cards that may lie in the same places form a group. A table counts the ways to deal the last groups to
the free spaces in each place (dynamic programming). A number then gives, group by group, how many of its cards go to
each place and which, as in the combinatorial number system. The counts are exact, and nothing is rejected.
"""

from typing import Any

import numpy as np

from euchre_env.cards import ACES_AND_FACES, NO_CARD, SUIT_OF, CardSet, lowest_member, num_members
from euchre_env.deal import DISCARD, HAND_SIZE, NUM_TRICKS, Seat
from euchre_env.house_rules import REDEAL_OFF
from euchre_env.kernel import Record, kernel
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, View, cards_to_come

HIDDEN_SEATS = (LEFT, PARTNER, RIGHT)

HIDDEN = np.dtype(
    [
        ("hands", np.int64, 3),  # card sets that `LEFT`, `PARTNER` and `RIGHT` hold now
        ("kitty", np.int64),  # card set left face down, without the upcard
        ("discard", np.int64),  # the dealer's discard if the view hides one, else NO_CARD
    ],
    align=True,
)

# The places of hidden cards: the hands of the hidden seats (seat - LEFT), then the discard; the kitty takes the rest.
PLACES = (0, 1, 2, 3)
DISCARDED = 3
MAX_GROUPS = 10  # four suits, and the Benny before trump is named, each of them high and low cards
MAX_SPACES = 7 * 6 * 6 * 8  # numbers of free spaces in the hands, times the seats that were dealt no high card yet
TABLE_SIZE = (MAX_GROUPS + 1) * MAX_SPACES * 2
MORE_THAN_ANY = 2**62  # above any number of ways, which is below 2**34

LAYOUT = np.dtype(
    [
        ("num_groups", np.int64),  # number of groups of cards that may lie in the same places
        ("cards", np.int64, MAX_GROUPS),  # card set of each group, without a hidden upcard
        ("sizes", np.int64, MAX_GROUPS),  # number of its cards
        ("barred", np.int64, MAX_GROUPS),  # bit p is set when the group's cards cannot lie in place p
        ("is_high", np.int64, MAX_GROUPS),  # 1 when the group has the cards that `no_ace_no_face` asks for
        ("later", np.int64, (MAX_GROUPS, len(PLACES))),  # number of cards in later groups that each place may take
        ("spaces", np.int64, len(PLACES)),  # number of hidden cards in each place
        ("steps", np.int64, len(PLACES)),  # what a free space in each place adds to an index in the table
        ("num_spaces", np.int64),  # entries of the table for each group
        ("lacking", np.int64),  # bit p is set when the hand of place p must still be shown to have a high card
        ("dealer_bit", np.int64),  # the bit of the dealer's hand if it is hidden, else 0
        ("hidden_upcard", np.int64),  # the upcard if the dealer took it and has it, or discarded it; else NO_CARD
        ("upcard_place", np.int64),  # the place of the dealer's hand, if there is a hidden upcard
        ("ways", np.int64, 2),  # number of ways with no hidden upcard or with it in hand, and with it as the discard
        ("free", np.int64, len(PLACES)),  # while a way is laid: free spaces in each place
        ("shares", np.int64, len(PLACES)),  # while a way is laid: number of a group's cards for each place
        ("sets", np.int64, len(PLACES)),  # while a way is laid: card set in each place
    ],
    align=True,
)


def _binomials(size: int) -> Any:
    """Pascal's triangle: entry [n, k] is the number of ways to choose k of n things, 0 for k > n."""
    table = np.zeros((size, size), np.int64)
    table[:, 0] = 1
    for n in range(1, size):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


BINOMIALS = _binomials(26)


# What a view hides


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


# Counting


@kernel
def describe(view: View, layout: Record) -> bool:
    """Write to `layout`, of dtype LAYOUT, what is hidden in `view` and where it may lie, but not the ways.

    Returns:
        False if the numbers of cards in the view contradict each other.
    """
    unseen = cards_to_come(view)
    in_kitty = num_members(unseen)
    for seat in HIDDEN_SEATS:
        layout.spaces[seat - LEFT] = hand_size(view, seat)
    layout.spaces[DISCARDED] = 1 if hides_discard(view) else 0
    for place in PLACES:
        in_kitty -= layout.spaces[place]
    layout.dealer_bit = 0 if view.dealer == ME else 1 << (view.dealer - LEFT)
    layout.hidden_upcard = NO_CARD
    if view.upcard_taken and view.dealer != ME and unseen >> view.upcard & 1:
        layout.hidden_upcard = view.upcard
        layout.upcard_place = view.dealer - LEFT
        unseen &= ~(1 << view.upcard)
    layout.lacking = seats_lacking(view, layout, unseen)
    group_cards(view, layout, unseen)
    stride = layout.lacking + 1
    for place in PLACES:
        layout.steps[place] = stride
        stride *= layout.spaces[place] + 1
    layout.num_spaces = stride
    return in_kitty == 3 + view.rules.benny


@kernel
def seats_lacking(view: View, layout: Record, unseen: CardSet) -> int:
    """The hidden hands, bit p for place p, that could have been dealt no high card as far as `view` shows."""
    if view.rules.no_ace_no_face == REDEAL_OFF:
        return 0
    lacking, num_low = 0, num_members(unseen & ~ACES_AND_FACES)
    for seat in HIDDEN_SEATS:
        place = seat - LEFT
        seen, num_hidden = 0, layout.spaces[place]
        for trick in range(NUM_TRICKS):
            if view.played[trick, seat] != NO_CARD:
                seen |= 1 << view.played[trick, seat]
        if seat == view.dealer and view.upcard_taken:
            seen &= ~(1 << view.upcard)
            num_hidden += layout.spaces[DISCARDED] - (1 if layout.hidden_upcard != NO_CARD else 0)
        if not seen & ACES_AND_FACES and num_hidden <= num_low:
            lacking |= 1 << place
    return lacking


@kernel
def group_cards(view: View, layout: Record, unseen: CardSet) -> None:
    """Group the `unseen` cards by the hands they cannot lie in, and high from low where a hand lacks a high card."""
    layout.num_groups = 0
    for barred in range(8):
        for is_high in range(2 if layout.lacking else 1):
            cards = 0
            rest = unseen
            while rest:
                card = lowest_member(rest)
                rest &= rest - 1
                bars = 0
                for seat in HIDDEN_SEATS:
                    bars |= (view.voids[seat] >> SUIT_OF[card, view.trump] & 1) << (seat - LEFT)
                high = ACES_AND_FACES >> card & 1
                if bars == barred and (not layout.lacking or high == is_high):
                    cards |= 1 << card
            if cards:
                group = layout.num_groups
                layout.cards[group] = cards
                layout.sizes[group] = num_members(cards)
                layout.barred[group] = barred
                layout.is_high[group] = is_high
                layout.num_groups += 1
    for place in PLACES:
        later = 0
        for group in range(layout.num_groups - 1, -1, -1):
            layout.later[group, place] = later
            if not layout.barred[group] >> place & 1:
                later += layout.sizes[group]


@kernel
def spread(layout: Record, table: np.ndarray, group: int, lacking: int, target: int) -> int:
    """Add up the ways to deal groups `group`, `group + 1`, ... to the spaces `layout.free`, up to number `target`.

    The ways are in the order of how many cards of `group` each place takes. `layout.shares` becomes these numbers for
    the way `target`, and the ways before them are returned; if there are fewer ways, all of them.

    Args:
        layout: the description of the view.
        table: the ways of later groups.
        group: the first group to deal.
        lacking: the hands, bit p for place p, that have got no high card yet.
        target: the number of a way, or `MORE_THAN_ANY`.
    """
    size, barred, later, free = layout.sizes[group], layout.barred[group], layout.later[group], layout.free
    high, dealer_bit = layout.is_high[group], layout.dealer_bit
    s0, s1, s2, s3 = layout.steps[0], layout.steps[1], layout.steps[2], layout.steps[3]
    most0 = 0 if barred & 1 else free[0]
    most1 = 0 if barred & 2 else free[1]
    most2 = 0 if barred & 4 else free[2]
    least1, least2, least3 = max(0, free[1] - later[1]), max(0, free[2] - later[2]), max(0, free[3] - later[3])
    start = (group + 1) * layout.num_spaces
    total = 0
    for k0 in range(max(0, free[0] - later[0]), min(most0, size) + 1):
        lacking0 = lacking & ~1 if high and k0 else lacking
        index0 = start + (free[0] - k0) * s0
        for k1 in range(least1, min(most1, size - k0) + 1):
            lacking1 = lacking0 & ~2 if high and k1 else lacking0
            index1 = index0 + (free[1] - k1) * s1
            ways1 = BINOMIALS[size, k0] * BINOMIALS[size - k0, k1]
            for k2 in range(least2, min(most2, size - k0 - k1) + 1):
                lacking2 = lacking1 & ~4 if high and k2 else lacking1
                index2 = index1 + (free[2] - k2) * s2
                rest = size - k0 - k1 - k2
                ways2 = ways1 * BINOMIALS[rest + k2, k2]
                for k3 in range(least3, min(free[3], rest) + 1):
                    lacking3 = lacking2 & ~dealer_bit if high and k3 else lacking2
                    further = table[index2 + (free[3] - k3) * s3 + lacking3]
                    ways = ways2 * BINOMIALS[rest, k3] * further
                    if total + ways > target:
                        layout.shares[0], layout.shares[1], layout.shares[2], layout.shares[3] = k0, k1, k2, k3
                        return total
                    total += ways
    return total


@kernel
def count_ways(view: View, layout: Record, table: np.ndarray) -> int:
    """The number of ways in which the hidden cards of `view` can lie; 0 if it contradicts itself.

    Args:
        view: a view of a deal in progress, without a number outside its range.
        layout: a record of dtype LAYOUT, overwritten.
        table: int64, (TABLE_SIZE,), overwritten.
    """
    if not describe(view, layout) or layout.num_groups == 0:
        return 0
    spaces, free = layout.spaces, layout.free
    end = layout.num_groups * layout.num_spaces
    table[end : end + layout.num_spaces] = 0
    table[end] = 1
    for group in range(layout.num_groups - 1, 0, -1):
        free[:] = 0
        for index in range(0, layout.num_spaces, layout.lacking + 1):
            for lacking in range(layout.lacking + 1):
                if not lacking & ~layout.lacking:
                    ways = spread(layout, table, group, lacking, MORE_THAN_ANY)
                    table[group * layout.num_spaces + index + lacking] = ways
            count_up(free, spaces)
    for is_discarded in range(2):
        layout.ways[is_discarded] = 0
        if place_upcard(view, layout, is_discarded):
            layout.ways[is_discarded] = spread(layout, table, 0, layout.lacking, MORE_THAN_ANY)
    return layout.ways[0] + layout.ways[1]


@kernel
def count_up(free: np.ndarray, spaces: np.ndarray) -> None:
    """Go on to the next numbers of free spaces, each at most that of `spaces`; the first place changes fastest."""
    for place in PLACES:
        free[place] += 1
        if free[place] <= spaces[place]:
            return
        free[place] = 0


@kernel
def place_upcard(view: View, layout: Record, is_discarded: int) -> bool:
    """Lay a hidden upcard, in hand or as the discard, and return whether it may lie there; the other cards are free."""
    for place in PLACES:
        layout.free[place] = layout.spaces[place]
        layout.sets[place] = 0
    if layout.hidden_upcard == NO_CARD:
        return is_discarded == 0
    place = DISCARDED if is_discarded else layout.upcard_place
    layout.free[place] -= 1
    layout.sets[place] = 1 << layout.hidden_upcard
    if is_discarded:
        return layout.spaces[DISCARDED] == 1 and view.rules.discard_upcard == 1
    is_void = view.voids[place + LEFT] >> SUIT_OF[layout.hidden_upcard, view.trump] & 1
    return layout.spaces[place] > 0 and not is_void


# The way with a given number


@kernel
def lay_way(view: View, layout: Record, table: np.ndarray, number: int, hidden: Record) -> None:
    """Write way `number`, 0 to the number of ways less 1, to `hidden`, a record of dtype HIDDEN.

    `layout` and `table` are those of `count_ways`.
    """
    is_discarded = 1 if number >= layout.ways[0] else 0
    number -= layout.ways[0] if is_discarded else 0
    place_upcard(view, layout, is_discarded)
    free, sets, lacking, kitty = layout.free, layout.sets, layout.lacking, 0
    for group in range(layout.num_groups):
        number -= spread(layout, table, group, lacking, number)
        cards, size = layout.cards[group], layout.sizes[group]
        for place in PLACES:
            share = layout.shares[place]
            if share:
                choices = BINOMIALS[size, share]
                chosen = combination(cards, size, share, number % choices)
                number //= choices
                cards &= ~chosen
                size -= share
                sets[place] |= chosen
                free[place] -= share
                if layout.is_high[group]:
                    lacking &= ~(layout.dealer_bit if place == DISCARDED else 1 << place)
        kitty |= cards
    for seat in HIDDEN_SEATS:
        hidden.hands[seat - LEFT] = sets[seat - LEFT]
    hidden.kitty = kitty
    hidden.discard = lowest_member(sets[DISCARDED]) if sets[DISCARDED] else NO_CARD


@kernel
def combination(cards: CardSet, size: int, count: int, number: int) -> CardSet:
    """The subset of `count` of the `size` members of `cards` with this number, from 0 on."""
    chosen = 0
    while count:
        lowest = cards & -cards
        cards ^= lowest
        size -= 1
        with_lowest = BINOMIALS[size, count - 1]
        if number < with_lowest:
            chosen |= lowest
            count -= 1
        else:
            number -= with_lowest
    return chosen
