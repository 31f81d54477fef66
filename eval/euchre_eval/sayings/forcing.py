"""Positions of played deals, and what choices in them come to: the deal is played on from each, by the same player.

The cards are those of the deal, so a position is a fair sample of what the seat to act can expect there, and two
choices in the same position meet the same cards.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from euchre_env.actions import FIRST_NAME_ALONE_ID, ORDER_UP_ALONE_ID
from euchre_env.deal import PLAY
from euchre_env.game import RESULT
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records, as_records
from euchre_env.tables import Tables
from euchre_eval.sayings.saying import Setting, ViewsPlayer
from euchre_eval.workers import Tick

LONE_CALLS = 1 << ORDER_UP_ALONE_ID | 0b1111 << FIRST_NAME_ALONE_ID
"""The calls that go alone, as an action set."""
NO_LABEL = -1
LAST_TRICK = 4

Classify = Callable[[Records, np.ndarray], np.ndarray]
"""Gives each view and the player's choice there a label, a number from 0, or `NO_LABEL` to leave it out."""


class Positions(NamedTuple):
    """Decisions that a player met, each with everything needed to go on from there."""

    games: np.ndarray
    """Dtype GAME, shape (n,)."""
    views: Records
    """Of the seat to act, dtype VIEW, shape (n,)."""
    chosen: np.ndarray
    """What the player chose, int64, shape (n,)."""
    labels: np.ndarray
    """What `classify` said, int64, shape (n,)."""

    def those(self, which: np.ndarray) -> "Positions":
        """The positions for which a mask is true, or with these numbers."""
        return Positions(self.games[which], as_records(self.views[which]), self.chosen[which], self.labels[which])


class Forbidding:
    """A player that may not take some actions, unless it has no others.

    Args:
        player: the player.
        forbidden: the actions, as a set.
    """

    def __init__(self, player: ViewsPlayer, forbidden: int) -> None:
        self.name, self._player, self._forbidden = f"{player.name}, forbidden", player, forbidden

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """The choice at each view among the actions left."""
        narrowed = as_records(np.array(views))
        left = views["legal"] & ~self._forbidden
        narrowed["legal"] = np.where(left != 0, left, views["legal"])
        return self._player.act_views(narrowed, keys)


def positions(
    deals: range,
    setting: Setting,
    classify: Classify,
    tick: Tick,
    *,
    last_phase: int = PLAY,
    last_trick: int = LAST_TRICK,
) -> Positions:
    """The positions with a label in deals that four copies of the player play; of each deal and label the first.

    Args:
        deals: the numbers of the deals.
        setting: the player, the house rules and the seed.
        classify: gives the labels.
        tick: called as deals go on.
        last_phase: deals are played no further than this phase.
        last_trick: nor further than this trick.
    """
    tables = Tables(
        len(deals), setting.rules, setting.seed, num_episodes=len(deals), first_episode=deals.start, skip_forced=True
    )
    seen = set[tuple[int, int]]()
    found = list[Positions]()
    while True:
        rows = np.flatnonzero(tables.phases <= last_phase)
        if last_trick < LAST_TRICK:
            rows = rows[tables.views(rows)["trick"] <= last_trick]
        if not len(rows):
            break
        views = tables.views(rows)
        chosen = setting.player.act_views(views, tables.decision_keys(setting.seed, rows))
        labels = classify(views, chosen)
        wanted = np.flatnonzero(labels != NO_LABEL)
        games = tables.records[rows[wanted]]
        keys = list(zip(games["episode"].tolist(), labels[wanted].tolist(), strict=True))
        new = np.array([key not in seen for key in keys], np.bool_)
        seen.update(keys)
        wanted = wanted[new]
        if len(wanted):
            found.append(Positions(games[new], as_records(views[wanted]), chosen[wanted], labels[wanted]))
        tables.step(chosen, rows=rows)
        tick("", 0)
    if not found:
        nothing = np.zeros(0, np.int64)
        return Positions(tables.records[:0], tables.views(nothing), nothing, nothing)
    joined = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    return Positions(joined[0], as_records(joined[1]), joined[2], joined[3])


def play_on(
    games: np.ndarray, actions: np.ndarray, setting: Setting, tick: Tick, *, rules: HouseRules | None = None
) -> np.ndarray:
    """Carry out an action in each position, and let the player play the deal to its end at all seats.

    Args:
        games: dtype GAME, shape (n,).
        actions: a legal action for each, int64, shape (n,).
        setting: the player, the house rules and the seed.
        tick: called as deals go on.
        rules: other house rules to go on under.

    Returns:
        Dtype RESULT, shape (n,).
    """
    results = np.zeros(len(games), RESULT)
    if not len(games):
        return results
    tables = Tables(None, rules or setting.rules, setting.seed, positions=games, skip_forced=True)
    choices = actions
    while len(tables):
        ended = tables.step(choices)
        results[ended["episode"]] = ended
        tick("", 0)
        if len(tables):
            choices = setting.player.act_views(tables.views(), tables.decision_keys(setting.seed))
    return results


def net_points(results: np.ndarray, games: np.ndarray) -> np.ndarray:
    """The points of the team of the seat to act in each of `games`, less those of the other team, int64, shape (n,)."""
    teams = games["deal"]["turn"] & 1
    points, rows = results["points"], np.arange(len(results))
    return points[rows, teams] - points[rows, 1 - teams]


def by_deal(values: np.ndarray, found: Positions) -> np.ndarray:
    """The mean of the values of each deal: independent samples where a deal has several positions."""
    _, deals = np.unique(found.games["episode"], return_inverse=True)
    return np.bincount(deals, values) / np.bincount(deals)


def points_after(found: Positions, actions: np.ndarray, setting: Setting, tick: Tick) -> np.ndarray:
    """What an action in each position comes to, for the team of the seat to act, int64, shape (n,)."""
    return net_points(play_on(found.games, actions, setting, tick), found.games)


def duplicate(
    deals: range,
    first: ViewsPlayer,
    second: ViewsPlayer,
    setting: Setting,
    tick: Tick,
    partner: ViewsPlayer | None = None,
) -> np.ndarray:
    """The points of one player and its partner against two copies of another, each deal played twice.

    Args:
        deals: the numbers of the deals.
        first: sits at seat 0, then at 1.
        second: the opponents.
        setting: the house rules and the seed.
        tick: called as deals go on.
        partner: the partner of `first`; a copy of it if None.

    Returns:
        The mean of the two plays of each deal, float64, shape (n,).
    """
    margins = np.zeros(len(deals))
    seats = [first, second, partner or first, second]
    for seating in (0, 1):
        results = play_deals(deals, seats, setting, tick)
        margins += results["points"][:, seating] - results["points"][:, 1 - seating]
        seats = [seats[3], *seats[:3]]
    return margins / 2


def play_deals(
    deals: range, seats: Sequence[ViewsPlayer], setting: Setting, tick: Tick, rules: HouseRules | None = None
) -> np.ndarray:
    """Play deals with a player for each seat, under other house rules if given; dtype RESULT, shape (n,), by number."""
    tables = Tables(
        len(deals),
        rules or setting.rules,
        setting.seed,
        num_episodes=len(deals),
        first_episode=deals.start,
        skip_forced=True,
    )
    results = np.zeros(len(deals), RESULT)
    while len(tables):
        turns, choices = tables.turns, np.empty(len(tables), np.int64)
        for player in dict.fromkeys(seats):
            rows = np.flatnonzero(np.isin(turns, [seat for seat, each in enumerate(seats) if each is player]))
            if len(rows):
                choices[rows] = player.act_views(tables.views(rows), tables.decision_keys(setting.seed, rows))
        ended = tables.step(choices)
        results[ended["episode"] - deals.start] = ended
        tick("", 0)
    return results
