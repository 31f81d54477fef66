"""Training keeps its work through signals, closed terminals, and broken or full outputs."""

import io
import json
import os
import signal
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import arguments_for, tiny

from euchre_train.metrics_file import METRICS_FILE
from euchre_train.run_folder import resume_run, start_run
from euchre_train.running import Interrupt, say, train

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
TINY = tiny(eval_every=1)


def train_to_the_end(folder):
    """Train in `folder`, and check that the run reached its end and wrote its player and metrics."""
    run, training = start_run(folder, TINY)
    assert train(run, training) == 0
    assert (folder / "policy.safetensors").exists()
    lines = (folder / METRICS_FILE).read_text().splitlines()
    assert [json.loads(line)["update"] for line in lines] == [1, 2, 3]


@pytest.fixture
def broken_pipe():
    """A text stream into a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        yield stream


@pytest.fixture
def full_disk():
    """A text stream to a device that is always full."""
    with open("/dev/full", "w") as stream:  # noqa: PTH123
        yield stream


@pytest.fixture
def closed_stream():
    """A text stream that has been closed."""
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", ["broken_pipe", "full_disk", "closed_stream"])
def test_an_output_that_takes_nothing_does_not_stop_training(tmp_path, monkeypatch, request, stream):
    monkeypatch.setattr(sys, "stdout", request.getfixturevalue(stream))
    train_to_the_end(tmp_path / "run")
    if stream != "closed_stream":
        sys.stdout.flush()  # as Python does when it ends: nothing is left that fails again


def test_training_without_a_standard_output_comes_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    train_to_the_end(tmp_path / "run")


def test_an_ascii_output_shows_plus_minus_as_two_signs(tmp_path, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    train_to_the_end(tmp_path / "r\xfcn")
    printed = stream.buffer.getvalue().decode("ascii")
    assert printed.count(" +- ") == TINY.num_updates
    assert r"r\xfcn" in printed


def test_a_full_output_leaves_no_trace_when_the_process_ends(tmp_path):
    folder = tmp_path / "run"
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "euchre_train.cli", *arguments_for(TINY), "--run", str(folder)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len((folder / METRICS_FILE).read_text().splitlines()) == TINY.num_updates


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
def test_a_signal_saves_after_the_update_in_progress(tmp_path, capsys, name):
    run, training = start_run(tmp_path / "run", TINY)
    log = run.log

    def log_and_send(update, metrics):
        log(update, metrics)
        if update == 1:
            signal.raise_signal(getattr(signal, name))

    run.log = log_and_send
    before = signal.getsignal(getattr(signal, name))
    assert train(run, training) == 130
    assert signal.getsignal(getattr(signal, name)) == before
    assert "interrupted; saved. Continue with: euchre-train --resume" in capsys.readouterr().out
    run, training = resume_run(run.path)
    run.close()
    assert training.update == 1


def test_a_terminal_that_closes_may_send_several_signals():
    with Interrupt() as interrupt:
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
        assert interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


def test_a_closed_terminal_is_ignored_under_nohup():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with Interrupt() as interrupt:
            signal.raise_signal(signal.SIGHUP)
            assert not interrupt.requested
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_while_a_line_is_printed_is_heard_all_the_same(monkeypatch):
    class InUse(io.StringIO):
        def write(self, text):
            raise RuntimeError("reentrant call inside <_io.BufferedWriter name='<stdout>'>")

    monkeypatch.setattr(sys, "stdout", InUse())
    with Interrupt() as interrupt:
        signal.raise_signal(signal.SIGINT)
    assert interrupt.requested


def test_encodable_lines_are_printed_unchanged(capsys):
    say("1.0 ± 0.1")
    assert capsys.readouterr().out == "1.0 ± 0.1\n"
