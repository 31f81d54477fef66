"""Rewards as users write them, good and bad."""

import os
from pathlib import Path

import numpy as np


def two_for_every_seat(results, rules):
    return np.full((len(results), 4), 2)


def gives_nan(results, rules):
    return np.full((len(results), 4), np.nan)


def fails(results, rules):
    raise LookupError("a mistake in the reward")


def fails_to_convert(results, rules):
    raise ValueError("a mistake in the reward")


def fails_to_open(results, rules):
    return Path("/nowhere/at/all").read_text()


def fails_in_the_second_process(results, rules):
    if os.environ.get("RANK") == "1":
        raise ValueError("a mistake in the reward")
    return np.zeros((len(results), 4))


NO_FUNCTION = "a text"
