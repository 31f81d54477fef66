"""Whole deals that `load("pimc:50")` plays as a team against `rules` under `pagat`, on one core."""

import numpy as np
from measuring import Workload

from euchre_agents import load
from euchre_agents.asking import act_rows
from euchre_env import Tables

NUM_TABLES = 256


class Searching:
    """Both players; every turn plays the next deals."""

    def __init__(self) -> None:
        self.players = load("pimc:50", seed=1), load("rules", seed=1)
        self.num_deals = 0

    def play(self, num_deals: int) -> int:
        """Play deals from the shuffle to the last card, `NUM_TABLES` at once."""
        num_tables, first = min(num_deals, NUM_TABLES), self.num_deals
        tables = Tables(num_tables, "pagat", seed=5, num_episodes=num_deals, first_episode=first)
        self.num_deals += num_deals
        while len(tables):
            teams, actions = tables.turns % 2, np.empty(len(tables), np.int64)
            for team, player in enumerate(self.players):
                rows = np.flatnonzero(teams == team)
                actions[rows] = act_rows(player, tables, rows)
            tables.step(actions)
        return num_deals


def workloads() -> dict[str, Workload]:
    """The team that searches; its decisions are whole deals."""
    return {"pimc_50": Searching().play}
