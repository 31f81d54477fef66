"""Worlds: a view with its hidden cards filled in makes a deal with all cards open, to play on from.

A world counts seats like its view: seat 0 is the viewer, 1 to 3 are `LEFT`, `PARTNER` and `RIGHT`, and team 0 is the
viewer's. The view of seat 0 in the world equals the original view, so a searching player can ask any player for its
choice there. Suits are those of the view: a view in relative suits gives a world in relative suits.

`sample_worlds` draws worlds of one view or of many: each of the deals that agree with the view is equally likely. The
real deal is no argument. This example tries each legal bid in 100 worlds and continues at random.

>>> from euchre_env import Table, Tables
>>> from euchre_env.actions import actions_in
>>> view = Table(seed=7).view()
>>> worlds = sample_worlds(view, 100, keys=1)
>>> bids = actions_in(view.legal)
>>> tables = Tables(positions=np.tile(worlds.games(), len(bids)), rules=worlds.rules)
>>> all(seen == view for seen in tables.views())
True
>>> ended = [tables.step(np.repeat(bids, 100))]
>>> while len(tables):
...     ended.append(tables.step_at_random(seed=0))
>>> results = np.sort(np.concatenate(ended), order="episode")
>>> results["points"].reshape(len(bids), 100, 2).shape  # the points of the viewer's team come first
(3, 100, 2)

`deal_of_world` takes hidden cards from elsewhere and checks them; `hand_size` and `hides_discard` describe the cards
that it needs. The kernel `lay_world` writes a world without checks, for loops that make valid guesses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from euchre_env.cards import NO_CARD
from euchre_env.checks import array_kind, check_number, check_numbers, shortened
from euchre_env.counter_rng import MAX_SEED, random_below_large, stream_key
from euchre_env.deal import DEAL, Deal
from euchre_env.game import GAME, clear_game
from euchre_env.hidden_cards import (
    HIDDEN,
    LAYOUT,
    TABLE_SIZE,
    count_ways,
    hand_size,
    hides_discard,
    lay_way,
)
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Record, RecordHolder, Records, as_records, kernel, records, row
from euchre_env.positions import replay
from euchre_env.random_streams import WORLD
from euchre_env.view import ME, VIEW, View, batch_of, make_view, points_needed
from euchre_env.world_of_cards import check_in_progress, check_view, deal_of_world, is_within_bounds, lay_world

__all__ = [
    "Worlds",
    "count_worlds",
    "deal_of_world",
    "games_of_worlds",
    "hand_size",
    "hides_discard",
    "is_within_bounds",
    "lay_world",
    "numbered_worlds",
    "sample_worlds",
    "scores_of",
]

MAX_WORLDS = 2**31 - 1  # of one view in one call


@dataclass(frozen=True, eq=False)
class Worlds(RecordHolder):
    """N worlds of each of V views. They are equally likely if `sample_worlds` drew them."""

    views: Records
    """The views, dtype VIEW, shape (V,)."""
    counts: np.ndarray
    """How many worlds agree with each view, int64, shape (V,)."""
    numbers: np.ndarray
    """The number of each world among those of its view, 0 to the count less 1, int64, shape (V, N)."""
    hidden: Records
    """The hidden cards of each world, dtype HIDDEN, shape (V, N)."""

    def deals(self) -> Records:
        """The worlds as deals in progress in which seat 0 is the viewer: a fresh array, dtype DEAL, shape (V, N)."""
        deals = records(self.hidden.size, DEAL)
        lay_rows(self.views, self.hidden.reshape(-1), deals)
        return deals.reshape(self.hidden.shape)

    def games(self) -> Records:
        """The worlds as games, for `Tables(positions=worlds.games(), rules=worlds.rules)`.

        Returns:
            A fresh array, dtype GAME, shape (V * N,): game k is world k % N of view k // N, with the scores of
            `scores_of` its view.

        Raises:
            ValueError: if no scores fit a view.
        """
        games = _fresh_games(self.hidden.size)
        known: dict[tuple[int, ...], tuple[int, int]] = {}  # most views of a batch need the same points
        scores = np.empty((len(self.views), 2), np.int64)
        for i, (view, rules) in enumerate(zip(self.views, self.views["rules"], strict=True)):
            given = (*view["needed"].tolist(), int(rules["points_to_win"]), int(rules["win_by"]))
            if given not in known:
                known[given] = scores_of(view)
            scores[i] = known[given]
        games["scores"] = np.repeat(scores, self.hidden.shape[1], axis=0)
        games["deal"] = self.deals().reshape(-1)
        return games

    @property
    def rules(self) -> tuple[HouseRules, ...]:
        """The house rules of `games`: one if all views have the same, "standard" if there are none, else one a game."""
        rules = self.views["rules"]
        unpacked: dict[bytes, HouseRules] = {}
        for i in range(len(rules)):
            if rules[i].tobytes() not in unpacked:
                unpacked[rules[i].tobytes()] = HouseRules.unpacked(rules[i])
        if len(unpacked) <= 1:
            return (*unpacked.values(),) or (HouseRules(),)
        each = [unpacked[rules[i].tobytes()] for i in range(len(rules))]
        return tuple(own for own in each for _ in range(self.hidden.shape[1]))


def sample_worlds(views: Records | View, num_worlds: int, keys: np.ndarray | int) -> Worlds:
    """Draw worlds of each view, with replacement; every deal that agrees with the view is equally likely.

    The deals are those whose cards could have been dealt and with which every action so far was legal. A deal that
    `no_ace_no_face` deals again is none of them.

    Args:
        views: dtype VIEW, shape (V,), each of one seat, to act or not, in a deal in progress; or a single view.
        num_worlds: the number of worlds for each view.
        keys: a random number for each view, 0 to 2**63 - 1, such as `Tables.decision_keys`. World n of a view depends
            on the view, its key and n alone.

    Returns:
        The worlds, with V = 1 for a single view.

    Raises:
        ValueError: if an argument is invalid, or no deal agrees with a view; the message names the view.
    """
    batch = _as_batch(views)
    keys = check_numbers([keys] if np.ndim(keys) == 0 else keys, "keys")
    if keys.shape != (len(batch),):
        raise ValueError(f"there must be a key for each of {len(batch)} views, not keys of shape {keys.shape}")
    if len(keys) and keys.min() < 0:
        raise ValueError(f"keys must be from 0 to {MAX_SEED}, not {keys.min()}")
    num_worlds = check_number(num_worlds, 1, MAX_WORLDS, "num_worlds")
    return _make_worlds(batch, np.zeros((len(batch), num_worlds), np.int64), keys, isinstance(views, np.void))


def numbered_worlds(views: Records | View, numbers: np.ndarray | Sequence[int]) -> Worlds:
    """The worlds of each view that have these numbers; `count_worlds` says how many there are.

    Every world of a view once, to average over all of them:

    >>> from euchre_env.table import Table
    >>> table = Table("midwest", seed=3)
    >>> while table.view().trick < 4:
    ...     _ = table.step(table.legal_actions()[0])
    >>> count = int(count_worlds(table.view())[0])
    >>> worlds = numbered_worlds(table.view(), range(count))
    >>> len(np.unique(worlds.hidden)) == count > 1
    True

    Args:
        views: as for `sample_worlds`.
        numbers: int64, shape (V, N), or (N,) for a single view, each from 0 to the number of its view's worlds less 1.

    Returns:
        The worlds, with V = 1 for a single view.

    Raises:
        ValueError: if an argument is invalid, or no deal agrees with a view; the message names the view.
    """
    batch, is_single = _as_batch(views), isinstance(views, np.void)
    numbers = check_numbers(numbers, "numbers").copy()
    if is_single and numbers.ndim == 1:
        numbers = numbers.reshape(1, -1)
    if numbers.ndim != 2 or len(numbers) != len(batch) or numbers.shape[1] == 0:
        raise ValueError(f"numbers must have shape (n,) for one view, else ({len(batch)}, n), not {numbers.shape}")
    return _make_worlds(batch, numbers, np.empty(0, np.int64), is_single)


def count_worlds(views: Records | View) -> np.ndarray:
    """How many worlds agree with each view, int64, shape (V,); arguments and errors are those of `sample_worlds`.

    >>> from math import factorial
    >>> from euchre_env.table import Table
    >>> int(count_worlds(Table(seed=1).view())[0]), factorial(18) // (factorial(5) ** 3 * factorial(3))
    (617512896, 617512896)
    """
    batch = _as_batch(views)
    return numbered_worlds(batch, np.zeros((len(batch), 1), np.int64)).counts


def _as_batch(views: Records | View) -> Records:
    """The views as a fresh array, dtype VIEW, shape (V,)."""
    if isinstance(views, np.void):
        return batch_of(views)  # type: ignore[arg-type]  # one record of dtype VIEW
    if not isinstance(views, np.ndarray) or views.dtype != VIEW or views.ndim != 1:
        raise ValueError(f"views must be records of dtype VIEW, shape (n,), or one of them, not {array_kind(views)}")
    return as_records(np.array(views, VIEW, order="C"))


def _make_worlds(views: Records, numbers: np.ndarray, keys: np.ndarray, is_single: bool) -> Worlds:
    """The worlds with these numbers, or with numbers drawn from `keys` if there are any; checks the views."""
    counts, hidden = np.zeros(len(views), np.int64), records(numbers.size, HIDDEN)
    first, replayed, seen = records(len(views), DEAL), records(len(views), DEAL), records(len(views), VIEW)
    bad = hide_rows(views, keys, numbers, records(1, LAYOUT), counts, hidden, first)
    if bad < 0:
        recall_rows(views, first, replayed, seen)
        differs = (_as_numbers(first) != _as_numbers(replayed)).any(axis=1)
        differs |= (_as_numbers(seen) != _as_numbers(views)).any(axis=1)
        bad = int(differs.argmax()) if differs.any() else -1
    if bad >= 0:
        try:
            _raise_fault(row(views, bad), int(counts[bad]), numbers[bad], row(first, bad))
        except ValueError as error:
            raise ValueError(str(error) if is_single else f"view {bad}: {error}") from None
    return Worlds(views, counts, numbers, hidden.reshape(numbers.shape))


def _as_numbers(batch: Records) -> np.ndarray:
    """All fields of each record, which are int64, as rows of an array."""
    return batch.view(np.ndarray).view(np.int64).reshape(len(batch), batch.dtype.itemsize // 8)


def _raise_fault(view: View, count: int, numbers: np.ndarray, first: Deal) -> None:
    """Raise the ValueError of a view of which a world could not be made; `first` is the first world tried."""
    check_in_progress(view, first)
    if count == 0:
        raise ValueError("no deal agrees with the view")
    if numbers.min() < 0 or numbers.max() >= count:
        wrong = numbers[(numbers < 0) | (numbers >= count)][0]
        raise ValueError(f"the view has {count} worlds, numbered from 0, and none of them is number {wrong}")
    check_view(view, first)


@kernel
def hide_rows(
    views: Records,
    keys: np.ndarray,
    numbers: np.ndarray,
    scratch: Records,
    counts: np.ndarray,
    hidden: Records,
    first: Records,
) -> int:
    """Write the hidden cards of the worlds of each view.

    Args:
        views: dtype VIEW, (V,).
        keys: int64, (V,), from which numbers are drawn; or empty.
        numbers: int64, (V, N), the numbers of the worlds; overwritten if there are keys.
        scratch: one record of dtype LAYOUT, overwritten.
        counts: int64, (V,), becomes the number of worlds that agree with each view.
        hidden: dtype HIDDEN, (V * N,).
        first: dtype DEAL, (V,), becomes the first world of each view.

    Returns:
        The first view that has no worlds or not those with its numbers, -1 if there is none.
    """
    layout, table, no_hands = scratch[0], np.empty(TABLE_SIZE, np.int64), np.zeros(3, np.int64)
    num_worlds = numbers.shape[1]
    for i in range(len(views)):
        view = views[i]
        lay_world(view, no_hands, 0, NO_CARD, first[i])
        if not is_within_bounds(first[i]):
            return i
        counts[i] = count_ways(view, layout, table)
        if counts[i] == 0:
            return i
        for n in range(num_worlds):
            if len(keys) > 0:
                a, b = stream_key(keys[i], WORLD, n)
                numbers[i, n] = random_below_large(a, b, 0, counts[i])
            if not 0 <= numbers[i, n] < counts[i]:
                return i
            lay_way(view, layout, table, numbers[i, n], hidden[i * num_worlds + n])
        lay_world_of(view, hidden[i * num_worlds], first[i])
    return -1


@kernel
def recall_rows(views: Records, worlds: Records, replayed: Records, seen: Records) -> None:
    """Replay each world's actions on the cards it was dealt, and write the view of its seat 0, with the same score."""
    scores = np.zeros(2, np.int64)
    for i in range(len(views)):
        replay(worlds[i], views[i].rules, replayed[i])
        make_view(worlds[i], scores, views[i].rules, ME, seen[i])
        for team in range(2):
            seen[i].needed[team] = views[i].needed[team]


@kernel
def lay_world_of(view: View, hidden: Record, deal: Deal) -> None:
    """Write the world of `view` with the hidden cards of a record of dtype HIDDEN to `deal`, without checks."""
    lay_world(view, hidden.hands, hidden.kitty, hidden.discard, deal)


@kernel
def lay_rows(views: Records, hidden: Records, deals: Records) -> None:
    """Write the worlds of V views with these hidden cards, dtype HIDDEN, (V * N,), to `deals`, dtype DEAL, (V * N,)."""
    for k in range(len(hidden)):
        lay_world_of(views[k * len(views) // len(hidden)], hidden[k], deals[k])


def scores_of(view: View) -> tuple[int, int]:
    """Scores of teams 0 (the viewer's) and 1 from which `make_view` computes the points needed in `view`.

    Several scores may fit, as in a game past its target under `win_by=2`; then one of them is returned. In a game that
    is not won they are equivalent: both teams need the same points after any further scores.

    Raises:
        ValueError: if no scores fit.
    """
    view = row(batch_of(view))
    ours, theirs = (int(needed) for needed in view.needed)
    target, lead = int(view.rules.points_to_win), int(view.rules.win_by)
    ahead = theirs - lead if theirs > ours else lead - ours  # the viewer's team, if both teams need the lead
    least = max(target - lead, 0)  # from here on a team makes the other need the lead
    candidates = (
        (target - ours, target - theirs),  # each team needs the target
        (target - theirs + lead - ours, target - theirs),  # the viewer's team needs the lead, the other the target
        (target - ours, target - ours + lead - theirs),  # the other way round
        (least + max(ahead, 0), least + max(-ahead, 0)),  # each needs the lead, or has won by it
    )
    for own, other in candidates:
        needed = points_needed(own, other, view.rules), points_needed(other, own, view.rules)
        if min(own, other) >= 0 and needed == (ours, theirs):
            return own, other
    raise ValueError(f"no scores leave the teams {ours} and {theirs} points to win with {target} and a lead of {lead}")


def games_of_worlds(view: View, deals: Sequence[Deal] | np.ndarray) -> Records:
    """Worlds of one view as games, to play on from in a batch.

    Pass them to `Tables(positions=games, rules=HouseRules.unpacked(view.rules))`: episode k plays world k to the end of
    its deal, and in its results team 0 is the viewer's.

    Args:
        view: the view of the worlds; the games have the scores of `scores_of(view)`.
        deals: the worlds, records of dtype DEAL, shape (n,).

    Returns:
        A fresh array, dtype GAME, shape (n,).

    Raises:
        ValueError: if `deals` is not a list of deals, or no scores fit the view.
    """
    worlds = np.array(deals) if np.size(deals) else np.empty(0, DEAL)
    if worlds.dtype != DEAL or worlds.ndim != 1:
        raise ValueError(f"deals must be records of dtype DEAL, shape (n,), not {shortened(deals)}")
    games = _fresh_games(len(worlds))
    games["scores"] = scores_of(view)
    games["deal"] = worlds
    return games


def _fresh_games(length: int) -> Records:
    """Games of a single deal each, without score and cards: dtype GAME, shape (length,)."""
    fresh = records(1, GAME)
    clear_game(row(fresh), 0, 0, 1)
    games = records(length, GAME)
    games[:] = fresh[0]
    return games
