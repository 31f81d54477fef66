"""Loops in processes of their own that take turns: each waits for a line, has its turn, and answers in a line of JSON.

So each loop may have an interpreter and packages of its own, and none runs during the turn of another.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Answer: TypeAlias = dict[str, Any]  # what a process has measured in a turn


def serve(turn: Callable[[], Answer]) -> None:
    """Have a turn for every line of standard input, and print what it has measured: the side of the loop."""
    for _ in sys.stdin:
        print(json.dumps(turn()), flush=True)


class Worker:
    """A loop in one process, or in several that work together: the side of the benchmark.

    Several processes get the environment variables that `torchrun` gives to its own. Each process has one thread, and
    its errors go to the standard error of the benchmark.

    Args:
        command: starts a process that calls `serve`.
        num_processes: how many processes to start.
        environment: environment variables to set.
    """

    def __init__(
        self, command: Sequence[str], num_processes: int = 1, environment: Mapping[str, str] | None = None
    ) -> None:
        self._command = list(command)
        given = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
        if num_processes > 1:
            given |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port())}
            given |= dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE"), str(num_processes))
        self._processes = [
            subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=given | (dict.fromkeys(("RANK", "LOCAL_RANK"), str(rank)) if num_processes > 1 else {}),
            )
            for rank in range(num_processes)
        ]

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """End the processes: at the end of their input, or at once after an error."""
        for process in self._processes:
            assert process.stdin is not None
            if kind is not None:
                process.kill()
            else:
                process.stdin.close()
        for process in self._processes:
            with process:  # closes the pipes and waits
                pass

    def turn(self) -> list[Answer]:
        """Let every process have a turn, all at once, and return what each has measured.

        Raises:
            RuntimeError: if a process ends instead of answering.
        """
        try:
            for process in self._processes:
                assert process.stdin is not None
                process.stdin.write("\n")
                process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError(self._ended()) from None
        answers: list[Answer] = []
        for process in self._processes:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(self._ended())
            answers.append(json.loads(line))
        return answers

    def _ended(self) -> str:
        return f"a process ended in its turn; its error stands above: {' '.join(self._command)}"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
