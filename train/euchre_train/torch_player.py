"""Players and a critic that call torch, for architectures without a kernel.

The kernels of `euchre_agents` evaluate a perceptron without torch; these classes evaluate any module.
"""

import contextlib
from collections.abc import Generator

import numpy as np
import torch
from torch import Tensor, nn

from euchre_agents.critic import Critic
from euchre_agents.encoder import InputEncoder
from euchre_agents.network import NetworkPlayer
from euchre_agents.network_card import CriticCard, NetworkCard
from euchre_agents.open_player import OpenPlayer
from euchre_agents.perceptron import probabilities_of_logits
from euchre_agents.view_policy import check_decisions, check_to_act
from euchre_env.actions import NUM_ACTIONS
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records

CHUNK = 1024  # rows of one forward pass; larger temporaries cost page faults


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """The context in which networks compute: matrix products in bfloat16 if that is the precision."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16")


@contextlib.contextmanager
def evaluating(module: nn.Module) -> Generator[None]:
    """Put a module into evaluation mode for a block: dropout and the like then leave its outputs alone."""
    trained = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in trained:
            part.training = True


def evaluate_in_chunks(
    module: nn.Module, inputs: np.ndarray | Tensor, counts: np.ndarray | Tensor, precision: str = "float32"
) -> Tensor:
    """The outputs of a module without gradients, float32, (N, outputs), on the CPU; the module is in evaluation mode.

    Args:
        module: takes the arguments of `ActiveLinear`.
        inputs: int16, (N, K).
        counts: int64, (N,).
        precision: "float32" or "bfloat16".
    """
    device = next(module.parameters()).device
    inputs, counts = torch.as_tensor(inputs), torch.as_tensor(counts)
    with evaluating(module), torch.inference_mode(), autocast(device, precision):
        parts = [
            module(inputs[i : i + CHUNK].to(device), counts[i : i + CHUNK].to(device)).float().cpu()
            for i in range(0, max(len(counts), 1), CHUNK)
        ]
    return torch.cat(parts)


class TorchPlayer(NetworkPlayer):
    """A network as a player that calls torch; plays the legal action with the highest probability.

    Args:
        card: the network's inputs and actions.
        module: takes the arguments of `ActiveLinear` and gives a logit for each action of the card.
        name: the player's name in reports.
    """

    stateless = True

    def __init__(self, card: NetworkCard, module: nn.Module, name: str = "network") -> None:
        super().__init__(card, name)
        self.module = module.eval()
        self._encoder, self._outputs = InputEncoder(card.places()), card.outputs()

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the keys are not used."""
        check_decisions(views, keys)
        return self.probabilities(views).argmax(axis=1)

    def probabilities(self, views: Records) -> np.ndarray:
        """See `NetworkPlayer.probabilities`."""
        check_to_act(views)
        inputs, counts, frames, masks = self._encoder.of_views(views)
        logits = evaluate_in_chunks(self.module, inputs, counts).numpy()
        probabilities = np.empty((len(views), NUM_ACTIONS), np.float32)
        probabilities_of_logits(logits, self._outputs, masks, frames, probabilities)
        return probabilities

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by their names in the module."""
        return tensors_of(self.module)


class OpenTorchPlayer(OpenPlayer):
    """A network that sees all cards, as a player that calls torch.

    Args:
        card: the network's inputs, hidden cards and actions.
        module: takes the arguments of `ActiveLinear` and gives a logit for each action of the card.
        rules: the house rules of the games.
        name: the player's name in reports.
    """

    def __init__(self, card: NetworkCard, module: nn.Module, rules: HouseRules, name: str = "network") -> None:
        super().__init__(card, rules, name)
        self.module = module.eval()

    def logits(self, inputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """See `OpenPlayer.logits`."""
        return evaluate_in_chunks(self.module, inputs, counts).numpy()

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by their names in the module."""
        return tensors_of(self.module)


class TorchCritic(Critic):
    """A network as a critic that calls torch.

    Args:
        card: the critic's inputs, sizes, training rules and reward.
        module: takes the arguments of `ActiveLinear` and gives one number.
    """

    def __init__(self, card: CriticCard, module: nn.Module) -> None:
        super().__init__(card)
        self.module = module.eval()

    def outputs(self, inputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """See `Critic.outputs`."""
        return evaluate_in_chunks(self.module, inputs, counts).squeeze(1).numpy()

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by their names in the module."""
        return tensors_of(self.module)


def tensors_of(module: nn.Module) -> dict[str, np.ndarray]:
    """A copy of the weights of a module by name, on the CPU."""
    return {key: tensor.detach().cpu().numpy().copy() for key, tensor in module.state_dict().items()}
