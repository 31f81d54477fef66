"""`euchre-train`: train an agent by self-play, or go on with a run."""

import argparse
import sys
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status.

    0 when the run is complete, 1 without the extra it needs, 2 for bad input, 130 when it was interrupted.
    """
    options = _parser().parse_args(arguments)
    try:
        from euchre_train.checkpoint import resume_run, start_run
        from euchre_train.config import load_config
        from euchre_train.running import train
    except ModuleNotFoundError as error:
        return _fail(1, f'{error.name} is not installed; `pip install "euchre-env[train]"` brings all it needs')
    try:
        if options.resume is not None:
            if options.config or options.changes or options.run:
                raise ValueError("--resume goes on with the settings of the run; it takes no --config, --set or --run")
            run, training = resume_run(options.resume)
        else:
            config = load_config(options.config, options.changes)
            run, training = start_run(options.run or _default_folder(options.config, config.seed), config)
    except (ValueError, OSError) as error:  # such as a folder that cannot be written to
        return _fail(2, str(error))
    try:
        return train(run, training)
    except KeyboardInterrupt:
        return _fail(130, f"stopped without saving; --resume {run.path} goes on from its last checkpoint")


def _fail(status: int, message: str) -> int:
    print(f"euchre-train: {message}", file=sys.stderr)
    return status


def _default_folder(config_file: Path | None, seed: int) -> Path:
    return Path("runs") / f"{config_file.stem if config_file else 'ppo'}_seed{seed}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="euchre-train", description="Train a euchre agent with PPO by self-play.")
    parser.add_argument("--config", type=Path, metavar="FILE", help="YAML settings, such as configs/demo.yaml")
    parser.add_argument(
        "--set", dest="changes", action="append", metavar="KEY=VALUE", help="change one setting; may be repeated"
    )
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="run folder (default: runs/<config>_seed<seed>)")
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="go on with the run in this folder")
    return parser


if __name__ == "__main__":
    sys.exit(main())
