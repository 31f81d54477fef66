"""The command `euchre-eval`: duplicate matches between players, and statistics of how one plays."""

import argparse
import importlib
import json
import sys
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from math import isnan
from pathlib import Path
from typing import Any, NoReturn

from euchre_agents import Policy, load
from euchre_env import __version__
from euchre_env.counter_rng import derived_seed
from euchre_env.house_rules import PRESETS, HouseRules, parse_rules
from euchre_env.random_streams import PLAYER, reporting_seed
from euchre_eval.match import EndlessGameError, Progress, play_match
from euchre_eval.play_statistics import REFERENCE, PlayStatistics, play_statistics

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (those of the process if None) and return its exit status.

    0 is success, 1 a failure on the way, 2 a mistake in the arguments; a failure is one line on stderr.
    """
    options = _parser().parse_args(arguments)
    try:
        importlib.import_module("rich")
    except ImportError:
        return _fail(1, 'rich is not installed; `pip install "euchre-env[eval]"` brings all that this command needs')
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # where `my_bot:Bot` is looked for last; a script's own path does not have it
    try:
        options.run(options)
    except ValueError as error:
        return _fail(2, str(error))
    except EndlessGameError as error:
        return _fail(1, str(error))
    except KeyboardInterrupt:
        return _fail(130, "interrupted")
    return 0


class _Parser(argparse.ArgumentParser):
    """Reports a mistake in one line, without the usage, which `--help` shows."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _fail(status: int, message: str) -> int:
    print(f"euchre-eval: {message}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="euchre-eval",
        description="How good a euchre player is.",
        epilog="A player is random, rules, easy, normal, ppo, hard, the folder of a run, or package.module:Class.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"euchre-env {__version__}")
    commands = parser.add_subparsers(required=True, metavar="match | stats")
    match = commands.add_parser("match", help="two players or four, every deal played twice with the teams swapped")
    match.add_argument("players", nargs="+", metavar="PLAYER", help="A and B; or A, B, C and D for seats 0 to 3")
    match.add_argument("--deals", type=int, default=4000, metavar="N", help="deals, each played twice (default 4000)")
    match.add_argument("--games", type=int, default=0, metavar="M", help="games as well, each played twice (default 0)")
    match.add_argument("--time-limit", type=float, metavar="SECONDS", help="for each decision; later is a renege")
    match.add_argument("--late", choices=("renege", "forfeit"), default="renege", help="what a late answer costs")
    match.set_defaults(run=_match)
    stats = commands.add_parser("stats", help="what happens in the games of four copies of a player")
    stats.add_argument("player", metavar="PLAYER")
    stats.add_argument("--games", type=int, default=5000, metavar="N", help="games to play (default 5000)")
    stats.set_defaults(run=_stats)
    for command in (match, stats):
        command.add_argument(
            "--rules",
            default="standard",
            help=f"{', '.join(PRESETS)}; with changes: pagat,stick_the_dealer=true (default standard)",
        )
        command.add_argument("--seed", type=int, default=0, metavar="S", help="fixes everything (default 0)")
        command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    return parser


def _load(names: Sequence[str], seed: int, rules: HouseRules) -> list[Policy]:
    return [load(name, derived_seed(seed, PLAYER, place), rules) for place, name in enumerate(names)]


def _match(options: argparse.Namespace) -> None:
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    if len(options.players) not in (2, 4):
        raise ValueError(f"a match takes two players, or four, one for each seat; {len(options.players)} came")
    with _stdout_for_the_report(options), _progress_bar() as progress:
        players = _load(options.players, seed, rules)
        result = play_match(
            *players,
            deals=options.deals,
            games=options.games,
            seed=seed,
            rules=rules,
            names=options.players,
            time_limit=options.time_limit,
            late=options.late,
            progress=progress,
        )
    print(json.dumps(result.as_json()) if options.json else result)


def _stats(options: argparse.Namespace) -> None:
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    with _stdout_for_the_report(options), _progress_bar() as progress:
        (player,) = _load([options.player], seed, rules)
        statistics = play_statistics(
            player, games=options.games, seed=seed, rules=rules, name=options.player, progress=progress
        )
    asked = {"player": options.player, "games": options.games, "rules": str(rules), "seed": seed}
    if options.json:
        print(json.dumps({**statistics.as_json(), **asked, "version": __version__}))
    else:
        _print_table(statistics, asked)


def _print_table(statistics: PlayStatistics, asked: dict[str, Any]) -> None:
    """Print the statistics, and beside them the published ones where they are of the same player and rules."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    reference = REFERENCE.get(asked["rules"]) if asked["player"] in ("rules", "normal") else None
    table = Table("", box=box.SIMPLE_HEAD)
    table.add_column(asked["player"], justify="right")
    if reference is not None:
        table.add_column("reference", justify="right")
    for name, meaning in ROWS.items():
        columns = [getattr(column, name) for column in (statistics, reference) if column is not None]
        table.add_row(meaning, *map(_cell, columns))
    Console().print(table)
    print(
        "four copies of {player}, {games} games, rules {rules}, seed {seed},".format(**asked),
        f"euchre-env {__version__}",
    )


def _cell(value: float | int) -> str:
    """A count, or a share in per cent; a dash for a share of nothing."""
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if isnan(value) else f"{value:.1%}"


def _stdout_for_the_report(options: argparse.Namespace) -> AbstractContextManager[object]:
    """Sends what players and the modules they import print to stderr where stdout is to be one JSON object."""
    return redirect_stdout(sys.stderr) if options.json else nullcontext()


@contextmanager
def _progress_bar() -> Generator[Progress, None, None]:
    """A progress bar on stderr where that is a terminal, and silence elsewhere."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done)

        yield show


if __name__ == "__main__":
    sys.exit(main())
