"""The whole position as one 0/1 vector, all cards open: for critics and others who may see everything.

Seats and suits are absolute. First come the cards that some seat cannot see, then every other field of `FIELDS` as
seat 0 has it, whose relative seats are the absolute ones.
"""

import numpy as np

from euchre_env.cards import NO_CARD, NUM_CARDS
from euchre_env.deal import SEATS, Deal
from euchre_env.kernel import kernel
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, Field, set_members, set_one

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
