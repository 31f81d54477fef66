"""An environment that does nothing: the cost of PettingZoo itself, and so the upper bound for any environment."""

from typing import Any

import numpy as np
from gymnasium.spaces import Space
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from euchre_env import euchre_v0
from euchre_env.actions import NUM_ACTIONS
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.spaces import action_space, observation_space


class raw_empty_env(AECEnv[str, Any, Any]):  # noqa: N801  # PettingZoo's name
    """Four agents in endless turns, with euchre's spaces, a constant observation and five legal actions."""

    metadata: dict[str, Any] = {"name": "empty_v0", "render_modes": []}  # noqa: RUF012  # PettingZoo's name and type

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = list(euchre_v0.AGENTS)
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: action_space() for agent in self.possible_agents}
        self.render_mode = None
        mask = np.zeros(NUM_ACTIONS, np.int8)
        mask[:5] = 1
        self._observation = {"observation": np.zeros(OBSERVATION_SIZE, np.int8), "action_mask": mask}
        self._next = dict(zip(self.possible_agents, self.possible_agents[1:] + self.possible_agents[:1], strict=True))

    def observation_space(self, agent: str) -> Space[Any]:
        """Euchre's space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Euchre's space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start with the first agent."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The constant observation."""
        return self._observation

    def step(self, action: Any) -> None:
        """Select the next agent, with the bookkeeping that PettingZoo requires of every environment."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            return self._was_dead_step(action)
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self._next[agent]
        return None


def empty_env() -> OrderEnforcingWrapper[str, Any, Any]:
    """`raw_empty_env` behind the wrappers of `euchre_v0.env`."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw_empty_env(), -1)))
