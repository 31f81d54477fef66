"""The reward of training: net points on one scale for all house rules, or a function of one's own."""

import json
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import arguments_for, first_batch, play_update, small_sampler, tiny

from euchre_env.game import RESULT
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.random_streams import training_seed
from euchre_train.cli import main
from euchre_train.metrics_file import METRICS_FILE
from euchre_train.ppo import TrainingError, estimate_values, new_training, updates
from euchre_train.rewards import LARGEST_REWARD, load_reward, points
from euchre_train.run_folder import start_run
from euchre_train.running import train

pytestmark = pytest.mark.compiled  # self-play takes too long without the compiler


def results(*scores):
    """Results of deals with these points."""
    array = np.zeros(len(scores), RESULT)
    array["points"] = scores
    return array


def test_points_are_half_the_net_points_under_the_usual_rules():
    rewards = points(results((1, 0), (0, 2), (4, 0), (0, 0)), [HouseRules()] * 4)
    np.testing.assert_array_equal(rewards, [[0.5, -0.5, 0.5, -0.5], [-1, 1, -1, 1], [2, -2, 2, -2], [0, 0, 0, 0]])


def test_the_largest_score_of_any_rules_is_worth_the_largest_reward():
    rules = [parse_rules(text) for text in ("standard", "standard,lone_march_points=8", "standard,lone_march_points=2")]
    rewards = points(results((4, 0), (8, 0), (0, 2)), rules)
    np.testing.assert_array_equal(rewards[:, 0], [LARGEST_REWARD, LARGEST_REWARD, -LARGEST_REWARD])


# A reward of one's own


class OwnReward:
    """Pays each seat its number plus the march points of the rules; notes what it is called with."""

    def __init__(self):
        self.calls = []

    def __call__(self, results, rules):
        self.calls.append((results, list(rules)))
        return np.arange(4) + np.array([[each.march_points] for each in rules])


def test_a_reward_of_ones_own_gets_each_deal_with_its_rules():
    rule_sets = [HouseRules(march_points=number) for number in (1, 2, 3)]
    reward, config = OwnReward(), tiny(deals_per_update=64)
    batch = play_update(small_sampler()[0], config, update=1, rule_sets=rule_sets, reward=reward)
    ((ended, rules),) = reward.calls
    assert ended.dtype == RESULT
    assert sorted(ended["episode"]) == list(range(64, 128))
    assert rules == [rule_sets[episode % 3] for episode in ended["episode"]]
    assert any(result["points"].any() for result in ended)
    expected = [[1 + episode % 3 + seat for seat in range(4)] for episode in range(64, 128)]
    np.testing.assert_array_equal(batch.rewards.reshape(-1, 4), expected)


WRONG = {
    "too few deals": lambda results, rules: np.zeros((len(results) - 1, 4)),
    "one number a deal": lambda results, rules: np.zeros(len(results)),
    "by team": lambda results, rules: np.zeros((len(results), 2)),
    "nan": lambda results, rules: np.full((len(results), 4), np.nan),
    "one infinite": lambda results, rules: np.where(np.arange(4) == 3, np.inf, np.zeros((len(results), 4))),
    "nothing": lambda results, rules: None,
    "texts": lambda results, rules: np.full((len(results), 4), "1"),
    "complex": lambda results, rules: np.zeros((len(results), 4), complex),
}


@pytest.mark.parametrize("reward", WRONG.values(), ids=WRONG)
def test_what_is_no_number_for_each_seat_of_each_deal_is_refused(reward):
    with pytest.raises(ValueError, match=r"the reward must give finite numbers, shape \(64, 4\), not") as error:
        play_update(small_sampler()[0], tiny(), reward=reward)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("gives_nan", TrainingError, "the reward must give finite numbers.*; no update was finished"),
        ("fails", LookupError, "a mistake in the reward"),
        ("fails_to_convert", ValueError, "^a mistake in the reward$"),
        ("fails_to_open", FileNotFoundError, "No such file"),
    ],
)
def test_a_run_whose_reward_fails_leaves_no_folder(tmp_path, name, error, message):
    run, training = start_run(tmp_path / "run", tiny(reward=f"support.own_rewards:{name}"))
    with pytest.raises(error, match=message):
        train(run, training)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["fails_to_convert", "fails_to_open"])
def test_the_command_shows_where_a_reward_has_failed(tmp_path, capsys, name):
    config = tiny(reward=f"support.own_rewards:{name}")
    assert main([*arguments_for(config), "--run", str(tmp_path / "run")]) == 1
    first, *details = capsys.readouterr().err.splitlines()
    assert first.startswith("euchre-train: an update failed: ")
    assert details[0] == "Traceback (most recent call last):"
    assert any(f"in {name}" in line for line in details)
    assert not (tmp_path / "run").exists()


def test_the_command_names_a_reward_that_gives_no_numbers_in_one_line(tmp_path, capsys):
    config = tiny(reward="support.own_rewards:gives_nan")
    assert main([*arguments_for(config), "--run", str(tmp_path / "run")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "the reward must give finite numbers" in line


def test_the_reward_that_the_settings_name_is_learnt_from():
    config = tiny(reward="support.own_rewards:two_for_every_seat", gae_lambda=1.0, num_epochs=1, minibatch_size=10**6)
    metrics, fresh = next(updates(new_training(config), config)), new_training(config)
    _, inputs, *_ = first_batch(fresh, config, seed=training_seed(config.seed))
    values = estimate_values(fresh.model, inputs)
    assert metrics["losses/value_loss"] == pytest.approx(0.5 * np.mean((values - 2) ** 2), rel=1e-5)


def test_a_reward_is_found_in_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "reward_of_the_working_folder.py").write_text(
        "def nothing(results, rules): return [[0] * 4] * len(rules)"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    config = tiny(reward="reward_of_the_working_folder:nothing", num_updates=1, eval_deals=1)
    assert main([*arguments_for(config), "--run", "run"]) == 0
    (line,) = (tmp_path / "run" / METRICS_FILE).read_text().splitlines()
    assert json.loads(line)["losses/value_loss"] < 0.1  # nothing to explain


def test_the_reward_of_a_name_is_that_of_its_module():
    assert load_reward("points") is points
    assert load_reward("support.own_rewards:two_for_every_seat").__name__ == "two_for_every_seat"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pionts", "unknown reward 'pionts'; 'points', or package.module:function"),
        ("", "unknown reward ''"),
        ("nowhere.at_all:reward", "there is no module 'nowhere"),
        ("support.own_rewards:gives_man", "did you mean 'gives_nan'"),
        (".relative:reward", "'.relative' is not the name of a module"),
        ("support.own_rewards:NO_FUNCTION", "is a str, not a function"),
    ],
)
def test_a_name_without_a_reward_is_refused(tmp_path, name, message):
    with pytest.raises(ValueError, match=message):
        load_reward(name)
    with pytest.raises(ValueError, match=message):
        start_run(tmp_path / "run", tiny(reward=name))
    assert not (tmp_path / "run").exists()
