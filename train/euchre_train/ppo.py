"""Proximal policy optimisation (PPO) by self-play over complete deals: the training loop, in the order it runs.

Every random draw is a function of the seed and the update's number, so a resumed run equals an uninterrupted one.
"""

import dataclasses
import math
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
from euchre_train.model import ActorCritic, entropy, largest_output
from euchre_train.rollout import Rollout, advantages_and_returns, collect

NUM_PAST_SELVES = 8
CHUNK = 1024  # rows of one forward pass outside learning; larger temporaries cost page faults
LARGEST_OUTPUT = 1e12  # sound networks stay below 1e4; a float32 still holds the square, summed over a large batch

Metrics: TypeAlias = dict[str, float]  # by name, nan where unknown; `train/README.md` has a line for each


class TrainingError(RuntimeError):
    """Training cannot continue; the message gives the cause and a remedy in one line."""


@dataclasses.dataclass
class Training:
    """The state of a run: networks, optimizer, updates done and past selves."""

    model: ActorCritic
    optimizer: torch.optim.Optimizer
    update: int = 0
    """Updates done."""
    past_selves: list[NetworkPolicy] = dataclasses.field(default_factory=list)
    """Frozen copies of the policy, the oldest first."""


def new_training(config: Config) -> Training:
    """Create a training at update 0, with initial weights drawn from the seed.

    Raises:
        TrainingError: if the networks do not fit in memory.
    """
    torch.manual_seed(training_seed(config.seed))
    try:
        model = ActorCritic(config)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(
            f"networks of {config.hidden_sizes} and {config.critic_hidden_sizes} units do not fit in memory; "
            "try smaller hidden_sizes or critic_hidden_sizes"
        ) from error
    return Training(model, torch.optim.Adam(model.parameters(), lr=config.learning_rate, eps=1e-5, fused=True))


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error means that memory ran out; torch raises a plain `RuntimeError` for it."""
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error) or "not enough memory" in str(error)


def updates(training: Training, config: Config) -> Iterator[Metrics]:
    """Run the remaining updates in place, yielding the metrics of each.

    Raises:
        TrainingError: if a loss, a gradient or a weight is not finite: training has diverged.
    """
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
        try:
            metrics = ppo_update(training, rollout, advantages, returns, entropy_weight, config)
            check_weights(training.model)  # before the new weights play
        except FloatingPointError as error:
            raise TrainingError(
                f"training diverged in update {update + 1}: {error}; "
                f"try a smaller learning_rate (it is {config.learning_rate:g}) in a new run"
            ) from error
        if update % config.past_self_every == 0:
            training.past_selves = [*training.past_selves[1 - NUM_PAST_SELVES :], training.model.policy()]
        training.update += 1
        yield {
            **metrics,
            "losses/explained_variance": explained_variance(values, returns),
            "charts/learning_rate": config.learning_rate * remaining,
            "charts/entropy_weight": entropy_weight,
            "charts/deals": training.update * config.deals_per_update,
            "charts/SPS": len(rollout) / (time.perf_counter() - started),
        }


def past_self(training: Training, config: Config) -> NetworkPolicy | None:
    """Choose the past self for this update, uniformly among those kept; None if there is none."""
    if not training.past_selves or config.past_self_fraction == 0:
        return None
    draw = derived_seed(training_seed(config.seed), PAST_SELF, training.update)
    return training.past_selves[draw % len(training.past_selves)]


def estimate_values(model: ActorCritic, rollout: Rollout) -> np.ndarray:
    """The critic's value estimate of every decision, float32, (N,)."""
    with torch.inference_mode():
        parts = [
            model.values(
                torch.from_numpy(rollout.observations[i : i + CHUNK]), torch.from_numpy(rollout.hidden[i : i + CHUNK])
            )
            for i in range(0, len(rollout), CHUNK)
        ]
        return torch.cat(parts).numpy()


def explained_variance(values: np.ndarray, returns: np.ndarray) -> float:
    """The share of the returns' variance that the value estimates explain; nan where the returns do not vary."""
    variance = np.var(returns)
    return float(1 - np.var(returns - values) / variance) if variance > 0 else math.nan


def check_weights(model: ActorCritic) -> None:
    """Check that the networks' outputs are finite, and far from overflow, for every possible observation.

    Raises:
        FloatingPointError: if a weight is not finite, or so large that an output could overflow; the message names it.
    """
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if not torch.isfinite(weights).all():
                raise FloatingPointError(f"{name} is not finite")
        for name, network in (("actor", model.actor), ("critic", model.critic)):
            if not largest_output(network) <= LARGEST_OUTPUT:
                raise FloatingPointError(f"the weights of the {name} are too large: its outputs may overflow")


def ppo_update(
    training: Training,
    rollout: Rollout,
    advantages: np.ndarray,
    returns: np.ndarray,
    entropy_weight: float,
    config: Config,
) -> Metrics:
    """Take PPO's gradient steps on a batch of N decisions and return the losses, averaged over the last epoch.

    Args:
        training: the networks and the optimizer, updated in place.
        rollout: the decisions.
        advantages: float32, (N,).
        returns: the targets of the critic, float32, (N,).
        entropy_weight: weight of the entropy bonus in the loss.
        config: `num_epochs`, `minibatch_size`, `clip`, `max_grad_norm`, `seed`.

    Raises:
        FloatingPointError: if a loss or a gradient is not finite; raised before the gradient step.
    """
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
            metrics = step_metrics(policy_loss, value_loss, mean_entropy, log_ratio, config.clip)
            for name in ("policy_loss", "value_loss", "entropy"):
                check_finite(name, metrics[f"losses/{name}"])
            optimizer.zero_grad()
            (policy_loss - entropy_weight * mean_entropy + value_loss).backward()
            for name, network in (("actor", model.actor), ("critic", model.critic)):
                norm = clip_grad_norm_(network.parameters(), config.max_grad_norm)
                check_finite(f"the gradient norm of the {name}", norm.item())
            optimizer.step()
            steps.append(metrics)
    return {name: sum(step[name] for step in steps) / len(steps) for name in steps[0]}


def check_finite(name: str, value: float) -> None:
    """Raise a `FloatingPointError` that names the quantity if it is infinite or nan."""
    if not math.isfinite(value):
        raise FloatingPointError(f"{name} is {value}")


def clipped_loss(ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """PPO's clipped surrogate, negated for descent (Schulman et al. 2017, equation 7); ratio and advantage (B,)."""
    return -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


def step_metrics(
    policy_loss: Tensor, value_loss: Tensor, mean_entropy: Tensor, log_ratio: Tensor, clip: float
) -> Metrics:
    """The metrics of one gradient step."""
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
    """Play against the rule-based player: points per deal and their 95 % interval, nan after a single deal."""
    result = play_match(
        model.policy(), RuleBot(seed=0), deals=config.eval_deals, seed=tuning_seed(config.seed), rules=config.rules
    )
    points = result.points_per_deal
    return {
        "eval/points_per_deal_vs_rules": points.mean,
        "eval/points_per_deal_vs_rules_low": points.low,
        "eval/points_per_deal_vs_rules_high": points.high,
    }
