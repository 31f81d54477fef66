"""The outcomes of a deal: what the makers achieved, what it scores, and how often it happened between good players.

An outcome is a kind, such as a march, and whether the dealer's team made trump. Counts are kept by outcome, not by
points, so that one measurement serves house rules with other points.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from euchre_env.checks import shortened
from euchre_env.deal import DEAL, NOBODY, NUM_TRICKS, OVER, points
from euchre_env.files import read_json
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.kernel import records

FORMAT = 1
SHIPPED_COUNTS = Path(__file__).with_name("outcome_counts.json")


class Kind(NamedTuple):
    """An example of a kind of outcome."""

    tricks: int
    """Tricks of the makers."""
    alone: bool
    """Whether the maker went alone."""
    lone_defender: bool
    """Whether a defender defended alone."""


KINDS = {
    "point": Kind(3, alone=False, lone_defender=False),  # three or four tricks, alone or not
    "march": Kind(5, alone=False, lone_defender=False),
    "lone march": Kind(5, alone=True, lone_defender=False),
    "euchre": Kind(2, alone=False, lone_defender=False),
    "lone euchre": Kind(2, alone=True, lone_defender=False),
    "lone defence": Kind(2, alone=False, lone_defender=True),  # a euchre by a lone defender, the maker alone or not
    "super euchre": Kind(0, alone=False, lone_defender=False),  # the three again, without a trick for the makers
    "lone super euchre": Kind(0, alone=True, lone_defender=False),
    "lone super defence": Kind(0, alone=False, lone_defender=True),
}
NUM_OUTCOMES = 2 * len(KINDS) + 1  # the kinds with the dealer's team as makers, those with the other team, and:
THROWN_IN = NUM_OUTCOMES - 1
OUTCOME_NAMES = (*(f"{makers}: {kind}" for makers in ("own", "other") for kind in KINDS), "thrown in")
"""The names of outcomes as a team sees them (`outcomes_for_team`): its own as makers, or the other."""


def _kind_of(tricks: int, alone: bool, lone_defender: bool) -> int:
    """The position in `KINDS` of a deal with these values."""
    if 3 <= tricks < NUM_TRICKS:
        example = KINDS["point"]
    elif tricks == NUM_TRICKS:
        example = Kind(tricks, alone, lone_defender=False)
    else:
        example = Kind(2 if tricks > 0 else 0, alone and not lone_defender, lone_defender)
    return list(KINDS.values()).index(example)


_KIND_OF = np.array(
    [[[_kind_of(tricks, bool(alone), bool(lone)) for lone in (0, 1)] for alone in (0, 1)] for tricks in range(6)]
)


def outcomes_of(results: np.ndarray) -> np.ndarray:
    """The outcome of each deal, 0 to `NUM_OUTCOMES` - 1, int64, shape (n,).

    Args:
        results: dtype RESULT, shape (n,), of deals that were played out or thrown in; a renege is no outcome.
    """
    maker = np.where(results["maker"] == NOBODY, 0, results["maker"])
    tricks = results["tricks"][np.arange(len(results)), maker & 1]
    kinds = _KIND_OF[tricks, results["alone"], (results["lone_defender"] != NOBODY).astype(np.int64)]
    made_by_others = (maker ^ results["dealer"]) & 1
    return np.where(results["maker"] == NOBODY, THROWN_IN, kinds + len(KINDS) * made_by_others)


def outcomes_for_team(outcomes: np.ndarray, is_dealers: np.ndarray) -> np.ndarray:
    """Outcomes as a team sees them: first the kinds with this team as makers, then those with the other team.

    Args:
        outcomes: as `outcomes_of` gives them, int64, shape (n,).
        is_dealers: whether the team is that of the dealer, bool, shape (n,).

    Returns:
        int64, shape (n,), 0 to `NUM_OUTCOMES` - 1; those of the dealer's team and thrown-in deals are unchanged. The
        points of this team less the other's are `points_of_outcomes`, because both teams score alike.
    """
    swapped = (outcomes + len(KINDS)) % THROWN_IN
    return np.where(is_dealers | (outcomes == THROWN_IN), outcomes, swapped)


def points_of_outcomes(rules: HouseRules) -> np.ndarray:
    """The points of the dealer's team less the other's in each outcome, int64, shape (NUM_OUTCOMES,).

    `euchre_env.deal.points` scores an example of each.
    """
    examples, packed = records(NUM_OUTCOMES, DEAL), rules.packed()
    examples["phase"], examples["maker"], examples["lone_defender"] = OVER, NOBODY, NOBODY
    for outcome in range(THROWN_IN):
        kind, maker = list(KINDS.values())[outcome % len(KINDS)], outcome // len(KINDS)  # seat 0 deals
        example = examples[outcome]
        example["maker"], example["alone"] = maker, kind.alone
        example["lone_defender"] = 1 - maker if kind.lone_defender else NOBODY
        example["tricks"][maker], example["tricks"][1 - maker] = kind.tricks, NUM_TRICKS - kind.tricks
    scored = np.array([points(examples[outcome], packed[0]) for outcome in range(NUM_OUTCOMES)], np.int64)
    return scored[:, 0] - scored[:, 1]


def nearest_preset(rules: HouseRules) -> str:
    """The preset whose deals come out most like those of `rules`.

    The presets are compared by the rules that move the counts, those first that move more: between four `ppo`, a lone
    call of the dealer's partner changes the outcome of 9 deals in 100, the Benny 8, defending alone 3, the others less
    than 1 (half the sum of the differences between the shares).
    """

    def differences(name: str) -> tuple[bool, ...]:
        preset = PRESETS[name]
        return (
            (preset.canadian_loner == "off") != (rules.canadian_loner == "off"),
            preset.benny != rules.benny,
            (preset.defend_alone == "never") != (rules.defend_alone == "never"),
            preset.stick_the_dealer != rules.stick_the_dealer,
            preset.lone_lead != rules.lone_lead,
        )

    return min(PRESETS, key=differences)


@dataclass(frozen=True)
class OutcomeCounts:
    """How often each outcome occurred in single deals between four copies of one player, under every preset.

    Raises:
        ValueError: if the counts are not those of every preset, or of one without a maker in any deal.
    """

    player: str
    """The name of the player."""
    deals: int
    """The number of deals under each preset; deals that a renege ended are not counted below."""
    seed: int
    """The number of the training seed of the deals (`random_streams.training_seed`)."""
    version: str
    """The version of euchre-env."""
    commit: str | None
    """The commit of the checkout that counted, with "-dirty" if it had changes; None outside a checkout."""
    counts: Mapping[str, tuple[int, ...]]
    """By preset, the number of deals with each of the `NUM_OUTCOMES` outcomes."""

    def __post_init__(self) -> None:
        if set(self.counts) != set(PRESETS):
            raise ValueError(f"it counts {shortened(sorted(self.counts))}, not every preset")
        for preset, counts in self.counts.items():
            are_counts = len(counts) == NUM_OUTCOMES and all(type(count) is int and count >= 0 for count in counts)
            if not are_counts or sum(counts[:THROWN_IN]) == 0:
                raise ValueError(f"{preset} needs {NUM_OUTCOMES} numbers of deals, some with a maker, not {counts}")

    def shares(self, rules: HouseRules) -> np.ndarray:
        """The expected share of deals with each outcome under any house rules, float64, shape (NUM_OUTCOMES,).

        They are the shares under `nearest_preset(rules)`, without thrown-in deals if `rules` stick the dealer.
        """
        counts = np.array(self.counts[nearest_preset(rules)], np.float64)
        if rules.stick_the_dealer:
            counts[THROWN_IN] = 0
        return counts / counts.sum()

    def as_json(self) -> dict[str, Any]:
        """The counts as plain values that `read_outcome_counts` reads back."""
        return {"format": FORMAT} | asdict(self) | {"counts": {name: _named(self.counts[name]) for name in self.counts}}


def read_outcome_counts(file: Path = SHIPPED_COUNTS) -> OutcomeCounts:
    """Read the counts in `file`, by default those of the shipped player.

    Raises:
        ValueError: if the file does not hold such counts, or cannot be read; the message names the file.
    """
    try:
        values = read_json(file)
        if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
            raise ValueError(f"it has no format {FORMAT}")
        if set(values) != {field.name for field in fields(OutcomeCounts)}:
            raise ValueError(f"it holds {shortened(sorted(values))}")
        values["counts"] = {name: _unnamed(counts, name) for name, counts in values["counts"].items()}
        return OutcomeCounts(**values)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"{file} does not hold counts of outcomes: {error}") from error


def _named(counts: tuple[int, ...]) -> dict[str, Any]:
    """The counts under one preset with their names."""
    middle = len(KINDS)
    return {
        "dealer's team": dict(zip(KINDS, counts[:middle], strict=True)),
        "other team": dict(zip(KINDS, counts[middle:THROWN_IN], strict=True)),
        "thrown in": counts[THROWN_IN],
    }


def _unnamed(named: Mapping[str, Any], preset: str) -> tuple[int, ...]:
    """The counts that `_named` made `named` from."""
    teams = [named["dealer's team"], named["other team"]]
    if len(named) != 3 or any(set(team) != set(KINDS) for team in teams):
        raise ValueError(f"{preset} has other outcomes than {', '.join(KINDS)} by team, and thrown in")
    return (*(team[kind] for team in teams for kind in KINDS), named["thrown in"])
