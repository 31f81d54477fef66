"""The files of examples/ run and do what they say, at tiny sizes; that they learn is shown where it takes seconds."""

import ast
import importlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from support.paths import ROOT

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_agents import load, load_critic
from euchre_env.game import RESULT
from euchre_env.house_rules import HouseRules
from euchre_train.config import load_config
from euchre_train.torch_player import TorchCritic, TorchPlayer

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
EXAMPLES = ROOT / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
TINY = [
    "--set=num_updates=2", "--set=deals_per_update=32", "--set=minibatch_size=64", "--set=eval_deals=4",
    "--set=hidden_sizes=[16, 16]", "--set=critic_hidden_sizes=[16, 16]",
]  # fmt: skip


@pytest.fixture
def example(monkeypatch):
    """A function that imports an example by name, as Python does in its folder."""
    monkeypatch.syspath_prepend(EXAMPLES)
    yield importlib.import_module
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    """The folder of a finished run."""
    from euchre_train import cli

    folder = tmp_path_factory.mktemp("runs") / "agent"
    assert cli.main([*TINY, "--run", str(folder)]) == 0
    return folder


def run(name, *arguments):
    """What an example prints as a program."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_each_example_says_what_it_shows_and_is_listed(name):
    summary = (ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text("utf-8"))) or "").partition("\n")[0]
    assert re.fullmatch(r"[A-Z].{40,}\.", summary)
    assert f"[{name}.py]({name}.py)" in (EXAMPLES / "README.md").read_text("utf-8")


def test_an_architecture_of_your_own_is_trained_and_played_as_a_program(tmp_path, example):
    """As a program the example is imported twice: as the program, and by the name in the settings."""
    assert "against rules: " in run("own_architecture", tmp_path / "run", *TINY)
    example("own_architecture")  # from here on the module can be found
    player, critic = load(str(tmp_path / "run")), load_critic(tmp_path / "run")
    assert isinstance(player, TorchPlayer)
    assert isinstance(critic, TorchCritic)
    assert {type(player.module).__name__, type(critic.module).__name__} == {"Dense"}


def test_the_reward_of_your_own_counts_deals_and_not_points(tmp_path, example):
    own_reward = example("own_reward")
    results = np.zeros(3, RESULT)
    results["points"] = [[4, 0], [0, 1], [0, 0]]
    rewards = own_reward.deals_won(results, [HouseRules()] * 3)
    assert rewards.tolist() == [[1, -1, 1, -1], [-1, 1, -1, 1], [0, 0, 0, 0]]
    assert own_reward.share_alone(load("passer")) == 0
    assert 0.02 < own_reward.share_alone(load("rules", seed=0)) < 0.08  # docs/rules.md, "Reference table": 0.043
    assert 0 <= own_reward.main(str(tmp_path / "run"), *TINY) <= 1
    assert load_config(tmp_path / "run" / "config.yaml").reward == "own_reward:deals_won"
    assert load_critic(tmp_path / "run").unit == "own_reward:deals_won"


def test_frozen_opponents_play_in_every_deal(tmp_path, example):
    result = example("frozen_opponents").main(str(tmp_path / "run"), *TINY)
    assert result.players == ("run", "rules")
    assert load_config(tmp_path / "run" / "config.yaml").opponents == "rules"


def test_a_best_response_starts_as_the_agent_that_it_plays_against(tmp_path, agent, example):
    result = example("warm_start").main(
        str(agent), str(tmp_path / "run"), "--set=num_updates=1", "--set=learning_rate=1e-9"
    )
    config = load_config(tmp_path / "run" / "config.yaml")
    assert (config.start_from, config.opponents, config.deals_per_update) == (str(agent), str(agent), 32)
    before, after = (
        torch.load(folder / "checkpoint.pt", weights_only=True)["model"] for folder in (agent, tmp_path / "run")
    )
    assert all(torch.allclose(before[name], after[name], atol=1e-6) for name in before)
    assert result.points_per_deal.mean == pytest.approx(0, abs=0.05)


def test_a_best_response_to_an_agent_that_went_on_from_another(tmp_path, agent, example):
    folder = tmp_path / "agent"
    shutil.copytree(agent, folder)
    config = load_config(
        folder / "config.yaml", ["num_processes=2", "num_updates=100", "start_update=90"], start_from=agent
    )
    (folder / "config.yaml").write_text(config.to_yaml())
    example("warm_start").main(str(folder), str(tmp_path / "run"), "--set=num_updates=1")
    config = load_config(tmp_path / "run" / "config.yaml")
    assert (config.num_processes, config.start_update, config.start_from) == (1, 0, str(folder))


def test_a_network_learns_to_choose_as_the_player_in_collect(example, capsys):
    example("own_player_in_collect").main(6, 100)
    shares = [float(share) for share in re.findall(r"as the teacher in ([\d.]+)%", capsys.readouterr().out)]
    assert len(shares) == 6
    assert shares[-1] > shares[0] + 10


def test_the_player_in_collect_gives_the_probabilities_of_its_choices(example):
    from euchre_env.tables import Tables

    teacher, tables = example("own_player_in_collect").Teacher(), Tables(2000, seed=1)
    observations, masks = tables.observations(relative_suits=True)
    keys, exploration = tables.decision_keys(3), np.full(2000, 0.5)
    choices = teacher.player.act_batch(observations, masks)
    actions, log_probs = teacher.sample(observations, masks, keys, exploration)
    assert np.all(masks[np.arange(2000), actions])
    expected = 0.5 / masks.sum(axis=1) + 0.5 * (actions == choices)
    np.testing.assert_allclose(np.exp(log_probs), expected, rtol=1e-6)
    assert np.mean(actions == choices) == pytest.approx(np.mean(0.5 + 0.5 / masks.sum(axis=1)), abs=0.05)
    never, log_probs = teacher.sample(observations, masks, keys, np.zeros(2000))
    np.testing.assert_array_equal(never, choices)
    np.testing.assert_array_equal(log_probs, 0)


def test_a_critic_values_each_bid_over_the_worlds_of_a_view(agent, example, capsys):
    points = example("critic_values").main(str(agent), seed=3, num_worlds=40)
    assert list(points) == ["pass", "order up", "order up alone"]
    assert all(mean.se > 0 for mean in points.values())
    assert capsys.readouterr().out.count(" points\n") == 4


def test_points_after_a_bid_belong_to_the_team_of_the_viewer(example):
    """A critic that gives 1 to the team of any seat to act: after the first bid the other team is to act."""
    critic_values = example("critic_values")

    class Constant:
        def values_of_rows(self, tables):
            assert set(tables.turns) == {1}
            return np.ones(len(tables))

    from euchre_env.actions import PASS
    from euchre_env.table import Table
    from euchre_env.worlds import sample_worlds

    view = Table(seed=1).view()
    points = critic_values.points_after(PASS.id(), sample_worlds(view, 20, keys=1), Constant())
    np.testing.assert_array_equal(points, np.full(20, -1))


def test_the_trainer_over_tables_is_short_and_needs_no_trainer():
    source = (EXAMPLES / "tables_trainer.py").read_text("utf-8")
    assert source.count("\n") <= 50
    assert "euchre_train" not in source


def test_the_trainer_over_tables_learns_more_than_to_pass():
    """A player that passes whenever it may makes +0.850 against random (README.md), an untrained network up to that."""
    found = re.search(r": ([+-][\d.]+) ± ([\d.]+) points per deal", run("tables_trainer", 500, 64))
    assert found
    assert float(found[1]) - float(found[2]) > 0.9
