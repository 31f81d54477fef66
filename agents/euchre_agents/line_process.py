"""A child process that answers lines with lines, each within a time limit, whatever it does.

The process may be slow, silent or noisy, end at any time or never read: every call returns or raises `ProcessError` in
time. asyncio talks to it, on one thread of its own for all processes.
"""

import asyncio
import contextlib
import functools
import os
import shutil
import signal
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar, cast

from euchre_env.checks import shortened

MAX_LINE = 1 << 16  # bytes of an answer
MAX_UNREAD = 16  # lines that are read ahead; what is more stays in the pipe
MAX_UNSENT = 1 << 20  # bytes that may wait to be read by the process
LAST_WORDS = 2000  # bytes of standard error that are kept
ENDING = 1.0  # seconds that a process has to end, or its output to arrive after its end

STDIN, STDOUT, STDERR = 0, 1, 2

T = TypeVar("T")


class ProcessError(RuntimeError):
    """A child process did not do what was asked of it; the message says what it did."""


class LateAnswerError(ProcessError):
    """A child process did not answer in time."""


class LineProcess:
    """A child process in an empty working directory of its own, which is removed with it.

    The process gets the environment of this one, with PYTHONUNBUFFERED set, so that a program in Python need not flush.
    On POSIX it leads a process group, which ends with it. It ends at `close`, or when this object is collected or the
    interpreter ends.

    Args:
        words: the program and its arguments.

    Raises:
        ProcessError: if it cannot be started.
    """

    def __init__(self, words: Sequence[str]) -> None:
        folder = tempfile.mkdtemp(prefix="euchre-")
        try:
            self._child = _run(_start(words, folder))
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise ProcessError(f"it cannot be started: {error.strerror or error}") from error
        self._end = weakref.finalize(self, _end, self._child, folder)

    def tell(self, line: str) -> None:
        """Send a line that needs no answer.

        Raises:
            ProcessError: if the process has ended, or does not read what it is sent.
        """
        _run(self._child.tell(line))

    def ask(self, line: str, seconds: float) -> str:
        """Send a line, and return the answer without its newline.

        Raises:
            ProcessError: if the process has ended, or ends before its answer is complete, does not read what it is
                sent, wrote a line before it was asked, or its answer is not UTF-8 or is longer than `MAX_LINE` bytes;
                `LateAnswerError` if there is no answer within `seconds`.
        """
        return _run(self._child.ask(line, seconds))

    def close(self) -> None:
        """End the process, if it has not ended, with its process group, and remove its directory."""
        if self._end.alive:
            self._end()
            _run(self._child.closed.wait())


class _Child(asyncio.SubprocessProtocol):
    """The other end of the pipes of a `LineProcess`; every method runs on the thread of the event loop."""

    transport: asyncio.SubprocessTransport

    def __init__(self) -> None:
        self.lines: deque[bytes] = deque()
        self.rest = b""
        self.last_words = b""
        self.news = asyncio.Event()
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        self.is_closing = False
        self.lost_pipes: set[int] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take what the process wrote; stop reading where it writes too much."""
        if fd == STDERR:
            self.last_words = (self.last_words + data)[-LAST_WORDS:]
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.lines += lines
        if self.is_noisy:
            cast(asyncio.ReadTransport, self.transport.get_pipe_transport(STDOUT)).pause_reading()
        self.news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that the process, with all its children, has closed a pipe."""
        self.lost_pipes.add(fd)
        self.news.set()

    def process_exited(self) -> None:
        """Note that the process has ended; its output may still be on its way."""
        self.exited.set()
        self.news.set()
        if self.is_closing:
            self.close_pipes()

    @property
    def is_noisy(self) -> bool:
        """Whether the process wrote more than it should before it was asked again."""
        return len(self.rest) > MAX_LINE or len(self.lines) > MAX_UNREAD

    async def tell(self, line: str) -> None:
        """See `LineProcess.tell`."""
        if STDIN in self.lost_pipes or self.exited.is_set():
            raise ProcessError(await self.ending())
        pipe = cast(asyncio.WriteTransport, self.transport.get_pipe_transport(STDIN))
        if pipe.get_write_buffer_size() > MAX_UNSENT:
            raise ProcessError(f"it did not read the last {pipe.get_write_buffer_size():,} bytes of its input")
        pipe.write(line.encode() + b"\n")

    async def ask(self, line: str, seconds: float) -> str:
        """See `LineProcess.ask`."""
        if self.lines or self.rest:
            early = self.lines[0] if self.lines else self.rest
            raise ProcessError(f"it wrote a line before it was asked: {_quoted(early)}")
        await self.tell(line)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.line_or_ending(), seconds)
        has_answer = bool(self.lines)
        answer = self.lines.popleft() if has_answer else self.rest
        if len(answer) > MAX_LINE:
            raise ProcessError(f"it wrote a line of more than {MAX_LINE:,} bytes")
        if not has_answer and (self.exited.is_set() or STDOUT in self.lost_pipes):
            raise ProcessError(await self.ending())
        if not has_answer:
            raise LateAnswerError(f"no answer within {seconds:g} s")
        try:
            return answer.decode()
        except UnicodeDecodeError:
            raise ProcessError(f"its answer is not UTF-8: {_quoted(answer)}") from None

    async def line_or_ending(self) -> None:
        """Wait for a line, or for the sign that none will come."""
        while not (self.lines or self.is_noisy or STDOUT in self.lost_pipes):
            self.news.clear()
            if self.exited.is_set():  # a child of the process may keep its output open
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.news.wait(), ENDING)
                return
            await self.news.wait()

    async def ending(self) -> str:
        """How the process ended, for a message, with the last line that it wrote to standard error."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), ENDING)
        status = self.transport.get_returncode()
        if status is None:
            how = f"it closed its {'output' if STDOUT in self.lost_pipes else 'input'}"
        elif status < 0:
            how = f"it was ended by signal {-status} ({_signal_name(-status)})"
        else:
            how = f"it ended with status {status}"
        words = self.last_words.decode(errors="replace").strip().rpartition("\n")[2]
        return f"{how}; its last line on standard error: {shortened(words)}" if words else how

    def close(self) -> None:
        """Close the pipes once the process, which has been killed, has ended.

        If the transport were closed before, it would wait for the process itself, and asyncio would miss its end.
        """
        self.is_closing = True
        if self.exited.is_set():
            self.close_pipes()
        else:
            asyncio.get_running_loop().call_later(ENDING, self.close_pipes)

    def close_pipes(self) -> None:
        """Close the pipes now."""
        self.transport.close()
        self.closed.set()


async def _start(words: Sequence[str], folder: str) -> _Child:
    """Start a process in `folder`."""
    _, child = await asyncio.get_running_loop().subprocess_exec(
        _Child,
        *words,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=os.name == "posix",  # ignored elsewhere
    )
    return child


def _end(child: _Child, folder: str) -> None:
    """End a process and its process group at once, remove its directory, and let its pipes be closed."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(child.transport.get_pid(), signal.SIGKILL)
        elif child.transport.get_returncode() is None:
            child.transport.kill()
    _loop().call_soon_threadsafe(child.close)
    shutil.rmtree(folder, ignore_errors=True)


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the loop's thread, and return its result."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop()).result()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of all child processes, on a thread that ends with the interpreter."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="line processes", daemon=True).start()
    return loop


def _quoted(line: bytes) -> str:
    return shortened(line.decode(errors="replace").rstrip("\n"))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
