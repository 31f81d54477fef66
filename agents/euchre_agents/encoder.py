"""The input vector of networks: a view's observation, then inputs derived from the same view.

A view in relative suits gives one vector of 0 and 1, laid out as `INPUT_FIELDS`: the fields of the observation at their
own places, then fields called `derived.*`, which say directly what a network would otherwise have to compute from
several places: the suit led, who is winning the trick, the cards not yet seen, the own cards that are the highest left,
and the scoring values of the house rules as thermometers. A network reads the places that its card names
(`network_card`).
"""

import itertools
from collections.abc import Iterable

import numpy as np

from euchre_env.actions import NUM_ACTIONS
from euchre_env.cards import (
    BEATING,
    CARD_NAMES,
    CARDS_IN_SUIT,
    NO_CARD,
    NO_SUIT,
    NUM_CARDS,
    SUIT_NAMES,
    SUIT_OF,
    SUITS,
    CardSet,
    num_members,
)
from euchre_env.deal import NOBODY, NUM_TRICKS, PLAY, SEATS
from euchre_env.kernel import RecordHolder, Records, inlined_kernel, kernel, records
from euchre_env.observation import (
    FIELDS,
    OBSERVATION_SIZE,
    Field,
    decode_view,
    encode_legal,
    encode_view,
    has_facts,
    lay_out,
    set_members,
)
from euchre_env.relative_suits import frame_of, relabel_view
from euchre_env.view import SEAT_NAMES, VIEW, View, cards_to_come

POINTS = (1, 2, 3, 4, 6)
"""The thresholds of the thermometers of points: place n is set when a house rule's points are at least `POINTS[n]`."""
MOST_TRUMPS = 8  # with the Benny
MOST_HELD = 6  # after the dealer has taken the upcard

_THERMOMETER = tuple(map(str, POINTS))
_POINT_RULES = ("march_points", "lone_march_points", "euchre_points", "lone_euchred_points", "lone_defender_points")

_COUNTS_OUT = tuple(map(str, range(1, MOST_TRUMPS + 1)))
_COUNTS_HELD = tuple(map(str, range(1, MOST_HELD + 1)))
_TEAMS, _TRICKS = ("MINE", "OTHER"), tuple(map(str, range(1, NUM_TRICKS + 1)))


def _each(outer: Iterable[str], inner: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(pair) for pair in itertools.product(outer, inner))


INPUT_FIELDS: dict[str, Field] = lay_out(
    {
        **{name: (field.places, field.meaning) for name, field in FIELDS.items()},
        "derived.led": (SUIT_NAMES, "one-hot, the suit led to the trick in progress"),
        "derived.winning": (SEAT_NAMES, "one-hot, the seat that is winning the trick in progress"),
        "derived.beating": (CARD_NAMES, "own legal cards that would be winning the trick in progress"),
        "derived.sure": (CARD_NAMES, "own legal cards that would win the trick whatever the other seats still play"),
        "derived.highest": (CARD_NAMES, "own cards that no card still out outranks in their suit"),
        "derived.second": (CARD_NAMES, "own cards that exactly one card still out outranks in their suit"),
        "derived.unseen": (CARD_NAMES, "cards whose place the seat does not know"),
        "derived.suits_out": (
            _each(SUIT_NAMES, _COUNTS_OUT),
            "per suit: place n is set when more than n cards are out; the upcard is if another seat took it",
        ),
        "derived.suits_held": (
            _each(SUIT_NAMES, _COUNTS_HELD),
            "per suit: place n is set when more than n own cards belong to it; before trump is named, suit 0 is trump",
        ),
        "derived.to_follow": (SEAT_NAMES, "the other seats that have yet to play to the trick in progress"),
        "derived.unbeatable": (
            ("yes",),
            "no card that another seat may still play beats the one that is winning the trick",
        ),
        "derived.makers": (_TEAMS, "one-hot, the team that made trump"),
        "derived.makers_tricks": (
            _TRICKS,
            "place n is set when the makers have won more than n tricks",
        ),
        "derived.defenders_tricks": (_TRICKS, "the same of the other team"),
        **{
            f"derived.rules.{name}": (_THERMOMETER, f"place n is set when it is at least {POINTS}[n]")
            for name in _POINT_RULES
        },
    }
)
INPUT_SIZE = sum(field.size for field in INPUT_FIELDS.values())
VECTOR_SIZE = -(-INPUT_SIZE // 8) * 8
"""The length of an array for an input vector: whole words of eight places, the last ones unused and 0."""
MOST_ACTIVE = 320
"""More places than can be 1 at once: in an input vector and the hidden cards together."""

LED, WINNING, BEATING_NOW, SURE, HIGHEST, SECOND, UNSEEN, SUITS_OUT, SUITS_HELD = (
    INPUT_FIELDS[f"derived.{name}"].first
    for name in ("led", "winning", "beating", "sure", "highest", "second", "unseen", "suits_out", "suits_held")
)
TO_FOLLOW, UNBEATABLE, MAKERS, MAKERS_TRICKS, DEFENDERS_TRICKS = (
    INPUT_FIELDS[f"derived.{name}"].first
    for name in ("to_follow", "unbeatable", "makers", "makers_tricks", "defenders_tricks")
)
FIRST_POINTS = INPUT_FIELDS[f"derived.rules.{_POINT_RULES[0]}"].first
THRESHOLDS = np.array(POINTS, np.int64)

# OUTRANKING[trump, card]: the cards that outrank `card` in its suit.
OUTRANKING = np.array(
    [[BEATING[t, SUIT_OF[c, t], c] & CARDS_IN_SUIT[t, SUIT_OF[c, t]] for c in range(NUM_CARDS)] for t in SUITS],
    np.int64,
)


class InputEncoder(RecordHolder):
    """Lists the inputs of a network that are 1, for observations in relative suits.

    Args:
        places: the place in the input vector of each input of the network, as `NetworkCard.places`.
    """

    def __init__(self, places: np.ndarray) -> None:
        self.row_of = np.full(VECTOR_SIZE, -1, np.int16)
        """The number of the input at each place of the input vector, int16, (VECTOR_SIZE,); -1 where there is none."""
        self.row_of[places] = np.arange(len(places))
        self._view, self._vector = records(1, VIEW), np.empty(VECTOR_SIZE, np.int8)

    def __call__(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the inputs that are 1 at each observation, and how many there are.

        Args:
            observations: int8, (N, OBSERVATION_SIZE), in relative suits.

        Returns:
            int16, (N, MOST_ACTIVE), of which the first `counts[i]` of row i count, and counts, int64, (N,).

        Raises:
            ValueError: if a row lacks a fact that every observation has.
        """
        active, counts = np.empty((len(observations), MOST_ACTIVE), np.int16), np.empty(len(observations), np.int64)
        bad = active_rows_of_observations(observations, self.row_of, self._view, self._vector, active, counts)
        if bad >= 0:
            raise ValueError(f"no view has the observation of row {bad}")
        return active, counts

    def of_views(self, views: Records) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The inputs that are 1 at each of `views`, dtype VIEW, (N,), which are in any suits.

        Returns:
            The numbers of the inputs and how many there are, as by a call; the frame of the relative suits in which the
            inputs are, int64, (N,); and the action mask in these suits, int8, (N, NUM_ACTIONS).
        """
        active, counts = np.empty((len(views), MOST_ACTIVE), np.int16), np.empty(len(views), np.int64)
        frames, masks = np.empty(len(views), np.int64), np.empty((len(views), NUM_ACTIONS), np.int8)
        active_rows_of_views(views, self.row_of, self._view, self._vector, active, counts, frames, masks)
        return active, counts, frames, masks


@inlined_kernel
def encode_inputs(view: View, out: np.ndarray) -> None:
    """Write the input vector of `view`, which is in relative suits, to `out`, int8, shape (VECTOR_SIZE,)."""
    encode_view(view, out)
    encode_derived(view, out)


@kernel
def encode_derived(view: View, out: np.ndarray) -> None:
    """Write the derived places of `view` to `out`, int8, shape (VECTOR_SIZE,), where they are 0."""
    trump = view.trump if view.trump != NO_SUIT else 0  # before it is named, suit 0 is that of the upcard
    cards_out = cards_to_come(view)
    set_members(out, UNSEEN, cards_out & ~(1 << view.upcard))
    for suit in SUITS:
        members = CARDS_IN_SUIT[trump, suit]
        set_members(out, SUITS_HELD + suit * MOST_HELD, (1 << num_members(view.hand & members)) - 1)
        set_members(out, SUITS_OUT + suit * MOST_TRUMPS, (1 << num_members(cards_out & members)) - 1)
    for card in range(NUM_CARDS):
        if view.hand >> card & 1:
            rivals = num_members(cards_out & OUTRANKING[trump, card])
            if rivals == 0:
                out[HIGHEST + card] = 1
            elif rivals == 1:
                out[SECOND + card] = 1
    if view.maker != NOBODY:
        out[MAKERS + (view.maker & 1)] = 1
        set_members(out, MAKERS_TRICKS, (1 << view.tricks[view.maker & 1]) - 1)
        set_members(out, DEFENDERS_TRICKS, (1 << view.tricks[1 - (view.maker & 1)]) - 1)
    if view.phase == PLAY:
        encode_trick(view, cards_out, out)
    set_points(out, 0, view.rules.march_points)
    set_points(out, 1, view.rules.lone_march_points)
    set_points(out, 2, view.rules.euchre_points)
    set_points(out, 3, view.rules.lone_euchred_points)
    set_points(out, 4, view.rules.lone_defender_points)


@kernel
def active_rows(vector: np.ndarray, row_of: np.ndarray, active: np.ndarray) -> int:
    """Write the network's row of each place of `vector` that is 1 to `active`, and return how many there are.

    Args:
        vector: int8, (VECTOR_SIZE,).
        row_of: the row of each place, int16, (VECTOR_SIZE,), -1 for places that the network does not read.
        active: int16, (MOST_ACTIVE,) or longer.
    """
    count = 0
    words = vector.view(np.int64)
    for word in range(len(words)):
        if words[word]:  # most groups of eight places are all 0
            for place in range(8 * word, 8 * word + 8):
                if vector[place] and row_of[place] >= 0 and count < len(active):  # of a view, they all have room
                    active[count] = row_of[place]
                    count += 1
    return count


@kernel
def active_rows_of_observations(
    observations: np.ndarray,
    row_of: np.ndarray,
    views: Records,
    vector: np.ndarray,
    active: np.ndarray,
    counts: np.ndarray,
) -> int:
    """Write to `active[i, :counts[i]]` the network's active rows at `observations[i]`, which is in relative suits.

    Returns the first row that lacks a fact which every observation has, after which nothing is written; -1 if none.

    Args:
        observations: int8, (N, OBSERVATION_SIZE).
        row_of: as in `active_rows`.
        views: one record of dtype VIEW, overwritten.
        vector: int8, (VECTOR_SIZE,), overwritten.
        active: int16, (N, MOST_ACTIVE).
        counts: int64, (N,).
    """
    for i in range(len(observations)):
        decode_view(observations[i], views[0])
        if not has_facts(views[0]):
            return i
        vector[:OBSERVATION_SIZE] = observations[i]
        vector[OBSERVATION_SIZE:] = 0
        encode_derived(views[0], vector)
        counts[i] = active_rows(vector, row_of, active[i])
    return -1


@kernel
def active_rows_of_views(
    views: Records,
    row_of: np.ndarray,
    relative: Records,
    vector: np.ndarray,
    active: np.ndarray,
    counts: np.ndarray,
    frames: np.ndarray,
    masks: np.ndarray,
) -> None:
    """Write what `InputEncoder.of_views` returns to the last four arrays; `relative` and `vector` are overwritten."""
    for i in range(len(views)):
        relative[0] = views[i]
        frames[i] = frame_of(relative[0])
        relabel_view(relative[0], frames[i])
        encode_inputs(relative[0], vector)
        counts[i] = active_rows(vector, row_of, active[i])
        encode_legal(relative[0].legal, masks[i])


@kernel
def encode_trick(view: View, cards_out: CardSet, out: np.ndarray) -> None:
    """Write the derived places that describe the trick in progress."""
    trump, trick, to_come = view.trump, view.played[view.trick], 0
    for seat in range(1, 4):
        if not view.sitting_out >> seat & 1 and trick[seat] == NO_CARD:
            out[TO_FOLLOW + seat] = 1
            for suit in SUITS:
                if not view.voids[seat] >> suit & 1:
                    to_come |= cards_out & CARDS_IN_SUIT[trump, suit]
    if view.num_played == 0:
        for card in range(NUM_CARDS):
            if view.legal >> card & 1 and not to_come & BEATING[trump, SUIT_OF[card, trump], card]:
                out[SURE + card] = 1
        return
    winning = view.leaders[view.trick]
    led = SUIT_OF[trick[winning], trump]
    out[LED + led] = 1
    for seat in SEATS:
        if trick[seat] != NO_CARD and BEATING[trump, led, trick[winning]] >> trick[seat] & 1:
            winning = seat
    out[WINNING + winning] = 1
    better = BEATING[trump, led, trick[winning]]
    out[UNBEATABLE] = not to_come & better
    for card in range(NUM_CARDS):
        if view.legal & better & 1 << card:
            out[BEATING_NOW + card] = 1
            if not to_come & BEATING[trump, led, card]:
                out[SURE + card] = 1


@kernel
def set_points(out: np.ndarray, index: int, points: int) -> None:
    """Set the thermometer of scoring value number `index`."""
    for place in range(len(THRESHOLDS)):
        if points >= THRESHOLDS[place]:
            out[FIRST_POINTS + index * len(THRESHOLDS) + place] = 1
