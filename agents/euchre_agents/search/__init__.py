"""Search: the exact value of a position with all cards open, and players that search in worlds of their view."""

from euchre_agents.search.decisions import Decision, decisions_of
from euchre_agents.search.open_hands import NO_VALUE, Solver, open_hand_action_values, open_hand_values
from euchre_agents.search.oracle import Oracle
from euchre_agents.search.pimc import ActionValues, PimcPlayer
from euchre_agents.search.search_player import SearchPlayer
from euchre_agents.search.values import Value, value

__all__ = [
    "NO_VALUE",
    "ActionValues",
    "Decision",
    "Oracle",
    "PimcPlayer",
    "SearchPlayer",
    "Solver",
    "Value",
    "decisions_of",
    "open_hand_action_values",
    "open_hand_values",
    "value",
]
