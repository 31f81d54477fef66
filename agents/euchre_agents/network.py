"""A trained network as a player: a multilayer perceptron read from safetensors and run without torch."""

import itertools
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save

from euchre_agents.explanation import Explanation
from euchre_agents.perceptron import Layers, best_rows, probability_rows, sample_rows, to_frames, to_relative_suits
from euchre_env.actions import NUM_ACTIONS, RELABELLED
from euchre_env.kernel import HoldsRecords, records
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, action_mask, encode
from euchre_env.view import VIEW, View

WEIGHTS_FILE, CARD_FILE = "policy.safetensors", "policy.json"
FORMAT = 1


@dataclass(frozen=True)
class NetworkCard:
    """What has to be known about a network besides its weights; kept as JSON beside them."""

    num_inputs: int
    """How many values of the observation it reads, from the first on: what it was not trained to read comes after."""
    hidden_sizes: tuple[int, ...]
    """Units of each hidden layer."""
    rules: str
    """The house rules it was trained under."""
    observation_size: int = OBSERVATION_SIZE
    """The length of the observation it was trained on; another length is another layout."""
    format: int = FORMAT
    """The version of this file format."""


class NetworkPolicy(HoldsRecords):
    """A multilayer perceptron from observation to action; plays the legal action it gives the highest probability.

    It may be shown absolute or relative suits and answers in those it is shown.

    Args:
        card: what the network reads and was trained under.
        weights: one float32 matrix per layer, shape (inputs, outputs).
        biases: one float32 vector per layer, shape (outputs,).
        name: what reports call it.

    Raises:
        ValueError: if the shapes do not fit the card or this version's observation and actions.
    """

    relative_suits = True  # what it is shown fastest; absolute suits it renames itself

    def __init__(self, card: NetworkCard, weights: Layers, biases: Layers, name: str = "network") -> None:
        sizes = [card.num_inputs, *card.hidden_sizes, NUM_ACTIONS]
        shapes = [array.shape for array in (*weights, *biases)]
        expected = [*itertools.pairwise(sizes), *((size,) for size in sizes[1:])]
        if shapes != expected:
            raise ValueError(f"the network's layers have shapes {shapes}, its card asks for {expected}")
        if card.observation_size != OBSERVATION_SIZE or not 0 < card.num_inputs <= OBSERVATION_SIZE:
            raise ValueError(
                f"the network reads {card.num_inputs} of {card.observation_size} observation values; "
                f"this version of the environment gives {OBSERVATION_SIZE}"
            )
        self.card, self.name = card, name
        self.weights = tuple(np.ascontiguousarray(w, np.float32) for w in weights)
        self.biases = tuple(np.ascontiguousarray(b, np.float32) for b in biases)
        self._units = np.empty((2, max(sizes[1:])), np.float32)
        self._views = records(1, VIEW)

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The action it plays, in the suits of the observation; int."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The action it plays for every row of int8 arrays (N, OBSERVATION_SIZE) and (N, NUM_ACTIONS); int64, (N,)."""
        observations, masks, frames = self._seen(observations, action_masks)
        actions = np.empty(len(observations), np.int64)
        best_rows(observations, masks, self.weights, self.biases, self._units, actions)
        return RELABELLED[frames, actions]

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The probability it gives every action, for arrays as in `act_batch`; float32, (N, NUM_ACTIONS)."""
        observations, masks, frames = self._seen(observations, action_masks)
        out = np.empty((len(observations), NUM_ACTIONS), np.float32)
        probability_rows(observations, masks, self.weights, self.biases, self._units, out)
        return to_frames(out, frames)

    def sample(
        self, observations: np.ndarray, action_masks: np.ndarray, keys: np.ndarray, exploration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """An action per row drawn by random `keys` (`Tables.decision_keys`), as training plays.

        Args:
            observations: int8, (N, OBSERVATION_SIZE).
            action_masks: int8, (N, NUM_ACTIONS).
            keys: int64, (N,).
            exploration: float, (N,): with this probability the action is uniformly random instead of the network's.

        Returns:
            The actions, int64, and the log-probabilities with which they were drawn, float32, both of shape (N,).
        """
        probabilities = self.probabilities(observations, action_masks)
        uniform = action_masks / action_masks.sum(axis=1, keepdims=True)
        mixed = ((1 - exploration[:, None]) * probabilities + exploration[:, None] * uniform).astype(np.float32)
        actions = np.empty(len(keys), np.int64)
        sample_rows(mixed, keys, actions)
        return actions, np.log(mixed[np.arange(len(keys)), actions])

    def explain(self, view: View) -> list[Explanation]:
        """Each legal action of the view's owner with the probability the network gives it, the likeliest first."""
        mask = action_mask(view)
        probabilities = self.probabilities(encode(view)[None], mask[None])[0]
        likeliest = np.argsort(-probabilities, kind="stable")[: int(mask.sum())]
        return [
            Explanation(int(a), float(probabilities[a]), None, f"The network gives it {probabilities[a]:.1%}.")
            for a in likeliest
        ]

    def save(self, folder: Path) -> None:
        """Write the weights and the card to `folder`, which exists; each file is replaced whole."""
        tensors = {f"weights.{i}": w for i, w in enumerate(self.weights)}
        tensors |= {f"biases.{i}": b for i, b in enumerate(self.biases)}
        new_weights, new_card = folder / (WEIGHTS_FILE + ".new"), folder / (CARD_FILE + ".new")
        new_weights.write_bytes(save(tensors))
        new_card.write_text(json.dumps(asdict(self.card), indent=1) + "\n")
        new_weights.replace(folder / WEIGHTS_FILE)
        new_card.replace(folder / CARD_FILE)

    def _seen(self, observations: np.ndarray, action_masks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Checked copies of both in relative suits, and by which suit each row was renamed for that."""
        shapes = np.shape(observations)[1:], np.shape(action_masks)[1:]
        if shapes != ((OBSERVATION_SIZE,), (NUM_ACTIONS,)) or len(observations) != len(action_masks):
            raise ValueError(
                f"expected observations (N, {OBSERVATION_SIZE}) and masks (N, {NUM_ACTIONS}), "
                f"not {np.shape(observations)} and {np.shape(action_masks)}"
            )
        if not np.all(np.any(action_masks, axis=1)):
            raise ValueError("an action mask allows nothing: that seat is not to act")
        observations, masks = np.array(observations, np.int8, order="C"), np.array(action_masks, np.int8, order="C")
        frames = np.empty(len(observations), np.int64)
        to_relative_suits(observations, masks, self._views, frames)
        return observations, masks, frames


SCORE_BLIND_INPUTS = FIELDS["needed"].first
"""How many observation values come before the score and the house rules: all that a single deal can teach to read."""


def load_network(folder: str | Path, name: str | None = None) -> NetworkPolicy:
    """The network whose weights and card lie in `folder`, named after it unless `name` says otherwise.

    Raises:
        ValueError: if a file is missing, damaged or of another version; the message names it.
    """
    folder = Path(folder)
    card_file, weights_file = folder / CARD_FILE, folder / WEIGHTS_FILE
    for file in (card_file, weights_file):
        if not file.is_file():
            raise ValueError(f"{folder} holds no network: {file.name} is missing")
    try:
        tensors = load_file(weights_file)
        layers = range(len(tensors) // 2)
        weights = tuple(tensors[f"weights.{i}"] for i in layers)
        biases = tuple(tensors[f"biases.{i}"] for i in layers)
    except Exception as error:  # safetensors raises its own kind for each damage
        raise ValueError(f"{weights_file} is not the weights of a network: {error}") from error
    return NetworkPolicy(_read_card(card_file), weights, biases, name or folder.name)


def _read_card(file: Path) -> NetworkCard:
    try:
        values: dict[str, Any] = json.loads(file.read_text())
        known = {field.name for field in fields(NetworkCard)}
        if values.get("format") != FORMAT or set(values) != known:
            raise ValueError(
                f"format {values.get('format')!r} with {sorted(values)}; expected {FORMAT} with {sorted(known)}"
            )
        values["hidden_sizes"] = tuple(values["hidden_sizes"])
        return NetworkCard(**values)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is not the card of a network: {error}") from error
