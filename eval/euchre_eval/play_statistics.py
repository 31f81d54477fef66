"""Statistics of play: what happens in the games of four copies of one player, and reference figures."""

from dataclasses import asdict, dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from euchre_agents.policy import Player
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed
from euchre_env.deal import NOBODY, NUM_TRICKS, SEATS
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.tables import Tables
from euchre_eval.intervals import without_nan
from euchre_eval.match_player import Reneges, name_of
from euchre_eval.playing import BATCH_SIZE, MAX_PAIRS, CountUp, Progress, batched_runs, play
from euchre_eval.seated_players import Makers, SeatedPlayers, all_reneges
from euchre_eval.workers import Tick, check_workers, do_parts


@dataclass(frozen=True)
class PlayStatistics:
    """What happened in the games of four copies of one player.

    Shares go from 0 to 1, and are nan without a deal to count. A deal that a renege ended counts only in `deals` and in
    the lengths of games.
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
    """Deals that ended because the player reneged."""
    sees_all: bool = False
    """Whether the player sees all cards."""

    def as_json(self) -> dict[str, bool | int | float | None]:
        """The statistics as plain values for `json.dumps`; nan is null."""
        return without_nan(asdict(self))


# docs/rules.md, "Reference table": the table that came with the rule player's description; 5,000 games to 10.
REFERENCE = {
    "pagat": PlayStatistics(61_481, 0.638, 0.323, 0.039, 0.694, 0.201, 0.105, 0.043, 0.774, 12, 16),
    "pagat,stick_the_dealer=true": PlayStatistics(58_980, 0.636, 0.364, 0.0, 0.690, 0.195, 0.115, 0.041, 0.757, 12, 15),
}


def play_statistics(
    player: Player,
    *,
    games: int = 5000,
    seed: int = 0,
    rules: RulesLike = "standard",
    name: str | None = None,
    allow_cheating: bool = False,
    batch_size: int = BATCH_SIZE,
    workers: int | None = 1,
    makers: Makers | None = None,
    progress: Progress | None = None,
) -> PlayStatistics:
    """Play `games` games of four copies of `player` and count what happens.

    Args:
        player: the player; its copies and random numbers are as in the first play of `play_match`.
        games: how many games to play.
        seed: fixes the games, and the player's keys and seeds.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        name: the player's name in messages; its `name` or its class if None.
        allow_cheating: whether the player may see all cards (`sees_all`); the result says whether it does.
        batch_size: how many games to play at once, at most; the result does not depend on it.
        workers: how many processes may play, every core if None, as for `play_match`; they share the games of a pure
            player, and one process plays those of any other.
        makers: a list of one function that makes the player again in another process, as for `play_match`.
        progress: called as games end with "games", the number of games done and the total number.

    Raises:
        ValueError: if an argument is invalid, the player must be copied and cannot be, or it sees all cards and
            `allow_cheating` is false.
        TypeError: if the player has no method `act`, and no `act_deals` with `sees_all`.
        EndlessGameError: if a game does not end.
        WorkerError: if another process is killed.
    """
    seed = check_seed(seed)
    games = check_number(games, 1, MAX_PAIRS, "games")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    house_rules, name = parse_rules(rules), name or name_of(player)
    seated = SeatedPlayers([player], [name], seed, allow_cheating=allow_cheating, makers=makers)
    played = do_parts(
        _PlayGames(seated, house_rules, seed, batch_size),
        batched_runs(games) if seated.are_batched else [range(games)],
        workers=check_workers(workers),
        progress=None if progress is None else CountUp(progress, {"games": games}),
    )
    counts = np.sum([part.counts for part in played], axis=0)
    return _statistics(
        dict(zip(_COUNTED, counts.tolist(), strict=True)),
        np.concatenate([part.deals_in_game for part in played]),
        sum(each.number for each in all_reneges(part.reneges for part in played)),
        seated.places[0].abilities.sees_all,
    )


class _Games(NamedTuple):
    """What happened in some games."""

    counts: np.ndarray
    """The number of deals in each category of `_COUNTED`, int64, shape (len(_COUNTED),)."""
    deals_in_game: np.ndarray
    """The number of deals of each game, int64, shape (games,)."""
    reneges: list[Reneges]
    """The reneges at each place."""


@dataclass(frozen=True)
class _PlayGames:
    """Plays any run of the games: the work that several processes may share."""

    players: SeatedPlayers
    rules: HouseRules
    seed: int
    batch_size: int

    def __call__(self, games: range, tick: Tick) -> _Games:
        """Play these games; the ticks count "games"."""
        tables = Tables(
            self.batch_size if self.players.are_batched else 1,
            self.rules,
            self.seed,
            episode="game",
            num_episodes=len(games),
            first_episode=games.start,
        )
        counts, deals_in_game = np.zeros(len(_COUNTED), np.int64), np.zeros(len(games), np.int64)
        with self.players.prepared() as seated:
            for results in play(tables, seated, tick):
                counts += _count(results)
                deals_in_game[results["episode"] - games.start] += 1  # a step ends one deal of a game at most
                tick("games", int(np.sum(results["over"])))
        return _Games(counts, deals_in_game, self.players.take_reneges())


_COUNTED = ("round_one", "round_two", "thrown_in", "makers_3_or_4", "makers_5", "euchred", "alone", "alone_swept")


def _count(results: np.ndarray) -> np.ndarray:
    """The number of results in each category of `_COUNTED`, int64, shape (len(_COUNTED),)."""
    played_out = results[results["reneged"] == NOBODY]
    made = played_out[played_out["maker"] != NOBODY]
    in_round_one = made["num_passes"] < len(SEATS)
    tricks = made["tricks"][np.arange(len(made)), made["maker"] & 1]
    alone, swept = made["alone"] == 1, tricks == NUM_TRICKS
    num_thrown_in = len(played_out) - len(made)
    happened = (in_round_one, ~in_round_one, (tricks >= 3) & ~swept, swept, tricks < 3, alone, alone & swept)
    counts = [int(np.sum(which)) for which in happened]
    return np.array([*counts[:2], num_thrown_in, *counts[2:]], np.int64)


def _statistics(counts: dict[str, int], deals_in_game: np.ndarray, reneges: int, sees_all: bool) -> PlayStatistics:
    def share(name: str, of: int) -> float:
        return counts[name] / of if of else nan

    deals, made = int(np.sum(deals_in_game)), counts["round_one"] + counts["round_two"]
    median, p90 = (int(np.quantile(deals_in_game, part, method="inverted_cdf")) for part in (0.5, 0.9))
    return PlayStatistics(
        deals=deals,
        named_round_one=share("round_one", deals),
        named_round_two=share("round_two", deals),
        thrown_in=share("thrown_in", deals),
        makers_3_or_4=share("makers_3_or_4", made),
        makers_5=share("makers_5", made),
        euchred=share("euchred", made),
        alone=share("alone", made),
        alone_swept=share("alone_swept", counts["alone"]),
        deals_per_game_median=median,
        deals_per_game_p90=p90,
        reneges=reneges,
        sees_all=sees_all,
    )
