"""Playing deals and games between players: the match loop, and parts of a match.

`play` is the one match loop, over `Tables`. Every seat is asked at every turn, forced moves included, as in the
environment: an illegal answer is a renege even if only one action was legal (docs/rules.md, "Reneging").
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from euchre_env.game import Episode
from euchre_env.house_rules import HouseRules
from euchre_env.random_streams import FIRST_GAME
from euchre_env.tables import Tables
from euchre_eval.match_player import MatchPlayer, Reneges
from euchre_eval.seated_players import SeatedPlayers
from euchre_eval.swings import NOTHING, ActionLog, Kept, keep_actions
from euchre_eval.workers import Tick, equal_parts

# what is played ("deals", "games"), how many are done, of how many
Progress: TypeAlias = Callable[[str, int, int], object]

MAX_PAIRS = 10**9
MAX_DEALS = 10_000  # in one game; games to 99 points take about two hundred
BATCH_SIZE = 4096  # pairs played at once
SEATINGS = (0, 1)
# A part of players who answer in batches: many of them let several processes end at once, large ones ask less often.
NUM_PARTS, MIN_PART, MAX_PART = 8, 64, 2048  # the last two in pairs


class EndlessGameError(RuntimeError):
    """A game is not over after `MAX_DEALS` deals, for example because all players always pass."""


def play(
    tables: Tables,
    seated: Sequence[MatchPlayer],
    tick: Tick | None = None,
    *,
    watch: Callable[[np.ndarray], object] | None = None,
) -> Iterator[np.ndarray]:
    """Play every episode of `tables` to its end, with the prepared player `seated[s]` at seat s.

    Args:
        tables: the tables, whose games are played on from where they are.
        seated: the players in the order of the seats.
        tick: called after each step, with a number of 0.
        watch: called before each step with the actions of all rows, int64; those below 0 are reneges.

    Yields:
        After each step in which a deal ended: the results of the ended deals, dtype RESULT, shape (n,).

    Raises:
        EndlessGameError: if a game does not end.
    """
    deal_begins = True
    while len(tables):
        if deal_begins:
            for seat, player in enumerate(seated):
                player.start_deal(seat, tables)
        turns = tables.turns
        actions = np.empty(len(turns), np.int64)
        for seat, player in enumerate(seated):
            rows = np.flatnonzero(turns == seat)
            if len(rows):
                actions[rows] = player.answer(tables, rows)
        if watch is not None:
            watch(actions)
        results = tables.step(actions, illegal="renege")
        if tick is not None:
            tick("", 0)
        deal_begins = len(results) > 0
        if not deal_begins:
            continue
        if results["deal_number"].max() >= MAX_DEALS:
            names = ", ".join(player.name for player in seated)
            raise EndlessGameError(f"a game of {names} is not over after {MAX_DEALS} deals; does anybody ever call?")
        yield results


class MatchPart(NamedTuple):
    """A part of a match: some pairs of deals, or of games, in one seating or in both."""

    episode: Episode
    pairs: range
    """The numbers of the deals, or of the games, from 0."""
    seatings: tuple[int, ...]


class Plays(NamedTuple):
    """What was played in a part of a match, from the first team's side."""

    margins: np.ndarray
    """The first team's points less the other's in the last deal of each episode, int16, shape (seatings, pairs)."""
    wins: np.ndarray
    """Whether the first team won the game, bool, shape (seatings, pairs)."""
    reneges: list[Reneges]
    """The reneges at each place."""
    kept: Kept
    """The actions of the deals that swung most, and of others."""


def match_parts(episode: Episode, number: int, are_batched: bool) -> list[MatchPart]:
    """Cut `number` pairs into parts, which depend on the arguments alone.

    Players who answer in batches play both seatings of some pairs in each part. Any other player has a copy that lasts
    for a whole seating, so a part is a whole seating.
    """
    if not are_batched:
        return [MatchPart(episode, range(number), (seating,)) for seating in SEATINGS] if number else []
    return [MatchPart(episode, pairs, SEATINGS) for pairs in batched_runs(number)]


def batched_runs(number: int) -> list[range]:
    """The numbers 0 to `number` - 1 of episodes in the runs in which players who answer in batches play them."""
    return equal_parts(number, NUM_PARTS, MIN_PART, MAX_PART)


@dataclass(frozen=True)
class PlayPart:
    """Plays any part of one match: the work that several processes may share."""

    players: SeatedPlayers
    rules: HouseRules
    seed: int
    batch_size: int

    def __call__(self, part: MatchPart, tick: Tick) -> Plays:
        """Play a part; the ticks count plays of "deals" or "games", two for each pair.

        Raises:
            ValueError: as `prepared_players` does.
            EndlessGameError: if a game does not end.
        """
        first = part.pairs.start + (FIRST_GAME if part.episode == "game" else 0)
        shape = len(part.seatings), len(part.pairs)
        margins, wins = np.empty(shape, np.int16), np.empty(shape, np.bool_)
        logs = list[np.ndarray]()
        for row, seating in enumerate(part.seatings):
            tables = Tables(
                self.batch_size if self.players.are_batched else 1,
                self.rules,
                self.seed,
                episode=part.episode,
                num_episodes=len(part.pairs),
                first_episode=first,
            )
            log = ActionLog(tables, part.pairs) if part.episode == "deal" else None
            with self.players.prepared(seating) as seated:
                for results in play(tables, seated, tick, watch=None if log is None else log.watch):
                    last = results[results["over"] == 1]
                    which, points = last["episode"] - first, last["points"]
                    margins[row, which] = points[:, seating] - points[:, 1 - seating]
                    wins[row, which] = last["winner"] == seating
                    tick(f"{part.episode}s", len(last))
            if log is not None:
                logs.append(log.actions)
        kept = keep_actions(part.pairs, part.seatings, margins, logs) if logs else NOTHING
        return Plays(margins, wins, self.players.take_reneges(), kept)


def put_together(parts: Sequence[MatchPart], values: Sequence[np.ndarray], episode: Episode, number: int) -> np.ndarray:
    """The values of all parts of one kind of episode, shape (2, number), of the type of the values."""
    whole = np.empty((len(SEATINGS), number), values[0].dtype)
    for part, some in zip(parts, values, strict=True):
        if part.episode == episode:
            whole[list(part.seatings), part.pairs.start : part.pairs.stop] = some
    return whole


class CountUp:
    """Turns the numbers of ticks into the totals that `Progress` is told of.

    Args:
        progress: told of each new total.
        totals: by what is counted, the total at the end.
        plays: how many that are ticked count as one.
    """

    def __init__(self, progress: Progress, totals: dict[str, int], plays: int = 1) -> None:
        self._progress, self._totals, self._plays = progress, totals, plays
        self._ticked = dict.fromkeys(totals, 0)

    def __call__(self, what: str, number: int) -> None:
        """Add a number; see `workers.Tick`."""
        before = self._ticked[what] // self._plays
        self._ticked[what] += number
        done = self._ticked[what] // self._plays
        if done > before:
            self._progress(what, done, self._totals[what])
