"""A saying of the game as an experiment: what is claimed, what is measured, and the figures that come of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records
from euchre_eval.intervals import Mean, mean_of
from euchre_eval.workers import Tick


class ViewsPlayer(Protocol):
    """A player that answers batches of views (`ViewPolicy.act_views`)."""

    name: str

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """The choice at each view."""
        ...


class Place(NamedTuple):
    """Where a figure stands: in which table, line and column."""

    table: str
    row: str
    column: str


Samples: TypeAlias = dict[Place, np.ndarray]
"""Independent samples behind each figure: shape (n,), or more dimensions where a line is fitted to them."""


@dataclass(frozen=True)
class Setting:
    """Under what an experiment is done."""

    player: ViewsPlayer
    """Plays at all seats, unless the experiment says otherwise."""
    rules: HouseRules
    seed: int
    """Fixes the deals: deal k has the same cards in all experiments with the seed."""


class Figure(NamedTuple):
    """One measured number."""

    mean: Mean
    """The number with its 95 % interval."""
    number: int
    """How many samples are behind it."""


Figures: TypeAlias = Mapping[Place, Figure]


@dataclass(frozen=True)
class Table:
    """The form of a table of figures."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...]
    """For each column "points", "share" or "number"."""

    def place(self, row: int, column: int) -> Place:
        """The place of the figure in a line and a column, by their numbers."""
        return Place(self.title, self.rows[row], self.columns[column])


Measure: TypeAlias = Callable[[range, Setting, Tick], Samples]
"""Does the experiment with some deals, by their numbers; the samples of several ranges are put together."""


@dataclass(frozen=True)
class Saying:
    """A saying and its experiment."""

    name: str
    title: str
    claim: str
    """What is said, in our words."""
    experiment: str
    """What is done, in words a player understands."""
    tables: tuple[Table, ...]
    measure: Measure
    verdict: Callable[[Figures], str]
    """What the figures say about the claim."""
    deals: int
    """How many deals by default."""
    players: tuple[str, ...] = ("ppo", "rules")
    """The players that docs/sayings.md shows, the first one in its picture."""
    rules: str = "standard"
    fit: Callable[[Samples], Figures] | None = None
    """Makes the figures of samples that have more dimensions."""
    picture: str | None = None
    """The title of the table that a picture shows."""


def figures_of(saying: Saying, samples: Samples) -> dict[Place, Figure]:
    """The figures of an experiment: a mean for each place with samples of shape (n,), and what `fit` makes."""
    flat = {place: each for place, each in samples.items() if each.ndim == 1 and len(each)}
    figures = {place: Figure(mean_of(each.astype(np.float64)), len(each)) for place, each in flat.items()}
    return figures | dict(saying.fit(samples) if saying.fit is not None else {})


def put_together(parts: list[Samples]) -> Samples:
    """The samples of all parts, in their order."""
    places = dict.fromkeys(place for part in parts for place in part)
    return {place: np.concatenate([part[place] for part in parts if place in part]) for place in places}


def tables_as_json(saying: Saying, figures: Figures) -> list[dict[str, Any]]:
    """The tables as plain values: a figure without samples is null, and so is the interval of a single sample."""
    return [
        {
            "title": table.title,
            "columns": [{"name": name, "unit": unit} for name, unit in zip(table.columns, table.units, strict=True)],
            "rows": [
                {"name": row, "figures": [_plain(figures.get(Place(table.title, row, each))) for each in table.columns]}
                for row in table.rows
            ],
        }
        for table in saying.tables
    ]


def figures_in(result: Mapping[str, Any]) -> dict[Place, Figure]:
    """The figures of a result of `sayings.measure`, the inverse of `tables_as_json`."""
    return {
        Place(table["title"], row["name"], column["name"]): _figure(figure)
        for table in result["tables"]
        for row in table["rows"]
        for column, figure in zip(table["columns"], row["figures"], strict=True)
        if figure is not None
    }


def _figure(values: Mapping[str, float | int | None]) -> Figure:
    mean, low, high, error = (
        nan if (value := values[name]) is None else value for name in ("mean", "low", "high", "se")
    )
    return Figure(Mean(mean, low, high, error), int(values["number"] or 0))


def _plain(figure: Figure | None) -> dict[str, float | int | None] | None:
    if figure is None:
        return None
    values = {"mean": figure.mean.mean, "low": figure.mean.low, "high": figure.mean.high, "se": figure.mean.se}
    return {name: None if isnan(value) else value for name, value in values.items()} | {"number": figure.number}
