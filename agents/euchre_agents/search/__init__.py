"""Search with all cards open: the exact value of a position and of each action."""

from euchre_agents.search.decisions import Decision, decisions_of
from euchre_agents.search.open_hands import NO_VALUE, Solver, open_hand_action_values, open_hand_values

__all__ = ["NO_VALUE", "Decision", "Solver", "decisions_of", "open_hand_action_values", "open_hand_values"]
