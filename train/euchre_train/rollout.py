"""Self-play over complete deals, recording every decision that had more than one legal action.

Deals are played in lockstep. Finished deals drop out of the batch, so nothing is truncated or padded.
"""

from dataclasses import dataclass

import numpy as np

from euchre_agents.network import NetworkPolicy
from euchre_env.deal import BIDDING_PHASES
from euchre_env.kernel import kernel
from euchre_env.relative_suits import relabel_actions
from euchre_env.tables import Tables
from euchre_train.config import Config

REWARD_SCALE = 0.5  # a deal's net points have a standard deviation near 1.8


@dataclass(frozen=True)
class Rollout:
    """The N decisions of a batch of deals in the order they were made; each seat of each deal is one stream."""

    observations: np.ndarray
    """int8, (N, inputs): the part of the observation that the network reads, in relative suits."""
    hidden: np.ndarray
    """int8, (N, HIDDEN_SIZE): the cards hidden from the seat, for the critic."""
    masks: np.ndarray
    """bool, (N, NUM_ACTIONS): the legal actions, in relative suits."""
    actions: np.ndarray
    """int64, (N,): the actions chosen, in relative suits."""
    log_probs: np.ndarray
    """float32, (N,): the log-probability with which each action was chosen."""
    streams: np.ndarray
    """int64, (N,): 4 * deal + seat, the deal counted from 0 in this batch."""
    rewards: np.ndarray
    """float32, (4 * deals,): the reward of each stream at its end, the own team's net points * REWARD_SCALE."""

    def __len__(self) -> int:
        return len(self.actions)


def collect(policy: NetworkPolicy, past_self: NetworkPolicy | None, config: Config, update: int, seed: int) -> Rollout:
    """Play the deals of an update with `policy` in every seat and record each decision it makes.

    Args:
        policy: the player, which samples from its probabilities.
        past_self: if given, plays one team in the first `past_self_fraction` of the deals, unrecorded.
        config: `rules`, `deals_per_update`, `random_bids`, `past_self_fraction`.
        update: number of the update, from 0; it decides which deals of the seed are played.
        seed: of the deals and of every choice.
    """
    num_deals, inputs = config.deals_per_update, as_columns(policy.card.places())
    first_episode = update * num_deals
    tables = Tables(
        num_deals, config.rules, seed, num_episodes=num_deals, first_episode=first_episode, skip_forced=True
    )
    num_past = int(num_deals * config.past_self_fraction) if past_self is not None else 0
    steps: list[tuple[np.ndarray, ...]] = []
    rewards = np.zeros((num_deals, 4), np.float32)
    while len(tables):
        deals, seats = tables.episodes - first_episode, tables.turns
        observations, masks = tables.observations(relative_suits=True)
        keys = tables.decision_keys(seed)
        exploration = np.where(np.isin(tables.phases, BIDDING_PHASES), config.random_bids, 0.0)
        actions, log_probs = policy.sample(observations, masks, keys, exploration)
        # The past self has seats 1 and 3 in deals 0 to 3, seats 0 and 2 in deals 4 to 7, and so on.
        theirs = (deals < num_past) & ((seats & 1) != (deals >> 2 & 1))
        if past_self is not None:
            actions[theirs], _ = past_self.sample(
                observations[theirs], masks[theirs], keys[theirs], exploration[theirs]
            )
        hidden, streams = tables.hidden(relative_suits=True), 4 * deals + seats
        step = (observations[:, inputs], hidden, masks.view(bool), actions, log_probs, streams)
        steps.append(tuple(part[~theirs] for part in step) if theirs.any() else step)
        for ended in tables.step(relabel_actions(actions, tables.frames)):
            net = (ended["points"][0] - ended["points"][1]) * REWARD_SCALE
            rewards[ended["episode"] - first_episode] = (net, -net, net, -net)
    observations, hidden, masks, actions, log_probs, streams = map(np.concatenate, zip(*steps, strict=True))
    return Rollout(observations, hidden, masks, actions, log_probs, streams, rewards.ravel())


def as_columns(places: np.ndarray) -> slice | np.ndarray:
    """`places` as an index of columns: a slice where they follow one another, which NumPy reads without copying."""
    first, end = int(places[0]), int(places[-1]) + 1
    return slice(first, end) if np.array_equal(places, np.arange(first, end)) else places


@kernel
def advantages_and_returns(
    values: np.ndarray, streams: np.ndarray, rewards: np.ndarray, gae_lambda: float
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimates and lambda-returns, undiscounted, each float32 (N,), one stream per seat.

    A stream's only reward is `rewards[stream]`, paid after the last decision of that stream, whichever seat acts last
    at the table. Source: Schulman et al. 2016, equation 16, with gamma 1.
    """
    advantages = np.empty(len(values), np.float32)
    next_value = rewards.copy()
    next_advantage = np.zeros(len(rewards), np.float32)
    for i in range(len(values) - 1, -1, -1):
        stream = streams[i]
        advantages[i] = next_value[stream] - values[i] + gae_lambda * next_advantage[stream]
        next_value[stream] = values[i]
        next_advantage[stream] = advantages[i]
    return advantages, advantages + values
