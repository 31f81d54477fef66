"""The run folder: settings, versions, metrics, the checkpoint, and the trained player.

    config.yaml          all settings
    run.json             command line, versions, commit, what the machine computed fast, digests of the networks used;
                         and for each time that the run was resumed: when, at which update, commit, version of torch,
                         and how long the updates had taken that were done since that checkpoint and are lost
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
import platform
import sys
from collections.abc import Generator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from euchre_agents import critic, network
from euchre_agents.network_card import CriticCard, NetworkCard
from euchre_agents.network_files import misfits_named
from euchre_env.checks import check_number
from euchre_env.files import naming, replace_bytes, replace_text
from euchre_eval.folder_lock import LOCK_FILE, FolderLock
from euchre_eval.provenance import git_commit
from euchre_train.architectures import module_weights
from euchre_train.config import MAY_CHANGE, Config, load_config
from euchre_train.event_file import EventFile
from euchre_train.metrics_file import METRICS_FILE, read_lines, seconds_of
from euchre_train.model import ActorCritic
from euchre_train.parallel import Processes, alone, check_sizes
from euchre_train.ppo import Metrics, Training, check_weights, load_frozen_players, new_training
from euchre_train.rewards import load_reward
from euchre_train.saved_networks import CHECKPOINT_FILE, digests_of_settings

NUM_FAST = "processes_with_fast_bfloat16"  # in run.json
RESUMES = "resumes"  # in run.json
NETWORKS = "networks"  # in run.json: a digest of those that the settings name
CONFIG_FILE, MANIFEST_FILE = "config.yaml", "run.json"
MAY_CHANGE_BY_FORCE = ("num_threads",)
"""Settings that a resumed run may change with `force`: they decide the last bits of its weights."""
OF_NETWORKS = ("inputs", "architecture", "actor", "hidden_sizes", "critic", "critic_hidden_sizes")
"""Settings that decide the sizes of the networks."""
FORCE = "--force continues all the same, and ends with other weights"


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
            **_state_of(training),
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


def first_training(config: Config, device: torch.device | str = "cpu") -> Training:
    """The training with which a run begins: new networks, or those in the folder that `start_from` names.

    That is a run folder, or one with a player and a critic alone, such as an agent is shipped in.

    Raises:
        ValueError: if that folder has no actor or no critic, a file of it is damaged, or its networks do not fit the
            settings; the message names the file.
        TrainingError: if the networks do not fit in memory.
    """
    training = new_training(config, device)
    if config.start_from:
        folder = Path(config.start_from)
        if (folder / CHECKPOINT_FILE).exists():
            _load_from_checkpoint(training.model, folder / CHECKPOINT_FILE, config)
        else:
            _load_saved_networks(training.model, folder, config)
        training.update = config.start_update
    return training


def _load_from_checkpoint(model: ActorCritic, file: Path, config: Config) -> None:
    """Load the networks of another run's checkpoint."""
    state = _read_checkpoint(file)
    before = {"actor": "own_view"} | state["settings"]  # the setting that older checkpoints lack
    other = [name for name in OF_NETWORKS if before.get(name) != getattr(config, name)]
    if other:
        differences = [f"{name} is {before.get(name)!r} there and {getattr(config, name)!r} here" for name in other]
        raise ValueError(f"{file} holds other networks than the settings ask for: {'; '.join(differences)}")
    with _damage_named(file):
        model.load_state_dict(state["model"])
        check_weights(model)


def _load_saved_networks(model: ActorCritic, folder: Path, config: Config) -> None:
    """Load the player and the critic that are saved in `folder`, which need not be that of a run."""
    if not (folder / network.CARD_FILE).exists():
        raise ValueError(
            f"{folder} holds no networks to start from: neither {CHECKPOINT_FILE} nor {network.CARD_FILE} is there"
        )
    if not (folder / critic.CARD_FILE).exists():
        raise ValueError(
            f"{folder} holds a player without its critic, and a run starts from both: {critic.CARD_FILE} is missing"
        )
    card, tensors, _ = network.read_network(folder, None)
    saved_critic = critic.load_critic(folder)
    for module, wanted, found, weights, (weights_file, card_file) in (
        (model.actor, model.card, card, tensors, (network.WEIGHTS_FILE, network.CARD_FILE)),
        (model.critic, model.critic_card, saved_critic.card, saved_critic.tensors(), critic.Critic.FILES),
    ):
        _check_same_network(found, wanted, folder / card_file)
        with misfits_named(folder / weights_file):
            module.load_state_dict(module_weights(found.architecture, weights))
    try:
        check_weights(model)  # they are finite, but an output may overflow
    except FloatingPointError as error:
        raise ValueError(f"{folder}: {error}") from error


def _check_same_network(card: NetworkCard | CriticCard, wanted: NetworkCard | CriticCard, file: Path) -> None:
    """Check that the card in `file` describes the network that the settings ask for."""
    differences: list[str] = []
    for name in ("architecture", "hidden_sizes"):
        there, here = getattr(card, name), getattr(wanted, name)
        if there != here:
            differences.append(f"{name} is {there!r} there and {here!r} here")
    for name in ("inputs", "hidden_cards", "actions"):
        there, here = getattr(card, name, ()), getattr(wanted, name, ())
        if there != here or list(there) != list(here):
            differences.append(f"the {name.replace('_', ' ')} are others")
    if differences:
        raise ValueError(f"{file} describes another network than the settings ask for: {'; '.join(differences)}")


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
            _check_machine(path, config, processes)
            _check_torch(path)
            _check_networks(path, config)
        load_reward(config.reward)
        load_frozen_players(config)
        check_sizes(config, processes.size)
        training, changes, saved_update = restore_training(path, config, processes.device, force)
        _note_resume(path, training.update, _drop_metrics_after(training.update, path / METRICS_FILE))
    except BaseException:
        lock.release()
        raise
    return RunFolder(path, config, lock, saved_update, changes=changes), training


def run_settings(path: Path) -> Config:
    """The settings of the run in `path`.

    Raises:
        ValueError: if the folder holds no run, or its settings are incomplete.
    """
    if not (path / CONFIG_FILE).exists():
        raise ValueError(f"{path} holds no run to resume: {CONFIG_FILE} is missing")
    return load_config(path / CONFIG_FILE, complete=True)


def _check_machine(path: Path, config: Config, processes: Processes) -> None:
    """Check that the processes continue the run with the results of those that began it."""
    if config.num_processes != processes.size:
        raise ValueError(
            f"{path} was begun with {config.num_processes} processes, and there are {processes.size} now "
            f"(torchrun --nproc-per-node); {FORCE}"
        )
    if config.precision == "bfloat16":
        before = _num_with_bfloat16_at_start(_manifest_in(path))
        if before is None:
            raise ValueError(
                f"{path} is in bfloat16, and {MANIFEST_FILE} does not say on what kind of machine it was begun "
                f"({NUM_FAST!r}); {FORCE} unless that machine was like this one"
            )
        if before != processes.num_with_bfloat16:
            raise ValueError(
                f"{path} was begun in bfloat16 {_instructions(before, processes.size)}, "
                f"and continues {_instructions(processes.num_with_bfloat16, processes.size)}; {FORCE}"
            )


def _check_torch(path: Path) -> None:
    """Check that the version of torch is that with which the run in `path` was trained last, as far as is known."""
    manifest = _manifest_in(path)
    resumes = manifest.get(RESUMES) or [manifest.get("versions") or {}]
    before, now = resumes[-1].get("torch"), _version("torch")
    if before not in (None, now):
        raise ValueError(f"{path} was trained with torch {before}, and this is torch {now}; {FORCE}")


def _note_resume(path: Path, update: int, seconds_lost: float) -> None:
    """Note in `run.json` that the run in `path` is resumed at this update, with what, and after what loss."""
    manifest = _manifest_in(path)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"time": now, "update": update, "git_commit": git_commit(), "torch": _version("torch")}
    manifest[RESUMES] = [*manifest.get(RESUMES, []), entry | {"seconds_lost": round(seconds_lost, 3)}]
    replace_text(path / MANIFEST_FILE, json.dumps(manifest, indent=1) + "\n")


def _num_with_bfloat16_at_start(manifest: dict[str, Any]) -> int | None:
    """The number of processes that had instructions for bfloat16 when the run was begun; None if it is not known."""
    number = manifest.get(NUM_FAST)
    return number if type(number) is int else None


def _check_networks(path: Path, config: Config) -> None:
    """Check that the saved networks that the settings name are those with which the run was begun."""
    manifest = _manifest_in(path)
    before, now = manifest.get(NETWORKS, {}), digests_of_settings(config)
    needed = ["opponents", "partner", *([] if (path / CHECKPOINT_FILE).exists() else ["start_from"])]
    for setting in needed:
        if before.get(setting) != now.get(setting):
            where = f"{getattr(config, setting)} ({setting})"
            if setting not in before:
                raise ValueError(f"{path / MANIFEST_FILE} does not say which networks were in {where}; {FORCE}")
            if setting not in now:
                raise ValueError(f"{path} was begun with the networks in {where}, and there are none now; {FORCE}")
            raise ValueError(f"{path} was begun with other networks in {where} than are there now; {FORCE}")


def _manifest_in(path: Path) -> dict[str, Any]:
    """What the run in `path` has noted of its start; empty if the file is missing or damaged."""
    try:
        manifest = json.loads((path / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _instructions(num_with_bfloat16: int, num_processes: int) -> str:
    if num_processes == 1:
        return f"{'with' if num_with_bfloat16 else 'without'} instructions for it"
    return f"with instructions for it in {num_with_bfloat16} of {num_processes} processes"


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
    state = _read_checkpoint(file)
    changes = _changed_settings(path, state["settings"], config, force)
    training = new_training(config, device)
    _restore(training, state, file, config)
    return training, changes, training.update


def _read_checkpoint(file: Path) -> dict[str, Any]:
    with _damage_named(file):
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
        if not isinstance(state, dict) or not isinstance(state.get("settings"), dict):
            raise ValueError("the settings of the run are missing from it")
    return state


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


def _state_of(training: Training) -> dict[str, Any]:
    """The state of a training, for `torch.save`."""
    return {
        "update": training.update,
        "model": training.model.state_dict(),
        "optimizer": training.optimizer.state_dict(),
        "past_selves": training.past_selves,
    }


def _restore(training: Training, state: dict[str, Any], file: Path, config: Config) -> None:
    """Load the state of a checkpoint into a new training."""
    with _damage_named(file):
        _load_state(training, state)
        check_number(training.update, 0, config.num_updates, "update")
        check_weights(training.model)


def _load_state(training: Training, state: dict[str, Any]) -> None:
    """Load what `_state_of` gave into a new training."""
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
        torch.save(_state_of(training), data)
    sent = processes.send_to_all(data.getvalue())
    if not processes.is_first:
        _load_state(training, torch.load(io.BytesIO(sent), map_location="cpu", weights_only=True))


@contextlib.contextmanager
def _damage_named(file: Path) -> Generator[None]:
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


def manifest(config: Config, processes: Processes) -> dict[str, Any]:
    """The command line, commit, platform and versions of the run, to repeat it together with its settings.

    With them are the number of processes whose device multiplies bfloat16 in hardware, because others round otherwise,
    and a digest of the saved networks that the settings name.
    """
    packages = ("euchre-env", "torch", "numpy", "numba", "gymnasium", "pettingzoo")
    return {
        "command": sys.argv,
        "seed": config.seed,
        "git_commit": git_commit(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        NUM_FAST: processes.num_with_bfloat16,
        NETWORKS: digests_of_settings(config),
        "versions": {package: _version(package) for package in packages},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
