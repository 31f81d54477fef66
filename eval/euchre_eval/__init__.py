"""How good a player is: duplicate matches with confidence intervals, and statistics of play."""

from euchre_eval.match import MatchResult, play_match
from euchre_eval.play_statistics import PlayStatistics, play_statistics

__all__ = ["MatchResult", "PlayStatistics", "play_match", "play_statistics"]
