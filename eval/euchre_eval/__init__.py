"""Evaluation of players: duplicate matches with confidence intervals, statistics, tournaments and data sets.

Importing the package loads nothing else; each public name is loaded on its first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from euchre_eval.control_variate import CorrectedMatch, corrected_match
    from euchre_eval.cross_matches import CrossPlay, cross_play
    from euchre_eval.dataset import Dataset, load_dataset, record
    from euchre_eval.game_statistics import PlayStatistics, play_statistics
    from euchre_eval.match import MatchResult, play_match
    from euchre_eval.tournament import TournamentResult, play_tournament
    from euchre_eval.tournament_plan import Plan

__all__ = [
    "CorrectedMatch",
    "CrossPlay",
    "Dataset",
    "MatchResult",
    "Plan",
    "PlayStatistics",
    "TournamentResult",
    "corrected_match",
    "cross_play",
    "load_dataset",
    "play_match",
    "play_statistics",
    "play_tournament",
    "record",
]

# A module may not be called like a public name: importing it would put it in the place of that name.
_HOME_OF = {
    "CorrectedMatch": "control_variate",
    "CrossPlay": "cross_matches",
    "Dataset": "dataset",
    "MatchResult": "match",
    "Plan": "tournament_plan",
    "PlayStatistics": "game_statistics",
    "TournamentResult": "tournament",
    "corrected_match": "control_variate",
    "cross_play": "cross_matches",
    "load_dataset": "dataset",
    "play_match": "match",
    "play_statistics": "game_statistics",
    "play_tournament": "tournament",
    "record": "dataset",
}


def __getattr__(name: str) -> Any:
    """Load a public name on its first use."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'euchre_eval' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"euchre_eval.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
