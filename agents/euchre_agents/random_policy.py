"""Uniformly random legal play, lone calls included."""

import numpy as np

from euchre_agents.policy import Explanation
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env.actions import actions_in
from euchre_env.counter_rng import random_member
from euchre_env.kernel import Records, kernel
from euchre_env.view import View


@kernel
def choose_any(views: Records, keys: np.ndarray, actions: np.ndarray) -> None:
    """Write a random legal action for each of `views` to `actions`."""
    for i in range(len(views)):
        actions[i] = random_member(views[i].legal, keys[i])


class RandomPolicy(ViewPolicy):
    """Plays uniformly random legal actions.

    Args:
        seed: fixes the choices; drawn afresh if None.
    """

    stateless = True

    def __init__(self, seed: int | None = None) -> None:
        super().__init__("random", seed)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        choose_any(views, keys, actions)
        return actions

    def explain(self, view: View) -> list[Explanation]:
        """See `ViewPolicy.explain`."""
        check_view(view)
        return equally_likely(actions_in(int(view["legal"])))


def equally_likely(actions: list[int]) -> list[Explanation]:
    """The explanations of a uniformly random choice among `actions`."""
    reason = f"One of {len(actions)} legal actions, all equally likely."
    if len(actions) == 1:
        reason = "The only legal action."
    return [Explanation(action, 1 / len(actions), None, reason) for action in actions]
