"""Atomic file replacement, reading JSON, and errors that name the file."""

import contextlib
import errno
import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def naming(file: Path) -> Generator[None]:
    """Add the name of `file` to an `OSError` of the block that has none: the system leaves it out on a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(file)) from error


def replace_file(file: Path, write: Callable[[Path], object]) -> None:
    """Replace `file` atomically, so that a process killed at any moment leaves a complete file.

    A symbolic link stays, and the file that it leads to is replaced. What is no ordinary file, such as /dev/null, is
    not replaced.

    Args:
        file: the file to make or to replace; its folder exists.
        write: called with the path to write to, that of the file with ".new" appended.

    Raises:
        OSError: if `file` is there and is no ordinary file, or cannot be written; the error names it, `file` has not
            changed, and the partial new file is removed. Other exceptions of `write` pass through.
    """
    replaced = file.resolve() if file.is_symlink() else file
    if replaced.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if replaced.exists() and not replaced.is_file():
        raise OSError(errno.EINVAL, "not an ordinary file, so it is not replaced", str(file))
    new = replaced.with_name(replaced.name + ".new")
    try:
        with naming(file):
            write(new)
            new.replace(replaced)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def replace_text(file: Path, text: str) -> None:
    """Replace the content of `file` by `text`, in UTF-8; raises as `replace_file` does."""
    replace_file(file, lambda new: new.write_text(text, encoding="utf-8"))


def replace_bytes(file: Path, content: bytes) -> None:
    """Replace the content of `file` by `content`; raises as `replace_file` does."""
    replace_file(file, lambda new: new.write_bytes(content))


def read_json(file: Path, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """The value of the JSON text in `file`; raises as `parse_json` does, and `OSError` if it cannot be read."""
    with naming(file):
        text = file.read_bytes()
    return parse_json(text, parse_constant)


def parse_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """The value of a JSON text.

    Args:
        text: the text; bytes are UTF-8.
        parse_constant: as `json.loads` takes it.

    Raises:
        ValueError: if it is not JSON or not UTF-8, or is nested too deeply for Python.
    """
    try:
        return json.loads(text if isinstance(text, str) else text.decode("utf-8"), parse_constant=parse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
