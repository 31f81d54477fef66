"""Rollouts: what each action comes to in worlds of a view, if a policy plays on to the end of the deal or the auction.

With all cards open nobody who can call well would pass, so open-hand values of bids come out too high. Here all seats
go on bidding, discarding and answering "defend alone?" as a policy does that sees its own view. The cards are then the
best of all seats with all cards open, or those of the policy too.
"""

from typing import Protocol

import numpy as np

from euchre_agents.search.drawn_worlds import DrawnWorlds, view_of_actor
from euchre_agents.search.lanes import SEARCH, lay_in_lanes
from euchre_agents.search.open_hands import card_values, makers_points
from euchre_env.actions import NUM_ACTIONS, action_name
from euchre_env.cards import nth_member
from euchre_env.counter_rng import random_below
from euchre_env.deal import DEAL, OVER, PHASES, PLAY, apply, is_legal, legal_actions, points
from euchre_env.kernel import Records, kernel, records
from euchre_env.view import VIEW
from euchre_env.worlds import lay_world_of

MAX_BRANCHES = 8192
"""The positions to play on at once, unless a single decision has more."""


class ViewsPolicy(Protocol):
    """A player that answers batches of views, such as any built-in one that does not see all cards."""

    name: str

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """The choice at each view; see `policy.Abilities.act_views`."""
        ...


def rollout_points(
    views: Records, worlds: DrawnWorlds, keys: np.ndarray, policy: ViewsPolicy, *, solves_cards: bool
) -> np.ndarray:
    """The points that each legal action of each view comes to in each of its worlds.

    Args:
        views: dtype VIEW, shape (V,), each with its owner to act; actions that `legal` lacks are not tried.
        worlds: the worlds of each view, N each.
        keys: a random number for each view, int64, shape (V,), from which those of the policy are drawn. In one world
            all actions meet the same random numbers.
        policy: decides for all seats after the action.
        solves_cards: whether the cards are the best of all seats with all cards open, instead of the policy's.

    Returns:
        The points of the team of the seat to act less those of the other team, int16, shape (V, N, NUM_ACTIONS); 0
        where an action is not legal or a world does not count.

    Raises:
        ValueError: if the policy answers with an action that is not legal.
    """
    hidden, counts = worlds.hidden, worlds.counts
    out = np.zeros((*hidden.shape, NUM_ACTIONS), np.int16)
    searches = records(1, SEARCH)
    num_branches = counts * np.bitwise_count(views["legal"])
    if solves_cards:
        solve_cards(views, hidden, counts, records(2, DEAL), searches, out)
        num_branches[views["phase"] == PLAY] = 0
    for rows in _groups(num_branches):
        total = int(num_branches[rows].sum())
        deals, sources = records(total, DEAL), np.empty((total, 3), np.int64)
        branch_rows(views, hidden, counts, rows, deals, sources)
        _roll_out(views, keys, policy, deals, sources, PLAY if solves_cards else OVER)
        count_points(views, deals, sources, records(1, DEAL), searches, out)
    return out


def best_actions(values: np.ndarray, preferred: np.ndarray) -> np.ndarray:
    """The action of the highest value in each row, int64, shape (V,): of equals the preferred one, else the first.

    Args:
        values: whole numbers, so that equals are exact, int64, shape (V, A).
        preferred: an action for each row, int64, shape (V,).
    """
    are_best = values == values.max(axis=1, keepdims=True)
    return np.where(are_best[np.arange(len(values)), preferred], preferred, are_best.argmax(axis=1))


def are_legal(views: Records) -> np.ndarray:
    """Whether `legal` has each action at each view, bool, shape (V, NUM_ACTIONS)."""
    return (views["legal"][:, np.newaxis] >> np.arange(NUM_ACTIONS) & 1).astype(np.bool_)


def _groups(sizes: np.ndarray) -> list[np.ndarray]:
    """The rows of positive size in groups of at most `MAX_BRANCHES` in all, or of one row."""
    groups, total = list[list[int]](), 0
    for row in np.flatnonzero(sizes).tolist():
        size = int(sizes[row])
        if not groups or total + size > MAX_BRANCHES:
            groups.append([])
            total = 0
        groups[-1].append(row)
        total += size
    return [np.array(group, np.int64) for group in groups]


def _roll_out(
    views: Records, keys: np.ndarray, policy: ViewsPolicy, deals: Records, sources: np.ndarray, end: int
) -> None:
    """Let the policy decide in each deal until its phase is `end`, `PLAY` or `OVER`, or a later one."""
    live = np.flatnonzero(deals["phase"] < end)
    own_views, own_keys = records(len(live), VIEW), np.empty(len(live), np.int64)
    step = 0
    while len(live):
        asked = own_views[: len(live)]
        show_rows(views, keys, deals, sources, live, step, asked, own_keys)
        actions = np.asarray(policy.act_views(asked, own_keys[: len(live)]), np.int64)
        bad = answer_rows(views, deals, sources, live, actions, end)
        if bad >= 0:
            answer, phase = int(actions[bad]), PHASES[int(deals["phase"][live[bad]])]
            what = repr(action_name(answer)) if 0 <= answer < NUM_ACTIONS else str(answer)
            raise ValueError(f"player {policy.name!r} answers {what} in {phase}, which is not legal there")
        live = live[deals["phase"][live] < end]
        step += 1


@kernel
def solve_cards(
    views: Records, hidden: Records, counts: np.ndarray, deals: Records, searches: Records, out: np.ndarray
) -> None:
    """Write the open-hand values of the legal cards of each view in the phase PLAY, for the team of its owner.

    Args:
        views: dtype VIEW, (V,).
        hidden: dtype HIDDEN, (V, N).
        counts: int64, (V,).
        deals: scratch, two records of dtype DEAL.
        searches: scratch, one record of dtype SEARCH.
        out: int16, (V, N, NUM_ACTIONS).
    """
    search, values = searches[0], np.zeros(NUM_ACTIONS, np.int64)
    for i in range(len(views)):
        view = views[i]
        if view.phase != PLAY:
            continue
        for n in range(counts[i]):
            lay_world_of(view, hidden[i, n], deals[0])
            lay_in_lanes(deals[0], view.rules, deals[1:], search)
            card_values(search, values)
            sign = 1 if search.makers == 0 else -1
            for action in range(NUM_ACTIONS):
                if view.legal >> action & 1:
                    out[i, n, action] = sign * values[action]


@kernel
def branch_rows(
    views: Records, hidden: Records, counts: np.ndarray, rows: np.ndarray, deals: Records, sources: np.ndarray
) -> None:
    """Write each world of the views of `rows` after each legal action to `deals`.

    Args:
        views: dtype VIEW, (V,).
        hidden: dtype HIDDEN, (V, N).
        counts: int64, (V,).
        rows: int64.
        deals: dtype DEAL, (n,).
        sources: int64, (n, 3): the row, the world and the action of each deal.
    """
    k = 0
    for i in rows:
        view = views[i]
        for n in range(counts[i]):
            for action in range(NUM_ACTIONS):
                if view.legal >> action & 1:
                    lay_world_of(view, hidden[i, n], deals[k])
                    apply(deals[k], view.rules, action)
                    sources[k, 0], sources[k, 1], sources[k, 2] = i, n, action
                    k += 1


@kernel
def show_rows(
    views: Records,
    keys: np.ndarray,
    deals: Records,
    sources: np.ndarray,
    live: np.ndarray,
    step: int,
    own_views: Records,
    own_keys: np.ndarray,
) -> None:
    """Write the view of the seat to act in each of the deals `live`, and a random number for its decision.

    The number depends on the key of the view, the world and how many decisions ago the action was.

    Args:
        views: dtype VIEW, (V,), of seat 0 of the deals.
        keys: int64, (V,).
        deals: dtype DEAL, (n,).
        sources: see `branch_rows`.
        live: the rows of deals, int64, (m,).
        step: the number of decisions since the action, forced ones aside.
        own_views: dtype VIEW, (m,).
        own_keys: int64, (m,) or longer.
    """
    for k in range(len(live)):
        row, world = sources[live[k], 0], sources[live[k], 1]
        view_of_actor(deals[live[k]], views[row], own_views[k])
        own_keys[k] = random_below(int(keys[row]), world, step, 1 << 31)


@kernel
def answer_rows(
    views: Records, deals: Records, sources: np.ndarray, live: np.ndarray, actions: np.ndarray, end: int
) -> int:
    """Carry out an action in each of the deals `live`, and the forced moves that follow before the phase `end`.

    The arguments are those of `show_rows`.

    Returns:
        The index of the first action that is not legal, before which all are carried out; -1 if there is none.
    """
    for k in range(len(live)):
        deal, rules = deals[live[k]], views[sources[live[k], 0]].rules
        if not is_legal(deal, rules, actions[k]):
            return k
        apply(deal, rules, actions[k])
        while deal.phase < end:
            legal = legal_actions(deal, rules)
            if legal & (legal - 1):
                break
            apply(deal, rules, nth_member(legal, 0))
    return -1


@kernel
def count_points(
    views: Records, deals: Records, sources: np.ndarray, scratch: Records, searches: Records, out: np.ndarray
) -> None:
    """Write what each deal comes to for team 0, by its points if it is over, else its open-hand value in the play.

    Args:
        views: dtype VIEW, (V,).
        deals: dtype DEAL, (n,).
        sources: see `branch_rows`.
        scratch: one record of dtype DEAL.
        searches: scratch, one record of dtype SEARCH.
        out: int16, (V, N, NUM_ACTIONS).
    """
    search = searches[0]
    for k in range(len(deals)):
        deal, rules = deals[k], views[sources[k, 0]].rules
        if deal.phase == OVER:
            both = points(deal, rules)
            value = both[0] - both[1]
        else:
            lay_in_lanes(deal, rules, scratch, search)
            value = makers_points(search, False)
            if search.makers == 1:
                value = -value
        out[sources[k, 0], sources[k, 1], sources[k, 2]] = value
