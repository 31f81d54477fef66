"""Shared by the subcommands: options, loading players, and the progress bar."""

import json
import os
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Any, Protocol, TypedDict

from euchre_agents import Policy, load
from euchre_agents.policy import describe_error
from euchre_env.counter_rng import derived_seed
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.random_streams import PLAYER
from euchre_eval.command_line import OUR_PACKAGES, CommandError
from euchre_eval.playing import Progress

TAKEN_FOR_TERMINALS = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables by which rich takes any stream for a terminal
NOT_THE_USERS = {*OUR_PACKAGES, *sys.stdlib_module_names}


def add_rules_and_seed(parser: ArgumentParser, seed_help: str = "fixes everything") -> None:
    """Add the options `--rules` and `--seed`, with what the seed is."""
    parser.add_argument(
        "--rules",
        default="standard",
        help=f"{', '.join(PRESETS)}; with changes: pagat,stick_the_dealer=true (default standard)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help=f"{seed_help} (default 0)")


def add_allow_cheating(parser: ArgumentParser) -> None:
    """Add the option `--allow-cheating`."""
    parser.add_argument("--allow-cheating", action="store_true", help="seat players that are shown all cards, too")


def add_workers(parser: ArgumentParser) -> None:
    """Add the option `--workers`."""
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="how many processes may share the work (default: every core); the result is the same for any number",
    )


class Settings(TypedDict):
    """The arguments that every function which plays takes, by their names."""

    seed: int
    rules: HouseRules
    workers: int | None
    makers: list[Callable[[], Policy]]
    progress: Progress


@contextmanager
def loaded_players(
    names: Sequence[str], seed: int, rules: HouseRules, workers: int | None, *, where: str = ""
) -> Generator[tuple[list[Policy], Settings]]:
    """Load players, and show a progress bar while they play in this block; raises as `load_players` does.

    Args:
        names: the names of the players.
        seed: the seed of the deals; each player has one of its own, derived from it.
        rules: the house rules.
        workers: how many processes may play, every core if None.
        where: added to what the progress bar counts.

    Yields:
        The players, and the arguments to play with.
    """
    with progress_bar() as show:

        def progress(what: str, done: int, total: int) -> None:
            show(f"{what}{where}", done, total)

        players = load_players(names, seed, rules)
        makers = player_makers(names, seed, rules)
        yield players, Settings(seed=seed, rules=rules, workers=workers, makers=makers, progress=progress)


class Report(Protocol):
    """A result that a command prints."""

    def as_json(self) -> dict[str, Any]:
        """The result as plain values for `json.dumps`."""
        ...


def report_of(result: Report, options: Namespace) -> str:
    """A result in words, or as JSON if the command was given `--json`."""
    return json.dumps(result.as_json()) if options.json else str(result)


def player_makers(names: Sequence[str], seed: int, rules: HouseRules) -> list[Callable[[], Policy]]:
    """Functions that load the same players as `load_players` in another process."""
    return [partial(load, name, derived_seed(seed, PLAYER, place), rules) for place, name in enumerate(names)]


def load_players(names: Sequence[str], seed: int, rules: HouseRules) -> list[Policy]:
    """Load the players called `names`, each with a seed of its own.

    Raises:
        ValueError: if there is no such player.
        CommandError: if making a player failed, for example in a module of the user; the message names the player.
    """
    return [_make(name, make) for name, make in zip(names, player_makers(names, seed, rules), strict=True)]


def _make(name: str, make: Callable[[], Policy]) -> Policy:
    try:
        return make()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: a player's module may raise anything
        if isinstance(error, ValueError) and _package_that_raised(error) in OUR_PACKAGES:
            raise  # its message explains the fault of the name
        message = f"player {name!r}: {describe_error(error)}"
        raise CommandError(message, _traceback_of_user_code(error)) from error


def _package_that_raised(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return _package_of(trace) if trace is not None else ""


def _traceback_of_user_code(error: BaseException) -> str:
    """The traceback of `error` from the first line outside this project and the standard library; empty if none."""
    trace = error.__traceback__
    while trace is not None and _package_of(trace) in NOT_THE_USERS:
        trace = trace.tb_next
    return "" if trace is None else "".join(traceback.format_exception(type(error), error, trace))


def _package_of(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]


@contextmanager
def progress_bar() -> Generator[Progress, None, None]:
    """A progress bar on stderr if stderr is a terminal, else nothing."""
    if sys.stderr is None or not (sys.stderr.isatty() or any(map(os.environ.get, TAKEN_FOR_TERMINALS))):
        yield lambda _what, _done, _total: None  # without the import of rich, which takes as long as a small match
        return
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
