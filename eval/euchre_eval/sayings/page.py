"""The figures of a saying as tables in Markdown, the page docs/sayings.md, and its pictures."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from euchre_eval.intervals import Mean
from euchre_eval.pictures import COLORS, FRAME, render
from euchre_eval.sayings.saying import Saying, figures_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Result: TypeAlias = Mapping[str, Any]
"""What `sayings.measure` returns."""


class Measured(NamedTuple):
    """A result as the page shows it."""

    command: str
    """Repeats the measurement."""
    result: Result
    is_current: bool
    """Whether the command would now be the same, with the same network."""


INTRODUCTION = """\
Made by `make sayings` from [the records](sayings/) of the commands named below; no number is typed. Every figure is a
mean with its 95 % interval. Points are those of the deal for the side of the seat in question, less those of the other
side. Two choices are compared in the same deal, with the same cards, so most of the luck cancels. All deals are those
of reporting seed 0, which no training and no choice of a player has seen, and the numbers of deals were fixed
beforehand. The sayings are in our own words.

What a choice is worth depends on who plays on. `ppo` is the shipped network, `rules` the rule-based player: where the
two agree, the saying holds for strong and for simple play."""


def shown(figure: Mapping[str, Any] | None, unit: str) -> str:
    """A figure with half its interval; shares in per cent, nothing for None."""
    if figure is None:
        return ""
    mean = Mean(**{name: nan if figure[name] is None else figure[name] for name in ("mean", "low", "high", "se")})
    if unit != "share":
        text = str(mean)
        return text.removeprefix("+") if unit == "number" else text
    if figure["se"] is None:
        return f"{100 * mean.mean:z.1f} %"
    return f"{100 * mean.mean:z.1f} ± {100 * (mean.high - mean.mean):.1f} %"


def tables(result: Result) -> list[str]:
    """The tables of a result in Markdown, each under its title."""
    blocks = []
    for table in result["tables"]:
        units = [column["unit"] for column in table["columns"]]
        header = ["", *(column["name"] for column in table["columns"]), "deals"]
        rows = []
        for row in table["rows"]:
            figures = row["figures"]
            numbers = [figure["number"] for figure in figures if figure is not None]
            cells = [shown(figure, unit) for figure, unit in zip(figures, units, strict=True)]
            rows.append([row["name"], *cells, f"{max(numbers, default=0):,}"])
        lines = [f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows)]
        blocks.append(f"{table['title']}:\n\n" + "\n".join(lines))
    return blocks


def page(sayings: Mapping[str, Saying], measured: Mapping[str, Sequence[Measured]]) -> str:
    """The page in Markdown.

    Args:
        sayings: the sayings by name, in the order of the page.
        measured: what has been measured for each saying.
    """
    blocks = ["# Sayings of the game, measured", INTRODUCTION]
    overview = []
    for name, saying in sayings.items():
        found = measured.get(name)
        verdict = saying.verdict(figures_in(found[0].result)) if found else ""
        overview.append(f"| [{saying.title}](#{_anchor(saying.title)}) | {verdict} |")
    blocks.append(
        "\n".join(["| question | what the figures say, by the first player below |", "| --- | --- |", *overview])
    )
    for name, saying in sayings.items():
        blocks += [f"## {saying.title}", f"*It is said:* {saying.claim}", f"*The experiment:* {saying.experiment}"]
        results = measured.get(name, [])
        if not results:
            blocks.append("Not measured yet, by `make sayings`.")
        elif saying.picture is not None:
            blocks.append(f"![{saying.picture}, by `{results[0].result['player']}`](images/{picture_file(name)})")
        for command, result, is_current in results:
            blocks.append(f"**`{result['player']}`**, {result['deals']:,} deals: {saying.verdict(figures_in(result))}")
            blocks += [*tables(result), f"`{command}`"]
            if not is_current:
                blocks.append("Measured by another command, or with another network, than `make sayings` would now.")
    return "\n\n".join(blocks) + "\n"


def picture_file(name: str) -> str:
    """The file of the picture of a saying, in docs/images/."""
    return f"saying_{name}.png"


def picture(saying: Saying, result: Result) -> bytes:
    """The picture of a saying, a PNG file: the figures of one of its tables with their intervals."""
    (table,) = [each for each in result["tables"] if each["title"] == saying.picture]
    return render(lambda: _draw(table), "png")


def _draw(table: Mapping[str, Any]) -> "Figure":
    """The figures of a table in points, one line of marks for each row, a colour for each column."""
    from matplotlib.figure import Figure

    columns = [number for number, column in enumerate(table["columns"]) if column["unit"] == "points"]
    rows, spread = table["rows"], 0.6
    figure = Figure(figsize=(8, min(7, 1 + 0.16 * len(rows) * (1 + len(columns)))), layout="constrained")
    axes = figure.add_subplot(title=table["title"], xlabel="points per deal, with the 95 % interval")
    axes.axvline(0, color=FRAME, linewidth=0.8)
    for order, column in enumerate(columns):
        shift = spread * ((order + 0.5) / len(columns) - 0.5)
        color, name = COLORS[order % len(COLORS)], table["columns"][column]["name"]
        found = [(place, row["figures"][column]) for place, row in enumerate(rows)]
        known = [(place, each) for place, each in found if each is not None and each["se"] is not None]
        for place, each in known:
            axes.hlines(place + shift, each["low"], each["high"], color=color)
        means = [each["mean"] for _, each in known]
        axes.plot(means, [place + shift for place, _ in known], "o", markersize=3.5, color=color, label=name)
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="x", color=FRAME, alpha=0.3)
    if len(columns) > 1:
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _anchor(title: str) -> str:
    """The anchor that GitHub gives a heading."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")
