"""A trainer in one file: A2C over `Tables` in plain torch; +1.29 against `random` in a minute. Args: UPDATES DEALS."""

import sys

import numpy as np
import torch
from torch.distributions import Categorical

from euchre_agents import load
from euchre_env import NUM_ACTIONS, OBSERVATION_SIZE, Tables
from euchre_env.relative_suits import relabel_actions
from euchre_eval import play_match


class Agent(torch.nn.Sequential):
    """A policy and a value in one network; as a player, it takes the likeliest action."""

    relative_suits = stateless = True

    def evaluate(self, observations: np.ndarray, masks: np.ndarray) -> tuple[Categorical, torch.Tensor]:
        """The policy, and half the points that the team of the seat to act is expected to make."""
        outputs = self(torch.as_tensor(observations).float())
        logits = outputs[..., 1:].masked_fill(torch.as_tensor(masks) == 0, -1e9)
        return Categorical(logits=logits), outputs[..., 0]

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The likeliest legal action."""
        return int(self.evaluate(observation, action_mask)[0].logits.argmax())


torch.manual_seed(1)
torch.set_num_threads(1)  # networks of this size gain nothing from more
num_updates, num_deals = map(int, sys.argv[1:] or (2000, 64))
agent = Agent(torch.nn.Linear(OBSERVATION_SIZE, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1 + NUM_ACTIONS))
optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3)
for update in range(num_updates):
    tables = Tables(num_deals, seed=1, num_episodes=num_deals, first_episode=update * num_deals, skip_forced=True)
    steps, points = [], torch.zeros(num_deals, 2)  # by deal and team
    while len(tables):
        policy, values = agent.evaluate(*tables.observations(relative_suits=True))
        actions, deals, teams = policy.sample(), tables.episodes % num_deals, tables.turns % 2
        steps.append((policy.log_prob(actions), policy.entropy(), values, torch.tensor(deals), torch.tensor(teams)))
        ended = tables.step(relabel_actions(actions.numpy(), tables.frames))
        points[ended["episode"] % num_deals] = torch.tensor(ended["points"] - ended["points"][:, ::-1]).float()
    log_probs, entropies, values, deals, teams = map(torch.cat, zip(*steps, strict=True))
    advantages = points[deals, teams] / 2 - values
    optimizer.zero_grad()
    (advantages**2 / 2 - log_probs * advantages.detach() - 0.05 * entropies).mean().backward()
    optimizer.step()
print(play_match(agent, load("random", seed=0), deals=1000))
