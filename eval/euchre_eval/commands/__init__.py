"""The subcommands of `euchre-eval`, one module each.

A subcommand is a module with `HELP`, one line; `add_arguments(parser)`; and `run(options)`, which returns the report,
JSON if `options.json`. The dictionary `COMMANDS` registers it.
"""

from argparse import ArgumentParser, Namespace
from typing import Protocol

from euchre_eval.commands import (
    control_variate,
    cross_play,
    egn,
    match,
    outcomes,
    puzzles,
    record,
    record_games,
    report,
    sayings,
    score_settings,
    solve,
    stats,
    tournament,
    tune_rules,
)


class Command(Protocol):
    """The interface of a subcommand's module."""

    HELP: str
    """One line about the subcommand, for `euchre-eval --help`."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the subcommand's arguments to its parser, except `--json`, which every subcommand has."""
        ...

    def run(self, options: Namespace) -> str:
        """Run the subcommand and return the report to print."""
        ...


COMMANDS: dict[str, Command] = {
    "control-variate": control_variate,
    "cross-play": cross_play,
    "egn": egn,
    "match": match,
    "outcomes": outcomes,
    "puzzles": puzzles,
    "record": record,
    "record-games": record_games,
    "report": report,
    "sayings": sayings,
    "score-settings": score_settings,
    "solve": solve,
    "stats": stats,
    "tournament": tournament,
    "tune-rules": tune_rules,
}
