"""The numbers of the rule-based player: what cards count, where it calls, when it goes alone.

Counts are whole hundredths, so that comparisons are exact. The form of the player is the same for all numbers; `RULES`
are those of docs/rules.md, "The rule-based player", and `TUNED` those that a sweep has found (docs/rules_tuned.md).
"""

from dataclasses import dataclass, fields

import numpy as np

from euchre_env.checks import shortened
from euchre_env.kernel import Records, records

PLACES = ("eldest", "partner", "third", "dealer")
"""The seats in the order of bidding: a tuple of four numbers has one for each."""
TRUMPS = ("nine", "ten", "queen", "king", "ace", "left", "right", "benny")
"""The trumps from the lowest: `trumps` has a number for each."""

NUMBERS = np.dtype(
    [
        ("trumps", np.int64, len(TRUMPS)),
        ("other_ace", np.int64),
        ("void", np.int64),
        ("upcard_to_partner", np.int64),
        ("upcard_to_opponent", np.int64),
        ("call_at_first", np.int64, len(PLACES)),
        ("call_at_second", np.int64, len(PLACES)),
        ("next_bonus", np.int64, len(PLACES)),
        ("lone_trumps", np.int64),
        ("lone_losers", np.int64),
        ("lead_trumps", np.int64),
    ],
    align=True,
)


@dataclass(frozen=True)
class RuleNumbers:
    """The numbers of a rule-based player.

    Raises:
        ValueError: if a number is not a whole number, or a tuple has not as many as it needs.
    """

    trumps: tuple[int, ...] = (100, 120, 150, 170, 200, 250, 300, 350)
    """What each trump counts, in hundredths, in the order of `TRUMPS`."""
    other_ace: int = 100
    """What an ace outside trump counts."""
    void: int = 50
    """What an empty suit counts in a hand with two trumps or more."""
    upcard_to_partner: int = 50
    """The share of the upcard's value, in hundredths, that the dealer's partner adds."""
    upcard_to_opponent: int = 50
    """The share of the upcard's value that either opponent of the dealer subtracts."""
    call_at_first: tuple[int, ...] = (600, 600, 600, 600)
    """The lowest count that calls in round one, in the order of `PLACES`."""
    call_at_second: tuple[int, ...] = (600, 600, 600, 600)
    """The lowest count that calls in round two."""
    next_bonus: tuple[int, ...] = (50, 0, 0, 0)
    """What is added in round two for the suit of the same colour as the one turned down; below 0 for the others."""
    lone_trumps: int = 3
    """The trumps, the right bower among them, that a lone hand needs."""
    lone_losers: int = 0
    """The cards of a lone hand that may be neither trumps nor aces."""
    lead_trumps: int = 2
    """The trumps with which the maker leads its highest."""

    def __post_init__(self) -> None:
        for name, given in self.as_dict().items():
            shape = NUMBERS[name].shape
            array = np.asarray(given)
            if array.shape != shape or array.dtype.kind not in "iu":
                what = f"{shape[0]} whole numbers" if shape else "a whole number"
                raise ValueError(f"{name} must be {what}, not {shortened(given)}")

    def as_dict(self) -> dict[str, int | tuple[int, ...]]:
        """The numbers by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def packed(self) -> Records:
        """The numbers as a record array of dtype `NUMBERS`, shape (1,), in the form that kernels read in this mode."""
        packed = records(1, NUMBERS)
        for name, given in self.as_dict().items():
            packed[name][0] = given
        return packed


RULES = RuleNumbers()
TUNED = RuleNumbers(
    trumps=(100, 120, 175, 170, 200, 225, 300, 350),
    other_ace=75,
    void=75,
    upcard_to_partner=25,
    call_at_first=(675, 500, 600, 525),
    call_at_second=(500, 500, 500, 500),
    next_bonus=(50, -50, 100, 50),
    lone_losers=1,
)
