"""How good a player is: duplicate matches with confidence intervals, and statistics of play.

Importing this loads nothing else; a name below is loaded when it is first used.
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
    """A package in which `play_statistics` is the function, also once the module of that name is imported.

    Importing a module sets it as an attribute of its package, and then `__getattr__` is not asked any more.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "play_statistics" and isinstance(value, ModuleType):
            value = value.play_statistics
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
