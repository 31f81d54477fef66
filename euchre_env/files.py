"""Atomic file replacement, and errors that name the file."""

import contextlib
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

    Args:
        file: the file to make or to replace; its folder exists.
        write: called with the path to write to, `file` with ".new" appended.

    Raises:
        OSError: if `file` cannot be written; the error names it, `file` has not changed, and the partial new file is
            removed. Other exceptions of `write` pass through.
    """
    new = file.with_name(file.name + ".new")
    try:
        with naming(file):
            write(new)
            new.replace(file)
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
