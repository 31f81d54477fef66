"""The list of measurements: the sections of docs/results.md, and the commands behind each of them.

The list is a YAML file, `report/results.yaml`, with the `introduction` of the page and its `sections`. A section has
the fields of `Section` below; in its `measurements`, NAME in braces stands for each of the values that `for` lists.

A command is `euchre-eval ...`, which is played when it is needed, or one that a person runs and that leaves a source
behind: `euchre-train ... --run FOLDER`, with `torchrun` or without, or `make bench JSON=FILE`.
"""

import fnmatch
import itertools
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from euchre_env.checks import did_you_mean

NAME = re.compile(r"[a-z0-9_]+")
RUNS = "runs/"  # where run folders and other sources are


@dataclass(frozen=True)
class Measurement:
    """A command whose result is recorded under a name.

    Raises:
        ValueError: if the name cannot be that of a file, or the command is not of a known form.
    """

    name: str
    command: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"the name of a measurement has small letters, digits and underscores, not {self.name!r}")
        if not self.is_played and self.source is None:
            raise ValueError(
                f"{self.name}: a command is euchre-eval ..., euchre-train ... --run FOLDER or make bench JSON=FILE, "
                f"not {self.command!r}"
            )

    @property
    def arguments(self) -> list[str]:
        """The words of the command, the program among them."""
        return shlex.split(self.command)

    @property
    def is_played(self) -> bool:
        """Whether the command plays; another one leaves a source, from which the result is taken."""
        return self.arguments[:1] == ["euchre-eval"]

    @property
    def is_training(self) -> bool:
        """Whether the source is the folder of a training run."""
        return not self.is_played and "--run" in self.arguments[:-1]

    @property
    def source(self) -> Path | None:
        """The run folder, or the file, that the command leaves; None if it plays."""
        words = self.arguments
        if self.is_training:
            return Path(words[words.index("--run") + 1])
        if words[:2] == ["make", "bench"]:
            return next((Path(word.removeprefix("JSON=")) for word in words if word.startswith("JSON=")), None)
        return None

    @property
    def run_folders(self) -> list[str]:
        """The run folders whose players a command that plays needs."""
        return [word for word in self.arguments if word.startswith(RUNS)] if self.is_played else []


@dataclass(frozen=True)
class Picture:
    """A picture on the page, in `docs/images/`."""

    file: str
    kind: str
    """"curves" of training runs, or "intervals" of matches."""
    of: list[str]
    """The names of the measurements that it shows."""
    alt: str
    """What it shows, in words."""


@dataclass(frozen=True)
class Target:
    """A figure that was to be reached, with one bound: `at_least`, `above` or `at_most`.

    Raises:
        ValueError: if it has no bound, or several.
    """

    figure: str
    """What it is, in words."""
    of: list[str]
    """The names of the measurements of which the worst counts."""
    value: str
    """Where the number is in their results, such as "points_per_deal.low"."""
    pairs: int = 0
    """How many pairs of deals, or of games, must be behind it."""
    unit: str = "points"
    """How it is printed, a name of `tables.UNITS`."""
    at_least: float | dict[str, float] | None = None
    """A bound, or one for each precision in which the trainer may compute."""
    above: float | dict[str, float] | None = None
    at_most: float | dict[str, float] | None = None
    but: list[str] = field(default_factory=list[str])
    """Names of `of` that are not meant."""

    def __post_init__(self) -> None:
        if sum(bound is not None for bound in (self.at_least, self.above, self.at_most)) != 1:
            raise ValueError(f"the target {self.figure!r} needs one bound: at_least, above or at_most")


@dataclass(frozen=True)
class Part:
    """A part of the work that had a budget, in core-hours."""

    part: str
    at_most: float
    training: str | None = None
    """The name of the training that was the part, whose record says what it took."""
    spent: float | None = None
    """What it took, where no record says it, or as the CPU time of its processes was measured."""


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    title: str
    text: str = ""
    """Prose, in Markdown."""
    show: list[str] = field(default_factory=list[str])
    """How its measurements are shown: names of `tables.TABLES`."""
    measurements: dict[str, Measurement] = field(default_factory=dict[str, Measurement])
    """By name, in the order of the page."""
    pictures: list[Picture] = field(default_factory=list[Picture])
    targets: list[Target] = field(default_factory=list[Target])
    parts: list[Part] = field(default_factory=list[Part])
    loops: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For each figure of the benchmark: what it is, and the loop whose decisions per second stand beside it, if any."""


@dataclass(frozen=True)
class Plan:
    """The whole list."""

    introduction: str
    sections: list[Section]

    @property
    def measurements(self) -> dict[str, Measurement]:
        """All measurements by name."""
        return {name: each for section in self.sections for name, each in section.measurements.items()}


def read_plan(file: Path) -> Plan:
    """Read the list in `file`.

    Raises:
        ValueError: if it is not such a list; the message names the file and the section.
        OSError: if it cannot be read.
    """
    try:
        with file.open(encoding="utf-8") as stream:  # a stream has a name for messages
            values = yaml.safe_load(stream)
        if not isinstance(values, dict) or set(values) != {"introduction", "sections"}:
            raise ValueError("it must have an introduction and sections, and nothing else")
        plan = Plan(values["introduction"], [_section(section) for section in values["sections"]])
        _check_names(name for section in plan.sections for name in section.measurements)
        _check_runs(plan)
        for section in plan.sections:
            _resolve(section, plan.measurements)
    except (yaml.YAMLError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{file}: {' '.join(str(error).split())}") from error
    return plan


def _section(values: dict[str, Any]) -> Section:
    try:
        entries = values.pop("measurements", {}).items()
        commands = [each for name, command in entries for each in _expanded(name, command)]
        measurements = {name: Measurement(name, command) for name, command in commands}
        _check_names(name for name, _ in commands)
        kinds = {"pictures": Picture, "targets": Target, "parts": Part}
        lists = {name: [kind(**each) for each in values.pop(name, [])] for name, kind in kinds.items()}
        return Section(measurements=measurements, **lists, **values)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"section {values.get('title')!r}: {error}") from error


def _expanded(name: str, command: str | dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The names and commands that an entry stands for: one for each combination of the values of its `for`."""
    if isinstance(command, str):
        yield name, command
        return
    choices = [
        [(key, *pair) for pair in (values.items() if isinstance(values, dict) else zip(values, values, strict=True))]
        for key, values in command["for"].items()
    ]
    for chosen in itertools.product(*choices):
        names = {key: short for key, short, _ in chosen}
        yield name.format(**names), command["command"].format(**{key: value for key, _, value in chosen})


def _check_names(names: Iterable[str]) -> None:
    """Check that no two measurements have one name."""
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise ValueError(f"two measurements have the name {twice[0]!r}")


def _check_runs(plan: Plan) -> None:
    """Check that every run folder from which a player is taken is left by a training of the list."""
    left = {str(each.source) for each in plan.measurements.values() if each.is_training}
    for each in plan.measurements.values():
        for folder in each.run_folders:
            if folder not in left:
                raise ValueError(f"{each.name} needs {folder}, which no training of the list leaves")


def _resolve(section: Section, known: Mapping[str, Measurement]) -> None:
    """Replace patterns of names by the names, which must be those of measurements."""
    for target in section.targets:
        but = _all_matching(target.but, known)
        target.of[:] = [name for name in _all_matching(target.of, known) if name not in but]
    for part in section.parts:
        if part.training is not None:
            _matching(part.training, known)
    for picture in section.pictures:
        picture.of[:] = _all_matching(picture.of, known)


def _all_matching(patterns: Iterable[str], known: Mapping[str, Measurement]) -> list[str]:
    """The names that any of the patterns stands for, each once."""
    return list(dict.fromkeys(name for pattern in patterns for name in _matching(pattern, known)))


def _matching(pattern: str, known: Mapping[str, Measurement]) -> list[str]:
    """The names of measurements that a pattern such as "ppo_*" stands for, at least one."""
    names = fnmatch.filter(known, pattern)
    if not names:
        raise ValueError(f"there is no measurement {pattern!r}{did_you_mean(pattern, known)}")
    return names
