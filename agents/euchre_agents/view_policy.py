"""The base of the built-in players: they choose from batches of views, and play by observations too."""

import secrets
from abc import ABC, abstractmethod

import numpy as np

from euchre_agents.explanation import Explanation
from euchre_env.counter_rng import MAX_SEED, check_seed
from euchre_env.kernel import Records, kernel, records
from euchre_env.observation import OBSERVATION_SIZE, decode_view, encode_view
from euchre_env.view import VIEW, View


@kernel
def decode_rows(observations: np.ndarray, views: Records) -> int:
    """Decode each observation into the view of the same row; the first row that no view has, -1 if there is none."""
    encoded = np.empty(OBSERVATION_SIZE, np.int8)
    for i in range(len(observations)):
        decode_view(observations[i], views[i])
        encode_view(views[i], encoded)
        if np.any(encoded != observations[i]):
            return i
    return -1


class ViewPolicy(ABC):
    """A player that chooses from views; what is built on it adds `act_views` and `explain`.

    Args:
        name: what the player is called in reports.
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
        """The choice at each of `views`, in absolute suits: a pure function of the view and its key.

        Args:
            views: dtype VIEW, shape (n,), each with its owner to act.
            keys: one random number for each decision, int64, shape (n,), 0 to 2**31 - 1.

        Returns:
            Action ids, int64, shape (n,).

        Raises:
            ValueError: if a view's owner is not to act.
        """

    @abstractmethod
    def explain(self, view: View) -> list[Explanation]:
        """What the player thinks of each legal action of the view's owner, the likeliest first.

        Raises:
            ValueError: if the view's owner is not to act.
        """

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The choice at one observation with absolute suits, its random number drawn from the player's own generator.

        Raises:
            ValueError: if no view has this observation, or its owner is not to act.
        """
        return int(self.act_batch(np.asarray(observation)[np.newaxis], np.asarray(action_mask)[np.newaxis])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The choice at each observation, int64, shape (n,); the observations say all that the masks do.

        Raises:
            ValueError: if no view has one of the observations, or its owner is not to act.
        """
        observations = np.ascontiguousarray(observations, np.int8)
        if observations.shape[1:] != (OBSERVATION_SIZE,):
            raise ValueError(f"an observation has shape ({OBSERVATION_SIZE},), not {observations.shape[1:]}")
        views = records(len(observations), VIEW)
        bad = decode_rows(observations, views)
        if bad >= 0:
            raise ValueError(f"no view has the observation of row {bad}")
        return self.act_views(views, self._rng.integers(1 << 31, size=len(views)))


def check_to_act(views: Records) -> None:
    """Refuse views whose owner has nothing to decide.

    Raises:
        ValueError: if there is one among `views`, dtype VIEW, shape (n,) or ().
    """
    if not np.all(views["legal"]):
        raise ValueError("a player is asked only when its seat is to act: a view or observation has no legal action")
