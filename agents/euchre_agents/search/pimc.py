"""Perfect-information Monte Carlo: the action with the most points, on average over worlds that agree with the view.

In each world the cards are played as if all seats saw all of them; bids, discards and answers to "defend alone?" are
followed by the rest of the auction as another player bids it (`rollouts`). The method is that of Matthew Ginsberg's
bridge program GIB (2001). It never plays to learn or to hide a card, for in each world everybody knows all of them.
"""

from typing import NamedTuple

import numpy as np

from euchre_agents.policy import Explanation
from euchre_agents.rule_bot import RuleBot
from euchre_agents.search.drawn_worlds import MAX_SEARCHED_WORLDS, draw_worlds, groups_of_views, with_all_legal
from euchre_agents.search.rollouts import ViewsPolicy, are_legal, best_actions, rollout_points
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env.actions import NUM_ACTIONS, actions_in
from euchre_env.checks import check_number
from euchre_env.deal import PLAY
from euchre_env.kernel import Records, as_records
from euchre_env.view import View, batch_of

NUM_WORLDS = 50


class ActionValues(NamedTuple):
    """The points of each action of V decisions, for the team of the seat to act."""

    points: np.ndarray
    """The mean over the worlds, float64, shape (V, NUM_ACTIONS); nan where an action is not legal."""
    se: np.ndarray
    """Its standard error, of the same shape; nan if one of several worlds was used. It is 0 for a card if every world
    of the view was: their points are solved. Those of other actions may be drawn at random by the policy."""
    counts: np.ndarray
    """The number of worlds, int64, shape (V,)."""


class PimcPlayer(ViewPolicy):
    """Plays the action that scores most on average over worlds, as if the cards of the play were open.

    Of equals it plays the choice of `policy` if that is one of them, else the first. A forced move needs no search.

    Args:
        num_worlds: the number of worlds for each decision, 1 to 10,000, drawn from the view and its key alone. A view
            that has no more than that is searched in each of its worlds once.
        policy: the player that bids and discards in the worlds; the rule-based one if None. It sees views only.
        seed: fixes the random numbers of `act` and `act_batch`; drawn afresh if None.

    Raises:
        ValueError: if an argument is invalid.
    """

    stateless = True

    def __init__(
        self, num_worlds: int = NUM_WORLDS, policy: ViewsPolicy | None = None, seed: int | None = None
    ) -> None:
        self.num_worlds = check_number(num_worlds, 1, MAX_SEARCHED_WORLDS, "the number of worlds")
        super().__init__(f"pimc:{self.num_worlds}", seed)
        self.policy = RuleBot(seed=0) if policy is None else policy

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the answer at a view does not depend on the others.

        Raises:
            ValueError: if a view's owner is not to act, or no deal agrees with a view.
        """
        check_decisions(views, keys)
        legal = views["legal"]
        actions = np.bitwise_count(legal - 1).astype(np.int64)  # the only one, if there is one
        rows = np.flatnonzero(legal & (legal - 1))
        asked, own_keys = as_records(views[rows]), keys[rows]
        sums = np.where(are_legal(asked), self._search(asked, own_keys).sums, np.iinfo(np.int64).min)
        actions[rows] = best_actions(sums, self.policy.act_views(with_all_legal(asked), own_keys))
        return actions

    def values(self, views: Records, keys: np.ndarray) -> ActionValues:
        """What each legal action of each view is worth; arguments and errors are those of `act_views`.

        >>> from euchre_env.table import Table
        >>> values = PimcPlayer(20).values(batch_of(Table(seed=7).view()), np.zeros(1, np.int64))
        >>> int(np.isfinite(values.points).sum())  # pass, order up and order up alone
        3
        """
        check_decisions(views, keys)
        found, legal = self._search(views, keys), are_legal(views)
        counts = found.counts[:, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            points = found.sums / counts
            variances = np.maximum(found.squares - found.sums * points, 0) / (counts - 1)
            se = np.where(found.are_exact[:, np.newaxis], 0, np.sqrt(variances / counts))
        return ActionValues(np.where(legal, points, np.nan), np.where(legal, se, np.nan), found.counts)

    def explain(self, view: View) -> list[Explanation]:
        """Each legal action with its points and their standard error: the chosen one first, then by points.

        The worlds are those of key 0; `act` draws a key for each decision.

        Raises:
            ValueError: if the view's owner is not to act, or no deal agrees with it.
        """
        check_view(view)
        views, keys = batch_of(view), np.zeros(1, np.int64)
        (chosen,) = self.act_views(views, keys)
        (points,), (se,), (count,) = self.values(views, keys)
        where = "1 world" if count == 1 else f"{count} worlds"
        legal = sorted(actions_in(int(view["legal"])), key=lambda action: (action != chosen, -points[action]))
        return [
            Explanation(a, float(a == chosen), float(points[a]), f"In {where}: {_with_se(points[a], se[a])}.")
            for a in legal
        ]

    def _search(self, views: Records, keys: np.ndarray) -> "_Sums":
        """Search every view, in groups that fit the memory."""
        sums, squares = np.zeros((2, len(views), NUM_ACTIONS), np.int64)
        found = _Sums(sums, squares, np.zeros(len(views), np.int64), np.zeros(len(views), np.bool_))
        are_cards = views["phase"] == PLAY
        for rows in groups_of_views(np.arange(len(views)), self.num_worlds):
            asked, own_keys = as_records(views[rows]), keys[rows]
            worlds = draw_worlds(asked, self.num_worlds, own_keys)
            points = rollout_points(asked, worlds, own_keys, self.policy, solves_cards=True)
            found.sums[rows] = points.sum(axis=1, dtype=np.int64)
            found.squares[rows] = np.square(points, dtype=np.int64).sum(axis=1)
            found.counts[rows], found.are_exact[rows] = worlds.counts, worlds.are_all & are_cards[rows]
        return found


class _Sums(NamedTuple):
    """The points of V decisions, added up over their worlds; arrays as of `ActionValues`."""

    sums: np.ndarray
    squares: np.ndarray
    counts: np.ndarray
    are_exact: np.ndarray
    """Whether every world was used, and its cards solved, bool, shape (V,)."""


def _with_se(points: float, se: float) -> str:
    """The points in words; their standard error unless it is nan.

    >>> _with_se(0.5, 0.125), _with_se(-2.0, np.nan)
    ('+0.50 points (standard error 0.12)', '-2.00 points')
    """
    return f"{points:+.2f} points" + ("" if np.isnan(se) else f" (standard error {se:.2f})")
