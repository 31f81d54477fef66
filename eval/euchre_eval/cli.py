"""The command `euchre-eval`: duplicate matches between players, and statistics of play.

The subcommands are the modules of `euchre_eval.commands`.
"""

import importlib
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from euchre_eval.command_line import (
    CommandError,
    Parser,
    add_version,
    delay_interrupt,
    find_modules_here,
    reserve_stdout,
    run_command,
    terminable,
    write_out,
)

PROGRAM = "euchre-eval"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (those of the process if None) and return its exit status.

    `euchre_eval.command_line` lists the statuses; a failure is one line on stderr.
    """
    with terminable():
        return run_command(PROGRAM, lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        importlib.import_module("rich")
    except ImportError:
        raise CommandError(
            'rich is not installed; `pip install "euchre-env[eval]"` installs what this command needs'
        ) from None
    find_modules_here()
    with reserve_stdout(until_exit=arguments is None) if options.json else nullcontext(sys.stdout) as stdout:
        report = options.run(options)
        if stdout is not None:
            write_out(f"{report}\n", stdout)
    return 0


def _parser() -> Parser:
    with delay_interrupt():
        from euchre_agents.loading import BUILT_IN
        from euchre_eval.commands import COMMANDS  # slow: it imports the compiler

    parser = Parser(
        prog=PROGRAM,
        description="Evaluate euchre players.",
        epilog=f"A player is {', '.join(BUILT_IN)}, a name that an installed package adds, the folder of a run or of "
        "weights, or package.module:Class.",
    )
    add_version(parser)
    subparsers = parser.add_subparsers(required=True, metavar=" | ".join(COMMANDS))
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=command.HELP)
        command.add_arguments(subparser)
        subparser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        subparser.set_defaults(run=command.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
