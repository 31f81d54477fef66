"""`euchre-train plot`: the curves of training runs as a picture.

matplotlib is imported only when something is drawn. Runs differ in colour, in the lightness of the colour, and in the
marks and dashes of their lines.
"""

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from euchre_env.files import replace_bytes
from euchre_eval.pictures import COLORS, FRAME, check_matplotlib, render
from euchre_train.metrics_file import DEALS, METRICS_FILE, read_metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")
STRENGTH = "eval/points_per_deal_vs_rules"
PANELS = {
    "losses/policy_loss": "policy loss",
    "losses/value_loss": "value loss, (reward)²",
    "losses/explained_variance": "explained variance of the returns",
    "losses/entropy": "entropy of the policy, nats",
    "losses/approx_kl": "KL divergence of an update, nats",
    "losses/clipfrac": "share of clipped ratios",
}
DASHES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "^", "D", "v")  # the three lengths have no common factor, so 140 runs look different
NUM_COLUMNS = 3
LONGEST_LABEL = 34  # letters, of three labels side by side
DEALS_LABEL = "deals played"


class Run(NamedTuple):
    """A run to draw."""

    name: str
    """The name in the legend."""
    metrics: list[dict[str, float]]
    """The metrics of each update, by name, nan where unknown; as from `read_metrics`."""

    def curves(self, metric: str, *others: str) -> list[list[float]]:
        """The deals played and the values of metrics at the updates that report the first; nan where unknown."""
        reports = [update for update in self.metrics if metric in update]
        return [[update.get(name, math.nan) for update in reports] for name in (DEALS, metric, *others)]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the runs and the file of the picture."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN", help="run folder; several are drawn as one")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="picture, .png or .svg (default: curves.png in the first run folder)"
    )


def write_picture(options: Namespace) -> int:
    """Draw the runs, write the picture, print its path, and return the exit status 0.

    Raises:
        ValueError: if a folder holds no metrics, its metrics are damaged, or the picture is neither PNG nor SVG.
        CommandError: if matplotlib is not installed.
        OSError: if a file cannot be read or written.
    """
    out: Path = options.out or options.folders[0] / "curves.png"
    if out.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{out}: the name of a picture must end in {' or '.join(SUFFIXES)}")
    if not out.parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.parent}")
    runs = load_runs(options.folders)
    check_matplotlib()
    replace_bytes(out, picture(runs, out.suffix.lower().removeprefix(".")))
    print(out)
    return 0


def load_runs(folders: Sequence[Path]) -> list[Run]:
    """Load the runs in `folders`, named after their folders, or after the paths where two folders have one name.

    Raises:
        ValueError: if a folder holds no metrics, or they are damaged; the message names file and line.
        OSError: if a file cannot be read.
    """
    names = [folder.resolve().name for folder in folders]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in folders]
    for folder in folders:
        if not (folder / METRICS_FILE).exists():
            raise ValueError(f"{folder} holds no run with a finished update: {METRICS_FILE} is missing")
    return [Run(name, read_metrics(folder / METRICS_FILE)) for name, folder in zip(names, folders, strict=True)]


def picture(runs: Sequence[Run], kind: str) -> bytes:
    """The curves of the runs as a file of a kind, "png" (1350 pixels wide) or "svg"."""
    return render(lambda: draw(runs), kind)


def draw(runs: Sequence[Run]) -> "Figure":
    """Draw the runs: strength above, and below a panel for each of `PANELS` that a run reports, over deals played."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, MaxNLocator

    panels = [metric for metric in PANELS if any(metric in update for run in runs for update in run.metrics)]
    num_rows = math.ceil(len(panels) / NUM_COLUMNS)
    figure = Figure(figsize=(9, 3.6 + 1.7 * num_rows), layout="constrained")
    grid = figure.add_gridspec(1 + num_rows, NUM_COLUMNS, height_ratios=(3.6, *[1.7] * num_rows))
    strength = figure.add_subplot(grid[0, :], xlabel=DEALS_LABEL)
    _draw_strength(figure, strength, runs)
    for place, metric in enumerate(panels):
        row, column = divmod(place, NUM_COLUMNS)
        axes = figure.add_subplot(grid[1 + row, column], sharex=strength, title=PANELS[metric])
        if place + NUM_COLUMNS >= len(panels):
            axes.set_xlabel(DEALS_LABEL)
        for number, run in enumerate(runs):
            deals, values = run.curves(metric)
            axes.plot(deals, values, linewidth=0.8, marker=".", markevery=_alone(values), **_style(run, number))
    strength.set_xlim(left=0)
    strength.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    strength.xaxis.set_major_formatter(EngFormatter(sep=" "))
    return figure


def _draw_strength(figure: "Figure", axes: "Axes", runs: Sequence[Run]) -> None:
    """Draw the strength of the runs with its intervals, and the legend of the picture."""
    lines, labels = [], []
    for number, run in enumerate(runs):
        deals, means, low, high = run.curves(STRENGTH, f"{STRENGTH}_low", f"{STRENGTH}_high")
        style, dashes, mark = _style(run, number), DASHES[number % len(DASHES)], MARKS[number % len(MARKS)]
        axes.fill_between(deals, low, high, alpha=0.2, linewidth=0, **style)
        for place in _alone(high):
            axes.vlines(deals[place], low[place], high[place], **style)
        lines += axes.plot(deals, means, linestyle=dashes, marker=mark, markersize=3.5, **style)
        labels.append(f"{run.name}: {_last(means, high)}")
    bottom, top = axes.get_ylim()
    if bottom < 0 < top:
        axes.axhline(0, color=FRAME, linewidth=0.8, zorder=0)
    axes.set_title("strength against the rule-based player, duplicate deals: mean and 95 % interval")
    axes.set_ylabel("points per deal")
    num_columns = NUM_COLUMNS if max(map(len, labels)) <= LONGEST_LABEL else 1
    figure.legend(lines, labels, loc="outside upper left", ncols=num_columns, handlelength=3.5)


def _style(run: Run, number: int) -> dict[str, Any]:
    """The colour of a run, and its place between the others: shorter runs lie above longer ones."""
    return {"color": COLORS[number % len(COLORS)], "zorder": 2 + 1 / len(run.metrics)}


def _last(means: list[float], high: list[float]) -> str:
    """Describe the last evaluation: mean and half the interval."""
    if not means or math.isnan(means[-1]):
        return "not evaluated"
    margin = "" if math.isnan(high[-1]) else f" ± {high[-1] - means[-1]:.3f}"
    return f"{means[-1]:+.3f}{margin}".replace("-", "\N{MINUS SIGN}")


def _alone(values: list[float]) -> list[int]:
    """The places of the values without a known value beside them: a line or a band does not show them."""
    around = [math.nan, *values, math.nan]
    return [
        place
        for place, (before, value, after) in enumerate(zip(around, values, around[2:], strict=False))
        if math.isnan(before) and not math.isnan(value) and math.isnan(after)
    ]
