"""The training process: run the remaining updates, save, print progress, and stop on a signal."""

import contextlib
import math
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from euchre_eval.command_line import INTERRUPTED, PLAIN_TEXT, point_at_devnull
from euchre_train.checkpoint import spread
from euchre_train.config import Config
from euchre_train.parallel import Processes, alone
from euchre_train.ppo import (
    Metrics,
    PhaseClock,
    Training,
    TrainingError,
    evaluate,
    is_out_of_memory,
    new_training,
    updates,
)
from euchre_train.rewards import RewardError
from euchre_train.run_folder import RunFolder, resume_run, start_run


def start_together(
    path: Path, config: Config, processes: Processes, resumes: bool = False, force: bool = False
) -> tuple[RunFolder | None, Training]:
    """Start or resume a run in all processes; if one of them cannot, all end, and a new run leaves no folder.

    Args:
        path: the run folder.
        config: the settings of the run.
        processes: the processes that are to train it.
        resumes: whether the run exists.
        force: see `resume_run`.

    Returns:
        The run folder in the first process, None in the others; and the training.

    Raises:
        ValueError: in the first process, if the run cannot be started or resumed here, or in another process.
        TrainingError: if the networks do not fit in memory.
        OSError: if a file cannot be read or written.
    """
    run: RunFolder | None = None
    try:
        with processes.failing_together():
            if not processes.is_first:
                training = new_training(config, processes.device)
            elif resumes:
                run, training = resume_run(path, processes, force)
            else:
                run, training = start_run(path, config, processes)
        spread(training, processes)  # the others may compute other initial weights, or read another disk
    except BaseException:
        if run is not None:
            if run.is_new:
                run.discard()
            run.close()
        raise
    return run, training


def train(run: RunFolder, training: Training, processes: Processes | None = None) -> int:
    """Run the remaining updates with their checkpoints, close the run, and return the exit status.

    The first Ctrl-C, SIGTERM or SIGHUP saves after the update in progress. Training continues if standard output is
    closed or full, or cannot encode a character.

    Returns:
        0 at the end of the run, 130 after a signal.

    Raises:
        TrainingError: if training diverges, memory runs out, a file cannot be written, or the reward gives no numbers.
            The last checkpoint is kept, and the message says which; a new run that did not finish an update is removed.
        KeyboardInterrupt: at the second Ctrl-C.
    """
    with run:
        try:
            return _run_to_end(run, training, processes or alone(run.config.device))
        except (TrainingError, RewardError) as error:
            cause, reason = error, str(error)
        except Exception as error:
            cause = error
            if isinstance(error, OSError) and error.filename and Path(error.filename).parent == run.path:
                reason = f"{error.filename} cannot be written: {error.strerror}"
            elif is_out_of_memory(error):
                reason = f"update {training.update + 1} does not fit in memory; try a smaller deals_per_update"
            else:  # a defect, or an exception of the user's code
                _what_is_kept(run, training)
                raise
        raise TrainingError(f"{run.path}: {reason}; {_what_is_kept(run, training)}") from cause


def _run_to_end(run: RunFolder, training: Training, processes: Processes) -> int:
    config, started = run.config, Stopwatch(training.update)
    passed = dict[str, float]()  # in seconds, since the metrics of the last update
    for change in run.changes:
        say(f"{run.path}: {change}")
    say(f"{run.path}: updates {training.update} to {config.num_updates} of {config.deals_per_update:,} deals")
    with Interrupt() as interrupt:
        for metrics in updates(training, config, processes):
            if training.update % config.eval_every == 0 or training.update == config.num_updates:
                clock = PhaseClock()
                metrics |= evaluate(training.model, config)
                clock.end("evaluate")
                passed |= clock.seconds
                say(progress_line(training.update, config, metrics, started))
            run.log(training.update, metrics | {f"time/{phase}": seconds for phase, seconds in passed.items()})
            passed.clear()
            if processes.any(interrupt.requested):
                break
            if training.update % config.checkpoint_every == 0:
                clock = PhaseClock()
                run.save(training)
                clock.end("save")
                passed |= clock.seconds
        run.save(training)
    if training.update < config.num_updates:
        say(f"interrupted; saved. Continue with: euchre-train --resume {run.path}")
        return INTERRUPTED
    say(f"done: the player is in {run.path}")
    return 0


def train_as_worker(config: Config, training: Training, processes: Processes) -> int:
    """Run the remaining updates in a process that is not the first, which writes nothing; return the exit status.

    Raises:
        TrainingError: if training diverges.
        KeyboardInterrupt: at the second Ctrl-C.
    """
    with Interrupt(announce=False) as interrupt:
        for _ in updates(training, config, processes):
            if processes.any(interrupt.requested):
                break
    return 0 if training.update == config.num_updates else INTERRUPTED


def _what_is_kept(run: RunFolder, training: Training) -> str:
    """Describe what is kept of a run that has failed; a new run without a finished update is removed."""
    if run.saved_update is not None:
        return f"its checkpoint after update {run.saved_update} is kept"
    if run.is_new and training.update == run.config.start_update:
        run.discard()
        return "no update was finished, so nothing is kept"
    return "it has no checkpoint yet"


def say(line: str) -> None:
    """Print a line if possible, with `+-` and escapes for characters that the encoding lacks."""
    try:
        try:
            print(line, flush=True)
        except UnicodeEncodeError:
            encoding = sys.stdout.encoding
            print(line.encode(encoding, PLAIN_TEXT).decode(encoding), flush=True)
    except OSError:  # a pipe without a reader, a full disk, a closed terminal
        _discard_output()
    except (ValueError, RuntimeError):  # closed, or in use by the `print` that a signal has interrupted
        pass


def _discard_output() -> None:
    """Redirect standard output to the null device: its buffered text would fail again when Python ends."""
    with contextlib.suppress(OSError, ValueError):  # it may have no file descriptor
        point_at_devnull(sys.stdout.fileno())


class Stopwatch:
    """Measures the time since `update`, and estimates the time of the remaining updates."""

    def __init__(self, update: int) -> None:
        self._update, self._started = update, time.monotonic()

    def __call__(self, update: int, num_updates: int) -> tuple[float, float]:
        """Seconds since the start, and seconds left until `num_updates`."""
        passed = time.monotonic() - self._started
        return passed, passed / max(1, update - self._update) * (num_updates - update)


class Interrupt:
    """Turns the first Ctrl-C, SIGTERM or SIGHUP into a request to stop after the update in progress.

    A second Ctrl-C or SIGTERM stops at once. A second SIGHUP does not: a terminal that closes may send several. If
    SIGHUP is ignored, as under nohup, it stays ignored.

    Args:
        announce: whether to print that training will stop.
    """

    def __init__(self, announce: bool = True) -> None:
        self.requested = False
        self._announce = announce
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> "Interrupt":
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is None or (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):
                continue
            self._handlers[number] = signal.signal(number, self._request)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave

    def _request(self, number: int, frame: FrameType | None) -> None:
        if not self.requested:
            self.requested = True
            if self._announce:
                say("stopping after this update; interrupt again to stop at once without saving")
        elif number in (signal.SIGINT, signal.SIGTERM):
            raise KeyboardInterrupt


def progress_line(update: int, config: Config, metrics: Metrics, stopwatch: Stopwatch) -> str:
    """Format one line: deals played, speed, strength of the player, elapsed and remaining time."""
    passed, left = stopwatch(update, config.num_updates)
    points = metrics["eval/points_per_deal_vs_rules"]
    margin = metrics["eval/points_per_deal_vs_rules_high"] - points
    shown = "unknown" if math.isnan(margin) else f"{margin:.3f}"
    seeing = ", seeing all cards" if config.actor == "all_hands" else ""
    return (
        f"{metrics['charts/deals']:,} of {config.num_deals:,} deals"
        f" | {metrics['charts/SPS']:,.0f} decisions/s"
        f" | {points:+.3f} ± {shown} points per deal against rules{seeing}"
        f" | {passed / 60:.1f} min, {left / 60:.1f} to go"
    )
