"""The records: a file for each measurement, with its result and all that is needed to repeat it.

    docs/results/NAME.json

A record is made by playing its command, or by taking the result of a training run or a benchmark from what that left
behind. It is current while its command is that of the list and the networks that played are those of today. Nothing is
ever chosen among results: a new record takes the place of the old one.
"""

import json
import platform
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from importlib.metadata import version
from io import StringIO
from math import isnan
from pathlib import Path
from typing import Any

from euchre_env.files import replace_text
from euchre_train.cli import training_parser
from euchre_train.config import MAY_CHANGE, Config, load_config
from euchre_train.metrics_file import DEALS, METRICS_FILE, TIME, read_metrics, seconds_of
from euchre_train.plot import STRENGTH
from euchre_train.saved_networks import digest_of, digests_of_settings, player_digest
from report.measurements import RUNS, Measurement

ROOT = Path(__file__).parents[1]
PACKAGES = ("euchre-env", "numba", "numpy")
PROCESSES = "--nproc-per-node"
PROGRAMS = ("euchre-train", "euchre_train.cli")
OF_THE_MACHINE = ("precision", "num_processes")  # settings that are resolved when a run starts


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
    """A digest of each network that played or was learnt against, by the player's name; of a source, its digest."""
    result: dict[str, Any]

    def is_current(self, measurement: Measurement, with_runs: bool) -> bool:
        """Whether the record is one of `measurement` with the networks, or the source, that are there now.

        Args:
            measurement: the measurement of the list.
            with_runs: whether to compare what is in `runs/` too, as far as it is there: it is not part of the checkout.
        """
        now = digests(measurement)
        compared = [name for name in now if with_runs or RUNS not in name]
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
    """A digest of each network that the command loads, by the player's name, and of its source; of those there are.

    Raises:
        ValueError: if a training has no such settings; the message names the measurement.
    """
    if measurement.is_played:
        found = {word: player_digest(word, ROOT) for word in measurement.arguments}
        return {word: digest for word, digest in found.items() if digest is not None}
    assert measurement.source is not None
    file, networks = ROOT / measurement.source, dict[str, str]()
    if measurement.is_training:
        config, file = _settings_asked_for(measurement), file / METRICS_FILE
        networks = _by_name(digests_of_settings(config, ROOT), config)
    return networks | ({str(measurement.source): digest_of(file)} if file.exists() else {})


def _by_name(digests: Mapping[str, str], config: Config) -> dict[str, str]:
    """The digests of `digests_of_settings` by the names of the players; the networks to start from after "--from"."""
    names = {"opponents": config.opponents, "partner": config.partner, "start_from": f"--from {config.start_from}"}
    return {names[setting]: digest for setting, digest in digests.items()}


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
        ValueError: if the source is damaged, or was made by another command.
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
    result = json.loads(played.stdout)
    result.pop("swings", None)  # single deals, for reports of one match
    return Record(
        command=measurement.command,
        commit=commit,
        date=_day(time.time()),
        seconds=round(time.monotonic() - started, 1),
        versions={"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        networks=before,
        result=result,
    )


@dataclass(frozen=True)
class _Run:
    """What a finished run has left."""

    metrics: list[dict[str, float]]
    config: Config
    manifest: dict[str, Any]


def _check_run(training: Measurement) -> _Run:
    """The run of a training, which is finished and was made by its command, under its settings.

    Raises:
        MissingSourceError: if the run is missing or not finished.
        ValueError: if another command has made it, a file of it is damaged, or the training has no such settings.
    """
    assert training.source is not None
    folder = ROOT / training.source
    if not (folder / METRICS_FILE).exists():
        raise MissingSourceError(f"{training.source} is missing; it is made by: {training.command}")
    metrics, config = read_metrics(folder / METRICS_FILE), load_config(folder / "config.yaml")
    manifest: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    done, of = round(metrics[-1]["update"]), config.num_updates
    if done < of:
        raise MissingSourceError(f"{training.source} is not finished: {done} of {of} updates")
    differences = [*_other_arguments(training, manifest["command"]), *_other_settings(training, config)]
    if differences:
        raise ValueError(
            f"{training.source} was made by another command than {training.command}: {'; '.join(differences)}"
        )
    return _Run(metrics, config, manifest)


def _other_arguments(training: Measurement, command: list[str]) -> list[str]:
    """How the command line of a run differs from that of the list; paths may differ up to their last names."""
    asked, given = _options(training.arguments), _options(["euchre-train", *command[1:]])
    if given is None:
        return [f"it was {' '.join(command)}"]
    assert asked is not None  # `_settings_asked_for` has refused it
    differences: list[str] = []
    for option, name in (("--config", "config"), ("--set", "changes"), ("--from", "start_from")):
        before, now = getattr(given, name), getattr(asked, name)
        if name != "changes":
            before, now = (None if path is None else path.resolve().name for path in (before, now))
        if before != now:
            differences.append(f"{option} was {before} and is {now} in the list")
    return differences


def _other_settings(training: Measurement, config: Config) -> list[str]:
    """How the settings of a run differ from those of the list, of which some may change (`MAY_CHANGE`)."""
    asked, differences = _settings_asked_for(training), list[str]()
    for setting in (each.name for each in fields(Config)):
        before, now = getattr(config, setting), getattr(asked, setting)
        if setting in OF_THE_MACHINE:
            is_same = before == now or now == "auto"
        elif setting == "start_from":
            is_same = Path(before).resolve().name == Path(now).resolve().name if before and now else before == now
        else:
            is_same = before == now or setting in MAY_CHANGE
        if not is_same:
            differences.append(f"{setting} was {before!r} and is {now!r} in the list")
    return differences


def _settings_asked_for(training: Measurement) -> Config:
    """The settings of a training of the list, with the number of processes that torchrun starts.

    Raises:
        ValueError: if they are no settings; the message names the measurement.
    """
    words = training.arguments
    options = _options(words)
    try:
        if options is None:
            raise ValueError("euchre-train has no such options")
        file = None if options.config is None else ROOT / options.config
        config = load_config(file, options.changes, start_from=options.start_from)
        number = words[words.index(PROCESSES) + 1] if PROCESSES in words else "1"
        return replace(config, num_processes=int(number))
    except ValueError as error:
        raise ValueError(f"{training.name}: {error}") from error


def _options(words: list[str]) -> Namespace | None:
    """The options of a command that trains, given its words, the program among them; None if there are no such."""
    place = next((place for place, word in enumerate(words) if word in PROGRAMS), None)
    parser = training_parser()
    try:
        with redirect_stderr(StringIO()):
            return None if place is None else parser.parse_args(words[place + 1 :])
    except SystemExit:
        return None


def _taken_from_run(training: Measurement) -> Record:
    """The record of a training: its length, what it cost, and its evaluations against the rule-based player."""
    assert training.source is not None
    run = _check_run(training)
    metrics, config, manifest = run.metrics, run.config, run.manifest
    seconds, evaluations = 0.0, list[dict[str, float | None]]()
    for update in metrics:
        seconds += seconds_of(update)
        if STRENGTH in update:
            names = {"mean": STRENGTH, "low": f"{STRENGTH}_low", "high": f"{STRENGTH}_high"}
            points = {key: None if isnan(update[name]) else round(update[name], 5) for key, name in names.items()}
            evaluations.append({"deals": update[DEALS], "hours": round(seconds / 3600, 4), **points})
    seconds += sum(entry["seconds_lost"] for entry in manifest.get("resumes", []))
    phases = {name.removeprefix(TIME) for update in metrics for name in update if name.startswith(TIME)}
    cores = config.num_processes * config.num_threads
    source = str(training.source)
    return Record(
        command=training.command,
        commit=manifest["git_commit"],
        date=_day((ROOT / training.source / METRICS_FILE).stat().st_mtime),
        seconds=round(seconds, 1),
        versions={"python": manifest["python"], **manifest["versions"]},
        networks={source: digests(training)[source]}
        | _by_name(manifest.get("networks", {}), _settings_asked_for(training)),
        result={
            "arguments": manifest["command"][1:],
            "deals": metrics[-1][DEALS],
            "cores": cores,
            "core_hours": round(seconds * cores / 3600, 3),
            "counted": sorted(phases),
            **{name: getattr(config, name) for name in ("seed", "precision", "num_updates")},
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
