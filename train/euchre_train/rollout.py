"""Self-play over complete deals, recording every decision of the learner that had more than one legal action.

Deals are played in lockstep. Finished deals drop out of the batch, so nothing is truncated or padded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from euchre_agents.asking import act_rows
from euchre_agents.policy import Player
from euchre_env.actions import NUM_ACTIONS
from euchre_env.deal import BIDDING_PHASES
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import kernel
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.relative_suits import relabel_actions
from euchre_env.state import HIDDEN_SIZE
from euchre_env.tables import Tables
from euchre_train.config import Config
from euchre_train.rewards import Reward, RewardError

LEARNER, PAST_SELF, OPPONENT, PARTNER = range(4)
"""Who may have a seat in training."""


@runtime_checkable
class SamplingPolicy(Protocol):
    """Anything that can learn or be learnt against: see `euchre_train.sampler.Sampler`."""

    def sample(
        self, observations: np.ndarray, action_masks: np.ndarray, keys: np.ndarray, exploration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """An action per row, in relative suits, and the log-probability with which it was drawn.

        A policy that declares `sees_all = True` is called with the hidden cards too: `hidden=`, int8, (N, HIDDEN_SIZE),
        in relative suits, as `Tables.hidden` gives them.
        """
        ...


TrainingPlayer: TypeAlias = SamplingPolicy | Player
"""A player in training: the learner draws its actions, and so may a frozen player; others act as in a match."""


@dataclass(frozen=True)
class Rollout:
    """The N decisions of a batch of deals in the order they were made; each seat of each deal is one stream."""

    observations: np.ndarray
    """int8, (N, OBSERVATION_SIZE), in relative suits."""
    hidden: np.ndarray
    """int8, (N, HIDDEN_SIZE): the cards hidden from the seat, for networks that see all hands, in relative suits."""
    masks: np.ndarray
    """bool, (N, NUM_ACTIONS): the legal actions, in relative suits."""
    actions: np.ndarray
    """int64, (N,): the actions chosen, in relative suits."""
    log_probs: np.ndarray
    """float32, (N,): the log-probability with which each action was chosen."""
    streams: np.ndarray
    """int64, (N,): 4 * deal + seat, the deal counted from 0 in this batch."""
    rewards: np.ndarray
    """float32, (4 * deals,): the reward of each stream at its end."""

    def __len__(self) -> int:
        return len(self.actions)


def seat_players(
    deals: np.ndarray, past_self_fraction: float, has_opponents: bool, has_partner: bool, update: int = 0
) -> np.ndarray:
    """Who has each seat: `LEARNER` and the frozen players, int64, (n, 4).

    Deals come in groups of eight: four dealers, times the two teams that the learner can have. In some groups, spread
    evenly, the past self has the other team. With opponents, they have the other team in all deals, and there is no
    past self. With a partner, the learner has one seat of its team, in every second group the other seat; without
    opponents the other team is made up in the same way. Groups with a past self and groups without one are counted
    apart, and those with one begin in every second update with the other seat.

    Args:
        deals: the numbers of the deals in the update, int64, (n,).
        past_self_fraction: the share of groups with a past self.
        has_opponents: whether there are frozen opponents.
        has_partner: whether there is a frozen partner.
        update: the number of the update.
    """
    groups, teams, seats = deals >> 3, deals >> 2 & 1, np.arange(4)
    fraction = 0.0 if has_opponents else past_self_fraction
    num_past = np.floor(groups * fraction).astype(np.int64)  # groups with a past self before this one
    is_past = np.floor((groups + 1) * fraction) > num_past
    players = np.full((len(deals), 4), LEARNER)
    if has_partner:
        halves = np.where(is_past, num_past + update, groups - num_past) & 1
        players[(seats >> 1) == halves[:, None]] = PARTNER
    is_other_team = (seats & 1) != teams[:, None]
    if has_opponents:
        players[is_other_team] = OPPONENT
    else:
        players[is_other_team & is_past[:, None]] = PAST_SELF
    return players


def collect(
    players: Mapping[int, TrainingPlayer],
    config: Config,
    rule_sets: Sequence[HouseRules],
    reward: Reward,
    update: int,
    deals: range,
    seed: int,
) -> Rollout:
    """Play deals of an update and record each decision of the learner that had more than one legal action.

    Args:
        players: the learner, a `SamplingPolicy`, and the frozen players that there are, by their number.
        config: `deals_per_update`, `random_bids`, `past_self_fraction`.
        rule_sets: deal k of the run is played under `rule_sets[k % len(rule_sets)]`.
        reward: the reward of a deal.
        update: number of the update, from 0; it decides which deals of the seed are played.
        deals: the numbers of the deals in the update.
        seed: of the deals and of every choice.

    Raises:
        RewardError: if the reward does not give one number for each seat of each deal.
    """
    first_episode = update * config.deals_per_update + deals.start
    tables = Tables(len(deals), rule_sets, seed, num_episodes=len(deals), first_episode=first_episode, skip_forced=True)
    fraction = config.past_self_fraction if PAST_SELF in players else 0.0
    seating = seat_players(np.array(deals), fraction, OPPONENT in players, PARTNER in players, update)
    steps = [_no_decisions()]  # a seat may be without a choice in all deals
    results: list[np.ndarray] = []
    while len(tables):
        episodes, seats = tables.episodes - first_episode, tables.turns
        exploration = np.where(np.isin(tables.phases, BIDDING_PHASES), config.random_bids, 0.0)
        who = seating[episodes, seats]
        actions = np.empty(len(tables), np.int64)
        for number, player in players.items():
            rows = np.flatnonzero(who == number)
            if len(rows) == 0:
                continue
            if not isinstance(player, SamplingPolicy):
                actions[rows] = act_rows(player, tables, rows, seed)
                continue
            observations, masks = tables.observations(rows, relative_suits=True)
            hidden, keys = tables.hidden(rows, relative_suits=True), tables.decision_keys(seed, rows)
            shown = {"hidden": hidden} if getattr(player, "sees_all", False) else {}
            relative, log_probs = player.sample(observations, masks, keys, exploration[rows], **shown)
            actions[rows] = relabel_actions(relative, tables.frames[rows])
            if number == LEARNER:
                streams = 4 * episodes[rows] + seats[rows]
                steps.append((observations, hidden, masks.view(bool), relative, log_probs, streams))
        results.append(tables.step(actions))
    ended = np.concatenate(results)
    rewards = np.empty((len(deals), 4), np.float32)
    rules = [rule_sets[episode % len(rule_sets)] for episode in ended["episode"]]
    rewards[ended["episode"] - first_episode] = _checked_rewards(reward(ended, rules), len(ended))
    observations, hidden, masks, actions, log_probs, streams = map(np.concatenate, zip(*steps, strict=True))
    return Rollout(observations, hidden, masks, actions, log_probs, streams, rewards.ravel())


def _no_decisions() -> tuple[np.ndarray, ...]:
    """The arrays of a step in which the learner decides nothing."""
    shapes = ((0, OBSERVATION_SIZE), np.int8), ((0, HIDDEN_SIZE), np.int8), ((0, NUM_ACTIONS), np.bool_)
    return *(np.empty(*each) for each in shapes), *(np.empty(0, kind) for kind in (np.int64, np.float32, np.int64))


def _checked_rewards(rewards: Any, num_deals: int) -> np.ndarray:
    """`rewards` as an array (num_deals, 4) of finite numbers."""
    array = np.asarray(rewards)
    if array.shape != (num_deals, 4) or array.dtype.kind not in "fiu":
        found = f"{array.dtype}, shape {array.shape}"
    elif not np.all(np.isfinite(array)):
        found = f"{np.count_nonzero(~np.isfinite(array))} that are nan or infinite"
    else:
        return array
    raise RewardError(f"the reward must give finite numbers, shape ({num_deals}, 4), not {found}")


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
