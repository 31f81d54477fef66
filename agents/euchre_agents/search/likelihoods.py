"""Likelihoods of worlds: how likely a policy is to have made the bids and plays of the hidden seats in each world."""

from typing import Protocol

import numpy as np

from euchre_agents.search.drawn_worlds import DrawnWorlds, view_of_actor
from euchre_env.actions import (
    DEFEND_ALONE_ID,
    FIRST_NAME_ALONE_ID,
    FIRST_NAME_ID,
    ORDER_UP_ALONE_ID,
    ORDER_UP_ID,
    PASS_ID,
)
from euchre_env.cards import NO_CARD
from euchre_env.deal import (
    DEAL,
    DEFEND,
    DISCARD,
    FIRST_ROUND,
    NOBODY,
    OVER,
    PLAY,
    SEATS,
    Deal,
    apply,
    clear,
    dealt_hand,
    legal_actions,
    open_auction,
)
from euchre_env.kernel import Records, kernel, records
from euchre_env.view import ME, VIEW
from euchre_env.worlds import lay_world_of

FLOOR = 0.05
"""The least probability of an action that was taken, so that a surprising opponent leaves some worlds."""
NO_ACTION = -1


class ProbabilityPolicy(Protocol):
    """A player that gives the probability of every action, such as a network."""

    def probabilities(self, views: Records) -> np.ndarray:
        """float32, shape (n, NUM_ACTIONS), for records of dtype VIEW, shape (n,); see `NetworkPlayer.probabilities`."""
        ...


def log_likelihoods(views: Records, worlds: DrawnWorlds, policy: ProbabilityPolicy, floor: float = FLOOR) -> np.ndarray:
    """The logarithm of the probability of what the hidden seats have done in each world so far.

    Forced moves do not count, and the viewer's own decisions are the same in all worlds.

    Args:
        views: dtype VIEW, shape (V,).
        worlds: N worlds of each.
        policy: gives the probability of each action from the view of the seat that took it.
        floor: taken in place of any lower probability.

    Returns:
        float64, shape (V, N); minus infinity where a world does not count.
    """
    hidden, counts = worlds.hidden, worlds.counts
    owners = np.repeat(np.arange(len(views)), counts)
    numbers = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    deals, replayed = records(len(owners), DEAL), records(len(owners), DEAL)
    deal_again(views, hidden, owners, numbers, deals, replayed)
    logarithms, actions = np.zeros(len(owners)), np.full(len(owners), NO_ACTION)
    live, own_views = np.arange(len(owners)), records(len(owners), VIEW)
    while True:
        replay_to_decision(views, owners, deals, replayed, live, actions, own_views)
        kept = actions[: len(live)] != NO_ACTION
        if not kept.any():
            break
        live, asked, actions = live[kept], own_views[: len(live)][kept], actions[: len(live)][kept]
        chances = policy.probabilities(asked)[np.arange(len(live)), actions]
        logarithms[live] += np.log(np.maximum(chances, floor))
    found = np.full(hidden.shape, -np.inf)
    found[owners, numbers] = logarithms
    return found


@kernel
def deal_again(
    views: Records, hidden: Records, owners: np.ndarray, numbers: np.ndarray, deals: Records, replayed: Records
) -> None:
    """Write each world to `deals`, and as it was dealt to `replayed`.

    Args:
        views: dtype VIEW, (V,).
        hidden: dtype HIDDEN, (V, N).
        owners: the view of each world, int64, (n,).
        numbers: its number among the worlds of the view, int64, (n,).
        deals: dtype DEAL, (n,).
        replayed: dtype DEAL, (n,).
    """
    for k in range(len(owners)):
        deal, again, view = deals[k], replayed[k], views[owners[k]]
        lay_world_of(view, hidden[owners[k], numbers[k]], deal)
        clear(again, deal.dealer)
        again.upcard, again.kitty = deal.upcard, deal.kitty
        for seat in SEATS:
            again.hands[seat] = dealt_hand(deal, seat)
        open_auction(again, view.rules)


@kernel
def next_action(deal: Deal, replayed: Deal) -> int:
    """The action of `deal` after those that `replayed` has; `NO_ACTION` if it has all of them."""
    if replayed.phase == PLAY:
        card = deal.played[replayed.trick, replayed.turn]
        return NO_ACTION if card == NO_CARD else card
    if replayed.phase == DISCARD:
        return NO_ACTION if deal.phase == DISCARD else deal.discard
    if replayed.phase == DEFEND:
        if replayed.num_declined < deal.num_declined:
            return PASS_ID
        return NO_ACTION if deal.lone_defender == NOBODY else DEFEND_ALONE_ID
    if replayed.num_passes < deal.num_passes:
        return PASS_ID
    if deal.maker == NOBODY:
        return NO_ACTION
    if replayed.phase == FIRST_ROUND:
        return ORDER_UP_ALONE_ID if deal.alone else ORDER_UP_ID
    return deal.trump + (FIRST_NAME_ALONE_ID if deal.alone else FIRST_NAME_ID)


@kernel
def replay_to_decision(
    views: Records,
    owners: np.ndarray,
    deals: Records,
    replayed: Records,
    live: np.ndarray,
    actions: np.ndarray,
    own_views: Records,
) -> None:
    """Replay each of `live` up to the next decision of a hidden seat, and write the seat's view and what it did.

    Args:
        views: dtype VIEW, (V,).
        owners: int64, (n,).
        deals: dtype DEAL, (n,).
        replayed: dtype DEAL, (n,); goes on.
        live: the rows of deals, int64, (m,).
        actions: int64, (m,): carried out first unless it is `NO_ACTION`; becomes what was done next, or `NO_ACTION`.
        own_views: dtype VIEW, (m,) or longer.
    """
    for k in range(len(live)):
        i = live[k]
        deal, again, view = deals[i], replayed[i], views[owners[i]]
        if actions[k] != NO_ACTION:
            apply(again, view.rules, actions[k])
        actions[k] = NO_ACTION
        while again.phase != OVER:
            action = next_action(deal, again)
            if action == NO_ACTION:
                break
            legal = legal_actions(again, view.rules)
            if again.turn != ME and legal & (legal - 1):
                actions[k] = action
                view_of_actor(again, view, own_views[k])
                break
            apply(again, view.rules, action)
