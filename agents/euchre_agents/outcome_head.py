"""Outcome heads: how likely each outcome of the deal is after each bid of a network, for every set of house rules.

A head is a small network on the last hidden layer of a network that plays, whose weights it leaves as they are. It has
one hidden layer of its own, and for each action an output for each outcome. The softmax of these is the distribution
over the outcomes of the deal (`outcomes`), as the team of the seat to act sees them, if the seat takes the action and
all seats then play as the network does. Training teaches a head bids alone; of cards it knows nothing. The points of an
outcome are those of the house rules, so one head serves all.

`euchre-train outcome-head` trains a head and saves it beside its network; `score_player` plays by it.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from euchre_agents.network import NetworkPolicy
from euchre_agents.network_card import HeadCard, read_head_card
from euchre_agents.network_files import SavedNetwork, check_presence, errors_naming, read_tensors
from euchre_agents.outcomes import NUM_OUTCOMES, OUTCOME_NAMES
from euchre_agents.perceptron import Network, Scratch, last_hidden_units, logits_of_view
from euchre_agents.view_policy import check_to_act
from euchre_env.actions import NUM_ACTIONS
from euchre_env.kernel import Records, kernel
from euchre_env.relative_suits import RELABELLED

WEIGHTS_FILE, CARD_FILE = "outcomes.safetensors", "outcomes.json"


class Head(NamedTuple):
    """The weights of an outcome head."""

    hidden_weights: np.ndarray
    """float32, (units of the network's last hidden layer, own hidden units)."""
    hidden_biases: np.ndarray
    """float32, (own hidden units,)."""
    weights: np.ndarray
    """float32, (actions, own hidden units, NUM_OUTCOMES)."""
    biases: np.ndarray
    """float32, (actions, NUM_OUTCOMES)."""


class OutcomeHead(SavedNetwork[HeadCard]):
    """An outcome head of one network, evaluated by kernels.

    Args:
        card: the network's actions, sizes, and how it was trained.
        tensors: the weights, by the names of the fields of `Head`.

    Raises:
        ValueError: if a weight is missing, is not a finite floating-point number or has another name, the shapes do not
            fit the card, or this version has other outcomes than the card.
    """

    FILES = WEIGHTS_FILE, CARD_FILE

    def __init__(self, card: HeadCard, tensors: Mapping[str, np.ndarray]) -> None:
        if card.outcomes != OUTCOME_NAMES:
            raise ValueError(f"the head has other outcomes than this version: {', '.join(card.outcomes)}")
        shapes = shapes_of(card)
        found = {name: array.shape for name, array in tensors.items()}
        if found != shapes:
            raise ValueError(f"the head's weights have shapes {found}, its card asks for {shapes}")
        self.card = card
        self.weights = Head(**{name: _as_float32(tensors[name]) for name in shapes})
        """The weights, as kernels take them."""

    def outcomes(self, views: Records, network: NetworkPolicy) -> np.ndarray:
        """The probability of each outcome after each action at each of `views`, as the seat to act sees the outcomes.

        Args:
            views: dtype VIEW, shape (n,), each with its owner to act, in any suits.
            network: the network of this head.

        Returns:
            float32, shape (n, NUM_ACTIONS, NUM_OUTCOMES), by action in the suits of the view; 0 for actions that are
            not legal or that the network does not know.

        Raises:
            ValueError: if a view's owner is not to act, or it is the head of another network.
        """
        check_to_act(views)
        self.check_fit(network)
        chances = np.zeros((len(views), NUM_ACTIONS, NUM_OUTCOMES), np.float32)
        units = np.empty(self.card.num_hidden, np.float32)
        outcomes_of_views(views, network.network, network.scratch, self.weights, units, chances)
        return chances

    def check_fit(self, network: NetworkPolicy) -> None:
        """Check that this is the head of `network`.

        Raises:
            ValueError: if it is the head of other weights, or has other actions or sizes.
        """
        card = network.card
        if self.card.actions != card.actions or self.card.num_inputs != card.hidden_sizes[-1]:
            raise ValueError(
                f"the head is of a network with {len(self.card.actions)} actions and a last hidden layer of "
                f"{self.card.num_inputs} units, not of this one with {len(card.actions)} and {card.hidden_sizes[-1]}"
            )
        if self.card.network != digest_of(network):
            raise ValueError(
                "the head was trained for other weights than those of the network beside it; train it again with "
                "euchre-train outcome-head, or play without it (FOLDER:points)"
            )

    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name, as they are saved: float16 if that loses nothing, as after training, else float32."""
        arrays = self.weights._asdict()
        with np.errstate(over="ignore"):
            halves = {name: array.astype(np.float16) for name, array in arrays.items()}
        is_exact = all(np.array_equal(halves[name].astype(np.float32), arrays[name]) for name in arrays)
        return halves if is_exact else arrays


def shapes_of(card: HeadCard) -> dict[str, tuple[int, ...]]:
    """The shape of each weight of a head, by its name in `Head`."""
    num_actions, num_hidden = len(card.actions), card.num_hidden
    return {
        "hidden_weights": (card.num_inputs, num_hidden),
        "hidden_biases": (num_hidden,),
        "weights": (num_actions, num_hidden, NUM_OUTCOMES),
        "biases": (num_actions, NUM_OUTCOMES),
    }


def has_head(folder: Path) -> bool:
    """Whether `folder` holds an outcome head, or a part of one."""
    return (folder / CARD_FILE).exists() or (folder / WEIGHTS_FILE).exists()


def load_head(folder: str | Path, network: NetworkPolicy) -> OutcomeHead:
    """Load the outcome head in `folder`, whose network is `network`.

    Raises:
        ValueError: if a file is missing, damaged or of another version, a weight is not a finite number, the weights do
            not fit the card, or it is the head of another network; the message names the file.
    """
    folder = Path(folder)
    check_presence(folder, (CARD_FILE, WEIGHTS_FILE), "outcome head")
    card, tensors = read_head_card(folder / CARD_FILE), read_tensors(folder / WEIGHTS_FILE)
    with errors_naming(folder / WEIGHTS_FILE):
        head = OutcomeHead(card, tensors)
    with errors_naming(folder / CARD_FILE):
        head.check_fit(network)
    return head


def digest_of(network: NetworkPolicy) -> str:
    """The SHA-256 digest of the weights of a network in float32, layer by layer, as hexadecimal digits."""
    digest = hashlib.sha256()
    for array in (*network.weights, *network.biases):
        digest.update(array.tobytes())
    return digest.hexdigest()


def _as_float32(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "f":
        raise ValueError(f"the head's weights must be floating-point numbers, not {array.dtype}")
    converted = np.ascontiguousarray(array, np.float32)
    if not np.all(np.isfinite(converted)):
        raise ValueError("the head's weights must be finite, and some are NaN or infinite")
    return converted


@kernel
def head_units(network: Network, scratch: Scratch, head: Head, units: np.ndarray) -> None:
    """Write the hidden units of a head, float32, to `units`, after `logits_of_view` has filled `scratch`."""
    below = last_hidden_units(network, scratch.units)
    units[:] = head.hidden_biases
    for i in range(len(below)):
        unit = below[i]
        if unit > 0:  # rectified: other units add nothing
            for j in range(len(units)):
                units[j] += unit * head.hidden_weights[i, j]


@kernel
def outcome_chances(units: np.ndarray, head: Head, output: int, chances: np.ndarray) -> None:
    """Write the probability of each outcome after the action of an output to `chances`, float32, (NUM_OUTCOMES,)."""
    chances[:] = head.biases[output]
    for i in range(len(units)):
        unit = units[i]
        if unit > 0:
            for outcome in range(NUM_OUTCOMES):
                chances[outcome] += unit * head.weights[output, i, outcome]
    highest, total = chances.max(), np.float32(0)
    for outcome in range(NUM_OUTCOMES):
        chances[outcome] = np.exp(chances[outcome] - highest)
        total += chances[outcome]
    for outcome in range(NUM_OUTCOMES):
        chances[outcome] /= total


@kernel
def outcomes_of_views(
    views: Records, network: Network, scratch: Scratch, head: Head, units: np.ndarray, chances: np.ndarray
) -> None:
    """Write what `OutcomeHead.outcomes` returns to `chances`, which is 0; `units` is overwritten."""
    for i in range(len(views)):
        frame = logits_of_view(views[i], network, scratch)
        head_units(network, scratch, head, units)
        for output in range(len(network.outputs)):
            action = network.outputs[output]
            if scratch.relative[0].legal >> action & 1:
                outcome_chances(units, head, output, chances[i, RELABELLED[frame, action]])
