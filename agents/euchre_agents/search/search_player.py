"""A network that looks ahead: it plays on in likely worlds, and changes its choice only where that is surely better."""

import numpy as np

from euchre_agents.network import NetworkPlayer
from euchre_agents.policy import Explanation
from euchre_agents.search.drawn_worlds import MAX_SEARCHED_WORLDS, groups_of_views
from euchre_agents.search.rollouts import are_legal, rollout_points
from euchre_agents.search.weighted_means import Means, effective_worlds, normalised, weighted_means
from euchre_agents.search.weighted_worlds import draw_weighted_worlds, num_weighted
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env.actions import NUM_ACTIONS, actions_in
from euchre_env.checks import check_number, did_you_mean, shortened
from euchre_env.deal import PHASES
from euchre_env.kernel import Records, as_records
from euchre_env.view import View, batch_of

NUM_WORLDS = 64
LEAST_SHARE = 0.02
"""Actions to which the network gives less are not tried."""
ONLY_BIDS, ONLY_CARDS = "bids", "cards"
"""The decisions before the first card, the dealer's discard among them, and those of the play."""
MIN_STANDARD_ERRORS = 2.0
"""The number of standard errors that a gain must exceed."""
MIN_GAIN = 1e-9
"""The points that a gain must exceed: a sum that should be 0 may be 1e-17, more or less on another machine."""
MIN_EFFECTIVE_WORLDS = 8.0
"""Where the worlds are worth fewer equally likely ones, and fewer than half of their number, standard errors are too
rough to change a choice."""
ACTION_BITS = 1 << np.arange(NUM_ACTIONS, dtype=np.int64)


class SearchPlayer(ViewPolicy):
    """Plays the choice of a network unless another action gains surely more in worlds that the network plays on in.

    The worlds agree with the view; several for each that is played out are weighted by how likely the network is to
    have bid and played as the hidden seats have (`weighted_worlds`). The deal is played out by the network at all
    seats, once after its choice and once after each other action to which it gives 2 % or more. The gain of an action
    is the weighted mean of the differences; it must exceed two standard errors. Of several such actions the one of the
    largest gain is played. Where few worlds have most of the weight, so that all are worth fewer than eight equally
    likely ones (or than half of their number, if that is less), the choice stands.

    Args:
        network: makes the choices, plays on in the worlds and gives their weights.
        num_worlds: the number of worlds that are played out for each decision, 1 to 10,000.
        min_standard_errors: how many standard errors a gain must exceed, 0 or more.
        only: "bids" or "cards" to search at these decisions alone and play the network's choice at the others; at all
            decisions if None.
        seed: fixes the random numbers of `act` and `act_batch`; drawn afresh if None.

    Raises:
        ValueError: if an argument is invalid.
    """

    stateless = True

    def __init__(
        self,
        network: NetworkPlayer,
        num_worlds: int = NUM_WORLDS,
        *,
        min_standard_errors: float = MIN_STANDARD_ERRORS,
        only: str | None = None,
        seed: int | None = None,
    ) -> None:
        self.num_worlds = check_number(num_worlds, 1, MAX_SEARCHED_WORLDS, "the number of worlds")
        if not min_standard_errors >= 0:
            raise ValueError(f"min_standard_errors must be 0 or more, not {min_standard_errors!r}")
        if only not in (None, ONLY_BIDS, ONLY_CARDS):
            hint = did_you_mean(only, [ONLY_BIDS, ONLY_CARDS])
            raise ValueError(
                f"a search is at all decisions, or at {ONLY_BIDS!r} or {ONLY_CARDS!r}, not at {shortened(only)}{hint}"
            )
        super().__init__(f"{network.name}+search:{self.num_worlds}" + ("" if only is None else f":{only}"), seed)
        self.network, self.min_standard_errors, self.only = network, min_standard_errors, only

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the answer at a view does not depend on the others.

        Raises:
            ValueError: if a view's owner is not to act, or no deal agrees with a view.
        """
        check_decisions(views, keys)
        own = self.network.act_views(views, keys)
        gains, se = self.gains(views, keys, own)
        with np.errstate(invalid="ignore"):
            sure_gains = np.where((gains > self.min_standard_errors * se) & (gains > MIN_GAIN), gains, 0)
        best = sure_gains.argmax(axis=1)
        return np.where(sure_gains[np.arange(len(views)), best] > 0, best, own)

    def gains(self, views: Records, keys: np.ndarray, own: np.ndarray) -> Means:
        """What each action gains over those of `own` in points, and the standard errors.

        Args:
            views: dtype VIEW, shape (V,), each with its owner to act.
            keys: int64, shape (V,).
            own: an action for each view, int64, shape (V,).

        Returns:
            Two arrays, float64, shape (V, NUM_ACTIONS): nan for actions that are not tried, 0 for those of `own` where
            others are. The error is 0 where every world of the view was played out, and nan where the worlds are worth
            too few equally likely ones.
        """
        shape = len(views), NUM_ACTIONS
        tried = are_legal(views) & (self.network.probabilities(views) >= LEAST_SHARE)
        tried[np.arange(len(views)), own] = True
        gains, se = np.full(shape, np.nan), np.full(shape, np.nan)
        searched = np.flatnonzero((tried.sum(axis=1) > 1) & self._are_searched(views))
        for rows in groups_of_views(searched, num_weighted(self.num_worlds)):
            asked, own_keys = as_records(views[rows]), keys[rows]
            worlds, log_weights, chances = draw_weighted_worlds(asked, self.num_worlds, own_keys, self.network)
            asked["legal"] = tried[rows] @ ACTION_BITS
            points = rollout_points(asked, worlds, own_keys, self.network, solves_cards=False)
            differences = points - np.take_along_axis(points, own[rows, np.newaxis, np.newaxis], axis=2)
            weights = normalised(log_weights)
            found = weighted_means(differences, weights, chances)
            is_rough = effective_worlds(weights, chances) < min(MIN_EFFECTIVE_WORLDS, self.num_worlds / 2)
            gains[rows] = np.where(tried[rows], found.mean, np.nan)
            se[rows] = np.where(tried[rows] & ~is_rough[:, np.newaxis], found.se, np.nan)
        return Means(gains, se)

    def _are_searched(self, views: Records) -> np.ndarray:
        if self.only is None:
            return np.ones(len(views), np.bool_)
        return (views["phase"] == PHASES.index("PLAY")) == (self.only == ONLY_CARDS)

    def explain(self, view: View) -> list[Explanation]:
        """Each legal action with what it gains over the network's choice: the chosen one first, then by its share.

        The worlds are those of key 0; `act` draws a key for each decision.

        Raises:
            ValueError: if the view's owner is not to act, or no deal agrees with it.
        """
        check_view(view)
        views, keys = batch_of(view), np.zeros(1, np.int64)
        own, (chosen,) = self.network.act_views(views, keys), self.act_views(views, keys)
        (gains,), (se,) = self.gains(views, keys, own)
        (shares,) = self.network.probabilities(views)
        legal = sorted(actions_in(int(view["legal"])), key=lambda action: (action != chosen, -shares[action]))
        return [
            Explanation(a, float(a == chosen), None, _reason(shares[a], a == own[0], gains[a], se[a])) for a in legal
        ]


def _reason(share: float, is_own: bool, gain: float, se: float) -> str:
    """One sentence on an action.

    >>> _reason(0.25, False, 0.125, 0.0625)
    'The network gives it 25.0%; it gains +0.12 points (standard error 0.06).'
    """
    if is_own:
        return f"The network gives it {share:.1%} and would play it."
    if np.isnan(gain):
        return f"The network gives it {share:.1%}; it is not tried."
    doubt = "too few worlds are likely to rely on" if np.isnan(se) else f"standard error {se:.2f}"
    return f"The network gives it {share:.1%}; it gains {gain:+.2f} points ({doubt})."
