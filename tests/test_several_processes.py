"""Training with several processes: the deals, gradients and weights are those of one process over all deals."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from support.paths import TESTS

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.several_processes import TOTALS, learning_step
from support.training import arguments_for, assert_same_weights, tiny, weights_of

from euchre_agents import load
from euchre_eval.folder_lock import LOCK_FILE
from euchre_train import parallel
from euchre_train.cli import main
from euchre_train.metrics_file import METRICS_FILE
from euchre_train.parallel import Processes, resolve
from euchre_train.ppo import explained_variance
from euchre_train.run_folder import resume_run, run_settings, start_run
from euchre_train.run_manifest import MANIFEST_FILE
from euchre_train.running import start_together
from euchre_train.saved_networks import CHECKPOINT_FILE

pytestmark = [
    pytest.mark.compiled,  # training takes too long without the compiler
    pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch has no torch.distributed"),
]
CONFIG = tiny(
    num_updates=12, past_self_every=1, past_self_fraction=0.25, eval_every=6, eval_deals=4, checkpoint_every=1
)  # fmt: skip
DEADLINE = 300  # seconds, for a machine that is very busy


def torchrun(*module_and_arguments, output=subprocess.PIPE):
    """Start a module in two processes."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]), "OMP_NUM_THREADS": "1"}
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "--"]
    return subprocess.Popen(
        [*launcher, *map(str, module_and_arguments)],
        env=environment,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
    )


def finish(process):
    """Wait until the processes have ended, and return what they printed."""
    printed, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, printed
    return printed


# One step


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What each of two processes saw of a learning step."""
    folder = tmp_path_factory.mktemp("step")
    finish(torchrun("support.several_processes", folder))
    return [torch.load(folder / f"{rank}.pt", weights_only=False) for rank in (0, 1)]


@pytest.fixture(scope="module")
def alone():
    """What a single process sees."""
    return learning_step(Processes())


def test_the_processes_share_the_deals_and_leave_none_out(both, alone):
    for total, first, second, whole in zip(TOTALS, both[0]["shares"], both[1]["shares"], alone["shares"], strict=True):
        assert first + second == whole == list(range(total))
        assert abs(len(first) - len(second)) <= 1
    for seen in both:
        assert seen["any"] == [True, True, False]


def test_two_processes_play_the_deals_of_one(both, alone):
    joined = {}
    for name, array in alone["batch"].items():
        parts = [seen["batch"][name] for seen in both]
        if name == "streams":
            parts[1] = parts[1] + 4 * 32
        joined[name] = np.concatenate(parts)
        assert joined[name].shape == array.shape
    np.testing.assert_array_equal(joined["rewards"], alone["batch"]["rewards"])
    order = np.argsort(joined["streams"], kind="stable")
    expected_order = np.argsort(alone["batch"]["streams"], kind="stable")
    for name in ("streams", "observations", "hidden", "masks", "actions"):
        np.testing.assert_array_equal(joined[name][order], alone["batch"][name][expected_order])
    np.testing.assert_allclose(joined["log_probs"][order], alone["batch"]["log_probs"][expected_order], rtol=1e-5)


def test_the_gradient_of_two_processes_is_that_of_one_over_all_decisions(both, alone):
    sizes = [len(seen["batch"]["actions"]) for seen in both]
    assert sizes[0] != sizes[1]  # so that a plain mean of the gradients would be another
    for name, gradient in alone["gradients"].items():
        assert torch.equal(both[0]["gradients"][name], both[1]["gradients"][name])
        torch.testing.assert_close(both[0]["gradients"][name], gradient, rtol=1e-3, atol=1e-6)
        assert gradient.abs().max() > 1e-5
    assert_same_weights(both[0]["weights"], both[1]["weights"])


def test_statistics_are_over_the_decisions_of_all_processes(both, alone):
    assert both[0]["metrics"] == both[1]["metrics"]
    assert both[0]["metrics"] == pytest.approx(alone["metrics"], rel=1e-3, abs=1e-6)
    for name in ("mean_and_variance", "explained_variance"):
        assert both[0][name] == both[1][name]
        assert both[0][name] == pytest.approx(alone[name], rel=1e-4)


# A whole run


@pytest.fixture(scope="module")
def straight_run(tmp_path_factory):
    """The folder of an uninterrupted run of two processes, and what they printed."""
    folder = tmp_path_factory.mktemp("runs") / "straight"
    return folder, finish(torchrun("euchre_train.cli", *arguments_for(CONFIG), "--run", folder))


def test_one_process_writes_and_prints(straight_run):
    folder, printed = straight_run
    assert printed.count("done: the player is in") == 1
    lines = [json.loads(line) for line in (folder / METRICS_FILE).read_text().splitlines()]
    assert [line["update"] for line in lines] == list(range(1, CONFIG.num_updates + 1))
    assert run_settings(folder).num_processes == 2
    assert hasattr(load(str(folder)), "act_batch")


def wait_for_a_checkpoint(folder, process, other_than=b""):
    """Wait for a checkpoint in `folder` whose bytes are not `other_than`, or for the end of the processes."""
    file, deadline = folder / CHECKPOINT_FILE, time.monotonic() + DEADLINE
    while process.poll() is None and (not file.exists() or file.read_bytes() == other_than):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_run_that_is_stopped_killed_and_resumed_equals_the_straight_one(tmp_path, straight_run):
    folder = tmp_path / "run"
    process = torchrun("euchre_train.cli", *arguments_for(CONFIG), "--run", folder, output=subprocess.DEVNULL)
    wait_for_a_checkpoint(folder, process)
    process.send_signal(signal.SIGTERM)  # to torchrun, which passes it on
    process.wait(timeout=DEADLINE)
    stopped = (folder / CHECKPOINT_FILE).read_bytes()
    process = torchrun("euchre_train.cli", "--resume", folder, output=subprocess.DEVNULL)
    wait_for_a_checkpoint(folder, process, other_than=stopped)
    if process.poll() is None:
        os.kill(int((folder / LOCK_FILE).read_text()), signal.SIGKILL)  # the first of the two
    process.wait(timeout=DEADLINE)
    finish(torchrun("euchre_train.cli", "--resume", folder))
    assert_same_weights(weights_of(folder), weights_of(straight_run[0]))
    lines = [json.loads(line) for line in (folder / METRICS_FILE).read_text().splitlines()]
    assert [line["update"] for line in lines] == list(range(1, CONFIG.num_updates + 1))


def test_a_run_is_not_resumed_with_another_number_of_processes(straight_run):
    folder, _ = straight_run
    told = f"{folder} was begun with 2 processes, and there are 1 now .*; --force continues all the same"
    with pytest.raises(ValueError, match=told):
        resume_run(folder)
    processes = Processes()
    for processes.size in (1, 3):
        with pytest.raises(ValueError, match=f"there are {processes.size} now"):
            resume_run(folder, processes)
    processes.size = 2
    resume_run(folder, processes)[0].close()
    run, training = resume_run(folder, force=True)
    run.close()
    assert training.update == CONFIG.num_updates


# A failure of some processes


@pytest.fixture
def in_two_processes(monkeypatch):
    """Run a function in two threads, each with the `Processes` of one process; what it returned or raised in each."""
    monkeypatch.setattr("euchre_train.parallel.TIME_TO_REPORT", 0.0)
    store = torch.distributed.HashStore()

    def run(function):
        ends: list[Any] = [None, None]

        def of_process(rank):
            processes = Processes()
            processes.size, processes.rank, processes.store = 2, rank, store
            try:
                ends[rank] = function(processes)
            except BaseException as error:
                ends[rank] = error

        threads = [threading.Thread(target=of_process, args=(rank,)) for rank in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return ends

    return run


@pytest.mark.parametrize(
    ("failing", "kind", "report"),
    [
        ((0,), FloatingPointError, "no GPU in 0"),
        ((1,), ValueError, r"no GPU in 1 \(in process 1, counted from 0\)"),
        ((0, 1), FloatingPointError, "no GPU in 0"),
    ],
)
def test_all_processes_end_when_one_has_failed_and_the_first_reports_it(in_two_processes, failing, kind, report):
    def check(processes):
        with processes.failing_together():
            pass
        with processes.failing_together():
            if processes.rank in failing:
                raise FloatingPointError(f"no GPU in {processes.rank}")
        return "went on"

    first, second = in_two_processes(check)
    assert type(first) is kind
    assert re.fullmatch(report, str(first))
    assert isinstance(second, SystemExit)
    assert second.code == 2


@pytest.mark.parametrize(("failure", "report"), [(KeyError(), "KeyError"), (OSError(28, "full", "x"), "full: 'x'")])
def test_any_failure_of_another_process_has_a_report(in_two_processes, failure, report):
    def check(processes):
        with processes.failing_together():
            if not processes.is_first:
                raise failure

    first, _ = in_two_processes(check)
    assert str(first) == f"{report} (in process 1, counted from 0)"


def test_a_new_run_that_another_process_cannot_start_leaves_no_folder(tmp_path, in_two_processes, monkeypatch):
    def no_memory(config, device):
        raise MemoryError("no memory")

    monkeypatch.setattr("euchre_train.running.new_training", no_memory)  # as called by processes after the first
    first, second = in_two_processes(lambda processes: start_together(tmp_path / "run", tiny(), processes))
    assert str(first) == "no memory (in process 1, counted from 0)"
    assert isinstance(second, SystemExit)
    assert not list(tmp_path.iterdir())


def failed(process):
    """Wait until the processes have ended with a failure, and return what they reported."""
    printed, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode != 0
    return [line for line in printed.splitlines() if line.startswith("euchre-train: ")]


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_no_process_has_is_one_clear_line(tmp_path):
    reported = failed(torchrun("euchre_train.cli", "--set", "device=cuda", "--run", tmp_path / "run"))
    assert reported == ["euchre-train: the setting device is 'cuda', but PyTorch finds no GPU here"]


def test_processes_without_the_runs_instructions_end_with_one_clear_line(tmp_path):
    folder = tmp_path / "run"
    start_run(folder, tiny(precision="bfloat16", num_processes=2))[0].close()
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest | {"processes_with_fast_bfloat16": 1}))
    (reported,) = failed(torchrun("euchre_train.cli", "--resume", folder))
    assert reported.startswith(f"euchre-train: {folder} was begun in bfloat16 with instructions for it in 1 of 2 proc")


@pytest.mark.parametrize(
    ("found", "wanted", "message"),
    [(0, 1, "finds no GPU here"), (0, 2, "finds no GPU here"), (1, 2, "one GPU for each process, .* 1 here for 2")],
)
def test_each_process_needs_a_gpu(monkeypatch, found, wanted, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: found > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: found)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(wanted))
    with pytest.raises(ValueError, match=f"the setting device is 'cuda', .*{message}"):
        Processes("cuda")


def test_fewer_deals_than_processes_are_refused_at_start_and_forced_resume(tmp_path):
    processes = Processes()
    processes.size = 3
    told = "deals_per_update is 2, and there are 3 processes, each of which needs a deal: raise deals_per_update, or"
    with pytest.raises(ValueError, match=told):
        resolve(tiny(deals_per_update=2), processes)
    assert resolve(tiny(deals_per_update=3), processes).num_processes == 3
    folder = tmp_path / "run"
    start_run(folder, tiny(deals_per_update=2))[0].close()
    with pytest.raises(ValueError, match=told):
        resume_run(folder, processes, force=True)
    resume_run(folder)[0].close()  # and it is not locked


def test_processes_with_fewer_decisions_than_minibatches_learn_together(tmp_path):
    few = ["--set=deals_per_update=3", "--set=minibatch_size=1"]  # the first process plays one deal, the other two
    finish(torchrun("euchre_train.cli", *arguments_for(CONFIG), *few, "--run", tmp_path / "run"))
    lines = [json.loads(line) for line in (tmp_path / "run" / METRICS_FILE).read_text().splitlines()]
    assert all(np.isfinite(line[f"losses/{name}"]) for line in lines for name in ("policy_loss", "value_loss"))


def test_the_number_of_processes_is_that_which_torchrun_started():
    assert resolve(tiny(), Processes()).num_processes == 1
    assert resolve(tiny(num_processes=3), Processes()).num_processes == 1  # a file says how many another run had
    assert resolve(tiny(num_processes=1), Processes(), asked_for=True).num_processes == 1
    with pytest.raises(ValueError, match="num_processes=3 asks for so many processes, but this is a single one; torch"):
        resolve(tiny(num_processes=3), Processes(), asked_for=True)
    processes = Processes()
    processes.size = 2
    with pytest.raises(ValueError, match="num_processes=3 asks for so many processes, but torchrun has started 2; tor"):
        resolve(tiny(num_processes=3), processes, asked_for=True)


def test_without_processes_of_its_own_a_function_waits_for_no_others(monkeypatch):
    for name, value in (("WORLD_SIZE", "2"), ("RANK", "1"), ("LOCAL_WORLD_SIZE", "2"), ("LOCAL_RANK", "1")):
        monkeypatch.setenv(name, value)  # as torchrun sets them
    single = parallel.alone()
    assert (single.size, single.rank, single.device.index) == (1, 0, None)
    values = np.arange(4, dtype=np.float32)
    assert explained_variance(values, values) == 1


def test_the_command_refuses_a_number_of_processes_that_there_is_not(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--set", "num_processes=2"]) == 2
    assert "but this is a single one" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_others_get_the_training_of_the_first(both):
    first, second = (seen["spread"] for seen in both)
    assert_same_weights(first["model"], second["model"])
    assert first["update"] == second["update"] == 7
    (of_first,), (of_second,) = first["past_selves"], second["past_selves"]
    assert_same_weights(of_first, of_second)
    assert both[0]["sent"] == both[1]["sent"] == b"from the first"


def test_a_failure_of_another_process_is_one_clear_line_of_the_first(tmp_path):
    config = tiny(reward="support.own_rewards:fails_in_the_second_process")
    process = torchrun("euchre_train.cli", *arguments_for(config), "--run", tmp_path / "run")
    printed, _ = process.communicate(timeout=DEADLINE)
    assert process.returncode != 0
    (reported,) = (line for line in printed.splitlines() if line.startswith("euchre-train: "))
    what = "a mistake in the reward (in process 1, counted from 0); no update was finished, so nothing is kept"
    assert reported == f"euchre-train: {tmp_path / 'run'}: {what}"
    assert printed.count("in fails_in_the_second_process") == 1  # where it failed
    assert "gloo" not in printed
    assert not (tmp_path / "run").exists()
