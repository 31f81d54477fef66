"""A game as a record, and the kernels on it: who deals, what a deal that has ended scores, when the game is won.

A record of dtype TABLE holds the deal in progress, the score and which numbered deal it is. The kernels serve `Table`
and `Tables` alike.
"""

from typing import Literal, TypeAlias

import numpy as np

from euchre_env.counter_rng import DECISION, EPISODE_LANES, FIRST_DEALER, random_below, stream_key
from euchre_env.deal import (
    DEAL,
    NOBODY,
    OVER,
    Deal,
    Rules,
    Seat,
    apply,
    deal_cards,
    left_of,
    points,
    was_redealt,
    was_thrown_in,
)
from euchre_env.house_rules import REDEAL_SAME_DEALER, THROW_IN_SAME
from euchre_env.kernel import Record, kernel

Episode: TypeAlias = Literal["game", "deal"]  # what is played before a table is over

TABLE = np.dtype(
    [
        ("episode", np.int64),  # which episode of the batch this is; 0 for a single table
        ("seed", np.int64),  # fixes every deal of the episode
        ("keys", np.int64, 2),  # where the episode's random numbers for decisions start
        ("one_deal", np.int64),  # 1 when the episode is a single deal, thrown in or not
        ("deal_number", np.int64),
        ("num_actions", np.int64),  # decisions taken since the episode began
        ("over", np.int64),
        ("scores", np.int64, 2),  # points of each team in the game
        ("deal", DEAL),
    ],
    align=True,
)

RESULT = np.dtype(
    [
        ("episode", np.int64),
        ("deal_number", np.int64),
        ("dealer", np.int64),
        ("num_passes", np.int64),
        ("trump", np.int64),  # NO_SUIT when thrown in
        ("maker", np.int64),  # NOBODY when thrown in
        ("alone", np.int64),
        ("lone_defender", np.int64),
        ("tricks", np.int64, 2),  # tricks won by each team
        ("points", np.int64, 2),  # points scored by each team in this deal
        ("scores", np.int64, 2),  # points of each team in the game after it
        ("reneged", np.int64),  # the seat whose renege ended the deal, else NOBODY
        ("over", np.int64),  # 1 when the episode ended with this deal
        ("winner", np.int64),  # the team that won the game, NO_TEAM before that and in single deals
    ],
    align=True,
)

NO_TEAM = 2
RENEGE_POINTS = 2  # to the other team, whatever the house rules (docs/rules.md, "Reneging")


@kernel
def first_dealer(seed: int) -> Seat:
    """The seat that deals first in a game of `seed`, each with probability 1/4."""
    a, b = stream_key(seed, FIRST_DEALER, 0)
    return random_below(a, b, 0, 4)


@kernel
def start_table(table: Record, rules: Rules, episode: int, seed: int, dealer: Seat, number: int, one_deal: int) -> None:
    """A fresh episode: no score, and deal `number` of `seed` on the table."""
    table.episode = episode
    table.seed = seed
    table.keys[0], table.keys[1] = stream_key(seed, DECISION, EPISODE_LANES)
    table.one_deal = one_deal
    table.deal_number = number
    table.num_actions = 0
    table.over = 0
    table.scores[:] = 0
    start_deal(table, rules, dealer)


@kernel
def start_deal(table: Record, rules: Rules, dealer: Seat) -> None:
    """Deal the table's deal number, and the numbers after it for as long as a deal must be dealt again."""
    while True:
        deal_cards(table.deal, rules, table.seed, table.deal_number, dealer)
        if table.deal.phase != OVER:
            return
        table.deal_number += 1
        dealer = next_dealer(table.deal, rules)


@kernel
def next_dealer(deal: Deal, rules: Rules) -> Seat:
    """Who deals after `deal`, which is over."""
    same = (was_redealt(deal) and rules.no_ace_no_face == REDEAL_SAME_DEALER) or (
        was_thrown_in(deal) and rules.throw_in_dealer == THROW_IN_SAME
    )
    return deal.dealer if same else left_of(deal.dealer)


@kernel
def act(table: Record, rules: Rules, action: int) -> None:
    """Carry out a legal action of the seat to act."""
    apply(table.deal, rules, action)
    table.num_actions += 1


@kernel
def settle(table: Record, rules: Rules, result: Record) -> None:
    """Score a deal that is over, write what it was to `result`, and deal the next unless that ends the episode."""
    points_0, points_1 = points(table.deal, rules)
    close_deal(table, rules, points_0, points_1, NOBODY, result)


@kernel
def renege(table: Record, rules: Rules, result: Record) -> None:
    """End the deal in progress because the seat to act reneged: two points to the other team, no others."""
    seat = table.deal.turn
    table.deal.phase = OVER
    table.deal.turn = NOBODY
    points_0 = RENEGE_POINTS if seat & 1 else 0
    close_deal(table, rules, points_0, RENEGE_POINTS - points_0, seat, result)


@kernel
def forfeit(table: Record, result: Record) -> None:
    """End the game in progress because the seat to act lost it; not for a single deal, which is no game."""
    seat = table.deal.turn
    table.deal.phase = OVER
    table.deal.turn = NOBODY
    table.over = 1
    write_result(table, 0, 0, seat, result)
    result.winner = 1 - (seat & 1)


@kernel
def close_deal(table: Record, rules: Rules, points_0: int, points_1: int, reneged: Seat, result: Record) -> None:
    """Add the points of a deal that is over to the score, and deal the next unless that ends the episode."""
    table.scores[0] += points_0
    table.scores[1] += points_1
    table.over = table.one_deal or game_winner(table.scores, rules) != NO_TEAM
    write_result(table, points_0, points_1, reneged, result)
    if table.over:
        if not table.one_deal:
            result.winner = game_winner(table.scores, rules)
    else:
        table.deal_number += 1
        left = left_of(table.deal.dealer)  # a reneged deal, ended however early, was not thrown in or dealt again
        start_deal(table, rules, next_dealer(table.deal, rules) if reneged == NOBODY else left)


@kernel
def game_winner(scores: np.ndarray, rules: Rules) -> int:
    """The team with `points_to_win` or more and a lead of `win_by`, else `NO_TEAM`; scores int64, shape (2,)."""
    leader = 0 if scores[0] > scores[1] else 1
    wins = scores[leader] >= rules.points_to_win and scores[leader] - scores[1 - leader] >= rules.win_by
    return leader if wins else NO_TEAM


@kernel
def write_result(table: Record, points_0: int, points_1: int, reneged: Seat, result: Record) -> None:
    """Fill `result` from the deal on the table; no winner yet."""
    deal = table.deal
    result.episode = table.episode
    result.deal_number = table.deal_number
    result.dealer = deal.dealer
    result.num_passes = deal.num_passes
    result.trump = deal.trump
    result.maker = deal.maker
    result.alone = deal.alone
    result.lone_defender = deal.lone_defender
    result.tricks = deal.tricks
    result.points[0] = points_0
    result.points[1] = points_1
    result.scores = table.scores
    result.reneged = reneged
    result.over = table.over
    result.winner = NO_TEAM
