"""The `Policy` protocol, the optional abilities of a policy, and `Explanation`.

`act` is the only required method. Everything else is optional: `Abilities` lists the optional methods and declarations,
and `abilities_of` reads them from a policy.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np


@runtime_checkable
class Policy(Protocol):
    """A player: any object with the method `act`. `Abilities` lists its optional methods and declarations."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The action to take.

        Args:
            observation: int8, shape (OBSERVATION_SIZE,), laid out as `euchre_env.observation.FIELDS`.
            action_mask: int8, shape (NUM_ACTIONS,), 1 where an action is legal; never all zeros.
        """
        ...


class OpenPolicy(Protocol):
    """A player that is shown all cards; matches refuse it unless cheating is allowed. It needs no method `act`."""

    sees_all: bool

    def act_deals(self, deals: Any, keys: np.ndarray) -> Any:
        """The actions to take: see `Abilities.act_deals`."""
        ...


Player: TypeAlias = Policy | OpenPolicy


class Explanation(NamedTuple):
    """A player's assessment of one legal action."""

    action: int
    """The absolute action id."""
    probability: float
    """The probability that the player chooses the action, 0 to 1."""
    points: float | None
    """The points per deal that the player expects for its team; None if it does not estimate points."""
    reason: str
    """One sentence."""


@dataclass(frozen=True)
class Abilities:
    """The optional methods and declarations of a policy: each field is the name of an attribute."""

    act_batch: bool = False
    """`act_batch(observations, action_masks)`, int8 of shapes (n, OBSERVATION_SIZE) and (n, NUM_ACTIONS), answers n
    decisions at once with n action ids; it is called instead of `act`."""
    act_views: bool = False
    """`act_views(views, keys)` answers records of dtype VIEW, each with a random number from 0 to 2**31 - 1, with
    action ids in absolute suits: a pure function of both. It is called instead of `act_batch`."""
    act_deals: bool = False
    """`act_deals(deals, keys)` answers records of dtype DEAL, all cards open, in the same way; needs `sees_all`."""
    sees_all: bool = False
    """`sees_all = True`: the policy is shown all cards (`act_deals`). Matches refuse it unless cheating is allowed."""
    relative_suits: bool = False
    """`relative_suits = True`: `act` and `act_batch` see and answer in suits relative to trump (`relative_suits`)."""
    stateless: bool = False
    """`stateless = True`: each answer depends on the arguments of its call alone. Only then can one object answer for
    several seats and deals at once; every other policy gets a copy for each seat. A class that overrides `act`,
    `act_batch`, `act_views` or `act_deals` does not inherit the declaration. It is the author's word, not checked."""
    reset: bool = False
    """`reset(seat, seed)` is called before each deal."""
    fresh: bool = False
    """`fresh()` makes another player in the original state of this one. A policy with `fresh` is never deep-copied, so
    it may own a process or a socket."""
    limit_time: bool = False
    """`limit_time(seconds)` is called before a match with a time limit: it must answer, or raise, within this time."""
    close: bool = False
    """`close()` is called after the last play of a copy, to end what it owns, such as a process."""
    explain: bool = False
    """`explain(view)` gives an `Explanation` of each legal action, the likeliest first."""

    @property
    def is_pure(self) -> bool:
        """Whether the policy declares that no answer depends on earlier ones, and has no `reset`."""
        return self.stateless and not self.reset


_METHODS = ("act_batch", "act_views", "act_deals", "reset", "fresh", "limit_time", "close", "explain")
_DECIDING_METHODS = ("act", "act_batch", "act_views", "act_deals")
_DECLARATIONS = ("sees_all", "relative_suits", "stateless")


def abilities_of(policy: Any, name: str) -> Abilities:
    """Read the abilities of `policy`; error messages call it `name`.

    Raises:
        TypeError: if it is no policy: it has no method `act`, and no `act_deals` with `sees_all`.
        ValueError: if reading one of its attributes fails, a declaration is neither True nor False, or the policy
            declares `sees_all` without `act_deals` or the reverse.
    """
    methods = {ability: callable(read_attribute(policy, ability, name)) for ability in _METHODS}
    declarations = {ability: _declaration(policy, ability, name) for ability in _DECLARATIONS}
    declarations["stateless"] &= _declares_for_its_own_methods(policy)
    abilities = Abilities(**methods, **declarations)
    if abilities.sees_all != abilities.act_deals:
        raise ValueError(f"player {name!r} must have both `sees_all = True` and a method act_deals(deals, keys)")
    if not abilities.act_deals and not callable(read_attribute(policy, "act", name)):
        raise TypeError(f"player {name!r} has no method act(observation, action_mask)")
    return abilities


def _declares_for_its_own_methods(policy: Any) -> bool:
    """Whether no class overrides a deciding method below the class that declares `stateless`."""
    for owner in type(policy).__mro__:
        if "stateless" in vars(owner):
            return True
        if any(method in vars(owner) for method in _DECIDING_METHODS):
            return "stateless" in getattr(policy, "__dict__", {})
    return True


def read_attribute(policy: Any, attribute: str, name: str) -> Any:
    """An attribute of a policy, None if it has none; error messages call the policy `name`.

    Raises:
        ValueError: if the attribute is a property that raises any exception.
    """
    try:
        return getattr(policy, attribute, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ValueError(f"player {name!r}: reading {attribute} failed: {describe_error(error)}") from error


def describe_error(error: BaseException) -> str:
    r"""The class and the message of an exception that a policy raised, on one line of at most 500 characters.

    >>> describe_error(RuntimeError("out of\n  ideas"))
    'RuntimeError: out of ideas'
    """
    try:
        message = " ".join(str(error).split())
    except KeyboardInterrupt:
        raise
    except BaseException:  # the exception may be a class of the policy, with a `__str__` that fails
        message = "its message cannot be read"
    kind = " ".join(type(error).__name__.split())
    line = f"{kind}: {message}" if message else kind
    line = "".join(character if character.isprintable() else "?" for character in line)  # no colours, no bells
    return line if len(line) <= 500 else f"{line[:497]}..."


def _declaration(policy: Any, attribute: str, name: str) -> bool:
    """Read a declaration of a policy; False if it is missing."""
    value = read_attribute(policy, attribute, name)
    if value is not None and not isinstance(value, bool | np.bool_):
        raise ValueError(f"player {name!r}: {attribute} must be True or False, not of type {type(value).__name__}")
    return bool(value)
