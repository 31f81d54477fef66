"""Measure the speed of euchre_env and its peers, and print the figures with the machine and the settings.

Every figure is a ratio to a peer measured in turns in the same run; `mixed_rules_over_one` compares two of our own
batches. `make bench` runs this.
"""

import argparse
import dataclasses
import json
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aec_loop
import batched_loop
import importing
import machine
from measuring import Ratio, Settings, rates, ratio


@dataclass(frozen=True)
class Figure:
    """A ratio of two measurements, with its bound, if any."""

    key: str
    ours: str
    theirs: str
    at_least: float | None = None
    at_most: float | None = None

    def holds(self, value: float) -> bool:
        """Whether `value` keeps the bound."""
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value < self.at_most)

    @property
    def bound(self) -> str:
        """The bound in words."""
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return "" if self.at_most is None else f"under {self.at_most:g}"


FIGURES = (
    Figure("aec_wrapped_over_texas", "euchre_wrapped", "texas_wrapped", at_least=2),
    Figure("aec_raw_over_texas", "euchre_raw", "texas_raw", at_least=4),
    Figure("aec_wrapped_over_empty", "euchre_wrapped", "empty_wrapped", at_least=0.6),
    Figure("aec_raw_over_empty", "euchre_raw", "empty_raw"),
    Figure("batched_over_openspiel", "batched", "openspiel", at_least=15),
    Figure("encoded_over_openspiel", "batched_encoded", "openspiel_encoded", at_least=20),
    Figure("mixed_rules_over_one", "batched_mixed", "batched"),
    Figure("import_over_pettingzoo", "euchre_env", "pettingzoo", at_most=3),
)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write the figures, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each loop has its turn (default 15, least 2)")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a turn lasts, roughly (default 0.3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE, too")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a figure misses its bound")
    options = parser.parse_args(arguments)
    if options.rounds < 2 or options.seconds <= 0:
        parser.error(f"needs 2 rounds or more and a positive time, not {options.rounds} and {options.seconds:g}")
    settings = Settings(options.rounds, options.seconds)

    decisions_per_second = {**rates(aec_loop.workloads(), settings), **rates(batched_loop.workloads(), settings)}
    import_seconds = importing.import_seconds(settings.rounds)
    measured = {**decisions_per_second, **import_seconds}
    ratios = {figure.key: ratio(measured[figure.ours], measured[figure.theirs]) for figure in FIGURES}
    report = {
        **{key: value.median for key, value in ratios.items()},
        "quartiles": {key: [value.low, value.high] for key, value in ratios.items()},
        "decisions_per_second": {name: statistics.median(values) for name, values in decisions_per_second.items()},
        "import_seconds": {name: statistics.median(values) for name, values in import_seconds.items()},
        "settings": {**dataclasses.asdict(settings), "num_tables": batched_loop.NUM_TABLES},
        "machine": machine.describe(),
    }
    print(text(report, ratios))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    missed = [figure.key for figure in FIGURES if not figure.holds(ratios[figure.key].median)]
    return 1 if options.check and missed else 0


def text(report: dict[str, Any], ratios: dict[str, Ratio]) -> str:
    """The report as tables."""
    lines = [f"{name:24} {value}" for part in ("machine", "settings") for name, value in report[part].items()]
    lines += ["", "decisions per second of CPU time (median)"]
    lines += [f"  {name:22} {value:14,.0f}" for name, value in report["decisions_per_second"].items()]
    lines += ["", "seconds of CPU time to import (median)"]
    lines += [f"  {name:22} {value:14.3f}" for name, value in report["import_seconds"].items()]
    lines += ["", f"{'figure':26} {'median':>7}  {'quartiles':>15}  {'bound':13} holds"]
    for figure in FIGURES:
        value = ratios[figure.key]
        verdict = ("yes" if figure.holds(value.median) else "NO") if figure.bound else ""
        spread = f"{value.low:.2f} to {value.high:.2f}"
        lines.append(f"{figure.key:26} {value.median:7.2f}  {spread:>15}  {figure.bound:13} {verdict}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
