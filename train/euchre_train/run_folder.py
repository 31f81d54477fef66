"""The run folder: settings, versions, metrics, the checkpoint, and the trained player.

    config.yaml          all settings
    run.json             what it was begun and resumed with; see `run_manifest`
    metrics.jsonl        a line per update; the same numbers in TensorBoard's files beside it
    checkpoint.pt        the state to resume from, with the settings of the run
    policy.safetensors, policy.json    the player, for `euchre_agents.load` (no torch)
    critic.safetensors, critic.json    the critic, for `euchre_agents.load_critic` (no torch)
    run.lock             the process that trains the run, or trained it last

Files are replaced atomically, so a run killed at any moment can be resumed.
"""

import contextlib
import dataclasses
import io
import json
import math
from pathlib import Path
from typing import Any

import torch

from euchre_env.files import naming, replace_bytes, replace_text
from euchre_eval.folder_lock import LOCK_FILE, FolderLock
from euchre_train.checkpoint import read_checkpoint, restore, state_of
from euchre_train.config import MAY_CHANGE, Config, load_config
from euchre_train.event_file import EventFile
from euchre_train.metrics_file import METRICS_FILE, read_lines, seconds_of
from euchre_train.parallel import Processes, alone, check_sizes
from euchre_train.ppo import Metrics, Training, load_frozen_players, new_training
from euchre_train.rewards import load_reward
from euchre_train.run_manifest import (
    FORCE,
    MANIFEST_FILE,
    check_machine,
    check_networks,
    check_torch,
    manifest,
    note_resume,
)
from euchre_train.saved_networks import CHECKPOINT_FILE
from euchre_train.starting import first_training

CONFIG_FILE = "config.yaml"
MAY_CHANGE_BY_FORCE = ("num_threads",)
"""Settings that a resumed run may change with `force`: they decide the last bits of its weights."""


class RunFolder:
    """The folder of one training run, which no other process may train until `close`; also a context manager.

    Args:
        path: the path of the folder.
        config: the settings of the run.
        lock: the lock on the folder; `close` releases it.
        saved_update: the number of updates done at the checkpoint; None if there is no checkpoint.
        is_new: whether `start_run` has just made the folder.
        changes: a line for each setting that has changed since the checkpoint.
    """

    def __init__(
        self,
        path: Path,
        config: Config,
        lock: FolderLock,
        saved_update: int | None = None,
        is_new: bool = False,
        changes: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self.config = config
        self.saved_update = saved_update
        self.is_new = is_new
        self.changes = changes
        self._lock = lock
        self._events: EventFile | None = None

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def log(self, update: int, metrics: Metrics) -> None:
        """Append the metrics of an update; a value that is not finite is null, and left out of TensorBoard's file.

        Raises:
            OSError: if a file cannot be written; the error names it.
        """
        file = self.path / METRICS_FILE
        finite = {name: value for name, value in metrics.items() if math.isfinite(value)}
        record = {"update": update, **{name: finite.get(name) for name in metrics}}
        with naming(file), file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(record, allow_nan=False) + "\n")
        if self._events is None:
            self._events = EventFile(self.path, first_step=update)
        self._events.write(update, finite)

    def save(self, training: Training) -> None:
        """Write the checkpoint, the player and the critic, replacing the old ones.

        Raises:
            OSError: if a file cannot be written; the error names the file, which is unchanged.
        """
        state = {
            "settings": dataclasses.asdict(self.config),
            **state_of(training),
        }
        data = io.BytesIO()
        torch.save(state, data)
        replace_bytes(self.path / CHECKPOINT_FILE, data.getvalue())
        self.saved_update = training.update
        training.model.player().save(self.path)
        training.model.portable_critic().save(self.path)

    def close(self) -> None:
        """Release the lock, so that other processes may train the run."""
        self._lock.release()

    def discard(self) -> None:
        """Remove what `start_run` wrote, so that the folder is free for another run."""
        _remove_start_of(self.path)


def start_run(path: Path, config: Config, processes: Processes | None = None) -> tuple[RunFolder, Training]:
    """Start a run in a folder without one; after a failure the folder is still without one.

    Args:
        path: the run folder.
        config: the settings, resolved.
        processes: the processes that are to train it; one if None.

    Raises:
        ValueError: if the folder holds a run, another process is starting one there, the networks to start from cannot
            be read or do not fit, or the reward, the opponents or the partner cannot be loaded.
        TrainingError: if the networks do not fit in memory.
        OSError: if the folder or a file in it cannot be written.
    """
    processes = processes or alone(config.device)
    _check_free(path)
    load_reward(config.reward)  # before any file is written: there may be no such reward or player
    load_frozen_players(config)
    training = first_training(config, processes.device)  # and the networks may not fit in memory
    path.mkdir(parents=True, exist_ok=True)
    lock = FolderLock(path, "trained")
    try:
        _check_free(path)  # again: another process may have been faster
        try:
            replace_text(path / MANIFEST_FILE, json.dumps(manifest(config, processes), indent=1) + "\n")
            replace_text(path / CONFIG_FILE, config.to_yaml())  # last: from now on the folder holds a run
        except BaseException:
            _remove_start_of(path)
            raise
    except BaseException:
        lock.release()
        raise
    return RunFolder(path, config, lock, is_new=True), training


def _check_free(path: Path) -> None:
    for name in (CONFIG_FILE, CHECKPOINT_FILE, METRICS_FILE):
        if (path / name).exists():
            raise ValueError(
                f"{path} already holds a run ({name}); continue it with --resume {path}, or name another with --run"
            )


def _remove_start_of(path: Path) -> None:
    for name in (CONFIG_FILE, MANIFEST_FILE, LOCK_FILE):
        with contextlib.suppress(OSError):
            (path / name).unlink()
    with contextlib.suppress(OSError):  # the folder holds other files
        path.rmdir()


def run_settings(path: Path) -> Config:
    """The settings of the run in `path`.

    Raises:
        ValueError: if the folder holds no run, or its settings are incomplete.
    """
    if not (path / CONFIG_FILE).exists():
        raise ValueError(f"{path} holds no run to resume: {CONFIG_FILE} is missing")
    return load_config(path / CONFIG_FILE, complete=True)


def resume_run(path: Path, processes: Processes | None = None, force: bool = False) -> tuple[RunFolder, Training]:
    """Continue the run in `path` from its last checkpoint, or from its start if it has none.

    The lines of later updates are removed from `metrics.jsonl`.

    Args:
        path: the run folder.
        processes: the processes that are to train it now; one if None.
        force: continue in a way that gives other results than the run's, see below.

    Raises:
        ValueError: if the folder holds no run or another process is training it, if its settings are incomplete or
            differ from those of the checkpoint, if a file is damaged, if the reward, the opponents or the partner
            cannot be loaded, or if a process would have no deal; unless `force` is set, also if the number of processes
            is another than the run's, they multiply bfloat16 in another way than when the run was begun, the version
            of torch or `num_threads` is another than last time, or the opponents, the partner or, before the first
            checkpoint, the networks to start from are others.
        TrainingError: if the networks do not fit in memory.
        OSError: if a file cannot be read or written.
    """
    config = run_settings(path)
    processes = processes or alone(config.device)
    lock = FolderLock(path, "trained")
    try:
        if not force:
            check_machine(path, config, processes)
            check_torch(path)
            check_networks(path, config)
        load_reward(config.reward)
        load_frozen_players(config)
        check_sizes(config, processes.size)
        training, changes, saved_update = restore_training(path, config, processes.device, force)
        note_resume(path, training.update, _drop_metrics_after(training.update, path / METRICS_FILE))
    except BaseException:
        lock.release()
        raise
    return RunFolder(path, config, lock, saved_update, changes=changes), training


def restore_training(
    path: Path, config: Config, device: torch.device | str = "cpu", force: bool = False
) -> tuple[Training, tuple[str, ...], int | None]:
    """The training of the run in `path` at its last checkpoint, or at its start if it has none.

    Args:
        path: the run folder.
        config: the settings in it.
        device: where the networks are to learn.
        force: accept changes of `MAY_CHANGE_BY_FORCE` too.

    Returns:
        The training, a line for each setting that has changed since the checkpoint, and the number of updates done at
        the checkpoint, None if there is none.

    Raises:
        ValueError: if the checkpoint is damaged, or the result of training depends on a setting that has changed.
        TrainingError: if the networks do not fit in memory.
        OSError: if the checkpoint cannot be read.
    """
    file = path / CHECKPOINT_FILE
    if not file.exists():
        return first_training(config, device), (), None
    state = read_checkpoint(file)
    changes = _changed_settings(path, state["settings"], config, force)
    training = new_training(config, device)
    restore(training, state, file, config)
    return training, changes, training.update


def _changed_settings(path: Path, before: dict[str, Any], config: Config, force: bool) -> tuple[str, ...]:
    """Describe the settings that have changed since the checkpoint, one line each.

    Raises:
        ValueError: if the result of training depends on a changed setting.
    """
    now = dataclasses.asdict(config)
    changed = [name for name in now if now[name] != before.get(name)]
    differences = {name: f"{name} was {before.get(name)!r} and is now {now[name]!r}" for name in changed}
    refused = [text for name, text in differences.items() if name not in (*MAY_CHANGE, *MAY_CHANGE_BY_FORCE)]
    by_force = [differences[name] for name in MAY_CHANGE_BY_FORCE if name in differences and not force]
    if by_force and not refused:
        raise ValueError(f"{path / CONFIG_FILE}: {'; '.join(by_force)}; {FORCE}")
    if refused:
        raise ValueError(
            f"{path / CONFIG_FILE} does not have the settings of {CHECKPOINT_FILE}: {'; '.join(refused)}. "
            "Restore them, or start another run"
        )
    return tuple(differences.values())


def _drop_metrics_after(update: int, file: Path) -> float:
    """Keep the lines of updates up to `update`, drop an incomplete last line, and return what the others took.

    Returns:
        The sum of their times, in seconds.

    Raises:
        ValueError: if another line is not a record of an update; the message names file and line.
    """
    if not file.exists():
        return 0.0
    lines = list(read_lines(file))
    replace_bytes(file, b"".join(line for line, record in lines if record["update"] <= update))
    return sum(seconds_of(record) for _, record in lines if record["update"] > update)
