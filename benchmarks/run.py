"""Measure the speed of euchre_env and its peers, and print the figures with the machine and the settings.

Every figure is a ratio to a peer measured in turns in the same run; `mixed_rules_over_one`, `ppo_batched_over_single`,
`solver_over_plain` and `match_one_over_two_workers` compare two loops of our own. Training is compared only with the
peers that are given. `make bench` runs this.
"""

import argparse
import dataclasses
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aec_loop
import batched_loop
import deciding_loop
import importing
import machine
import matches
import searching_loop
import solving_loop
import training
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
    Figure("ppo_batched_over_single", "ppo_batched", "ppo_single"),
    Figure("solver_over_plain", "solver", "plain_alpha_beta", at_least=13),
    Figure("match_one_over_two_workers", "match_ppo_one_worker", "match_ppo_two_workers", at_least=1.7),
    Figure("import_over_pettingzoo", "euchre_env", "pettingzoo", at_most=3),
)


def training_figures(bfloat16: bool) -> tuple[Figure, ...]:
    """The figures of training; the bounds are for two cores, and depend on whether it computes in bfloat16."""
    return (
        Figure("training_over_masked_ppo", "training_128 wall", "masked_ppo_128 cpu", at_least=18 if bfloat16 else 13),
        Figure("training_over_baseline", "training_256 wall", "baseline_256 cpu", at_least=2.8 if bfloat16 else 1.7),
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write the figures, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how often each loop has its turn (default 15, least 2)")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a turn lasts, roughly (default 0.3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE, too")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a figure misses its bound")
    parser.add_argument("--masked-ppo", type=Path, metavar="PYTHON", help="interpreter of .venv-masked-ppo, a peer")
    parser.add_argument("--baseline", type=Path, metavar="FOLDER", help="another checkout, whose trainer is a peer")
    parser.add_argument("--processes", type=int, default=2, help="processes of our trainer (default 2)")
    parser.add_argument("--deals", type=int, default=4096, help="deals of an update, a turn of training (default 4096)")
    parser.add_argument("--match-deals", type=int, default=100_000, help="deals of the long match (default 100000)")
    options = parser.parse_args(arguments)
    if options.rounds < 2 or options.seconds <= 0:
        parser.error(f"needs 2 rounds or more and a positive time, not {options.rounds} and {options.seconds:g}")
    if min(options.processes, options.deals, options.match_deals) < 1:
        found = f"{options.processes}, {options.deals} and {options.match_deals}"
        parser.error(f"needs a process, a deal of training and a deal of a match or more, not {found}")
    if options.masked_ppo is not None and not options.masked_ppo.exists():
        parser.error(f"there is no {options.masked_ppo}; `make bench` sets it up")
    if options.baseline is not None and not (options.baseline / "train" / "euchre_train").is_dir():
        parser.error(f"{options.baseline} is no checkout of this project: it has no train/euchre_train")
    settings = Settings(options.rounds, options.seconds)
    bfloat16 = machine.has_bfloat16()
    loops = training.loops(options.deals, options.processes, bfloat16, options.masked_ppo, options.baseline)

    loops_of_decisions = (aec_loop.workloads(), batched_loop.workloads(), deciding_loop.workloads())
    decisions_per_second = {name: r for each in loops_of_decisions for name, r in rates(each, settings).items()}
    solves_per_second = rates(solving_loop.workloads(), settings)
    deals_per_second = rates(searching_loop.workloads(), settings)
    views_per_second = rates(searching_loop.view_workloads(), settings)
    match_seconds = matches.match_seconds(settings.rounds, options.match_deals)
    import_seconds = importing.import_seconds(settings.rounds)
    learnt = training.measure(loops, settings.rounds)
    measured = decisions_per_second | solves_per_second | match_seconds | import_seconds | training.rates(learnt)
    figures = [*FIGURES, *(figure for figure in training_figures(bfloat16) if figure.theirs in measured)]
    ratios = {figure.key: ratio(measured[figure.ours], measured[figure.theirs]) for figure in figures}
    report = {
        **{key: value.median for key, value in ratios.items()},
        "quartiles": {key: [value.low, value.high] for key, value in ratios.items()},
        "decisions_per_second": {name: statistics.median(values) for name, values in decisions_per_second.items()},
        "solves_per_second": {name: statistics.median(values) for name, values in solves_per_second.items()},
        "deals_per_second": {name: statistics.median(values) for name, values in deals_per_second.items()},
        "views_per_second": {name: statistics.median(values) for name, values in views_per_second.items()},
        "match_seconds": {name: statistics.median(values) for name, values in match_seconds.items()},
        "import_seconds": {name: statistics.median(values) for name, values in import_seconds.items()},
        "training": {name: training.summary(turns) for name, turns in learnt.items()},
        "settings": {
            **dataclasses.asdict(settings),
            "num_tables": batched_loop.NUM_TABLES,
            "num_processes": options.processes,
            "deals_per_update": options.deals,
            "match_deals": options.match_deals,
            "commit": training.commit_of(Path(__file__).parents[1]),
            "precision": "bfloat16" if bfloat16 else "float32",
            **({} if options.masked_ppo is None else {"masked_ppo": training.sb3_version(options.masked_ppo)}),
            **({} if options.baseline is None else {"baseline": training.commit_of(options.baseline)}),
        },
        "machine": machine.describe(),
    }
    print(text(report, figures, ratios))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    missed = [figure.key for figure in figures if not figure.holds(ratios[figure.key].median)]
    return 1 if options.check and missed else 0


def text(report: dict[str, Any], figures: Sequence[Figure], ratios: dict[str, Ratio]) -> str:
    """The report as tables."""
    lines = [f"{name:24} {value}" for part in ("machine", "settings") for name, value in report[part].items()]
    lines += ["", "decisions per second of CPU time (median)"]
    lines += [f"  {name:22} {value:14,.0f}" for name, value in report["decisions_per_second"].items()]
    lines += ["", "open-hand solves per second of CPU time (median)"]
    lines += [f"  {name:22} {value:14,.0f}" for name, value in report["solves_per_second"].items()]
    lines += ["", "whole deals per second of CPU time (median)"]
    lines += [f"  {name:22} {value:14,.0f}" for name, value in report["deals_per_second"].items()]
    lines += ["", "views per second of CPU time, 256 worlds of each (median)"]
    lines += [f"  {name:22} {value:14,.1f}" for name, value in report["views_per_second"].items()]
    lines += ["", "seconds of a match by the clock (median)"]
    lines += [f"  {name:22} {value:14.2f}" for name, value in report["match_seconds"].items()]
    lines += ["", "seconds of CPU time to import (median)"]
    lines += [f"  {name:22} {value:14.3f}" for name, value in report["import_seconds"].items()]
    lines += training.text(report["training"])
    lines += ["", f"{'figure':26} {'median':>7}  {'quartiles':>15}  {'bound':13} holds"]
    for figure in figures:
        value = ratios[figure.key]
        verdict = ("yes" if figure.holds(value.median) else "NO") if figure.bound else ""
        spread = f"{value.low:.2f} to {value.high:.2f}"
        lines.append(f"{figure.key:26} {value.median:7.2f}  {spread:>15}  {figure.bound:13} {verdict}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
