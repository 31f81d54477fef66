"""Seed ranges that keep training, tuning and reporting apart, so that nothing is judged on deals it was fitted to.

A run, a tuning match or a report is asked for by a small number; here it becomes a seed of its kind's own range. The
seed of every match and of every batch of tables in this project is made by one of these functions.
"""

from euchre_env.checks import check_number
from euchre_env.counter_rng import MAX_SEED

REPORTING_SEEDS = range(2**61)
"""For results that are shown: `euchre-eval --seed 7` is seed 7 of `Tables` too."""
TUNING_SEEDS = range(2**61, 2**62)
"""For choosing: the matches during training by which a checkpoint, a setting or a player is picked."""
TRAINING_SEEDS = range(2**62, MAX_SEED + 1)
"""For everything an agent learns from."""


def reporting_seed(number: int) -> int:
    """Seed `number` of `REPORTING_SEEDS`, counting from 0.

    >>> reporting_seed(7), tuning_seed(7) == 2**61 + 7, training_seed(7) in TRAINING_SEEDS
    (7, True, True)

    Raises:
        ValueError: if the number is not a whole number from 0 to 2**61 - 1.
    """
    return _seed_of(REPORTING_SEEDS, number)


def tuning_seed(number: int) -> int:
    """Seed `number` of `TUNING_SEEDS`; raises as `reporting_seed` does."""
    return _seed_of(TUNING_SEEDS, number)


def training_seed(number: int) -> int:
    """Seed `number` of `TRAINING_SEEDS`; raises as `reporting_seed` does."""
    return _seed_of(TRAINING_SEEDS, number)


def _seed_of(seeds: range, number: int) -> int:
    return seeds[check_number(number, 0, len(REPORTING_SEEDS) - 1, "seed")]
