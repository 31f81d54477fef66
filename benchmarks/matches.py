"""`euchre-eval match` by the clock, without the start of the program, and what a second process saves."""

import contextlib
import io
import time

from euchre_eval.cli import main

ROUNDS = 5
COMMANDS = {
    "match_rules_random": "match rules random --workers 1",
    "match_ppo_one_worker": "match ppo rules --workers 1",
    "match_ppo_two_workers": "match ppo rules --workers 2",
}


def match_seconds(rounds: int, deals: int) -> dict[str, list[float]]:
    """The seconds of each command, by name and round; they take turns, at most `ROUNDS` times.

    The time of two workers includes the start of the second process.

    Args:
        rounds: the number of turns.
        deals: of the matches of `ppo`, each played twice; the other has a tenth of them.
    """
    sizes = {name: deals if "ppo" in name else max(1, deals // 10) for name in COMMANDS}
    for name in COMMANDS:
        _seconds(name, 1)  # warm-up: compiles, and reads the network
    measured: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(min(rounds, ROUNDS)):
        for name, size in sizes.items():
            measured[name].append(_seconds(name, size))
    return measured


def _seconds(name: str, deals: int) -> float:
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        status = main([*COMMANDS[name].split(), f"--deals={deals}"])
    if status != 0:
        raise RuntimeError(f"euchre-eval {COMMANDS[name]} --deals={deals} ended with status {status}")
    return time.perf_counter() - start
