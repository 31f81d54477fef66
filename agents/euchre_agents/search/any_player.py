"""Any player as one that answers batches of views, for searches that play on in worlds."""

import copy
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np

from euchre_agents.network import NetworkPlayer
from euchre_agents.policy import Abilities, Player, abilities_of, describe_error
from euchre_agents.rule_bot import RuleBot
from euchre_agents.score_player import ScorePlayer
from euchre_agents.search.rollouts import ViewsPolicy
from euchre_env.actions import NUM_ACTIONS
from euchre_env.kernel import Records, kernel, records
from euchre_env.observation import OBSERVATION_SIZE, encode_legal, encode_view
from euchre_env.relative_suits import frame_of, relabel_actions, relabel_view
from euchre_env.view import VIEW


def is_deterministic(player: object) -> bool:
    """Whether a player is known to answer a view always in the same way, whatever the random numbers.

    Known are networks that play their likeliest action, alone or for the game, and the rule-based player but for its
    level "easy". Any other may draw its actions at random.
    """
    if isinstance(player, RuleBot):
        return player.level == "normal"
    return isinstance(player, NetworkPlayer | ScorePlayer)


@contextmanager
def answering_views(player: Player, seed: int = 0) -> Generator[ViewsPolicy]:
    """`player` if it is pure and answers views; a wrapper if it must be copied, or shown observations.

    A player that is not pure (`policy.Abilities.is_pure`) answers as a copy, by its `fresh()` or else `copy.deepcopy`.
    The copy is told once, by `reset`, that a deal begins, in which it has seat 0; it is asked for all seats of all
    worlds, one after the other, and it is closed at the end of the block.

    Args:
        player: any player that sees its own view.
        seed: given to `reset`.

    Raises:
        TypeError: if it is no player.
        ValueError: if it sees all cards, which a view does not hold, or cannot be copied.
    """
    name = str(getattr(player, "name", type(player).__name__))
    abilities = abilities_of(player, name)
    if abilities.sees_all:
        raise ValueError(f"player {name!r} sees all cards; a search in worlds needs one that sees its own view")
    asked: Any = player if abilities.is_pure else _copied(player, name, abilities)
    try:
        if abilities.reset:
            asked.reset(0, seed)
        yield asked if abilities.act_views else _Observing(asked, name, abilities)
    finally:
        if asked is not player and abilities.close:
            asked.close()


def _copied(player: Any, name: str, abilities: Abilities) -> Any:
    """A copy of the player's original state.

    Raises:
        ValueError: if it cannot be copied.
    """
    try:
        return player.fresh() if abilities.fresh else copy.deepcopy(player)
    except Exception as error:
        advice = "" if abilities.fresh else "; a method fresh() may make the copies instead"
        raise ValueError(
            f"player {name!r} is not stateless, so a copy of it is asked, but copying it failed: "
            f"{describe_error(error)}{advice}"
        ) from error


class _Observing:
    """Shows a player the observations of views, in the suits that it wants."""

    def __init__(self, player: Any, name: str, abilities: Abilities) -> None:
        self.name, self._player, self._abilities = name, player, abilities

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewsPolicy.act_views`; the keys do not matter."""
        count = len(views)
        observations, masks = np.empty((count, OBSERVATION_SIZE), np.int8), np.empty((count, NUM_ACTIONS), np.int8)
        frames = np.zeros(count, np.int64)
        observe_views(views, self._abilities.relative_suits, records(1, VIEW), observations, masks, frames)
        if self._abilities.act_batch:
            answers = np.asarray(self._player.act_batch(observations, masks), np.int64)
        else:
            answers = np.array([self._player.act(*pair) for pair in zip(observations, masks, strict=True)], np.int64)
        return relabel_actions(answers, frames)


@kernel
def observe_views(
    views: Records,
    in_relative_suits: bool,
    scratch: Records,
    observations: np.ndarray,
    masks: np.ndarray,
    frames: np.ndarray,
) -> None:
    """Write the observation and the action mask of each view.

    Args:
        views: dtype VIEW, (N,).
        in_relative_suits: whether suits are renamed so that trump is suit 0.
        scratch: one record of dtype VIEW.
        observations: int8, (N, OBSERVATION_SIZE).
        masks: int8, (N, NUM_ACTIONS).
        frames: the suit that is renamed to 0, int64, (N,); zeros, which stay if none is.
    """
    for i in range(len(views)):
        scratch[0] = views[i]
        view = scratch[0]
        if in_relative_suits:
            frames[i] = frame_of(view)
            relabel_view(view, frames[i])
        encode_view(view, observations[i])
        encode_legal(view.legal, masks[i])
