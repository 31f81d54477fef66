"""The result of a tournament as a page in Markdown, and its pictures."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from euchre_eval.intervals import Z_95, Mean
from euchre_eval.match_player import name_in_reports
from euchre_eval.pictures import COLORS, FRAME, TEXT, render
from euchre_eval.tournament import Standings, TournamentResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Draw = Callable[[TournamentResult], "Figure"]


def page(result: TournamentResult, pictures: dict[str, str] | None = None) -> str:
    """The page in Markdown.

    Args:
        result: the result.
        pictures: the paths of the pictures as the page should name them, by their names in `PICTURES`; no pictures if
            None.
    """
    plan = result.plan
    deals = f"{plan.deals:,} deals" + "".join(f", {number:,} with `{name}`" for name, number in plan.deals_with.items())
    blocks = [
        f"# {plan.title}",
        f"Each two players meet in a duplicate match: {deals}, each played twice with the teams swapped, and the same "
        f"deals for all. Reporting seed {plan.seed}, euchre-env {result.version}, commit {_commit(result)}. The "
        "numbers of deals and the seed were fixed before the first deal, and every match counts.",
        f"Ratings are those of the Bradley-Terry model on Elo's scale, `{plan.players[plan.anchor_number]}` at 0, "
        "with the 95 % interval of a bootstrap over the deals: 100 points are odds of 1.78 to 1 to score more than the "
        "other team in the two plays of a deal, where a drawn deal counts as half a win for each. The matrix has "
        "points per deal of the player of the line against that of the column, mean and 95 % interval.",
    ]
    if result.sees_all:
        listed = ", ".join(f"`{plan.players[number]}`" for number in result.sees_all)
        blocks.append(f"{listed} sees all cards: a bound for the others, and no fair opponent.")
    if pictures is not None:
        blocks += [f"![{PICTURES[name][1]}]({path})" for name, path in pictures.items()]
    for standings in result.standings:
        blocks += [f"## `{standings.rules}`", _ratings(result, standings), _matrix(result, standings)]
        blocks.append(_order(result, standings))
        blocks += _reneges(result, standings)
    return "\n\n".join(blocks) + "\n"


def _commit(result: TournamentResult) -> str:
    commit, dash, dirty = (result.commit or "unknown").partition("-")
    return commit[:10] + dash + dirty


def _name(result: TournamentResult, player: int) -> str:
    return name_in_reports(f"`{result.plan.players[player]}`", player in result.sees_all)


def _ratings(result: TournamentResult, standings: Standings) -> str:
    """A line for each player, the best first."""
    anchor = result.plan.anchor_number
    rows = []
    for place, each in enumerate(standings.ratings, start=1):
        interval = "" if each.player == anchor else f"{each.low:+.0f} to {each.high:+.0f}"
        rows.append([str(place), _name(result, each.player), f"{each.rating:+z.0f}", interval])
    return _table(["", "player", "rating", "95 % interval"], rows)


def _matrix(result: TournamentResult, standings: Standings) -> str:
    """Points per deal of each player against each other one, the best first."""
    order = [each.player for each in standings.ratings]
    rows = [
        [_name(result, one), *("" if one == other else str(standings.meeting(one, other)) for other in order)]
        for one in order
    ]
    return _table(["points per deal", *(f"against {_name(result, other)}" for other in order)], rows)


def _order(result: TournamentResult, standings: Standings) -> str:
    """What speaks against one order of all players."""

    def listed(groups: Sequence[Sequence[int]], between: str) -> str:
        return "; ".join(between.join(_name(result, player) for player in group) for group in groups)

    size = len(result.plan.players)
    circles = (
        f"circles of three in which each beats the next: {listed(standings.circles, ' beats ')}"
        if standings.circles
        else f"none of the {size * (size - 1) * (size - 2) // 6} groups of three players is a circle"
    )
    upsets = (
        f"the first beats the second though rated lower: {listed(standings.upsets, ' and ')}"
        if standings.upsets
        else "nobody beats a player rated higher"
    )
    number, worst = len(standings.meetings), max(standings.meetings, key=standings.surprise)
    share, expected = worst.won.mean, standings.expected(worst)
    return (
        f"Is there one order? By results beyond their 95 % intervals, {circles}, and {upsets}. The share of deals won "
        f"that the ratings expect is outside the interval of {len(standings.off_the_ratings)} of {number} matches, by "
        f"chance of {number / 20:.1f}; it is furthest off between {_name(result, worst.one)} and "
        f"{_name(result, worst.other)}: {share:.1%} of {worst.pairs:,} deals, {expected:.1%} expected."
    )


def _reneges(result: TournamentResult, standings: Standings) -> list[str]:
    """A line for each player that reneged in a match."""
    return [
        f"{_name(result, player)} reneged {number} times against {_name(result, opponent)}, first in {first}."
        for each in standings.meetings
        for player, opponent, number, first in zip(
            (each.one, each.other), (each.other, each.one), each.reneges, each.first_reneges, strict=True
        )
        if number
    ]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


# Pictures


def draw_matrix(result: TournamentResult) -> "Figure":
    """The matrix of points per deal with its intervals, one below the other for several house rules."""
    from matplotlib.figure import Figure

    size, number = len(result.plan.players), len(result.standings)
    width = max(7, 1.5 + 0.95 * size)
    figure = Figure(figsize=(width, number * (0.9 + 0.55 * size)), layout="constrained")
    for place, standings in enumerate(result.standings, start=1):
        _draw_matrix(figure.add_subplot(number, 1, place), result, standings)
    return figure


def _draw_matrix(axes: "Axes", result: TournamentResult, standings: Standings) -> None:
    order = [each.player for each in standings.ratings]
    size = len(order)
    points = [[0.0 if one == other else standings.meeting(one, other).mean for other in order] for one in order]
    bound = max(abs(value) for row in points for value in row) or 1.0
    axes.imshow(points, cmap="PuOr_r", vmin=-2 * bound, vmax=2 * bound, aspect="auto")
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            if one != other:
                mean = standings.meeting(one, other)
                text, spread = f"{mean.mean:+.2f}".replace("-", "\N{MINUS SIGN}"), _spread(mean)
                axes.text(column, row, f"{text}\n{spread}", ha="center", va="center", fontsize=8, color=TEXT)
    names = [result.plan.players[player] for player in order]
    axes.set_xticks(range(size), names)
    axes.set_yticks(range(size), names)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.set_title(f"{standings.rules}: points per deal of the line against the column, with 95 % interval")
    axes.spines[:].set_visible(False)


def _spread(mean: Mean) -> str:
    return "" if mean.se != mean.se else f"± {Z_95 * mean.se:.3f}"


def draw_ratings(result: TournamentResult) -> "Figure":
    """The ratings as bars with their intervals, one chart below the other for several house rules."""
    from matplotlib.figure import Figure

    size, number = len(result.plan.players), len(result.standings)
    figure = Figure(figsize=(8, number * (0.8 + 0.32 * size)), layout="constrained")
    shared: Axes | None = None
    for place, standings in enumerate(result.standings, start=1):
        axes = figure.add_subplot(number, 1, place, sharex=shared)
        shared = axes
        ratings = [each.rating for each in standings.ratings]
        errors = [
            [each.rating - each.low for each in standings.ratings],
            [each.high - each.rating for each in standings.ratings],
        ]
        colors = [COLORS[1] if each.player in result.sees_all else COLORS[0] for each in standings.ratings]
        axes.barh(range(size), ratings, height=0.6, color=colors, xerr=errors, ecolor=COLORS[2], capsize=2)
        axes.set_yticks(range(size), [result.plan.players[each.player] for each in standings.ratings])
        axes.invert_yaxis()
        axes.axvline(0, color=FRAME, linewidth=0.8)
        axes.grid(axis="x", color=FRAME, alpha=0.3)
        axes.set_axisbelow(True)
        anchor = result.plan.players[result.plan.anchor_number]
        axes.set_title(f"{standings.rules}: Bradley-Terry rating, {anchor} at 0, with 95 % interval")
    return figure


PICTURES: dict[str, tuple[Draw, str]] = {
    "ratings": (draw_ratings, "The ratings of the players with their intervals"),
    "matrix": (draw_matrix, "Points per deal of each player against each other one, with intervals"),
}
"""By name: the function that draws the picture, and what it shows, in words."""


def paint(result: TournamentResult, name: str) -> bytes:
    """A picture of `PICTURES` as a PNG file."""
    return render(lambda: PICTURES[name][0](result), "png")
