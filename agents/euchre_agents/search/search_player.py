"""A network that looks ahead: it plays on in likely worlds, and changes its choice only where that is surely better."""

import numpy as np

from euchre_agents.network import NetworkPlayer
from euchre_agents.policy import Explanation
from euchre_agents.search.drawn_worlds import MAX_SEARCHED_WORLDS, draw_worlds, groups_of_views
from euchre_agents.search.likelihoods import weights_of_worlds
from euchre_agents.search.rollouts import are_legal, rollout_points
from euchre_agents.search.weighted_means import weighted_means
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
ERRORS = 2.0
"""The number of standard errors that a gain must exceed."""
ACTION_BITS = 1 << np.arange(NUM_ACTIONS, dtype=np.int64)


class SearchPlayer(ViewPolicy):
    """Plays the choice of a network unless another action gains surely more in worlds that the network plays on in.

    The worlds agree with the view and have the weights of `likelihoods`. In each, the deal is played out by the network
    at all seats, once after its choice and once after each other action to which it gives 2 % or more. The gain of an
    action is the weighted mean of the differences; it must exceed two standard errors. Of several such actions the one
    of the largest gain is played.

    Args:
        network: makes the choices, plays on in the worlds and gives their weights.
        num_worlds: the number of worlds for each decision, 1 to 10,000.
        errors: how many standard errors a gain must exceed, 0 or more.
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
        errors: float = ERRORS,
        only: str | None = None,
        seed: int | None = None,
    ) -> None:
        self.num_worlds = check_number(num_worlds, 1, MAX_SEARCHED_WORLDS, "the number of worlds")
        if not errors >= 0:
            raise ValueError(f"errors must be 0 or more standard errors, not {errors!r}")
        if only not in (None, ONLY_BIDS, ONLY_CARDS):
            hint = did_you_mean(only, [ONLY_BIDS, ONLY_CARDS])
            raise ValueError(
                f"a search is at all decisions, or at {ONLY_BIDS!r} or {ONLY_CARDS!r}, not at {shortened(only)}{hint}"
            )
        super().__init__(f"{network.name}+search:{self.num_worlds}" + ("" if only is None else f":{only}"), seed)
        self.network, self.errors, self.only = network, errors, only

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the answer at a view does not depend on the others.

        Raises:
            ValueError: if a view's owner is not to act, or no deal agrees with a view.
        """
        check_decisions(views, keys)
        own = self.network.act_views(views, keys)
        gains, errors = self.gains(views, keys, own)
        with np.errstate(invalid="ignore"):
            sure_gains = np.where(gains > self.errors * errors, gains, 0)
        best = sure_gains.argmax(axis=1)
        return np.where(sure_gains[np.arange(len(views)), best] > 0, best, own)

    def gains(self, views: Records, keys: np.ndarray, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each action gains over those of `own` in points, and the standard errors.

        Args:
            views: dtype VIEW, shape (V,), each with its owner to act.
            keys: int64, shape (V,).
            own: an action for each view, int64, shape (V,).

        Returns:
            Two arrays, float64, shape (V, NUM_ACTIONS): nan for actions that are not tried, 0 for those of `own` where
            others are. The error is 0 where every world of the view was tried.
        """
        shape = len(views), NUM_ACTIONS
        tried = are_legal(views) & (self.network.probabilities(views) >= LEAST_SHARE)
        tried[np.arange(len(views)), own] = True
        gains, errors = np.full(shape, np.nan), np.full(shape, np.nan)
        searched = np.flatnonzero((tried.sum(axis=1) > 1) & self._are_searched(views))
        for rows in groups_of_views(searched, self.num_worlds):
            asked, own_keys = as_records(views[rows]), keys[rows]
            worlds = draw_worlds(asked, self.num_worlds, own_keys)
            weights = weights_of_worlds(asked, worlds, self.network)
            asked["legal"] = tried[rows] @ ACTION_BITS
            points = rollout_points(asked, worlds, own_keys, self.network, solves_cards=False)
            differences = points - np.take_along_axis(points, own[rows, np.newaxis, np.newaxis], axis=2)
            found = weighted_means(differences, weights, worlds.are_all)
            gains[rows], errors[rows] = (np.where(tried[rows], each, np.nan) for each in found)
        return gains, errors

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
        (gains,), (errors,) = self.gains(views, keys, own)
        (shares,) = self.network.probabilities(views)
        legal = sorted(actions_in(int(view["legal"])), key=lambda action: (action != chosen, -shares[action]))
        return [
            Explanation(a, float(a == chosen), None, _reason(shares[a], a == own[0], gains[a], errors[a]))
            for a in legal
        ]


def _reason(share: float, is_own: bool, gain: float, error: float) -> str:
    """One sentence on an action.

    >>> _reason(0.25, False, 0.125, 0.0625)
    'The network gives it 25.0%; it gains +0.12 points (standard error 0.06).'
    """
    if is_own:
        return f"The network gives it {share:.1%} and would play it."
    if np.isnan(gain):
        return f"The network gives it {share:.1%}; it is not tried."
    return f"The network gives it {share:.1%}; it gains {gain:+.2f} points (standard error {error:.2f})."
