"""The command `euchre-train`: train an agent by self-play, resume a run, train its outcome head, or draw curves."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from euchre_eval.command_line import (
    INTERRUPTED,
    CommandError,
    Parser,
    add_version,
    delay_interrupt,
    describe,
    find_modules_here,
    run_command,
)
from euchre_train import plot

PROGRAM = "euchre-train"
HEAD_DEALS = 1_000_000
NEEDS_TRAIN = '{} is not installed; `pip install "euchre-env[train]"` installs what training needs'


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (those of the process if None) and return its exit status.

    0 when the run is complete, the head trained or the picture written, 130 when Ctrl-C stopped it;
    `euchre_eval.command_line` lists the other statuses. A failure is one line on stderr.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["plot"]:  # no subparser: it would take the value of a misspelt option for a subcommand
        return run_command(PROGRAM, lambda: plot.write_picture(_plot_parser().parse_args(given[1:])))
    if given[:1] == ["outcome-head"]:
        return run_command(PROGRAM, lambda: _train_head(_head_parser().parse_args(given[1:])))
    return run_command(PROGRAM, lambda: _train(training_parser().parse_args(given)))


def _train(options: argparse.Namespace) -> int:
    try:
        with delay_interrupt():
            from euchre_train.config import load_config
            from euchre_train.parallel import Processes, resolve
            from euchre_train.run_folder import run_settings
            from euchre_train.running import start_together, train, train_as_worker
    except ModuleNotFoundError as error:
        raise CommandError(NEEDS_TRAIN.format(error.name)) from None
    find_modules_here()
    if options.resume is not None and (options.config or options.changes or options.run or options.start_from):
        raise ValueError("--resume uses the settings of the run; it takes no --config, --set, --run or --from")
    if options.force and options.resume is None:
        raise ValueError("--force belongs to --resume")
    if options.resume is not None:
        folder, config = options.resume, run_settings(options.resume)
    else:
        config = load_config(options.config, options.changes, start_from=options.start_from)
        folder = options.run or _default_folder(options.config, config.seed)
    with Processes(config.device) as processes:
        try:
            with delay_interrupt():  # PyTorch imports more of itself here
                if options.resume is None:
                    with processes.failing_together():
                        asked_for = any(change.startswith("num_processes=") for change in options.changes or [])
                        config = resolve(config, processes, asked_for)
                resumes = options.resume is not None
                run, training = start_together(folder, config, processes, resumes, options.force)
        except OSError as error:  # such as a folder that cannot be written to: a mistake in the arguments
            raise ValueError(describe(error)) from error
        if run is None:
            return train_as_worker(config, training, processes)
        try:
            return train(run, training, processes)
        except KeyboardInterrupt:
            message = f"stopped without saving; --resume {run.path} continues from its last checkpoint"
            raise CommandError(message, status=INTERRUPTED) from None
        except (OSError, ValueError) as error:  # of the user's reward, architecture or players
            details = traceback.format_exc()
            raise CommandError(f"an update failed: {type(error).__name__}: {error}", details) from error


def _train_head(options: argparse.Namespace) -> int:
    try:
        with delay_interrupt():
            from euchre_train.head_training import train_head
    except ModuleNotFoundError as error:
        raise CommandError(NEEDS_TRAIN.format(error.name)) from None
    find_modules_here()
    return train_head(options.folder, options.deals, options.seed)


def _default_folder(config_file: Path | None, seed: int) -> Path:
    return Path("runs") / f"{config_file.stem if config_file else 'ppo'}_seed{seed}"


def training_parser() -> Parser:
    """The parser of a command that trains: `config`, `changes`, `run`, `start_from`, `resume` and `force`."""
    from euchre_train.settings_help import settings_help

    parser = Parser(
        prog=PROGRAM,
        description="Train a euchre agent with PPO by self-play. To draw curves of runs: euchre-train plot --help.\n"
        "To let an agent play for the game near its end: euchre-train outcome-head --help.",
        epilog=settings_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_version(parser)
    parser.add_argument("--config", type=Path, metavar="FILE", help="YAML settings, such as configs/demo.yaml")
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        metavar="KEY=VALUE",
        help="change a setting listed below; may be repeated",
    )
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="run folder (default: runs/<config>_seed<seed>)")
    parser.add_argument("--from", dest="start_from", type=Path, metavar="FOLDER", help="start with a run's networks")
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="resume the run in this folder")
    parser.add_argument("--force", action="store_true", help="resume where the results will differ from the run's")
    return parser


def _plot_parser() -> Parser:
    parser = Parser(prog=f"{PROGRAM} plot", description="Draw the curves of runs, over the deals played, as a picture.")
    plot.add_arguments(parser)
    return parser


def _head_parser() -> Parser:
    parser = Parser(
        prog=f"{PROGRAM} outcome-head",
        description="Train an outcome head for the network of a run, by which it plays for the game near its end. "
        "It is saved in the run folder.",
    )
    parser.add_argument("folder", type=Path, metavar="RUN", help="run folder")
    parser.add_argument(
        "--deals", type=int, default=HEAD_DEALS, metavar="N", help=f"deals to learn from (default {HEAD_DEALS})"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="fixes all (default: the seed of the run)")
    return parser


if __name__ == "__main__":
    exit_status = main()
    if "WORLD_SIZE" in os.environ:  # started by torchrun
        from euchre_train.parallel import exit_process

        exit_process(exit_status)
    sys.exit(exit_status)
