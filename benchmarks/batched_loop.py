"""Batched random play beside OpenSpiel's euchre driven from Python: one core, dealing included, no move skipped.

Both play deal after deal under OpenSpiel's house rules and count every decision. (OpenSpiel asks "alone?" as a separate
decision; ours has it in the call.) A third batch plays each deal under the next of our presets.
"""

import random

import numpy as np
import pyspiel
from measuring import Workload

from euchre_env import PRESETS, HouseRules, Tables
from euchre_env.actions import NUM_ACTIONS
from euchre_env.observation import OBSERVATION_SIZE

NUM_TABLES = 2048
OPENSPIEL_RULES = HouseRules(stick_the_dealer=True, dealer_sits_out_exchange=True, discard_upcard=False)


class Batched:
    """Random play at `NUM_TABLES` tables in lockstep, chosen in the kernel; each deal under the next of `rules`."""

    def __init__(self, *rules: HouseRules) -> None:
        self.tables = Tables(NUM_TABLES, rules)
        self.out = np.empty((NUM_TABLES, OBSERVATION_SIZE), np.int8), np.empty((NUM_TABLES, NUM_ACTIONS), np.int8)

    def play(self, num_decisions: int) -> int:
        """Play without observations."""
        num_steps = -(-num_decisions // NUM_TABLES)
        for _ in range(num_steps):
            self.tables.step_at_random(seed=0)
        return num_steps * NUM_TABLES

    def play_encoded(self, num_decisions: int) -> int:
        """Play with the observation vector and the action mask of every decision."""
        num_steps = -(-num_decisions // NUM_TABLES)
        for _ in range(num_steps):
            self.tables.observations(out=self.out)
            self.tables.step_at_random(seed=0)
        return num_steps * NUM_TABLES


class OpenSpiel:
    """Random play of OpenSpiel's euchre, in the shortest plain Python loop."""

    def __init__(self) -> None:
        self.game = pyspiel.load_game("euchre")

    def play(self, num_decisions: int, encoded: bool = False) -> int:
        """Play without observations, or with the information-state tensor of every decision."""
        taken = 0
        while True:
            state = self.game.new_initial_state()
            while state.is_chance_node():  # the remaining cards are equally likely
                state.apply_action(random.choice(state.legal_actions()))
            while not state.is_terminal():
                if encoded:
                    state.information_state_tensor(state.current_player())
                state.apply_action(random.choice(state.legal_actions()))
                taken += 1
                if taken >= num_decisions:
                    return taken

    def play_encoded(self, num_decisions: int) -> int:
        """Play with the information-state tensor of every decision."""
        return self.play(num_decisions, encoded=True)


def workloads() -> dict[str, Workload]:
    """Both loops, without and with the inputs of a network, and the batch of all presets."""
    batched, mixed, openspiel = Batched(OPENSPIEL_RULES), Batched(*PRESETS.values()), OpenSpiel()
    return {
        "batched": batched.play,
        "batched_mixed": mixed.play,
        "openspiel": openspiel.play,
        "batched_encoded": batched.play_encoded,
        "openspiel_encoded": openspiel.play_encoded,
    }
