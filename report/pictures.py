"""The pictures of docs/results.md, from the records alone, in the style of `euchre-train plot`."""

from collections.abc import Callable, Sequence
from math import nan
from typing import TYPE_CHECKING, Any

from euchre_env.house_rules import PRESETS
from euchre_eval.pictures import COLORS, FRAME, render
from euchre_train.metrics_file import DEALS
from euchre_train.plot import STRENGTH, Run, draw
from report.measurements import Picture
from report.records import Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def paint(picture: Picture, records: dict[str, Record]) -> bytes | None:
    """The picture as a PNG file; None if nothing that it shows has been measured."""
    results = {name: records[name].result for name in picture.of if name in records}
    return render(lambda: KINDS[picture.kind](results), "png") if results else None


def curves(results: dict[str, dict[str, Any]]) -> "Figure":
    """The strength of training runs against the rule-based player, over the deals played."""
    return draw([Run(name, _metrics(result["evaluations"])) for name, result in results.items()])


def _metrics(evaluations: Sequence[dict[str, float | None]]) -> list[dict[str, float]]:
    """Evaluations under the names that training gives them."""
    names = {"deals": DEALS, "mean": STRENGTH, "low": f"{STRENGTH}_low", "high": f"{STRENGTH}_high"}
    known = [{key: nan if value is None else value for key, value in each.items()} for each in evaluations]
    return [{name: each[key] for key, name in names.items()} for each in known]


def intervals(results: dict[str, dict[str, Any]]) -> "Figure":
    """The result of each match with its interval, one below the other, named after the house rules."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.8 + 0.24 * len(results)), layout="constrained")
    teams = {" against ".join(result["players"]) for result in results.values()}
    axes = figure.add_subplot(
        title=f"{', '.join(sorted(teams))}: points per deal in duplicate deals, mean and 95 % interval"
    )
    for place, result in enumerate(results.values()):
        points = result["points_per_deal"]
        axes.hlines(place, points["low"], points["high"], color=COLORS[0])
        axes.plot([points["mean"]], [place], marker="o", markersize=3.5, color=COLORS[0])
    labels = [
        result["rules"] if result["rules"] in PRESETS else name.replace("_", " ") for name, result in results.items()
    ]
    axes.set_yticks(range(len(results)), labels)
    axes.invert_yaxis()
    axes.grid(axis="x", color=FRAME, alpha=0.3)
    axes.set_xlim(left=min(0, *(result["points_per_deal"]["low"] for result in results.values())))
    return figure


KINDS: dict[str, Callable[[dict[str, dict[str, Any]]], "Figure"]] = {"curves": curves, "intervals": intervals}
