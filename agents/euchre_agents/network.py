"""A trained network as a player: a multilayer perceptron read from safetensors and run without torch."""

import itertools
from abc import abstractmethod
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

from euchre_agents.encoder import MOST_ACTIVE, VECTOR_SIZE, InputEncoder
from euchre_agents.importing import import_named
from euchre_agents.network_card import NetworkCard, read_card
from euchre_agents.perceptron import Layers, Network, Scratch, best_of_views, probabilities_of_views
from euchre_agents.policy import Explanation
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_to_act, check_view
from euchre_env.actions import NUM_ACTIONS, actions_in
from euchre_env.files import replace_bytes, replace_text
from euchre_env.kernel import RecordHolder, Records, records
from euchre_env.view import VIEW, View, batch_of

WEIGHTS_FILE, CARD_FILE = "policy.safetensors", "policy.json"
KERNELS = ("perceptron", "residual")
"""The architectures that `NetworkPolicy` plays."""


class NetworkPlayer(ViewPolicy):
    """Base class of networks as players: they play the legal action with the highest probability, and can be saved.

    Args:
        card: the network's inputs, actions, sizes and training rules.
        name: the player's name in reports.
    """

    def __init__(self, card: NetworkCard, name: str) -> None:
        super().__init__(name, seed=0)
        self.card = card

    @abstractmethod
    def probabilities(self, views: Records) -> np.ndarray:
        """The network's probability of every action at each of `views`, in the suits of the view.

        Args:
            views: dtype VIEW, shape (n,), each with its owner to act.

        Returns:
            float32, shape (n, NUM_ACTIONS); exactly 0 for actions that are not in `view.legal`.

        Raises:
            ValueError: if a view's owner is not to act.
        """

    @abstractmethod
    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name, as they are saved."""

    def explain(self, view: View) -> list[Explanation]:
        """Each legal action of the view's owner with its probability, the likeliest first."""
        check_view(view)
        probabilities = self.probabilities(batch_of(view))[0]
        return [
            Explanation(a, float(probabilities[a]), None, f"The network gives it {probabilities[a]:.1%}.")
            for a in sorted(actions_in(int(view["legal"])), key=lambda action: -probabilities[action])
        ]

    def save(self, folder: Path) -> None:
        """Write the weights and the card to `folder`, which exists; each file is replaced atomically."""
        replace_bytes(folder / WEIGHTS_FILE, save(self.tensors()))
        replace_text(folder / CARD_FILE, self.card.to_json())


class NetworkPolicy(RecordHolder, NetworkPlayer):
    """A multilayer perceptron from observation to action; plays the legal action with the highest probability.

    Every view is relabelled to suits relative to trump. An action that the card does not list has probability 0, unless
    nothing else is legal: then all legal actions are equally likely.

    Args:
        card: the network's inputs, actions, sizes and training rules.
        weights: one float32 matrix per layer, shape (inputs, outputs).
        biases: one float32 vector per layer, shape (outputs,).
        name: the player's name in reports.

    Raises:
        ValueError: if the shapes do not fit the card, a weight is not a finite number, or this version lacks a place or
            an action that the card names.
    """

    stateless = True

    def __init__(self, card: NetworkCard, weights: Layers, biases: Layers, name: str = "network") -> None:
        super().__init__(card, name)
        sizes = [card.num_inputs, *card.hidden_sizes, len(card.actions)]
        shapes = [array.shape for array in (*weights, *biases)]
        expected = [*itertools.pairwise(sizes), *((size,) for size in sizes[1:])]
        if shapes != expected:
            raise ValueError(f"the network's layers have shapes {shapes}, its card asks for {expected}")
        is_residual = card.architecture == "residual"
        if is_residual and len(set(card.hidden_sizes)) > 1:
            raise ValueError(f"the hidden layers of a residual network have one width, not {list(card.hidden_sizes)}")
        self.weights, self.biases = tuple(map(_as_float32, weights)), tuple(map(_as_float32, biases))
        self._network = Network(
            InputEncoder(card.places()).row_of, card.outputs(), self.weights, self.biases, is_residual
        )
        self._view = records(1, VIEW)
        self._vector, self._active = np.empty(VECTOR_SIZE, np.int8), np.empty(MOST_ACTIVE, np.int16)
        self._mask = np.empty(NUM_ACTIONS, np.int8)
        self._units, self._logits = np.empty((2, max(sizes[1:])), np.float32), np.empty(sizes[-1], np.float32)

    @property
    def _scratch(self) -> Scratch:
        return Scratch(self._view, self._vector, self._active, self._mask, self._units, self._logits)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the keys decide only if the network knows no legal action."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        best_of_views(views, keys, self._network, self._scratch, actions)
        return actions

    def probabilities(self, views: Records) -> np.ndarray:
        """See `NetworkPlayer.probabilities`."""
        check_to_act(views)
        out = np.empty((len(views), NUM_ACTIONS), np.float32)
        probabilities_of_views(views, self._network, self._scratch, out)
        return out

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name: "weights.0", "biases.0" and so on, by layer."""
        tensors = {f"weights.{i}": array for i, array in enumerate(self.weights)}
        return tensors | {f"biases.{i}": array for i, array in enumerate(self.biases)}


def load_network(folder: str | Path, name: str | None = None) -> NetworkPlayer:
    """Load the network in `folder`; it is called `name`, or like the folder if None.

    Raises:
        ValueError: if a file is missing, damaged or of another version, a weight is not a finite number, the weights do
            not fit the card, or its architecture cannot be imported; the message names the file.
    """
    folder = Path(folder)
    card_file, weights_file = folder / CARD_FILE, folder / WEIGHTS_FILE
    for file in (card_file, weights_file):
        if not _is_file(file):
            raise ValueError(f"{folder} holds no network: {file.name} is missing")
    card = read_card(card_file)
    try:
        card.places()
        card.outputs()
    except ValueError as error:
        raise ValueError(f"{card_file} does not fit this version: {error}") from error
    try:
        weights_file.open("rb").close()  # safetensors reports an unreadable file as missing
        tensors = load_file(weights_file)
    except OSError as error:
        raise ValueError(f"{weights_file} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # safetensors raises an error class of its own
        raise ValueError(f"{weights_file} is not the weights of a network: {error}") from error
    name = name or folder.resolve().name
    if card.architecture not in KERNELS:
        return _imported_player(card, tensors, name, card_file, weights_file)
    try:
        layers = range(len(tensors) // 2)
        weights, biases = ([tensors[f"{kind}.{i}"] for i in layers] for kind in ("weights", "biases"))
        return NetworkPolicy(card, tuple(weights), tuple(biases), name)
    except KeyError as error:
        raise ValueError(f"{weights_file} is not the weights of a network: {error} is missing") from error
    except ValueError as error:
        raise ValueError(f"{weights_file}: {error}") from error


def _imported_player(
    card: NetworkCard, tensors: dict[str, np.ndarray], name: str, card_file: Path, weights_file: Path
) -> NetworkPlayer:
    """The player of an architecture "package.module:NAME": see `euchre_train.architectures`."""
    try:
        found = import_named(card.architecture, "architecture")
    except (ImportError, ValueError) as error:
        raise ValueError(f"{card_file}: the architecture {card.architecture!r} cannot be imported: {error}") from error
    if not hasattr(found, "make_player"):
        kind = type(found).__name__
        raise ValueError(f"{card_file}: architecture {card.architecture!r} is a {kind}, not an Architecture")
    try:
        for array in tensors.values():
            _check_finite(array)
        return found.make_player(card, tensors, name)
    except (ValueError, KeyError, RuntimeError) as error:  # the last if weights do not fit a module of torch
        raise ValueError(f"{weights_file}: {' '.join(str(error).split())}") from error


def _as_float32(array: np.ndarray) -> np.ndarray:
    """Weights as contiguous float32 for kernels; refused if a weight is not finite."""
    if array.dtype.kind != "f":
        raise ValueError(f"the network's weights must be floating-point numbers, not {array.dtype}")
    with np.errstate(over="ignore"):  # beyond float32: infinite, and refused
        converted = np.ascontiguousarray(array, np.float32)
    _check_finite(converted)
    return converted


def _check_finite(array: np.ndarray) -> None:
    if not np.all(np.isfinite(array)):
        raise ValueError("the network's weights must be finite, and some are NaN or infinite")


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError as error:  # a folder without permission to enter
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
