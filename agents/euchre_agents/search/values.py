"""What each action of a view is worth to any player: the mean points over worlds in which the player plays on."""

from typing import NamedTuple

import numpy as np

from euchre_agents.policy import Player
from euchre_agents.search.any_player import answering_views
from euchre_agents.search.drawn_worlds import MAX_SEARCHED_WORLDS, draw_worlds
from euchre_agents.search.likelihoods import ProbabilityPolicy, weights_of_worlds
from euchre_agents.search.rollouts import rollout_points
from euchre_agents.search.weighted_means import weighted_means
from euchre_agents.view_policy import check_view
from euchre_env.actions import actions_in
from euchre_env.checks import check_number
from euchre_env.view import View, batch_of


class Value(NamedTuple):
    """The worth of one action."""

    points: float
    """The points of the deal for the team of the seat to act less those of the other team, on average."""
    error: float
    """Their standard error: 0 if all worlds of the view were played, nan if a single one of several was."""


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
    >>> list(values), values[25].error > 0  # pass, order up, order up alone
    ([25, 26, 27], True)

    Args:
        view: a view whose owner is to act.
        player: any player that sees its own view. One that is not stateless answers as a copy (`answering_views`).
        num_worlds: the number of worlds, 1 to 10,000.
        key: a random number, 0 to 2**31 - 1, from which the worlds and those of the player are drawn.
        likelihoods: a player with `probabilities`, such as a network: worlds are weighed by how likely it is to have
            bid and played as the hidden seats have. All worlds are equally likely if None.

    Raises:
        ValueError: if the view's owner is not to act, no deal agrees with the view, the player sees all cards, cannot
            be copied or answers with an illegal action, or another argument is invalid.
        TypeError: if `player` is no player.
    """
    check_view(view)
    num_worlds = check_number(num_worlds, 1, MAX_SEARCHED_WORLDS, "num_worlds")
    views, keys = batch_of(view), np.array([check_number(key, 0, 2**31 - 1, "key")], np.int64)
    worlds = draw_worlds(views, num_worlds, keys)
    with answering_views(player, int(keys[0])) as policy:
        points = rollout_points(views, worlds, keys, policy, solves_cards=False)
    if likelihoods is None:
        weights = (np.arange(num_worlds) < worlds.counts[0])[np.newaxis] / worlds.counts[0]
    else:
        weights = weights_of_worlds(views, worlds, likelihoods)
    (means,), (errors,) = weighted_means(points, weights, worlds.are_all)
    return {a: Value(float(means[a]), float(errors[a])) for a in actions_in(int(view["legal"]))}
