"""Who can sit down: the `Policy` protocol, `load`, and `act_rows`, the seam between any policy and many tables.

`act` is all that a newcomer must write; `act_rows` lifts it to a batch, so that there is one match loop.
"""

import importlib
import inspect
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from euchre_agents.random_policy import RandomPolicy
from euchre_agents.rule_bot import RuleBot
from euchre_agents.view_policy import ViewPolicy
from euchre_env.actions import NUM_ACTIONS, RELABELLED
from euchre_env.checks import did_you_mean, whole_number
from euchre_env.house_rules import RulesLike, parse_rules
from euchre_env.tables import Tables

SHIPPED_NETWORK = Path(__file__).parent / "weights"
BUILT_IN = ("random", "rules", "easy", "normal", "hard", "ppo")
"""The players that need no file: "normal" is "rules" and "hard" is "ppo", as levels for people."""


@runtime_checkable
class Policy(Protocol):
    """A player: anything with this one method.

    A policy may also have
    - `relative_suits = True`: it then sees and answers in suits relative to trump (`frame_of`);
    - `reset(seat, seed)`, called before each deal;
    - `act_batch(observations, action_masks)`, int8 of shapes (n, OBSERVATION_SIZE) and (n, NUM_ACTIONS), which answers
      n decisions at once with n action ids; it is then asked instead of `act`.
    """

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The action to take.

        Args:
            observation: int8, shape (OBSERVATION_SIZE,), laid out as `euchre_env.observation.FIELDS`.
            action_mask: int8, shape (NUM_ACTIONS,), 1 where an action is legal; never all zeros.
        """
        ...


def act_rows(policy: Policy, tables: Tables, rows: np.ndarray, seed: int | None = None) -> np.ndarray:
    """The actions of `policy` for the seats to act at `rows` of `tables`, all of them asked at once where it can.

    Args:
        policy: any player; one that chooses from views is asked for that.
        tables: where the decisions are.
        rows: which of them, int64, shape (n,).
        seed: of the random numbers of a player that chooses from views; the player's own if None.

    Returns:
        Absolute action ids, int64, shape (n,). Whether an action is legal is for `Tables.step` to say; a number that
        is no action at all comes back as it is.

    Raises:
        TypeError: if an answer is not a whole number.
        ValueError: if there is not one answer for each of `rows`.
    Whatever the policy raises passes through.
    """
    if isinstance(policy, ViewPolicy):
        keys = tables.decision_keys(policy.seed if seed is None else seed, rows)
        return _whole_numbers(policy.act_views(tables.views(rows), keys), len(rows))
    relative_suits = bool(getattr(policy, "relative_suits", False))
    observations, masks = tables.observations(rows, relative_suits)
    actions = _whole_numbers(_answers(policy, observations, masks), len(rows))
    if relative_suits:
        named = (actions >= 0) & (actions < NUM_ACTIONS)
        actions[named] = RELABELLED[tables.frames()[rows][named], actions[named]]
    return actions


def _answers(policy: Any, observations: np.ndarray, masks: np.ndarray) -> Any:
    """What `policy` answers to each observation, in its own suits."""
    if hasattr(policy, "act_batch"):
        return policy.act_batch(observations, masks)
    return [_whole_number(policy.act(observation, mask)) for observation, mask in zip(observations, masks, strict=True)]


def _whole_number(answer: object) -> int:
    number = whole_number(answer)
    if number is None:
        raise TypeError(f"an action must be a whole number, not {answer!r}")
    return number


def _whole_numbers(answers: Any, num_rows: int) -> np.ndarray:
    """`answers` as int64, shape (num_rows,)."""
    answers = np.asarray(answers)
    if answers.shape != (num_rows,):
        raise ValueError(f"{num_rows} decisions want answers of shape ({num_rows},), not {answers.shape}")
    if num_rows and answers.dtype.kind not in "iu":
        raise TypeError(f"actions must be whole numbers, not {answers.dtype}")
    return answers.astype(np.int64)


def load(name: str, seed: int | None = None, rules: RulesLike | None = None) -> Policy:
    """The player called `name`.

    Args:
        name: one of `BUILT_IN`, the path of a run folder or of a folder or file with a network's weights, or
            "package.module:Class" for a player of your own.
        seed: fixes the player's random choices, where it makes any; drawn afresh if None.
        rules: the house rules it is going to play under. The built-in players read them from what they see.

    A class of your own is called with `seed` and `rules` where it has parameters of these names.

    Raises:
        ValueError: if there is no such player; the message says what would do. Whatever a module or class of your own
            raises passes through.
    """
    rules = None if rules is None else parse_rules(rules)
    if name == "random":
        return RandomPolicy(seed)
    if name in ("rules", "normal", "easy"):
        return RuleBot("easy" if name == "easy" else "normal", seed)
    if name in ("ppo", "hard"):
        return _load_network(SHIPPED_NETWORK, "ppo")
    path = Path(name)
    if path.exists():
        return _load_network(path if path.is_dir() else path.parent, None)
    if ":" in name:
        return _load_class(name, {"seed": seed, "rules": rules})
    raise ValueError(
        f"unknown player {name!r}{did_you_mean(name, BUILT_IN)}; players: {', '.join(BUILT_IN)}, "
        "the path of a run folder, or package.module:Class"
    )


def _load_network(folder: Path, name: str | None) -> Policy:
    from euchre_agents.network import load_network  # safetensors is wanted only here

    return load_network(folder, name)


def _load_class(name: str, arguments: dict[str, Any]) -> Policy:
    """The player that "package.module:Class" makes."""
    module_name, _, class_name = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the module is there, and something it imports is not
        raise ValueError(f"player {name!r}: there is no module {error.name!r} on the path of Python") from error
    except (ValueError, TypeError) as error:  # what is before the colon is no module name at all
        raise ValueError(f"player {name!r}: {module_name!r} is not the name of a module") from error
    if not hasattr(module, class_name):
        raise ValueError(f"player {name!r}: no {class_name!r} in {module_name}{did_you_mean(class_name, vars(module))}")
    make = getattr(module, class_name)
    wanted = inspect.signature(make).parameters if callable(make) else {}
    policy = make(**{key: value for key, value in arguments.items() if key in wanted}) if callable(make) else make
    if not isinstance(policy, Policy):
        raise ValueError(f"player {name!r} has no method act(observation, action_mask): {policy!r}")
    return policy
