"""Reading `metrics.jsonl`, the file of a run folder with a JSON object per update.

This module imports the standard library only, so that curves can be drawn where torch is not installed.
"""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

METRICS_FILE = "metrics.jsonl"
DEALS = "charts/deals"
TIME = "time/"


def read_lines(file: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield each line, ended by a line feed, with its JSON object, which has a whole number "update".

    A last line without a line feed that is not such an object is left out: the run was killed while it was written.

    Raises:
        ValueError: if another line is not such an object; the message names file and line.
        OSError: if the file cannot be read.
    """
    lines = file.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            if not isinstance(record, dict) or type(record.get("update")) is not int:
                raise ValueError("it has no whole number 'update'")
        except (ValueError, RecursionError) as error:
            if number == len(lines) and not line.endswith(b"\n"):
                return
            raise ValueError(_faulty(file, number, error)) from error
        yield line.rstrip() + b"\n", record


def seconds_of(metrics: Mapping[str, Any]) -> float:
    """How long the phases of an update took together, in seconds: the sum of the metrics `time/...` that are known."""
    times = [value for name, value in metrics.items() if name.startswith(TIME)]
    return sum(value for value in times if isinstance(value, int | float) and math.isfinite(value))


def read_metrics(file: Path) -> list[dict[str, float]]:
    """Read the metrics of every update, by name; nan where the file has null. Each has the number of deals played.

    Raises:
        ValueError: if there is no update, a line is not a record of one, or a value is not a finite number or null; the
            message names file and line.
        OSError: if the file cannot be read.
    """
    metrics: list[dict[str, float]] = []
    for number, (_, record) in enumerate(read_lines(file), start=1):
        try:
            metrics.append({name: _number(name, value) for name, value in record.items()})
            if math.isnan(metrics[-1].get(DEALS, math.nan)):
                raise ValueError(f"it has no number {DEALS!r}")
        except (ValueError, OverflowError) as error:
            raise ValueError(_faulty(file, number, error)) from error
    if not metrics:
        raise ValueError(f"{file}, line 1: expected the metrics of an update, but no update is finished")
    return metrics


def _number(name: str, value: object) -> float:
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{name!r} is {value!r:.40}, neither a finite number nor null")
    return float(value)


def _faulty(file: Path, number: int, error: Exception) -> str:
    return f"{file}, line {number}, does not hold the metrics of an update: {error}"
