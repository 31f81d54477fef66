"""A program of any language as a player: `load("cmd:python my_bot.py")`. docs/bots.md has the protocol.

Each seat and play of a match has a process of its own. A fault of the program, such as a crash, silence or an answer
that cannot be read, is an error of the player, which a match counts as a renege.
"""

import json
import os
import shlex
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from euchre_agents.line_process import LateAnswerError, LineProcess, ProcessError
from euchre_agents.policy import Explanation
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env import __version__
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS, actions_in, parse_action, phrase
from euchre_env.checks import shortened, whole_number
from euchre_env.deal import PHASES, Seat
from euchre_env.drawing.view_sentences import view_text
from euchre_env.kernel import Records
from euchre_env.named_facts import view_facts
from euchre_env.observation import encode
from euchre_env.view import View, batch_of

PROTOCOL = 1
"""The version of the protocol."""
START_SECONDS = 60.0
"""The time in which a program must be ready."""
ANSWER_SECONDS = 10.0
"""The time for a decision, if a match sets no limit."""
MAX_LATE, MAX_FAULTS = 3, 100
"""A program that was late, or had any fault, this often is not started again; each play of a match counts anew."""


class CommandPlayer(ViewPolicy):
    """A program that is asked over its standard input and answers over its standard output, in lines of JSON.

    It is started when it is first needed, in an empty working directory. After a fault it is ended, and started again
    at the next deal, until it had too many faults.

    Args:
        command: the program and its arguments, as text that is split as a shell does, or as a list of words. A word
            that is the path of a file, from the present folder, is made absolute.
        seconds: the time for a decision.

    Raises:
        ValueError: if the command is empty or cannot be split, or there is no such program.
    """

    def __init__(self, command: str | Sequence[str], *, seconds: float = ANSWER_SECONDS) -> None:
        words = _words(command)
        super().__init__(f"cmd:{command if isinstance(command, str) else shlex.join(words)}", seed=0)
        self.words = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]
        """The program and its arguments."""
        if shutil.which(self.words[0]) is None:
            raise ValueError(f"player {self.name!r}: there is no program {shortened(words[0])}")
        self.seconds = seconds
        """The time for a decision."""
        self._process: LineProcess | None = None
        self._num_late = self._num_faults = 0

    def fresh(self) -> "CommandPlayer":
        """Another player of the same command, whose process is not started yet."""
        return CommandPlayer(self.words, seconds=self.seconds)

    def limit_time(self, seconds: float) -> None:
        """Set the time for a decision."""
        self.seconds = seconds

    def reset(self, seat: Seat, seed: int) -> None:
        """Tell the program that a deal begins in which it has the absolute seat `seat`; start it if it is not running.

        Raises:
            ProcessError: if it cannot be started, is not ready in time or does not read, or had too many faults.
        """
        process = self._running()
        with self._faults_counted():
            process.tell(_message("deal", seat=int(seat), seed=int(seed)))

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """The program's answer at each of `views`, which may be illegal; the keys do not matter.

        Raises:
            ValueError: if a view's owner is not to act.
            ProcessError: as `reset`; or if the answer is late or names no action.
        """
        check_decisions(views, keys)
        return np.array([self._ask(view) for view in views], np.int64)

    def explain(self, view: View) -> list[Explanation]:
        """The program's answer with probability 1, then the other legal actions; it does not say why."""
        check_view(view)
        (chosen,) = self.act_views(batch_of(view), np.zeros(1, np.int64))
        actions = sorted(actions_in(int(view["legal"])), key=lambda action: action != chosen)
        reasons = {True: "The program answers so.", False: "The program answers otherwise."}
        return [Explanation(a, float(a == chosen), None, reasons[bool(a == chosen)]) for a in actions]

    def close(self) -> None:
        """End the process, if it runs."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _running(self) -> LineProcess:
        """The process, started and ready."""
        if self._process is None:
            if self._num_late >= MAX_LATE or self._num_faults >= MAX_FAULTS:
                times = f"{self._num_late} times late" if self._num_late >= MAX_LATE else f"{MAX_FAULTS} faults"
                raise ProcessError(f"the program is not started again after {times}")
            with self._faults_counted():
                self._process = LineProcess(self.words)
                hello = _message("start", protocol=PROTOCOL, version=__version__, actions=ACTION_NAMES)
                answer = self._process.ask(hello, START_SECONDS)
                if _value_in(answer) != "ready":
                    raise ProcessError(f'at its start it must answer "ready", not {shortened(answer)}')
        return self._process

    def _ask(self, view: View) -> int:
        process = self._running()
        legal = actions_in(int(view["legal"]))
        question = _message(
            "decision",
            view=view_facts(view),
            legal_ids=legal,
            text=view_text(view),
            observation=encode(view).tolist(),
            mask=[int(action in legal) for action in range(NUM_ACTIONS)],
        )
        with self._faults_counted():
            return _action_in(process.ask(question, self.seconds), legal, PHASES[view["phase"]])

    @contextmanager
    def _faults_counted(self) -> Generator[None]:
        """Count a fault of the process, and end it: what it may still write answers no later question."""
        try:
            yield
        except ProcessError as fault:
            self._num_faults += 1
            self._num_late += isinstance(fault, LateAnswerError)
            self.close()
            raise
        except KeyboardInterrupt:
            self.close()
            raise


def _words(command: str | Sequence[str]) -> list[str]:
    """The words of a command.

    Raises:
        ValueError: if there are none, or quotes are not closed.
    """
    if not isinstance(command, str):
        words = list(command)
        if not all(isinstance(word, str) for word in words):
            raise ValueError(f"a command is text or a list of words, not {shortened(command)}")
    else:
        try:
            words = shlex.split(command, posix=os.name == "posix")
        except ValueError as error:
            raise ValueError(f"the command {shortened(command)} cannot be split into words: {error}") from error
    if not words:
        raise ValueError('a command must name a program, as in "cmd:python my_bot.py"')
    return words


def _message(kind: str, **values: Any) -> str:
    return json.dumps({"type": kind, **values})


def _value_in(line: str) -> Any:
    """The JSON value of a line.

    Raises:
        ProcessError: if there is none.
    """
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ProcessError(f"its answer is not JSON: {shortened(line)}") from None


def _action_in(line: str, legal: list[int], phase: str) -> int:
    """The action that a line of JSON names: an id or a name, alone or as "action" of an object.

    Raises:
        ProcessError: if it names none.
    """
    value = _value_in(line)
    if isinstance(value, dict):
        if "action" not in value:
            raise ProcessError(f'its answer has no "action": {shortened(line)}')
        value = value["action"]
    if isinstance(value, str):
        as_said = {phrase(action, phase): action for action in legal}  # "decline", which is a pass
        try:
            return as_said[value] if value in as_said else parse_action(value)
        except ValueError:
            raise ProcessError(f"its answer is not the name of an action: {shortened(value)}") from None
    number = whole_number(value)
    if number is None or not 0 <= number < NUM_ACTIONS:
        raise ProcessError(f"its answer is not the id of an action, 0 to {NUM_ACTIONS - 1}: {shortened(value)}")
    return number
