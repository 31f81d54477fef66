"""The reward of a deal: what each seat is paid at its end."""

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from euchre_agents.importing import import_named
from euchre_env.house_rules import HouseRules
from euchre_train.rule_mixture import largest_score

Reward: TypeAlias = Callable[[np.ndarray, Sequence[HouseRules]], np.ndarray]
"""Called once per update with the results of its deals, dtype RESULT, (n,), and the rules of each of them; returns the
reward of every seat, (n, 4)."""

LARGEST_REWARD = 2.0


class RewardError(ValueError):
    """A reward did not give one finite number for each seat of each deal."""


def points(results: np.ndarray, rules: Sequence[HouseRules]) -> np.ndarray:
    """The own team's net points, as a share of the largest score of the rules, times `LARGEST_REWARD`: (n, 4).

    Under the usual rules that is half a net point, and its standard deviation is near 0.9.
    """
    scale = LARGEST_REWARD / np.array([_largest_score(each) for each in rules])
    net = (results["points"][:, 0] - results["points"][:, 1]) * scale
    return np.stack([net, -net, net, -net], axis=1)


_largest_score = functools.lru_cache(maxsize=4096)(largest_score)


def load_reward(name: str) -> Reward:
    """The reward called `name`: "points", or "package.module:function" for one of your own.

    Raises:
        ValueError: if there is no such function. Exceptions of the module pass through.
    """
    if name == "points":
        return points
    if ":" not in name:
        raise ValueError(f"unknown reward {name!r}; 'points', or package.module:function")
    function = import_named(name, "reward")
    if not callable(function):
        raise ValueError(f"reward {name!r} is a {type(function).__name__}, not a function")
    return function  # type: ignore[no-any-return]
