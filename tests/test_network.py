"""The network as a player: it agrees with torch, does not depend on the batch, and says what is wrong with a file."""

import itertools
import json

import numpy as np
import pytest

from euchre_agents.network import CARD_FILE, WEIGHTS_FILE, NetworkPolicy, load_network
from euchre_agents.network_card import NetworkCard
from euchre_env.actions import NUM_ACTIONS
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.relative_suits import RELABELLED
from euchre_env.table import Table
from euchre_env.tables import Tables


def small_network(seed: int = 0) -> NetworkPolicy:
    """A network with random weights."""
    rng = np.random.default_rng(seed)
    card = NetworkCard(num_inputs=300, hidden_sizes=(16, 24), rules="standard")
    sizes = [card.num_inputs, *card.hidden_sizes, NUM_ACTIONS]
    weights = tuple(rng.normal(size=shape).astype(np.float32) for shape in itertools.pairwise(sizes))
    return NetworkPolicy(card, weights, tuple(rng.normal(size=size).astype(np.float32) for size in sizes[1:]))


def some_decisions(count: int = 300, seed: int = 5):
    """Tables in the middle of random play, with the observations and masks of their seats to act."""
    tables = Tables(count, seed=seed)
    for _ in range(9):
        tables.step(tables.random_actions(seed))
    return tables, *tables.observations(relative_suits=True)


def test_the_player_gives_the_probabilities_that_torch_gives():
    torch = pytest.importorskip("torch", reason="training needs the extra [train]")
    from euchre_train.config import Config
    from euchre_train.model import ActorCritic

    torch.manual_seed(3)
    model = ActorCritic(Config(hidden_sizes=(64, 48)))
    with torch.no_grad():
        for parameter in model.actor.parameters():
            parameter.mul_(3).add_(0.01)
    _, observations, masks = some_decisions()
    inputs = torch.from_numpy(observations[:, : model.card.num_inputs])
    expected = model.log_probs(inputs, torch.from_numpy(masks.astype(bool))).exp().detach().numpy()
    np.testing.assert_allclose(model.policy().probabilities(observations, masks), expected, atol=1e-5)


def test_each_decision_is_the_same_to_the_last_bit_alone_and_in_any_batch():
    network = small_network()
    _, observations, masks = some_decisions()
    together, actions = network.probabilities(observations, masks), network.act_batch(observations, masks)
    for i in range(0, len(observations), 7):
        np.testing.assert_array_equal(network.probabilities(observations[i : i + 1], masks[i : i + 1])[0], together[i])
        assert network.act(observations[i], masks[i]) == actions[i]
    assert np.all(masks[np.arange(len(actions)), actions] == 1)
    np.testing.assert_array_equal(actions, np.argmax(together, axis=1))


def test_it_plays_alike_whether_it_is_shown_absolute_or_relative_suits():
    network = small_network()
    tables, observations, masks = some_decisions()
    frames = tables.frames
    assert len(set(frames)) == 4
    absolute = tables.observations()
    np.testing.assert_array_equal(
        network.act_batch(*absolute), RELABELLED[frames, network.act_batch(observations, masks)]
    )
    np.testing.assert_array_equal(
        np.take_along_axis(network.probabilities(*absolute), RELABELLED[frames], axis=1),
        network.probabilities(observations, masks),
    )


def test_it_keeps_to_a_mask_that_allows_less_than_the_rules_do():
    network = small_network()
    tables, _, _ = some_decisions()
    observations, masks = tables.observations()
    last = masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)
    np.testing.assert_array_equal(network.act_batch(observations, np.eye(NUM_ACTIONS, dtype=np.int8)[last]), last)


def test_sampling_follows_the_probabilities_and_reports_those_it_drew_with():
    network = small_network()
    tables, observations, masks = some_decisions(1)
    draws, half = 4000, np.full(4000, 0.5)
    keys = np.array([tables.decision_keys(seed)[0] for seed in range(draws)])
    many, many_masks = np.repeat(observations, draws, axis=0), np.repeat(masks, draws, axis=0)
    actions, log_probs = network.sample(many, many_masks, keys, half)
    expected = 0.5 * network.probabilities(observations, masks)[0] + 0.5 * masks[0] / masks[0].sum()
    np.testing.assert_allclose(np.exp(log_probs), expected[actions], rtol=1e-4)
    frequencies = np.bincount(actions, minlength=NUM_ACTIONS) / draws
    assert np.all(np.abs(frequencies - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws))


def test_what_is_saved_is_what_is_loaded(tmp_path):
    network = small_network()
    network.save(tmp_path)
    loaded = load_network(tmp_path)
    _, observations, masks = some_decisions()
    np.testing.assert_array_equal(loaded.probabilities(observations, masks), network.probabilities(observations, masks))
    assert loaded.card == network.card


def test_the_explanation_names_every_legal_action_in_absolute_suits():
    network, table = small_network(), Table(seed=4)
    while table.phase != "PLAY":
        table.step(table.legal_actions()[-1])
    assert table.turn is not None
    explanations = network.explain(table.view(table.turn))
    assert sorted(explanation.action for explanation in explanations) == table.legal_actions()
    assert sum(explanation.probability for explanation in explanations) == pytest.approx(1, abs=1e-5)
    assert explanations[0].probability == max(explanation.probability for explanation in explanations)


def test_a_mask_that_allows_nothing_is_refused():
    with pytest.raises(ValueError, match="not to act"):
        small_network().act(np.zeros(OBSERVATION_SIZE, np.int8), np.zeros(NUM_ACTIONS, np.int8))


def test_an_observation_of_another_length_is_refused():
    with pytest.raises(ValueError, match=f"{OBSERVATION_SIZE}"):
        small_network().act(np.zeros(17, np.int8), np.ones(NUM_ACTIONS, np.int8))


@pytest.mark.parametrize("file", [WEIGHTS_FILE, CARD_FILE])
def test_a_missing_or_damaged_file_is_named(tmp_path, file):
    small_network().save(tmp_path)
    (tmp_path / file).write_bytes(b"{ damaged")
    with pytest.raises(ValueError, match=file):
        load_network(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(ValueError, match=f"{file} is missing"):
        load_network(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [("format", 99, "format 99"), ("observation_size", 7, "of 7 observation values"), ("hidden_sizes", [16], "shapes")],
)
def test_a_card_of_another_version_is_refused(tmp_path, key, value, message):
    small_network().save(tmp_path)
    card = json.loads((tmp_path / CARD_FILE).read_text())
    (tmp_path / CARD_FILE).write_text(json.dumps({**card, key: value}))
    with pytest.raises(ValueError, match=message):
        load_network(tmp_path)
