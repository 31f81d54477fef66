"""TensorBoard's file of scalars, written without a thread.

`SummaryWriter` writes from a thread of its own, so a full disk shows as the traceback of that thread.
"""

import os
import socket
import time
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[attr-defined]  # made at run time
from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[attr-defined]  # likewise
from tensorboard.summary.writer import event_file_writer
from tensorboard.summary.writer.record_writer import RecordWriter

from euchre_env.files import naming

WITHOUT_SCALARS = ".profile-empty"  # TensorBoard and Weights & Biases skip files with this suffix


class EventFile:
    """A new file of scalars in `folder`; TensorBoard reads all such files there as one curve.

    The file has a name of TensorBoard's form, seconds and host first, by which Weights & Biases knows the files of its
    run. After `wandb.init(sync_tensorboard=True)` it also hears of the folder.

    Args:
        folder: the folder in which the file is made.
        first_step: the first step of the file; TensorBoard drops the values of earlier files from this step on.

    Raises:
        OSError: if the file cannot be written; `write` raises it too. The error names the file.
    """

    def __init__(self, folder: Path, first_step: int) -> None:
        _announce(folder)
        seconds, microseconds = divmod(time.time_ns() // 1000, 10**6)
        name = f"events.out.tfevents.{seconds:010d}.{socket.gethostname()}.{microseconds:06d}.{os.getpid()}"
        self.path = folder / name
        self._append(Event(file_version="brain.Event:2"))
        self._append(Event(step=first_step, session_log=SessionLog(status=SessionLog.START)))

    def write(self, step: int, values: dict[str, float]) -> None:
        """Add the values of a step, by name."""
        scalars = [Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
        self._append(Event(step=step, summary=Summary(value=scalars)))

    def _append(self, event: Event) -> None:
        event.wall_time = time.time()
        with naming(self.path), self.path.open("ab") as file:
            RecordWriter(file).write(event.SerializeToString())


def _announce(folder: Path) -> None:
    """Tell a tool that has replaced TensorBoard's writer, as Weights & Biases does, that `folder` gets event files.

    Such a tool hears of a folder when a writer is made for it, so one is made, which leaves a file without scalars.
    """
    writer = event_file_writer.EventFileWriter
    if writer.__module__ != event_file_writer.__name__:
        writer(str(folder), filename_suffix=WITHOUT_SCALARS).close()
