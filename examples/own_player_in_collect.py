"""A player of your own in `collect`: decisions of the rule-based player, and a network that learns to imitate it.

    python examples/own_player_in_collect.py [UPDATES] [DEALS]

`collect` takes any object with `sample`, and returns every decision that it made: what the seat saw, the cards hidden
from it, the legal actions, the choice and its probability, and the reward of the seat at the end of the deal. Here the
choices train a network by supervised learning (behavioural cloning). After 30 updates of 2,000 deals, a quarter of a
minute, it chooses as its teacher in 98.5 % of the decisions, and plays as well.
"""

import sys

import numpy as np
import torch
from torch.nn.functional import nll_loss

from euchre_agents import RuleBot
from euchre_env import HouseRules
from euchre_eval import MatchResult, play_match
from euchre_train.config import Config
from euchre_train.model import ActorCritic
from euchre_train.rewards import points
from euchre_train.rollout import LEARNER, collect


class Teacher:
    """The rule-based player, with the probability of each choice."""

    def __init__(self) -> None:
        self.player = RuleBot(seed=0)

    def sample(
        self, observations: np.ndarray, action_masks: np.ndarray, keys: np.ndarray, exploration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """An action per row, in the relative suits of the observations, and its log-probability.

        Args:
            observations: int8, (N, OBSERVATION_SIZE).
            action_masks: int8, (N, NUM_ACTIONS).
            keys: random numbers, int64, (N,).
            exploration: float64, (N,): with this probability the action is to be uniformly random.
        """
        rng = np.random.default_rng(keys)
        uniform = (action_masks * rng.random(action_masks.shape)).argmax(axis=1)
        choices = self.player.act_batch(observations, action_masks)
        actions = np.where(rng.random(len(keys)) < exploration, uniform, choices)
        probabilities = exploration / action_masks.sum(axis=1) + (1 - exploration) * (actions == choices)
        return actions, np.log(probabilities).astype(np.float32)


def main(num_updates: int = 30, num_deals: int = 2000) -> MatchResult:
    """Let a network imitate the rule-based player, and play a match between them."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # a network of this size gains nothing from more
    config = Config(deals_per_update=num_deals)
    model = ActorCritic(config)
    optimizer = torch.optim.Adam(model.actor.parameters(), lr=1e-3)
    for update in range(num_updates):
        batch = collect({LEARNER: Teacher()}, config, [HouseRules()], points, update, range(num_deals), seed=1)
        inputs = model.encode(batch.observations, batch.hidden)
        masks, actions = torch.from_numpy(batch.masks), torch.from_numpy(batch.actions)
        hits = 0
        for rows in torch.randperm(len(batch)).split(512):
            log_probs = model.log_probs(inputs.rows(rows), masks[rows])  # (B, NUM_ACTIONS)
            hits += int((log_probs.argmax(dim=1) == actions[rows]).sum())
            optimizer.zero_grad()
            nll_loss(log_probs, actions[rows]).backward()
            optimizer.step()
        print(f"update {update + 1}: chooses as the teacher in {hits / len(batch):.1%} of {len(batch):,} decisions")
    return play_match(model.player("pupil"), RuleBot(seed=0), deals=1000)


if __name__ == "__main__":
    print(main(*map(int, sys.argv[1:])))
