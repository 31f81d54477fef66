"""`euchre-eval stats`: what happens in the games of one player, of two or of four, and how each of them plays."""

import json
from argparse import ArgumentParser, Namespace
from math import isnan
from pathlib import Path

from euchre_env import __version__
from euchre_env.files import replace_bytes
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import (
    add_allow_cheating,
    add_rules_and_seed,
    add_workers,
    load_players,
    player_makers,
    progress_bar,
)
from euchre_eval.game_statistics import REFERENCE, PlayStatistics, play_statistics, style_as_json
from euchre_eval.pictures import check_matplotlib
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


def run(options: Namespace) -> str:
    """Play the games and return their statistics as tables or as JSON."""
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    names: list[str] = options.players
    if len(names) not in (1, 2, 4):
        raise ValueError(f"stats takes one player, two, or four, one for each seat; {len(names)} came")
    if options.apart and len(names) != 2:
        raise ValueError(f"--apart is for two players; {len(names)} came")
    if options.picture is not None:
        _check_picture(options.picture)
    at_tables = (
        [_play([name], options, seed, rules) for name in names]
        if options.apart
        else [_play(names, options, seed, rules)]
    )
    styles = [style for statistics in at_tables for style in statistics.styles()]
    difference = at_tables[0].difference(at_tables[1] if options.apart else None) if len(names) == 2 else None
    headings = [heading for statistics in at_tables for heading in statistics.names_in_reports]
    columns = dict(zip(_distinct(headings), styles, strict=True))
    if options.picture is not None:
        replace_bytes(options.picture, paint_style(columns, options.picture.suffix.lower().removeprefix(".")))
    asked = {"games": options.games, "rules": str(rules), "seed": seed, "version": __version__}
    if options.json:
        if len(names) == 1:
            return json.dumps({**at_tables[0].as_json(), "player": names[0], **asked})
        tables = [statistics.as_json() for statistics in at_tables]
        compared = {} if difference is None else {"difference": style_as_json(difference)}
        return json.dumps({"players": names, "apart": options.apart, "tables": tables, **compared, **asked})
    if options.apart or len(names) == 1:
        games = dict(zip(columns, at_tables, strict=True))
        who = " and apart ".join(f"four copies of {heading}" for heading in headings)
        played = f"{who}, {options.games} games"
    else:
        games = {"all players": at_tables[0]}
        played = f"{', '.join(headings)} at one table, {options.games} games x 2"
    reference = REFERENCE.get(str(rules)) if names in (["rules"], ["normal"]) else None
    if reference is not None:
        games["reference"] = reference
    about = f"{played}, rules {rules}, seed {seed}, euchre-env {__version__}"
    return f"{_games_table(games)}{style_table(columns, difference)}{about}; intervals of 95%, over games"


def _check_picture(file: Path) -> None:
    """Refuse a picture that could not be written, before minutes of play."""
    if file.suffix.lower() not in KINDS_OF_PICTURE:
        raise ValueError(f"--picture {file}: a picture ends in {' or '.join(KINDS_OF_PICTURE)}")
    if not file.parent.is_dir():
        raise ValueError(f"--picture {file}: there is no folder {file.parent}")
    check_matplotlib()


def _play(names: list[str], options: Namespace, seed: int, rules: HouseRules) -> PlayStatistics:
    with progress_bar() as progress:
        return play_statistics(
            *load_players(names, seed, rules),
            games=options.games,
            seed=seed,
            rules=rules,
            names=names,
            allow_cheating=options.allow_cheating,
            workers=options.workers,
            makers=player_makers(names, seed, rules),
            progress=progress,
        )


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
