"""Random play through PettingZoo's AEC interface, the same two loops for every environment."""

import random
from typing import Any

import numpy as np
from empty_env import empty_env, raw_empty_env
from measuring import Workload
from pettingzoo.classic import texas_holdem_v4

from euchre_env import euchre_v0


def play_wrapped(env: Any, num_decisions: int) -> int:
    """The loop of PettingZoo's documentation: `last`, a masked random action from the action space, `step`."""
    taken = 0
    while True:
        env.reset()
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(env.action_space(agent).sample(observation["action_mask"]))
            taken += 1
            if taken >= num_decisions:
                return taken


def play_raw(env: Any, num_decisions: int) -> int:
    """The same loop with the least work outside the environment: a random legal action from the mask."""
    taken = 0
    while True:
        env.reset()
        while env.agents:
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(random.choice(np.flatnonzero(observation["action_mask"])))
            taken += 1
            if taken >= num_decisions:
                return taken


def workloads() -> dict[str, Workload]:
    """The loops for every environment, with and without the three standard wrappers."""
    wrapped = {"euchre": euchre_v0.env(), "texas": texas_holdem_v4.env(), "empty": empty_env()}
    raw = {"euchre": euchre_v0.raw_env(), "texas": texas_holdem_v4.raw_env(), "empty": raw_empty_env()}
    return {
        **{f"{name}_wrapped": lambda n, env=env: play_wrapped(env, n) for name, env in wrapped.items()},
        **{f"{name}_raw": lambda n, env=env: play_raw(env, n) for name, env in raw.items()},
    }
