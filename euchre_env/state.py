"""What no seat may know, as 0/1 vectors, for critics and others who may see everything.

The state is the whole position, all cards open, in absolute seats and suits: first the cards that some seat cannot see,
then every other field of `FIELDS` as seat 0 has it, whose relative seats are the absolute ones. The hidden cards of a
seat are what its observation lacks, in its own seats and suits.
"""

import numpy as np

from euchre_env.cards import NO_CARD, NUM_CARDS
from euchre_env.deal import SEATS, Deal, Seat
from euchre_env.kernel import kernel
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, Field, set_members, set_one
from euchre_env.view import relabel_card, relabel_cards

_CARDS = {
    **{f"hand_{seat}": f"the cards seat {seat} holds" for seat in SEATS},
    "kitty": "the cards left face down, without the upcard",
    "discard": "one-hot, the dealer's discard",
}
_PRIVATE = ("hand", "discard")  # the fields of an observation that only its owner knows


def _fields() -> dict[str, Field]:
    laid_out = {name: Field(name, i * NUM_CARDS, NUM_CARDS, text) for i, (name, text) in enumerate(_CARDS.items())}
    first = len(_CARDS) * NUM_CARDS
    for name, field in FIELDS.items():
        if name not in _PRIVATE:
            laid_out[name] = Field(name, first, field.size, field.meaning)
            first += field.size
    return laid_out


STATE_FIELDS = _fields()
STATE_SIZE = sum(field.size for field in STATE_FIELDS.values())
HIDDEN_SIZE = 5 * NUM_CARDS

# FROM_OBSERVATION[i]: the place in an observation that the i-th place after the cards is copied from.
_PUBLIC = np.ones(OBSERVATION_SIZE, np.bool_)
for _name in _PRIVATE:
    _PUBLIC[FIELDS[_name].slice] = False
FROM_OBSERVATION = np.flatnonzero(_PUBLIC)


@kernel
def encode_state(deal: Deal, observation: np.ndarray, out: np.ndarray) -> None:
    """Write the state to `out`, int8, shape (STATE_SIZE,); `observation` is that of seat 0, in absolute suits."""
    out[:] = 0
    for seat in SEATS:
        set_members(out, seat * NUM_CARDS, deal.hands[seat])
    set_members(out, 4 * NUM_CARDS, deal.kitty)
    set_one(out, 5 * NUM_CARDS, deal.discard, NO_CARD)
    for i in range(len(FROM_OBSERVATION)):
        out[6 * NUM_CARDS + i] = observation[FROM_OBSERVATION[i]]


@kernel
def encode_hidden(deal: Deal, viewer: Seat, frame: int, out: np.ndarray) -> None:
    """Write the cards that `viewer` cannot see to `out`, int8, shape (HIDDEN_SIZE,), suits renamed by `suit ^ frame`.

    In this order: the hands to the left, of the partner and to the right, the kitty, the dealer's discard.
    """
    out[:] = 0
    for seat in range(1, 4):
        set_members(out, (seat - 1) * NUM_CARDS, relabel_cards(deal.hands[(viewer + seat) & 3], frame))
    set_members(out, 3 * NUM_CARDS, relabel_cards(deal.kitty, frame))
    set_one(out, 4 * NUM_CARDS, relabel_card(deal.discard, frame), NO_CARD)
