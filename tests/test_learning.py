"""The learning step: it solves a game with a known solution, and starts from the policy that played."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import first_batch, play_update, tiny

from euchre_env.actions import NUM_ACTIONS, PASS_ID
from euchre_env.state import HIDDEN_SIZE
from euchre_env.tables import Tables
from euchre_train.ppo import chances_to_learn, clipped_loss, estimate_values, new_training, ppo_update
from euchre_train.rollout import Rollout, advantages_and_returns

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
TINY = tiny(hidden_sizes=(32,), critic_hidden_sizes=(32,))
NUM_CHOICES = 5


def guessing_game(model, rng: np.random.Generator, rows: int = 512) -> Rollout:
    """A game of one decision per stream: the observation names one of five actions, the only one with a reward."""
    tables = Tables(NUM_CHOICES, seed=6)
    for _ in range(3):
        tables.step(np.full(NUM_CHOICES, PASS_ID))
    questions, _ = tables.observations(relative_suits=True)
    assert len(np.unique(questions, axis=0)) == NUM_CHOICES
    named = rng.integers(NUM_CHOICES, size=rows)
    observations, hidden = questions[named], np.zeros((rows, HIDDEN_SIZE), np.int8)
    masks = np.zeros((rows, NUM_ACTIONS), bool)
    masks[:, : NUM_CHOICES + 1] = True
    with torch.no_grad():
        log_probs = model.log_probs(model.encode(observations, hidden), torch.from_numpy(masks)).numpy()
    actions = np.array([rng.choice(NUM_ACTIONS, p=np.exp(row) / np.exp(row).sum()) for row in log_probs])
    rewards = np.where(actions == named, 1, -1).astype(np.float32)
    return Rollout(observations, hidden, masks, actions, log_probs[np.arange(rows), actions], np.arange(rows), rewards)


@pytest.mark.parametrize(
    "changes",
    [{}, {"architecture": "residual", "hidden_sizes": (32, 32)}, {"critic": "own_view"}, {"precision": "bfloat16"}],
    ids=str,
)
def test_a_guessing_game_is_solved(changes):
    config = tiny(**({"hidden_sizes": (32,), "critic_hidden_sizes": (32,)} | changes))
    training, rng = new_training(config), np.random.default_rng(0)
    for group in training.optimizer.param_groups:
        group["lr"] = 0.01
    for _ in range(25):
        batch = guessing_game(training.model, rng)
        inputs = training.model.encode(batch.observations, batch.hidden)
        values = estimate_values(training.model, inputs)
        advantages, returns = advantages_and_returns(values, batch.streams, batch.rewards, 0.95)
        ppo_update(training, batch, inputs, advantages, returns, 0.0, config)
        training.update += 1
    assert guessing_game(training.model, rng).rewards.mean() > 0.95


def test_the_policy_that_learns_is_at_first_the_policy_that_played():
    config = tiny(hidden_sizes=(32,), random_bids=0.0)
    training = new_training(config)
    batch, inputs, *_ = first_batch(training, config)
    with torch.no_grad():
        log_probs = training.model.log_probs(inputs, torch.from_numpy(batch.masks)).numpy()
    np.testing.assert_allclose(log_probs[np.arange(len(batch)), batch.actions], batch.log_probs, atol=1e-5)


@pytest.mark.parametrize("critic", ["all_hands", "own_view"])
def test_the_critic_sees_the_hidden_cards_only_if_it_is_set_so(critic):
    training = new_training(tiny(critic=critic))
    batch, inputs, *_ = first_batch(training, tiny(critic=critic))
    values = estimate_values(training.model, inputs)
    others = training.model.encode(batch.observations, np.roll(batch.hidden, 1, axis=0))
    assert np.array_equal(estimate_values(training.model, others), values) == (critic == "own_view")
    with torch.no_grad():  # the actor never sees them
        masks = torch.from_numpy(batch.masks)
        assert torch.equal(training.model.log_probs(others, masks), training.model.log_probs(inputs, masks))


def test_the_clipped_loss_takes_no_more_than_the_clip_allows():
    ratio, advantage = torch.tensor([2.0, 2.0, 0.5, 0.5]), torch.tensor([1.0, -1.0, 1.0, -1.0])
    terms = [clipped_loss(r, a, 0.2).item() for r, a in zip(ratio.split(1), advantage.split(1), strict=True)]
    assert terms == pytest.approx([-1.2, 2.0, -0.5, 0.8])


def test_a_pass_draws_the_more_certainly_what_the_policy_was_less_sure_of():
    probabilities = torch.tensor([0.1, 0.5, 0.9, 0.95, 0.99, 1.0])
    chances = chances_to_learn(probabilities.log(), 0.125)
    torch.testing.assert_close(chances, torch.tensor([1, 1, 1, 0.5, 0.125, 0.125]))
    assert torch.all(chances_to_learn(probabilities.log(), 1.0) == 1)


def test_drawn_decisions_move_the_policy_as_all_do_on_average():
    config = tiny(hidden_sizes=(8,), minibatch_size=10**6, num_epochs=1, max_grad_norm=1e9, sure_decisions=1.0)
    training, rng = new_training(config), np.random.default_rng(0)
    training.optimizer.param_groups[0]["lr"] = 0.0
    batch, inputs, advantages, returns = first_batch(training, config)
    is_sure = rng.random(len(batch)) < 0.7
    batch = dataclasses.replace(batch, log_probs=np.where(is_sure, np.float32(-1e-4), batch.log_probs))

    def gradient(config, update):
        training.update = update
        ppo_update(training, batch, inputs, advantages, returns, 0.01, config)
        gradients = [weights.grad for weights in training.model.actor.parameters() if weights.grad is not None]
        return torch.cat([gradient.flatten() for gradient in gradients]).double()

    everything = gradient(config, 0)
    thinned = [gradient(dataclasses.replace(config, sure_decisions=0.25), update) for update in range(200)]
    assert min(float((one - everything).norm()) for one in thinned) > 0.05 * everything.norm()
    assert float((sum(thinned) / 200 - everything).norm()) < 0.1 * everything.norm()


def test_self_play_keeps_every_choice_and_pays_the_teams_opposite():
    batch = play_update(new_training(TINY).model.sampler(), TINY, update=3, seed=9)
    assert np.all(batch.masks.sum(axis=1) >= 2)
    assert np.all(batch.masks[np.arange(len(batch)), batch.actions])
    rewards = batch.rewards.reshape(-1, 4)
    np.testing.assert_array_equal(rewards[:, 0], -rewards[:, 1])
    np.testing.assert_array_equal(rewards[:, :2], rewards[:, 2:])
    assert np.any(rewards != 0)
    assert set(batch.streams // 4) == set(range(TINY.deals_per_update))
