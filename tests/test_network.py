"""The network as a player: it agrees with torch, and its choices are independent of the batch and documented."""

import numpy as np
import pytest
from support.networks import small_network, some_decisions

from euchre_agents import load
from euchre_agents.network import NetworkPolicy
from euchre_agents.perceptron import masked_softmax
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS, ORDER_UP_ALONE_ID, ORDER_UP_ID
from euchre_env.kernel import row
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.relative_suits import RELABELLED
from euchre_env.table import Table
from euchre_env.tables import Tables


@pytest.mark.parametrize(
    ("architecture", "hidden_sizes"),
    [("perceptron", (48,)), ("perceptron", (64, 48)), ("residual", (32,)), ("residual", (32, 32, 32))],
)
@pytest.mark.compiled
@pytest.mark.parametrize("inputs", [("deal",), ("deal", "derived", "rules")])
def test_the_player_gives_the_probabilities_that_torch_gives(architecture, hidden_sizes, inputs):
    torch = pytest.importorskip("torch", reason="training needs the extra [train]")
    from euchre_train.config import Config
    from euchre_train.model import ActorCritic

    torch.manual_seed(3)
    model = ActorCritic(Config(architecture=architecture, hidden_sizes=hidden_sizes, inputs=inputs))
    with torch.no_grad():
        for parameter in model.actor.parameters():
            parameter.mul_(3).add_(0.01)
        model.actor.get_parameter("last.weight").mul_(30)
    tables = some_decisions()
    observations, masks = tables.observations(relative_suits=True)
    encoded = model.encode(observations, tables.hidden(relative_suits=True))
    expected = model.log_probs(encoded, torch.from_numpy(masks.astype(bool))).exp().detach().numpy()
    player = model.player()
    assert type(player) is NetworkPolicy
    probabilities = player.probabilities(tables.views())
    in_frames = np.take_along_axis(probabilities, RELABELLED[tables.frames], axis=1)
    np.testing.assert_allclose(in_frames, expected, atol=1e-5)
    assert np.abs(in_frames - masks / masks.sum(axis=1, keepdims=True)).max() > 0.3  # far from uniform


@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
def test_each_decision_is_the_same_to_the_last_bit_alone_and_in_any_batch(architecture):
    network, tables = small_network(architecture=architecture, hidden_sizes=(24, 24, 24)), some_decisions()
    views, keys = tables.views(), tables.decision_keys(1)
    observations, masks = tables.observations()
    together, actions = network.probabilities(views), network.act_views(views, keys)
    for i in range(0, len(views), 7):
        np.testing.assert_array_equal(network.probabilities(views[i : i + 1])[0], together[i])
        assert network.act_views(views[i : i + 1], keys[i : i + 1]) == actions[i]
        assert network.act(observations[i], masks[i]) == actions[i]
    assert np.all(masks[np.arange(len(actions)), actions] == 1)
    legal = np.where(masks, together, -1)
    np.testing.assert_array_equal(together[np.arange(len(actions)), actions], legal.max(axis=1))


def test_it_plays_alike_from_views_and_from_observations_in_either_suits():
    network, tables = small_network(), some_decisions()
    frames = tables.frames
    assert len(set(frames)) == 4
    chosen = network.act_views(tables.views(), tables.decision_keys(1))
    np.testing.assert_array_equal(network.act_batch(*tables.observations()), chosen)
    relative = network.act_batch(*tables.observations(relative_suits=True))
    np.testing.assert_array_equal(relative, RELABELLED[frames, chosen])


def test_probabilities_are_exactly_zero_outside_the_legal_actions():
    tables = some_decisions()
    probabilities, masks = small_network().probabilities(tables.views()), tables.observations()[1]
    assert np.all(probabilities[masks == 0] == 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)


def test_the_explanation_names_every_legal_action_in_absolute_suits():
    network, table = small_network(), Table(seed=4)
    while table.phase != "PLAY":
        table.step(table.legal_actions()[-1])
    explanations = network.explain(table.view())
    assert sorted(explanation.action for explanation in explanations) == table.legal_actions()
    assert sum(explanation.probability for explanation in explanations) == pytest.approx(1, abs=1e-5)
    assert explanations[0].probability == max(explanation.probability for explanation in explanations)


@pytest.mark.compiled
def test_the_shipped_network_explains_first_what_it_plays():
    network, tables = load("ppo"), some_decisions()
    views = tables.views()
    chosen = network.act_views(views, tables.decision_keys(1))
    assert [network.explain(row(views, i))[0].action for i in range(len(views))] == chosen.tolist()


def test_a_view_whose_owner_is_not_to_act_is_refused():
    network = small_network()
    views = Tables(2, seed=1).views()
    views["legal"][1] = 0
    for ask in (network.probabilities, lambda views: network.act_views(views, np.zeros(len(views), np.int64))):
        with pytest.raises(ValueError, match="only when its seat is to act"):
            ask(views)


# Actions that the network does not know

UNKNOWN = ("order up", "order up alone")


def network_that_cannot_order_up() -> NetworkPolicy:
    return small_network(actions=[name for name in ACTION_NAMES if name not in UNKNOWN])


def test_an_action_the_network_does_not_know_has_probability_zero():
    network, tables = network_that_cannot_order_up(), Tables(200, seed=1)
    views = tables.views()
    probabilities = network.probabilities(views)
    assert np.all(views["legal"] >> ORDER_UP_ID & views["legal"] >> ORDER_UP_ALONE_ID & 1)
    assert np.all(probabilities[:, [ORDER_UP_ID, ORDER_UP_ALONE_ID]] == 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    assert not np.isin(network.act_views(views, tables.decision_keys(1)), [ORDER_UP_ID, ORDER_UP_ALONE_ID]).any()


def test_where_no_other_is_legal_unknown_actions_are_equally_likely():
    network, tables = network_that_cannot_order_up(), Tables(500, seed=1)
    views, keys = tables.views(), tables.decision_keys(1)
    views["legal"] = 1 << ORDER_UP_ID | 1 << ORDER_UP_ALONE_ID
    probabilities = network.probabilities(views)
    assert np.all(probabilities[:, [ORDER_UP_ID, ORDER_UP_ALONE_ID]] == 0.5)
    assert np.all(probabilities.sum(axis=1) == 1)
    actions = network.act_views(views, keys)
    assert set(actions) == {ORDER_UP_ID, ORDER_UP_ALONE_ID}
    assert abs(np.mean(actions == ORDER_UP_ID) - 0.5) < 4 * 0.5 / np.sqrt(len(actions))
    np.testing.assert_array_equal(network.act_views(views, keys), actions)  # drawn by key, and by nothing else


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e12, 3e37])
def test_a_legal_action_is_played_whatever_the_weights(scale):
    """Finite weights can still give logits that are infinite or NaN."""
    network, tables = small_network(scale=scale), some_decisions()
    with np.errstate(over="ignore", invalid="ignore"):  # uncompiled, NumPy warns
        probabilities = network.probabilities(tables.views())
        chosen = network.act_views(tables.views(), tables.decision_keys(1))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    assert np.all(tables.legal_actions() >> chosen & 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_logit_that_is_no_finite_number_leaves_all_actions_equally_likely(bad):
    logits, mask = np.zeros(NUM_ACTIONS, np.float32), np.zeros(NUM_ACTIONS, np.int8)
    mask[[3, 5, 7, 9]] = 1
    logits[5] = bad
    probabilities = np.full(NUM_ACTIONS, np.nan, np.float32)
    with np.errstate(invalid="ignore"):  # uncompiled, NumPy warns
        masked_softmax(logits, np.arange(NUM_ACTIONS), mask, probabilities)
    np.testing.assert_array_equal(probabilities, mask / np.float32(4))


def test_a_mask_that_allows_nothing_is_refused():
    observation, mask = Table(seed=1, dealer=3).observation(0)
    with pytest.raises(ValueError, match="allows none of the legal actions"):
        small_network().act(observation, 0 * mask)


def test_an_observation_of_another_length_is_refused():
    with pytest.raises(ValueError, match=f"{OBSERVATION_SIZE}"):
        small_network().act(np.zeros(17, np.int8), np.ones(NUM_ACTIONS, np.int8))


def test_the_only_action_that_a_view_allows_has_probability_one():
    network, tables = small_network(), some_decisions()
    views = tables.views()
    views["legal"] &= -views["legal"]  # the first alone
    for i in range(0, len(views), 10):
        ((action, probability, _, _),) = network.explain(row(views, i))
        assert (1 << action, probability) == (views["legal"][i], 1)
