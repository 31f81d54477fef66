"""`passer`: a player that passes whenever it may, else plays at random, for comparison with `random`."""

import numpy as np

from euchre_agents.policy import Explanation
from euchre_agents.random_policy import equally_likely
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env.actions import PASS_ID, actions_in
from euchre_env.counter_rng import random_member
from euchre_env.kernel import Records, kernel
from euchre_env.view import View


@kernel
def pass_or_choose_any(views: Records, keys: np.ndarray, actions: np.ndarray) -> None:
    """Write to `actions`, for each of `views`, pass if it is legal, else a random legal action."""
    for i in range(len(views)):
        legal = views[i].legal
        actions[i] = PASS_ID if legal >> PASS_ID & 1 else random_member(legal, keys[i])


class Passer(ViewPolicy):
    """Passes whenever it may, and plays uniformly random legal cards.

    Random players call trump on any hand, which costs them so much that never calling beats them.

    Args:
        seed: fixes the choices; drawn afresh if None.
    """

    stateless = True

    def __init__(self, seed: int | None = None) -> None:
        super().__init__("passer", seed)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        pass_or_choose_any(views, keys, actions)
        return actions

    def explain(self, view: View) -> list[Explanation]:
        """See `ViewPolicy.explain`."""
        check_view(view)
        legal = actions_in(int(view["legal"]))
        if PASS_ID in legal:
            others = [Explanation(a, 0.0, None, "It passes whenever it may.") for a in legal if a != PASS_ID]
            return [Explanation(PASS_ID, 1.0, None, "It passes whenever it may."), *others]
        return equally_likely(legal)
