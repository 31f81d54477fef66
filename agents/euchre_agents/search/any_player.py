"""Any player as one that answers batches of views, for searches that play on in worlds."""

import copy
from typing import Any

import numpy as np

from euchre_agents.policy import Abilities, Player, abilities_of
from euchre_agents.search.rollouts import ViewsPolicy
from euchre_env.actions import NUM_ACTIONS
from euchre_env.kernel import Records, kernel, records
from euchre_env.observation import OBSERVATION_SIZE, encode_legal, encode_view
from euchre_env.relative_suits import frame_of, relabel_actions, relabel_view
from euchre_env.view import VIEW


def answering_views(player: Player) -> ViewsPolicy:
    """`player` if it answers views, else a wrapper that shows it their observations.

    A player that sees observations and is not stateless answers as a copy, by its `fresh()` or else `copy.deepcopy`,
    that is asked for all seats of all worlds; `reset` is not called.

    Raises:
        TypeError: if it is no player.
        ValueError: if it sees all cards, which a view does not hold.
    """
    name = str(getattr(player, "name", type(player).__name__))
    abilities = abilities_of(player, name)
    if abilities.sees_all:
        raise ValueError(f"player {name!r} sees all cards; a search in worlds needs one that sees its own view")
    if abilities.act_views:
        return player  # type: ignore[return-value]  # it has act_views
    return _Observing(player, name, abilities)


class _Observing:
    """Shows a player the observations of views, in the suits that it wants."""

    def __init__(self, player: Any, name: str, abilities: Abilities) -> None:
        if not abilities.is_pure:
            player = player.fresh() if abilities.fresh else copy.deepcopy(player)
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
