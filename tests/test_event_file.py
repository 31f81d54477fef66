"""TensorBoard's file of scalars: its name, and how tools that follow TensorBoard, such as Weights & Biases, find it."""

import re
import socket

import pytest

pytest.importorskip("tensorboard", reason="training needs the extra [train]")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.summary.writer import event_file_writer

from euchre_train.event_file import EventFile


def test_a_run_that_nobody_follows_has_one_event_file(tmp_path):
    file = EventFile(tmp_path, first_step=1)
    assert list(tmp_path.iterdir()) == [file.path]


def test_the_name_holds_seconds_and_host_as_tensorboards_own_does(tmp_path):
    # Weights & Biases looks for this in a name: core/internal/tensorboard/tfeventfiles.go in github.com/wandb/wandb.
    form = rf"tfevents\.(\d+)\.{re.escape(socket.gethostname())}"
    event_file_writer.EventFileWriter(str(tmp_path)).close()
    (own,) = tmp_path.iterdir()
    assert re.search(form, own.name)
    assert re.search(form, EventFile(tmp_path, first_step=1).path.name)


def test_files_of_the_same_second_are_sorted_by_their_age(tmp_path, monkeypatch):
    moments = iter([1_700_000_000_999_999_000, 1_700_000_001_000_002_000, 1_700_000_001_000_010_000])
    monkeypatch.setattr("euchre_train.event_file.time.time_ns", lambda: next(moments))
    names = [EventFile(tmp_path, first_step=step).path.name for step in (1, 2, 3)]
    assert names == sorted(names)


def test_a_tool_that_replaces_tensorboards_writer_hears_of_the_folder(tmp_path, monkeypatch):
    folders = []

    class Following(event_file_writer.EventFileWriter):
        """What `wandb.init(sync_tensorboard=True)` puts in place of TensorBoard's writer."""

        def __init__(self, logdir, *arguments, **options):
            folders.append(logdir)
            super().__init__(logdir, *arguments, **options)

    monkeypatch.setattr(event_file_writer, "EventFileWriter", Following)
    file = EventFile(tmp_path, first_step=1)
    file.write(1, {"losses/entropy": 0.5})
    assert folders == [str(tmp_path)]
    (left,) = set(tmp_path.iterdir()) - {file.path}
    assert left.name.endswith(".profile-empty")  # which TensorBoard and the tool skip
    (shown,) = EventAccumulator(str(tmp_path)).Reload().Scalars("losses/entropy")
    assert (shown.step, shown.value) == (1, 0.5)
