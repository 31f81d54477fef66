"""The networks that are trained: an actor for bidding, discard and play, and a critic that sees all hands."""

import itertools

import torch
from torch import Tensor, nn

from euchre_agents.network import NetworkPolicy
from euchre_agents.network_card import NetworkCard, inputs_of
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS
from euchre_env.observation import FIELDS
from euchre_env.state import HIDDEN_SIZE
from euchre_train.config import Config

DEAL_FIELDS = tuple(name for name in FIELDS if not name.startswith(("needed", "rules.")))
"""The fields of the observation that describe the deal; single deals under one set of rules teach nothing about the
score and the house rules."""


class ActorCritic(nn.Module):
    """Two multilayer perceptrons over relative suits, actor and critic, which share no weights.

    Args:
        config: `hidden_sizes`, `critic_hidden_sizes`, and the rules to note on the card.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.card = NetworkCard(inputs_of(DEAL_FIELDS), ACTION_NAMES, config.hidden_sizes, config.rules)
        num_inputs = self.card.num_inputs
        self.actor = perceptron(num_inputs, config.hidden_sizes, NUM_ACTIONS, last_gain=0.01)
        self.critic = perceptron(num_inputs + HIDDEN_SIZE, config.critic_hidden_sizes, 1, last_gain=1.0)

    def log_probs(self, observations: Tensor, masks: Tensor) -> Tensor:
        """Log-probability of every action, float32 (B, NUM_ACTIONS), for int8 (B, inputs) and bool (B, NUM_ACTIONS)."""
        return masked_log_probs(self.actor(observations.float()), masks)

    def values(self, observations: Tensor, hidden: Tensor) -> Tensor:
        """The critic's estimate of the return, float32 (B,), for int8 (B, inputs) and int8 (B, HIDDEN_SIZE)."""
        return self.critic(torch.cat([observations, hidden], dim=1).float()).squeeze(1)

    def policy(self, name: str = "network") -> NetworkPolicy:
        """Copy the actor into a player that runs without torch."""
        linear = [layer for layer in self.actor if isinstance(layer, nn.Linear)]
        weights = tuple(layer.weight.detach().numpy().T.copy() for layer in linear)
        biases = tuple(layer.bias.detach().numpy().copy() for layer in linear)
        return NetworkPolicy(self.card, weights, biases, name)


def perceptron(num_inputs: int, hidden_sizes: tuple[int, ...], num_outputs: int, last_gain: float) -> nn.Sequential:
    """Create linear layers with ReLU between, orthogonally initialised (gain sqrt 2, `last_gain` in the last)."""
    sizes = [num_inputs, *hidden_sizes, num_outputs]
    layers: list[nn.Module] = []
    for i, (size, next_size) in enumerate(itertools.pairwise(sizes)):
        linear = nn.Linear(size, next_size)
        nn.init.orthogonal_(linear.weight, last_gain if i == len(hidden_sizes) else 2**0.5)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def largest_output(network: nn.Sequential) -> float:
    """An upper bound on the absolute value of every unit of the perceptron, for inputs of 0 and 1.

    Infinite or nan if a weight is.
    """
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    bounds, largest = torch.ones(linear[0].in_features, dtype=torch.float64), 0.0
    for layer in linear:
        bounds = layer.weight.double().abs() @ bounds + layer.bias.double().abs()
        largest = max(largest, bounds.max().item())
    return largest


def masked_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities (B, A); an illegal action has probability 0 and adds 0 to entropy and gradient."""
    return torch.log_softmax(logits.masked_fill(~masks, torch.finfo(logits.dtype).min), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """The entropy of each row of log-probabilities, in nats, (B,)."""
    return -(log_probs.exp() * log_probs).sum(dim=-1)
