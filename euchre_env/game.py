"""A game as a record, and its kernels: the next dealer, the score, reneges and the winner.

A record of dtype GAME holds the deal in progress, its number and the score. `Table` and `Tables` use the same kernels.
"""

from typing import Literal, TypeAlias

import numpy as np

from euchre_env.counter_rng import random_below, stream_key
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
from euchre_env.kernel import Record, inlined_kernel, kernel
from euchre_env.random_streams import DECISION, EPISODE_KEY, FIRST_DEALER

Episode: TypeAlias = Literal["game", "deal"]  # the kind of episode: a whole game, or one deal

GAME = np.dtype(
    [
        ("episode", np.int64),  # the episode's number in the batch; 0 for a single table
        ("rules_index", np.int64),  # index of the episode's rules in the batch's rule sets; 0 for a single table
        ("seed", np.int64),  # fixes every deal of the episode
        ("keys", np.int64, 2),  # the episode's half of the keys of its decisions
        ("one_deal", np.int64),  # 1 when the episode is a single deal, thrown in or not
        ("deal_number", np.int64),  # number of the deal in progress, counted for the seed
        ("num_actions", np.int64),  # number of decisions since the episode began
        ("over", np.int64),  # 1 when the episode has ended
        ("scores", np.int64, 2),  # points of each team in the game
        ("deal", DEAL),  # the deal in progress, the last one when the episode is over
    ],
    align=True,
)

RESULT = np.dtype(
    [
        ("episode", np.int64),  # of the game, as in GAME
        ("deal_number", np.int64),  # which numbered deal of the seed it was
        ("dealer", np.int64),  # the seat that dealt
        ("num_passes", np.int64),  # 0..8 over both rounds
        ("trump", np.int64),  # NO_SUIT when thrown in
        ("maker", np.int64),  # NOBODY when thrown in
        ("alone", np.int64),  # 1 when the maker went alone
        ("lone_defender", np.int64),  # the seat that defended alone, else NOBODY
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
    """The first dealer in a game of `seed`, each seat with probability 1/4."""
    a, b = stream_key(seed, FIRST_DEALER, 0)
    return random_below(a, b, 0, 4)


@kernel
def clear_game(game: Record, seed: int, number: int, one_deal: int) -> None:
    """Make `game` a new game of `seed` for a single table, without score and cards; its first deal is `number`."""
    game.episode = 0
    game.rules_index = 0
    game.seed = seed
    game.keys[0], game.keys[1] = stream_key(seed, DECISION, EPISODE_KEY)
    game.one_deal = one_deal
    game.deal_number = number
    game.num_actions = 0
    game.over = 0
    game.scores[:] = 0


@kernel
def start_deal(game: Record, rules: Rules, dealer: Seat) -> None:
    """Deal the cards of `deal_number`, and of the following numbers while a deal must be dealt again."""
    while True:
        deal_cards(game.deal, rules, game.seed, game.deal_number, dealer)
        if game.deal.phase != OVER:
            return
        game.deal_number += 1
        dealer = next_dealer(game.deal, rules)


@kernel
def next_dealer(deal: Deal, rules: Rules) -> Seat:
    """The dealer after `deal`, which is over."""
    same = (was_redealt(deal) and rules.no_ace_no_face == REDEAL_SAME_DEALER) or (
        was_thrown_in(deal) and rules.throw_in_dealer == THROW_IN_SAME
    )
    return deal.dealer if same else left_of(deal.dealer)


@inlined_kernel
def act(game: Record, rules: Rules, action: int) -> None:
    """Carry out a legal action of the seat to act."""
    apply(game.deal, rules, action)
    game.num_actions += 1


@kernel
def settle(game: Record, rules: Rules, result: Record) -> None:
    """Score a deal that is over, write its result to `result`, and deal the next unless the episode ends."""
    points_0, points_1 = points(game.deal, rules)
    close_deal(game, rules, points_0, points_1, NOBODY, result)


@kernel
def renege(game: Record, rules: Rules, result: Record) -> None:
    """End the deal in progress because the seat to act reneged: two points to the other team, no other points."""
    seat = game.deal.turn
    game.deal.phase = OVER
    game.deal.turn = NOBODY
    points_0 = RENEGE_POINTS if seat & 1 else 0
    close_deal(game, rules, points_0, RENEGE_POINTS - points_0, seat, result)


@kernel
def forfeit(game: Record, result: Record) -> None:
    """End the game in progress because the seat to act lost it; not for a single deal, which is no game."""
    seat = game.deal.turn
    game.deal.phase = OVER
    game.deal.turn = NOBODY
    game.over = 1
    write_result(game, 0, 0, seat, result)
    result.winner = 1 - (seat & 1)


@kernel
def close_deal(game: Record, rules: Rules, points_0: int, points_1: int, reneged: Seat, result: Record) -> None:
    """Add the points of a deal that is over to the score, and deal the next unless the episode ends."""
    game.scores[0] += points_0
    game.scores[1] += points_1
    game.over = game.one_deal or game_winner(game.scores, rules) != NO_TEAM
    write_result(game, points_0, points_1, reneged, result)
    if game.over:
        if not game.one_deal:
            result.winner = game_winner(game.scores, rules)
    else:
        game.deal_number += 1
        left = left_of(game.deal.dealer)  # a reneged deal counts as neither thrown in nor dealt again
        start_deal(game, rules, next_dealer(game.deal, rules) if reneged == NOBODY else left)


@kernel
def game_winner(scores: np.ndarray, rules: Rules) -> int:
    """The team with `points_to_win` or more and a lead of `win_by`, else `NO_TEAM`; scores int64, shape (2,)."""
    leader = 0 if scores[0] > scores[1] else 1
    wins = scores[leader] >= rules.points_to_win and scores[leader] - scores[1 - leader] >= rules.win_by
    return leader if wins else NO_TEAM


@kernel
def write_result(game: Record, points_0: int, points_1: int, reneged: Seat, result: Record) -> None:
    """Fill `result` from the game's deal; no winner yet."""
    deal = game.deal
    result.episode = game.episode
    result.deal_number = game.deal_number
    result.dealer = deal.dealer
    result.num_passes = deal.num_passes
    result.trump = deal.trump
    result.maker = deal.maker
    result.alone = deal.alone
    result.lone_defender = deal.lone_defender
    result.tricks = deal.tricks
    result.points[0] = points_0
    result.points[1] = points_1
    result.scores = game.scores
    result.reneged = reneged
    result.over = game.over
    result.winner = NO_TEAM
