"""The learning step: it solves a game with a known solution, and starts from the policy that played."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_env.actions import NUM_ACTIONS
from euchre_env.state import HIDDEN_SIZE
from euchre_train.config import Config
from euchre_train.ppo import clipped_loss, estimate_values, new_training, ppo_update, updates
from euchre_train.rollout import Rollout, advantages_and_returns, collect

TINY = Config(hidden_sizes=(32,), critic_hidden_sizes=(32,), deals_per_update=64, minibatch_size=128, num_updates=4)


def guessing_game(model, rng: np.random.Generator, rows: int = 512) -> Rollout:
    """A game of one decision per stream: the observation names one of five actions, the only one with a reward."""
    named = rng.integers(5, size=rows)
    observations = np.zeros((rows, model.card.num_inputs), np.int8)
    observations[np.arange(rows), named] = 1
    masks = np.zeros((rows, NUM_ACTIONS), bool)
    masks[:, :6] = True
    with torch.no_grad():
        log_probs = model.log_probs(torch.from_numpy(observations), torch.from_numpy(masks)).numpy()
    actions = np.array([rng.choice(NUM_ACTIONS, p=np.exp(row) / np.exp(row).sum()) for row in log_probs])
    rewards = np.where(actions == named, 1, -1).astype(np.float32)
    hidden = np.zeros((rows, HIDDEN_SIZE), np.int8)
    return Rollout(observations, hidden, masks, actions, log_probs[np.arange(rows), actions], np.arange(rows), rewards)


def test_a_guessing_game_is_solved():
    training, rng = new_training(TINY), np.random.default_rng(0)
    for group in training.optimizer.param_groups:
        group["lr"] = 0.01
    for _ in range(25):
        rollout = guessing_game(training.model, rng)
        values = estimate_values(training.model, rollout)
        advantages, returns = advantages_and_returns(values, rollout.streams, rollout.rewards, 0.95)
        ppo_update(training, rollout, advantages, returns, 0.0, TINY)
        training.update += 1
    assert guessing_game(training.model, rng).rewards.mean() > 0.95


def test_the_policy_that_learns_is_at_first_the_policy_that_played():
    training = new_training(TINY)
    rollout = collect(training.model.policy(), None, Config(deals_per_update=64, random_bids=0.0), update=0, seed=1)
    with torch.no_grad():
        log_probs = training.model.log_probs(
            torch.from_numpy(rollout.observations), torch.from_numpy(rollout.masks)
        ).numpy()
    np.testing.assert_allclose(log_probs[np.arange(len(rollout)), rollout.actions], rollout.log_probs, atol=1e-5)


def test_the_clipped_loss_takes_no_more_than_the_clip_allows():
    ratio, advantage = torch.tensor([2.0, 2.0, 0.5, 0.5]), torch.tensor([1.0, -1.0, 1.0, -1.0])
    terms = [clipped_loss(r, a, 0.2).item() for r, a in zip(ratio.split(1), advantage.split(1), strict=True)]
    assert terms == pytest.approx([-1.2, 2.0, -0.5, 0.8])


def test_self_play_keeps_every_choice_and_pays_the_teams_opposite():
    training = new_training(TINY)
    rollout = collect(training.model.policy(), None, TINY, update=3, seed=9)
    assert np.all(rollout.masks.sum(axis=1) >= 2)
    assert np.all(rollout.masks[np.arange(len(rollout)), rollout.actions])
    rewards = rollout.rewards.reshape(-1, 4)
    np.testing.assert_array_equal(rewards[:, 0], -rewards[:, 1])
    np.testing.assert_array_equal(rewards[:, :2], rewards[:, 2:])
    assert np.any(rewards != 0)
    assert set(rollout.streams // 4) == set(range(TINY.deals_per_update))


def test_a_past_self_plays_its_share_and_is_not_learnt_from():
    training = new_training(TINY)
    policy, half = training.model.policy(), Config(deals_per_update=64, past_self_fraction=0.5)
    alone, mixed = (collect(policy, past, half, update=0, seed=9) for past in (None, policy))
    deals, seats = mixed.streams // 4, mixed.streams % 4
    for deal in range(32):
        assert set(seats[deals == deal] & 1) == {deal >> 2 & 1}
    assert np.sum(alone.streams // 4 >= 32) == np.sum(deals >= 32)


def test_a_frozen_past_self_does_not_change_as_training_goes_on():
    config = dataclasses.replace(TINY, past_self_every=1, past_self_fraction=0.25)
    training = new_training(config)
    steps = updates(training, config)
    next(steps)
    frozen = [weights.copy() for weights in training.past_selves[0].weights]
    next(steps)
    for before, after in zip(frozen, training.past_selves[0].weights, strict=True):
        np.testing.assert_array_equal(before, after)
    assert any(np.any(weights != now) for weights, now in zip(frozen, training.model.policy().weights, strict=True))
