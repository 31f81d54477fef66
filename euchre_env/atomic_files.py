"""Atomic file replacement: a process killed at any moment leaves either the old file or the new one, complete."""

from collections.abc import Callable
from pathlib import Path


def replace_file(file: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make a new file beside `file`, and put it in the place of `file` when it is complete.

    Args:
        file: the file to make or to replace; its folder exists.
        write: called with the path to write to, `file` with ".new" appended.

    Whatever `write` raises passes through, and `file` has not changed.
    """
    new = file.with_name(file.name + ".new")
    write(new)
    new.replace(file)


def replace_text(file: Path, text: str) -> None:
    """Replace `file` by one that holds `text`, in UTF-8."""
    replace_file(file, lambda new: new.write_text(text, encoding="utf-8"))


def replace_bytes(file: Path, content: bytes) -> None:
    """Replace `file` by one that holds `content`."""
    replace_file(file, lambda new: new.write_bytes(content))
