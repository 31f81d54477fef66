"""Reading networks from files: weights as checked float32 layers, and architectures by name."""

import contextlib
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from safetensors.numpy import load_file, save

from euchre_agents.importing import import_named
from euchre_agents.network_card import Card, CriticCard, NetworkCard
from euchre_agents.perceptron import Layers, Network
from euchre_env.checks import shortened
from euchre_env.files import replace_bytes, replace_text
from euchre_env.house_rules import HouseRules

KERNELS = ("perceptron", "residual")
"""The architectures that the kernels of `perceptron` evaluate."""


SomeCard = TypeVar("SomeCard", bound=Card)
Made = TypeVar("Made")


class SavedNetwork(ABC, Generic[SomeCard]):
    """Base class of what is saved in a folder as two files: the weights, as safetensors, and a card, as JSON."""

    FILES: ClassVar[tuple[str, str]]
    """The names of the two files."""
    card: SomeCard
    """The description of the network."""

    @abstractmethod
    def tensors(self) -> dict[str, np.ndarray]:
        """The weights by name, as they are saved."""

    def save(self, folder: Path) -> None:
        """Write the weights and the card to `folder`, which exists; each file is replaced atomically."""
        weights_file, card_file = self.FILES
        replace_bytes(folder / weights_file, save(self.tensors()))
        replace_text(folder / card_file, self.card.to_json())


def check_presence(folder: Path, names: Sequence[str], kind: str) -> None:
    """Check that `folder` has files with these names, which make up a `kind`.

    Raises:
        ValueError: if one is missing; the message names it.
    """
    for name in names:
        try:
            is_file = (folder / name).is_file()
        except OSError as error:  # a folder without permission to enter
            raise ValueError(f"{folder / name} cannot be read: {error.strerror or error}") from error
        if not is_file:
            raise ValueError(f"{folder} holds no {kind}: {name} is missing")


def read_tensors(file: Path) -> dict[str, np.ndarray]:
    """The arrays in a safetensors file, by name.

    Raises:
        ValueError: if the file cannot be read or is damaged, or a number is not finite; the message names the file.
    """
    try:
        file.open("rb").close()  # safetensors reports an unreadable file as missing
        tensors = load_file(file)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # safetensors raises an error class of its own
        raise ValueError(f"{file} is not the weights of a network: {error}") from error
    with errors_naming(file):
        for array in tensors.values():
            _check_finite(array)
    return tensors


def named_layers(weights: Layers, biases: Layers) -> dict[str, np.ndarray]:
    """Layers by the names they have in a file: "weights.0", "biases.0" and so on; the inverse of `layers_in`."""
    tensors = {f"weights.{i}": array for i, array in enumerate(weights)}
    return tensors | {f"biases.{i}": array for i, array in enumerate(biases)}


def layers_in(tensors: Mapping[str, np.ndarray], file: Path) -> tuple[Layers, Layers]:
    """The weights and the biases of each layer, from the tensors of `file`.

    Raises:
        ValueError: if one is missing, or there is another tensor; the message names the file and the tensor.
    """
    layers = range(sum(name.startswith("weights.") for name in tensors))
    expected = {f"{kind}.{i}" for kind in ("weights", "biases") for i in layers}
    missing, surplus = sorted(expected - tensors.keys()), sorted(tensors.keys() - expected)
    if missing:
        raise ValueError(f"{file} is not the weights of a network: {missing[0]!r} is missing")
    if surplus:
        raise ValueError(f"{file} is not the weights of a network: it also holds {shortened(surplus[0])}")
    return tuple(tensors[f"weights.{i}"] for i in layers), tuple(tensors[f"biases.{i}"] for i in layers)


def kernel_network(
    card: NetworkCard | CriticCard, row_of: np.ndarray, outputs: np.ndarray, weights: Layers, biases: Layers
) -> Network:
    """A perceptron or residual network as kernels take it.

    Args:
        card: its inputs, hidden sizes and architecture.
        row_of: as `Network.row_of`.
        outputs: as `Network.outputs`.
        weights: one matrix per layer.
        biases: one vector per layer.

    Raises:
        ValueError: if the shapes do not fit the card, or a weight is not a finite floating-point number.
    """
    weights, biases = checked_layers(card, len(outputs), weights, biases)
    return Network(row_of, outputs, weights, biases, residual=card.architecture == "residual")


def checked_layers(
    card: NetworkCard | CriticCard, num_outputs: int, weights: Layers, biases: Layers
) -> tuple[Layers, Layers]:
    """The weights and the biases of a perceptron as contiguous float32 arrays for kernels.

    Args:
        card: its inputs, hidden sizes and architecture.
        num_outputs: the number of outputs.
        weights: one matrix per layer.
        biases: one vector per layer.

    Raises:
        ValueError: if the shapes do not fit the card, or a weight is not a finite floating-point number.
    """
    sizes = [card.num_inputs, *card.hidden_sizes, num_outputs]
    shapes = [array.shape for array in (*weights, *biases)]
    expected = [*itertools.pairwise(sizes), *((size,) for size in sizes[1:])]
    if shapes != expected:
        raise ValueError(f"the network's layers have shapes {shapes}, its card asks for {expected}")
    if card.architecture == "residual" and len(set(card.hidden_sizes)) > 1:
        raise ValueError(f"the hidden layers of a residual network have one width, not {list(card.hidden_sizes)}")
    return tuple(map(_as_float32, weights)), tuple(map(_as_float32, biases))


def _as_float32(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind != "f":
        raise ValueError(f"the network's weights must be floating-point numbers, not {array.dtype}")
    with np.errstate(over="ignore"):  # beyond float32: infinite, and refused
        converted = np.ascontiguousarray(array, np.float32)
    _check_finite(converted)
    return converted


def _check_finite(array: np.ndarray) -> None:
    if not np.all(np.isfinite(array)):
        raise ValueError("the network's weights must be finite, and some are NaN or infinite")


class Architecture(Protocol):
    """What reading a network needs of an architecture without a kernel: see `euchre_train.architectures`."""

    def make_player(self, card: NetworkCard, tensors: Mapping[str, np.ndarray], name: str) -> Any:
        """The player with these weights."""
        ...

    def make_open_player(
        self, card: NetworkCard, tensors: Mapping[str, np.ndarray], rules: HouseRules, name: str
    ) -> Any:
        """The player with these weights, which sees all cards."""
        ...

    def make_critic(self, card: CriticCard, tensors: Mapping[str, np.ndarray]) -> Any:
        """The critic with these weights."""
        ...


_METHODS = ("make_player", "make_open_player", "make_critic")


def import_architecture(name: str, card_file: Path) -> Architecture:
    """The architecture "package.module:NAME" that `card_file` names.

    Raises:
        ValueError: if it cannot be imported, for example because torch is not installed, or is no architecture; the
            message names the file.
    """
    try:
        found = import_named(name, "architecture")
    except (ImportError, ValueError) as error:
        is_torch = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        hint = '; torch evaluates it, and `pip install "euchre-env[train]"` installs torch' if is_torch else ""
        raise ValueError(f"{card_file}: the architecture {name!r} cannot be imported: {error}{hint}") from error
    if not all(hasattr(found, method) for method in _METHODS):
        raise ValueError(f"{card_file}: architecture {name!r} is a {type(found).__name__}, not an Architecture")
    return found


def make_network(
    folder: Path,
    files: tuple[str, str],
    card: NetworkCard | CriticCard,
    tensors: dict[str, np.ndarray],
    from_layers: Callable[[Layers, Layers], Made],
    from_architecture: Callable[[Architecture], Made],
) -> Made:
    """The network in `folder`: from its layers if kernels evaluate its architecture, else by the architecture itself.

    Args:
        folder: where the network was read from.
        files: the names of its weights and of its card, as `SavedNetwork.FILES`.
        card: its description.
        tensors: its weights by name.
        from_layers: makes it from the weights and the biases of its layers.
        from_architecture: makes it by an architecture without a kernel.

    Raises:
        ValueError: if the weights do not fit the card, or the architecture cannot be imported; the message names the
            file.
    """
    weights_file, card_file = (folder / name for name in files)
    if card.architecture in KERNELS:
        weights, biases = layers_in(tensors, weights_file)
        with errors_naming(weights_file):
            return from_layers(weights, biases)
    architecture = import_architecture(card.architecture, card_file)
    with errors_naming(weights_file):
        return from_architecture(architecture)


@contextlib.contextmanager
def errors_naming(weights_file: Path) -> Generator[None]:
    """Turn an error from weights that do not fit their network into a one-line `ValueError` that names the file."""
    try:
        yield
    except (ValueError, KeyError, RuntimeError) as error:  # the last if weights do not fit a module of torch
        raise ValueError(f"{weights_file}: {' '.join(str(error).split())}") from error
