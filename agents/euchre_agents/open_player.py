"""A trained network that sees all cards, as a player: the ceiling for those that see their own view.

Beside the view of the seat to act it reads the cards that are hidden from this seat. It is shown deals
(`policy.OpenPolicy`), so matches refuse it unless cheating is allowed, and reports mark it. A deal does not say under
which house rules it is played; whoever makes the player does.
"""

from abc import abstractmethod
from functools import partial
from pathlib import Path

import numpy as np

from euchre_agents.critic import append_hidden_cards, evaluate_rows
from euchre_agents.encoder import InputEncoder
from euchre_agents.network import CARD_FILE, WEIGHTS_FILE, read_network
from euchre_agents.network_card import NetworkCard, rows_of_hidden_cards
from euchre_agents.network_files import (
    SavedNetwork,
    kernel_network,
    make_network,
    named_layers,
)
from euchre_agents.perceptron import Layers, probabilities_of_logits
from euchre_agents.view_policy import check_decisions, check_to_act
from euchre_env.actions import NUM_ACTIONS
from euchre_env.checks import array_kind, shortened
from euchre_env.deal import DEAL
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.kernel import Records, as_records, kernel, records
from euchre_env.state import HIDDEN_SIZE, encode_hidden
from euchre_env.view import VIEW, make_view
from euchre_env.worlds import is_within_bounds


class OpenPlayer(SavedNetwork[NetworkCard]):
    """Base class of networks that see all cards, as players: they play the legal action with the highest probability.

    Args:
        card: the network's inputs, hidden cards, actions, sizes and training rules.
        rules: the house rules of the games.
        name: the player's name in reports.
    """

    FILES = WEIGHTS_FILE, CARD_FILE
    sees_all = True
    stateless = True

    def __init__(self, card: NetworkCard, rules: HouseRules, name: str) -> None:
        self.card, self.rules, self.name = card, rules, name
        self._encoder, self._rows_of_hidden = InputEncoder(card.places()), rows_of_hidden_cards(card)

    def act_deals(self, deals: Records, keys: np.ndarray) -> np.ndarray:
        """The choice of the seat to act in each of `deals`, of equals the first.

        Args:
            deals: dtype DEAL, shape (n,), each in progress.
            keys: int64, shape (n,); they do not matter.

        Returns:
            Action ids, int64, shape (n,).

        Raises:
            ValueError: if the arrays do not have these shapes and dtypes, or a deal is not in progress.
        """
        views, hidden = views_of_deals(deals, self.rules)
        check_decisions(views, keys)
        return self._probabilities(views, hidden).argmax(axis=1)

    def probabilities(self, deals: Records) -> np.ndarray:
        """The network's probability of every action of the seat to act in each of `deals`.

        Args:
            deals: as in `act_deals`.

        Returns:
            float32, shape (n, NUM_ACTIONS); exactly 0 for actions that are not legal.

        Raises:
            ValueError: if the deals are not an array as described, or one is not in progress.
        """
        return self._probabilities(*views_of_deals(deals, self.rules))

    @abstractmethod
    def logits(self, inputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The logit of each action of the card at each row of inputs, float32, (N, actions).

        Args:
            inputs: the numbers of the inputs that are 1, int16, (N, K), of which the first `counts[i]` of row i count.
            counts: int64, (N,).
        """

    def _probabilities(self, views: Records, hidden: np.ndarray) -> np.ndarray:
        inputs, counts, frames, masks = self._encoder.of_views(views)
        bad = append_hidden_cards(views, hidden, frames, self._rows_of_hidden, inputs, counts)
        if bad >= 0:
            raise ValueError(f"deal {bad} does not have each card of the pack of its house rules once")
        probabilities = np.empty((len(views), NUM_ACTIONS), np.float32)
        probabilities_of_logits(self.logits(inputs, counts), self.card.outputs(), masks, frames, probabilities)
        return probabilities


class OpenNetwork(OpenPlayer):
    """A multilayer perceptron that sees all cards, evaluated by the kernel that plays.

    Args:
        card: the network's inputs, hidden cards, actions, sizes and training rules.
        weights: one float32 matrix per layer, shape (inputs, outputs).
        biases: one float32 vector per layer, shape (outputs,).
        rules: the house rules of the games.
        name: the player's name in reports.

    Raises:
        ValueError: if the shapes do not fit the card, a weight is not a finite number, or this version lacks a place or
            an action that the card names.
    """

    def __init__(
        self, card: NetworkCard, weights: Layers, biases: Layers, rules: HouseRules, name: str = "network"
    ) -> None:
        super().__init__(card, rules, name)
        self._network = kernel_network(card, self._encoder.row_of, card.outputs(), weights, biases)
        self.weights, self.biases = self._network.weights, self._network.biases

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name: "weights.0", "biases.0" and so on, by layer."""
        return named_layers(self.weights, self.biases)

    def logits(self, inputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """See `OpenPlayer.logits`."""
        units = np.empty((2, max(map(len, self.biases))), np.float32)
        logits = np.empty((len(counts), len(self.card.actions)), np.float32)
        evaluate_rows(inputs, counts, self._network, units, logits)
        return logits


def load_open_player(folder: str | Path, name: str | None = None, rules: HouseRules | None = None) -> OpenPlayer:
    """Load the network in `folder`, which sees all cards; it is called `name`, or like the folder if None.

    Args:
        folder: a run folder, or another that a player was saved in.
        name: the player's name in reports.
        rules: the house rules of the games; those it was trained under if None.

    Raises:
        ValueError: as `network.load_network` does; or if it was trained under several house rules and `rules` is None.
    """
    folder = Path(folder)
    card, tensors, name = read_network(folder, name)
    rules = rules or _only_rules(card, folder)
    return make_network(
        folder,
        OpenPlayer.FILES,
        card,
        tensors,
        from_layers=partial[OpenPlayer](OpenNetwork, card, rules=rules, name=name),
        from_architecture=lambda architecture: architecture.make_open_player(card, tensors, rules, name),
    )


def _only_rules(card: NetworkCard, folder: Path) -> HouseRules:
    """The house rules that the card names, if they are a single set."""
    try:
        return parse_rules(card.rules)
    except ValueError as error:
        raise ValueError(
            f"{folder} sees all cards and was trained under several house rules, {shortened(card.rules)}; "
            "it needs those of the games: load(name, rules=...)"
        ) from error


def views_of_deals(deals: Records, rules: HouseRules) -> tuple[Records, np.ndarray]:
    """The view of the seat to act in each of `deals`, and the cards hidden from it, in absolute suits.

    Args:
        deals: dtype DEAL, shape (n,), each in progress.
        rules: the house rules of the deals.

    Returns:
        dtype VIEW, shape (n,), and int8, shape (n, HIDDEN_SIZE).

    Raises:
        ValueError: if the deals are not an array as described, or one is not in progress.
    """
    if not isinstance(deals, np.ndarray) or deals.dtype != DEAL or deals.ndim != 1:
        raise ValueError(f"deals must be records of dtype DEAL, shape (n,), not {array_kind(deals)}")
    views, hidden = records(len(deals), VIEW), np.empty((len(deals), HIDDEN_SIZE), np.int8)
    bad = open_views(as_records(deals), rules.packed(), views, hidden)
    if bad >= 0:
        raise ValueError(f"a player is asked only while a deal is in progress; deal {bad} is not")
    check_to_act(views)
    return views, hidden


@kernel
def open_views(deals: Records, rules: Records, views: Records, hidden: np.ndarray) -> int:
    """Write the view of the seat to act in each deal, and the cards hidden from it, in absolute suits.

    Args:
        deals: dtype DEAL, (N,).
        rules: one record of dtype RULES.
        views: dtype VIEW, (N,); the score is 0 to 0, which no network that is trained on deals reads.
        hidden: int8, (N, HIDDEN_SIZE).

    Returns:
        The first deal that is not in progress, -1 if there is none.
    """
    scores = np.zeros(2, np.int64)
    for i in range(len(deals)):
        if not is_within_bounds(deals[i]):
            return i
        make_view(deals[i], scores, rules[0], deals[i].turn, views[i])
        encode_hidden(deals[i], deals[i].turn, 0, hidden[i])
    return -1
