"""Timing: a loop and its peer take turns, so that a busy machine slows both alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Workload: TypeAlias = Callable[[int], int]  # plays at least the given number of decisions and returns the number played


@dataclass(frozen=True)
class Settings:
    """The length of a measurement.

    Attributes:
        rounds: the number of turns of each workload.
        seconds: the approximate length of a turn.
    """

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Ratio:
    """The median of the ratios of all rounds, and their quartiles."""

    median: float
    low: float
    high: float


def rates(workloads: Mapping[str, Workload], settings: Settings) -> dict[str, list[float]]:
    """Decisions per second of CPU time, by workload and round; the workloads take turns: A B A B ...

    CPU time does not count other programs on the core.
    """
    sizes = {name: _turn(workload, settings.seconds) for name, workload in workloads.items()}
    measured: dict[str, list[float]] = {name: [] for name in workloads}
    for _ in range(settings.rounds):
        for name, workload in workloads.items():
            measured[name].append(_rate(workload, sizes[name]))
    return measured


def ratio(ours: list[float], theirs: list[float]) -> Ratio:
    """The ratio of our rates to theirs, round by round, so that a slow round cancels."""
    low, median, high = statistics.quantiles(
        [a / b for a, b in zip(ours, theirs, strict=True)], n=4, method="inclusive"
    )
    return Ratio(median, low, high)


def _rate(workload: Workload, size: int) -> float:
    start = time.process_time()
    num_decisions = workload(size)
    return num_decisions / (time.process_time() - start)


def _turn(workload: Workload, seconds: float) -> int:
    """The number of decisions in a turn. Every size is timed twice, because the first run may include compilation."""
    size = 1
    while size / max(_rate(workload, size), _rate(workload, size)) < seconds / 4:
        size *= 4
    return max(1, round(seconds * _rate(workload, size)))
