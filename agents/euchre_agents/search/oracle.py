"""The oracle: a player that sees all cards and solves the deal, which no honest player does."""

import numpy as np

from euchre_agents.open_player import views_of_deals
from euchre_agents.rule_bot import RuleBot
from euchre_agents.search.open_hands import Solver
from euchre_agents.search.rollouts import best_actions
from euchre_agents.view_policy import check_decisions
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records


class Oracle:
    """Plays the action with the best open-hand value; of equals the choice of `rules`, else the first.

    It is shown deals (`policy.OpenPolicy`), so matches refuse it unless cheating is allowed, and reports mark it. The
    value of a bid is that after the best bids of all seats: it is minimax with all cards open. So a team of it scores
    the open-hand value of the deal or more against any opponents. That does not bound what other players score: one
    that counts on mistakes may profit more from opponents who make them.

    Args:
        rules: the house rules of the games, which a deal does not say; "standard" if None.
    """

    sees_all = True
    stateless = True

    def __init__(self, rules: HouseRules | None = None) -> None:
        self.name, self.rules = "oracle", rules or HouseRules()
        self._solver, self._rule_bot = Solver([self.rules]), RuleBot(seed=0)

    def act_deals(self, deals: Records, keys: np.ndarray) -> np.ndarray:
        """The choice of the seat to act in each of `deals`.

        Args:
            deals: dtype DEAL, shape (n,), each in progress.
            keys: int64, shape (n,); they do not matter.

        Returns:
            Action ids, int64, shape (n,).

        Raises:
            ValueError: if the arrays do not have these shapes and dtypes, or a deal is not in progress.
        """
        views, _ = views_of_deals(deals, self.rules)
        check_decisions(views, keys)
        return best_actions(self._solver.action_values(deals), self._rule_bot.act_views(views, keys))
