"""Reading .npz files, which may be damaged in any way."""

import zipfile
import zlib
from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

DAMAGE = (ValueError, KeyError, TypeError, EOFError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error)
"""What NumPy, zipfile and zlib raise at files that are damaged."""


def read_arrays(stream: BinaryIO, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The arrays called `names` in an .npz file; no pickled objects are loaded.

    Args:
        stream: the file, opened for reading, at its beginning.
        names: the names of the arrays; others are left alone.

    Raises:
        ValueError: if the file is damaged, is no such file, or lacks an array.
        OSError: if it cannot be read.
    """
    try:
        archive = np.load(stream, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise ValueError("it holds a single array")
        with archive:
            return {name: archive[name] for name in names}
    except DAMAGE as error:
        raise ValueError(f"{error}") from error
