"""Proximal policy optimisation by self-play over complete deals: the loop, top to bottom.

Every random draw is a function of the seed and the update's number, so a run that was stopped and resumed equals one
that went straight through.
"""

import dataclasses
import time
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from euchre_agents.network import NetworkPolicy
from euchre_agents.rule_bot import RuleBot
from euchre_env.counter_rng import derived_seed
from euchre_env.random_streams import PAST_SELF, SHUFFLE, training_seed, tuning_seed
from euchre_eval.match import play_match
from euchre_train.config import Config
from euchre_train.model import ActorCritic, entropy
from euchre_train.rollout import Rollout, advantages_and_returns, collect

NUM_PAST_SELVES = 8
CHUNK = 1024  # rows of one forward pass outside learning; larger temporaries cost page faults

Metrics: TypeAlias = dict[str, float]  # by name; `train/README.md` has a line for each


@dataclasses.dataclass
class Training:
    """All that changes during a run: what a checkpoint holds."""

    model: ActorCritic
    optimizer: torch.optim.Optimizer
    update: int = 0
    """Updates done."""
    past_selves: list[NetworkPolicy] = dataclasses.field(default_factory=list)
    """Frozen copies of the policy, the oldest first."""


def new_training(config: Config) -> Training:
    """A run at its start: initial weights drawn from the seed."""
    torch.manual_seed(training_seed(config.seed))
    model = ActorCritic(config)
    return Training(model, torch.optim.Adam(model.parameters(), lr=config.learning_rate, eps=1e-5))


def updates(training: Training, config: Config) -> Iterator[Metrics]:
    """Carry out the updates that are left, in place; after each, what it has to report."""
    torch.set_num_threads(config.num_threads)
    while training.update < config.num_updates:
        started, update = time.perf_counter(), training.update
        remaining = 1 - update / config.num_updates
        entropy_weight = config.entropy_end + (config.entropy_start - config.entropy_end) * remaining
        for group in training.optimizer.param_groups:
            group["lr"] = config.learning_rate * remaining
        rollout = collect(
            training.model.policy(), past_self(training, config), config, update, training_seed(config.seed)
        )
        values = estimate_values(training.model, rollout)
        advantages, returns = advantages_and_returns(values, rollout.streams, rollout.rewards, config.gae_lambda)
        metrics = ppo_update(training, rollout, advantages, returns, entropy_weight, config)
        if update % config.past_self_every == 0:
            training.past_selves = [*training.past_selves[1 - NUM_PAST_SELVES :], training.model.policy()]
        training.update += 1
        yield {
            **metrics,
            "losses/explained_variance": float(1 - np.var(returns - values) / np.var(returns)),
            "charts/learning_rate": config.learning_rate * remaining,
            "charts/entropy_weight": entropy_weight,
            "charts/deals": training.update * config.deals_per_update,
            "charts/SPS": len(rollout) / (time.perf_counter() - started),
        }


def past_self(training: Training, config: Config) -> NetworkPolicy | None:
    """The frozen past self that this update meets, each of those kept equally often; None where none is wanted."""
    if not training.past_selves or config.past_self_fraction == 0:
        return None
    draw = derived_seed(training_seed(config.seed), PAST_SELF, training.update)
    return training.past_selves[draw % len(training.past_selves)]


def estimate_values(model: ActorCritic, rollout: Rollout) -> np.ndarray:
    """What the critic expects each decision's stream to earn, float32, (N,)."""
    with torch.inference_mode():
        parts = [
            model.values(
                torch.from_numpy(rollout.observations[i : i + CHUNK]), torch.from_numpy(rollout.hidden[i : i + CHUNK])
            )
            for i in range(0, len(rollout), CHUNK)
        ]
        return torch.cat(parts).numpy()


def ppo_update(
    training: Training,
    rollout: Rollout,
    advantages: np.ndarray,
    returns: np.ndarray,
    entropy_weight: float,
    config: Config,
) -> Metrics:
    """Take PPO's gradient steps on a batch of decisions; the losses, averaged over the steps of the last epoch."""
    model, optimizer = training.model, training.optimizer
    shuffling = torch.Generator().manual_seed(derived_seed(training_seed(config.seed), SHUFFLE, training.update))
    normalized_advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    batch = [
        torch.from_numpy(array)
        for array in (
            rollout.observations,
            rollout.hidden,
            rollout.masks,
            rollout.actions,
            rollout.log_probs,
            normalized_advantages,
            returns,
        )
    ]
    steps: list[Metrics] = []
    for _ in range(config.num_epochs):
        steps = []
        for rows in torch.randperm(len(rollout), generator=shuffling).split(config.minibatch_size):
            observations, hidden, masks, actions, old_log_probs, advantage, target = (part[rows] for part in batch)
            log_probs = model.log_probs(observations, masks)  # (B, NUM_ACTIONS)
            log_ratio = log_probs.gather(1, actions[:, None]).squeeze(1) - old_log_probs  # (B,)
            policy_loss = clipped_loss(log_ratio.exp(), advantage, config.clip)
            value_loss = 0.5 * (model.values(observations, hidden) - target).square().mean()
            mean_entropy = entropy(log_probs).mean()
            optimizer.zero_grad()
            (policy_loss - entropy_weight * mean_entropy + value_loss).backward()
            clip_grad_norm_(model.actor.parameters(), config.max_grad_norm)
            clip_grad_norm_(model.critic.parameters(), config.max_grad_norm)
            optimizer.step()
            steps.append(step_metrics(policy_loss, value_loss, mean_entropy, log_ratio, config.clip))
    return {name: sum(step[name] for step in steps) / len(steps) for name in steps[0]}


def clipped_loss(ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """PPO's clipped surrogate, negated for descent (Schulman et al. 2017, equation 7); ratio and advantage (B,)."""
    return -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


def step_metrics(
    policy_loss: Tensor, value_loss: Tensor, mean_entropy: Tensor, log_ratio: Tensor, clip: float
) -> Metrics:
    """The numbers of one gradient step."""
    with torch.no_grad():
        ratio = log_ratio.exp()
        return {
            "losses/policy_loss": policy_loss.item(),
            "losses/value_loss": value_loss.item(),
            "losses/entropy": mean_entropy.item(),
            "losses/approx_kl": (ratio - 1 - log_ratio).mean().item(),  # Schulman's estimator k3
            "losses/clipfrac": ((ratio - 1).abs() > clip).float().mean().item(),
        }


def evaluate(model: ActorCritic, config: Config) -> Metrics:
    """How strong the policy is: points per deal against the rule-based player, with its 95 % interval."""
    result = play_match(
        model.policy(), RuleBot(seed=0), deals=config.eval_deals, seed=tuning_seed(config.seed), rules=config.rules
    )
    points = result.points_per_deal
    return {
        "eval/points_per_deal_vs_rules": points.mean,
        "eval/points_per_deal_vs_rules_low": points.low,
        "eval/points_per_deal_vs_rules_high": points.high,
    }
