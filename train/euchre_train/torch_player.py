"""Networks that call torch: the sampler that training plays with; a player and a critic for other architectures.

The kernels of `euchre_agents` evaluate a perceptron without torch; `TorchPlayer` and `TorchCritic` evaluate any module.
"""

import contextlib
from collections.abc import Generator

import numpy as np
import torch
from torch import Tensor, nn

from euchre_agents.critic import Critic
from euchre_agents.encoder import InputEncoder
from euchre_agents.network import NetworkPlayer
from euchre_agents.network_card import CriticCard, NetworkCard, rows_of_hidden_cards
from euchre_agents.open_player import OpenPlayer
from euchre_agents.perceptron import probabilities_of_logits, sample_from_logits
from euchre_agents.view_policy import check_decisions, check_to_act
from euchre_env.actions import NUM_ACTIONS
from euchre_env.checks import shortened
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records, kernel
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.state import HIDDEN_SIZE

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


class Sampler:
    """Draws actions from the probabilities of a network, as training plays.

    Args:
        card: the network's inputs and actions, and the hidden cards that it reads, if any.
        module: takes the arguments of `ActiveLinear` and gives a logit for each action of the card.
        precision: "float32" or "bfloat16".
    """

    def __init__(self, card: NetworkCard, module: nn.Module, precision: str = "float32") -> None:
        self._encoder, self._outputs = InputEncoder(card.places()), card.outputs()
        self._rows_of_hidden = rows_of_hidden_cards(card)
        self._module, self._precision = module, precision
        self.sees_all = bool(card.hidden_cards)
        """Whether the network reads hidden cards."""

    def sample(
        self,
        observations: np.ndarray,
        action_masks: np.ndarray,
        keys: np.ndarray,
        exploration: np.ndarray,
        hidden: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """An action per row, drawn with random `keys` (`Tables.decision_keys`).

        Args:
            observations: int8, (N, OBSERVATION_SIZE), in relative suits.
            action_masks: int8, (N, NUM_ACTIONS), in relative suits, none of them all zeros.
            keys: int64, (N,).
            exploration: float64, (N,), 0 to 1: with this probability the action is uniformly random instead of the
                network's.
            hidden: the cards hidden from the seats, int8, (N, HIDDEN_SIZE), in relative suits, as `Tables.hidden`; only
                if it sees all cards.

        Returns:
            The actions in relative suits, int64, and the log-probabilities with which they were drawn, float32, both of
            shape (N,).

        Raises:
            ValueError: if the arrays do not have these shapes and dtypes, a mask is all zeros, or a value of
                `exploration` is not from 0 to 1; or if the hidden cards are missing, or given and not needed.
        """
        _check_sampling(observations, action_masks, keys, exploration)
        numbers, counts = self._encoder(observations)
        if self.sees_all != (hidden is not None):
            wanted = "sees all cards, so it needs" if self.sees_all else "sees its own view, and takes no"
            raise ValueError(f"this network {wanted} hidden cards")
        if hidden is not None:
            _check_array("hidden", hidden, (len(keys), HIDDEN_SIZE), "i1")
            append_hidden(hidden, self._rows_of_hidden, numbers, counts)
        logits = evaluate_in_chunks(self._module, numbers, counts, self._precision).numpy()
        actions, log_probs = np.empty(len(keys), np.int64), np.empty(len(keys), np.float32)
        sample_from_logits(logits, self._outputs, action_masks, keys, exploration, actions, log_probs)
        return actions, log_probs


def _check_sampling(
    observations: np.ndarray, action_masks: np.ndarray, keys: np.ndarray, exploration: np.ndarray
) -> None:
    expected = {"observations": (OBSERVATION_SIZE,), "action_masks": (NUM_ACTIONS,), "keys": (), "exploration": ()}
    arrays = (observations, action_masks, keys, exploration)
    for (name, shape), array, dtype in zip(expected.items(), arrays, ("i1", "i1", "i8", "f8"), strict=True):
        _check_array(name, array, (len(keys), *shape), dtype)
    if not np.all(np.any(action_masks, axis=1)):
        raise ValueError("an action mask allows nothing: that seat is not to act")
    if not np.all((exploration >= 0) & (exploration <= 1)):
        raise ValueError(f"exploration must be probabilities, 0 to 1, not {shortened(exploration)}")


def _check_array(name: str, array: np.ndarray, shape: tuple[int, ...], dtype: str) -> None:
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(f"{name} must be {np.dtype(dtype)}, shape {shape}, not {array.dtype}, shape {array.shape}")


@kernel
def append_hidden(hidden: np.ndarray, row_of: np.ndarray, numbers: np.ndarray, counts: np.ndarray) -> None:
    """Append the row of each place of `hidden` that is 1 to each row of `numbers`; `counts` rise.

    The hidden cards of a deal always have room; of others, those without room are left out.

    Args:
        hidden: int8, (N, HIDDEN_SIZE), in relative suits.
        row_of: as `network_card.rows_of_hidden_cards`.
        numbers: int16, (N, MOST_ACTIVE).
        counts: int64, (N,).
    """
    for i in range(len(hidden)):
        for place in range(hidden.shape[1]):
            if hidden[i, place] and row_of[place] >= 0 and counts[i] < numbers.shape[1]:
                numbers[i, counts[i]] = row_of[place]
                counts[i] += 1


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
