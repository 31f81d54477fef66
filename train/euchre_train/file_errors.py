"""Errors of files that name the file: the system leaves the name out where a write fails, as on a full disk."""

import contextlib
from collections.abc import Generator
from pathlib import Path


@contextlib.contextmanager
def naming(file: Path) -> Generator[None]:
    """Add the name of `file` to an `OSError` of the block that has none."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(file)) from error
