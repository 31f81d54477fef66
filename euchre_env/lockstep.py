"""Kernels that carry many tables forward together, and read off all of them what each seat to act needs.

Nothing here knows of Python's objects: `Tables` owns the records and checks what it is given.
"""

import numpy as np

from euchre_env.cards import nth_member
from euchre_env.counter_rng import (
    DECISION,
    EPISODE,
    PLAYER_LANES,
    derived_seed,
    random_below,
    random_member,
    stream_key,
)
from euchre_env.deal import NOBODY, OVER, Rules, Seat, is_legal, legal_actions
from euchre_env.game import act, first_dealer, forfeit, renege, settle, start_table
from euchre_env.kernel import Record, Records, kernel
from euchre_env.observation import observe
from euchre_env.state import encode_hidden
from euchre_env.view import frame_of, make_view

RENEGE, FORFEIT = -1, -2  # in place of an action: the seat to act reneges, or loses its game


@kernel
def start_episode(table: Record, rules: Rules, seed: int, episode: int, one_deal: int, dealer: Seat) -> None:
    """Start episode number `episode` of `seed`; dealer `NOBODY` means the episode's own."""
    episode_seed = derived_seed(seed, EPISODE, episode)
    if dealer == NOBODY:
        dealer = episode & 3 if one_deal else first_dealer(episode_seed)
    start_table(table, rules, episode, episode_seed, dealer, 0, one_deal)


@kernel
def skip_forced_moves(table: Record, rules: Rules) -> None:
    """Act for as long as the seat to act has only one legal action."""
    while table.deal.phase != OVER:
        legal = legal_actions(table.deal, rules)
        if legal & (legal - 1):
            return
        act(table, rules, nth_member(legal, 0))


@kernel
def start_rows(
    tables: Records, rules: Records, first_episode: int, seed: int, one_deal: int, dealer: Seat, skip_forced: bool
) -> None:
    """Start one episode on every row, in order."""
    for i in range(len(tables)):
        start_episode(tables[i], rules[0], seed, first_episode + i, one_deal, dealer)
        if skip_forced:
            skip_forced_moves(tables[i], rules[0])


@kernel
def first_illegal(tables: Records, rules: Records, actions: np.ndarray) -> int:
    """The first row whose action is not legal, -1 if there is none."""
    for i in range(len(actions)):
        if not is_legal(tables[i].deal, rules[0], actions[i]):
            return i
    return -1


@kernel
def step_rows(
    tables: Records,
    rules: Records,
    actions: np.ndarray,
    are_legal: bool,
    next_episode: int,
    end_episode: int,
    seed: int,
    dealer: Seat,
    skip_forced: bool,
    results: Records,
) -> tuple[int, int, int]:
    """Carry out one action on every row; how many rows are left, the next episode, how many deals ended.

    An action that is not legal is a renege, and `FORFEIT` a lost game (in a single deal, a renege); `are_legal` says
    that there is neither. Rows go from the last to the first, so that a row which moves into a gap has been served.
    """
    num_rows, num_results = len(actions), 0
    for i in range(len(actions) - 1, -1, -1):
        table, action = tables[i], actions[i]
        if action == FORFEIT and not table.one_deal:
            forfeit(table, results[num_results])
        elif not are_legal and not is_legal(table.deal, rules[0], action):
            renege(table, rules[0], results[num_results])
        else:
            act(table, rules[0], action)
            if skip_forced:
                skip_forced_moves(table, rules[0])
            if table.deal.phase != OVER:
                continue
            settle(table, rules[0], results[num_results])
        num_results += 1
        if table.over:
            if next_episode == end_episode:
                num_rows -= 1
                tables[i] = tables[num_rows]
                continue
            start_episode(table, rules[0], seed, next_episode, table.one_deal, dealer)
            next_episode += 1
        if skip_forced:
            skip_forced_moves(table, rules[0])
    return num_rows, next_episode, num_results


@kernel
def decision_key(table: Record, a: int, b: int) -> int:
    """A random number from 0 to 2**31 - 1 that belongs to the decision at hand and to the player with lanes (a, b)."""
    return random_below(table.keys[0] ^ a, table.keys[1] ^ b, table.num_actions, 1 << 31)


@kernel
def key_rows(tables: Records, rows: np.ndarray, seed: int, keys: np.ndarray) -> None:
    """The decision key of each of `rows` for a player with `seed`."""
    a, b = stream_key(seed, DECISION, PLAYER_LANES)
    for i in range(len(rows)):
        keys[i] = decision_key(tables[rows[i]], a, b)


@kernel
def choose_at_random(tables: Records, rules: Records, seed: int, actions: np.ndarray) -> None:
    """A uniformly random legal action for every row, drawn from its decision key."""
    a, b = stream_key(seed, DECISION, PLAYER_LANES)
    for i in range(len(actions)):
        legal = legal_actions(tables[i].deal, rules[0])
        actions[i] = random_member(legal, decision_key(tables[i], a, b))


@kernel
def view_rows(tables: Records, rows: np.ndarray, rules: Records, views: Records) -> None:
    """The view of the seat to act at each of `rows`."""
    for i in range(len(rows)):
        table = tables[rows[i]]
        make_view(table.deal, table.scores, rules[0], table.deal.turn, views[i])


@kernel
def encode_rows(
    tables: Records,
    rows: np.ndarray,
    rules: Records,
    relative_suits: bool,
    views: Records,
    observations: np.ndarray,
    masks: np.ndarray,
) -> None:
    """The observation and action mask of the seat to act at each of `rows`; views[0] is scratch."""
    for i in range(len(rows)):
        table = tables[rows[i]]
        viewer = table.deal.turn
        observe(table.deal, table.scores, rules[0], viewer, relative_suits, views[0], observations[i], masks[i])


@kernel
def encode_hidden_rows(tables: Records, rows: np.ndarray, relative_suits: bool, out: np.ndarray) -> None:
    """The cards hidden from the seat to act at each of `rows`."""
    for i in range(len(rows)):
        deal = tables[rows[i]].deal
        encode_hidden(deal, deal.turn, frame_of(deal) if relative_suits else 0, out[i])


@kernel
def legal_rows(tables: Records, rows: np.ndarray, rules: Records, legal: np.ndarray) -> None:
    """The legal actions of the seat to act at each of `rows`."""
    for i in range(len(rows)):
        legal[i] = legal_actions(tables[rows[i]].deal, rules[0])


@kernel
def frame_rows(tables: Records, frames: np.ndarray) -> None:
    """The suit that relative suits call 0 at each row."""
    for i in range(len(frames)):
        frames[i] = frame_of(tables[i].deal)
