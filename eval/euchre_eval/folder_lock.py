"""The lock of a folder: one process trains a run, or plays a tournament, at a time."""

import contextlib
import os
from pathlib import Path
from typing import TextIO

try:
    import fcntl
except ImportError:  # Windows: folders are not locked there; the user must not use one in two processes
    fcntl = None

LOCK_FILE = "run.lock"


class FolderLock:
    """An exclusive lock on a folder, held until `release` or any end of the process.

    The folder gets a file that names the process. The file stays when the lock is released. A start that fails removes
    it with the rest of what it made; so whoever has locked a file looks whether it is still the one in the folder, or
    else two processes could hold locks on two files of the same name.

    Args:
        folder: the folder, which exists.
        use: what the holder does with what is in it, such as "trained".

    Raises:
        ValueError: if another process, or another object of this one, holds the lock; the message names the process.
        OSError: if the file cannot be opened.
    """

    def __init__(self, folder: Path, use: str) -> None:
        self._file = _locked(folder / LOCK_FILE, use)
        while not _is_at(self._file, folder / LOCK_FILE):
            self._file.close()
            self._file = _locked(folder / LOCK_FILE, use)
        with contextlib.suppress(OSError):  # a full disk: the lock works without the number of the process
            self._file.truncate(0)
            self._file.write(f"{os.getpid()}\n")
            self._file.flush()

    def release(self) -> None:
        """Release the lock, so that other processes may use the folder."""
        with contextlib.suppress(OSError):  # closing writes the number of the process, which did not fit on the disk
            self._file.close()


def _locked(path: Path, use: str) -> TextIO:
    """Open the file at `path`, made if it is missing, and lock it where the file system can; raises as `FolderLock`."""
    file = path.open("a+", encoding="utf-8")
    if fcntl is None:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        process = f"process {holder}" if holder else "another process"
        raise ValueError(f"{path.parent} is being {use} by {process}; stop that one first") from None
    except OSError:  # a file system without locks, such as some network mounts: continue without
        pass
    return file


def _is_at(file: TextIO, path: Path) -> bool:
    """Whether the open file is the one at `path`, and not one that has been removed since."""
    if fcntl is None:  # Windows removes no open file
        return True
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
