"""The card of a network: its inputs and actions by name, so that its weights survive changes of the observation.

A network's first matrix has a row for each place it reads, its last a column for each action it answers. The card lists
both by name, and loading finds them in the input vector (`encoder`) and action space of this version: the network's
decisions do not change with a field that was inserted, moved or given more places, a new house rule or a new action.
The card of a critic names its inputs in the same way; that of an outcome head names actions and outcomes. Hidden cards
that a network reads have names of their own, so that no network gets them by accident.
"""

import contextlib
import json
import math
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from euchre_agents.encoder import INPUT_FIELDS
from euchre_env.actions import ACTION_NAMES
from euchre_env.checks import did_you_mean, shortened
from euchre_env.observation import Field
from euchre_env.state import HIDDEN_FIELDS, HIDDEN_SIZE

FORMAT = 3
CRITIC_FORMAT = 1
HEAD_FORMAT = 1
LAYOUT_OF_FORMAT_1 = Path(__file__).with_name("format_1.json")


@dataclass(frozen=True)
class Card:
    """Base class of cards."""

    def to_json(self) -> str:
        """The card as JSON, which `read_card`, `read_critic_card` or `read_head_card` reads back."""
        return json.dumps(self._values(), indent=1, default=dict) + "\n"

    def _values(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


class InputsCard(Card):
    """Base class of the cards of players and critics: the places that a network reads, by name."""

    inputs: Mapping[str, tuple[str, ...]]
    hidden_cards: Mapping[str, tuple[str, ...]]

    @property
    def num_inputs(self) -> int:
        """The number of places that the network reads, hidden cards included."""
        return sum(map(len, self.inputs.values())) + sum(map(len, self.hidden_cards.values()))

    def places(self) -> np.ndarray:
        """The index in the input vector of each place that the network reads of a view, int64, (number of places,).

        Raises:
            ValueError: if the input vector has no such place; the message names it.
        """
        return _places(self.inputs, INPUT_FIELDS)

    def hidden_places(self) -> np.ndarray:
        """The index in the vector of hidden cards of each place it reads there, int64, (number of places,).

        Raises:
            ValueError: if the vector has no such place; the message names it.
        """
        return _places(self.hidden_cards, HIDDEN_FIELDS)


@dataclass(frozen=True)
class NetworkCard(InputsCard):
    """The description of a network, stored as JSON beside its weights."""

    inputs: Mapping[str, tuple[str, ...]]
    """The places it reads, in the order of the first matrix's rows: by field of `INPUT_FIELDS`, as `Field.places`."""
    actions: tuple[str, ...]
    """The actions it answers, in the order of the last matrix's columns, as `ACTION_NAMES`."""
    hidden_sizes: tuple[int, ...]
    """Units of each hidden layer."""
    rules: str
    """The house rules it was trained under."""
    architecture: str = "perceptron"
    """How its layers are connected: "perceptron", "residual", or "package.module:NAME" for one of your own."""
    hidden_cards: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The places of the following rows, by field of `HIDDEN_FIELDS`; none unless the network sees all cards."""
    format: int = FORMAT
    """The version of this file format."""

    def outputs(self) -> np.ndarray:
        """The id of each action that the network answers, int64, shape (len(actions),).

        Raises:
            ValueError: if there is no such action; the message names it.
        """
        for action in self.actions:
            if action not in ACTION_NAMES:
                raise ValueError(f"the network answers an action {action!r}, which this version does not have")
        return np.array([ACTION_NAMES.index(action) for action in self.actions], np.int64)

    def _values(self) -> dict[str, Any]:
        values = super()._values()
        if not self.hidden_cards:
            del values["hidden_cards"]  # versions without hidden cards can still read it
        return values


@dataclass(frozen=True)
class CriticCard(InputsCard):
    """The description of a critic, stored as JSON beside its weights."""

    inputs: Mapping[str, tuple[str, ...]]
    """The places it reads of the view of the seat to act, in the order of the first matrix's rows: by field of
    `INPUT_FIELDS`, as `Field.places`."""
    hidden_cards: Mapping[str, tuple[str, ...]]
    """The places of the following rows, by field of `HIDDEN_FIELDS`; none for a critic on the seat's own view."""
    hidden_sizes: tuple[int, ...]
    """Units of each hidden layer."""
    rules: str
    """The house rules it was trained under."""
    reward: str
    """The reward whose expectation it estimates: "points", or "package.module:function" for one of your own."""
    largest_reward: float
    """The reward "points" of the largest score that the house rules allow: an output that equals it means that score.
    Not used with another reward."""
    architecture: str = "perceptron"
    """How its layers are connected, as `NetworkCard.architecture`."""
    format: int = CRITIC_FORMAT
    """The version of this file format."""


@dataclass(frozen=True)
class HeadCard(Card):
    """The description of an outcome head (`outcome_head`), stored as JSON beside its weights."""

    actions: tuple[str, ...]
    """The actions of its network, in the order of its outputs."""
    outcomes: tuple[str, ...]
    """The outcomes of a deal, in the order of the outputs for each action, as `outcomes.OUTCOME_NAMES`."""
    num_inputs: int
    """Units of the last hidden layer of its network, which it reads."""
    num_hidden: int
    """Units of its own hidden layer."""
    network: str
    """The digest of the weights of its network (`outcome_head.digest_of`): a head fits no other."""
    deals: int
    """The deals that it learnt from."""
    seed: int
    """The number of the training seed of these deals."""
    format: int = HEAD_FORMAT
    """The version of this file format."""


def inputs_of(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """All places of the fields of `INPUT_FIELDS` called `names`, for `NetworkCard.inputs`.

    Raises:
        ValueError: if there is no such field.
    """
    names = list(names)
    for name in names:
        if name not in INPUT_FIELDS:
            raise ValueError(f"the input vector has no field {name!r}{did_you_mean(name, INPUT_FIELDS)}")
    return {name: INPUT_FIELDS[name].places for name in names}


def rows_of_hidden_cards(card: InputsCard) -> np.ndarray:
    """The row of the network's first matrix for each place of the hidden cards, int16, (HIDDEN_SIZE,); -1 for none.

    Raises:
        ValueError: if there is no such place; the message names it.
    """
    rows, places = np.full(HIDDEN_SIZE, -1, np.int16), card.hidden_places()
    rows[places] = np.arange(card.num_inputs - len(places), card.num_inputs)
    return rows


def read_card(file: Path) -> NetworkCard:
    """Read the card in `file`, in this format or an earlier one.

    Raises:
        ValueError: if the file is not such a card, or cannot be read; the message names the file.
    """
    with _faults_named(file, "a network"):
        values = _object_in(file)
        if values.get("format") == 1:
            return _card_of_format_1(values)
        if values.get("format") == 2:  # before there were several architectures
            values |= {"architecture": "perceptron", "format": FORMAT}
        values.setdefault("hidden_cards", {})
        _check_format(values, NetworkCard, FORMAT)
        inputs, hidden_cards = _named_places(values["inputs"]), _named_places(values["hidden_cards"])
        sizes, rules, architecture = _sizes(values["hidden_sizes"]), str(values["rules"]), str(values["architecture"])
        return NetworkCard(inputs, _texts(values["actions"], "actions"), sizes, rules, architecture, hidden_cards)


def read_critic_card(file: Path) -> CriticCard:
    """Read the card of a critic in `file`.

    Raises:
        ValueError: if the file is not such a card, or cannot be read; the message names the file.
    """
    with _faults_named(file, "a critic"):
        values = _object_in(file)
        _check_format(values, CriticCard, CRITIC_FORMAT)
        largest = values["largest_reward"]
        if type(largest) not in (int, float) or not 0 < largest < math.inf:
            raise ValueError(f"largest_reward must be a number above 0, not {shortened(largest)}")
        return CriticCard(
            _named_places(values["inputs"]),
            _named_places(values["hidden_cards"]),
            _sizes(values["hidden_sizes"]),
            str(values["rules"]),
            str(values["reward"]),
            float(largest),
            str(values["architecture"]),
        )


def read_head_card(file: Path) -> HeadCard:
    """Read the card of an outcome head in `file`.

    Raises:
        ValueError: if the file is not such a card, or cannot be read; the message names the file.
    """
    with _faults_named(file, "an outcome head"):
        values = _object_in(file)
        _check_format(values, HeadCard, HEAD_FORMAT)
        return HeadCard(
            _texts(values["actions"], "actions"),
            _texts(values["outcomes"], "outcomes"),
            _size(values["num_inputs"], "num_inputs"),
            _size(values["num_hidden"], "num_hidden"),
            str(values["network"]),
            int(values["deals"]),
            int(values["seed"]),
        )


@contextlib.contextmanager
def _faults_named(file: Path, owner: str) -> Generator[None]:
    """Turn any error from a file that is no card into a `ValueError` that names the file."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, OverflowError) as error:
        raise ValueError(f"{file} is not the card of {owner}: {error}") from error


def _object_in(file: Path) -> dict[str, Any]:
    values = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(values, dict):
        raise ValueError(f"it holds {type(values).__name__}, not an object")
    return values


def _check_format(values: dict[str, Any], card: type[Card], newest: int) -> None:
    if values.get("format") != newest:
        raise ValueError(f"format {values.get('format')!r}; this version reads formats up to {newest}")
    expected = {each.name for each in fields(card)}
    missing, surplus = sorted(expected - values.keys()), sorted(values.keys() - expected)
    if missing or surplus:
        faults = [f"{what} {shortened(names)}" for what, names in (("lacks", missing), ("also has", surplus)) if names]
        raise ValueError(f"format {newest}, but it {' and '.join(faults)}")


def _named_places(values: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {str(name): _texts(places, str(name)) for name, places in values.items()}


def _card_of_format_1(values: dict[str, Any]) -> NetworkCard:
    """The card of a format 1 file, which only counts its inputs: the first places of an observation of 575."""
    layout = json.loads(LAYOUT_OF_FORMAT_1.read_text(encoding="utf-8"))
    expected = {"num_inputs", "hidden_sizes", "rules", "observation_size", "format"}
    size = sum(map(len, layout["inputs"].values()))
    if set(values) != expected or values["observation_size"] != size or not 0 < values["num_inputs"] <= size:
        raise ValueError(f"format 1 has {sorted(expected)}, with 1 to {size} inputs of an observation of {size}")
    left, inputs = values["num_inputs"], dict[str, tuple[str, ...]]()
    for name, places in layout["inputs"].items():
        if left > 0:
            inputs[name] = tuple(places[:left])
        left -= len(places)
    return NetworkCard(inputs, tuple(layout["actions"]), _sizes(values["hidden_sizes"]), str(values["rules"]))


def _places(named: Mapping[str, tuple[str, ...]], layout: Mapping[str, Field]) -> np.ndarray:
    """The index in a vector of each place, by field of its layout."""
    return np.array([_place(name, place, layout) for name, places in named.items() for place in places], np.int64)


def _place(field: str, place: str, layout: Mapping[str, Field]) -> int:
    if field not in layout:
        raise ValueError(f"the network reads a field {field!r}, which this version does not have")
    if place not in layout[field].places:
        raise ValueError(f"the network reads place {place!r} of field {field!r}, which this version does not have")
    return layout[field].first + layout[field].places.index(place)


def _texts(values: Any, key: str) -> tuple[str, ...]:
    """The names in the list under `key`, none twice."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{key}: a list of names was expected, not {shortened(values)}")
    if len(set(values)) != len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise ValueError(f"{key}: the name {twice!r} stands twice in the list")
    return tuple(values)


def _sizes(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(value) is int and value > 0 for value in values):
        raise ValueError(f"hidden_sizes must be a list of whole numbers above 0, not {shortened(values)}")
    return tuple(values)


def _size(value: Any, key: str) -> int:
    if type(value) is not int or value <= 0:
        raise ValueError(f"{key} must be a whole number above 0, not {shortened(value)}")
    return value
