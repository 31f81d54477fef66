"""The sampler: draws actions from the probabilities of a network, as training plays."""

import numpy as np
from torch import nn

from euchre_agents.encoder import InputEncoder
from euchre_agents.network_card import NetworkCard, rows_of_hidden_cards
from euchre_agents.perceptron import sample_from_logits
from euchre_env.actions import NUM_ACTIONS
from euchre_env.checks import shortened
from euchre_env.kernel import kernel
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.state import HIDDEN_SIZE
from euchre_train.torch_player import evaluate_in_chunks


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
        self.module, self._precision = module, precision
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
        logits = evaluate_in_chunks(self.module, numbers, counts, self._precision).numpy()
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
