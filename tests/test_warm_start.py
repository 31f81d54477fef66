"""A run that starts from the networks of another: `--from`, at a given update of its schedules."""

import dataclasses
import json

import pytest
from safetensors.numpy import load_file, save_file

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import arguments_for, assert_same_weights, tiny, weights_of

from euchre_train.cli import main
from euchre_train.metrics_file import METRICS_FILE
from euchre_train.ppo import TrainingError, new_training
from euchre_train.run_folder import resume_run, run_settings, start_run
from euchre_train.running import train
from euchre_train.saved_networks import CHECKPOINT_FILE
from euchre_train.starting import first_training

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
SOURCE = tiny(num_updates=2)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The folder of a finished run."""
    run, training = start_run(tmp_path_factory.mktemp("runs") / "source", SOURCE)
    assert train(run, training) == 0
    return run.path


def metrics_in(folder):
    return [json.loads(line) for line in (folder / METRICS_FILE).read_text().splitlines()]


def test_a_run_starts_with_the_networks_of_another_at_its_own_first_update(tmp_path, source, capsys):
    before, folder = (source / CHECKPOINT_FILE).read_bytes(), tmp_path / "run"
    config = tiny(num_updates=10, start_update=8, seed=2, start_from=str(source))
    assert main([*arguments_for(config), "--from", str(source), "--run", str(folder)]) == 0
    records = metrics_in(folder)
    assert [record["update"] for record in records] == [9, 10]
    rate = config.learning_rate
    assert [record["charts/learning_rate"] for record in records] == pytest.approx([rate * 0.2, rate * 0.1])
    assert [record["charts/deals"] for record in records] == [64, 128]  # those that this run played
    assert "\n128 of 128 deals | " in capsys.readouterr().out
    assert (source / CHECKPOINT_FILE).read_bytes() == before
    assert run_settings(folder).start_from == str(source)
    training = first_training(run_settings(folder))
    assert_same_weights(training.model.state_dict(), weights_of(source))
    assert training.update == 8
    assert training.past_selves == []
    assert training.optimizer.state_dict()["state"] == {}


def test_a_run_without_a_checkpoint_starts_again_from_the_same_networks(tmp_path, source):
    config = tiny(start_from=str(source))
    start_run(tmp_path / "run", config)[0].close()  # and killed in its first update
    run, training = resume_run(tmp_path / "run")
    run.close()
    assert_same_weights(training.model.state_dict(), weights_of(source))


def test_a_resumed_run_does_not_read_the_source_again(tmp_path, source):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / CHECKPOINT_FILE).write_bytes((source / CHECKPOINT_FILE).read_bytes())
    run, training = start_run(tmp_path / "run", tiny(start_from=str(folder)))
    assert train(run, training) == 0
    (folder / CHECKPOINT_FILE).unlink()
    run, _ = resume_run(tmp_path / "run")
    run.close()


def test_all_updates_done_leaves_the_networks_as_they_are(tmp_path, source):
    run, training = start_run(tmp_path / "run", tiny(start_from=str(source), start_update=3))
    assert train(run, training) == 0
    assert_same_weights(weights_of(run.path), weights_of(source))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_sizes": (17,)}, r"hidden_sizes is \(16,\) there and \(17,\) here"),
        ({"inputs": ("deal",)}, r"inputs is \('deal', 'derived'\) there and \('deal',\) here"),
        ({"critic": "own_view"}, "critic is 'all_hands' there and 'own_view' here"),
    ],
)
def test_networks_that_do_not_fit_the_settings_are_refused(tmp_path, source, changes, message):
    with pytest.raises(ValueError, match=message) as error:
        start_run(tmp_path / "run", dataclasses.replace(SOURCE, start_from=str(source), **changes))
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


@pytest.fixture
def shipped(tmp_path, source):
    """A folder with the player and the critic of the source alone, as an agent is shipped."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    for name in ("policy.json", "policy.safetensors", "critic.json", "critic.safetensors"):
        (folder / name).write_bytes((source / name).read_bytes())
    return folder


def test_a_run_starts_from_a_player_and_a_critic_alone(tmp_path, source, shipped):
    run, training = start_run(tmp_path / "run", tiny(start_from=str(shipped), start_update=1))
    run.close()
    assert_same_weights(training.model.state_dict(), weights_of(source))
    assert training.update == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"actor": "all_hands"},
        {"architecture": "residual", "hidden_sizes": (16, 16), "critic_hidden_sizes": (16, 16)},
        {"architecture": "support.own_architectures:GATED"},
    ],
    ids=["all hands", "residual", "own"],
)
def test_networks_of_every_kind_are_started_from_without_a_checkpoint(tmp_path, changes):
    config, folder = tiny(**changes), tmp_path / "saved"
    model = new_training(dataclasses.replace(config, seed=5)).model
    folder.mkdir()
    model.player().save(folder)
    model.portable_critic().save(folder)
    training = first_training(dataclasses.replace(config, start_from=str(folder)))
    assert_same_weights(training.model.state_dict(), model.state_dict())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_sizes": (17,)}, r"policy.json describes another .*: hidden_sizes is \(16,\) there and \(17,\) here"),
        ({"inputs": ("deal",)}, "policy.json describes another network than .*: the inputs are others"),
        ({"actor": "all_hands"}, "policy.json describes another network than .*: the hidden cards are others"),
        ({"critic": "own_view"}, "critic.json describes another network than .*: the hidden cards are others"),
    ],
)
def test_a_player_or_a_critic_that_does_not_fit_the_settings_is_refused(tmp_path, shipped, changes, message):
    with pytest.raises(ValueError, match=message):
        start_run(tmp_path / "run", dataclasses.replace(SOURCE, start_from=str(shipped), **changes))
    assert not (tmp_path / "run").exists()


def test_a_player_without_its_critic_is_refused(tmp_path, shipped):
    (shipped / "critic.json").unlink()
    told = f"{shipped} holds a player without its critic, and a run starts from both: critic.json is missing"
    with pytest.raises(ValueError, match=told):
        first_training(tiny(start_from=str(shipped)))


def test_weights_that_are_too_large_are_not_started_from(shipped):
    tensors = load_file(shipped / "policy.safetensors")
    save_file({name: tensor * 1e15 for name, tensor in tensors.items()}, shipped / "policy.safetensors")
    with pytest.raises(ValueError, match="shipped: the weights of the actor are too large"):
        first_training(tiny(start_from=str(shipped)))


def test_a_failure_in_the_first_update_leaves_no_folder(tmp_path, source):
    config = tiny(start_from=str(source), start_update=1, reward="support.own_rewards:gives_nan")
    run, training = start_run(tmp_path / "run", config)
    with pytest.raises(TrainingError, match="no update was finished, so nothing is kept"):
        train(run, training)
    assert not (tmp_path / "run").exists()


def test_a_folder_without_networks_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--from", "nowhere"]) == 2
    told = "nowhere holds no networks to start from: neither checkpoint.pt nor policy.json is there"
    assert capsys.readouterr().err == f"euchre-train: {told}\n"
    assert not list(tmp_path.iterdir())


def test_weights_that_are_not_finite_are_not_started_from(tmp_path):
    training = new_training(SOURCE)
    with torch.no_grad():
        training.model.actor.get_parameter("last.bias")[0] = torch.nan
    run, _ = start_run(tmp_path / "broken", SOURCE)
    with run:
        state = {"settings": dataclasses.asdict(SOURCE), "model": training.model.state_dict()}
        torch.save(state, run.path / CHECKPOINT_FILE)
    with pytest.raises(ValueError, match=r"actor\.last\.bias is not finite"):
        start_run(tmp_path / "run", tiny(start_from=str(run.path)))


def test_an_odd_name_of_a_folder_is_kept_as_it_is(tmp_path, source):
    odd = tmp_path / 'ü 🂡 "x": {y}'
    odd.symlink_to(source)
    arguments = [*arguments_for(tiny(num_updates=1)), "--from", str(odd), "--run", str(tmp_path / "run")]
    assert main(arguments) == 0
    assert run_settings(tmp_path / "run").start_from == str(odd)


def test_resuming_takes_no_other_networks(capsys):
    assert main(["--resume", "x", "--from", "y"]) == 2
    assert "it takes no --config, --set, --run or --from" in capsys.readouterr().err


def test_a_first_update_without_networks_to_start_from_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--set", "start_update=8"]) == 2
    told = "start_update is 8, but the run starts from no networks (--from FOLDER)"
    assert capsys.readouterr().err == f"euchre-train: settings: {told}\n"
    assert not list(tmp_path.iterdir())


def test_the_first_update_is_not_beyond_the_last():
    with pytest.raises(ValueError, match="start_update must be at most num_updates, 3, not 4"):
        tiny(start_update=4, start_from="x")
