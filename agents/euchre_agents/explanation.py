"""What a player says about a choice it faces."""

from typing import NamedTuple


class Explanation(NamedTuple):
    """One legal action as a player sees it."""

    action: int
    """The absolute action id."""
    probability: float
    """How likely the player is to choose it, 0 to 1."""
    points: float | None
    """The points per deal it expects for its team, where the player reckons with points."""
    reason: str
    """One sentence."""
