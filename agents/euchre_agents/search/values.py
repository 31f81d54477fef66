"""What each action of a view is worth to any player: the mean points over worlds in which the player plays on."""

from typing import NamedTuple

import numpy as np

from euchre_agents.policy import Player
from euchre_agents.search.any_player import answering_views, is_deterministic
from euchre_agents.search.drawn_worlds import MAX_SEARCHED_WORLDS, draw_worlds
from euchre_agents.search.likelihoods import ProbabilityPolicy
from euchre_agents.search.rollouts import ViewsPolicy, rollout_points
from euchre_agents.search.weighted_means import Means, normalised, weighted_means
from euchre_agents.search.weighted_worlds import draw_weighted_worlds
from euchre_agents.view_policy import check_view
from euchre_env.actions import actions_in
from euchre_env.checks import check_number
from euchre_env.view import View, batch_of


class Value(NamedTuple):
    """The worth of one action."""

    points: float
    """The points of the deal for the team of the seat to act less those of the other team, on average."""
    se: float
    """Their standard error; nan if a single world of several was played. It is 0 if every world of the view was played
    by a player that is known to be deterministic (`any_player.is_deterministic`). Any other plays each world once, at
    random, so it has the error that as many drawn worlds would have, which is no less than its own."""


class WorldPoints(NamedTuple):
    """The points of the A legal actions of a view in N worlds, and what each world counts."""

    points: np.ndarray
    """int16, shape (N, A), by world and legal action, in ascending order."""
    log_weights: np.ndarray
    """The logarithms of the weights, up to a constant, float64, shape (N,)."""
    chances: np.ndarray
    """How much of the term of each world is by chance, float64, shape (N,); see `weighted_means`."""

    def means(self) -> Means:
        """The weighted mean of each column of `points`, and its standard error: float64, shape (A,)."""
        found = weighted_means(
            self.points[np.newaxis], normalised(self.log_weights)[np.newaxis], self.chances[np.newaxis]
        )
        return Means(found.mean[0], found.se[0])


def value(
    view: View,
    player: Player,
    num_worlds: int = 256,
    key: int = 0,
    *,
    likelihoods: ProbabilityPolicy | None = None,
) -> dict[int, Value]:
    """What each legal action is worth if `player` plays on at all seats.

    The worlds agree with the view; a view that has no more than `num_worlds` is played in each of them once. All
    actions are played on in the same worlds, with the same random numbers of the player.

    >>> from euchre_agents.rule_bot import RuleBot
    >>> from euchre_env.table import Table
    >>> values = value(Table(seed=7).view(), RuleBot(), 64)
    >>> list(values), values[25].se > 0  # pass, order up, order up alone
    ([25, 26, 27], True)

    Args:
        view: a view whose owner is to act.
        player: any player that sees its own view. One that is not stateless answers as a copy (`answering_views`).
        num_worlds: the number of worlds that are played, 1 to 10,000.
        key: a random number, 0 to 2**31 - 1, from which the worlds and those of the player are drawn.
        likelihoods: a player with `probabilities`, such as a network: worlds are weighted by how likely it is to have
            bid and played as the hidden seats have, several for each that is played (`weighted_worlds`). All worlds are
            equally likely if None.

    Raises:
        ValueError: if the view's owner is not to act, no deal agrees with the view, the player sees all cards, cannot
            be copied or answers with an illegal action, or another argument is invalid.
        TypeError: if `player` is no player.
    """
    check_view(view)
    num_worlds = check_number(num_worlds, 1, MAX_SEARCHED_WORLDS, "num_worlds")
    key = check_number(key, 0, 2**31 - 1, "key")
    with answering_views(player, key) as policy:
        mean, se = points_by_world(view, policy, num_worlds, key, likelihoods).means()
    return {a: Value(float(mean[i]), float(se[i])) for i, a in enumerate(actions_in(int(view["legal"])))}


def points_by_world(
    view: View,
    policy: ViewsPolicy,
    num_worlds: int,
    key: int,
    likelihoods: ProbabilityPolicy | None,
    *,
    num_drawn: int | None = None,
) -> WorldPoints:
    """The points of each legal action in each world, for means and differences of one's own.

    Arguments are those of `value`, unchecked, but for the policy, which answers views, and `num_drawn`: how many worlds
    are weighted (`weighted_worlds.draw_weighted_worlds`). Worlds of several keys may be put together.
    """
    views, keys = batch_of(view), np.array([key], np.int64)
    if likelihoods is None:
        worlds = draw_worlds(views, num_worlds, keys)
        log_weights, chances = np.zeros((1, num_worlds)), np.full((1, num_worlds), 0.0 if worlds.are_all[0] else 1.0)
    else:
        worlds, log_weights, chances = draw_weighted_worlds(views, num_worlds, keys, likelihoods, num_drawn)
    points = rollout_points(views, worlds, keys, policy, solves_cards=False)
    if not is_deterministic(policy):
        chances = np.ones_like(chances)
    count = int(worlds.counts[0])
    legal = actions_in(int(view["legal"]))
    return WorldPoints(points[0, :count][:, legal], log_weights[0, :count], chances[0, :count])
