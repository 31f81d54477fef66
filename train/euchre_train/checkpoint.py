"""The state of a training, as the file that a run is resumed from, and as a message to other processes."""

import contextlib
import io
from collections.abc import Generator
from pathlib import Path
from typing import Any

import torch

from euchre_env.checks import check_number
from euchre_train.config import Config
from euchre_train.parallel import Processes
from euchre_train.ppo import Training, check_weights


def read_checkpoint(file: Path) -> dict[str, Any]:
    """The state in the file of a checkpoint, with the settings of the run.

    Raises:
        ValueError: if it is damaged; the message names the file.
        OSError: if it cannot be read.
    """
    with damage_named(file):
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
        if not isinstance(state, dict) or not isinstance(state.get("settings"), dict):
            raise ValueError("the settings of the run are missing from it")
    return state


def state_of(training: Training) -> dict[str, Any]:
    """The state of a training, for `torch.save`."""
    return {
        "update": training.update,
        "model": training.model.state_dict(),
        "optimizer": training.optimizer.state_dict(),
        "past_selves": training.past_selves,
    }


def restore(training: Training, state: dict[str, Any], file: Path, config: Config) -> None:
    """Load the state of the checkpoint in `file` into a new training.

    Raises:
        ValueError: if it does not fit, or a weight is not finite; the message names the file.
    """
    with damage_named(file):
        load_state(training, state)
        check_number(training.update, 0, config.num_updates, "update")
        check_weights(training.model)


def load_state(training: Training, state: dict[str, Any]) -> None:
    """Load what `state_of` gave into a new training."""
    training.model.load_state_dict(state["model"])
    training.optimizer.load_state_dict(state["optimizer"])
    training.update = state["update"]
    for weights in state["past_selves"]:
        training.model.sampler(weights)  # fails if they do not fit
        training.past_selves.append(weights)


def spread(training: Training, processes: Processes) -> None:
    """Give every process the training of the first, to the last bit; in the others it is a new one."""
    if processes.size == 1:
        return
    data = io.BytesIO()
    if processes.is_first:
        torch.save(state_of(training), data)
    sent = processes.send_to_all(data.getvalue())
    if not processes.is_first:
        load_state(training, torch.load(io.BytesIO(sent), map_location="cpu", weights_only=True))


@contextlib.contextmanager
def damage_named(file: Path) -> Generator[None]:
    """Turn any error from a damaged checkpoint into a one-line `ValueError` that names `file`."""
    try:
        yield
    except (OSError, MemoryError):
        raise
    except Exception as error:  # torch and zipfile raise many kinds of error
        reason = (str(error).splitlines() or [""])[0]
        if not isinstance(error, ValueError | ArithmeticError):  # such as a KeyError, whose message is only the key
            reason = f"{type(error).__name__}: {reason}"
        raise ValueError(f"{file} is not a checkpoint of this version: {reason}") from error
