"""Batched kernels: step many games at once, and read the position of the seat to act in each.

The kernels use no Python objects: `Tables` owns the records and checks its arguments. `games` is a record array of
dtype GAME; `rules` has dtype RULES, and a game selects its rules by `rules_index`; `batch` is a record of dtype BATCH.
In a kernel with an argument `rows`, entry i of actions or answers belongs to row `rows[i]`; if `rows` is empty, to row
i. Playing all rows is the common case, in which reading row numbers from an array would cost a tenth of the time.
"""

import numpy as np

from euchre_env.actions import NUM_ACTIONS
from euchre_env.cards import nth_member, num_members
from euchre_env.counter_rng import derived_seed, random_below, random_member, stream_key
from euchre_env.deal import NOBODY, NUM_TRICKS, OVER, PLAY, Deal, Rules, is_legal, legal_actions
from euchre_env.game import act, clear_game, first_dealer, forfeit, renege, settle, start_deal
from euchre_env.kernel import Record, Records, kernel
from euchre_env.observation import OBSERVATION_SIZE, observe
from euchre_env.random_streams import DECISION, EPISODE, EPISODE_KEY, PLAYER_KEY, POSITION
from euchre_env.relative_suits import frame_of
from euchre_env.state import encode_hidden, encode_state
from euchre_env.view import make_view

RENEGE, FORFEIT = -1, -2  # in place of an action: the seat to act reneges, or loses its game

BATCH = np.dtype(
    [
        ("num_rows", np.int64),  # rows in play
        ("next_episode", np.int64),  # the number of the episode that starts next
        ("end_episode", np.int64),  # one more than the number of the last episode
        ("seed", np.int64),  # fixes every episode
        ("one_deal", np.int64),  # 1 when an episode is a single deal
        ("dealer", np.int64),  # the first dealer of every episode; NOBODY if it depends on the episode
        ("skip_forced", np.int64),  # 1 when forced moves are played automatically
    ],
    align=True,
)


@kernel
def row_at(rows: np.ndarray, i: int) -> np.uint64:
    """The row of entry i; unsigned, so that indexing needs no case for negative numbers."""
    return np.uint64(i) if len(rows) == 0 else np.uint64(rows[i])


@kernel
def rules_of(game: Record, rules: Records) -> Rules:
    """The rules of `game`."""
    return rules[np.uint64(game.rules_index)]


@kernel
def start_row(games: Records, row: np.uint64, rules: Records, positions: Records, batch: Record, episode: int) -> None:
    """Start number `episode` on a row: from `positions` if there are any, else from the batch's seed."""
    if len(positions) > 0:
        start_position(games, row, positions, batch.seed, episode)
    else:
        start_episode(games[row], rules, batch, episode)
    game = games[row]
    if batch.skip_forced:
        skip_forced_moves(game, rules_of(game, rules), False)


@kernel
def start_episode(game: Record, rules: Records, batch: Record, episode: int) -> None:
    """Start number `episode` with a fresh deal, under rule set `episode` modulo their number."""
    seed, dealer = derived_seed(batch.seed, EPISODE, episode), batch.dealer
    if dealer == NOBODY:
        dealer = episode & 3 if batch.one_deal else first_dealer(seed)
    clear_game(game, seed, 0, batch.one_deal)
    game.episode = episode
    if len(rules) > 1:
        game.rules_index = episode % len(rules)
    start_deal(game, rules_of(game, rules), dealer)


@kernel
def start_position(games: Records, row: np.uint64, positions: Records, seed: int, episode: int) -> None:
    """Start number `episode` from its position, with its own random numbers; the episode ends with its deal."""
    games[row] = positions[episode]
    game = games[row]
    game.episode = episode
    game.num_actions = 0
    game.one_deal = 1
    game.over = 0
    game.keys[0], game.keys[1] = stream_key(derived_seed(seed, POSITION, episode), DECISION, EPISODE_KEY)


@kernel
def skip_forced_moves(game: Record, rules: Rules, may_end_deal: bool) -> None:
    """Play forced moves as long as there are any, but the last card of the deal only if `may_end_deal`."""
    deal = game.deal
    while deal.phase != OVER:
        legal = legal_actions(deal, rules)
        if legal & (legal - 1) or (not may_end_deal and is_last_play(deal)):
            return
        act(game, rules, nth_member(legal, 0))


@kernel
def is_last_play(deal: Deal) -> bool:
    """Whether the next card ends the deal."""
    is_last_trick = deal.phase == PLAY and deal.trick == NUM_TRICKS - 1
    return is_last_trick and deal.num_played == 3 - num_members(deal.sitting_out)


@kernel
def start_rows(games: Records, rules: Records, positions: Records, batches: Records) -> None:
    """Start one episode on every row, in order."""
    batch = batches[0]
    for row in range(len(games)):
        start_row(games, np.uint64(row), rules, positions, batch, batch.next_episode)
        batch.next_episode += 1


@kernel
def first_illegal(games: Records, rules: Records, rows: np.ndarray, actions: np.ndarray) -> int:
    """The index of the first action that is not legal, -1 if there is none."""
    for i in range(len(actions)):
        game = games[row_at(rows, i)]
        if not is_legal(game.deal, rules_of(game, rules), actions[i]):
            return i
    return -1


@kernel
def step_rows(
    games: Records,
    rules: Records,
    positions: Records,
    batches: Records,
    rows: np.ndarray,
    actions: np.ndarray,
    are_legal: bool,
    results: Records,
) -> int:
    """Carry out one action on each of `rows`, in strictly rising order, and return the number of deals that ended.

    An action that is not legal is a renege, and `FORFEIT` a lost game (in a single deal, a renege); `are_legal` means
    that there is neither. The loop goes from the last row to the first, so a row that moves into a gap has acted.
    """
    batch, num_results = batches[0], 0
    skip_forced = batch.skip_forced
    for i in range(len(actions) - 1, -1, -1):
        row, action = row_at(rows, i), actions[i]
        game = games[row]
        own_rules = rules_of(game, rules)
        if action == FORFEIT and not game.one_deal:
            forfeit(game, results[num_results])
        elif not are_legal and not is_legal(game.deal, own_rules, action):
            renege(game, own_rules, results[num_results])
        else:
            act(game, own_rules, action)
            if skip_forced:
                skip_forced_moves(game, own_rules, True)
            if game.deal.phase != OVER:
                continue
            settle(game, own_rules, results[num_results])
        num_results += 1
        if not game.over:
            if skip_forced:
                skip_forced_moves(game, own_rules, True)
        elif batch.next_episode == batch.end_episode:
            batch.num_rows -= 1
            games[row] = games[batch.num_rows]
        else:
            start_row(games, row, rules, positions, batch, batch.next_episode)
            batch.next_episode += 1
    return num_results


@kernel
def decision_key(game: Record, a: int, b: int) -> int:
    """A 31-bit random number for the next decision, from the episode's key, its number of actions and a player's key.

    (a, b) is the key of stream (player's seed, DECISION, PLAYER_KEY).
    """
    return random_below(game.keys[0] ^ a, game.keys[1] ^ b, game.num_actions, 1 << 31)


@kernel
def key_rows(games: Records, rows: np.ndarray, seed: int, keys: np.ndarray) -> None:
    """The decision key of each of `rows` for a player with `seed`."""
    a, b = stream_key(seed, DECISION, PLAYER_KEY)
    for i in range(len(keys)):
        keys[i] = decision_key(games[row_at(rows, i)], a, b)


@kernel
def choose_at_random(games: Records, rows: np.ndarray, rules: Records, seed: int, actions: np.ndarray) -> None:
    """A uniformly random legal action for each of `rows`, drawn from its decision key."""
    a, b = stream_key(seed, DECISION, PLAYER_KEY)
    for i in range(len(actions)):
        game = games[row_at(rows, i)]
        legal = legal_actions(game.deal, rules_of(game, rules))
        actions[i] = random_member(legal, decision_key(game, a, b))


@kernel
def step_if_legal(
    games: Records,
    rules: Records,
    positions: Records,
    batches: Records,
    rows: np.ndarray,
    actions: np.ndarray,
    results: Records,
) -> int:
    """`step_rows` if every action is legal; else change nothing and return -1 - (index of the first illegal action)."""
    bad = first_illegal(games, rules, rows, actions)
    return -1 - bad if bad >= 0 else step_rows(games, rules, positions, batches, rows, actions, True, results)


@kernel
def step_at_random(
    games: Records, rules: Records, positions: Records, batches: Records, rows: np.ndarray, seed: int, results: Records
) -> int:
    """`step_rows` with the actions of `choose_at_random`, on every row."""
    actions = np.empty(batches[0].num_rows, np.int64)
    choose_at_random(games, rows, rules, seed, actions)
    return step_rows(games, rules, positions, batches, rows, actions, True, results)


@kernel
def view_rows(games: Records, rows: np.ndarray, rules: Records, views: Records) -> None:
    """The view of the seat to act at each of `rows`."""
    for i in range(len(views)):
        game = games[row_at(rows, i)]
        make_view(game.deal, game.scores, rules_of(game, rules), game.deal.turn, views[i])


@kernel
def observe_rows(
    games: Records,
    rows: np.ndarray,
    rules: Records,
    relative_suits: bool,
    views: Records,
    observations: np.ndarray,
    masks: np.ndarray,
) -> None:
    """The observation and action mask of the seat to act at each of `rows`; views[0] is scratch."""
    view = views[0]
    for i in range(len(observations)):
        game = games[row_at(rows, i)]
        own_rules, viewer = rules_of(game, rules), game.deal.turn
        observe(game.deal, game.scores, own_rules, viewer, relative_suits, view, observations[i], masks[i])


@kernel
def state_rows(games: Records, rows: np.ndarray, rules: Records, views: Records, out: np.ndarray) -> None:
    """The state of each of `rows`; views[0] is scratch."""
    observation, mask = np.empty(OBSERVATION_SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
    for i in range(len(out)):
        game = games[row_at(rows, i)]
        observe(game.deal, game.scores, rules_of(game, rules), 0, False, views[0], observation, mask)
        encode_state(game.deal, observation, out[i])


@kernel
def hidden_rows(games: Records, rows: np.ndarray, relative_suits: bool, out: np.ndarray) -> None:
    """The cards hidden from the seat to act at each of `rows`."""
    for i in range(len(out)):
        deal = games[row_at(rows, i)].deal
        encode_hidden(deal, deal.turn, frame_of(deal) if relative_suits else 0, out[i])


@kernel
def legal_rows(games: Records, rows: np.ndarray, rules: Records, legal: np.ndarray) -> None:
    """The legal actions of the seat to act at each of `rows`."""
    for i in range(len(legal)):
        game = games[row_at(rows, i)]
        legal[i] = legal_actions(game.deal, rules_of(game, rules))


@kernel
def frame_rows(games: Records, rows: np.ndarray, frames: np.ndarray) -> None:
    """The suit that relative suits call 0 at each of `rows`."""
    for i in range(len(frames)):
        frames[i] = frame_of(games[row_at(rows, i)].deal)
