"""Critics: networks that estimate the points of a deal for the seat to act, run without torch.

Training learns a critic beside its player, and `load_critic` reads it from a run folder. There are two kinds. A critic
on all hands also sees the cards that are hidden from the seat, so it values a world; a critic on the seat's own view
needs no hidden cards, and averages over them. Searchers ask for the rows of `Tables`, reviews for a view and worlds of
it (`euchre_env.worlds`), data sets for observations with the hidden cards of `Tables.hidden`.

A value belongs to the team of the seat to act: the net points that it is expected to make in the whole deal, as the
player was when training ended, with the random choices of training. Training shows a critic only decisions with more
than one legal action, so play forced moves first (`skip_forced`).
"""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from euchre_agents.encoder import InputEncoder
from euchre_agents.network_card import CriticCard, read_critic_card, rows_of_hidden_cards
from euchre_agents.network_files import (
    SavedNetwork,
    check_presence,
    kernel_network,
    make_network,
    named_layers,
    read_tensors,
)
from euchre_agents.perceptron import Layers, Network, forward
from euchre_agents.view_policy import check_to_act, decode_views
from euchre_env.actions import NUM_ACTIONS
from euchre_env.cards import NO_CARD, NUM_CARDS, lowest_member
from euchre_env.checks import shortened
from euchre_env.deal import DEAL, Deal
from euchre_env.house_rules import largest_scores
from euchre_env.kernel import Records, as_records, kernel
from euchre_env.observation import OBSERVATION_SIZE, as_int8, get_members
from euchre_env.relative_suits import relabel_cards
from euchre_env.state import HIDDEN_FIELDS, HIDDEN_SIZE, encode_hidden
from euchre_env.tables import Tables
from euchre_env.view import ME, VIEW, View, cards_to_come
from euchre_env.worlds import is_within_bounds

WEIGHTS_FILE, CARD_FILE = "critic.safetensors", "critic.json"
CHUNK = 4096  # rows that are encoded at once
FIRST_PLACES = np.array([field.first for field in HIDDEN_FIELDS.values()], np.int64)  # each field has all cards


class Critic(SavedNetwork[CriticCard]):
    """Base class of critics, which can be saved.

    Args:
        card: the critic's inputs, sizes, training rules and reward.
    """

    FILES = WEIGHTS_FILE, CARD_FILE

    def __init__(self, card: CriticCard) -> None:
        self.card = card
        self._encoder, self._rows_of_hidden = InputEncoder(card.places()), rows_of_hidden_cards(card)

    @property
    def sees_all_hands(self) -> bool:
        """Whether the critic reads hidden cards; one on own view needs none."""
        return bool(self.card.hidden_cards)

    @property
    def unit(self) -> str:
        """The unit of values: "points", or the name of the reward that the critic was trained with."""
        return self.card.reward

    def values(self, observations: np.ndarray, hidden: np.ndarray | None = None) -> np.ndarray:
        """The value of N decisions for the team of the seat to act, in `unit`, float32, (N,).

        Args:
            observations: int8, (N, OBSERVATION_SIZE), in absolute or in relative suits.
            hidden: int8, (N, HIDDEN_SIZE), in the same suits, as `Tables.hidden`; a critic on own view does not read
                it.

        Raises:
            ValueError: if no view has an observation, its owner is not to act, or the hidden cards are missing or are
                not those that the view lacks; the message names the row.
        """
        observations = as_int8(observations, ("n", OBSERVATION_SIZE), "observations")
        return self._values(decode_views(observations, np.ones((len(observations), NUM_ACTIONS), np.int8)), hidden)

    def values_of_views(self, views: Records | View, worlds: Sequence[Deal] | np.ndarray | None = None) -> np.ndarray:
        """The value of each view, or of each world of it, for the team of its owner, in `unit`, float32, (N,).

        Args:
            views: dtype VIEW, shape (N,), each with its owner to act; or one view for all worlds.
            worlds: N deals in which seat 0 is the owner of the view, in its suits, such as `worlds.deal_of_world`
                makes; a critic on own view does not read them.

        Raises:
            ValueError: if the owner of a view is not to act, there is not one world for each view, or the cards of a
                world are not those that its view lacks; the message names the row.
        """
        if not isinstance(views, np.ndarray | np.void) or views.dtype != VIEW or views.ndim > 1:
            raise ValueError(f"views must be records of dtype VIEW, shape (n,) or one of them, not {shortened(views)}")
        num_views = 1 if views.ndim == 0 else len(views)
        if worlds is None:
            return self._values(_repeated(views, num_views), None)
        deals = np.array(worlds) if np.size(worlds) else np.empty(0, DEAL)
        if deals.dtype != DEAL or deals.ndim != 1:
            raise ValueError(f"worlds must be records of dtype DEAL, shape (n,), not {shortened(worlds)}")
        if views.ndim == 1 and num_views != len(deals):
            raise ValueError(f"there must be a world for each of {num_views} views, not {len(deals)} worlds")
        hidden = np.empty((len(deals), HIDDEN_SIZE), np.int8)
        bad = hidden_of_worlds(as_records(deals), hidden)
        if bad >= 0:
            raise ValueError(f"world {bad} is not a deal in progress")
        return self._values(_repeated(views, len(deals)), hidden)

    def values_of_rows(self, tables: Tables, rows: np.ndarray | None = None) -> np.ndarray:
        """The value of each of `rows` (all if None) for the team of the seat to act, in `unit`, float32, (len(rows),).

        A searcher that plays worlds (`worlds.games_of_worlds`) is team 0 there: the value is its own where
        `tables.turns % 2` is 0, and that of the other team elsewhere. Net points of the other team are its own negated.

        Raises:
            ValueError: if there is no such row.
        """
        return self._values(tables.views(rows), tables.hidden(rows))

    @abstractmethod
    def outputs(self, inputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """The output of the network at each row of inputs, float32, (N,).

        Args:
            inputs: the numbers of the inputs that are 1, int16, (N, K), of which the first `counts[i]` of row i count.
            counts: int64, (N,).
        """

    def _values(self, views: Records, hidden: np.ndarray | None) -> np.ndarray:
        """The value of each view, with the hidden cards in the suits of the view."""
        check_to_act(views)
        if not self.sees_all_hands:
            hidden = None
        elif hidden is None:
            raise ValueError("this critic sees all hands, so it needs the hidden cards of each decision")
        else:
            hidden = as_int8(hidden, ("n", HIDDEN_SIZE), "hidden cards")
            if len(hidden) != len(views):
                raise ValueError(f"there must be hidden cards for each of {len(views)} decisions, not {len(hidden)}")
        values = np.empty(len(views), np.float32)
        for first in range(0, len(views), CHUNK):
            chunk = slice(first, first + CHUNK)
            inputs, counts, frames, _ = self._encoder.of_views(views[chunk])
            if hidden is not None:
                rows = self._rows_of_hidden
                bad = append_hidden_cards(views[chunk], hidden[chunk], frames, rows, inputs, counts)
                if bad >= 0:
                    where = f"row {first + bad}"
                    raise ValueError(f"the hidden cards of {where} are not those that its view lacks, in its suits")
            values[chunk] = self.outputs(inputs, counts)
        if self.card.reward == "points":
            values *= largest_scores(views["rules"]) / np.float32(self.card.largest_reward)
        return values


class NetworkCritic(Critic):
    """A multilayer perceptron as a critic, evaluated by the kernel that plays.

    Args:
        card: the critic's inputs, sizes, training rules and reward.
        weights: one float32 matrix per layer, shape (inputs, outputs).
        biases: one float32 vector per layer, shape (outputs,).

    Raises:
        ValueError: if the shapes do not fit the card, a weight is not a finite number, or this version lacks a place
            that the card names.
    """

    def __init__(self, card: CriticCard, weights: Layers, biases: Layers) -> None:
        super().__init__(card)
        self._network = kernel_network(card, self._encoder.row_of, np.zeros(1, np.int64), weights, biases)
        self.weights, self.biases = self._network.weights, self._network.biases

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name: "weights.0", "biases.0" and so on, by layer."""
        return named_layers(self.weights, self.biases)

    def outputs(self, inputs: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """See `Critic.outputs`."""
        units = np.empty((2, max(len(biases) for biases in self.biases)), np.float32)
        values = np.empty((len(counts), 1), np.float32)
        evaluate_rows(inputs, counts, self._network, units, values)
        return values[:, 0]


def load_critic(folder: str | Path) -> Critic:
    """Load the critic in `folder`, a run folder or one with a shipped agent.

    Raises:
        ValueError: if a file is missing, damaged or of another version, a weight is not a finite number, the weights do
            not fit the card, or its architecture cannot be imported, which needs torch unless it has a kernel; the
            message names the file.
    """
    folder = Path(folder)
    card_file, weights_file = folder / CARD_FILE, folder / WEIGHTS_FILE
    check_presence(folder, (CARD_FILE, WEIGHTS_FILE), "critic")
    card = read_critic_card(card_file)
    try:
        card.places()
        card.hidden_places()
    except ValueError as error:
        raise ValueError(f"{card_file} does not fit this version: {error}") from error
    tensors = read_tensors(weights_file)
    return make_network(
        folder,
        Critic.FILES,
        card,
        tensors,
        from_layers=partial[Critic](NetworkCritic, card),
        from_architecture=lambda architecture: architecture.make_critic(card, tensors),
    )


def _repeated(views: Records | View, count: int) -> Records:
    """`views`, or a single view `count` times, as records for kernels."""
    batch = np.empty(count, VIEW)
    batch[:] = views
    return as_records(batch)


@kernel
def hidden_of_worlds(worlds: Records, hidden: np.ndarray) -> int:
    """Write the cards hidden from seat 0 of each world to `hidden`, int8, (N, HIDDEN_SIZE), in the world's suits.

    Returns:
        The first world that is no deal in progress, -1 if there is none.
    """
    for i in range(len(worlds)):
        if not is_within_bounds(worlds[i]):
            return i
        encode_hidden(worlds[i], ME, 0, hidden[i])
    return -1


@kernel
def append_hidden_cards(
    views: Records, hidden: np.ndarray, frames: np.ndarray, row_of: np.ndarray, inputs: np.ndarray, counts: np.ndarray
) -> int:
    """Append the rows of the hidden cards, relabelled to `frames`, to the inputs of each view; `counts` rise.

    Args:
        views: dtype VIEW, (N,).
        hidden: int8, (N, HIDDEN_SIZE), in the suits of the views.
        frames: int64, (N,).
        row_of: the row of each place of the hidden cards, int16, (HIDDEN_SIZE,), -1 for places that are not read.
        inputs: int16, (N, MOST_ACTIVE).
        counts: int64, (N,).

    Returns:
        The first view whose hidden cards are not those that it lacks, -1 if there is none.
    """
    for i in range(len(views)):
        lacking = cards_to_come(views[i])
        if views[i].discard != NO_CARD:
            lacking |= 1 << views[i].discard  # the dealer's own, which the hidden cards repeat
        for first in FIRST_PLACES:
            cards = get_members(hidden[i], first, NUM_CARDS)
            if cards & ~lacking:
                return i
            lacking &= ~cards
            cards = relabel_cards(cards, frames[i])
            while cards:
                row = row_of[first + lowest_member(cards)]
                if row >= 0:
                    inputs[i, counts[i]] = row
                    counts[i] += 1
                cards &= cards - 1
        if lacking:
            return i
    return -1


@kernel
def evaluate_rows(
    inputs: np.ndarray, counts: np.ndarray, network: Network, units: np.ndarray, outputs: np.ndarray
) -> None:
    """Write the outputs of a network at each row of inputs to `outputs`, float32, (N, outputs); see `forward`."""
    for i in range(len(counts)):
        forward(inputs[i], counts[i], network, units, outputs[i])
