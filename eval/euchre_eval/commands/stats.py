"""`euchre-eval stats`: what happens in the games of one player, of two or of four, and how each of them plays."""

import json
from argparse import ArgumentParser, Namespace
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from euchre_env import __version__
from euchre_env.files import replace_bytes
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import (
    add_allow_cheating,
    add_rules_and_seed,
    add_workers,
    loaded_players,
)
from euchre_eval.game_statistics import REFERENCE, PlayStatistics, play_statistics, style_as_json
from euchre_eval.pictures import check_matplotlib
from euchre_eval.style import Measured
from euchre_eval.style_page import paint_style, style_table

HELP: str = "what happens in games, and what each player calls, leads and plays, side by side"
KINDS_OF_PICTURE = (".png", ".svg")

ROWS = {
    "deals": "deals",
    "named_round_one": "trump named in round one (of all deals)",
    "named_round_two": "in round two",
    "thrown_in": "thrown in",
    "makers_3_or_4": "makers take 3 or 4 tricks (of deals with a maker)",
    "makers_5": "makers take all 5",
    "euchred": "makers euchred",
    "alone": "someone went alone",
    "alone_swept": "lone hands that took all 5 (of lone hands)",
    "deals_per_game_median": "deals per game, median",
    "deals_per_game_p90": "deals per game, 90th percentile",
    "reneges": "deals cut short by a renege",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, the games, whether they play apart, the picture, the house rules, the seed and the workers."""
    parser.add_argument(
        "players", nargs="+", metavar="PLAYER", help="A for four copies; A and B; or A, B, C and D for seats 0 to 3"
    )
    parser.add_argument(
        "--games", type=int, default=5000, metavar="N", help="games; twice if players differ (default 5000)"
    )
    parser.add_argument(
        "--apart", action="store_true", help="two players: four copies of A and four of B play the same games apart"
    )
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write a picture here as well, .png or .svg")
    add_allow_cheating(parser)
    add_rules_and_seed(parser)
    add_workers(parser)


class Played(NamedTuple):
    """What was played: one table, or for `--apart` one of each player."""

    tables: list[PlayStatistics]
    columns: dict[str, dict[str, Measured]]
    """The style of each player, by the heading of its column."""
    difference: dict[str, Measured] | None
    """The first player's style less the second's; None without exactly two."""


def run(options: Namespace) -> str:
    """Play the games and return their statistics as tables or as JSON."""
    _check_options(options)
    played = _play(options)
    if options.picture is not None:
        kind = options.picture.suffix.lower().removeprefix(".")
        replace_bytes(options.picture, paint_style(played.columns, kind))
    return json.dumps(_as_json(played, options)) if options.json else _as_text(played, options)


def _check_options(options: Namespace) -> None:
    """Refuse what cannot be done, before minutes of play."""
    number, picture = len(options.players), options.picture
    if number not in (1, 2, 4):
        raise ValueError(f"stats takes one player, two, or four, one for each seat; {number} came")
    if options.apart and number != 2:
        raise ValueError(f"--apart is for two players; {number} came")
    if picture is not None:
        if picture.suffix.lower() not in KINDS_OF_PICTURE:
            raise ValueError(f"--picture {picture}: a picture ends in {' or '.join(KINDS_OF_PICTURE)}")
        if not picture.parent.is_dir():
            raise ValueError(f"--picture {picture}: there is no folder {picture.parent}")
        check_matplotlib()


def _play(options: Namespace) -> Played:
    names: list[str] = options.players
    tables = [_play_table(at_table, options) for at_table in ([[name] for name in names] if options.apart else [names])]
    headings = [heading for statistics in tables for heading in statistics.names_in_reports]
    styles = [style for statistics in tables for style in statistics.styles()]
    difference = tables[0].difference(tables[1] if options.apart else None) if len(names) == 2 else None
    return Played(tables, dict(zip(_distinct(headings), styles, strict=True)), difference)


def _play_table(names: list[str], options: Namespace) -> PlayStatistics:
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    with loaded_players(names, seed, rules, options.workers) as (players, settings):
        return play_statistics(
            *players, games=options.games, names=names, allow_cheating=options.allow_cheating, **settings
        )


def _as_json(played: Played, options: Namespace) -> dict[str, Any]:
    rules, seed = str(parse_rules(options.rules)), reporting_seed(options.seed)
    asked = {"games": options.games, "rules": rules, "seed": seed, "version": __version__}
    tables = [statistics.as_json() for statistics in played.tables]
    if len(options.players) == 1:
        return {**tables[0], "player": options.players[0], **asked}
    compared = {} if played.difference is None else {"difference": style_as_json(played.difference)}
    return {"players": options.players, "apart": options.apart, "tables": tables, **compared, **asked}


def _as_text(played: Played, options: Namespace) -> str:
    """What happened in the games, beside published figures if there are any, and what each player did."""
    rules, seed = str(parse_rules(options.rules)), reporting_seed(options.seed)
    headings = [heading for statistics in played.tables for heading in statistics.names_in_reports]
    if len(played.tables) == len(headings):
        games = dict(zip(played.columns, played.tables, strict=True))
        who = " and apart ".join(f"four copies of {heading}" for heading in headings)
        what = f"{who}, {options.games} games"
    else:
        games = {"all players": played.tables[0]}
        what = f"{', '.join(headings)} at one table, {options.games} games x 2"
    if options.players in (["rules"], ["normal"]) and rules in REFERENCE:
        games["reference"] = REFERENCE[rules]
    about = f"{what}, rules {rules}, seed {seed}, euchre-env {__version__}; intervals of 95%, over games"
    return f"{_games_table(games)}{style_table(played.columns, played.difference)}{about}"


def _distinct(names: list[str]) -> list[str]:
    """The names, each with its place if another one is the same."""
    return [f"{name} at place {place}" if names.count(name) > 1 else name for place, name in enumerate(names)]


def _games_table(games: dict[str, PlayStatistics]) -> str:
    """What happened in the games, a column for each table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("", box=box.SIMPLE_HEAD)
    for heading in games:
        table.add_column(Text(heading), justify="right")
    for name, meaning in ROWS.items():
        table.add_row(meaning, *(_cell(getattr(statistics, name)) for statistics in games.values()))
    return "".join(segment.text for segment in Console().render(table))


def _cell(value: float | int) -> str:
    """Format a count, or a share in per cent; a dash for nan."""
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if isnan(value) else f"{value:.1%}"
