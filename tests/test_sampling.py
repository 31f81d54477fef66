"""Sampling in training: actions are drawn from the network's probabilities, mixed with uniformly random ones."""

import numpy as np
import pytest
from support.networks import some_decisions

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import small_sampler, tensors_of

from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS, ORDER_UP_ALONE_ID, ORDER_UP_ID
from euchre_env.relative_suits import RELABELLED
from euchre_env.tables import Tables
from euchre_train.architectures import ARCHITECTURES
from euchre_train.torch_player import CHUNK

pytestmark = pytest.mark.compiled  # thousands of decisions
ORDERS = [ORDER_UP_ID, ORDER_UP_ALONE_ID]


def test_actions_follow_the_probabilities_and_come_with_those_they_had():
    sampler, card, module = small_sampler()
    player = ARCHITECTURES["perceptron"].make_player(card, tensors_of(module), "network")
    tables = some_decisions(1)
    observations, masks = tables.observations(relative_suits=True)
    draws = 4000
    assert draws > CHUNK
    keys, half = np.array([tables.decision_keys(seed)[0] for seed in range(draws)]), np.full(draws, 0.5)
    many, many_masks = np.repeat(observations, draws, axis=0), np.repeat(masks, draws, axis=0)
    actions, log_probs = sampler.sample(many, many_masks, keys, half)
    in_frame = player.probabilities(tables.views())[0][RELABELLED[tables.frames[0]]]
    expected = 0.5 * in_frame + 0.5 * masks[0] / masks[0].sum()
    np.testing.assert_allclose(np.exp(log_probs), expected[actions], rtol=1e-4)
    frequencies = np.bincount(actions, minlength=NUM_ACTIONS) / draws
    assert np.all(np.abs(frequencies - expected) <= 4 * np.sqrt(expected * (1 - expected) / draws))


def test_every_draw_depends_on_its_key_alone():
    sampler, _, _ = small_sampler(scale=0.1)
    tables = some_decisions()
    observations, masks = tables.observations(relative_suits=True)
    keys, some = tables.decision_keys(1), np.full(len(tables), 0.3)
    actions, log_probs = sampler.sample(observations, masks, keys, some)
    backwards = sampler.sample(observations[::-1].copy(), masks[::-1].copy(), keys[::-1].copy(), some)
    np.testing.assert_array_equal(backwards[0][::-1], actions)
    np.testing.assert_allclose(backwards[1][::-1], log_probs, rtol=1e-5)
    assert np.any(sampler.sample(observations, masks, tables.decision_keys(2), some)[0] != actions)


def test_with_exploration_1_every_legal_action_is_equally_likely():
    sampler, _, _ = small_sampler(scale=10.0)
    tables = some_decisions()
    observations, masks = tables.observations(relative_suits=True)
    _, log_probs = sampler.sample(observations, masks, tables.decision_keys(1), np.ones(len(tables)))
    np.testing.assert_allclose(np.exp(log_probs), 1 / masks.sum(axis=1), rtol=1e-6)


def test_unknown_actions_are_drawn_only_where_no_other_is_legal():
    unknown = [ACTION_NAMES[action] for action in ORDERS]
    sampler, _, _ = small_sampler(actions=[name for name in ACTION_NAMES if name not in unknown])
    tables = Tables(500, seed=1)
    observations, masks = tables.observations(relative_suits=True)
    keys, never = tables.decision_keys(1), np.zeros(len(tables))
    assert masks[:, ORDERS].all()
    assert not np.isin(sampler.sample(observations, masks, keys, never)[0], ORDERS).any()
    masks[:] = 0
    masks[:, ORDERS] = 1
    actions, log_probs = sampler.sample(observations, masks, keys, never)
    assert set(actions) == set(ORDERS)
    np.testing.assert_allclose(log_probs, np.log(0.5), rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e12, 3e37])
def test_a_legal_action_is_drawn_whatever_the_weights(scale):
    """Finite weights can still give logits that are infinite or NaN."""
    sampler, _, _ = small_sampler(scale=scale)
    tables = some_decisions()
    observations, masks = tables.observations(relative_suits=True)
    with np.errstate(over="ignore", invalid="ignore"):  # uncompiled, NumPy warns
        actions, log_probs = sampler.sample(observations, masks, tables.decision_keys(1), np.zeros(len(tables)))
    assert np.all(masks[np.arange(len(actions)), actions] == 1)
    assert np.all((log_probs <= 0) & np.isfinite(log_probs))


def test_arrays_of_another_kind_are_refused():
    sampler, _, _ = small_sampler()
    tables = some_decisions(4)
    observations, masks = tables.observations(relative_suits=True)
    keys, never = tables.decision_keys(1), np.zeros(4)
    for wrong, message in (
        ((observations[:, :-1], masks, keys, never), "observations must be int8"),
        ((observations, masks.astype(bool), keys, never), "action_masks must be int8"),
        ((observations, masks, keys.astype(float), never), "keys must be int64"),
        ((observations, masks, keys, never[:3]), "exploration must be float64"),
        ((observations, masks * 0, keys, never), "not to act"),
        ((observations, masks, keys, never - 0.1), "0 to 1"),
        ((observations, masks, keys, never * np.nan), "0 to 1"),
    ):
        with pytest.raises(ValueError, match=message):
            sampler.sample(*wrong)
