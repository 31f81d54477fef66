"""Proximal policy optimisation (PPO) by self-play over complete deals: the training loop, in the order it runs.

Every random draw is a function of the seed, the update's number and the process's, so a resumed run equals an
uninterrupted one.
"""

import contextlib
import dataclasses
import math
import time
import traceback
from collections.abc import Generator, Iterator
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from euchre_agents.loading import load
from euchre_agents.policy import abilities_of
from euchre_agents.rule_bot import RuleBot
from euchre_env.counter_rng import derived_seed
from euchre_env.random_streams import MODULE_DRAWS, PAST_SELF_CHOICE, SHUFFLE, training_seed, tuning_seed
from euchre_eval.match import play_match
from euchre_train import rollout
from euchre_train.architectures import Perceptron
from euchre_train.config import Config
from euchre_train.model import ActorCritic, Inputs, entropy
from euchre_train.parallel import Processes, alone
from euchre_train.rewards import RewardError, load_reward
from euchre_train.rollout import Rollout, TrainingPlayer, advantages_and_returns, collect
from euchre_train.rule_mixture import RANDOM, rules_of_update
from euchre_train.sampler import Sampler
from euchre_train.torch_player import evaluate_in_chunks

NUM_PAST_SELVES = 8
LOSSES = tuple(f"losses/{name}" for name in ("policy_loss", "value_loss", "entropy", "approx_kl", "clipfrac"))
"""The metrics of `ppo_update`."""
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
    past_selves: list[dict[str, Tensor]] = dataclasses.field(default_factory=list)
    """Frozen weights of the actor by name, bfloat16, the oldest first."""


def new_training(config: Config, device: torch.device | str = "cpu") -> Training:
    """Create a training at update 0, with initial weights drawn from the seed.

    Raises:
        TrainingError: if the networks do not fit in memory.
        ValueError: if the architecture is not known, or cannot have these sizes.
    """
    torch.manual_seed(training_seed(config.seed))
    try:
        model = ActorCritic(config).to(device)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(
            f"networks of {config.hidden_sizes} and {config.critic_hidden_sizes} units do not fit in memory; "
            "try smaller hidden_sizes or critic_hidden_sizes"
        ) from error
    return Training(model, torch.optim.Adam(model.parameters(), lr=config.learning_rate, eps=1e-5, fused=True))


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error means that memory ran out; for that of the CPU torch raises a plain `RuntimeError`."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return "can't allocate memory" in str(error) or "not enough memory" in str(error)


def updates(training: Training, config: Config, processes: Processes | None = None) -> Iterator[Metrics]:
    """Run the remaining updates in place, yielding the metrics of each; all but times are the same in every process.

    Raises:
        TrainingError: if a loss, a gradient or a weight is not finite: training has diverged; or, in the first process,
            if another could not play the deals of an update.
        ValueError: if the reward, the opponents or the partner cannot be loaded, or the reward gives no numbers.
    """
    torch.set_num_threads(config.num_threads)
    processes = processes or alone(config.device)
    seed, deals = training_seed(config.seed), processes.share(config.deals_per_update)
    with processes.failing_together():
        reward, frozen_players = load_reward(config.reward), load_frozen_players(config)
    while training.update < config.num_updates:
        update = training.update
        remaining = 1 - update / config.num_updates
        entropy_weight = config.entropy_end + (config.entropy_start - config.entropy_end) * remaining
        for group in training.optimizer.param_groups:
            group["lr"] = config.learning_rate * remaining
        clock = PhaseClock()
        torch.manual_seed(derived_seed(seed, MODULE_DRAWS, update * processes.size + processes.rank))  # for dropout
        with one_failure_ends_all(processes) as num_decisions:
            sampler = training.model.sampler()
            players = {rollout.LEARNER: sampler, **past_self(training, config), **frozen_players}
            rule_sets = rules_of_update(config.rules, update, seed)
            batch = collect(players, config, rule_sets, reward, update, deals, seed)
            clock.end("collect")
            inputs = training.model.encode(batch.observations, batch.hidden)
            values = estimate_values(training.model, inputs)
            advantages, returns = advantages_and_returns(values, batch.streams, batch.rewards, config.gae_lambda)
            num_decisions[0] = len(batch)
        clock.end("values")
        try:
            metrics = dict.fromkeys(LOSSES, math.nan)
            if num_decisions[0] > 0:
                metrics = ppo_update(training, batch, inputs, advantages, returns, entropy_weight, config, processes)
            check_weights(training.model)  # before the new weights play
        except FloatingPointError as error:
            raise TrainingError(
                f"training diverged in update {update + 1}: {error}; "
                f"try a smaller learning_rate (it is {config.learning_rate:g}) in a new run"
            ) from error
        if update % config.past_self_every == 0:
            training.past_selves = [*training.past_selves[1 - NUM_PAST_SELVES :], training.model.frozen_actor()]
        clock.end("learn")
        training.update += 1
        yield {
            **metrics,
            "losses/explained_variance": explained_variance(values, returns, processes),
            "charts/learning_rate": config.learning_rate * remaining,
            "charts/entropy_weight": entropy_weight,
            "charts/deals": (training.update - config.start_update) * config.deals_per_update,
            "charts/SPS": num_decisions[0] / clock.passed(),
            **{f"time/{phase}": seconds for phase, seconds in clock.seconds.items()},
        }


@contextlib.contextmanager
def one_failure_ends_all(processes: Processes) -> Generator[list[float]]:
    """Run a block in every process; if it fails in one, all of them end, and the first says why.

    Yields:
        A list of one number, 0: what the block of each process puts there is added up over all of them when it ends.

    Raises:
        TrainingError: in the first process, if the block has failed in another.
        SystemExit: in another process, if the block has failed anywhere.
    """
    failure: Exception | None = None
    number = [0.0]
    try:
        yield number
    except Exception as error:
        failure = error
    number[0], num_failed = processes.sum([*number, failure is not None])  # one message: they cost milliseconds
    if num_failed == 0:
        return
    if failure is not None and not processes.is_first and not isinstance(failure, TrainingError | RewardError):
        traceback.print_exception(failure)  # the first process knows the message alone
    try:
        with processes.failing_together():
            if failure is not None:
                raise failure
    except ValueError as report:
        if failure is None:
            raise TrainingError(str(report)) from None
        raise


class PhaseClock:
    """Measures phases of an update one after another, in seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._started = self._last = time.perf_counter()

    def passed(self) -> float:
        """Seconds since the first phase began."""
        return time.perf_counter() - self._started

    def end(self, phase: str) -> None:
        """Note that `phase` has ended, and that the next one starts."""
        now = time.perf_counter()
        self.seconds[phase], self._last = now - self._last, now


def load_frozen_players(config: Config) -> dict[int, TrainingPlayer]:
    """The frozen opponents and the frozen partner of the settings, by their number in `rollout`.

    Raises:
        ValueError: if there is no such player, it sees all cards, or it does not declare that it is stateless: one
            object plays its seats in all deals at once.
    """
    frozen_players: dict[int, TrainingPlayer] = {}
    for number, name in ((rollout.OPPONENT, config.opponents), (rollout.PARTNER, config.partner)):
        if name:
            frozen_players[number] = player = load(name, seed=0)
            abilities = abilities_of(player, name)
            if abilities.sees_all:
                raise ValueError(f"player {name!r} sees all cards, and cannot be trained with")
            if not abilities.is_pure:
                raise ValueError(f"player {name!r} plays many deals at once: it must have `stateless = True`")
    return frozen_players


def past_self(training: Training, config: Config) -> dict[int, Sampler]:
    """The past self for this update, drawn uniformly from those kept, by its number in `rollout`; empty if none."""
    if not training.past_selves or config.past_self_fraction == 0:
        return {}
    draw = derived_seed(training_seed(config.seed), PAST_SELF_CHOICE, training.update)
    return {rollout.PAST_SELF: training.model.sampler(training.past_selves[draw % len(training.past_selves)])}


def estimate_values(model: ActorCritic, inputs: Inputs) -> np.ndarray:
    """The critic's value estimate of every decision, float32, (N,)."""
    return evaluate_in_chunks(model.critic, inputs.numbers, inputs.num_critic, model.precision).squeeze(1).numpy()


def explained_variance(values: np.ndarray, returns: np.ndarray, processes: Processes | None = None) -> float:
    """The share of the returns' variance that the value estimates explain; nan where the returns do not vary."""
    processes = processes or alone()
    _, variance = mean_and_variance(returns, processes)
    _, unexplained = mean_and_variance(returns - values, processes)
    return 1 - unexplained / variance if variance > 0 else math.nan


def mean_and_variance(values: np.ndarray, processes: Processes) -> tuple[float, float]:
    """Mean and variance of the values of all processes; nan if there are none."""
    count, total = processes.sum([len(values), values.sum(dtype=np.float64)])
    if count == 0:
        return math.nan, math.nan
    (squares,) = processes.sum([np.square(values - total / count, dtype=np.float64).sum()])
    return total / count, squares / count


def check_weights(model: ActorCritic) -> None:
    """Check that the weights are finite, and that no output of a perceptron can overflow.

    Raises:
        FloatingPointError: if a weight is not finite, or so large that an output could overflow; the message names it.
    """
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if not torch.isfinite(weights).all():
                raise FloatingPointError(f"{name} is not finite")
        for name, network in (("actor", model.actor), ("critic", model.critic)):
            if isinstance(network, Perceptron) and not network.largest_output() <= LARGEST_OUTPUT:
                raise FloatingPointError(f"the weights of the {name} are too large: its outputs may overflow")


def ppo_update(
    training: Training,
    batch: Rollout,
    inputs: Inputs,
    advantages: np.ndarray,
    returns: np.ndarray,
    entropy_weight: float,
    config: Config,
    processes: Processes | None = None,
) -> Metrics:
    """Take PPO's gradient steps on a batch of N decisions and return the losses, averaged over the last epoch.

    Each pass learns from the decisions that `chances_to_learn` draws, and weighs the policy's part of a decision by the
    inverse of its chance, divided by the sum of the weights in its minibatch. So the policy's gradient estimates that
    of all decisions, with a bias that falls with the size of the minibatch. The critic learns from the same decisions,
    all with the same weight: from those that the policy was sure of less than from others.

    With several processes each has a batch of its own, and every step is the one that a single process would take on
    the minibatches of all of them together.

    Args:
        training: the networks and the optimizer, updated in place.
        batch: the decisions.
        inputs: the inputs of the networks at these decisions.
        advantages: float32, (N,).
        returns: the targets of the critic, float32, (N,).
        entropy_weight: weight of the entropy bonus in the loss.
        config: `num_epochs`, `minibatch_size`, `sure_decisions`, `clip`, `max_grad_norm`, `seed`.
        processes: the processes of the run; one if None.

    Raises:
        FloatingPointError: if a loss or a gradient is not finite; raised before the gradient step.
    """
    processes = processes or alone()
    model, optimizer, device = training.model, training.optimizer, training.model.device
    mean, variance = mean_and_variance(advantages, processes)
    normalized_advantages = ((advantages - mean) / (math.sqrt(variance) + 1e-8)).astype(np.float32)
    seed = derived_seed(training_seed(config.seed), SHUFFLE, training.update * processes.size + processes.rank)
    shuffling = torch.Generator().manual_seed(seed)
    tensors = [
        torch.from_numpy(array)
        for array in (batch.masks, batch.actions, batch.log_probs, normalized_advantages, returns)
    ]
    chances = chances_to_learn(torch.from_numpy(batch.log_probs), config.sure_decisions)
    steps: list[Metrics] = []
    for _ in range(config.num_epochs):
        steps = []
        order = torch.randperm(len(batch), generator=shuffling)
        drawn = order[torch.rand(len(batch), generator=shuffling) < chances[order]]
        (num_drawn,) = processes.sum([len(drawn)])
        parts = drawn.tensor_split(max(1, math.ceil(num_drawn / config.minibatch_size)))
        all_weights = [1 / chances[rows] for rows in parts]
        totals = processes.sum([total for w in all_weights for total in (len(w), w.sum().item())])
        for rows, weights, num_rows, total_weight in zip(parts, all_weights, totals[::2], totals[1::2], strict=True):
            masks, actions, old_log_probs, advantage, target = (tensor[rows].to(device) for tensor in tensors)
            minibatch, shares = inputs.rows(rows).to(device), (weights / total_weight).to(device)
            log_probs = model.log_probs(minibatch, masks)  # (B, NUM_ACTIONS)
            log_ratio = log_probs.gather(1, actions[:, None]).squeeze(1) - old_log_probs  # (B,)
            policy_loss = (shares * clipped_loss(log_ratio.exp(), advantage, config.clip)).sum()
            mean_entropy = (shares * entropy(log_probs)).sum()
            value_loss = 0.5 * (model.values(minibatch) - target).square().sum() / max(1, num_rows)
            optimizer.zero_grad()
            (policy_loss - entropy_weight * mean_entropy + value_loss).backward()
            own_part = step_metrics(policy_loss, value_loss, mean_entropy, log_ratio, shares, config.clip)
            metrics = processes.all_reduce(model, own_part)
            for name in ("policy_loss", "value_loss", "entropy"):
                check_finite(name, metrics[f"losses/{name}"])
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


def chances_to_learn(log_probs: Tensor, sure_decisions: float) -> Tensor:
    """The chance of each decision to be learnt from in a pass, float32, (N,): 10 (1 - p), but `sure_decisions` to 1.

    p, of `log_probs`, is the probability with which the action was drawn. The gradient of log p by the logits has a
    norm of at most sqrt(2) (1 - p): a decision that the policy was sure of hardly moves it. In a trained policy more
    than half of the decisions have p above 0.9, and a twentieth of the gradient.
    """
    return (10 * (1 - log_probs.exp())).clamp(sure_decisions, 1)


def clipped_loss(ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """PPO's clipped surrogate of each decision, negated for descent (Schulman et al. 2017, equation 7); all (B,)."""
    return -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)


def step_metrics(
    policy_loss: Tensor, value_loss: Tensor, mean_entropy: Tensor, log_ratio: Tensor, shares: Tensor, clip: float
) -> Metrics:
    """The metrics of one gradient step: this process's part of each, to be added up over the processes."""
    with torch.no_grad():
        ratio = log_ratio.exp()
        return {
            "losses/policy_loss": policy_loss.item(),
            "losses/value_loss": value_loss.item(),
            "losses/entropy": mean_entropy.item(),
            "losses/approx_kl": (shares * (ratio - 1 - log_ratio)).sum().item(),  # Schulman's estimator k3
            "losses/clipfrac": (shares * ((ratio - 1).abs() > clip)).sum().item(),
        }


def evaluate(model: ActorCritic, config: Config) -> Metrics:
    """Play against the rule-based player: points per deal and their 95 % interval, nan after a single deal.

    The house rules are the first of the settings that are not random, or `standard`.
    """
    rules = next((text for text in config.rules if text != RANDOM), "standard")
    result = play_match(
        model.player(rules=rules),
        RuleBot(seed=0),
        deals=config.eval_deals,
        seed=tuning_seed(config.seed),
        rules=rules,
        allow_cheating=config.actor == "all_hands",
    )
    points = result.points_per_deal
    return {
        "eval/points_per_deal_vs_rules": points.mean,
        "eval/points_per_deal_vs_rules_low": points.low,
        "eval/points_per_deal_vs_rules_high": points.high,
    }
