"""Training beside its peers: decisions with a choice per second, end to end and by phase, and the matrix rates.

Our trainer has two processes, one a core, and is timed by the clock, as a user would. Each peer has one process and is
timed by the CPU time of its core, which does not count other programs.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from turns import Answer, Worker

HERE = Path(__file__).parent
SOURCE_ROOTS = (".", "agents", "eval", "train")  # of a checkout, where its packages are found


@dataclass(frozen=True)
class Loop:
    """A trainer, in one process or several.

    Attributes:
        command: starts a process of it.
        num_processes: how many processes train together.
        environment: environment variables to set.
    """

    command: Sequence[str]
    num_processes: int = 1
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Measured:
    """What a loop did in one turn, all its processes together.

    Attributes:
        decisions: decisions with a choice that it learnt from.
        wall: seconds by the clock.
        cpu: seconds of CPU time.
        phases: seconds by the clock in each phase that the loop reports.
        gflops: GFLOP/s: torch's matrix products in each number format, and the learning step as "learn".
    """

    decisions: int
    wall: float
    cpu: float
    phases: Mapping[str, float]
    gflops: Mapping[str, float]


def loops(
    deals: int, num_processes: int, bfloat16: bool, masked_ppo: Path | None, baseline: Path | None
) -> dict[str, Loop]:
    """The loops to measure, by name; ours at the width of each peer.

    Args:
        deals: deals of an update.
        num_processes: processes of our trainer.
        bfloat16: whether our trainer computes in bfloat16; otherwise, and in the peers, in float32.
        masked_ppo: the interpreter of the environment with sb3-contrib; without it there is no MaskablePPO.
        baseline: another checkout of this project, whose trainer is a peer in one process.
    """

    def command(width: int, *options: str) -> list[str]:
        return [sys.executable, str(HERE / "training_loop.py"), f"--width={width}", f"--deals={deals}", *options]

    def ours(width: int) -> Loop:
        options = ["--precision", "bfloat16", "--dtypes", "float32", "bfloat16"] if bfloat16 else []
        return Loop(command(width, *options), num_processes)

    chosen = {"training_128": ours(128)}
    if masked_ppo is not None:
        chosen["masked_ppo_128"] = Loop([str(masked_ppo), str(HERE / "masked_ppo.py"), "--serve"])
    if baseline is not None:
        chosen["training_256"] = ours(256)
        packages = os.pathsep.join(str(baseline.resolve() / root) for root in SOURCE_ROOTS)
        chosen["baseline_256"] = Loop(command(256), environment={"PYTHONPATH": packages})
    return chosen


def measure(chosen: Mapping[str, Loop], rounds: int) -> dict[str, list[Measured]]:
    """What each loop did, by loop and round; the loops take turns, after a warm-up of one turn each."""
    with ExitStack() as stack:
        workers = {
            name: stack.enter_context(Worker(loop.command, loop.num_processes, loop.environment))
            for name, loop in chosen.items()
        }
        measured: dict[str, list[Measured]] = {name: [] for name in workers}
        for number in range(-1, rounds):
            for name, worker in workers.items():
                turn = together(worker.turn())
                if number >= 0:
                    measured[name].append(turn)
    return measured


def together(answers: Sequence[Answer]) -> Measured:
    """What several processes did in one turn; the first one counts the decisions of all."""
    first = answers[0]
    gflops: dict[str, float] = {
        name: sum(answer["matmul"][name] for answer in answers) for name in first.get("matmul", {})
    }
    phases: dict[str, float] = first.get("phases", {})
    if "learn" in phases:
        gflops["learn"] = first["learning_gflop"] / phases["learn"]
    return Measured(
        decisions=first["decisions"],
        wall=max(answer["wall"] for answer in answers),
        cpu=sum(answer["cpu"] for answer in answers),
        phases=phases,
        gflops=gflops,
    )


def rates(measured: Mapping[str, Sequence[Measured]]) -> dict[str, list[float]]:
    """Decisions per second, by loop and round: of the clock as "NAME wall", of CPU time as "NAME cpu"."""
    found: dict[str, list[float]] = {}
    for name, turns in measured.items():
        found[f"{name} wall"] = [turn.decisions / turn.wall for turn in turns]
        found[f"{name} cpu"] = [turn.decisions / turn.cpu for turn in turns]
    return found


def summary(turns: Sequence[Measured]) -> dict[str, dict[str, float]]:
    """The medians of a loop's rounds: decisions per second, end to end and in each phase, and GFLOP/s."""
    per_second = {
        "wall": [turn.decisions / turn.wall for turn in turns],
        "cpu": [turn.decisions / turn.cpu for turn in turns],
        **{phase: [turn.decisions / turn.phases[phase] for turn in turns] for phase in turns[0].phases},
    }
    gflops = {name: [turn.gflops[name] for turn in turns] for name in turns[0].gflops}
    return {
        "decisions_per_second": {name: statistics.median(values) for name, values in per_second.items()},
        "gflops": {name: statistics.median(values) for name, values in gflops.items()},
    }


def text(summaries: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[str]:
    """The summaries of the loops as lines: a table of decisions per second and one of GFLOP/s."""
    lines: list[str] = []
    for title, key, form in (
        ("training, decisions per second (median)", "decisions_per_second", ",.0f"),
        ("GFLOP/s: torch's matrix products, learning step", "gflops", ",.1f"),
    ):
        columns = list(dict.fromkeys(column for found in summaries.values() for column in found[key]))
        if not columns:
            continue
        lines += ["", f"{title:48}" + "".join(f"{column:>10}" for column in columns)]
        for name, found in summaries.items():
            if not found[key]:
                continue
            numbers = [f"{found[key][column]:{form}}" if column in found[key] else "" for column in columns]
            lines.append((f"  {name:46}" + "".join(f"{number:>10}" for number in numbers)).rstrip())
    return lines


def commit_of(checkout: Path) -> str:
    """The commit of a checkout, or its folder where git does not tell."""
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or str(checkout)


def sb3_version(python: Path) -> str:
    """The release of sb3-contrib in the environment of an interpreter."""
    code = "from importlib.metadata import version; print('sb3-contrib', version('sb3-contrib'))"
    done = subprocess.run([str(python), "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()
