"""`run.json`: what a run was begun and resumed with, and the checks that it goes on with the same.

It has the command line, versions, commit, what the machine computed fast, and digests of the networks used; and for
each time that the run was resumed: when, at which update, commit, version of torch, and how long the updates had taken
that were done since that checkpoint and are lost.
"""

import json
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from euchre_env.files import replace_text
from euchre_eval.provenance import git_commit
from euchre_train.config import Config
from euchre_train.parallel import Processes
from euchre_train.saved_networks import CHECKPOINT_FILE, digests_of_settings

MANIFEST_FILE = "run.json"
NUM_FAST = "processes_with_fast_bfloat16"  # in run.json
RESUMES = "resumes"  # in run.json
NETWORKS = "networks"  # in run.json: a digest of those that the settings name
FORCE = "--force continues all the same, and ends with other weights"


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


def manifest_in(path: Path) -> dict[str, Any]:
    """What the run in `path` has noted of its start; empty if the file is missing or damaged."""
    try:
        manifest = json.loads((path / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def note_resume(path: Path, update: int, seconds_lost: float) -> None:
    """Note in `run.json` that the run in `path` is resumed at this update, with what, and after what loss."""
    manifest = manifest_in(path)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"time": now, "update": update, "git_commit": git_commit(), "torch": _version("torch")}
    manifest[RESUMES] = [*manifest.get(RESUMES, []), entry | {"seconds_lost": round(seconds_lost, 3)}]
    replace_text(path / MANIFEST_FILE, json.dumps(manifest, indent=1) + "\n")


def check_machine(path: Path, config: Config, processes: Processes) -> None:
    """Check that the processes continue the run in `path` with the results of those that began it.

    Raises:
        ValueError: if there are more or fewer, or they multiply bfloat16 in another way.
    """
    if config.num_processes != processes.size:
        raise ValueError(
            f"{path} was begun with {config.num_processes} processes, and there are {processes.size} now "
            f"(torchrun --nproc-per-node); {FORCE}"
        )
    if config.precision == "bfloat16":
        before = _num_with_bfloat16_at_start(manifest_in(path))
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


def _num_with_bfloat16_at_start(manifest: dict[str, Any]) -> int | None:
    """The number of processes that had instructions for bfloat16 when the run was begun; None if it is not known."""
    number = manifest.get(NUM_FAST)
    return number if type(number) is int else None


def _instructions(num_with_bfloat16: int, num_processes: int) -> str:
    if num_processes == 1:
        return f"{'with' if num_with_bfloat16 else 'without'} instructions for it"
    return f"with instructions for it in {num_with_bfloat16} of {num_processes} processes"


def check_torch(path: Path) -> None:
    """Check that the version of torch is that with which the run in `path` was trained last, as far as is known.

    Raises:
        ValueError: if it is another.
    """
    manifest = manifest_in(path)
    resumes = manifest.get(RESUMES) or [manifest.get("versions") or {}]
    before, now = resumes[-1].get("torch"), _version("torch")
    if before not in (None, now):
        raise ValueError(f"{path} was trained with torch {before}, and this is torch {now}; {FORCE}")


def check_networks(path: Path, config: Config) -> None:
    """Check that the saved networks that the settings name are those with which the run in `path` was begun.

    Raises:
        ValueError: if one is another, is gone, or is new; the message names the setting.
    """
    manifest = manifest_in(path)
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


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
