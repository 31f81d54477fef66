"""What a training run can be told: one frozen dataclass, read from YAML and the command line."""

import contextlib
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from euchre_env.checks import did_you_mean
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import training_seed


@dataclass(frozen=True)
class Config:
    """The settings of one training run; the defaults are those of design trials on one core.

    Raises:
        ValueError: if a value has the wrong type or is out of range; the message names the key.
    """

    seed: int = 1
    """Fixes the deals, the initial weights and every random choice."""
    rules: str = "standard"
    """House rules to train under: a preset, or a preset and changes to it ("pagat,stick_the_dealer=true")."""
    num_updates: int = 220
    """Updates in the whole run; the schedules fall to their ends over these."""
    deals_per_update: int = 4096
    """Complete deals played, in lockstep, for each update."""
    hidden_sizes: tuple[int, ...] = (128, 128)
    """Units of each hidden layer of the actor."""
    critic_hidden_sizes: tuple[int, ...] = (128, 128)
    """Units of each hidden layer of the critic, which sees all hands and is used in training only."""
    num_epochs: int = 2
    """Passes over the decisions of an update."""
    minibatch_size: int = 2048
    """Decisions in each gradient step."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls linearly to 0."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation (Schulman et al. 2016); gamma is 1, deals are short."""
    clip: float = 0.2
    """How far PPO lets the probability ratio move from 1 (Schulman et al. 2017)."""
    entropy_start: float = 0.02
    """Weight of the entropy bonus at the start; it falls linearly ..."""
    entropy_end: float = 0.002
    """... to this at the end."""
    max_grad_norm: float = 0.5
    """The gradient of actor and critic is each cut to this norm."""
    random_bids: float = 0.02
    """Share of bids made uniformly at random, which keeps rare calls and what follows them trained."""
    past_self_fraction: float = 0.1
    """Share of deals in which one team is played by a frozen past self, against cycles."""
    past_self_every: int = 20
    """Updates between two frozen past selves; the last eight are kept."""
    eval_every: int = 10
    """Updates between two measurements against the rule-based player."""
    eval_deals: int = 2000
    """Distinct deals of each measurement, each played twice."""
    checkpoint_every: int = 10
    """Updates between two checkpoints."""
    num_threads: int = 1
    """Threads torch may use; at this size one is faster than two."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _typed(field, getattr(self, field.name)))
        training_seed(self.seed)
        object.__setattr__(self, "rules", str(parse_rules(self.rules)))
        for name in ("num_updates", "deals_per_update", "num_epochs", "minibatch_size", "num_threads"):
            self._require(name, getattr(self, name) >= 1, "at least 1")
        for name in ("past_self_every", "eval_every", "eval_deals", "checkpoint_every"):
            self._require(name, getattr(self, name) >= 1, "at least 1")
        for name in ("hidden_sizes", "critic_hidden_sizes"):
            sizes = getattr(self, name)
            self._require(name, len(sizes) >= 1 and min(sizes) >= 1, "one or more sizes, each at least 1")
        for name in ("learning_rate", "clip", "max_grad_norm"):
            self._require(name, 0 < getattr(self, name) < float("inf"), "above 0")
        for name in ("entropy_start", "entropy_end"):
            self._require(name, 0 <= getattr(self, name) < float("inf"), "0 or more")
        for name in ("gae_lambda", "random_bids", "past_self_fraction"):
            self._require(name, 0 <= getattr(self, name) <= 1, "from 0 to 1")

    def _require(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise ValueError(f"{name} must be {expected}, not {getattr(self, name)!r}")

    def to_yaml(self) -> str:
        """The settings as YAML that `load_config` reads back."""
        values = {key: list(v) if isinstance(v, tuple) else v for key, v in dataclasses.asdict(self).items()}
        return yaml.safe_dump(values, sort_keys=False)


def load_config(file: str | Path | None = None, changes: list[str] | None = None) -> Config:
    """The settings in a YAML `file` (the defaults without one), changed by `changes` of the form "key=value".

    Raises:
        ValueError: if the file cannot be read, or a key or value is not known; the message says where.
    """
    values: dict[str, Any] = {}
    if file is not None:
        values = _read_yaml(Path(file))
        _check_keys(values, str(file))
    for change in changes or []:
        key, equals, text = change.partition("=")
        if not equals:
            raise ValueError(f"--set {change!r} is not of the form key=value")
        _check_keys({key: text}, f"--set {change}")
        try:
            values[key] = yaml.safe_load(text)
        except yaml.YAMLError:
            raise ValueError(f"--set {change!r}: the value is not YAML") from None
    try:
        return Config(**values)
    except ValueError as error:
        raise ValueError(f"{file or 'settings'}: {error}") from None


def _read_yaml(file: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(file.read_text())
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} is not YAML: {error}") from error
    if values is not None and not isinstance(values, dict):
        raise ValueError(f"{file} must hold 'key: value' lines, not {type(values).__name__}")
    return values or {}


def _check_keys(values: dict[str, Any], where: str) -> None:
    known = [field.name for field in dataclasses.fields(Config)]
    for key in values:
        if key not in known:
            hint = did_you_mean(key, known) or f"; keys: {', '.join(known)}"
            raise ValueError(f"{where}: unknown key {key!r}{hint}")


_KINDS: dict[object, str] = {int: "a whole number", float: "a number", str: "text"}


def _typed(field: "dataclasses.Field[Any]", value: Any) -> Any:
    """`value` as the kind of value that `field` has by default."""
    kind = type(field.default)
    if kind is tuple:
        if isinstance(value, list | tuple) and all(type(size) is int for size in value):
            return tuple(value)
        raise ValueError(f"{field.name} must be a list of whole numbers, not {value!r}")
    if kind is float and type(value) in (int, float, str):  # YAML 1.1 reads 1e-3, without a point, as text
        with contextlib.suppress(ValueError, OverflowError):
            return float(value)
    if type(value) is not kind:
        raise ValueError(f"{field.name} must be {_KINDS[kind]}, not {value!r}")
    return value
