"""Run folders: one process trains a run at a time, under the run's settings, and half-made folders hold no run."""

import dataclasses
import json
import os
import re
import time
from datetime import datetime

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import tiny
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from euchre_eval import folder_lock
from euchre_train.metrics_file import METRICS_FILE
from euchre_train.ppo import TrainingError, updates
from euchre_train.run_folder import CONFIG_FILE, resume_run, start_run
from euchre_train.run_manifest import MANIFEST_FILE
from euchre_train.running import train
from euchre_train.saved_networks import CHECKPOINT_FILE

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
TINY = tiny(eval_every=2, checkpoint_every=1)


@pytest.fixture
def folder(tmp_path):
    """The folder of a run that was stopped after its first update."""
    run, training = start_run(tmp_path / "run", TINY)
    with run:
        run.log(1, next(updates(training, TINY)))
        run.save(training)
    return run.path


def change_settings(folder, **changes):
    """Edit the settings in a run folder."""
    (folder / CONFIG_FILE).write_text(dataclasses.replace(TINY, **changes).to_yaml())


def test_a_run_that_is_being_trained_is_not_resumed_a_second_time(folder):
    run, training = resume_run(folder)
    before = (folder / METRICS_FILE).read_bytes()
    with pytest.raises(ValueError, match=rf"{folder} is being trained by process {os.getpid()};"):
        resume_run(folder)
    assert (folder / METRICS_FILE).read_bytes() == before
    assert train(run, training) == 0
    run, training = resume_run(folder)  # which training has released
    run.close()
    assert training.update == TINY.num_updates


def test_a_run_that_another_process_is_starting_is_left_alone(tmp_path):
    first, _ = start_run(tmp_path / "run", TINY)
    (first.path / CONFIG_FILE).unlink()  # the moment before it is written
    with pytest.raises(ValueError, match="is being trained by process"):
        start_run(first.path, TINY)
    assert (first.path / "run.json").exists()
    first.close()


@pytest.mark.parametrize("name", [CONFIG_FILE, CHECKPOINT_FILE, METRICS_FILE])
def test_a_folder_with_any_part_of_a_run_is_not_taken_for_another(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(ValueError, match=rf"{tmp_path} already holds a run \({name}\)"):
        start_run(tmp_path, TINY)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["mine"]


def test_what_was_refused_does_not_keep_the_run_locked(folder):
    change_settings(folder, seed=2)
    for _ in range(2):
        with pytest.raises(ValueError, match="seed was 1 and is now 2"):
            resume_run(folder)
    change_settings(folder)
    resume_run(folder)[0].close()


def test_an_emptied_settings_file_is_refused_with_the_keys_it_lacks(folder):
    (folder / CONFIG_FILE).write_text("")
    with pytest.raises(ValueError, match=rf"{CONFIG_FILE} lacks settings of the run: seed, rules, .*, start_update$"):
        resume_run(folder)
    text = TINY.to_yaml().replace("minibatch_size: 128\n", "")
    (folder / CONFIG_FILE).write_text(text)
    with pytest.raises(ValueError, match=rf"{CONFIG_FILE} lacks settings of the run: minibatch_size$"):
        resume_run(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rules": "british"}, r"rules was \('standard',\) and is now \('british',\)"),
        ({"deals_per_update": 32}, "deals_per_update was 64 and is now 32"),
        ({"num_updates": 1}, "num_updates was 3 and is now 1"),
        ({"num_updates": 9}, "num_updates was 3 and is now 9"),
        ({"hidden_sizes": (8,)}, r"hidden_sizes was \(16,\) and is now \(8,\)"),
        ({"seed": 2, "clip": 0.3, "eval_every": 1}, r"seed was 1 and is now 2; clip was 0\.1 and is now 0\.3\."),
    ],
)
def test_a_checkpoint_made_under_other_settings_is_refused(folder, changes, said):
    before = (folder / CHECKPOINT_FILE).read_bytes()
    change_settings(folder, **changes)
    with pytest.raises(ValueError, match=rf"{CONFIG_FILE} does not have the settings of {CHECKPOINT_FILE}: {said}"):
        resume_run(folder)
    assert (folder / CHECKPOINT_FILE).read_bytes() == before


def test_settings_that_do_not_decide_the_result_may_change(folder, capsys):
    changes = {"eval_every": 3, "eval_deals": 10, "checkpoint_every": 2}
    change_settings(folder, **changes)
    run, training = resume_run(folder)
    assert train(run, training) == 0
    printed = capsys.readouterr().out
    for name, value in changes.items():
        assert f"{folder}: {name} was {getattr(TINY, name)!r} and is now {value!r}\n" in printed
    evaluated = [json.loads(line).get("eval/points_per_deal_vs_rules") for line in metrics_lines(folder)]
    assert [value is not None for value in evaluated] == [False, False, True]
    resume_run(folder)[0].close()  # the checkpoint has the new ones


def test_another_number_of_threads_asks_for_force(folder):
    change_settings(folder, num_threads=2)
    told = rf"{CONFIG_FILE}: num_threads was 1 and is now 2; --force continues all the same, and ends with other weigh"
    with pytest.raises(ValueError, match=told):
        resume_run(folder)
    run, _ = resume_run(folder, force=True)
    run.close()
    assert run.changes == ("num_threads was 1 and is now 2",)


def manifest_of(folder):
    return json.loads((folder / MANIFEST_FILE).read_text())


def test_every_resume_is_noted_with_its_update_and_its_torch(folder):
    before = manifest_of(folder)
    with (folder / METRICS_FILE).open("a") as lines:
        lines.write('{"update": 2, "time/learn": 2.0, "time/save": null, "time/collect": 1.5}\n')
    for _ in range(2):
        resume_run(folder)[0].close()
    after = manifest_of(folder)
    first, second = after.pop("resumes")
    assert after == before
    assert (first["update"], first["torch"], first["seconds_lost"]) == (1, torch.__version__, 3.5)
    assert second["seconds_lost"] == 0
    assert first["git_commit"] == before["git_commit"]
    assert abs(datetime.fromisoformat(second["time"]).timestamp() - time.time()) < 60


def test_another_version_of_torch_asks_for_force(folder, monkeypatch):
    with monkeypatch.context() as upgraded:
        upgraded.setattr("euchre_train.run_manifest._version", lambda package: "99.1")
        with pytest.raises(ValueError, match=rf"was trained with torch {re.escape(torch.__version__)}, and this .* 99"):
            resume_run(folder)
        resume_run(folder, force=True)[0].close()
        resume_run(folder)[0].close()  # which goes on with the version of last time
    with pytest.raises(ValueError, match=r"was trained with torch 99\.1, and this is torch"):
        resume_run(folder)


def test_a_lock_on_a_file_that_has_been_removed_is_no_lock(tmp_path, monkeypatch):
    lock = folder_lock.fcntl.flock

    def remove_and_lock(file, operation):
        monkeypatch.undo()
        (tmp_path / folder_lock.LOCK_FILE).unlink()  # as a start that fails does
        lock(file, operation)

    monkeypatch.setattr(folder_lock.fcntl, "flock", remove_and_lock)
    held = folder_lock.FolderLock(tmp_path, "trained")
    with pytest.raises(ValueError, match="is being trained by process"):
        folder_lock.FolderLock(tmp_path, "trained")
    held.release()
    folder_lock.FolderLock(tmp_path, "trained").release()


def metrics_lines(folder):
    """The lines of a run's metrics."""
    return (folder / METRICS_FILE).read_text().splitlines()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda state: state.pop("settings"), "the settings of the run are missing"),
        (lambda state: state.pop("optimizer"), "KeyError: 'optimizer'"),
        (lambda state: state.update(update=7), "update must be a whole number from 0 to 3, not 7"),
        (lambda state: state["model"]["actor.first.bias"].fill_(torch.nan), r"actor\.first\.bias is not finite"),
        (lambda state: state["model"].pop("actor.first.bias"), "state_dict"),
    ],
    ids=["of an earlier version", "no optimizer", "too many updates", "nan", "no bias"],
)
def test_a_checkpoint_that_does_not_fit_is_refused_in_one_line(folder, change, said):
    state = torch.load(folder / CHECKPOINT_FILE, weights_only=True)
    change(state)
    torch.save(state, folder / CHECKPOINT_FILE)
    with pytest.raises(ValueError, match=rf"{CHECKPOINT_FILE} is not a checkpoint of this version: .*{said}") as error:
        resume_run(folder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "line", [b"[1]", b"{}", b'{"update": "1"}', b'{"update": true}', b"\xff\xfe", b"[" * 100_000, b"null", b""],
    ids=["list", "no update", "text", "bool", "not UTF-8", "100,000 brackets", "null", "empty"],
)  # fmt: skip
def test_a_line_that_holds_no_metrics_is_refused_by_its_number(folder, line):
    damaged = (folder / METRICS_FILE).read_bytes() + line + b"\n"
    (folder / METRICS_FILE).write_bytes(damaged)
    with pytest.raises(ValueError, match=rf"{METRICS_FILE}, line 2, does not hold the metrics of an update") as error:
        resume_run(folder)
    assert "\n" not in str(error.value)
    assert (folder / METRICS_FILE).read_bytes() == damaged


def test_a_last_line_that_was_cut_short_is_dropped(folder):
    whole = (folder / METRICS_FILE).read_bytes()
    (folder / METRICS_FILE).write_bytes(whole + b'{"update": 2, "losses/po')
    resume_run(folder)[0].close()
    assert (folder / METRICS_FILE).read_bytes() == whole


def test_metrics_of_updates_after_the_checkpoint_are_dropped(folder):
    run, training = resume_run(folder)
    with run:
        run.log(2, {"losses/policy_loss": 7.0})
    run, training = resume_run(folder)
    assert train(run, training) == 0
    assert [json.loads(line)["update"] for line in metrics_lines(folder)] == [1, 2, 3]
    shown = EventAccumulator(str(folder)).Reload().Scalars("losses/policy_loss")
    assert [event.step for event in shown] == [1, 2, 3]
    logged = [json.loads(line)["losses/policy_loss"] for line in metrics_lines(folder)]
    assert [event.value for event in shown] == pytest.approx(logged)


def test_networks_that_do_not_fit_in_memory_leave_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("euchre_train.ppo.ActorCritic", lambda config: torch.empty(10**15))  # as torch says it
    with pytest.raises(TrainingError, match=r"networks of \(16,\) and \(16,\) units do not fit in memory; try smaller"):
        start_run(tmp_path / "run", TINY)
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_a_run_is_made_leaves_no_folder(tmp_path, monkeypatch):
    def press(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as pressing:
        pressing.setattr("euchre_train.run_folder.manifest", press)
        with pytest.raises(KeyboardInterrupt):
            start_run(tmp_path / "run", TINY)
    assert not list(tmp_path.iterdir())
    start_run(tmp_path / "run", TINY)[0].close()


def test_a_first_update_that_does_not_fit_in_memory_leaves_no_run(tmp_path, monkeypatch):
    def too_large(*arguments):
        raise MemoryError

    monkeypatch.setattr("euchre_train.ppo.collect", too_large)
    mine = tmp_path / "run" / "notes.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    run, training = start_run(tmp_path / "run", TINY)
    with pytest.raises(TrainingError, match=r"update 1 does not fit in memory; try a smaller deals_per_update; no upd"):
        train(run, training)
    assert list(run.path.iterdir()) == [mine]


def test_the_gpu_may_run_out_of_memory_too(folder, monkeypatch):
    def too_large(*arguments):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")  # as torch says it

    monkeypatch.setattr("euchre_train.ppo.collect", too_large)
    run, training = resume_run(folder)
    with pytest.raises(
        TrainingError, match=r"update 2 does not fit in memory; try a smaller deals_per_update; its che"
    ):
        train(run, training)


def test_a_resumed_run_that_fails_at_once_stays_a_run(tmp_path, monkeypatch):
    start_run(tmp_path / "run", TINY)[0].close()  # and killed in its first update
    run, training = resume_run(tmp_path / "run")
    monkeypatch.setattr("euchre_train.ppo.collect", lambda *arguments: torch.empty(10**15))
    with pytest.raises(TrainingError, match=r"update 1 does not fit in memory.*; it has no checkpoint yet$"):
        train(run, training)
    resume_run(tmp_path / "run")[0].close()


def test_a_defect_is_not_taken_for_a_failure_of_the_run(folder, monkeypatch):
    def defect(*arguments):
        raise RuntimeError("a defect")

    monkeypatch.setattr("euchre_train.ppo.collect", defect)
    run, training = resume_run(folder)
    with pytest.raises(RuntimeError, match=r"^a defect$"):
        train(run, training)
    resume_run(folder)[0].close()  # and it is not locked


@pytest.mark.parametrize("made", ["folder", "full"])
def test_a_checkpoint_that_cannot_be_written_keeps_the_one_before(folder, made):
    before = (folder / CHECKPOINT_FILE).read_bytes()
    blocked = folder / (CHECKPOINT_FILE + ".new")
    if made == "folder":
        blocked.mkdir()
        message = rf"{blocked} cannot be written: Is a directory"
    else:
        blocked.symlink_to("/dev/full")  # where every write finds the disk full
        message = rf"{folder / CHECKPOINT_FILE} cannot be written: No space left on device"
    run, training = resume_run(folder)
    with pytest.raises(TrainingError, match=rf"^{folder}: {message}; its checkpoint after update 1 is kept$"):
        train(run, training)
    assert (folder / CHECKPOINT_FILE).read_bytes() == before
    if made == "folder":
        blocked.rmdir()
    assert not blocked.exists()  # what was written in part takes no room on the disk
    run, training = resume_run(folder)
    assert train(run, training) == 0


@pytest.mark.parametrize("name", [METRICS_FILE, "policy.safetensors.new", "policy.json.new"])
def test_a_full_disk_is_told_with_the_file(folder, name):
    run, training = resume_run(folder)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to("/dev/full")
    told = re.escape(name.removesuffix(".new"))
    with pytest.raises(TrainingError, match=rf"{told} cannot be written: No space left on device"):
        train(run, training)
    (folder / name).unlink(missing_ok=True)  # what was written in part is gone already
    run, training = resume_run(folder)
    assert train(run, training) == 0


def test_a_full_disk_is_told_with_tensorboards_file(folder):
    run, training = resume_run(folder)
    before = set(folder.iterdir())
    run.log(2, {"losses/policy_loss": 7.0})
    (events,) = set(folder.iterdir()) - before
    events.unlink()
    events.symlink_to("/dev/full")
    with pytest.raises(TrainingError, match=rf"{events} cannot be written: No space left on device"):
        train(run, training)
