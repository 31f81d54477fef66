"""A trained network as a player: a multilayer perceptron read from safetensors and run without torch."""

from abc import abstractmethod
from functools import partial
from pathlib import Path

import numpy as np

from euchre_agents.encoder import MOST_ACTIVE, VECTOR_SIZE, InputEncoder
from euchre_agents.network_card import NetworkCard, read_card
from euchre_agents.network_files import (
    SavedNetwork,
    check_presence,
    kernel_network,
    make_network,
    named_layers,
    read_tensors,
)
from euchre_agents.perceptron import Layers, Network, Scratch, best_of_views, probabilities_of_views
from euchre_agents.policy import Explanation
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_to_act, check_view
from euchre_env.actions import NUM_ACTIONS, actions_in
from euchre_env.kernel import RecordHolder, Records, records
from euchre_env.view import VIEW, View, batch_of

WEIGHTS_FILE, CARD_FILE = "policy.safetensors", "policy.json"


class NetworkPlayer(SavedNetwork[NetworkCard], ViewPolicy):
    """Base class of networks as players: they play the legal action with the highest probability, and can be saved.

    Args:
        card: the network's inputs, actions, sizes and training rules.
        name: the player's name in reports.

    Raises:
        ValueError: if the network reads hidden cards.
    """

    FILES = WEIGHTS_FILE, CARD_FILE

    def __init__(self, card: NetworkCard, name: str) -> None:
        if card.hidden_cards:
            raise ValueError("the network reads hidden cards, so it cannot play from views; see open_player.OpenPlayer")
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

    def explain(self, view: View) -> list[Explanation]:
        """Each legal action of the view's owner with its probability, the likeliest first."""
        check_view(view)
        probabilities = self.probabilities(batch_of(view))[0]
        return [
            Explanation(a, float(probabilities[a]), None, f"The network gives it {probabilities[a]:.1%}.")
            for a in sorted(actions_in(int(view["legal"])), key=lambda action: -probabilities[action])
        ]


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
        self._network = kernel_network(card, InputEncoder(card.places()).row_of, card.outputs(), weights, biases)
        self.weights, self.biases = self._network.weights, self._network.biases
        self._view = records(1, VIEW)
        self._vector, self._active = np.empty(VECTOR_SIZE, np.int8), np.empty(MOST_ACTIVE, np.int16)
        self._mask = np.empty(NUM_ACTIONS, np.int8)
        self._units = np.empty((2, max(map(len, self.biases))), np.float32)
        self._logits = np.empty(len(card.actions), np.float32)

    @property
    def network(self) -> Network:
        """The network, as the kernels of `perceptron` take it."""
        return self._network

    @property
    def scratch(self) -> Scratch:
        """The arrays that these kernels overwrite, for one call at a time."""
        return Scratch(self._view, self._vector, self._active, self._mask, self._units, self._logits)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the keys decide only if the network knows no legal action."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        best_of_views(views, keys, self._network, self.scratch, actions)
        return actions

    def probabilities(self, views: Records) -> np.ndarray:
        """See `NetworkPlayer.probabilities`."""
        check_to_act(views)
        out = np.empty((len(views), NUM_ACTIONS), np.float32)
        probabilities_of_views(views, self._network, self.scratch, out)
        return out

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name: "weights.0", "biases.0" and so on, by layer."""
        return named_layers(self.weights, self.biases)


def load_network(folder: str | Path, name: str | None = None) -> NetworkPlayer:
    """Load the network in `folder`; it is called `name`, or like the folder if None.

    Raises:
        ValueError: if a file is missing, damaged or of another version, a weight is not a finite number, the weights do
            not fit the card, its architecture cannot be imported, or it reads hidden cards; the message names the file.
    """
    folder = Path(folder)
    card, tensors, name = read_network(folder, name)
    if card.hidden_cards:
        raise ValueError(f"{folder / CARD_FILE}: the network sees all cards; load it with euchre_agents.load")
    return make_network(
        folder,
        NetworkPlayer.FILES,
        card,
        tensors,
        from_layers=partial[NetworkPlayer](NetworkPolicy, card, name=name),
        from_architecture=lambda architecture: architecture.make_player(card, tensors, name),
    )


def read_network(folder: Path, name: str | None) -> tuple[NetworkCard, dict[str, np.ndarray], str]:
    """The card and the weights of the network in `folder`, and its name: `name`, or that of the folder if None.

    Raises:
        ValueError: as `card_in` does; or if the weights cannot be read, or one is not a finite number.
    """
    card = card_in(folder)
    return card, read_tensors(folder / WEIGHTS_FILE), name or folder.resolve().name


def card_in(folder: Path) -> NetworkCard:
    """The card of the network in `folder`.

    Raises:
        ValueError: if the card or the weights are missing, or the card is damaged or of another version; the message
            names the file.
    """
    check_presence(folder, (CARD_FILE, WEIGHTS_FILE), "network")
    card_file = folder / CARD_FILE
    card = read_card(card_file)
    try:
        card.places()
        card.hidden_places()
        card.outputs()
    except ValueError as error:
        raise ValueError(f"{card_file} does not fit this version: {error}") from error
    return card
