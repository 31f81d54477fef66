"""Whole deals that teams which search play, and views that `value` searches, on one core."""

import numpy as np
from measuring import Workload

from euchre_agents import load
from euchre_agents.asking import act_rows
from euchre_agents.search import value
from euchre_env import Tables
from euchre_env.view import View

NUM_TABLES = 256
NUM_WORLDS = 256  # of `value`


class Searching:
    """Two players; every turn plays the next deals.

    Args:
        searching: the name of the team that searches.
        other: the name of the other team.
        rules: the house rules.
    """

    def __init__(self, searching: str, other: str, rules: str) -> None:
        self.players = load(searching, seed=1), load(other, seed=1)
        self.rules, self.num_deals = rules, 0

    def play(self, num_deals: int) -> int:
        """Play deals from the shuffle to the last card, `NUM_TABLES` at once."""
        num_tables, first = min(num_deals, NUM_TABLES), self.num_deals
        tables = Tables(num_tables, self.rules, seed=5, num_episodes=num_deals, first_episode=first)
        self.num_deals += num_deals
        while len(tables):
            teams, actions = tables.turns % 2, np.empty(len(tables), np.int64)
            for team, player in enumerate(self.players):
                rows = np.flatnonzero(teams == team)
                actions[rows] = act_rows(player, tables, rows)
            tables.step(actions)
        return num_deals


class Valuing:
    """`value` with `ppo` playing on, of one view of its deals after the other, where the seat has a choice."""

    def __init__(self) -> None:
        self.player, self.num_deals, self.views = load("ppo:points"), 0, list[View]()

    def look(self, num_views: int) -> int:
        """Search the next views one at a time, in the order of the deal."""
        for _ in range(num_views):
            if not self.views:
                self.views = self._views_of_deal()
            value(self.views.pop(), self.player, num_worlds=NUM_WORLDS)
        return num_views

    def _views_of_deal(self) -> list[View]:
        """The views of the next deal, the last one first."""
        tables, views = (
            Tables(1, "standard", seed=6, num_episodes=1, first_episode=self.num_deals, skip_forced=True),
            [],
        )
        self.num_deals += 1
        while len(tables):
            views.append(tables.views()[0])
            tables.step(act_rows(self.player, tables, np.zeros(1, np.int64)))
        return views[::-1]


def workloads() -> dict[str, Workload]:
    """The teams that search; their decisions are whole deals."""
    return {
        "pimc_50": Searching("pimc:50", "rules", "pagat").play,
        "ppo_search_64": Searching("ppo+search:64", "ppo", "standard").play,
    }


def view_workloads() -> dict[str, Workload]:
    """`value`; its decisions are views."""
    return {"value_256": Valuing().look}
