"""Duplicate matches: every deal is played twice with the teams swapped, so that the luck of the cards cancels."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

import numpy as np

from euchre_agents.policy import Player
from euchre_env import __version__
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed
from euchre_env.deal import SEATS
from euchre_env.house_rules import RulesLike, parse_rules
from euchre_eval.intervals import Mean, Share, mean_of, share_of, without_nan
from euchre_eval.match_player import Clock, Late, Limit, name_in_reports
from euchre_eval.playing import BATCH_SIZE, MAX_PAIRS, CountUp, PlayPart, Progress, match_parts, put_together
from euchre_eval.seated_players import Makers, SeatedPlayers, all_reneges, check_names, check_num_players
from euchre_eval.swings import Swing, find_swings
from euchre_eval.workers import check_workers, do_parts


@dataclass(frozen=True, kw_only=True)
class MatchSummary:
    """What `MatchResult.as_json` says of a match; `str()` includes everything needed to reproduce it.

    Places: players A, B, C and D sit at seats 0, 1, 2 and 3, so A and C are the first team. For the second play of a
    deal everybody moves one seat to the left. With two players, A sits at C's place too, and B at D's.
    """

    players: tuple[str, ...]
    """The names of A and B, or of A, B, C and D."""
    rules: str
    """The house rules, as `parse_rules` reads them."""
    pairs: int
    """The number of deals, each played twice."""
    seed: int
    version: str
    """The version of euchre-env."""
    points_per_deal: Mean
    """The first team's points less the other's, per deal; a sample is the mean of the two plays of one deal."""
    games: Share | None
    """The share of games that the first team won; a sample is a pair, one game played twice with the teams swapped,
    which scores 0, 1/2 or 1. None if no games were played."""
    reneges: tuple[int, ...]
    """The number of reneges of the player at each place, by its first seat; late answers and games count."""
    first_reneges: tuple[str | None, ...]
    """A description of the first renege at each place; None without one."""
    time_limit: float | None = field(compare=False)
    """The seconds allowed for one decision; None without one. Not compared: if nobody is late, it changes nothing."""
    late: Late = field(compare=False)
    """What a late answer costs; not compared either."""
    sees_all: tuple[int, ...]
    """The numbers of the players that see all cards, counted from 0 as in `players`; empty in an honest match."""
    deals_by_points: tuple[tuple[float, int], ...]
    """How often each sample of `points_per_deal` came, from the lowest up: the points, and the number of deals."""
    swings: tuple[Swing, ...]
    """The deals that favoured the first team most, then those that favoured the other most."""

    @property
    def names_in_reports(self) -> list[str]:
        """The names of `players`, each with a mark if it sees all cards."""
        return [name_in_reports(name, number in self.sees_all) for number, name in enumerate(self.players)]

    def __str__(self) -> str:
        names = self.names_in_reports
        teams = [" and ".join(names[team::2]) for team in (0, 1)]
        lines = [
            f"{teams[0]} against {teams[1]}: {self.points_per_deal} points per deal (95%, {self.pairs} deals x 2), "
            f"rules {self.rules}, seed {self.seed}, euchre-env {self.version}"
        ]
        if self.games is not None:
            who = f"{teams[0]} against {teams[1]}" if self.sees_all else teams[0]
            lines.append(f"{who}: {self.games}")
        lines += [
            f"{names[place % len(names)]} at place {place} reneged {number} times, first in {first}"
            for place, number, first in zip(SEATS, self.reneges, self.first_reneges, strict=True)
            if number
        ]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class MatchResult(MatchSummary):
    """Result of a match: its summary, and the samples behind it."""

    margins: np.ndarray = field(repr=False, compare=False)
    """The samples behind `points_per_deal`, float64, shape (pairs,): matches of one seed have the same deals, so the
    difference of two matches has the interval of the differences of their margins."""

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values for `json.dumps`; the interval of a single pair is null."""
        values = asdict(self)
        del values["margins"]
        if self.games is None:
            del values["games"]
        return without_nan(values)


def play_match(
    *players: Player,
    deals: int = 4000,
    games: int = 0,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    time_limit: float | None = None,
    late: Late = "renege",
    allow_cheating: bool = False,
    batch_size: int = BATCH_SIZE,
    workers: int | None = 1,
    makers: Makers | None = None,
    progress: Progress | None = None,
    clock: Clock = time.perf_counter,
) -> MatchResult:
    """Play a duplicate match of A against B, or of A and C against B and D.

    How players are asked. A pure player answers many tables at once: it has `act_views` or `act_deals`, or declares
    `stateless = True`, and has no `reset`. If every player is pure and there is no time limit, up to `batch_size` deals
    are played at once; otherwise one deal at a time. The result does not depend on the batch size.

    What players can remember. For a player that is not pure, copies of its original state answer, one for each seat:
    one set of copies for the first play of all deals, another for the second play of all deals, and others for games.
    So no copy meets the same cards twice, and none answers for two seats. Copies are made by the player's `fresh()`,
    or else by `copy.deepcopy`; a copy is dropped after its last play. Two limits: inside one process a class attribute,
    a global variable, a closure or a file can still carry a memory from one copy to another; and purity is not checked:
    `stateless = True` is the claim of the player's author.

    Random numbers. Pure players with `act_views` or `act_deals` get a key for each decision, derived from `seed`. A
    player with `reset(seat, seed)` gets a seed for each deal, another in each play of the deal. Any other player uses
    its own generator, which every copy continues from the player's original state.

    Several processes. The result is the same to the last digit for any number of `workers`. They share the pairs if
    every player is pure, else the seatings: two for the deals and two for the games. With a time limit, one process
    plays all. Other processes start only after two seconds of play (`workers.do_parts`), and a script that asks for
    them needs `if __name__ == "__main__":`, which is why there is one by default.

    Args:
        players: two, or four in the order of their seats.
        deals: how many deals to play, each twice.
        games: how many games to play as well, each twice.
        seed: fixes the deals, the games and the players' keys and seeds.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: the players' names in the result; their `name` or their class if None.
        time_limit: seconds allowed for one decision.
        late: the penalty for a late answer: "renege", or "forfeit" of the whole game.
        allow_cheating: whether players may see all cards (`sees_all`); the result marks those that do.
        batch_size: how many pairs to play at once, at most; the result does not depend on it.
        workers: how many processes may play; every core if None.
        makers: functions that make the players again in another process, one for each player, which can be pickled; if
            None, the players themselves are pickled.
        progress: called as deals end with "deals" or "games", the number of pairs done (any two plays count as a pair)
            and the total number of pairs.
        clock: the clock of the time limit, a function that returns seconds.

    Raises:
        ValueError: if an argument is invalid, a player must be copied and cannot be, or a player sees all cards and
            `allow_cheating` is false.
        TypeError: if a player has no method `act`, and no `act_deals` with `sees_all`.
        EndlessGameError: if a game does not end.
        WorkerError: if another process is killed.
    """
    check_num_players(len(players))
    names = check_names(players, names)
    house_rules, seed = parse_rules(rules), check_seed(seed)
    deals = check_number(deals, 1, MAX_PAIRS, "deals")
    games = check_number(games, 0, MAX_PAIRS, "games")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    workers = check_workers(workers)
    limit = Limit(inf if time_limit is None else time_limit, late, clock)
    seated = SeatedPlayers(players, names, seed, limit, allow_cheating=allow_cheating, makers=makers)
    parts = match_parts("deal", deals, seated.are_batched) + match_parts("game", games, seated.are_batched)
    played = do_parts(
        PlayPart(seated, house_rules, seed, batch_size),
        parts,
        workers=1 if seated.have_limit else workers,  # a player that waits for a core would be late
        progress=None if progress is None else CountUp(progress, {"deals": deals, "games": games}, plays=2),
    )
    of_plays = put_together(parts, [each.margins for each in played], "deal", deals)
    margins = of_plays.mean(axis=0)
    wins = put_together(parts, [each.wins for each in played], "game", games)
    reneges = all_reneges(each.reneges for each in played)
    return MatchResult(
        players=tuple(names),
        rules=str(house_rules),
        pairs=deals,
        seed=seed,
        version=__version__,
        points_per_deal=mean_of(margins),
        games=share_of(wins.mean(axis=0)) if games else None,
        reneges=tuple(each.number for each in reneges),
        first_reneges=tuple(each.first for each in reneges),
        margins=margins,
        time_limit=time_limit,
        late=late,
        sees_all=seated.sees_all,
        deals_by_points=tuple(
            (float(points), int(number)) for points, number in zip(*np.unique(margins, return_counts=True), strict=True)
        ),
        swings=find_swings(
            of_plays,
            ((part.seatings, each.kept) for part, each in zip(parts, played, strict=True) if part.episode == "deal"),
            house_rules,
            seed,
        ),
    )
