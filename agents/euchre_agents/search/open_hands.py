"""Open-hand values: the points that a deal ends with if all seats see all cards and play on as well as possible.

Every decision counts: a bid is worth what the deal comes to after the best bids, the best discard, the best answers to
"defend alone?" and the best cards of all seats that follow. A value is in points of a deal, those of the team less
those of the other team. The kernels trust their arguments; the Python functions check them.
"""

from collections.abc import Sequence

import numpy as np

from euchre_agents.search.lanes import SEARCH, TRUMPS, LaneCard, LaneCards, Search, lay_in_lanes, points_rise
from euchre_agents.search.solver import lane_of, points_by_plain_search, points_by_questions
from euchre_env.actions import NUM_ACTIONS
from euchre_env.deal import DEAL, OVER, PLAY, Rules, Seat, apply, legal_actions, points
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.kernel import Records, as_records, kernel, records
from euchre_env.positions import Positions, read_positions

NO_VALUE = -100
"""In place of the value of an action that is not legal; below every value."""
NUM_DEALS = 12
"""The records of a line of bids: the deal, seven passes, a call, two answers to "defend alone?", and one for scores."""


@kernel
def makers_points(search: Search, plain: bool) -> int:
    """The makers' net points from the position in `search`, its table cleared first; by plain alpha-beta if `plain`."""
    unplayed = search.hands[0] | search.hands[1] | search.hands[2] | search.hands[3]
    rise = points_rise(search.scores) and not plain
    if rise:
        search.table[:] = 0
    return _makers_points_from(
        search,
        rise,
        unplayed,
        search.up,
        search.seat,
        search.waiting,
        search.led,
        search.best,
        search.taker,
        search.won,
        search.left,
    )


@kernel
def _makers_points_from(
    search: Search,
    rise: bool,
    unplayed: LaneCards,
    up: LaneCards,
    seat: Seat,
    waiting: int,
    led: LaneCards,
    best: LaneCard,
    taker: Seat,
    won: int,
    left: int,
) -> int:
    """The makers' net points from a position of the play, by the search that fits the house rules."""
    if rise:
        return points_by_questions(search, unplayed, up, seat, waiting, led, best, taker, won, left)
    least, most = search.scores[won], search.scores[won]
    for tricks in range(won, won + left + 1):
        least, most = min(least, search.scores[tricks]), max(most, search.scores[tricks])
    return points_by_plain_search(search, unplayed, seat, waiting, led, best, taker, won, left, least, most)


@kernel
def card_values(search: Search, values: np.ndarray) -> None:
    """Write the makers' net points after each legal card to `values`, int64, by card; the others stay as they are.

    The table is cleared once, so what it learns of one card serves the next.
    """
    unplayed = search.hands[0] | search.hands[1] | search.hands[2] | search.hands[3]
    seat, own = search.seat, search.hands[search.seat]
    rise = points_rise(search.scores)
    if rise:
        search.table[:] = 0
    legal = own & search.led
    if legal == 0:
        legal = own
    others = unplayed & ~own | search.up
    last, value = 0, 0
    for place in range(len(search.cards)):
        card = 1 << place
        if not legal & card:
            if others & card:
                last = 0
            continue
        if last == 0 or lane_of(card) != lane_of(last):
            value = _makers_points_after(search, rise, unplayed, seat, card)
        last = card  # the next card of a run does the same
        values[search.cards[place]] = value


@kernel
def _makers_points_after(search: Search, rise: bool, unplayed: LaneCards, seat: Seat, card: LaneCard) -> int:
    """The makers' net points once `seat` has played `card`."""
    led, best, taker = search.led, search.best, search.taker
    if led == 0 or (card < best and card & (led | TRUMPS) != 0):
        best, taker = card, seat
    if led == 0:
        led = lane_of(card)
    if search.waiting:
        return _makers_points_from(
            search,
            rise,
            unplayed ^ card,
            search.up | card,
            search.next_seat[seat],
            search.waiting - 1,
            led,
            best,
            taker,
            search.won,
            search.left,
        )
    won = search.won + (1 if (taker ^ search.makers) & 1 == 0 else 0)
    if search.left == 1:
        return search.scores[won]
    return _makers_points_from(
        search, rise, unplayed ^ card, 0, taker, search.num_active - 1, 0, 0, taker, won, search.left - 1
    )


@kernel
def value_of_deal(deals: Records, depth: int, rules: Rules, searches: Records) -> int:
    """The points of team 0 less those of team 1 that `deals[depth]`, in any phase, comes to.

    Args:
        deals: records of dtype DEAL, shape (NUM_DEALS,); those from `depth + 1` on are scratch.
        depth: the place of the deal.
        rules: its house rules.
        searches: scratch, one record of dtype SEARCH.
    """
    deal = deals[depth]
    if deal.phase == OVER:
        both = points(deal, rules)
        return both[0] - both[1]
    if deal.phase == PLAY:
        search = searches[0]
        lay_in_lanes(deal, rules, deals[depth + 1 :], search)
        value = makers_points(search, False)
        return value if search.makers == 0 else -value
    sign = 1 - 2 * (deal.turn & 1)
    best = NO_VALUE
    legal = legal_actions(deal, rules)
    for action in range(NUM_ACTIONS):
        if legal >> action & 1:
            deals[depth + 1] = deal
            apply(deals[depth + 1], rules, action)
            best = max(best, sign * value_of_deal(deals, depth + 1, rules, searches))
    return sign * best


@kernel
def action_values_of_deal(deals: Records, rules: Rules, searches: Records, values: np.ndarray) -> None:
    """Write the value of each legal action of `deals[0]` for the team of the seat to act to `values`, else `NO_VALUE`.

    `values` is int64, shape (NUM_ACTIONS,); the other arguments are those of `value_of_deal`.
    """
    values[:] = NO_VALUE
    deal = deals[0]
    if deal.phase == OVER:
        return
    if deal.phase == PLAY:
        search = searches[0]
        lay_in_lanes(deal, rules, deals[1:], search)
        card_values(search, values)
        if (deal.turn ^ search.makers) & 1:
            for action in range(NUM_ACTIONS):
                if values[action] != NO_VALUE:
                    values[action] = -values[action]
        return
    sign = 1 - 2 * (deal.turn & 1)
    legal = legal_actions(deal, rules)
    for action in range(NUM_ACTIONS):
        if legal >> action & 1:
            deals[1] = deal
            apply(deals[1], rules, action)
            values[action] = sign * value_of_deal(deals, 1, rules, searches)


@kernel
def solve_rows(
    positions: Records, rules: Records, rows: np.ndarray, deals: Records, searches: Records, values: np.ndarray
) -> None:
    """Write the points of team 0 less those of team 1 that each deal of `positions` comes to to `values`.

    Args:
        positions: deals of dtype DEAL, shape (n,).
        rules: house rules of dtype RULES; those of deal i are `rules[rows[i]]`.
        rows: int64, shape (n,).
        deals: scratch of dtype DEAL, shape (NUM_DEALS,).
        searches: scratch of dtype SEARCH, shape (1,).
        values: int64, shape (n,).
    """
    for i in range(len(positions)):
        deals[0] = positions[i]
        values[i] = value_of_deal(deals, 0, rules[rows[i]], searches)


@kernel
def solve_actions_of_rows(
    positions: Records, rules: Records, rows: np.ndarray, deals: Records, searches: Records, values: np.ndarray
) -> None:
    """Write the value of each legal action of each deal to `values`, int64, shape (n, NUM_ACTIONS).

    The arguments are those of `solve_rows`, the values those of `action_values_of_deal`.
    """
    for i in range(len(positions)):
        deals[0] = positions[i]
        action_values_of_deal(deals, rules[rows[i]], searches, values[i])


@kernel
def solve_plainly(positions: Records, rules: Records, deals: Records, searches: Records, values: np.ndarray) -> None:
    """`solve_rows` by plain alpha-beta, the peer in the benchmarks, for deals in the phase PLAY under `rules[0]`."""
    for i in range(len(positions)):
        search = searches[0]
        lay_in_lanes(positions[i], rules[0], deals, search)
        value = makers_points(search, True)
        values[i] = value if search.makers == 0 else -value


class Solver:
    """Solves deals under some sets of house rules, without checks, for loops that make valid deals.

    Args:
        rules: the sets of house rules.
    """

    def __init__(self, rules: Sequence[HouseRules]) -> None:
        self._rules = as_records(np.concatenate([each.packed() for each in rules]))
        self._deals = records(NUM_DEALS, DEAL)
        self._searches = records(1, SEARCH)

    def values(self, deals: np.ndarray, rules_indices: np.ndarray | None = None) -> np.ndarray:
        """The points of team 0 less those of team 1 that each deal comes to: int64, shape (n,).

        Args:
            deals: valid deals, records of dtype DEAL, shape (n,), in any phase.
            rules_indices: which set of house rules each deal has, int64, shape (n,); the first if None.
        """
        values = np.empty(len(deals), np.int64)
        indices = _indices(deals, rules_indices)
        solve_rows(_aligned(deals), self._rules, indices, self._deals, self._searches, values)
        return values

    def action_values(self, deals: np.ndarray, rules_indices: np.ndarray | None = None) -> np.ndarray:
        """The value of each action for the team of the seat to act: int64, shape (n, NUM_ACTIONS).

        Actions that are not legal have `NO_VALUE`. The arguments are those of `values`.
        """
        values = np.empty((len(deals), NUM_ACTIONS), np.int64)
        indices = _indices(deals, rules_indices)
        solve_actions_of_rows(_aligned(deals), self._rules, indices, self._deals, self._searches, values)
        return values


def plain_values(deals: np.ndarray, rules: HouseRules) -> np.ndarray:
    """The values of `Solver.values` by plain alpha-beta: no table, no cuts. For deals in the phase PLAY."""
    values = np.empty(len(deals), np.int64)
    solve_plainly(_aligned(deals), rules.packed(), records(1, DEAL), records(1, SEARCH), values)
    return values


def _aligned(deals: np.ndarray) -> Records:
    """A copy of `deals` in the layout that the kernels are compiled for: no field of a record, nothing from a file."""
    copy = records(len(deals), DEAL)
    copy[:] = deals
    return copy


def _indices(deals: np.ndarray, rules_indices: np.ndarray | None) -> np.ndarray:
    return np.zeros(len(deals), np.int64) if rules_indices is None else rules_indices


def open_hand_values(positions: Positions, rules: RulesLike | Sequence[RulesLike] | None = None) -> np.ndarray:
    """The points of team 0 less those of team 1 that each position comes to with all cards open: int64, shape (n,).

    >>> from euchre_env import Table
    >>> from euchre_env.deal_text import deal_text
    >>> open_hand_values([deal_text(Table(seed=7))])
    array([-1])

    Args:
        positions: game records (dtype GAME, shape (n,)) or deal texts, each with a seat to act, in any phase.
        rules: position k of game records is under `rules[k % len(rules)]`, "standard" if None; leave it out for deal
            texts, which name their own.

    Raises:
        ValueError: if a position is invalid or its deal is over; the message names the position.
    """
    games, sets = read_positions(positions, _rule_sets(rules))
    return Solver(sets).values(games["deal"], games["rules_index"].copy())


def open_hand_action_values(positions: Positions, rules: RulesLike | Sequence[RulesLike] | None = None) -> np.ndarray:
    """The value of each action for the team of the seat to act: int64, shape (n, NUM_ACTIONS).

    Actions that are not legal have `NO_VALUE`. The arguments and what is raised are those of `open_hand_values`.
    """
    games, sets = read_positions(positions, _rule_sets(rules))
    return Solver(sets).action_values(games["deal"], games["rules_index"].copy())


def _rule_sets(rules: RulesLike | Sequence[RulesLike] | None) -> tuple[HouseRules, ...] | None:
    if rules is None:
        return None
    return tuple(parse_rules(each) for each in ([rules] if isinstance(rules, HouseRules | str) else rules))
