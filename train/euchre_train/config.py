"""Settings of a training run: one frozen dataclass, read from YAML and the command line."""

import contextlib
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from euchre_env.checks import did_you_mean
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import training_seed
from euchre_train.rule_mixture import RANDOM

NEVER = 10**9  # more updates than any run has
LARGEST_FLOAT = 1e30  # PyTorch refuses factors that a float32 cannot hold
WHOLE_NUMBER_LIMITS = {
    "num_updates": (1, 10**6),  # weeks, at a second each
    "deals_per_update": (1, 10**6),  # the decisions of a deal take 8 kB: 8 GB
    "num_epochs": (1, 1000),
    "minibatch_size": (1, 10**8),  # more than the decisions of the largest update, so all of them at once
    "past_self_every": (1, NEVER),
    "eval_every": (1, NEVER),
    "eval_deals": (1, 10**6),  # an interval of +-0.004 points per deal, after some minutes
    "checkpoint_every": (1, NEVER),
    "num_processes": (1, 4096),
    "start_update": (0, 10**6),
    "num_threads": (1, 256),  # PyTorch ends the process if the system refuses a thread
}
CHOICES = {
    "actor": ("own_view", "all_hands"),
    "critic": ("all_hands", "own_view"),
    "precision": ("auto", "float32", "bfloat16"),
    "device": ("cpu", "cuda"),
}
MAY_CHANGE = ("eval_every", "eval_deals", "checkpoint_every")
"""Settings that a resumed run may change: they do not decide what it learns."""
INPUT_GROUPS = ("deal", "derived", "rules")
MAX_LAYERS, MAX_UNITS = 16, 4096  # the largest such network takes 4 GB with Adam's moments


@dataclass(frozen=True)
class Config:
    """The settings of one training run; the defaults were chosen in trials on one core.

    Raises:
        ValueError: if a value has the wrong type or is out of range; the message names the key.
    """

    seed: int = 1
    """Fixes the deals, the initial weights and every random choice."""
    rules: tuple[str, ...] = ("standard",)
    """House rules, each for an equal share of the deals: presets, presets with changes to them
    ("pagat,stick_the_dealer=true"), or "random": drawn anew in each update. Evaluations are under the first that is not
    "random", or under "standard"."""
    num_updates: int = 220
    """Updates in the whole run, over which the learning rate and the entropy weight fall."""
    deals_per_update: int = 4096
    """Complete deals played, in lockstep, for each update."""
    inputs: tuple[str, ...] = ("deal", "derived")
    """Groups of inputs of the networks: "deal", the cards and the auction; "derived", facts derived from them; "rules",
    the house rules."""
    architecture: str = "perceptron"
    """How layers are connected: "perceptron", "residual", or "package.module:NAME" for an architecture of your own."""
    actor: str = "own_view"
    """What the actor sees: "own_view", or "all_hands", every card: an agent that cheats, a ceiling for the others."""
    hidden_sizes: tuple[int, ...] = (128, 128)
    """Units of each hidden layer of the actor."""
    critic: str = "all_hands"
    """What the critic sees: "all_hands", or "own_view", what an honest actor sees."""
    critic_hidden_sizes: tuple[int, ...] = (128, 128)
    """Units of each hidden layer of the critic."""
    reward: str = "points"
    """The reward of a deal: "points", net points scaled to at most 2; or "package.module:function"."""
    opponents: str = ""
    """A player that has the other team in every deal, a name for `euchre_agents.load`; none by default."""
    partner: str = ""
    """A player that has the partner's seat in every deal, a name for `euchre_agents.load`; none by default."""
    num_epochs: int = 2
    """Passes over the decisions of an update."""
    minibatch_size: int = 2048
    """Decisions in each gradient step."""
    sure_decisions: float = 0.125
    """The lowest chance with which a pass learns from a decision; the surer the policy was, the lower the chance."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls linearly to 0."""
    gae_lambda: float = 0.9
    """Lambda of generalised advantage estimation (Schulman et al. 2016); gamma is 1, deals are short."""
    clip: float = 0.1
    """The clip range of PPO: how far the probability ratio may move from 1 (Schulman et al. 2017)."""
    entropy_start: float = 0.02
    """Weight of the entropy bonus at the start; it falls linearly to `entropy_end`."""
    entropy_end: float = 0.002
    """Weight of the entropy bonus at the end."""
    max_grad_norm: float = 0.5
    """The largest gradient norm of the actor, and of the critic; larger gradients are scaled down to it."""
    random_bids: float = 0.02
    """Share of bids made uniformly at random, so that rare calls, and play after them, stay trained."""
    past_self_fraction: float = 0.1
    """Share of deals in which a frozen past self plays one team, to prevent cycles of strategies."""
    past_self_every: int = 20
    """Updates between two frozen past selves; the last eight are kept."""
    eval_every: int = 10
    """Updates between two evaluations against the rule-based player."""
    eval_deals: int = 2000
    """Distinct deals of each evaluation, each played twice."""
    checkpoint_every: int = 10
    """Updates between two checkpoints."""
    precision: str = "auto"
    """Of matrix products: "float32", "bfloat16", or "auto" for what is faster on this machine."""
    device: str = "cpu"
    """Where the networks learn: "cpu" or "cuda"."""
    num_processes: int = 1
    """Processes that train together. It is the number that `torchrun` has started, whatever a file says; with `--set`,
    another number is refused."""
    num_threads: int = 1
    """Threads of each process; at this size one is faster than two."""
    start_from: str = ""
    """A run folder whose networks are the initial ones, as set by `--from`; none by default."""
    start_update: int = 0
    """The number of the first update, for the schedules of a run that starts from saved networks."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _typed(field, getattr(self, field.name)))
        training_seed(self.seed)
        self._require("rules", len(self.rules) >= 1, "at least one text")
        texts = tuple(text if text == RANDOM else str(parse_rules(text)) for text in self.rules)
        object.__setattr__(self, "rules", texts)
        for name, (lowest, highest) in WHOLE_NUMBER_LIMITS.items():
            self._require(name, lowest <= getattr(self, name) <= highest, f"from {lowest} to {highest}")
        for name in ("hidden_sizes", "critic_hidden_sizes"):
            sizes = getattr(self, name)
            self._require(
                name,
                1 <= len(sizes) <= MAX_LAYERS and min(sizes) >= 1 and max(sizes) <= MAX_UNITS,
                f"1 to {MAX_LAYERS} sizes, each from 1 to {MAX_UNITS}",
            )
        self._require("start_update", self.start_update <= self.num_updates, f"at most num_updates, {self.num_updates}")
        if self.start_update and not self.start_from:
            raise ValueError(
                f"start_update is {self.start_update}, but the run starts from no networks (--from FOLDER)"
            )
        for name, allowed in CHOICES.items():
            self._require(name, getattr(self, name) in allowed, "one of " + ", ".join(allowed))
        self._require("inputs", set(self.inputs) <= set(INPUT_GROUPS), "some of " + ", ".join(INPUT_GROUPS))
        self._require("inputs", len(set(self.inputs)) == len(self.inputs) >= 1, "at least one group, none twice")
        for name in ("learning_rate", "clip", "max_grad_norm"):
            self._require(name, 0 < getattr(self, name) <= LARGEST_FLOAT, f"above 0 and at most {LARGEST_FLOAT:g}")
        for name in ("entropy_start", "entropy_end"):
            self._require(name, 0 <= getattr(self, name) <= LARGEST_FLOAT, f"from 0 to {LARGEST_FLOAT:g}")
        for name in ("gae_lambda", "random_bids", "past_self_fraction"):
            self._require(name, 0 <= getattr(self, name) <= 1, "from 0 to 1")
        self._require("sure_decisions", 0.001 <= self.sure_decisions <= 1, "from 0.001 to 1")

    @property
    def num_deals(self) -> int:
        """The deals that the whole run plays."""
        return (self.num_updates - self.start_update) * self.deals_per_update

    def _require(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise ValueError(f"{name} must be {expected}, not {getattr(self, name)!r}")

    def to_yaml(self) -> str:
        """The settings as YAML that `load_config` reads back."""
        values = {key: list(v) if isinstance(v, tuple) else v for key, v in dataclasses.asdict(self).items()}
        return yaml.safe_dump(values, sort_keys=False)


def load_config(
    file: str | Path | None = None,
    changes: list[str] | None = None,
    *,
    start_from: Path | None = None,
    complete: bool = False,
) -> Config:
    """Read settings from a YAML file and apply changes to them.

    Args:
        file: YAML with `key: value` lines; None for the defaults.
        changes: texts "key=value", the value in YAML; they win over the file.
        start_from: the setting of this name; it wins over both.
        complete: refuse a file that lacks a key; the file of a run folder has them all.

    Raises:
        ValueError: if the file cannot be read, or a key or value is not known; the message says where.
    """
    values: dict[str, Any] = {}
    if file is not None:
        values = _read_yaml(Path(file))
        _check_keys(values, str(file))
        missing = [field.name for field in dataclasses.fields(Config) if field.name not in values]
        if complete and missing:
            raise ValueError(f"{file} lacks settings of the run: {', '.join(missing)}")
    for change in changes or []:
        key, equals, text = change.partition("=")
        if not equals:
            raise ValueError(f"--set {change!r} is not of the form key=value")
        _check_keys({key: text}, f"--set {change}")
        try:
            values[key] = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):  # an impossible date or number; thousands of brackets
            raise ValueError(f"--set {_shortened(change)!r}: the value is not YAML") from None
    if start_from is not None:
        values["start_from"] = str(start_from)
    try:
        return Config(**values)
    except ValueError as error:
        raise ValueError(f"{file or 'settings'}: {error}") from None


def _read_yaml(file: Path) -> dict[str, Any]:
    try:
        with file.open(encoding="utf-8") as stream:  # a stream has a name for messages
            values = yaml.safe_load(stream)
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror or error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not YAML: {_one_line(error)}") from error
    if values is not None and not isinstance(values, dict):
        raise ValueError(f"{file} must hold 'key: value' lines, not {type(values).__name__}")
    return values or {}


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def _check_keys(values: dict[str, Any], where: str) -> None:
    known = [field.name for field in dataclasses.fields(Config)]
    for key in values:
        if key not in known:
            hint = did_you_mean(key, known) or f"; keys: {', '.join(known)}"
            raise ValueError(f"{where}: unknown key {key!r}{hint}")


_KINDS: dict[object, str] = {int: "a whole number", float: "a number", str: "text"}
_PLURALS: dict[object, str] = {int: "whole numbers", str: "texts"}


def _typed(field: "dataclasses.Field[Any]", value: Any) -> Any:
    """Convert `value` to the type of the field's default: a list to a tuple, a whole number or text to a float."""
    default: Any = field.default
    kind = type(default)
    if _is_huge(value):
        raise ValueError(f"{field.name} is a whole number of 64 bits or more, far out of range")
    if kind is tuple:
        member = type(default[0])
        if member is str and isinstance(value, str):
            return (value,)
        if isinstance(value, list | tuple) and all(type(each) is member for each in value):
            return tuple(value)
        raise ValueError(f"{field.name} must be a list of {_PLURALS[member]}, not {value!r}")
    if kind is float and type(value) in (int, float, str):  # YAML 1.1 reads 1e-3, without a point, as text
        with contextlib.suppress(ValueError):
            return float(value)
    if kind is str and value is None:  # nothing after the "=" of --set
        return ""
    if type(value) is not kind:
        raise ValueError(f"{field.name} must be {_KINDS[kind]}, not {value!r}")
    return value


def _is_huge(value: Any) -> bool:
    """Whether `value` is or contains a whole number of 64 bits or more, which may be too long to print."""
    if isinstance(value, list | tuple):
        return any(map(_is_huge, value))
    return isinstance(value, int) and abs(value) >= 2**63
