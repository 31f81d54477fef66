"""The full state, and each seat's hidden cards, as 0/1 vectors: privileged inputs for critics.

The state is the whole position, all cards open, in absolute seats and suits: first the cards that some seat cannot see,
then the other fields of `FIELDS` from the observation of seat 0, whose relative seats are the absolute ones. The hidden
cards of a seat are the cards that its observation lacks, in the seats and suits of that observation.
"""

import numpy as np

from euchre_env.cards import CARD_NAMES, NO_CARD
from euchre_env.deal import SEATS, Deal, Seat
from euchre_env.kernel import kernel
from euchre_env.observation import FIELDS, lay_out, set_members, set_one
from euchre_env.relative_suits import relabel_card, relabel_cards

_PRIVATE = ("hand", "discard")  # the fields of an observation that only its owner knows

STATE_FIELDS = lay_out(
    {
        **{f"hand_{seat}": (CARD_NAMES, f"the cards seat {seat} holds") for seat in SEATS},
        "kitty": (CARD_NAMES, "the cards left face down, without the upcard"),
        "discard": (CARD_NAMES, "one-hot, the dealer's discard"),
        **{name: (field.places, field.meaning) for name, field in FIELDS.items() if name not in _PRIVATE},
    }
)
STATE_SIZE = sum(field.size for field in STATE_FIELDS.values())

HIDDEN_FIELDS = lay_out(
    {
        "left": (CARD_NAMES, "the cards the seat to the left holds"),
        "partner": (CARD_NAMES, "the cards the partner holds"),
        "right": (CARD_NAMES, "the cards the seat to the right holds"),
        "kitty": (CARD_NAMES, "the cards left face down, without the upcard"),
        "discard": (CARD_NAMES, "one-hot, the dealer's discard"),
    }
)
HIDDEN_SIZE = sum(field.size for field in HIDDEN_FIELDS.values())

# The first places of the fields that kernels fill.
STATE_HANDS = np.array([STATE_FIELDS[f"hand_{seat}"].first for seat in SEATS], np.int64)
STATE_KITTY, STATE_DISCARD = STATE_FIELDS["kitty"].first, STATE_FIELDS["discard"].first
HIDDEN_HANDS = np.array([HIDDEN_FIELDS[name].first for name in ("left", "partner", "right")], np.int64)
HIDDEN_KITTY, HIDDEN_DISCARD = HIDDEN_FIELDS["kitty"].first, HIDDEN_FIELDS["discard"].first

# TO_STATE[i] of a state is copied from FROM_OBSERVATION[i] of seat 0's observation: the places of the public fields.
_PUBLIC = [name for name in FIELDS if name not in _PRIVATE]
TO_STATE = np.concatenate([np.arange(STATE_FIELDS[name].size) + STATE_FIELDS[name].first for name in _PUBLIC])
FROM_OBSERVATION = np.concatenate([np.arange(FIELDS[name].size) + FIELDS[name].first for name in _PUBLIC])


@kernel
def encode_state(deal: Deal, observation: np.ndarray, out: np.ndarray) -> None:
    """Write the state to `out`, int8, shape (STATE_SIZE,); `observation` is that of seat 0, in absolute suits."""
    out[:] = 0
    for seat in SEATS:
        set_members(out, STATE_HANDS[seat], deal.hands[seat])
    set_members(out, STATE_KITTY, deal.kitty)
    set_one(out, STATE_DISCARD, deal.discard, NO_CARD)
    for i in range(len(FROM_OBSERVATION)):
        out[TO_STATE[i]] = observation[FROM_OBSERVATION[i]]


@kernel
def encode_hidden(deal: Deal, viewer: Seat, frame: int, out: np.ndarray) -> None:
    """Write the cards hidden from `viewer` to `out`, int8, shape (HIDDEN_SIZE,), laid out as `HIDDEN_FIELDS`.

    The suits are relabelled to `frame`, 0 for absolute suits.
    """
    out[:] = 0
    for seat in range(1, 4):
        set_members(out, HIDDEN_HANDS[seat - 1], relabel_cards(deal.hands[(viewer + seat) & 3], frame))
    set_members(out, HIDDEN_KITTY, relabel_cards(deal.kitty, frame))
    set_one(out, HIDDEN_DISCARD, relabel_card(deal.discard, frame), NO_CARD)
