"""A run notes the saved networks that it meets or starts from, and is not resumed beside others of the same name."""

import json

import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import tiny

from euchre_train.ppo import new_training
from euchre_train.run_folder import resume_run, start_run
from euchre_train.run_manifest import MANIFEST_FILE

pytestmark = pytest.mark.compiled  # training takes too long without the compiler


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """The name of an agent in the working folder; called with a seed it becomes another one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent").mkdir()

    def replace(seed):
        model = new_training(tiny(seed=seed)).model
        model.player().save(tmp_path / "agent")
        model.portable_critic().save(tmp_path / "agent")

    replace(1)
    return replace


def begun(folder, with_checkpoint, **networks):
    """The folder of a run that was stopped before its first update."""
    run, training = start_run(folder, tiny(**networks))
    with run:
        if with_checkpoint:
            run.save(training)
    return folder


@pytest.mark.parametrize(
    ("networks", "with_checkpoint"),
    [
        ({"opponents": "agent"}, True),
        ({"partner": "agent:sampled"}, True),
        ({"opponents": "agent", "partner": "rules"}, False),
        ({"start_from": "agent"}, False),
    ],
)
def test_a_run_is_not_resumed_beside_other_networks(tmp_path, agent, networks, with_checkpoint):
    folder = begun(tmp_path / "run", with_checkpoint, **networks)
    resume_run(folder)[0].close()
    agent(2)
    setting, name = next(iter(networks.items()))
    told = rf"{folder} was begun with other networks in {name} \({setting}\) than are there now; --force continues all"
    with pytest.raises(ValueError, match=told):
        resume_run(folder)
    resume_run(folder, force=True)[0].close()
    agent(1)
    resume_run(folder)[0].close()


def test_a_run_with_a_checkpoint_does_not_need_what_it_started_from(tmp_path, agent):
    folder = begun(tmp_path / "run", True, start_from="agent")
    agent(2)
    resume_run(folder)[0].close()


def test_a_relative_path_is_not_resumed_from_another_folder(tmp_path, agent, monkeypatch):
    folder = begun(tmp_path / "run", True, opponents="agent")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    told = r"was begun with the networks in agent \(opponents\), and there are none now"
    with pytest.raises(ValueError, match=told):
        resume_run(folder)
    with pytest.raises(ValueError, match="unknown player 'agent'"):
        resume_run(folder, force=True)
    monkeypatch.chdir(tmp_path)
    resume_run(folder)[0].close()


def test_a_run_that_has_not_noted_its_opponents_asks_for_force(tmp_path, agent):
    folder = begun(tmp_path / "run", True, opponents="agent")
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    del manifest["networks"]
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest))
    with pytest.raises(
        ValueError, match=rf"{MANIFEST_FILE} does not say which networks were in agent \(opponents\); --f"
    ):
        resume_run(folder)
    resume_run(folder, force=True)[0].close()
    alone = begun(tmp_path / "alone", True)
    (alone / MANIFEST_FILE).write_text(json.dumps({"seed": 1}))  # as of a run that an earlier version has begun
    resume_run(alone)[0].close()


def test_another_player_than_a_network_has_no_digest(tmp_path, agent):
    folder = begun(tmp_path / "run", True, opponents="rules", partner="ppo")
    networks = json.loads((folder / MANIFEST_FILE).read_text())["networks"]
    assert set(networks) == {"partner"}
