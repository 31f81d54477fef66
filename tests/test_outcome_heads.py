"""Outcome heads: what they compute, their files, and the names under which their players load."""

import json
import re

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from support.networks import head_card, small_head, small_network, some_decisions, some_games

from euchre_agents import load
from euchre_agents.encoder import InputEncoder
from euchre_agents.network import NetworkPolicy, load_network
from euchre_agents.network_card import read_head_card
from euchre_agents.outcome_head import CARD_FILE, WEIGHTS_FILE, OutcomeHead, load_head
from euchre_agents.outcomes import KINDS, NUM_OUTCOMES, OUTCOME_NAMES, THROWN_IN, outcomes_for_team
from euchre_agents.sampled_player import SampledPlayer
from euchre_agents.score_player import ScorePlayer
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS
from euchre_env.relative_suits import RELABELLED

pytestmark = pytest.mark.compiled  # whole games take too long without the compiler


@pytest.fixture
def folder(tmp_path):
    """A folder with a network and its head."""
    folder = tmp_path / "best"
    folder.mkdir()
    network = small_network(scale=0.3)
    network.save(folder)
    small_head(network).save(folder)
    return folder


def softmax(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


# What a head computes


@pytest.mark.parametrize(
    ("architecture", "sizes"),
    [("perceptron", (16, 24, 8)), ("perceptron", (16,)), ("residual", (16, 16, 16)), ("residual", (16,))],
)
def test_a_head_reads_the_last_hidden_layer(architecture, sizes):
    network = small_network(architecture=architecture, hidden_sizes=sizes, scale=0.2)
    head = small_head(network)
    views = some_decisions(60).views()
    chances = head.outcomes(views, network)
    assert (chances.shape, chances.dtype) == ((60, NUM_ACTIONS, NUM_OUTCOMES), np.float32)
    inputs, counts, frames, masks = network_inputs(network, views)
    for i in range(len(views)):
        units = network.biases[0] + network.weights[0][inputs[i, : counts[i]]].sum(axis=0)
        units = np.maximum(units, 0)
        for weights, biases in list(zip(network.weights, network.biases, strict=True))[1:-1]:
            above = np.maximum(units @ weights + biases, 0)
            units = units + above if architecture == "residual" else above
        hidden = np.maximum(units @ head.weights.hidden_weights + head.weights.hidden_biases, 0)
        for action in range(NUM_ACTIONS):
            found = chances[i, RELABELLED[frames[i], action]]
            if masks[i, action]:
                expected = softmax(hidden @ head.weights.weights[action] + head.weights.biases[action])
                np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-6)
            else:
                assert not found.any()


def network_inputs(network, views):
    """The inputs of a network at views, as `InputEncoder.of_views` gives them."""
    return InputEncoder(network.card.places()).of_views(views)


def test_a_team_sees_its_own_calls_first():
    ours, theirs = np.array([True, True, False, False, False]), np.array([0, THROWN_IN, 0, len(KINDS) + 2, THROWN_IN])
    seen = outcomes_for_team(theirs, ours)
    names = [OUTCOME_NAMES[outcome] for outcome in seen]
    assert names == ["own: point", "thrown in", "other: point", "own: lone march", "thrown in"]
    assert len(set(OUTCOME_NAMES)) == NUM_OUTCOMES


# Files


def test_what_is_saved_is_what_is_loaded(folder):
    network = load_network(folder)
    assert isinstance(network, NetworkPolicy)
    head, loaded, views = small_head(network), load_head(folder, network), some_decisions().views()
    assert loaded.card == head.card
    for name, array in head.weights._asdict().items():
        np.testing.assert_array_equal(getattr(loaded.weights, name), array)
    np.testing.assert_array_equal(loaded.outcomes(views, network), head.outcomes(views, network))
    assert {array.dtype for array in load_file(folder / WEIGHTS_FILE).values()} == {np.dtype(np.float16)}


def test_weights_that_float16_would_change_are_saved_in_float32(folder):
    network = small_network(scale=0.3)
    head = small_head(network)
    head.weights.biases[0, 0] = np.float32(1 / 3)
    head.save(folder)
    np.testing.assert_array_equal(load_head(folder, network).weights.biases, head.weights.biases)
    assert {array.dtype for array in load_file(folder / WEIGHTS_FILE).values()} == {np.dtype(np.float32)}


def edit_card(folder, **changes):
    values = json.loads((folder / CARD_FILE).read_text()) | changes
    (folder / CARD_FILE).write_text(json.dumps(values))


def edit_weights(folder, edit):
    tensors = load_file(folder / WEIGHTS_FILE)
    edit(tensors)
    save_file(tensors, folder / WEIGHTS_FILE)


def refusal(folder, file):
    """The one-line message with which `load` refuses a folder; it names the file."""
    with pytest.raises(ValueError, match=re.escape(str(folder / file))) as caught:
        load(str(folder))
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 800
    assert isinstance(load(f"{folder}:points"), NetworkPolicy)  # the network alone is not affected
    return message


@pytest.mark.parametrize("file", [CARD_FILE, WEIGHTS_FILE])
def test_a_missing_file_is_named(folder, file):
    (folder / file).unlink()
    with pytest.raises(ValueError, match=f"holds no outcome head: {file} is missing"):
        load(str(folder))


def test_damaged_weights_are_refused(folder):
    (folder / WEIGHTS_FILE).write_bytes(b"no tensors")
    assert "is not the weights of a network" in refusal(folder, WEIGHTS_FILE)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused(folder, value):
    def spoil(tensors):
        tensors["weights"][3, 2, 1] = value

    edit_weights(folder, spoil)
    assert "must be finite" in refusal(folder, WEIGHTS_FILE)


def test_weights_that_are_not_floating_point_numbers_are_refused(folder):
    edit_weights(folder, lambda tensors: tensors.update(biases=tensors["biases"].astype(np.int32)))
    assert "must be floating-point numbers, not int32" in refusal(folder, WEIGHTS_FILE)


def test_weights_of_another_shape_or_name_are_refused(folder):
    edit_weights(folder, lambda tensors: tensors.update(biases=tensors["biases"][1:].copy()))
    assert "'biases': (36, 19)" in refusal(folder, WEIGHTS_FILE)
    edit_weights(folder, lambda tensors: tensors.update(bias=tensors.pop("biases")))
    assert "its card asks for" in refusal(folder, WEIGHTS_FILE)


def test_a_card_that_is_none_is_refused(folder):
    (folder / CARD_FILE).write_text("[]")
    assert "is not the card of an outcome head" in refusal(folder, CARD_FILE)
    (folder / CARD_FILE).write_text("{}")
    assert "is not the card of an outcome head: format None" in refusal(folder, CARD_FILE)


def test_a_card_of_a_later_format_or_of_impossible_sizes_is_refused(folder):
    edit_card(folder, format=2)
    assert "this version reads formats up to 1" in refusal(folder, CARD_FILE)
    edit_card(folder, format=1, num_hidden=0)
    assert "num_hidden must be a whole number above 0, not 0" in refusal(folder, CARD_FILE)


def test_other_outcomes_than_those_of_this_version_are_refused(folder):
    edit_card(folder, outcomes=["own: draw", *OUTCOME_NAMES[1:]])
    assert "the head has other outcomes than this version: own: draw" in refusal(folder, WEIGHTS_FILE)


def test_the_head_of_other_weights_is_refused_with_what_would_do(folder):
    small_network(seed=9).save(folder)
    message = refusal(folder, CARD_FILE)
    assert "trained for other weights than those of the network beside it; train it again with" in message
    assert "euchre-train outcome-head, or play without it (FOLDER:points)" in message


def test_the_head_of_a_network_with_other_actions_is_refused(folder):
    network = small_network(actions=ACTION_NAMES[::-1])
    network.save(folder)
    assert "37 actions and a last hidden layer of 24 units" in refusal(folder, CARD_FILE)


def test_a_head_without_a_weight_is_refused():
    network = small_network(scale=0.3)
    tensors = small_head(network).tensors()
    del tensors["hidden_biases"]
    with pytest.raises(ValueError, match="the head's weights have shapes"):
        OutcomeHead(head_card(network, 8), tensors)


def test_the_card_tells_how_the_head_was_trained(folder):
    card = read_head_card(folder / CARD_FILE)
    assert (card.deals, card.seed, card.num_hidden, card.outcomes) == (1000, 1, 8, OUTCOME_NAMES)


# Names


def test_a_folder_with_a_head_is_played_by_it_and_by_its_network_as_points(folder):
    tables = some_games()
    views, keys = tables.views(), tables.decision_keys(1)
    network = small_network(scale=0.3)
    player, points, sampled = load(str(folder)), load(f"{folder}:points"), load(f"{folder}:sampled")
    assert isinstance(player, ScorePlayer)
    assert isinstance(points, NetworkPolicy)
    assert isinstance(sampled, SampledPlayer)
    assert (player.name, points.name, sampled.name) == ("best", "best:points", "best:sampled")
    expected = ScorePlayer(network, small_head(network)).act_views(views, keys)
    np.testing.assert_array_equal(player.act_views(views, keys), expected)
    np.testing.assert_array_equal(points.act_views(views, keys), network.act_views(views, keys))
    np.testing.assert_array_equal(sampled.act_views(views, keys), SampledPlayer(network).act_views(views, keys))
    assert np.any(expected != network.act_views(views, keys))


def test_a_folder_without_a_head_is_played_by_its_network(folder):
    for file in (CARD_FILE, WEIGHTS_FILE):
        (folder / file).unlink()
    assert isinstance(load(str(folder)), NetworkPolicy)
    points = load(f"{folder}:points")
    assert isinstance(points, NetworkPolicy)
    assert points.name == "best:points"


def test_the_shipped_network_plays_for_points_by_name():
    tables = some_decisions()
    views, keys = tables.views(), tables.decision_keys(1)
    expected = load("ppo").act_views(views, keys)
    for name in ("ppo:points", "hard:points"):
        player = load(name)
        assert isinstance(player, NetworkPolicy)
        assert player.name == "ppo:points"
        np.testing.assert_array_equal(player.act_views(views, keys), expected)
