"""The run folder: settings, where they came from, metrics, checkpoints and the policy a player is loaded from.

    config.yaml          the settings, resolved
    run.json             command line, versions, commit
    metrics.jsonl        a line per update; the same numbers in TensorBoard's files beside it
    checkpoint.pt        all that resuming needs
    policy.safetensors, policy.json    the player, for `euchre_agents.load` (no torch)

Every file that is replaced is replaced whole, so a run killed at any moment can be resumed.
"""

import json
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch
from torch.utils.tensorboard import SummaryWriter

from euchre_agents.network import NetworkPolicy
from euchre_train.config import Config, load_config
from euchre_train.ppo import Metrics, Training, new_training

CONFIG_FILE, MANIFEST_FILE, METRICS_FILE, CHECKPOINT_FILE = "config.yaml", "run.json", "metrics.jsonl", "checkpoint.pt"


class RunFolder:
    """The folder of one training run.

    Args:
        path: where it lies.
        config: the settings of the run.
        update: updates done so far; what the metrics say beyond them is dropped.
    """

    def __init__(self, path: Path, config: Config, update: int) -> None:
        self.path, self.config = path, config
        self._drop_metrics_after(update)
        self._tensorboard = SummaryWriter(str(path), purge_step=update + 1)

    def log(self, update: int, metrics: Metrics) -> None:
        """Append the metrics of an update."""
        with (self.path / METRICS_FILE).open("a") as file:
            file.write(json.dumps({"update": update, **metrics}) + "\n")
        for name, value in metrics.items():
            self._tensorboard.add_scalar(name, value, update)

    def save(self, training: Training) -> None:
        """Replace the checkpoint and the policy by those of now."""
        state = {
            "update": training.update,
            "model": training.model.state_dict(),
            "optimizer": training.optimizer.state_dict(),
            "past_selves": [[*map(torch.from_numpy, (*past.weights, *past.biases))] for past in training.past_selves],
        }
        temporary = self.path / (CHECKPOINT_FILE + ".new")
        torch.save(state, temporary)
        temporary.replace(self.path / CHECKPOINT_FILE)
        training.model.policy().save(self.path)
        self._tensorboard.flush()

    def _drop_metrics_after(self, update: int) -> None:
        file = self.path / METRICS_FILE
        if file.exists():
            lines = file.read_text().splitlines(keepends=True)
            replace_text(file, "".join(line for line in lines if _update_of(line) <= update))


def start_run(path: Path, config: Config) -> tuple[RunFolder, Training]:
    """A new run in a folder that holds none yet.

    Raises:
        ValueError: if the folder already holds a run.
    """
    if (path / CONFIG_FILE).exists() or (path / CHECKPOINT_FILE).exists():
        raise ValueError(f"{path} already holds a run; continue it with --resume {path}, or name another with --run")
    path.mkdir(parents=True, exist_ok=True)
    replace_text(path / CONFIG_FILE, config.to_yaml())
    replace_text(path / MANIFEST_FILE, json.dumps(manifest(config), indent=1) + "\n")
    return RunFolder(path, config, update=0), new_training(config)


def resume_run(path: Path) -> tuple[RunFolder, Training]:
    """The run in `path` as its last checkpoint left it; from its start if it was stopped before the first.

    Raises:
        ValueError: if the folder holds no run, or its checkpoint is damaged.
    """
    if not (path / CONFIG_FILE).exists():
        raise ValueError(f"{path} holds no run to resume: {CONFIG_FILE} is missing")
    config = load_config(path / CONFIG_FILE)
    training = new_training(config)
    if (path / CHECKPOINT_FILE).exists():
        _restore(training, path / CHECKPOINT_FILE)
    return RunFolder(path, config, training.update), training


def _restore(training: Training, file: Path) -> None:
    try:
        state: dict[str, Any] = torch.load(file, weights_only=True)
        training.model.load_state_dict(state["model"])
        training.optimizer.load_state_dict(state["optimizer"])
        training.update = state["update"]
        for tensors in state["past_selves"]:
            arrays = tuple(tensor.numpy() for tensor in tensors)
            half = len(arrays) // 2
            training.past_selves.append(NetworkPolicy(training.model.card, arrays[:half], arrays[half:]))
    except Exception as error:  # torch and zipfile raise a kind of their own for each damage
        raise ValueError(f"{file} is not a checkpoint of this version: {error}") from error


def manifest(config: Config) -> dict[str, Any]:
    """What has to be known to repeat the run besides its settings."""
    packages = ("euchre-env", "torch", "numpy", "numba", "gymnasium", "pettingzoo")
    return {
        "command": sys.argv,
        "seed": config.seed,
        "git_commit": _git_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "versions": {package: _version(package) for package in packages},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git_commit() -> str | None:
    """The commit of the checkout this code runs from, with "-dirty" if it has changes; None outside one."""
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(describe, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _update_of(line: str) -> float:
    """The update a line of metrics belongs to; infinity for a line cut short by a kill."""
    try:
        return json.loads(line)["update"]
    except ValueError:
        return float("inf")


def replace_text(file: Path, text: str) -> None:
    """Write `file` whole or not at all."""
    temporary = file.with_name(file.name + ".new")
    temporary.write_text(text)
    temporary.replace(file)
