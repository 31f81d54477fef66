"""The networks that are trained: an actor for bidding, discard and play, and a critic."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from euchre_agents.critic import Critic
from euchre_agents.encoder import INPUT_FIELDS, InputEncoder
from euchre_agents.network import NetworkPlayer
from euchre_agents.network_card import CriticCard, NetworkCard, inputs_of, rows_of_hidden_cards
from euchre_agents.open_player import OpenPlayer
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS
from euchre_env.house_rules import RulesLike, parse_rules
from euchre_env.observation import FIELDS
from euchre_env.random_rules import NOT_OF_A_DEAL
from euchre_env.state import HIDDEN_FIELDS
from euchre_train.architectures import architecture
from euchre_train.config import Config
from euchre_train.rewards import LARGEST_REWARD
from euchre_train.sampler import Sampler, append_hidden
from euchre_train.torch_player import autocast, tensors_of

_THERMOMETERS = tuple(name for name in INPUT_FIELDS if name.startswith("derived.rules."))
_FLAGS_AND_CHOICES = tuple(
    name
    for name in FIELDS
    if name.startswith("rules.")
    and name.removeprefix("rules.") not in NOT_OF_A_DEAL  # single deals cannot teach their use
    and f"derived.{name}" not in _THERMOMETERS
)
FIELDS_OF_GROUP = {
    "deal": tuple(name for name in FIELDS if not name.startswith(("needed", "rules."))),
    "derived": tuple(name for name in INPUT_FIELDS if name.startswith("derived.") and name not in _THERMOMETERS),
    "rules": (*_FLAGS_AND_CHOICES, *_THERMOMETERS),
}
"""The fields of each group of the setting `inputs`: those of the observation that describe the deal, those derived from
them, and the house rules that bear on a deal."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of actor and critic that are 1 at each of N decisions, as `ActiveLinear` takes them."""

    numbers: Tensor
    """int16, (N, K): for each row the inputs of the seat's own view, then those of the hidden cards if a network reads
    them; actor and critic have the same numbers for them."""
    num_actor: Tensor
    """How many of each row the actor reads, int64, (N,)."""
    num_critic: Tensor
    """How many of each row the critic reads, int64, (N,)."""

    def __len__(self) -> int:
        return len(self.num_actor)

    def rows(self, index: Any) -> "Inputs":
        """The decisions that `index` names."""
        return Inputs(self.numbers[index], self.num_actor[index], self.num_critic[index])

    def to(self, device: torch.device) -> "Inputs":
        """A copy on `device`, or the same object if it is there."""
        return Inputs(self.numbers.to(device), self.num_actor.to(device), self.num_critic.to(device))


class ActorCritic(nn.Module):
    """Two networks over relative suits, actor and critic, which share no weights.

    Args:
        config: `inputs`, `architecture`, `actor`, `hidden_sizes`, `critic`, `critic_hidden_sizes`, `precision`, and
            what the cards note: the rules and the reward.

    Raises:
        ValueError: if the architecture is not known, or cannot have these sizes.
    """

    def __init__(self, config: Config) -> None:
        super().__init__()
        names = [name for group in config.inputs for name in FIELDS_OF_GROUP[group]]
        rules = " | ".join(dict.fromkeys(config.rules))
        inputs, hidden_cards = inputs_of(names), {name: field.places for name, field in HIDDEN_FIELDS.items()}
        self.card = NetworkCard(
            inputs,
            ACTION_NAMES,
            config.hidden_sizes,
            rules,
            config.architecture,
            hidden_cards if config.actor == "all_hands" else {},
        )
        self.critic_card = CriticCard(
            inputs,
            hidden_cards if config.critic == "all_hands" else {},
            config.critic_hidden_sizes,
            rules,
            config.reward,
            LARGEST_REWARD,
            config.architecture,
        )
        self._architecture, self._encoder = architecture(config.architecture), InputEncoder(self.card.places())
        self.precision = config.precision
        make = self._architecture.network
        self.actor = make(self.card.num_inputs, config.hidden_sizes, NUM_ACTIONS, 0.01)
        self.critic = make(self.critic_card.num_inputs, config.critic_hidden_sizes, 1, 1.0)

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.parameters()).device

    def encode(self, observations: np.ndarray, hidden: np.ndarray) -> Inputs:
        """The inputs at N decisions, on the CPU.

        Args:
            observations: int8, (N, OBSERVATION_SIZE), in relative suits.
            hidden: int8, (N, HIDDEN_SIZE), in relative suits.
        """
        numbers, num_own = self._encoder(observations)
        num_all, cards = num_own.copy(), (self.card, self.critic_card)
        cards_with_hidden = [card for card in cards if card.hidden_cards]
        if cards_with_hidden:
            append_hidden(hidden, rows_of_hidden_cards(cards_with_hidden[0]), numbers, num_all)
        longest = int(num_all.max(initial=0))
        counts = (num_all if card.hidden_cards else num_own for card in cards)
        return Inputs(*map(torch.from_numpy, (numbers[:, :longest].copy(), *counts)))

    def log_probs(self, inputs: Inputs, masks: Tensor) -> Tensor:
        """Log-probability of every action, float32 (B, NUM_ACTIONS), for masks bool (B, NUM_ACTIONS).

        In bfloat16 an architecture of the user's own may give logits of three digits; the built-in ones do not.
        """
        with autocast(self.device, self.precision):
            logits = self.actor(inputs.numbers, inputs.num_actor)
        return masked_log_probs(logits.float(), masks)

    def values(self, inputs: Inputs) -> Tensor:
        """The critic's estimate of the return, float32 (B,)."""
        with autocast(self.device, self.precision):
            values = self.critic(inputs.numbers, inputs.num_critic)
        return values.float().squeeze(1)

    def player(self, name: str = "network", rules: RulesLike = "standard") -> NetworkPlayer | OpenPlayer:
        """Copy the actor into a player, which runs without torch if the architecture has a kernel.

        Args:
            name: the player's name in reports.
            rules: the house rules of the games, which a player that sees all cards is told; others read them.
        """
        tensors = tensors_of(self.actor)
        if self.card.hidden_cards:
            return self._architecture.make_open_player(self.card, tensors, parse_rules(rules), name)
        return self._architecture.make_player(self.card, tensors, name)

    def portable_critic(self) -> Critic:
        """Copy the critic into one that runs without torch if the architecture has a kernel."""
        return self._architecture.make_critic(self.critic_card, tensors_of(self.critic))

    def frozen_actor(self) -> dict[str, Tensor]:
        """The actor's weights by name, bfloat16, on the CPU: the form in which past selves are kept."""
        return {key: tensor.detach().to("cpu", torch.bfloat16) for key, tensor in self.actor.state_dict().items()}

    def sampler(self, weights: dict[str, Tensor] | None = None) -> Sampler:
        """A sampler that plays with the actor as it is, or with other weights, such as those of `frozen_actor`."""
        actor = self.actor
        if weights is not None:
            actor = self._architecture.network(self.card.num_inputs, self.card.hidden_sizes, NUM_ACTIONS, 0.01)
            actor.load_state_dict(weights)
            actor = actor.to(self.device)
        return Sampler(self.card, actor, self.precision)


def masked_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities (B, A); an illegal action has probability 0 and adds 0 to entropy and gradient."""
    return torch.log_softmax(logits.masked_fill(~masks, torch.finfo(logits.dtype).min), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """The entropy of each row of log-probabilities, in nats, (B,)."""
    return -(log_probs.exp() * log_probs).sum(dim=-1)
