"""The HTML report of a match or of a tournament: one file that needs nothing else, for people who only want to look.

The templates beside this module hold the words and the layout, and escape whatever is put into them. The page follows
from the result alone, so the same result makes the same bytes. Nothing in it is loaded, and it runs no script.
"""

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from euchre_env.deal import SEATS
from euchre_env.house_rules import PRESETS, HouseRules, differences, parse_rules, value_text
from euchre_eval.intervals import Mean, Share
from euchre_eval.match import MatchSummary
from euchre_eval.match_player import name_in_reports
from euchre_eval.replay import Replay, replay
from euchre_eval.report_charts import Bar, Interval, bar_chart, interval_chart
from euchre_eval.rule_sentences import rule_sentences
from euchre_eval.swings import Swing
from euchre_eval.tournament import Meeting, Standings, TournamentResult
from euchre_eval.tournament_page import order_text, renege_sentences

DESCRIPTIONS = {
    "random": "plays any legal action at random",
    "passer": "passes whenever it may, then plays at random",
    "easy": "plays as “rules” does, but makes one choice in ten at random",
    "rules": "counts its hand, leads and follows by fixed rules",
    "rules_tuned": "plays as “rules” does, with numbers that were chosen by many matches",
    "tips": "follows the usual tips of rule sheets to the letter",
    "normal": "counts its hand, leads and follows by fixed rules; another name of “rules”",
    "pimc": "imagines the hidden cards many times over, and plays what scores most with all those cards open",
    "ppo": "a neural network that has learnt by playing against itself",
    "hard": "a neural network that has learnt by playing against itself; another name of “ppo”",
    "ppo+search": "the network of “ppo”, which tries its choice out in imagined deals",
    "oracle": "sees all cards and plays the deal as if everybody did",
    "cmd": "a program of its own",
}
"""The built-in players, for readers who do not know them."""
OWN_PLAYER = "a player from a folder, a module or an installed package"

LOOKS = ("a", "b")
"""The classes of the first and of the second team, in the style of the page."""
SIGNS = re.compile(r"(10|[2-9JQKA])?([♣♦♥♠])|([Ss]eats? (\d)(?: and \d)?)( (?=\w*[♣♦♥♠]))?")


class Seated(NamedTuple):
    """Who sits at a seat in one play of a deal."""

    name: str
    look: str


@dataclass(frozen=True)
class Swings:
    """The deals that favoured one team most."""

    name: str
    look: str
    replays: list[Replay]


def report_page(result: MatchSummary | TournamentResult) -> str:
    """The page of a match or of a tournament.

    Raises:
        ReplayError: if the replay of a deal does not come to what the result says.
    """
    environment = Environment(
        loader=PackageLoader("euchre_eval"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Any] = {
        "told": told,
        "signed": signed,
        "grouped": grouped,
        "ends": ends,
        "num_points": num_points,
    }
    environment.filters.update(filters)
    if isinstance(result, MatchSummary):
        return environment.get_template("match.html").render(_match(result))
    return environment.get_template("tournament.html").render(_tournament(result))


# Numbers and sentences


def signed(value: float, decimals: int = 0) -> str:
    """A number with its sign, a minus sign for a hyphen.

    >>> signed(-1.5, 1), signed(4), signed(0.0)
    ('−1.5', '+4', '0')
    """
    return f"{value:+z.{decimals}f}".replace("-", "−") if value else "0"


def grouped(number: int) -> str:
    """A whole number with commas between thousands."""
    return f"{number:,}"


def mean_words(mean: Mean) -> str:
    """A mean and half its interval, as every other report writes it, with a minus sign for a hyphen."""
    return str(mean).replace("-", "−")


def ends(mean: Mean) -> tuple[str, str]:
    """The ends of the interval of a mean, with as many decimals as its text has."""
    decimals = len(str(mean).rpartition(".")[2])
    return signed(mean.low, decimals), signed(mean.high, decimals)


def num_points(number: int) -> str:
    """A number of points, whoever scored them.

    >>> num_points(-1), num_points(4)
    ('1 point', '4 points')
    """
    return f"{abs(number)} point{'s' * (abs(number) != 1)}"


def told(sentence: str, looks: Sequence[str]) -> Markup:
    """A sentence about a table with its cards drawn as cards, and its seats in the colours of their teams.

    Args:
        sentence: the sentence; what it holds besides is escaped.
        looks: the classes of the teams of seats 0 and 2, and of seats 1 and 3.
    """

    def drawn(found: re.Match[str]) -> Markup:
        rank, suit, seats, seat, space = found.groups()
        if seats:
            no_break = "\N{NO-BREAK SPACE}" if space else ""  # a seat and its card stay together
            return Markup('<span class="seat {}">{}</span>{}').format(looks[int(seat) % 2], seats, no_break)
        red = " red" if suit in "♦♥" else ""
        return Markup('<span class="{}{}">{}{}</span>').format("card" if rank else "suit", red, rank or "", suit)

    return Markup(SIGNS.sub(lambda found: str(drawn(found)), str(escape(sentence))))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)


def description(name: str) -> str:
    """What a player is, in words."""
    return DESCRIPTIONS.get(name.partition(":")[0], OWN_PLAYER)


def _rules_context(rules: HouseRules) -> dict[str, Any]:
    """The house rules: their text, the changes to a preset, and all of them in sentences."""
    name = str(rules).partition(",")[0]
    changes = {key: value_text(value) for key, value in differences(PRESETS[name], rules).items()}
    return {"text": str(rules), "preset": name, "changes": changes, "sentences": rule_sentences(rules)}


def _verdict(one: str, other: str, mean: Mean) -> str:
    """Which of the two scores more, as far as the interval says it."""
    if isnan(mean.se):
        return "One deal alone says nothing about who plays better."
    if mean.low > 0:
        return f"{one} scores more than {other}."
    if mean.high < 0:
        return f"{other} scores more than {one}."
    return "This match does not show which of the two scores more."


def _comparison(one: str, other: str, mean: Mean) -> str:
    """The points per deal and the interval in words."""
    points = abs(mean.mean)
    if points == 0:
        scored = f"{one} and {other} scored as many points"
    else:
        more = "more" if mean.mean > 0 else "fewer"
        per_hundred = f"{100 * points:,.0f}" if points >= 0.1 else f"{100 * points:.1f}"
        text = signed(points, len(str(mean).partition(" ")[0].partition(".")[2])).lstrip("+")
        scored = f"{one} scored {text} points {more} per deal than {other}, about {per_hundred} in 100 deals"
    if isnan(mean.se):
        return f"{scored}."
    low, high = ends(mean)
    sure = "With 95\N{NO-BREAK SPACE}% confidence the true difference is"
    return f"{scored}. {sure} between {low} and {high} points per deal."


def _replays(swings: Sequence[Swing], rules: HouseRules, seed: int, teams: Sequence[str]) -> list[Swings]:
    """The replays of the deals that favoured each team, as far as there are any."""
    replays = [replay(swing, rules, seed) for swing in swings]
    sides = (
        Swings(name, look, [each for each in replays if each.margin * sign > 0])
        for name, look, sign in zip(teams, LOOKS, (1, -1), strict=True)
    )
    return [side for side in sides if side.replays]


def _seatings(names: Sequence[str]) -> list[list[Seated]]:
    """Who sits at each seat in both plays, if the players at places 0 to 3 are called `names`, in turn."""
    return [
        [Seated(names[(seat - seating) % len(names)], LOOKS[(seat - seating) % 2]) for seat in SEATS]
        for seating in (0, 1)
    ]


# A match


def _match(match: MatchSummary) -> dict[str, Any]:
    """What the template of a match is given."""
    names, rules, points = match.names_in_reports, parse_rules(match.rules), match.points_per_deal
    one, other = teams = [_listed(names[team::2]) for team in (0, 1)]
    shares = _shares(match)
    return {
        "title": f"{one} against {other}",
        "match": match,
        "teams": teams,
        "verdict": _verdict(one, other, points),
        "comparison": _comparison(one, other, points),
        "points": _in_parts(points),
        "chart": _points_chart(teams, points, "points"),
        "bars": _bars(match.deals_by_points, one),
        "shares": shares,
        "percent": {look: f"{number / match.pairs:.1%}" for look, number in shares.items()},
        "games": None if match.games is None else _games(match.games, one),
        "cheats": _cheats([name for name, plain in zip(names, match.players, strict=True) if name != plain]),
        "players": [
            {"name": name, "look": LOOKS[place % 2], "is": description(plain), "seats": _seats(place, len(names))}
            for place, (name, plain) in enumerate(zip(names, match.players, strict=True))
        ],
        "reneges": [
            {"name": names[place % len(names)], "place": place, "number": number, "first": match.first_reneges[place]}
            for place, number in enumerate(match.reneges)
            if number
        ],
        "rules": _rules_context(rules),
        "sides": _replays(match.swings, rules, match.seed, teams),
        "seatings": _seatings(names),
        "command": match_command(match),
    }


def _in_parts(mean: Mean) -> dict[str, str]:
    """The text of a mean in two parts: the value, and half its interval."""
    value, _, spread = mean_words(mean).partition(" ± ")
    return {"value": value, "spread": spread}


def _points_chart(teams: Sequence[str], points: Mean, label: str) -> Markup:
    one, other = teams
    text = mean_words(points)
    row = Interval(f"{one} less {other}", points.mean, points.low, points.high, text, _look(points.mean))
    title = f"Points per deal of {one} less those of {other}: {text}, with its 95 % interval."
    return interval_chart([row], label, title, "points per deal")


def _cheats(names: Sequence[str]) -> str:
    """The players that see all cards, in a sentence; empty if none does."""
    if not names:
        return ""
    opponents = "opponents" if len(names) > 1 else "opponent"
    return f"{_listed(names)}: no fair {opponents}, but a measure of what the cards allow."


def _look(value: float) -> str:
    return LOOKS[0] if value > 0 else LOOKS[1] if value < 0 else "none"


def _seats(place: int, num_players: int) -> str:
    return _listed([str(seat) for seat in SEATS[place::num_players]])


def _shares(match: MatchSummary) -> dict[str, int]:
    """How many deals each team won over both plays, and how many neither."""
    shares = {"a": 0, "none": 0, "b": 0}
    for points, number in match.deals_by_points:
        shares[_look(points)] += number
    return shares


def _bars(deals_by_points: Sequence[tuple[float, int]], one: str) -> Markup:
    """How often each difference in points came, as bars from the lowest to the highest in steps of a half."""
    numbers, total = dict(deals_by_points), sum(number for _, number in deals_by_points)
    most = max(2, *(-(-abs(points) // 1) for points in numbers))
    bars = [
        Bar(points / 2, numbers.get(points / 2, 0) / total, _percent(numbers.get(points / 2, 0), total), _look(points))
        for points in range(int(-2 * most), int(2 * most) + 1)
    ]
    title = f"How many per cent of the deals gave {one} each number of points more, mean of both plays."
    return bar_chart(bars, "deals", title, "points of a deal, mean of its two plays")


def _percent(number: int, total: int) -> str:
    """A share in whole per cent: "<1" if it is less, empty if it is 0."""
    if number == 0:
        return ""
    return "<1" if 100 * number < total else f"{100 * number / total:.0f}"


def _games(games: Share, one: str) -> dict[str, Any]:
    """The share of games that the first team won, in words and as a picture."""
    text, _, interval = str(games).partition(" of games won (")
    row = Interval(one, 100 * games.won, 100 * games.low, 100 * games.high, text, _look(games.won - 0.5))
    title = f"The share of games that {one} won: {text}, with its 95 % interval."
    axis = "per cent of the games; 50: as many as the others"
    return {
        "won": text,
        "interval": interval.partition(",")[0].replace("%", "\N{NO-BREAK SPACE}%"),
        "chart": interval_chart([row], "games", title, axis, reference=50.0),
    }


def match_command(match: MatchSummary) -> str:
    """The command that plays the match again."""
    words = ["euchre-eval", "match", *match.players, "--deals", str(match.pairs)]
    if match.games is not None:
        words += ["--games", str(match.games.pairs)]
    words += ["--rules", match.rules, "--seed", str(match.seed)]
    if match.time_limit is not None:
        words += ["--time-limit", f"{match.time_limit:g}", "--late", match.late]
    if match.sees_all:
        words.append("--allow-cheating")
    return f"{shlex.join(words)} --json > match.json"


# A tournament


def _tournament(result: TournamentResult) -> dict[str, Any]:
    """What the template of a tournament is given."""
    plan = result.plan
    names = [name_in_reports(name, number in result.sees_all) for number, name in enumerate(plan.players)]
    return {
        "title": plan.title,
        "result": result,
        "plan": plan,
        "names": names,
        "anchor": names[plan.anchor_number],
        "players": [{"name": name, "is": description(plain)} for name, plain in zip(names, plan.players, strict=True)],
        "cheats": _cheats([names[number] for number in result.sees_all]),
        "tables": [
            _standings(result, standings, names, f"rules-{number}") for number, standings in enumerate(result.standings)
        ],
        "plan_file": "".join(f"{name}: {json.dumps(value)}\n" for name, value in plan.as_json().items()),
    }


def _standings(result: TournamentResult, standings: Standings, names: list[str], label: str) -> dict[str, Any]:
    """The results under one of the house rules."""
    rules, order = parse_rules(standings.rules), [each.player for each in standings.ratings]
    anchor = result.plan.anchor_number
    rated = [
        Interval(
            names[each.player],
            each.rating,
            each.low,
            each.high,
            signed(each.rating),
            "b" if each.player in result.sees_all else "a",
        )
        for each in standings.ratings
    ]
    largest = max(abs(each.points_per_deal.mean) for each in standings.meetings) or 1.0
    return {
        "label": label,
        "rules": _rules_context(rules),
        "best": _best(result, standings, names),
        "rated": [(row, each) for row, each in zip(rated, standings.ratings, strict=True)],
        "ratings": interval_chart(
            rated,
            f"{label}-ratings",
            f"The ratings of the players under {standings.rules} with their 95 % intervals, the best first.",
            f"rating, {names[anchor]} at 0",
        ),
        "matrix": [
            (names[one], [None if one == other else _cell(standings.points_of(one, other), largest) for other in order])
            for one in order
        ],
        "columns": [names[player] for player in order],
        "order": order_text(standings, names),
        "reneges": renege_sentences(standings, names),
        "meetings": [
            _meeting(result, standings, each, names, f"{label}-{each.one}-{each.other}") for each in _ordered(standings)
        ],
    }


def _best(result: TournamentResult, standings: Standings, names: Sequence[str]) -> str:
    """Who is rated highest, in a sentence, and who of those that see only their own cards."""
    order = [each.player for each in standings.ratings]
    fair = [player for player in order if player not in result.sees_all]
    sentence = f"{names[order[0]]} is rated highest"
    if fair and fair[0] != order[0]:
        sentence += f", and {names[fair[0]]} of those that see only their own cards"
    return f"{sentence}."


def _cell(mean: Mean, largest: float) -> dict[str, Any]:
    """A cell of the matrix: the value, its text, and how strongly it is coloured, in per cent."""
    depth = 8 + 42 * abs(mean.mean) / largest
    return {**_in_parts(mean), "mean": mean.mean, "look": _look(mean.mean), "depth": f"{depth:.0f}"}


def _ordered(standings: Standings) -> list[Meeting]:
    """The matches in the order of the ratings of their players."""
    place = {each.player: place for place, each in enumerate(standings.ratings)}
    return sorted(standings.meetings, key=lambda each: sorted((place[each.one], place[each.other])))


def _meeting(
    result: TournamentResult, standings: Standings, meeting: Meeting, names: list[str], label: str
) -> dict[str, Any]:
    """The match of two players."""
    teams, points = [names[meeting.one], names[meeting.other]], meeting.points_per_deal
    one, other = teams
    return {
        "teams": teams,
        "seatings": _seatings(teams),
        "pairs": meeting.pairs,
        "points": points,
        "mean": mean_words(points),
        "verdict": _verdict(one, other, points),
        "comparison": _comparison(one, other, points),
        "won": f"{meeting.won.mean:.1%}",
        "expected": f"{standings.expected(meeting):.1%}",
        "chart": _points_chart(teams, points, label),
        "sides": _replays(meeting.swings, parse_rules(standings.rules), result.plan.seed, teams),
    }
