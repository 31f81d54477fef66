"""Evaluation of players: duplicate matches with confidence intervals, and statistics of play.

Importing the package loads nothing else; each public name is loaded on its first use.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from euchre_eval.match import MatchResult, play_match
    from euchre_eval.play_statistics import PlayStatistics, play_statistics

__all__ = ["MatchResult", "PlayStatistics", "play_match", "play_statistics"]

_HOME_OF = {
    "MatchResult": "match",
    "PlayStatistics": "play_statistics",
    "play_match": "match",
    "play_statistics": "play_statistics",
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


class _Package(ModuleType):
    """A package whose `play_statistics` stays the function after the module of the same name is imported.

    Importing a module sets it as an attribute of its package, and `__getattr__` is not called for existing attributes.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "play_statistics" and isinstance(value, ModuleType):
            value = value.play_statistics
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
