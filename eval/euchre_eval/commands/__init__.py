"""The subcommands of `euchre-eval`, one module each.

A subcommand is a module with `HELP`, one line; `add_arguments(parser)`; and `run(options)`, which returns the report,
JSON if `options.json`. Entering it in `COMMANDS` is all that is needed besides.
"""

from argparse import ArgumentParser, Namespace
from typing import Protocol

from euchre_eval.commands import match, stats


class Command(Protocol):
    """What a subcommand's module offers."""

    HELP: str
    """What the subcommand does, for `euchre-eval --help`."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the subcommand's arguments to its parser, except `--json`, which every subcommand has."""
        ...

    def run(self, options: Namespace) -> str:
        """Do what was asked for; the report that is to be printed."""
        ...


COMMANDS: dict[str, Command] = {"match": match, "stats": stats}
