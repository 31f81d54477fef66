"""Exact open-hand solves on one core: by the solver, its table cleared for each deal, and by our plain alpha-beta."""

import numpy as np
from measuring import Workload

from euchre_agents import load
from euchre_agents.asking import act_rows
from euchre_agents.search import Solver
from euchre_agents.search.open_hands import plain_values
from euchre_env import HouseRules, Tables
from euchre_env.deal import PLAY

NUM_DEALS = 1024


def called_deals(num_deals: int, seed: int = 3) -> np.ndarray:
    """`num_deals` deals less those thrown in, dtype DEAL, at the opening lead: `rules` has called and discarded."""
    tables, player = Tables(num_deals, seed=seed, num_episodes=num_deals), load("rules")
    while True:
        rows = np.flatnonzero(tables.phases != PLAY)
        if len(rows) == 0:
            return tables.deals()
        tables.step(act_rows(player, tables, rows, seed), rows=rows)


class Solving:
    """Both solvers, and the deals that they solve in turn."""

    def __init__(self) -> None:
        self.deals, self.rules = called_deals(NUM_DEALS), HouseRules()
        self.solver = Solver([self.rules])

    def solve(self, num_deals: int) -> int:
        """Solve deals with the fast solver."""
        return sum(len(self.solver.values(self._some(size))) for size in self._sizes(num_deals))

    def solve_plainly(self, num_deals: int) -> int:
        """Solve deals with plain alpha-beta."""
        return sum(len(plain_values(self._some(size), self.rules)) for size in self._sizes(num_deals))

    def _some(self, size: int) -> np.ndarray:
        return self.deals[:size]

    def _sizes(self, num_deals: int) -> list[int]:
        whole, rest = divmod(num_deals, len(self.deals))
        return [len(self.deals)] * whole + [rest] * (rest > 0)


def workloads() -> dict[str, Workload]:
    """Both solvers; their decisions are solved deals."""
    solving = Solving()
    return {"solver": solving.solve, "plain_alpha_beta": solving.solve_plainly}
