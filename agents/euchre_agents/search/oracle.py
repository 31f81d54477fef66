"""The oracle: a player that sees all cards and solves the deal, which no honest player does."""

import numpy as np

from euchre_agents.open_player import open_views
from euchre_agents.rule_bot import RuleBot
from euchre_agents.search.open_hands import Solver
from euchre_agents.search.playing_on import best_actions
from euchre_agents.view_policy import check_decisions, check_to_act
from euchre_env.checks import array_kind
from euchre_env.deal import DEAL
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records, as_records, records
from euchre_env.state import HIDDEN_SIZE
from euchre_env.view import VIEW


class Oracle:
    """Plays the action with the best open-hand value; of equals the choice of `rules`, else the first.

    It is shown deals (`policy.OpenPolicy`), so matches refuse it unless cheating is allowed, and reports mark it. The
    value of a bid is that after the best bids of all seats, so its results hold against any opponents.

    Args:
        rules: the house rules of the games, which a deal does not say; "standard" if None.
    """

    sees_all = True
    stateless = True

    def __init__(self, rules: HouseRules | None = None) -> None:
        self.name, self.rules = "oracle", rules or HouseRules()
        self._solver, self._packed, self._rule_bot = Solver([self.rules]), self.rules.packed(), RuleBot(seed=0)

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
        if not isinstance(deals, np.ndarray) or deals.dtype != DEAL or deals.ndim != 1:
            raise ValueError(f"deals must be records of dtype DEAL, shape (n,), not {array_kind(deals)}")
        views = records(len(deals), VIEW)
        bad = open_views(as_records(deals), self._packed, views, np.empty((len(deals), HIDDEN_SIZE), np.int8))
        if bad >= 0:
            raise ValueError(f"a player is asked only while a deal is in progress; deal {bad} is not")
        check_to_act(views)
        check_decisions(views, keys)
        return best_actions(self._solver.action_values(deals), self._rule_bot.act_views(views, keys))
