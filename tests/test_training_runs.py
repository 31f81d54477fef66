"""Training runs: a resumed run equals an uninterrupted one, however it was stopped, and the folder describes it."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import arguments_for, assert_same_weights, tiny, weights_of

from euchre_agents import load
from euchre_train.cli import main
from euchre_train.metrics_file import DEALS, METRICS_FILE
from euchre_train.plot import PANELS, STRENGTH, load_runs
from euchre_train.ppo import updates
from euchre_train.run_folder import resume_run, start_run
from euchre_train.running import Stopwatch, progress_line, train
from euchre_train.saved_networks import CHECKPOINT_FILE

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
TINY = tiny(
    num_updates=6, rules=("standard", "british", "random"), past_self_every=1, past_self_fraction=0.25,
    inputs=("deal", "derived", "rules"), eval_every=3, checkpoint_every=2,
)  # fmt: skip
ARGUMENTS = arguments_for(TINY)


def updates_done(folder):
    """The number of updates from which a run resumes."""
    run, training = resume_run(folder)
    run.close()
    return training.update


@pytest.fixture(scope="module")
def straight_run(tmp_path_factory):
    """The folder of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("runs") / "straight"
    assert main([*ARGUMENTS, "--run", str(folder)]) == 0
    return folder


def test_a_resumed_run_equals_the_straight_one(tmp_path, straight_run):
    run, training = start_run(tmp_path / "run", TINY)
    steps = updates(training, TINY)
    for _ in range(3):
        next(steps)
    run.save(training)
    for _ in range(2):
        next(steps)  # lost, as when a run is killed after its last checkpoint
    run.close()
    assert main(["--resume", str(tmp_path / "run")]) == 0
    assert_same_weights(weights_of(tmp_path / "run"), weights_of(straight_run))


def test_a_run_killed_outright_resumes_from_its_last_checkpoint(tmp_path, straight_run):
    folder = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-m", "euchre_train.cli", *ARGUMENTS, "--run", str(folder)])
    while not (folder / CHECKPOINT_FILE).exists() and process.poll() is None:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert main(["--resume", str(folder)]) == 0
    assert_same_weights(weights_of(folder), weights_of(straight_run))
    lines = [json.loads(line) for line in (folder / METRICS_FILE).read_text().splitlines()]
    assert [line["update"] for line in lines] == list(range(1, TINY.num_updates + 1))


def test_ctrl_c_saves_and_the_run_goes_on_from_there(tmp_path, straight_run, capsys):
    folder = tmp_path / "run"
    run, training = start_run(folder, TINY)
    log = run.log

    def interrupt_after_the_second(update, metrics):
        log(update, metrics)
        if update == 1:
            os.kill(os.getpid(), signal.SIGINT)

    run.log = interrupt_after_the_second  # the moment at which somebody presses Ctrl-C
    assert train(run, training) == 130
    assert 0 < training.update < TINY.num_updates
    assert f"euchre-train --resume {folder}" in capsys.readouterr().out
    assert updates_done(folder) == training.update
    assert main(["--resume", str(folder)]) == 0
    assert_same_weights(weights_of(folder), weights_of(straight_run))


def test_the_run_folder_tells_what_was_done_and_holds_the_player(straight_run):
    manifest = json.loads((straight_run / "run.json").read_text())
    assert {"command", "seed", "git_commit", "python", "versions"} <= manifest.keys()
    assert manifest["versions"]["torch"] == torch.__version__
    assert any(file.name.startswith("events.out") for file in straight_run.iterdir())
    lines = [json.loads(line) for line in (straight_run / METRICS_FILE).read_text().splitlines()]
    assert [line["update"] for line in lines] == list(range(1, TINY.num_updates + 1))
    assert [line["update"] for line in lines if "eval/points_per_deal_vs_rules" in line] == [3, 6]
    assert hasattr(load(str(straight_run)), "act_batch")


def test_the_curves_of_a_run_can_be_drawn(straight_run):
    (run,) = load_runs([straight_run])
    assert {*PANELS, DEALS, STRENGTH, f"{STRENGTH}_low", f"{STRENGTH}_high"} <= run.metrics[-1].keys()
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    assert main(["plot", str(straight_run)]) == 0
    assert updates_done(straight_run) == TINY.num_updates  # the picture in its folder is no part of the run


def test_a_second_ctrl_c_stops_at_once_in_one_line(tmp_path, monkeypatch, capsys):
    def press_twice(model, config):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("euchre_train.running.evaluate", press_twice)
    folder = tmp_path / "run"
    assert main([*ARGUMENTS, "--run", str(folder)]) == 130
    message = f"stopped without saving; --resume {folder} continues from its last checkpoint"
    assert capsys.readouterr().err == f"euchre-train: {message}\n"
    assert updates_done(folder) == TINY.checkpoint_every


def test_the_progress_line_counts_deals_however_few():
    metrics = {
        "charts/deals": 192,
        "charts/SPS": 25_000.0,
        "eval/points_per_deal_vs_rules": 0.1,
        "eval/points_per_deal_vs_rules_high": 0.15,
    }
    line = progress_line(3, TINY, metrics, Stopwatch(0))
    assert line.startswith("192 of 384 deals | 25,000 decisions/s | +0.100 ± 0.050 points per deal against rules | ")


def test_a_second_run_does_not_overwrite_the_first(straight_run, capsys):
    before = (straight_run / CHECKPOINT_FILE).read_bytes()
    assert main([*ARGUMENTS, "--run", str(straight_run)]) == 2
    assert "already holds a run" in capsys.readouterr().err
    assert (straight_run / CHECKPOINT_FILE).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "nowhere"], "holds no run"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
        (["--set", "colour=red"], "unknown key 'colour'"),
        (["--set", "hidden_sizes=[16"], "--set 'hidden_sizes=[16': the value is not YAML"),
        (["--run", "/dev/null"], "File exists: '/dev/null'"),
        (["--resume", "x", "--set", "seed=2"], "--resume uses the settings of the run"),
        (["--set", "architecture=perceptorn"], "unknown architecture 'perceptorn'; did you mean 'perceptron'"),
        (["--set", "reward=pionts"], "unknown reward 'pionts'"),
        (["--set", "opponents=ruels"], "unknown player 'ruels'; did you mean 'rules'"),
        (["--set", "partner=nowhere.at_all:Player"], "there is no module 'nowhere"),
        (["--set", "rules=[standard, nonsense]"], "nonsense"),
    ],
)
def test_bad_arguments_are_one_clear_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_damaged_checkpoint_is_named(tmp_path, capsys):
    run, training = start_run(tmp_path / "run", TINY)
    run.save(training)
    run.close()
    (tmp_path / "run" / CHECKPOINT_FILE).write_bytes(b"damaged")
    assert main(["--resume", str(tmp_path / "run")]) == 2
    assert CHECKPOINT_FILE in capsys.readouterr().err
