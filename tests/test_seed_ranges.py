"""The seed ranges that keep training, tuning and reporting apart."""

from itertools import pairwise

import pytest

from euchre_env.counter_rng import MAX_SEED
from euchre_env.random_streams import (
    REPORTING_SEEDS,
    TRAINING_SEEDS,
    TUNING_SEEDS,
    reporting_seed,
    training_seed,
    tuning_seed,
)

RANGES = {reporting_seed: REPORTING_SEEDS, tuning_seed: TUNING_SEEDS, training_seed: TRAINING_SEEDS}


def test_the_ranges_tile_all_seeds():
    ranges = list(RANGES.values())
    assert (ranges[0].start, ranges[-1].stop) == (0, MAX_SEED + 1)
    assert all(one.stop == next_one.start for one, next_one in pairwise(ranges))


@pytest.mark.parametrize("seed_of", RANGES)
def test_every_number_gives_a_seed_of_its_own_range(seed_of):
    last = 2**61 - 1
    seeds = [seed_of(number) for number in (0, 1, last)]
    assert all(seed in RANGES[seed_of] for seed in seeds)
    assert len(set(seeds)) == 3


@pytest.mark.parametrize("seed_of", RANGES)
@pytest.mark.parametrize("number", [-1, 2**61, True, 1.0, "1"])
def test_other_numbers_are_refused(seed_of, number):
    with pytest.raises(ValueError, match=f"seed must be a whole number from 0 to {2**61 - 1}"):
        seed_of(number)


def test_a_number_reported_is_the_seed_itself():
    assert reporting_seed(7) == 7
