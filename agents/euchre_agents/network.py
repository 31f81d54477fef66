"""A trained network as a player: a multilayer perceptron read from safetensors and run without torch.

The forward pass is a kernel that adds in a fixed order, one row after another, so a decision is the same to the last
bit whatever the machine and however many decisions are asked for at once.
"""

import itertools
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from euchre_agents.explanation import Explanation
from euchre_env.actions import NUM_ACTIONS, RELABELLED
from euchre_env.counter_rng import random_below
from euchre_env.kernel import kernel
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, action_mask, encode
from euchre_env.view import View, frame_of, relabel_view

WEIGHTS_FILE, CARD_FILE = "policy.safetensors", "policy.json"
FORMAT = 1

Layers = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class NetworkCard:
    """What has to be known about a network besides its weights; kept as JSON beside them."""

    num_inputs: int
    """How many values of the observation it reads, from the first on: what it was not trained to read comes after."""
    hidden_sizes: tuple[int, ...]
    """Units of each hidden layer."""
    rules: str
    """The house rules it was trained under."""
    relative_suits: bool = True
    """Whether it sees and answers in relative suits."""
    observation_size: int = OBSERVATION_SIZE
    """The length of the observation it was trained on; another length is another layout."""
    format: int = FORMAT
    """The version of this file format."""


@kernel
def forward(observation: np.ndarray, weights: Layers, biases: Layers, units: np.ndarray, logits: np.ndarray) -> None:
    """The logits of one observation, float32, shape (NUM_ACTIONS,), into `logits`; `units` (2, widest) is scratch."""
    num_layers, size = len(weights), len(biases[0])
    units[0, :size] = biases[0]
    for i in range(len(weights[0])):
        if observation[i]:
            for j in range(size):
                units[0, j] += weights[0][i, j]
    now = 0
    for layer in range(1, num_layers):
        before, now = now, 1 - now
        previous, size = size, len(biases[layer])
        units[now, :size] = biases[layer]
        for i in range(previous):
            unit = units[before, i]
            if unit > 0:  # the rectifier; what it cuts adds nothing
                for j in range(size):
                    units[now, j] += unit * weights[layer][i, j]
    logits[:] = units[now, :size]


@kernel
def masked_softmax(logits: np.ndarray, mask: np.ndarray) -> None:
    """Turn logits into probabilities in place, float32; an action outside the mask gets exactly 0."""
    highest = -np.inf
    for action in range(len(mask)):
        if mask[action] and logits[action] > highest:
            highest = logits[action]
    total = np.float32(0)
    for action in range(len(mask)):
        logits[action] = np.exp(logits[action] - highest) if mask[action] else np.float32(0)
        total += logits[action]
    for action in range(len(mask)):
        logits[action] /= total


@kernel
def probability_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    weights: Layers,
    biases: Layers,
    units: np.ndarray,
    probabilities: np.ndarray,
) -> None:
    """The probability of every action for every row, float32, shape (N, NUM_ACTIONS), into `probabilities`."""
    for i in range(len(observations)):
        forward(observations[i], weights, biases, units, probabilities[i])
        masked_softmax(probabilities[i], masks[i])


@kernel
def best_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    weights: Layers,
    biases: Layers,
    units: np.ndarray,
    actions: np.ndarray,
) -> None:
    """For every row the legal action with the highest logit, the first of equals, int64, shape (N,), into `actions`."""
    logits = np.empty(masks.shape[1], np.float32)
    for i in range(len(observations)):
        forward(observations[i], weights, biases, units, logits)
        best = -1
        for action in range(len(logits)):
            if masks[i, action] and (best < 0 or logits[action] > logits[best]):
                best = action
        actions[i] = best


@kernel
def sample_rows(probabilities: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
    """An action for every row, drawn with its probabilities by its random key, int64, shape (N,), into `actions`."""
    for i in range(len(keys)):
        threshold = random_below(keys[i], 0, 0, 1 << 24) / (1 << 24)
        cumulated = 0.0
        for action in range(probabilities.shape[1]):
            if probabilities[i, action] > 0:
                actions[i] = action  # the last of them if rounding leaves the sum below the threshold
                cumulated += probabilities[i, action]
                if threshold < cumulated:
                    break


class NetworkPolicy:
    """A multilayer perceptron from observation to action; plays the legal action it gives the highest probability.

    Args:
        card: what the network reads and was trained under.
        weights: one float32 matrix per layer, shape (inputs, outputs).
        biases: one float32 vector per layer, shape (outputs,).
        name: what reports call it.
        seed: unused by play, which is deterministic; reports name it.

    Raises:
        ValueError: if the shapes do not fit the card or this version's observation and actions.
    """

    def __init__(
        self, card: NetworkCard, weights: Layers, biases: Layers, name: str = "network", seed: int = 0
    ) -> None:
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
        self.card, self.name, self.seed = card, name, seed
        self.relative_suits = card.relative_suits
        self.weights = tuple(np.ascontiguousarray(w, np.float32) for w in weights)
        self.biases = tuple(np.ascontiguousarray(b, np.float32) for b in biases)
        self._units = np.empty((2, max(sizes[1:])), np.float32)

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The action it plays, in the suits of the observation; int."""
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The action it plays for every row of int8 arrays (N, OBSERVATION_SIZE) and (N, NUM_ACTIONS); int64, (N,)."""
        actions = np.empty(len(observations), np.int64)
        best_rows(*self._checked(observations, action_masks), self.weights, self.biases, self._units, actions)
        return actions

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The probability it gives every action, for arrays as in `act_batch`; float32, (N, NUM_ACTIONS)."""
        out = np.empty((len(observations), NUM_ACTIONS), np.float32)
        probability_rows(*self._checked(observations, action_masks), self.weights, self.biases, self._units, out)
        return out

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
        frame = int(frame_of(view)) if self.relative_suits else 0
        seen = view.copy()
        relabel_view(seen, frame)
        probabilities = self.probabilities(encode(seen)[None], action_mask(seen)[None])[0]
        likeliest = np.argsort(-probabilities, kind="stable")[: int(action_mask(seen).sum())]
        return [
            Explanation(
                action=int(RELABELLED[frame, action]),
                probability=float(probabilities[action]),
                points=None,
                reason=f"the network gives it {probabilities[action]:.1%}",
            )
            for action in likeliest
        ]

    def save(self, folder: Path) -> None:
        """Write the weights and the card to `folder`, which exists; each file is replaced whole."""
        tensors = {f"weights.{i}": w for i, w in enumerate(self.weights)}
        tensors |= {f"biases.{i}": b for i, b in enumerate(self.biases)}
        new_weights, new_card = folder / (WEIGHTS_FILE + ".new"), folder / (CARD_FILE + ".new")
        save_file(tensors, new_weights)
        new_card.write_text(json.dumps(asdict(self.card), indent=1) + "\n")
        new_weights.replace(folder / WEIGHTS_FILE)
        new_card.replace(folder / CARD_FILE)

    @staticmethod
    def _checked(observations: np.ndarray, action_masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shapes = np.shape(observations)[1:], np.shape(action_masks)[1:]
        if shapes != ((OBSERVATION_SIZE,), (NUM_ACTIONS,)) or len(observations) != len(action_masks):
            raise ValueError(
                f"expected observations (N, {OBSERVATION_SIZE}) and masks (N, {NUM_ACTIONS}), "
                f"not {np.shape(observations)} and {np.shape(action_masks)}"
            )
        if not np.all(np.any(action_masks, axis=1)):
            raise ValueError("an action mask allows nothing: that seat is not to act")
        return np.ascontiguousarray(observations, np.int8), np.ascontiguousarray(action_masks, np.int8)


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
