"""Observations: a view as a flat 0/1 vector of named fields, encoded and decoded.

`FIELDS` is the only table of places: the slices, the documentation, the networks' inputs and the code here use it. The
vector has the same length under every rule set.
"""

import itertools
from collections import namedtuple
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numba import literal_unroll

from euchre_env.actions import NUM_ACTIONS
from euchre_env.cards import CARD_NAMES, NO_CARD, NO_SUIT, NUM_CARDS, SUIT_NAMES, SUIT_OF, lowest_member
from euchre_env.checks import array_kind, shortened
from euchre_env.deal import (
    BIDDING_PHASES,
    NOBODY,
    NUM_TRICKS,
    OVER,
    PHASES,
    PLAY,
    SEATS,
    Deal,
    Rules,
    Seat,
    legal_with,
)
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records, inlined_kernel, kernel, records, row
from euchre_env.relative_suits import frame_of, relabel_view
from euchre_env.view import ME, SEAT_NAMES, VIEW, View, make_view

NEEDED_ONE_HOT, NEEDED_BITS = 11, 7


@dataclass(frozen=True)
class Field:
    """A run of consecutive places of a vector that share a meaning."""

    name: str
    first: int
    """The index of the field's first place."""
    places: tuple[str, ...]
    """The name of each place, such as "9C" or "LEFT"; a network lists its inputs by these names."""
    meaning: str

    @property
    def size(self) -> int:
        """The number of places."""
        return len(self.places)

    @property
    def slice(self) -> slice:
        """The slice of the field in a vector: `observation[..., field.slice]`."""
        return slice(self.first, self.first + self.size)


def lay_out(fields_in_order: Mapping[str, tuple[tuple[str, ...], str]]) -> dict[str, Field]:
    """Lay out fields from place 0 on, by name; each is given by the names of its places and its meaning."""
    laid_out: dict[str, Field] = {}
    first = 0
    for name, (places, meaning) in fields_in_order.items():
        laid_out[name] = Field(name, first, places, meaning)
        first += len(places)
    return laid_out


def _bits_of(rule: Any) -> int:
    """The number of binary digits for every packed value of a house rule."""
    allowed = rule.metadata["allowed"]
    highest = len(allowed) - 1 if isinstance(allowed[0], str) else int(max(allowed))
    return highest.bit_length()


def _each(outer: Iterable[str], inner: Iterable[str]) -> tuple[str, ...]:
    return tuple(" ".join(pair) for pair in itertools.product(outer, inner))


def _digits(number: int) -> tuple[str, ...]:
    """The names of binary digits, the lowest first: the value of each."""
    return tuple(str(1 << bit) for bit in range(number))


RULE_NAMES = tuple(rule.name for rule in fields(HouseRules))
RULE_BITS = np.array([_bits_of(rule) for rule in fields(HouseRules)], np.int64)

_TEAMS = ("MINE", "OTHER")
_TRICKS = tuple(f"trick {trick}" for trick in range(1, NUM_TRICKS + 1))
_COUNTS = tuple(map(str, range(1, NEEDED_ONE_HOT + 1)))

FIELDS = lay_out(
    {
        "phase": (PHASES, "one-hot: " + ", ".join(PHASES)),
        "turn": (SEAT_NAMES, "one-hot, the seat to act; none when the deal is over"),
        "hand": (CARD_NAMES, "own cards"),
        "upcard": (CARD_NAMES, "one-hot, the card turned up; it stays after it is taken or turned down"),
        "upcard_taken": (("yes",), "the dealer took the upcard"),
        "dealer": (SEAT_NAMES, "one-hot"),
        "passed_first_round": (SEAT_NAMES, "seats that passed in round one"),
        "passed_second_round": (SEAT_NAMES, "seats that passed in round two"),
        "trump": (SUIT_NAMES, "one-hot over clubs, diamonds, hearts, spades; none before trump is named"),
        "maker": (SEAT_NAMES, "one-hot, the seat that made trump"),
        "alone": (("yes",), "the maker goes alone"),
        "num_declined": (("1", "2"), "one-hot: one, two defenders declined to defend alone"),
        "lone_defender": (SEAT_NAMES, "one-hot"),
        "sitting_out": (SEAT_NAMES, "seats that sit out, from the first lead on"),
        "discard": (CARD_NAMES, "one-hot, own discard; the dealer's alone to know"),
        "leaders": (_each(_TRICKS, SEAT_NAMES), "per trick, one-hot: the seat that led to it, or leads now"),
        "played_by": (_each(SEAT_NAMES, CARD_NAMES), "per seat: the cards it has played"),
        "played_in": (_each(_TRICKS, CARD_NAMES), "per trick: the cards played to it"),
        "current_trick": (_each(SEAT_NAMES, CARD_NAMES), "per seat, one-hot: its card in the trick in progress"),
        "voids": (_each(SEAT_NAMES, SUIT_NAMES), "per seat: the suits it has failed to follow"),
        "tricks": (
            _each(_TEAMS, map(str, range(1, NUM_TRICKS + 1))),
            "my team, then the other: place n is set when it has won more than n tricks",
        ),
        "needed": (
            _each(_TEAMS, _COUNTS),
            "points my team, then the other, still needs to win: one-hot over 1 to 11",
        ),
        "needed_binary": (_each(_TEAMS, _digits(NEEDED_BITS)), "the same numbers in binary, lowest digit first"),
        **{f"rules.{name}": (_digits(bits), "in binary") for name, bits in zip(RULE_NAMES, RULE_BITS, strict=True)},
    }
)
OBSERVATION_SIZE = sum(field.size for field in FIELDS.values())
FIRST_RULE = FIELDS[f"rules.{RULE_NAMES[0]}"].first

# AT.hand is the first place of the field "hand": a named tuple, which kernels can read.
_PLACES = {name: field.first for name, field in FIELDS.items() if not name.startswith("rules.")}
AT: Any = namedtuple("AT", list(_PLACES))(**_PLACES)  # type: ignore[misc]  # one source for names and places


@inlined_kernel
def encode_view(view: View, out: np.ndarray) -> None:
    """Write the observation of `view` to `out`, int8, shape (OBSERVATION_SIZE,)."""
    out[:] = 0
    out[AT.phase + view.phase] = 1
    set_one(out, AT.turn, view.turn, NOBODY)
    set_members(out, AT.hand, view.hand)
    set_one(out, AT.upcard, view.upcard, NO_CARD)
    out[AT.upcard_taken] = view.upcard_taken
    out[AT.dealer + view.dealer] = 1
    for bid in range(view.num_passes):
        first = AT.passed_first_round if bid < 4 else AT.passed_second_round
        out[first + ((view.dealer + 1 + bid) & 3)] = 1
    set_one(out, AT.trump, view.trump, NO_SUIT)
    set_one(out, AT.maker, view.maker, NOBODY)
    out[AT.alone] = view.alone
    set_one(out, AT.num_declined, view.num_declined - 1, -1)
    set_one(out, AT.lone_defender, view.lone_defender, NOBODY)
    set_members(out, AT.sitting_out, view.sitting_out)
    set_one(out, AT.discard, view.discard, NO_CARD)
    for trick in range(NUM_TRICKS):
        if view.leaders[trick] == NOBODY:
            break
        out[AT.leaders + trick * 4 + view.leaders[trick]] = 1
        for seat in SEATS:
            card = view.played[trick, seat]
            if card != NO_CARD:
                out[AT.played_by + seat * NUM_CARDS + card] = 1
                out[AT.played_in + trick * NUM_CARDS + card] = 1
                if trick == view.trick:
                    out[AT.current_trick + seat * NUM_CARDS + card] = 1
    for seat in SEATS:
        set_members(out, AT.voids + seat * 4, view.voids[seat])
    for side in range(2):
        set_members(out, AT.tricks + side * NUM_TRICKS, (1 << view.tricks[side]) - 1)
        if 1 <= view.needed[side] <= NEEDED_ONE_HOT:
            out[AT.needed + side * NEEDED_ONE_HOT + view.needed[side] - 1] = 1
        set_members(out, AT.needed_binary + side * NEEDED_BITS, view.needed[side])
    place, index = FIRST_RULE, 0
    for name in literal_unroll(RULE_NAMES):
        set_members(out, place, view.rules[name])
        place += RULE_BITS[index]
        index += 1  # noqa: SIM113  # enumerate would hide the names from the compiler


@kernel
def set_one(out: np.ndarray, first: int, value: int, unset: int) -> None:
    """Set place `value` of a one-hot field, or no place if the value is `unset`."""
    if value != unset:
        out[first + value] = 1


@kernel
def set_members(out: np.ndarray, first: int, bits: int) -> None:
    """Set the places of a field that are set in `bits`."""
    while bits:
        out[first + lowest_member(bits)] = 1
        bits &= bits - 1


@kernel
def decode_view(observation: np.ndarray, view: View) -> None:
    """Decode `observation` into `view`, the inverse of `encode_view`."""
    view.phase = get_one(observation, AT.phase, len(PHASES), OVER)
    view.turn = get_one(observation, AT.turn, 4, NOBODY)
    view.hand = get_members(observation, AT.hand, NUM_CARDS)
    view.upcard = get_one(observation, AT.upcard, NUM_CARDS, NO_CARD)
    view.upcard_taken = 1 if observation[AT.upcard_taken] else 0
    view.dealer = get_one(observation, AT.dealer, 4, NOBODY)
    view.num_passes = 0
    for seat in SEATS:
        view.num_passes += observation[AT.passed_first_round + seat] + observation[AT.passed_second_round + seat]
    view.trump = get_one(observation, AT.trump, 4, NO_SUIT)
    view.maker = get_one(observation, AT.maker, 4, NOBODY)
    view.alone = 1 if observation[AT.alone] else 0
    view.num_declined = get_one(observation, AT.num_declined, 2, -1) + 1
    view.lone_defender = get_one(observation, AT.lone_defender, 4, NOBODY)
    view.sitting_out = get_members(observation, AT.sitting_out, 4)
    view.discard = get_one(observation, AT.discard, NUM_CARDS, NO_CARD)
    view.trick = 0
    for side in range(2):
        view.tricks[side] = 0
        for place in range(NUM_TRICKS):
            view.tricks[side] += observation[AT.tricks + side * NUM_TRICKS + place]
        view.trick += view.tricks[side]
        view.needed[side] = get_members(observation, AT.needed_binary + side * NEEDED_BITS, NEEDED_BITS)
    view.num_played, led = 0, NO_SUIT
    for trick in range(NUM_TRICKS):
        view.leaders[trick] = get_one(observation, AT.leaders + trick * 4, 4, NOBODY)
        view.played[trick] = NO_CARD
        for card in range(NUM_CARDS):
            if observation[AT.played_in + trick * NUM_CARDS + card]:
                for seat in SEATS:
                    if observation[AT.played_by + seat * NUM_CARDS + card]:
                        view.played[trick, seat] = card
                        if trick == view.trick and seat == view.leaders[trick]:
                            led = SUIT_OF[card, view.trump]
                if trick == view.trick:
                    view.num_played += 1
    for seat in SEATS:
        view.voids[seat] = get_members(observation, AT.voids + seat * 4, 4)
    place, index = FIRST_RULE, 0
    for name in literal_unroll(RULE_NAMES):
        view.rules[name] = get_members(observation, place, RULE_BITS[index])
        place += RULE_BITS[index]
        index += 1  # noqa: SIM113  # enumerate would hide the names from the compiler
    view.legal = 0
    if view.turn == ME and has_facts(view):
        seats_from_dealer = (ME - view.dealer) & 3
        view.legal = legal_with(view.rules, view.phase, view.hand, seats_from_dealer, view.upcard, view.trump, led)


@kernel
def has_facts(view: View) -> bool:
    """Whether a decoded view has the seats, cards and suits that every view has in its phase.

    Kernels use them as table indices without checks.
    """
    if view.dealer == NOBODY or view.upcard == NO_CARD:
        return False
    if view.phase == OVER or view.phase in BIDDING_PHASES:
        return True
    if view.trump == NO_SUIT:
        return False
    if view.phase != PLAY:
        return True
    if view.trick >= NUM_TRICKS or view.leaders[view.trick] == NOBODY:
        return False
    return view.num_played == 0 or view.played[view.trick, view.leaders[view.trick]] != NO_CARD


@kernel
def decodes(observation: np.ndarray, view: View, scratch: np.ndarray) -> bool:
    """Decode `observation` into `view`, and return whether a view has this observation; `scratch` is overwritten."""
    decode_view(observation, view)
    encode_view(view, scratch)
    return has_facts(view) and not np.any(scratch != observation)


@kernel
def get_one(observation: np.ndarray, first: int, size: int, unset: int) -> int:
    """The value of a one-hot field, `unset` if no place is set."""
    for value in range(size):
        if observation[first + value]:
            return value
    return unset


@kernel
def get_members(observation: np.ndarray, first: int, size: int) -> int:
    """The places set in a field, as bits."""
    bits = 0
    for place in range(size):
        if observation[first + place]:
            bits |= 1 << place
    return bits


@inlined_kernel
def encode_legal(legal: int, out: np.ndarray) -> None:
    """Write an action set to `out` as an action mask, int8, shape (NUM_ACTIONS,)."""
    out[:] = 0
    set_members(out, 0, legal)


@inlined_kernel
def observe(
    deal: Deal,
    scores: np.ndarray,
    rules: Rules,
    viewer: Seat,
    relative_suits: bool,
    view: View,
    observation: np.ndarray,
    mask: np.ndarray,
) -> None:
    """Write the observation and the action mask of `viewer`; `view` is scratch, scores are int64, shape (2,)."""
    make_view(deal, scores, rules, viewer, view)
    if relative_suits:
        relabel_view(view, frame_of(deal))
    encode_view(view, observation)
    encode_legal(view.legal, mask)


def encode(view: View, out: np.ndarray | None = None) -> np.ndarray:
    """Encode a view as the observation of its owner.

    Returns:
        int8, shape (OBSERVATION_SIZE,), every value 0 or 1, laid out as `FIELDS`; `out` if given, else a fresh array.

    Raises:
        ValueError: if `out` is another array, or is read-only.
    """
    if out is None:
        out = np.empty(OBSERVATION_SIZE, np.int8)
    elif not (
        isinstance(out, np.ndarray)
        and out.shape == (OBSERVATION_SIZE,)
        and out.dtype == np.int8
        and out.flags.writeable
    ):
        raise ValueError(f"out must be int8, shape ({OBSERVATION_SIZE},), writeable, not {array_kind(out)}")
    encode_view(view, out)
    return out


def as_int8(values: np.ndarray, shape: tuple[str | int, ...], name: str) -> np.ndarray:
    """`values` as a contiguous int8 array, the same one if it is that already.

    Args:
        values: an array of any number type, or lists.
        shape: the shape it must have, in which "n" stands for any size.
        name: what error messages call it.

    Raises:
        ValueError: if it has another shape, or a value that is no int8.
    """
    array = np.asarray(values)
    if array.ndim != len(shape) or array.shape[-1] != shape[-1]:
        wanted = str(shape).replace("'", "")
        raise ValueError(f"{name} must have shape {wanted}, not {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be 0 and 1, not {array.dtype}")
    if array.dtype != np.int8:
        with np.errstate(invalid="ignore"):
            converted = array.astype(np.int8)
        if not np.array_equal(converted, array):
            raise ValueError(f"{name} must be 0 and 1, not {shortened(array)}")
        array = converted
    return np.ascontiguousarray(array)


def decode(observation: np.ndarray) -> View:
    """Decode an observation into its view, in the same suits: the inverse of `encode`.

    Raises:
        ValueError: if the array is not the encoding of a view.
    """
    values = as_int8(observation, (OBSERVATION_SIZE,), "an observation")
    views: Records = records(1, VIEW)
    view = row(views)
    decode_view(values, view)
    differing = np.flatnonzero(encode(view) != values)
    if differing.size > 0:
        field = next(name for name, field in FIELDS.items() if differing[0] < field.first + field.size)
        raise ValueError(f"no view has this observation; decoded and encoded again, it differs in field {field!r}")
    if not has_facts(view):
        raise ValueError("no view has this observation: it lacks dealer, upcard, trump, or the lead of its trick")
    return view


def action_mask(view: View) -> np.ndarray:
    """The legal actions of the view's owner, int8, shape (NUM_ACTIONS,); all zeros when another seat is to act."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    encode_legal(int(view.legal), mask)
    return mask
