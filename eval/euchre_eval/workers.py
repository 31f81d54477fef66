"""All cores: work in parts, shared by several processes.

The parts do not depend on the number of processes, and their results come back in the order of the parts. So what is
made of them is the same to the last digit, however many processes there are.

This process takes parts itself. It starts others once the work has taken about as long as starting them does, so small
work never waits for them. They are started afresh (`spawn`), because a copy of this one (`fork`) may stop for ever if
torch or Numba runs threads in it. A script that asks for them is imported in each, so it needs the usual
`if __name__ == "__main__":`.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from euchre_agents.policy import describe_error
from euchre_env.checks import check_number

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Part = TypeVar("Part")
Result = TypeVar("Result")
Part_contra = TypeVar("Part_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)
Tick: TypeAlias = Callable[[str, int], object]  # what has been done since the last call, such as "deals", and how many

MAX_WORKERS = 4096
START_AFTER = 2.0  # seconds; a process that plays has started after 1 to 2
POLL_EVERY = 0.05  # seconds between two looks at what other processes have sent
TELL_EVERY = 0.2  # seconds between two reports of a process
GRACE = 5.0  # seconds in which a process may end by itself
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class WorkerError(RuntimeError):
    """A worker process has ended before its work was done: it was killed, or could not start."""


class Work(Protocol[Part_contra, Result_co]):
    """A function of a part that any process can call: it can be pickled, unless one process does it all."""

    def __call__(self, part: Part_contra, tick: Tick, /) -> Result_co:
        """Do one part and return its result.

        Args:
            part: the part.
            tick: to be called at short intervals, also with a number of 0.
        """
        ...


def num_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: int | None) -> int:
    """`workers` as a number of processes; every core that this process may use if None.

    Raises:
        ValueError: if it is not a whole number from 1 to `MAX_WORKERS`.
    """
    return num_cores() if workers is None else check_number(workers, 1, MAX_WORKERS, "workers")


def equal_parts(number: int, most_parts: int, at_least: int, at_most: int) -> list[range]:
    """The numbers 0 to `number` - 1 in runs of one length, of which the last may be shorter.

    They are about `most_parts` runs, or more if each would be longer than `at_most`, or fewer if shorter than
    `at_least`.

    >>> equal_parts(10, 4, 1, 100)
    [range(0, 3), range(3, 6), range(6, 9), range(9, 10)]
    """
    length = min(max(-(-number // most_parts), at_least), at_most)
    return [range(start, min(start + length, number)) for start in range(0, number, length)]


def do_parts(
    work: Work[Part, Result],
    parts: Sequence[Part],
    *,
    workers: int = 1,
    progress: Tick | None = None,
    on_result: Callable[[Part, Result], object] | None = None,
) -> list[Result]:
    """Do each of `parts`, in this process and perhaps in others, and return the results in the order of the parts.

    An exception of a part ends the work, in whichever process it was raised; if several parts raise, it is the one of
    the first of them, as with one process. If the work cannot be pickled, or not be unpickled in another process, this
    process does it all, with a warning. When this function returns or raises, Ctrl-C included, no process is left.

    Args:
        work: what to do with a part.
        parts: the parts, each of which can be pickled.
        workers: how many processes may share the work, this one among them.
        progress: called in this process with the ticks of the parts, in any order.
        on_result: called in this process with each part and its result as soon as it has come, in any order.

    Raises:
        WorkerError: if another process has been killed, or cannot start.
    """
    if workers > 1 and getattr(multiprocessing.current_process(), "_inheriting", False):
        raise RuntimeError('a script that plays with several workers needs `if __name__ == "__main__":` around it')
    if multiprocessing.current_process().daemon:  # which may not start processes
        workers = 1
    pool = _WorkerPool(work, parts, min(workers, len(parts)), progress, on_result)
    try:
        return pool.do_all()
    finally:
        pool.end()


@dataclass
class _Worker:
    """Another process that does parts, as seen from this one."""

    process: Any
    pipe: "Connection[Any, Any]"
    parts: list[int] = field(default_factory=list[int])
    """The numbers of the parts that it has been sent and has not done."""


class _WorkerPool(Generic[Part, Result]):
    """This process and the worker processes that it starts; `_workers` are those alone."""

    def __init__(
        self,
        work: Work[Part, Result],
        parts: Sequence[Part],
        num_processes: int,
        progress: Tick | None,
        on_result: Callable[[Part, Result], object] | None,
    ) -> None:
        self._work, self._parts, self._num_processes = work, parts, num_processes
        self._progress, self._on_result = progress, on_result
        self._results: dict[int, Result] = {}
        self._next, self._end = 0, len(parts)
        self._error: BaseException | None = None
        self._workers: list[_Worker] = []
        self._started = self._polled = time.monotonic()

    def do_all(self) -> list[Result]:
        """Do all parts; see `do_parts`."""
        while (index := self._take()) is not None:
            try:
                result = self._work(self._parts[index], self._tick)
            except WorkerError:
                raise
            except Exception as error:
                self._note_error(index, error)
            else:
                self._keep(index, result)
            self._tick("", 0)
        while any(index < self._end for worker in self._workers for index in worker.parts):
            self._receive(None)
        if self._error is not None:
            raise self._error
        return [self._results[index] for index in range(self._end)]

    def end(self) -> None:
        """End the other processes and wait for them."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        deadline = time.monotonic() + GRACE
        for worker in self._workers:
            worker.process.join(max(0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.process.close()
        self._workers.clear()

    def _take(self) -> int | None:
        """The number of the next part; None if no part is left, or an earlier one has failed."""
        if self._next >= self._end:
            return None
        self._next += 1
        return self._next - 1

    def _keep(self, index: int, result: Result) -> None:
        self._results[index] = result
        if self._on_result is not None:
            self._on_result(self._parts[index], result)

    def _note_error(self, index: int, error: BaseException) -> None:
        """Note that a part has failed; only earlier ones matter from now on, because one of them may fail too."""
        if index < self._end:
            self._end, self._error = index, error

    def _tick(self, what: str, number: int) -> None:
        """Report what this process has done, start workers when it is time, and receive what they have sent."""
        if number and self._progress is not None:
            self._progress(what, number)
        now = time.monotonic()
        if self._workers:
            if now - self._polled >= POLL_EVERY:
                self._polled = now
                self._receive(0)
        elif self._num_processes > 1 and now - self._started >= START_AFTER and self._next < self._end:
            self._start_workers()

    def _start_workers(self) -> None:
        try:
            work = pickle.dumps(self._work)
        except Exception as error:
            self._go_on_alone(describe_error(error))
            return
        context = multiprocessing.get_context("spawn")
        with _interrupts_blocked(), _one_thread_each():
            for _ in range(min(self._num_processes - 1, self._end - self._next)):
                here, there = context.Pipe()
                process = context.Process(target=_worker_main, args=(there, work), daemon=True)
                process.start()
                there.close()
                self._workers.append(_Worker(process, here))

    def _go_on_alone(self, reason: str) -> None:
        """Do the rest in this process; no worker has been sent a part yet, or those that have go on."""
        self._num_processes = 1
        warnings.warn(f"one process does all the work: {reason}", RuntimeWarning, stacklevel=2)

    def _receive(self, timeout: float | None) -> None:
        """Receive the messages that have come, after waiting for one at most `timeout` seconds, for ever if None."""
        from multiprocessing.connection import wait  # a small match does without

        ready = wait([worker.pipe for worker in self._workers], timeout)
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            try:
                kind, *content = worker.pipe.recv()
                self._handle(worker, kind, content)
            except (EOFError, ConnectionError):
                self._report_end(worker)

    def _handle(self, worker: _Worker, kind: str, content: list[Any]) -> None:
        """Handle one message of a worker."""
        match kind, content:
            case "ready", []:
                self._send_parts(worker)
            case "unfit", [reason]:
                self._workers.remove(worker)
                worker.pipe.close()
                worker.process.join()
                if self._num_processes > 1:
                    self._go_on_alone(reason)
            case "done", [what, number]:
                if self._progress is not None:
                    self._progress(what, number)
            case "result", [index, result]:
                self._keep(index, result)
                worker.parts.remove(index)
                self._send_parts(worker)
            case "error", [index, error]:
                self._note_error(index, error)
                worker.parts.remove(index)
            case _:
                raise AssertionError(kind)

    def _send_parts(self, worker: _Worker) -> None:
        """Send a worker its next part, and one in reserve while many are left: this process may not receive at once."""
        wanted = 2 if self._end - self._next > self._num_processes else 1
        while len(worker.parts) < wanted and (index := self._take()) is not None:
            worker.parts.append(index)
            worker.pipe.send((index, self._parts[index]))

    def _report_end(self, worker: _Worker) -> None:
        """Raise the error for a worker that has ended by itself."""
        worker.process.join(GRACE)
        code = worker.process.exitcode
        how = f"was ended by {signal.Signals(-code).name}" if code is not None and code < 0 else f"ended, status {code}"
        raise WorkerError(
            f"worker process {worker.process.pid} {how}, before its work was done; if memory ran out, use fewer "
            "workers: one does not start any other process"
        )


@contextlib.contextmanager
def _interrupts_blocked() -> Generator[None]:
    """Start processes in this block that never get Ctrl-C: this process gets it, after the block, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: they ignore it from the moment that `_worker_main` runs
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # would unblock the signal if a process started it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _one_thread_each() -> Generator[None]:
    """Start processes in this block whose libraries use one thread, unless the user has set another number."""
    missing = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, "1"))
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


# In the other process


def _worker_main(pipe: "Connection[Any, Any]", pickled_work: bytes) -> None:
    """Do the parts that come through `pipe` until it closes; SIGTERM ends it, and so does the end of its parent."""
    is_ending = False

    def end(*_: object) -> None:
        nonlocal is_ending
        is_ending = True
        raise KeyboardInterrupt  # passes through players, which may hold processes of their own to end

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        try:
            work: Work[Any, Any] = pickle.loads(pickled_work)
        except Exception as error:
            pipe.send(("unfit", describe_error(error)))
            return
        pipe.send(("ready",))
        while True:
            index, part = pipe.recv()
            reports = _Reports(pipe)
            try:
                result = work(part, reports)
                reports.tell()
            except KeyboardInterrupt:
                if is_ending:
                    raise
                pipe.send(("error", index, KeyboardInterrupt()))  # a player has raised it
            except Exception as error:
                error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                pipe.send(("error", index, _sendable(error)))
            else:
                pipe.send(("result", index, result))
    except (EOFError, ConnectionError, KeyboardInterrupt):
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _end_with_parent() -> None:
    """End this process when its parent ends, however that came about."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def _sendable(error: Exception) -> Exception:
    """`error` if another process can unpickle it, else a `RuntimeError` that describes it."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:  # the class may need other arguments, or be defined inside a function
        pass
    return RuntimeError(describe_error(error))


class _Reports:
    """The ticks of a worker, which go to the other process a few times a second."""

    def __init__(self, pipe: "Connection[Any, Any]") -> None:
        self._pipe, self._what, self._number, self._told = pipe, "", 0, time.monotonic()

    def __call__(self, what: str, number: int) -> None:
        """Add a number; see `Tick`."""
        if what != self._what:
            self.tell()
        self._what, self._number = what, self._number + number
        if time.monotonic() - self._told >= TELL_EVERY:
            self.tell()

    def tell(self) -> None:
        """Send what has been added since the last time."""
        if self._number:
            try:
                self._pipe.send(("done", self._what, self._number))
            except OSError:
                raise KeyboardInterrupt from None  # nobody waits for the result any more
        self._number, self._told = 0, time.monotonic()
