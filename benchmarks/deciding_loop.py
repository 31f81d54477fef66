"""Decisions of the shipped agent, `load("ppo")`, on one core: one at a time, as an environment asks, and in batches."""

from measuring import Workload

from euchre_agents import load
from euchre_env import Tables

NUM_TABLES = 4096
NUM_STEPS = 200  # of random play, after which the tables are in all phases of a deal and at all scores


class Agent:
    """The agent, and a position with a choice at each of `NUM_TABLES` tables."""

    def __init__(self) -> None:
        self.agent = load("ppo")
        tables = Tables(NUM_TABLES, seed=1, episode="game", skip_forced=True)
        for _ in range(NUM_STEPS):
            tables.step_at_random(seed=0)
        self.observations, self.masks = tables.observations()
        self.views, self.keys = tables.views(), tables.decision_keys(seed=0)

    def decide(self, num_decisions: int) -> int:
        """Decide at one position after the other."""
        for number in range(num_decisions):
            row = number % NUM_TABLES
            self.agent.act(self.observations[row], self.masks[row])
        return num_decisions

    def decide_in_batches(self, num_decisions: int) -> int:
        """Decide at all positions at once."""
        num_batches = -(-num_decisions // NUM_TABLES)
        for _ in range(num_batches):
            self.agent.act_views(self.views, self.keys)
        return num_batches * NUM_TABLES


def workloads() -> dict[str, Workload]:
    """Both ways to decide."""
    agent = Agent()
    return {"ppo_single": agent.decide, "ppo_batched": agent.decide_in_batches}
