"""Command-line parsing and error reporting, shared by `euchre-eval` and `euchre-train`.

A program's `main` calls `run_command`, which turns a failure into one line on stderr and an exit status. This module
imports the standard library only, so that `run_command` starts before any slow import.

| status | when |
|---|---|
| 0 | success |
| 1 | a failure while running: a file, memory, a module of the user, a game without end |
| 2 | a mistake in the arguments |
| 130 | Ctrl-C |
| 141 | the reader of stdout has gone, as in `euchre-eval ... | head -1`; nothing is printed |
| 143 | SIGTERM, in a block of `terminable`; nothing is printed |
"""

import argparse
import codecs
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO

INTERRUPTED = 130  # 128 + SIGINT, as shells count
BROKEN_PIPE = 141  # 128 + SIGPIPE
TERMINATED = 143  # 128 + SIGTERM
OUR_PACKAGES = ("euchre_env", "euchre_agents", "euchre_eval", "euchre_train")


class TerminatedError(KeyboardInterrupt):
    """SIGTERM has come, such as `timeout` and job schedulers send; everything ends as after Ctrl-C."""


class CommandError(Exception):
    """A failure that is reported to the user in one line.

    Args:
        message: the line, without the program's name.
        details: text printed after the line, such as a traceback of the user's code.
        status: the exit status.
    """

    def __init__(self, message: str, details: str = "", status: int = 1) -> None:
        super().__init__(message)
        self.details, self.status = details, status


class Parser(argparse.ArgumentParser):
    """An argument parser that reports a mistake in one line and accepts no abbreviated options.

    Its subcommands do the same. Only `--help` prints the usage.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def error(self, message: str) -> NoReturn:
        """Print `message` on stderr as one line and exit with status 2."""
        self.exit(2, f"{self.prog}: {_one_line(message)}\n")


def add_version(parser: Parser) -> None:
    """Add the option `--version`, which prints the version of euchre-env."""
    from importlib.metadata import version

    parser.add_argument("--version", action="version", version=f"euchre-env {version('euchre-env')}")


def run_command(program: str, command: Callable[[], int]) -> int:
    """Run `command` and return its exit status, or the exit status of its failure.

    A failure is one line on stderr that begins with `program`. An exception that is not in the table above is a defect
    of this package and passes through.
    """
    for stream in (sys.stdout, sys.stderr):
        _replace_unencodable(stream)
    try:
        try:
            status = command()
        except SystemExit as end:  # how argparse ends after --help, --version and a mistake in the arguments
            status = int(end.code or 0)
        if sys.stdout is not None:
            write_out("", sys.stdout)
        return status
    except CommandError as error:
        return _fail(program, error.status, str(error), error.details)
    except BrokenPipeError:
        return BROKEN_PIPE
    except OSError as error:
        return _fail(program, 1, describe(error))
    except ValueError as error:
        return _fail(program, 2, str(error))
    except MemoryError as error:
        return _fail(program, 1, f"out of memory: {error}" if str(error) else "out of memory")
    except TerminatedError:
        return TERMINATED
    except KeyboardInterrupt:
        return _fail(program, INTERRUPTED, "interrupted")
    except RuntimeError as error:
        if type(error).__module__.partition(".")[0] not in OUR_PACKAGES:
            raise
        return _fail(program, 1, str(error))
    finally:
        _flush_or_discard_stdout()


def find_modules_here() -> None:
    """Let Python find modules in the working folder, such as that of `my_bot:Bot`, after all other places.

    The path of an installed script lacks this folder.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def describe(error: OSError) -> str:
    """Describe an error and name its file, without the error number."""
    what = error.strerror or str(error) or type(error).__name__
    return what if error.filename is None else f"{what}: {error.filename!r}"


def write_out(text: str, stream: TextIO) -> None:
    """Write `text` to `stream`, which is stdout or a substitute, and flush it.

    Raises:
        BrokenPipeError: if the reader has gone.
        CommandError: if writing fails for another reason.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"cannot write to standard output: {describe(error)}") from error
    except ValueError as error:
        if not stream.closed:
            raise
        raise CommandError("cannot write to standard output: it has been closed") from error


@contextmanager
def delay_interrupt() -> Generator[None]:
    """Delay the first Ctrl-C until the block ends, where it raises `KeyboardInterrupt`.

    For imports: several packages catch `KeyboardInterrupt` and continue with half-loaded modules, which fail later.
    """
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # a handler of the caller, or ignored
        yield
        return
    with suppress(ValueError):  # not in the main thread: Ctrl-C arrives in the main thread only
        signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if pressed:
        raise KeyboardInterrupt


@contextmanager
def terminable() -> Generator[None]:
    """Let SIGTERM raise `TerminatedError` in the block, so that child processes end and their folders are removed.

    A handler of the caller stays, and outside of the main thread nothing changes.
    """
    if (
        signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise TerminatedError

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def reserve_stdout(until_exit: bool) -> Generator[TextIO | None]:
    """Reserve stdout for a report: all other output to stdout goes to stderr.

    This includes `print`, and file descriptor 1, which child processes and C libraries use.

    Args:
        until_exit: whether stdout stays reserved until the process ends, because exit handlers and the buffers of C
            libraries write last.

    Yields:
        The stream for the report; None if stdout is closed. If a caller has replaced `sys.stdout`, the stream is the
        replacement, and file descriptor 1 is left alone.
    """
    stdout = sys.stdout
    if stdout is None or stdout is not sys.__stdout__:
        with redirect_stdout(sys.stderr):
            yield stdout
        return
    stdout.flush()
    saved = os.dup(1)
    if sys.stderr is None:
        point_at_devnull(1)
    else:
        os.dup2(2, 1)
    report = os.fdopen(saved, "w", encoding=stdout.encoding, errors=stdout.errors)
    try:
        with redirect_stdout(sys.stderr):
            yield report
    finally:
        if not until_exit:
            with suppress(OSError):
                stdout.flush()
            os.dup2(saved, 1)
        with suppress(OSError):  # `write_out` has reported it
            report.close()


def _fail(program: str, status: int, message: str, details: str = "") -> int:
    """Print the line and the details on stderr, and return `status`."""
    with suppress(OSError):  # stderr may be closed or full as well
        print(f"{program}: {_one_line(message)}\n{details}", end="", file=sys.stderr, flush=True)
    return status


def _one_line(message: str) -> str:
    return " ".join(line.strip() for line in message.splitlines())


def _flush_or_discard_stdout() -> None:
    """Flush stdout, or discard output that cannot be written, so that the interpreter does not report it at exit."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            point_at_devnull(sys.stdout.fileno())
    except ValueError:  # a player has closed it
        sys.stdout = None


def point_at_devnull(descriptor: int) -> None:
    """Redirect a file descriptor to the null device."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, descriptor)
    os.close(devnull)


def _replace_unencodable(stream: TextIO | None) -> None:
    """Make `stream` replace characters that its encoding lacks by plain text, instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=PLAIN_TEXT)


def in_plain_text(error: UnicodeError) -> tuple[str, int]:
    """An error handler for `codecs`, `PLAIN_TEXT`: "+-" for "±", and a backslash escape for anything else."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return text.replace("±", "+-").encode("ascii", "backslashreplace").decode(), error.end


PLAIN_TEXT = "euchre-plain-text"
codecs.register_error(PLAIN_TEXT, in_plain_text)
