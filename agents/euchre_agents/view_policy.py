"""Base class of the built-in players: they decide from batches of `VIEW` records and also accept observations."""

import secrets
from abc import ABC, abstractmethod

import numpy as np

from euchre_agents.policy import Explanation
from euchre_env.actions import NUM_ACTIONS
from euchre_env.checks import shortened
from euchre_env.counter_rng import MAX_SEED, check_seed
from euchre_env.kernel import Records, kernel, records
from euchre_env.observation import OBSERVATION_SIZE, as_int8, decodes, get_members
from euchre_env.view import VIEW, View, check_is_view

NO_SUCH_VIEW, NOT_TO_ACT, NOTHING_ALLOWED = 1, 2, 3


@kernel
def decode_rows(observations: np.ndarray, masks: np.ndarray, views: Records) -> tuple[int, int]:
    """Decode each observation into the view of the same row, its legal actions cut to those of its mask.

    Returns:
        The first row with a fault, and the fault: `NO_SUCH_VIEW`, `NOT_TO_ACT` or `NOTHING_ALLOWED`; (-1, 0) if none.
    """
    scratch = np.empty(OBSERVATION_SIZE, np.int8)
    for i in range(len(observations)):
        view = views[i]
        if not decodes(observations[i], view, scratch):
            return i, NO_SUCH_VIEW
        if not view.legal:
            return i, NOT_TO_ACT
        view.legal &= get_members(masks[i], 0, NUM_ACTIONS)
        if not view.legal:
            return i, NOTHING_ALLOWED
    return -1, 0


class ViewPolicy(ABC):
    """A player that decides from views; a subclass adds `act_views`, `explain` and `stateless = True`.

    Observations may be in absolute or in relative suits; the action is in the same suits.

    Args:
        name: the player's name in reports.
        seed: fixes the player's own random numbers; drawn afresh if None.

    Raises:
        ValueError: if the seed is not a whole number from 0 to 2**63 - 1.
    """

    def __init__(self, name: str, seed: int | None = None) -> None:
        self.name = name
        self.seed = secrets.randbelow(MAX_SEED) if seed is None else check_seed(seed)
        self._rng = np.random.default_rng(self.seed)

    @abstractmethod
    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """The choice at each of `views`, in its suits: a pure function of the view and its key.

        Args:
            views: dtype VIEW, shape (n,), each with its owner to act. The choice is one of `view.legal`, which may hold
                fewer actions than the rules allow.
            keys: one random number for each decision, int64, shape (n,), 0 to 2**31 - 1.

        Returns:
            Action ids, int64, shape (n,).

        Raises:
            ValueError: if a view's owner is not to act.
        """

    @abstractmethod
    def explain(self, view: View) -> list[Explanation]:
        """Each legal action of the view's owner with its probability and a reason, the likeliest first.

        Raises:
            ValueError: if the view's owner is not to act.
        """

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The choice at one observation, its random number drawn from the player's own generator.

        Args:
            observation: shape (OBSERVATION_SIZE,).
            action_mask: shape (NUM_ACTIONS,), not 0 where an action is allowed. The choice is an allowed action, even
                if the mask allows less than the rules.

        Raises:
            ValueError: if no view has this observation, its owner is not to act, or the mask allows no legal action.
        """
        observation = as_int8(observation, (OBSERVATION_SIZE,), "the observation")
        mask = as_int8(action_mask, (NUM_ACTIONS,), "the action mask")
        return int(self._choose(observation[np.newaxis], mask[np.newaxis])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The choice at each observation, int64, shape (n,), for arrays (n, OBSERVATION_SIZE) and (n, NUM_ACTIONS).

        Raises:
            ValueError: as `act` does; the message names the row.
        """
        observations = as_int8(observations, ("n", OBSERVATION_SIZE), "observations")
        masks = as_int8(action_masks, ("n", NUM_ACTIONS), "action masks")
        if len(observations) != len(masks):
            raise ValueError(f"there must be as many action masks as observations, not {len(masks)}")
        return self._choose(observations, masks)

    def _choose(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        views = decode_views(observations, masks)
        return self.act_views(views, self._rng.integers(1 << 31, size=len(views)))


ONLY_TO_ACT = "a player is asked only when its seat is to act"


def decode_views(observations: np.ndarray, masks: np.ndarray) -> Records:
    """The view of each observation, in its suits, with the legal actions cut to those of its mask.

    Args:
        observations: int8, (n, OBSERVATION_SIZE).
        masks: int8, (n, NUM_ACTIONS).

    Returns:
        dtype VIEW, shape (n,).

    Raises:
        ValueError: if no view has an observation, its owner is not to act, or a mask allows no legal action; the
            message names the row.
    """
    views = records(len(observations), VIEW)
    bad, fault = decode_rows(observations, masks, views)
    if fault == NO_SUCH_VIEW:
        raise ValueError(f"no view has the observation of row {bad}")
    if fault == NOT_TO_ACT:
        raise ValueError(f"{ONLY_TO_ACT}; in the observation of row {bad} it is not")
    if fault == NOTHING_ALLOWED:
        raise ValueError(f"the action mask of row {bad} allows none of the legal actions")
    return views


def check_decisions(views: Records, keys: np.ndarray) -> None:
    """Check the arguments of `act_views`, which kernels read without looking at their sizes.

    Raises:
        ValueError: if the keys are not int64, shape (len(views),), or a view's owner is not to act.
    """
    if not isinstance(keys, np.ndarray) or keys.dtype != np.int64 or keys.shape != (len(views),):
        what = f"{keys.dtype}, shape {keys.shape}" if isinstance(keys, np.ndarray) else shortened(keys)
        raise ValueError(f"keys must be int64, shape ({len(views)},), one for each view, not {what}")
    check_to_act(views)


def check_view(view: View) -> None:
    """Check the argument of `explain`.

    Raises:
        ValueError: if it is not a record of dtype VIEW, or its owner is not to act.
    """
    check_is_view(view)
    check_to_act(view)


def check_to_act(views: Records) -> None:
    """Refuse views whose owner is not to act.

    Raises:
        ValueError: if there is one among `views`, dtype VIEW, shape (n,) or ().
    """
    if not views["legal"].all():
        raise ValueError(f"{ONLY_TO_ACT}; a view has no legal action")
