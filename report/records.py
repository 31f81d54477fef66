"""The records: a file for each measurement, with its result and all that is needed to repeat it.

    docs/results/NAME.json

A record is made by playing its command, or by taking the result of a training run or a benchmark from what that left
behind. It is current while its command is that of the list and the networks that played are those of today. Nothing is
ever chosen among results: a new record takes the place of the old one.
"""

import hashlib
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from math import isnan
from pathlib import Path
from typing import Any

import yaml

from euchre_agents.loading import SHIPPED_NETWORK
from euchre_agents.outcomes import SHIPPED_COUNTS
from euchre_env.files import replace_text
from euchre_train.metrics_file import DEALS, METRICS_FILE, read_metrics
from euchre_train.plot import STRENGTH
from report.measurements import RUNS, Measurement

ROOT = Path(__file__).parents[1]
PACKAGES = ("euchre-env", "numba", "numpy")
SHIPPED = ("ppo", "hard")  # names of the shipped network, also before a colon


class MissingSourceError(Exception):
    """What a measurement needs is not there yet; the message says what, and which command makes it."""


@dataclass(frozen=True)
class Record:
    """The record of a measurement."""

    command: str
    commit: str | None
    """The commit of the checkout that measured, with "-dirty" if it had changes; of a training, the one it ran at."""
    date: str
    """The day on which it was measured, in UTC."""
    seconds: float | None
    """How long it took; None for a benchmark."""
    versions: dict[str, str]
    networks: dict[str, str]
    """A digest of each network that played, by the player's name; of a source, its digest."""
    result: dict[str, Any]

    def is_current(self, measurement: Measurement, with_runs: bool) -> bool:
        """Whether the record is one of `measurement` with the networks, or the source, that are there now.

        Args:
            measurement: the measurement of the list.
            with_runs: whether to compare what is in `runs/` too, as far as it is there: it is not part of the checkout.
        """
        now = digests(measurement)
        compared = [name for name in now if with_runs or not name.startswith(RUNS)]
        return self.command == measurement.command and all(self.networks.get(name) == now[name] for name in compared)


def read_records(folder: Path) -> dict[str, Record]:
    """Read all records of a folder, by name.

    Raises:
        ValueError: if a file is not a record; the message names the file.
        OSError: if a file cannot be read.
    """
    records: dict[str, Record] = {}
    for file in sorted(folder.glob("*.json")):
        try:
            records[file.stem] = Record(**json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            known = ", ".join(field.name for field in fields(Record))
            raise ValueError(f"{file} is not the record of a measurement ({known}): {error}") from error
    return records


def write_record(folder: Path, name: str, record: Record) -> None:
    """Write a record, in place of an earlier one."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_text(folder / f"{name}.json", json.dumps(asdict(record), indent=1) + "\n")


def digests(measurement: Measurement) -> dict[str, str]:
    """A digest of each network that the command loads, by the player's name, or of its source; of those there are."""
    if not measurement.is_played:
        assert measurement.source is not None
        file = ROOT / measurement.source
        file = file / METRICS_FILE if measurement.is_training else file
        return {str(measurement.source): _digest(file)} if file.exists() else {}
    found: dict[str, str] = {}
    for word in measurement.arguments:
        is_shipped = word.partition(":")[0] in SHIPPED
        folder = SHIPPED_NETWORK if is_shipped else ROOT / word
        if (folder / "policy.json").is_file():
            counts = [SHIPPED_COUNTS] * is_shipped  # behind its choices near the end of a game
            found[word] = _digest(folder / "policy.json", *sorted(folder.glob("*.safetensors")), *counts)
    return found


def _digest(*files: Path) -> str:
    """The first 16 digits of the SHA-256 of the contents."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def measure(
    measurement: Measurement,
    trainings: Mapping[str, Measurement],
    commit: str | None,
    say: Callable[[str], object],
) -> Record:
    """Play a measurement, or take its result from its source, and return its record.

    Args:
        measurement: what to measure.
        trainings: the trainings of the list by their run folders, to name those that are missing.
        commit: the commit of the checkout; records that were written since do not make it "-dirty".
        say: called with a line before minutes of play.

    Raises:
        MissingSourceError: if a run folder or a file that it needs is missing, or the run in it is not finished.
        RuntimeError: if the command fails; it has said why.
        ValueError: if the source is damaged.
    """
    if measurement.is_training:
        return _taken_from_run(measurement)
    if not measurement.is_played:
        return _taken_from_benchmark(measurement)
    for folder in measurement.run_folders:
        _check_run(trainings[folder])
    say(f"{measurement.name}: {measurement.command}")
    started, before = time.monotonic(), digests(measurement)
    _, *arguments = measurement.arguments
    played = subprocess.run(
        [sys.executable, "-m", "euchre_eval.cli", *arguments, "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    if played.returncode != 0:
        raise RuntimeError(f"{measurement.command} ended with status {played.returncode}")
    return Record(
        command=measurement.command,
        commit=commit,
        date=_day(time.time()),
        seconds=round(time.monotonic() - started, 1),
        versions={"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        networks=before,
        result=json.loads(played.stdout),
    )


def _check_run(training: Measurement) -> tuple[list[dict[str, float]], dict[str, Any]]:
    """The metrics and the settings of a finished run."""
    assert training.source is not None
    folder = ROOT / training.source
    if not (folder / METRICS_FILE).exists():
        raise MissingSourceError(f"{training.source} is missing; it is made by: {training.command}")
    metrics = read_metrics(folder / METRICS_FILE)
    settings: dict[str, Any] = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    done, of = round(metrics[-1]["update"]), settings["num_updates"]
    if done < of:
        raise MissingSourceError(f"{training.source} is not finished: {done} of {of} updates")
    return metrics, settings


def _taken_from_run(training: Measurement) -> Record:
    """The record of a training: its length, what it cost, and its evaluations against the rule-based player."""
    assert training.source is not None
    metrics, settings = _check_run(training)
    folder = ROOT / training.source
    manifest: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    seconds, evaluations = 0.0, list[dict[str, float | None]]()
    for update in metrics:
        seconds += sum(value for name, value in update.items() if name.startswith("time/"))
        if STRENGTH in update:
            names = {"mean": STRENGTH, "low": f"{STRENGTH}_low", "high": f"{STRENGTH}_high"}
            points = {key: None if isnan(update[name]) else round(update[name], 5) for key, name in names.items()}
            evaluations.append({"deals": update[DEALS], "hours": round(seconds / 3600, 4), **points})
    cores = settings["num_processes"] * settings["num_threads"]
    return Record(
        command=training.command,
        commit=manifest["git_commit"],
        date=_day((folder / METRICS_FILE).stat().st_mtime),
        seconds=round(seconds, 1),
        versions={"python": manifest["python"], **manifest["versions"]},
        networks=digests(training),
        result={
            "arguments": manifest["command"][1:],
            "deals": metrics[-1][DEALS],
            "cores": cores,
            "core_hours": round(seconds * cores / 3600, 3),
            **{name: settings[name] for name in ("seed", "precision", "num_updates")},
            "evaluations": evaluations,
        },
    )


def _taken_from_benchmark(benchmark: Measurement) -> Record:
    """The record of a benchmark, from the file that it has written."""
    assert benchmark.source is not None
    file = ROOT / benchmark.source
    if not file.exists():
        raise MissingSourceError(f"{benchmark.source} is missing; it is made by: {benchmark.command}")
    result: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    settings, machine = result["settings"], result["machine"]
    return Record(
        command=benchmark.command,
        commit=settings.pop("commit"),
        date=_day(file.stat().st_mtime),
        seconds=None,
        versions={name: machine.pop(name) for name in ("python", *PACKAGES)},
        networks=digests(benchmark),
        result=result,
    )


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
