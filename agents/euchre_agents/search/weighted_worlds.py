"""Worlds with weights: many are drawn and weighted, and few of them are kept to be played out.

How likely the hidden seats are to have bid and played as they have differs much between worlds: of 64 worlds in the
play, a handful have most of the weight. To play out the others would be in vain. So several times as many worlds are
drawn as are kept. Those of great weight are kept as they are; of the others, each is kept with a probability in
proportion to its weight, and those kept have equal weights. This is the resampling of Paul Fearnhead and Peter Clifford
("On-line inference for hidden Markov models via particle filters", 2003). A weighted mean over the worlds kept is, on
average over the draws, that over all of them.
"""

from typing import NamedTuple

import numpy as np

from euchre_agents.search.drawn_worlds import DrawnWorlds, draw_worlds
from euchre_agents.search.likelihoods import ProbabilityPolicy, log_likelihoods
from euchre_agents.search.weighted_means import normalised
from euchre_env.counter_rng import MASK, random_below
from euchre_env.kernel import Records, as_records, kernel

WORLDS_PER_KEPT = 8
"""How many worlds are weighted for each that is kept; docs/open_hands.md says what that gains."""
MAX_WEIGHTED_WORLDS = 16_384
"""The most worlds of a view that are weighted, unless more are kept."""
SPINS = 1 << 31


class WeightedWorlds(NamedTuple):
    """Up to N worlds of each of V views, with weights."""

    worlds: DrawnWorlds
    """The worlds; `are_all` says that none was left out."""
    log_weights: np.ndarray
    """The logarithms of the weights, up to a constant of the view and its policy, float64, shape (V, N); minus infinity
    where a world does not count."""
    chances: np.ndarray
    """How much of the presence of each world is by chance, float64, shape (V, N), 0 to 1; see `weighted_means`."""


def num_weighted(num_worlds: int) -> int:
    """How many worlds of a view are weighted to keep `num_worlds`."""
    return max(num_worlds, min(WORLDS_PER_KEPT * num_worlds, MAX_WEIGHTED_WORLDS))


def draw_weighted_worlds(
    views: Records, num_worlds: int, keys: np.ndarray, policy: ProbabilityPolicy, num_drawn: int | None = None
) -> WeightedWorlds:
    """Worlds of each view with the weights of `likelihoods`: every world if it has no more than `num_worlds`.

    Args:
        views: dtype VIEW, shape (V,), each with its owner to act.
        num_worlds: how many worlds are kept, a positive number.
        keys: a random number for each view, int64, shape (V,). The worlds of a view depend on both alone.
        policy: gives the probabilities.
        num_drawn: how many are weighted, `num_worlds` or more; `num_weighted(num_worlds)` if None. A view that has no
            more has each of its worlds weighted once.

    Raises:
        ValueError: if no deal agrees with a view; the message names the view.
    """
    drawn = draw_worlds(views, num_weighted(num_worlds) if num_drawn is None else num_drawn, keys)
    log_weights, spins = log_likelihoods(views, drawn, policy), np.empty(len(views), np.int64)
    spin(keys, spins)
    hidden = drawn.hidden[:, :num_worlds].copy()
    kept_log_weights, chances = np.full(hidden.shape, -np.inf), np.zeros(hidden.shape)
    for i, count in enumerate(drawn.counts.tolist()):
        own = log_weights[i, :count]
        kept, kept_weights, kept_chances = resample(normalised(own), num_worlds, spins[i] / SPINS)
        hidden[i, : len(kept)] = drawn.hidden[i, kept]
        kept_log_weights[i, : len(kept)] = np.log(kept_weights) + np.logaddexp.reduce(own)
        chances[i, : len(kept)] = kept_chances if drawn.are_all[i] else 1
    counts = np.minimum(drawn.counts, num_worlds)
    worlds = DrawnWorlds(as_records(hidden), counts, drawn.are_all & (drawn.counts <= num_worlds))
    return WeightedWorlds(worlds, kept_log_weights, chances)


def resample(weights: np.ndarray, number: int, offset: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keep `number` of the places of `weights`, all if there are no more; see the text of this module.

    >>> kept, weights, chances = resample(np.array([0.5, 0.125, 0.125, 0.125, 0.125]), 3, 0.75)
    >>> kept.tolist(), weights.tolist(), chances.tolist()
    ([0, 2, 4], [0.5, 0.25, 0.25], [0.0, 0.5, 0.5])

    Args:
        weights: float64, shape (M,), adding up to 1.
        number: a positive number.
        offset: a random number, 0 to 1, exclusive.

    Returns:
        The places, int64, shape (n,), ascending; their new weights; and the probability with which each would have been
        left out, 0 for those whose weight has not changed.
    """
    if len(weights) <= number:
        return np.arange(len(weights)), weights, np.zeros(len(weights))
    order = np.argsort(-weights, kind="stable")
    falling = weights[order]
    rest = np.cumsum(falling[::-1])[::-1]  # the weight of each place and of all lighter ones
    left = number - np.arange(number)  # the places that are left to fill, if those before are kept as they are
    num_heavy = int((falling[:number] * left <= rest[:number]).argmax())
    share = rest[num_heavy] / left[num_heavy]  # the new weight of the light ones
    heavy, light = order[:num_heavy], np.sort(order[num_heavy:])
    sums = np.cumsum(weights[light])
    sums *= left[num_heavy] / sums[-1]
    hits = light[np.searchsorted(sums, np.arange(left[num_heavy]) + offset, side="right")]
    kept = np.sort(np.concatenate([heavy, hits]))
    return kept, np.maximum(weights[kept], share), np.maximum(1 - weights[kept] / share, 0)


@kernel
def spin(keys: np.ndarray, spins: np.ndarray) -> None:
    """Write a random number below `SPINS` for each of `keys`, int64, (V,), to `spins`."""
    for i in range(len(keys)):
        spins[i] = random_below(keys[i], MASK, 0, SPINS)
