"""Atomic file replacement, and errors that name the file."""

import contextlib
import errno
import os
from collections.abc import Callable, Generator
from pathlib import Path


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
