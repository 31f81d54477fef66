"""One seat of the table as a Gymnasium environment: the wrapper that a user of Stable-Baselines3 would write."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Dict

from euchre_agents import load
from euchre_env import euchre_v0
from euchre_env.random_streams import training_seed

SEAT = "player_0"


class SeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Seat 0 of single deals over `euchre_v0.raw_env`, with `rules` in the other three seats.

    Every turn of the seat is a step, forced moves included; the reward, at the end, is the team's net points.

    Args:
        relative_suits: show suits relative to trump.
    """

    def __init__(self, relative_suits: bool = True) -> None:
        self.table = euchre_v0.raw_env(episode="deal", relative_suits=relative_suits)
        spaces = self.table.observation_space(SEAT)
        assert isinstance(spaces, Dict)
        self.observation_space, self.action_space = spaces["observation"], self.table.action_space(SEAT)
        self.others = load("rules", seed=0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal, until a deal comes to the seat's turn: some end before it."""
        super().reset(seed=seed)
        is_over = True
        while is_over:
            self.table.reset(seed=training_seed(int(self.np_random.integers(2**31))))
            is_over = self._play_others()
        return self.seen["observation"], {}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Act, then let the others act until the seat's next turn or the end of the deal."""
        self.table.step(action)
        is_over = self._play_others()
        return self.seen["observation"], self.table.rewards[SEAT] if is_over else 0.0, is_over, False, {}

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool, (NUM_ACTIONS,): sb3-contrib asks for them by this name."""
        return self.seen["action_mask"].astype(bool)

    def _play_others(self) -> bool:
        """Play to the seat's next turn; whether the deal is over instead."""
        table = self.table
        while not table.terminations[SEAT] and table.agent_selection != SEAT:
            seen = table.observe(table.agent_selection)
            table.step(self.others.act(seen["observation"], seen["action_mask"]))
        self.seen = table.observe(SEAT)
        return table.terminations[SEAT]
