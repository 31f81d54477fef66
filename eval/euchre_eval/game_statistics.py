"""Statistics of play: what happens in games of any players, what each of them does, and reference figures."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from math import nan
from typing import Any, NamedTuple

import numpy as np

from euchre_agents.policy import Player
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed
from euchre_env.deal import NOBODY, NUM_TRICKS, PHASES, SEATS
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.tables import Tables
from euchre_eval.intervals import without_nan
from euchre_eval.match_player import Reneges, name_in_reports
from euchre_eval.playing import BATCH_SIZE, MAX_PAIRS, SEATINGS, CountUp, MatchPart, Progress, batched_runs, play
from euchre_eval.seated_players import Makers, SeatedPlayers, all_reneges, check_names
from euchre_eval.style import (
    BENNY_UP,
    CALL_KINDS,
    COLUMN,
    COLUMNS,
    PLACES,
    FinishedDeals,
    Measured,
    count_players,
    differences,
    measure,
)
from euchre_eval.workers import Tick, check_workers, do_parts

PLAY = PHASES.index("PLAY")
COUNT_AT_ONCE = 4096  # deals


@dataclass(frozen=True)
class PlayStatistics:
    """What happened in games of one, two or four players.

    Shares go from 0 to 1, and are nan without a deal to count. A deal that a renege ended counts only in `deals` and in
    the lengths of games. With several players, `deals` and games count both plays of each game.
    """

    deals: int
    """Deals played, thrown-in ones included."""
    named_round_one: float
    """Trump was named in round one, or by the dealer who turned up the Benny; of all deals."""
    named_round_two: float
    """Trump was named in round two; of all deals."""
    thrown_in: float
    """Everybody passed twice; of all deals."""
    makers_3_or_4: float
    """The makers took three or four tricks; of deals with a maker."""
    makers_5: float
    """The makers took all five tricks; of deals with a maker."""
    euchred: float
    """The makers took fewer than three tricks; of deals with a maker."""
    alone: float
    """The maker went alone; of deals with a maker."""
    alone_swept: float
    """A maker alone took all five tricks; of lone hands."""
    deals_per_game_median: int
    """The median number of deals in a game."""
    deals_per_game_p90: int
    """The 90th percentile of the number of deals in a game."""
    reneges: int = 0
    """Deals that ended because a player reneged."""
    players: tuple[str, ...] = ()
    """The names of the players."""
    sees_all: tuple[int, ...] = ()
    """The numbers of the players that see all cards, counted from 0 as in `players`."""
    counts: np.ndarray = field(
        default_factory=lambda: np.zeros((0, 0, len(COLUMNS)), np.int32), repr=False, compare=False
    )
    """What each player did in each sample, int32, shape (samples, players, len(style.COLUMNS)): a sample is a game, or
    both plays of a game. None are in the published figures."""

    @property
    def names_in_reports(self) -> list[str]:
        """The names of `players`, each with a mark if it sees all cards."""
        return [name_in_reports(name, number in self.sees_all) for number, name in enumerate(self.players)]

    def styles(self) -> list[dict[str, Measured]]:
        """The statistics of style of each player, by name; docs/statistics.md says what each is."""
        return [measure(self.counts[:, player]) for player in range(self.counts.shape[1])]

    def difference(self, other: "PlayStatistics | None" = None) -> dict[str, Measured]:
        """The statistics of style of the first player less those of the second, or less those of the first of `other`.

        Args:
            other: statistics of as many games of the same seed and rules, so that the samples have the same cards.

        Raises:
            ValueError: if there is no second player, or the numbers of samples differ.
        """
        one, two = self.counts, self.counts if other is None else other.counts
        number = 2 if other is None else 1
        if one.shape[1] == 0 or two.shape[1] < number:
            came = len(self.players) if other is None else min(len(self.players), len(other.players))
            raise ValueError(f"a difference needs {number} player{'s' * (number > 1)} or more, not {came}")
        if len(one) != len(two):
            raise ValueError(f"a difference needs as many games of both, not {len(one)} and {len(two)}")
        return differences(one[:, 0], two[:, number - 1])

    def as_json(self) -> dict[str, Any]:
        """The statistics as plain values for `json.dumps`; nan is null."""
        named = (each.name for each in fields(self) if each.name not in ("players", "counts"))
        values = {name: getattr(self, name) for name in named}
        values["styles"] = [
            {"player": name, "statistics": style_as_json(style)}
            for name, style in zip(self.players, self.styles(), strict=True)
        ]
        return without_nan(values)


def style_as_json(style: dict[str, Measured]) -> dict[str, dict[str, float | None]]:
    """Statistics of style as plain values for `json.dumps`; nan is null."""
    return {name: without_nan(asdict(measured)) for name, measured in style.items()}


# docs/rules.md, "Reference table": the table that came with the rule player's description; 5,000 games to 10.
REFERENCE = {
    "pagat": PlayStatistics(
        deals=61_481,
        named_round_one=0.638,
        named_round_two=0.323,
        thrown_in=0.039,
        makers_3_or_4=0.694,
        makers_5=0.201,
        euchred=0.105,
        alone=0.043,
        alone_swept=0.774,
        deals_per_game_median=12,
        deals_per_game_p90=16,
    ),
    "pagat,stick_the_dealer=true": PlayStatistics(
        deals=58_980,
        named_round_one=0.636,
        named_round_two=0.364,
        thrown_in=0.0,
        makers_3_or_4=0.690,
        makers_5=0.195,
        euchred=0.115,
        alone=0.041,
        alone_swept=0.757,
        deals_per_game_median=12,
        deals_per_game_p90=15,
    ),
}


def play_statistics(
    *players: Player,
    games: int = 5000,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    allow_cheating: bool = False,
    batch_size: int = BATCH_SIZE,
    workers: int | None = 1,
    makers: Makers | None = None,
    progress: Progress | None = None,
) -> PlayStatistics:
    """Play `games` games and count what happens.

    One player plays four copies of itself. Two players, or four, sit as in `play_match` and play every game twice:
    for the second play everybody moves one seat to the left, so that each holds the cards that another held.

    Args:
        players: one, two, or four in the order of their seats; their copies and random numbers are as in `play_match`.
        games: how many games to play.
        seed: fixes the games, and the players' keys and seeds.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: the players' names in the result and in messages; their `name` or their class if None.
        allow_cheating: whether players may see all cards (`sees_all`); the result says which do.
        batch_size: how many games to play at once, at most; the result does not depend on it.
        workers: how many processes may play, every core if None, as for `play_match`; they share the games of pure
            players, and else the seatings.
        makers: functions that make the players again in another process, as for `play_match`.
        progress: called as games end with "games", the number of games done and the total number.

    Raises:
        ValueError: if an argument is invalid, a player must be copied and cannot be, or it sees all cards and
            `allow_cheating` is false.
        TypeError: if a player has no method `act`, and no `act_deals` with `sees_all`.
        EndlessGameError: if a game does not end.
        WorkerError: if another process is killed.
    """
    if len(players) not in (1, 2, 4):
        raise ValueError(f"statistics take one player, two, or four, one for each seat; {len(players)} came")
    names = check_names(players, names)
    seed = check_seed(seed)
    games = check_number(games, 1, MAX_PAIRS, "games")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    house_rules = parse_rules(rules)
    seatings = SEATINGS[:1] if len(players) == 1 else SEATINGS
    seated = SeatedPlayers(players, names, seed, allow_cheating=allow_cheating, makers=makers)
    parts = (
        [MatchPart("game", some, seatings) for some in batched_runs(games)]
        if seated.are_batched
        else [MatchPart("game", range(games), (seating,)) for seating in seatings]
    )
    played = do_parts(
        _PlayGames(seated, house_rules, seed, batch_size, len(players)),
        parts,
        workers=check_workers(workers),
        progress=None if progress is None else CountUp(progress, {"games": games}, plays=len(seatings)),
    )
    counts = np.zeros((games, len(players), len(COLUMNS)), np.int32)
    for part, some in zip(parts, played, strict=True):
        counts[part.pairs.start : part.pairs.stop] += some.counts
    return _statistics(
        counts,
        np.concatenate([some.deals_in_game for some in played]),
        sum(some.num_reneged for some in played),
        sum(each.number for each in all_reneges(some.reneges for some in played)),
        tuple(names),
        seated.sees_all,
    )


class _Games(NamedTuple):
    """What happened in some games."""

    counts: np.ndarray
    """What each player did in each game, int32, shape (games, players, len(COLUMNS))."""
    deals_in_game: np.ndarray
    """The number of deals of each play of each game, int64, shape (seatings * games,)."""
    num_reneged: int
    """The number of deals that a renege ended."""
    reneges: list[Reneges]
    """The reneges at each place."""


@dataclass(frozen=True)
class _PlayGames:
    """Plays any part of the games: the work that several processes may share."""

    players: SeatedPlayers
    rules: HouseRules
    seed: int
    batch_size: int
    num_players: int

    def __call__(self, part: MatchPart, tick: Tick) -> _Games:
        """Play a part; the ticks count plays of "games"."""
        games = part.pairs
        counts = np.zeros((len(games), self.num_players, len(COLUMNS)), np.int32)
        deals_in_game = np.zeros((len(part.seatings), len(games)), np.int64)
        num_reneged = 0
        for row, seating in enumerate(part.seatings):
            tables = Tables(
                self.batch_size if self.players.are_batched else 1,
                self.rules,
                self.seed,
                episode="game",
                num_episodes=len(games),
                first_episode=games.start,
            )
            # Seat s is the place of player (s - seating) & 3, and the players sit at every len(players)-th place.
            owners = [((seat - seating) & 3) % self.num_players for seat in SEATS]
            watcher, ended, waiting = EndWatcher(tables), list[FinishedDeals](), 0

            def count(ended: list[FinishedDeals], owners: list[int] = owners) -> None:
                _add_counts(counts, ended, owners, games.start, self.rules)
                ended.clear()

            with self.players.prepared(seating) as seated:
                for results in play(tables, seated, tick, watch=watcher.watch):
                    deals_in_game[row, results["episode"] - games.start] += 1  # a step ends one deal of a game at most
                    finished = watcher.finished(results)
                    num_reneged += len(results) - len(finished.results)
                    ended.append(finished)
                    waiting += len(results)
                    if waiting >= COUNT_AT_ONCE:
                        count(ended)
                        waiting = 0
                    tick("games", int(np.sum(results["over"])))
            count(ended)
        return _Games(counts, deals_in_game.ravel(), num_reneged, self.players.take_reneges())


def _add_counts(
    counts: np.ndarray, ended: list[FinishedDeals], owners: list[int], first_game: int, rules: HouseRules
) -> None:
    """Add what the players did in these deals to their counts."""
    if not ended:
        return
    joined = FinishedDeals(*(np.concatenate(arrays) for arrays in zip(*ended, strict=True)))
    np.add.at(counts, joined.results["episode"] - first_game, count_players(joined, rules, owners))


class EndWatcher:
    """Keeps the records of deals that end, which `Tables` replaces at once; its `watch` is for `playing.play`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._episodes = np.empty(0, np.int64)
        self._deals: np.ndarray = tables.deals(self._episodes)

    def watch(self, actions: np.ndarray) -> None:
        """Note the deals whose last card comes now, with that card played."""
        rows = np.flatnonzero((self._tables.phases == PLAY) & (actions >= 0))
        deals = self._tables.deals(rows)
        num_out = (deals["sitting_out"][:, None] >> np.arange(len(SEATS)) & 1).sum(axis=1)
        at_end = (deals["trick"] == NUM_TRICKS - 1) & (deals["num_played"] == len(SEATS) - 1 - num_out)
        rows, deals = rows[at_end], deals[at_end]
        deals["played"][np.arange(len(deals)), NUM_TRICKS - 1, deals["turn"]] = actions[rows]
        self._episodes, self._deals = self._tables.episodes[rows], deals

    def finished(self, results: np.ndarray) -> FinishedDeals:
        """The deals that ended in the step without a renege, with their records; unset ones for deals thrown in."""
        results = results[results["reneged"] == NOBODY]
        deals = np.zeros(len(results), self._deals.dtype)
        made = np.flatnonzero(results["maker"] != NOBODY)
        order = np.argsort(self._episodes)
        found = np.searchsorted(self._episodes, results["episode"][made], sorter=order)
        deals[made] = self._deals[order[found]]
        return FinishedDeals(results, deals)


def _statistics(
    counts: np.ndarray,
    deals_in_game: np.ndarray,
    num_reneged: int,
    reneges: int,
    players: tuple[str, ...],
    sees_all: tuple[int, ...],
) -> PlayStatistics:
    total = counts.sum(axis=(0, 1), dtype=np.int64)

    def number(count: str, kinds: Sequence[str] = CALL_KINDS[: BENNY_UP + 1]) -> int:
        return int(sum(total[COLUMN[f"call.{kind}.{count}"]] for kind in kinds))

    def share(number: int, of: int) -> float:
        return number / of if of else nan

    deals, made, in_round_two = int(np.sum(deals_in_game)), number("calls"), number("calls", PLACES[len(SEATS) :])
    median, p90 = (int(np.quantile(deals_in_game, part, method="inverted_cdf")) for part in (0.5, 0.9))
    return PlayStatistics(
        deals=deals,
        named_round_one=share(made - in_round_two, deals),
        named_round_two=share(in_round_two, deals),
        thrown_in=share(deals - num_reneged - made, deals),
        makers_3_or_4=share(number("made") - number("march"), made),
        makers_5=share(number("march"), made),
        euchred=share(number("euchred"), made),
        alone=share(number("alone"), made),
        alone_swept=share(number("swept"), number("alone")),
        deals_per_game_median=median,
        deals_per_game_p90=p90,
        reneges=reneges,
        players=players,
        sees_all=sees_all,
        counts=counts,
    )
