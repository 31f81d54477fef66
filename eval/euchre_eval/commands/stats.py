"""`euchre-eval stats`: what happens in the games of four copies of a player."""

import json
from argparse import ArgumentParser, Namespace
from math import isnan
from typing import Any

from euchre_env import __version__
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import (
    add_allow_cheating,
    add_rules_and_seed,
    add_workers,
    load_players,
    player_makers,
    progress_bar,
)
from euchre_eval.match_player import name_in_reports
from euchre_eval.play_statistics import REFERENCE, PlayStatistics, play_statistics

HELP: str = "what happens in the games of four copies of a player"

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
    """Add the player, the number of games, the house rules, the seed and the workers."""
    parser.add_argument("player", metavar="PLAYER")
    parser.add_argument("--games", type=int, default=5000, metavar="N", help="games to play (default 5000)")
    add_allow_cheating(parser)
    add_rules_and_seed(parser)
    add_workers(parser)


def run(options: Namespace) -> str:
    """Play the games and return their statistics as a table or as JSON."""
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    with progress_bar() as progress:
        (player,) = load_players([options.player], seed, rules)
        statistics = play_statistics(
            player,
            games=options.games,
            seed=seed,
            rules=rules,
            name=options.player,
            allow_cheating=options.allow_cheating,
            workers=options.workers,
            makers=player_makers([options.player], seed, rules),
            progress=progress,
        )
    asked = {"player": options.player, "games": options.games, "rules": str(rules), "seed": seed}
    if options.json:
        return json.dumps({**statistics.as_json(), **asked, "version": __version__})
    asked["player"] = name_in_reports(options.player, statistics.sees_all)
    played = "four copies of {player}, {games} games, rules {rules}, seed {seed}".format(**asked)
    return f"{_table(statistics, asked)}{played}, euchre-env {__version__}"


def _table(statistics: PlayStatistics, asked: dict[str, Any]) -> str:
    """The statistics, beside the reference table if there is one for the same player and rules."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    reference = REFERENCE.get(asked["rules"]) if asked["player"] in ("rules", "normal") else None
    table = Table("", box=box.SIMPLE_HEAD)
    table.add_column(Text(asked["player"]), justify="right")
    if reference is not None:
        table.add_column("reference", justify="right")
    for name, meaning in ROWS.items():
        columns = [getattr(column, name) for column in (statistics, reference) if column is not None]
        table.add_row(meaning, *map(_cell, columns))
    return "".join(segment.text for segment in Console().render(table))


def _cell(value: float | int) -> str:
    """Format a count, or a share in per cent; a dash for nan."""
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if isnan(value) else f"{value:.1%}"
