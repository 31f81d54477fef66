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
        "points per deal of the player of the line against that of the column, mean and 95 % interval. All intervals "
        "are sampling error only: they say how much other deals would move a figure. Those of the ratings do not say "
        "whether a single number for each player is enough to explain the matches.",
    ]
    if result.sees_all:
        listed = " and ".join(f"`{plan.players[number]}`" for number in result.sees_all)
        blocks.append(
            f"Sees all cards, so is no fair opponent: {listed}. In practice such a player has the highest row, but the "
            "row is no bound for the others: against weak opponents another player may make more points."
        )
    if pictures is not None:
        blocks += [f"![{PICTURES[name][1]}]({path})" for name, path in pictures.items()]
    names = [_name(result, player) for player in range(len(plan.players))]
    for standings in result.standings:
        blocks += [f"## `{standings.rules}`", _ratings(result, standings), _matrix(result, standings)]
        blocks.append(order_text(standings, names))
        blocks += renege_sentences(standings, names)
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
        [_name(result, one), *("" if one == other else str(standings.points_of(one, other)) for other in order)]
        for one in order
    ]
    return _table(["points per deal", *(f"against {_name(result, other)}" for other in order)], rows)


def order_text(standings: Standings, names: Sequence[str]) -> str:
    """What speaks against one order of all players, in sentences.

    Args:
        standings: the results under one of the house rules.
        names: the names of the players, as the text should have them.
    """

    def listed(groups: Sequence[Sequence[int]], between: str) -> str:
        return "; ".join(between.join(names[player] for player in group) for group in groups)

    size, number = len(names), len(standings.meetings)
    triples = size * (size - 1) * (size - 2) // 6
    cycles = listed(standings.cycles, " beats ") if standings.cycles else f"none in {triples} groups of three players"
    upsets = listed(standings.upsets, " beats ") if standings.upsets else "none"
    worst = max(standings.meetings, key=standings.surprise)
    one, other, expected = names[worst.one], names[worst.other], standings.expected(worst)
    return (
        "Is there one order? A player beats another one if the 95 % interval of its points per deal is above 0. Cycles "
        f"of three, in which each beats the next and the last beats the first: {cycles}. Players who beat one that is "
        f"rated higher: {upsets}. {_fit_sentence(standings)} In {len(standings.poorly_fitted)} of {number} matches the "
        "share of deals won that the ratings expect is outside the 95 % interval of the match. (The ratings are fitted "
        "to these matches, so if the model holds, that happens in fewer than one of twenty.) The difference is largest "
        f"between {one} and {other}: {one} won {worst.won.mean:.1%} of {worst.pairs:,} deals, and {expected:.1%} are "
        "expected."
    )


def _fit_sentence(standings: Standings) -> str:
    """Whether the Bradley-Terry model fits."""
    fit = standings.fit
    if fit is None:
        return "Whether the Bradley-Terry model fits is not tested: that needs three players, and more deals."
    probability = f"{fit.probability:.2g}" if fit.probability >= 0.0001 else "less than 0.0001"
    degrees = f"{fit.degrees} degree{'s' * (fit.degrees != 1)} of freedom"
    test = f"chi-square {fit.chi_square:.1f} with {degrees}, probability {probability}"
    if fit.is_rejected:
        return (
            f"The Bradley-Terry model does not fit ({test}): no ratings explain all results, so a rating sums up how a "
            "player did against these opponents, and the matrix says more."
        )
    return f"The Bradley-Terry model fits ({test}): the ratings explain the results up to sampling error."


def renege_sentences(standings: Standings, names: Sequence[str]) -> list[str]:
    """A sentence for each player that reneged in a match; arguments as for `order_text`."""
    return [
        f"{names[player]} reneged {number} times against {names[opponent]}, first in {first}."
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
    points = [[0.0 if one == other else standings.points_of(one, other).mean for other in order] for one in order]
    bound = max(abs(value) for row in points for value in row) or 1.0
    axes.imshow(points, cmap="PuOr_r", vmin=-2 * bound, vmax=2 * bound, aspect="auto")
    for row, one in enumerate(order):
        for column, other in enumerate(order):
            if one != other:
                mean = standings.points_of(one, other)
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
