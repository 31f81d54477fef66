"""Rewards as users write them, good and bad."""

import numpy as np


def two_for_every_seat(results, rules):
    return np.full((len(results), 4), 2)


def gives_nan(results, rules):
    return np.full((len(results), 4), np.nan)


def fails(results, rules):
    raise LookupError("a mistake in the reward")


NO_FUNCTION = "a text"
