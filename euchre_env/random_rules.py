"""Random house rules, to train and to measure players under rules that no preset has."""

from dataclasses import fields

import numpy as np

from euchre_env.house_rules import HouseRules

POINTS = (0, 1, 2, 3, 4, 6)
"""The points of random rules."""
BENNY_SHARE = 0.25
NOT_OF_A_DEAL = ("points_to_win", "win_by", "throw_in_dealer")
"""House rules that do not bear on a single deal; random rules keep their defaults."""


def random_rules(rng: np.random.Generator) -> HouseRules:
    """Draw house rules: every flag and choice uniform, points from `POINTS`, the Benny in a quarter.

    >>> str(random_rules(np.random.default_rng(7))).partition(",")[0]
    'midwest'
    """
    values: dict[str, object] = {}
    for rule in fields(HouseRules):
        allowed = rule.metadata["allowed"]
        if rule.name in NOT_OF_A_DEAL:
            continue
        if isinstance(allowed, range):
            values[rule.name] = int(rng.choice(POINTS))
        elif rule.name == "benny":
            values[rule.name] = bool(rng.random() < BENNY_SHARE)
        else:
            values[rule.name] = allowed[int(rng.integers(len(allowed)))]
    return HouseRules(**values)  # type: ignore[arg-type]  # allowed values of each rule
