"""Sampled play: a network that draws its actions from its probabilities, `load("ppo:sampled")`."""

import re

import numpy as np
import pytest
from support.networks import small_network, some_decisions

from euchre_agents import RuleBot, load
from euchre_agents.sampled_player import SampledPlayer
from euchre_env.kernel import row
from euchre_env.relative_suits import RELABELLED, relabel_view
from euchre_env.table import Table
from euchre_eval import play_match


@pytest.mark.compiled
def test_each_action_is_drawn_as_often_as_its_probability_says():
    network, views, draws = small_network(scale=0.1), some_decisions(12).views(), 4000
    player, keys = SampledPlayer(network), np.random.default_rng(2).integers(1 << 31, size=draws)
    spread = 0
    for view, probabilities in zip(views, network.probabilities(views), strict=True):
        actions = player.act_views(np.repeat(view, draws), keys)
        frequencies = np.bincount(actions, minlength=len(probabilities)) / draws
        assert np.all(frequencies[probabilities == 0] == 0)
        limit = 4.5 * np.sqrt(probabilities * (1 - probabilities) / draws) + 1e-6
        assert np.all(np.abs(frequencies - probabilities) <= limit)
        spread += np.sum((probabilities > 0.05) & (probabilities < 0.95))
    assert spread > 12  # there was something to draw


def test_a_draw_depends_on_the_view_and_the_key_alone():
    network, tables = small_network(scale=0.1), some_decisions()
    views, keys = tables.views(), tables.decision_keys(1)
    together = SampledPlayer(network, seed=1).act_views(views, keys)
    other = SampledPlayer(network, seed=2)
    order = np.random.default_rng(0).permutation(len(views))
    np.testing.assert_array_equal(other.act_views(views[order], keys[order]), together[order])
    alone = [other.act_views(views[i : i + 1], keys[i : i + 1])[0] for i in range(len(views))]
    np.testing.assert_array_equal(alone, together)
    assert np.any(other.act_views(views, keys[::-1].copy()) != together)
    assert np.any(network.act_views(views, keys) != together)


def test_a_view_in_other_suits_draws_the_same_action_in_these_suits():
    tables = some_decisions()
    views, keys, frames = tables.views(), tables.decision_keys(1), tables.frames
    player = SampledPlayer(small_network(scale=0.1))
    chosen = player.act_views(views, keys)
    for i in range(len(views)):
        relabel_view(row(views, i), int(frames[i]))
    assert len(set(frames)) == 4
    np.testing.assert_array_equal(player.act_views(views, keys), RELABELLED[frames, chosen])


def test_it_draws_the_actions_that_training_draws_with_the_same_keys():
    pytest.importorskip("torch", reason="training needs the extra [train]")
    from support.training import tiny

    from euchre_train.ppo import new_training

    model, tables = new_training(tiny()).model, some_decisions()
    keys = tables.decision_keys(1)
    trained, _ = model.sampler().sample(*tables.observations(relative_suits=True), keys, np.zeros(len(keys)))
    played = SampledPlayer(model.player()).act_views(tables.views(), keys)  # type: ignore[arg-type]  # sees its own view
    np.testing.assert_array_equal(RELABELLED[tables.frames, played], trained)


def test_its_explanation_is_that_of_the_network():
    network, view = small_network(), Table(seed=4).view()
    assert SampledPlayer(network).explain(view) == network.explain(view)


@pytest.mark.compiled
def test_the_shipped_agent_samples_by_name():
    tables = some_decisions()
    views, keys = tables.views(), tables.decision_keys(1)
    expected = SampledPlayer(load("ppo:points")).act_views(views, keys)  # type: ignore[arg-type]  # a network
    for name in ("ppo:sampled", "hard:sampled"):
        player = load(name)
        assert player.name == "ppo:sampled"  # type: ignore[attr-defined]
        np.testing.assert_array_equal(player.act_views(views, keys), expected)  # type: ignore[attr-defined]


def test_a_network_in_a_folder_samples_by_its_path(tmp_path):
    folder = tmp_path / "best"
    folder.mkdir()
    network = small_network(scale=0.1)
    network.save(folder)
    tables = some_decisions()
    views, keys = tables.views(), tables.decision_keys(1)
    expected = SampledPlayer(network).act_views(views, keys)
    for path in (folder, folder / "policy.safetensors"):
        player = load(f"{path}:sampled")
        assert player.name == "best:sampled"  # type: ignore[attr-defined]
        np.testing.assert_array_equal(player.act_views(views, keys), expected)  # type: ignore[attr-defined]


def test_its_seed_fixes_what_it_draws_from_observations():
    network, tables = small_network(scale=0.1), some_decisions()
    first, same, other = (SampledPlayer(network, seed).act_batch(*tables.observations()) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert np.any(first != other)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("", "takes no argument, or 'points' or 'sampled', but is given ''"),
        ("best", "takes no argument, or 'points' or 'sampled', but is given 'best'"),
        ("samplde", "but is given 'samplde'; did you mean 'sampled'?"),
        ("sampled:2", "but is given 'sampled:2'"),
    ],
)
def test_another_argument_is_refused_by_name_and_by_path(argument, message, tmp_path):
    small_network(hidden_sizes=(8,)).save(tmp_path)
    for name in ("ppo", "hard", *([str(tmp_path)] if ":" not in argument else [])):
        with pytest.raises(ValueError, match=re.escape(f"player {name!r} ") + ".*" + re.escape(message)):
            load(f"{name}:{argument}")


def test_a_path_without_a_network_has_no_sampled_player(tmp_path):
    with pytest.raises(ValueError, match="there is no module"):
        load(f"{tmp_path}:sampled")


@pytest.mark.compiled
def test_a_match_of_sampled_play_does_not_depend_on_the_batch():
    sampled, bot = load("ppo:sampled", seed=0), RuleBot(seed=0)
    result = play_match(sampled, bot, deals=40)
    assert result == play_match(sampled, bot, deals=40, batch_size=7)
    assert result.reneges == (0, 0, 0, 0)
    assert result.points_per_deal != play_match(load("ppo"), bot, deals=40).points_per_deal
