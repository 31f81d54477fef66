"""Statistics of style as a table of text and as a picture, players side by side."""

from collections.abc import Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from euchre_eval.intervals import Z_95
from euchre_eval.pictures import COLORS, FRAME, render
from euchre_eval.style import ADVANTAGE, STATISTICS, Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Style = dict[str, Measured]

SEATS = {"eldest": "eldest hand", "partner": "dealer's partner", "right": "right of the dealer", "dealer": "dealer"}
PLACES = {
    f"{when}.{seat}": f"{words}, {name}"
    for when, words in (("round_one", "round one"), ("round_two", "round two"))
    for seat, name in SEATS.items()
}
SCORES = {
    "score.ahead": "ahead",
    "score.level": "level",
    "score.behind": "behind",
    "score.near": "own team needs 1 or 2 points",
    "score.against": "other team needs 1 or 2 points",
    "score.both": "both teams need 1 or 2 points",
}
CALLS = {"all": "all", **PLACES, "benny": "the Benny turned up", **SCORES}
RESULTS = {
    "made": "made: 3 tricks or more",
    "march": "march: all 5 tricks",
    "euchred": "euchred",
    "alone": "alone tried",
    "swept": "alone swept (of lone hands)",
}
ROLES = {"maker": "maker", "partner": "maker's partner", "defender": "defender"}
LED_CARDS = {"trump": "trump", "ace": "ace of a side suit", "other": "other side card"}
POSITIONS = {"second": "second", "third": "third", "last": "last"}
PLAYS = {
    "follows_high": "follows, takes the trick",
    "follows_low": "follows, stays below",
    "trumps_in": "trumps in",
    "throws_off": "throws off",
}
CHOICES = {
    "second": "second",
    "third.partner_winning": "third, partner winning",
    "third.partner_losing": "third, partner losing",
    "last.partner_winning": "last, partner winning",
    "last.partner_losing": "last, partner losing",
}


class Section(NamedTuple):
    """Lines of the table under one heading."""

    heading: str
    rows: dict[str, str]
    """By the name of a statistic: what the line is called."""


def _leads(time: str) -> dict[str, str]:
    return {
        f"lead.{time}.{role}.{card}": f"{who}: {words}"
        for role, who in ROLES.items()
        for card, words in LED_CARDS.items()
    }


SECTIONS = (
    Section("calls, of chances to call", {f"calls.{kind}": words for kind, words in CALLS.items()}),
    Section("after a call", {f"{result}.all": words for result, words in RESULTS.items()}),
    Section("points per call", {f"points.{kind}": words for kind, words in CALLS.items()}),
    Section(
        "points per deal",
        {"deal.own": "own team deals", "deal.other": "other team deals", ADVANTAGE: "dealer's advantage"},
    ),
    Section("opening lead", _leads("opening")),
    Section("leads to tricks 2 to 4", _leads("later")),
    Section(
        "first trick, by position",
        {
            f"first_trick.{position}.{play}": f"{who}: {words}"
            for position, who in POSITIONS.items()
            for play, words in PLAYS.items()
        },
    ),
    Section(
        "first trick: takes it, where it has the choice",
        {f"takes.{choice}": words for choice, words in CHOICES.items()},
    ),
)


def style_table(columns: dict[str, Style], difference: Style | None = None) -> str:
    """The statistics, a column for each player; how many a line is of if there is one player.

    Args:
        columns: the statistics of each player, by the heading of its column.
        difference: the first player less the second, in a column of its own.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("", box=box.SIMPLE_HEAD)
    styles = list(columns.values())
    for heading in columns:
        table.add_column(Text(heading), justify="right")
    if difference is not None:
        table.add_column("difference", justify="right")
    if len(styles) == 1:
        table.add_column("of", justify="right")
    for heading, rows in _sections(styles):
        table.add_row(Text(heading, style="bold"))
        for place, (name, words) in enumerate(rows.items(), start=1):
            cells = [measured_text(style[name], name) for style in styles]
            if difference is not None:
                cells.append(measured_text(difference[name], name, is_difference=True))
            if len(styles) == 1:
                cells.append(f"{styles[0][name].of:,}")
            table.add_row(f"  {words}", *cells, end_section=place == len(rows))
    return "".join(segment.text for segment in Console(width=60 + 24 * len(columns)).render(table))


def _sections(styles: Sequence[Style]) -> Iterator[Section]:
    """The sections, without lines about the Benny if nobody turned it up."""
    for heading, rows in SECTIONS:
        yield Section(
            heading,
            {
                name: words
                for name, words in rows.items()
                if not name.endswith(".benny") or any(style[name].of for style in styles)
            },
        )


def measured_text(measured: Measured, name: str, *, is_difference: bool = False) -> str:
    """A statistic and half its interval, in per cent if it is a share; a dash if there was nothing to count.

    >>> measured_text(Measured(0.25, 0.23, 0.27, 0.0102, 1800), "calls.all")
    '25.0% ± 2.0'
    >>> measured_text(Measured(1.0, 0.962, 1.0, float("nan"), 96), "takes.second")
    '100.0% (from 96.2%)'
    >>> measured_text(Measured(1.0, 0.943, 1.0, float("nan"), 128), "takes.second", is_difference=True)
    '+100.0% (+94.3% to +100.0%)'
    """
    if isnan(measured.value):
        return "-"
    spread = Z_95 * measured.se
    if not (name in STATISTICS and STATISTICS[name].is_share):
        return f"{measured.value:+z.3f} ± {'unknown' if isnan(spread) else f'{spread:.3f}'}"
    sign = "+z" if is_difference else ""
    value, low, high = (f"{100 * each:{sign}.1f}%" for each in (measured.value, measured.low, measured.high))
    if not isnan(spread):
        return f"{value} ± {100 * spread:.1f}"
    if isnan(measured.low):
        return f"{value} ± unknown"
    if measured.value == 1 and not is_difference:
        return f"{value} (from {low})"
    return f"{value} (to {high})" if measured.value == 0 and not is_difference else f"{value} ({low} to {high})"


# Pictures

PANELS = (
    ("Calls, of chances to call", {f"calls.{kind}": words for kind, words in PLACES.items()}),
    ("Points per call", {f"points.{kind}": words for kind, words in PLACES.items()}),
    ("Calls by score, of chances to call", {f"calls.{kind}": words for kind, words in SCORES.items()}),
    ("After a call", {f"{result}.all": words for result, words in RESULTS.items()}),
    ("Opening lead", _leads("opening")),
    ("Leads to tricks 2 to 4", _leads("later")),
    ("First trick, by position", SECTIONS[-2].rows),
    ("First trick: takes it, where it has the choice", SECTIONS[-1].rows),
)
WIDTH = 0.8  # of the bars of one line


def paint_style(columns: dict[str, Style], kind: str) -> bytes:
    """The statistics as a picture of bars with 95 % intervals, a colour for each player.

    Args:
        columns: the statistics of each player, by its name.
        kind: "png" or "svg".
    """
    return render(lambda: _draw(columns), kind)


def _draw(columns: dict[str, Style]) -> "Figure":
    from matplotlib.figure import Figure

    lines = [max(len(PANELS[row][1]), len(PANELS[row + 1][1])) for row in range(0, len(PANELS), 2)]
    figure = Figure(figsize=(12, 1 + 0.34 * sum(lines)), layout="constrained")
    grid = figure.add_gridspec(len(lines), 2, height_ratios=[1 + number for number in lines])
    for place, (title, rows) in enumerate(PANELS):
        _draw_panel(figure.add_subplot(grid[place // 2, place % 2]), title, rows, columns)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(columns))
    return figure


def _draw_panel(axes: "Axes", title: str, rows: dict[str, str], columns: dict[str, Style]) -> None:
    height = WIDTH / len(columns)
    is_share = all(STATISTICS[name].is_share for name in rows)
    scale = 100 if is_share else 1
    for number, (player, style) in enumerate(columns.items()):
        measured = [style[name] for name in rows]
        places = [line + (number + 0.5) * height - WIDTH / 2 for line in range(len(rows))]
        values = [scale * each.value for each in measured]
        # A value without an interval has none in the picture; so has one that nothing was counted for.
        errors = [
            [0.0 if isnan(each.low) else scale * (each.value - each.low) for each in measured],
            [0.0 if isnan(each.high) else scale * (each.high - each.value) for each in measured],
        ]
        axes.barh(
            places,
            [0.0 if isnan(value) else value for value in values],
            height=0.9 * height,
            color=COLORS[(0, 1, 5, 6)[number]],
            xerr=errors,
            ecolor=COLORS[2],
            capsize=2,
            label=player,
        )
    axes.set_yticks(range(len(rows)), list(rows.values()))
    axes.invert_yaxis()
    axes.axvline(0, color=FRAME, linewidth=0.8)
    axes.grid(axis="x", color=FRAME, alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_title(f"{title}{', %' if is_share else ''}")
