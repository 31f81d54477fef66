"""The registry of network architectures: a torch module that is trained, and a player that plays what it learnt.

`perceptron` and `residual` are evaluated by the kernels of `euchre_agents`, without torch. An architecture of your own
is an `Architecture` in a module of yours, named "package.module:NAME" in the setting `architecture`; it is played by
`TorchPlayer`, and its critic is a `TorchCritic`, unless it brings others.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from euchre_agents.critic import Critic, NetworkCritic
from euchre_agents.importing import import_named
from euchre_agents.network import NetworkPlayer, NetworkPolicy
from euchre_agents.network_card import CriticCard, NetworkCard
from euchre_agents.open_player import OpenNetwork, OpenPlayer
from euchre_agents.perceptron import Layers
from euchre_env.checks import did_you_mean
from euchre_env.house_rules import HouseRules
from euchre_train.layers import ActiveLinear
from euchre_train.torch_player import OpenTorchPlayer, TorchCritic, TorchPlayer


class Perceptron(nn.Module):
    """Linear layers with ReLU between them, initialised orthogonally (gain sqrt 2, `last_gain` in the last).

    Args:
        num_inputs: the number of inputs, each 0 or 1.
        hidden_sizes: units of each hidden layer.
        num_outputs: the number of outputs.
        last_gain: the gain of the last layer's initial weights.
        residual: whether each hidden layer after the first is added to the layer before, which is as wide.
    """

    def __init__(
        self, num_inputs: int, hidden_sizes: tuple[int, ...], num_outputs: int, last_gain: float, residual: bool = False
    ) -> None:
        super().__init__()
        if residual and len(set(hidden_sizes)) > 1:
            raise ValueError(f"the hidden layers of a residual network have one width, not {list(hidden_sizes)}")
        self.residual = residual
        self.first = ActiveLinear(num_inputs, hidden_sizes[0])
        self.hidden = nn.ModuleList(nn.Linear(*sizes) for sizes in itertools.pairwise(hidden_sizes))
        self.last = nn.Linear(hidden_sizes[-1], num_outputs)
        for layer in (*self.hidden, self.last):
            assert isinstance(layer, nn.Linear)
            nn.init.orthogonal_(layer.weight, last_gain if layer is self.last else 2**0.5)
            nn.init.zeros_(layer.bias)

    def forward(self, inputs: Tensor, counts: Tensor) -> Tensor:
        """The outputs, float32 also under `torch.autocast`, (B, num_outputs); arguments as of `ActiveLinear`."""
        units = self.last_hidden_units(inputs, counts)
        with torch.autocast(units.device.type, enabled=False):  # three digits are too few for logits and values
            return self.last(units.float())

    def last_hidden_units(self, inputs: Tensor, counts: Tensor) -> Tensor:
        """The units of the last hidden layer, rectified, (B, units)."""
        units = torch.relu(self.first(inputs, counts))
        for layer in self.hidden:
            above = torch.relu(layer(units))
            units = units + above if self.residual else above
        return units

    def largest_output(self) -> float:
        """An upper bound on the absolute value of every unit, for inputs of 0 and 1; infinite or NaN if a weight is."""
        bounds = self.first.weight.double().abs().sum(0) + self.first.bias.double().abs()
        largest = bounds.max().item()
        for layer in (*self.hidden, self.last):
            assert isinstance(layer, nn.Linear)
            above = layer.weight.double().abs() @ bounds + layer.bias.double().abs()
            bounds = above + bounds if self.residual and layer is not self.last else above
            largest = max(largest, bounds.max().item())
        return largest


def _perceptron_layers(card: NetworkCard | CriticCard, tensors: Mapping[str, np.ndarray]) -> tuple[Layers, Layers]:
    """The weights and the biases of each layer of a `Perceptron`, from its weights by name, for the kernels."""
    linear = [*(f"hidden.{i}" for i in range(len(card.hidden_sizes) - 1)), "last"]
    weights = (tensors["first.weight"], *(tensors[f"{layer}.weight"].T for layer in linear))
    return weights, tuple(tensors[f"{layer}.bias"] for layer in ("first", *linear))


def module_weights(architecture: str, tensors: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """The weights of a module by name, from those of its player or its critic in a file (`SavedNetwork.tensors`).

    An architecture without a kernel saves the weights of its module; one whose player or critic saves others under
    names of its own cannot be taken back.
    """
    if architecture not in ARCHITECTURES:
        return {name: torch.from_numpy(np.array(array)) for name, array in tensors.items()}
    layers = ["first", *(f"hidden.{i}" for i in range(len(tensors) // 2 - 2)), "last"]
    weights = {f"{layer}.weight": tensors[f"weights.{i}"] for i, layer in enumerate(layers)}
    turned = {name: array if name == "first.weight" else array.T for name, array in weights.items()}
    biases = {f"{layer}.bias": tensors[f"biases.{i}"] for i, layer in enumerate(layers)}
    return {name: torch.from_numpy(np.array(array)) for name, array in (turned | biases).items()}


def perceptron_of(player: NetworkPolicy) -> Perceptron:
    """The module of a perceptron or residual network that kernels play, without gradients."""
    card = player.card
    module = Perceptron(
        card.num_inputs, card.hidden_sizes, len(card.actions), 1.0, residual=card.architecture == "residual"
    ).requires_grad_(False)
    module.load_state_dict(module_weights(card.architecture, player.tensors()))
    return module


def _perceptron_player(card: NetworkCard, tensors: Mapping[str, np.ndarray], name: str) -> NetworkPolicy:
    return NetworkPolicy(card, *_perceptron_layers(card, tensors), name)


def _open_perceptron(card: NetworkCard, tensors: Mapping[str, np.ndarray], rules: HouseRules, name: str) -> OpenNetwork:
    return OpenNetwork(card, *_perceptron_layers(card, tensors), rules, name)


def _perceptron_critic(card: CriticCard, tensors: Mapping[str, np.ndarray]) -> NetworkCritic:
    return NetworkCritic(card, *_perceptron_layers(card, tensors))


@dataclass(frozen=True)
class Architecture:
    """A way to connect the layers of a network."""

    network: Callable[[int, tuple[int, ...], int, float], nn.Module]
    """Makes a module from the number of inputs, the hidden sizes, the number of outputs, and the gain of the last
    layer's initial weights. Its `forward(inputs, counts)` takes what `ActiveLinear` takes."""
    player: Callable[[NetworkCard, Mapping[str, np.ndarray], str], NetworkPlayer] | None = None
    """Makes a player from a card, the module's weights by name, and the player's name; None for a `TorchPlayer`."""
    critic: Callable[[CriticCard, Mapping[str, np.ndarray]], Critic] | None = None
    """Makes a critic from a card and the module's weights by name; None for a `TorchCritic`."""
    open_player: Callable[[NetworkCard, Mapping[str, np.ndarray], HouseRules, str], OpenPlayer] | None = None
    """Makes a player that sees all cards from a card, the module's weights by name, the house rules of the games, and
    the player's name; None for an `OpenTorchPlayer`."""

    def make_player(self, card: NetworkCard, tensors: Mapping[str, np.ndarray], name: str) -> NetworkPlayer:
        """The player of a module with these weights; `euchre_agents.load` calls this for a saved player."""
        if self.player is not None:
            return self.player(card, tensors, name)
        return TorchPlayer(card, self._module(card, len(card.actions), tensors), name)

    def make_critic(self, card: CriticCard, tensors: Mapping[str, np.ndarray]) -> Critic:
        """The critic of a module with these weights; `euchre_agents.load_critic` calls this for a saved critic."""
        if self.critic is not None:
            return self.critic(card, tensors)
        return TorchCritic(card, self._module(card, 1, tensors))

    def make_open_player(
        self, card: NetworkCard, tensors: Mapping[str, np.ndarray], rules: HouseRules, name: str
    ) -> OpenPlayer:
        """The player of a module that reads hidden cards; `euchre_agents.load` calls this for a saved one."""
        if self.open_player is not None:
            return self.open_player(card, tensors, rules, name)
        return OpenTorchPlayer(card, self._module(card, len(card.actions), tensors), rules, name)

    def _module(self, card: NetworkCard | CriticCard, num_outputs: int, tensors: Mapping[str, np.ndarray]) -> nn.Module:
        module = self.network(card.num_inputs, card.hidden_sizes, num_outputs, 1.0)
        module.load_state_dict({key: torch.from_numpy(np.array(value)) for key, value in tensors.items()})
        return module


ARCHITECTURES = {
    "perceptron": Architecture(Perceptron, _perceptron_player, _perceptron_critic, _open_perceptron),
    "residual": Architecture(
        partial(Perceptron, residual=True), _perceptron_player, _perceptron_critic, _open_perceptron
    ),
}


def architecture(name: str) -> Architecture:
    """The architecture called `name`: one of `ARCHITECTURES`, or "package.module:NAME".

    Raises:
        ValueError: if there is none, or the module's attribute is not an `Architecture`. Exceptions of the module pass
            through.
    """
    if name in ARCHITECTURES:
        return ARCHITECTURES[name]
    if ":" not in name:
        known = ", ".join(ARCHITECTURES)
        hint = did_you_mean(name, ARCHITECTURES)
        raise ValueError(f"unknown architecture {name!r}{hint}; one of {known}, or package.module:NAME")
    found = import_named(name, "architecture")
    if not isinstance(found, Architecture):
        raise ValueError(f"architecture {name!r} is a {type(found).__name__}, not an Architecture")
    return found
