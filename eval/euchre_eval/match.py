"""Duplicate matches: every deal is played twice with the teams swapped, so that the luck of the cards cancels.

There is one match loop, `play`, over `Tables`. Every seat is asked at every turn, forced moves included, as in the
environment: an answer that is not legal is a renege even where there was nothing to choose (docs/rules.md, "Reneging").
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import inf, isnan
from typing import Any, TypeAlias

import numpy as np

from euchre_agents.policy import Policy
from euchre_env import __version__
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed, derived_seed
from euchre_env.deal import SEATS
from euchre_env.game import Episode
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.random_streams import FIRST_GAME, PLAYER
from euchre_env.tables import Tables
from euchre_eval.intervals import Mean, Share, mean_of, share_of
from euchre_eval.match_player import Clock, Late, Limit, MatchPlayer, prepare_players

Progress: TypeAlias = Callable[[str, int, int], None]  # what is played ("deals", "games"), pairs done, of how many

MAX_PAIRS = 10**9
MAX_DEALS = 10_000  # of one game; games to 99 points take some two hundred
BATCH_SIZE = 4096  # pairs played at once


class EndlessGameError(RuntimeError):
    """A game that nobody wins: after `MAX_DEALS` deals it is not over, as when all players always pass."""


@dataclass(frozen=True)
class MatchResult:
    """What a match came to; printed, it says all that is needed to play it again.

    Places: with players A, B, C, D, A sits at seat 0, B at 1, C at 2, D at 3, so that A and C are the first team; for
    the second play of a deal everybody moves one seat to the left. With two players C is A and D is B.
    """

    players: tuple[str, ...]
    """The names of A and B, or of A, B, C and D."""
    rules: str
    """The house rules, as `parse_rules` reads them."""
    pairs: int
    """How many deals were played, each of them twice."""
    seed: int
    version: str
    """The version of euchre-env."""
    points_per_deal: Mean
    """The first team's points less the other's, per deal; a sample is the mean of the two plays of one deal."""
    games: Share | None
    """Games won by the first team, where games were played; each game counts, so a pair counts twice."""
    reneges: tuple[int, ...]
    """How often the player at each place reneged, by its first seat; late answers and games are among them."""
    first_reneges: tuple[str | None, ...]
    """What the first renege at each place was; None where there was none."""

    def as_json(self) -> dict[str, Any]:
        """The result as plain values for `json.dumps`; an interval that one deal leaves unknown is null."""
        values = asdict(self)
        del values["first_reneges"]
        if self.games is None:
            del values["games"]
        points = values["points_per_deal"]
        values["points_per_deal"] = {key: None if isnan(number) else number for key, number in points.items()}
        return values

    def __str__(self) -> str:
        teams = [" and ".join(self.players[team::2]) for team in (0, 1)]
        lines = [
            f"{teams[0]} against {teams[1]}: {self.points_per_deal} points per deal (95%, {self.pairs} deals x 2), "
            f"rules {self.rules}, seed {self.seed}, euchre-env {self.version}"
        ]
        if self.games is not None:
            lines.append(f"{teams[0]}: {self.games}")
        lines += [
            f"{self.players[place % len(self.players)]} at place {place} reneged {number} times, first in {first}"
            for place, number, first in zip(SEATS, self.reneges, self.first_reneges, strict=True)
            if number
        ]
        return "\n".join(lines)


def play_match(
    *players: Policy,
    deals: int = 4000,
    games: int = 0,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    time_limit: float | None = None,
    late: Late = "renege",
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
    clock: Clock = time.perf_counter,
) -> MatchResult:
    """The result of a duplicate match of A and B, or of A and C against B and D.

    Deals are played many at a time where every player answers batches (`act_views`, `act_batch`) and none has `reset`.
    Otherwise, and under a time limit, they are played one at a time, so that nothing depends on the batch size: then
    a player that may remember things is copied for each of its places and, if it has `reset(seat, seed)`, told of each
    deal. Random numbers come from `seed` alone: built-in players get a key for each decision, others the seed of their
    `reset`; one that has neither plays on with its own generator, alike at each place.

    Args:
        players: two, or four in the order of their seats.
        deals: how many deals to play, each twice.
        games: how many games to play as well, each twice.
        seed: fixes the deals, the games and the built-in players' random numbers.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: what the result calls the players; their `name` or their class if None.
        time_limit: seconds allowed for one decision; a later answer counts as `late` says.
        late: "renege", or "forfeit": the whole game.
        batch_size: how many pairs to play at once; the result does not depend on it.
        progress: called after each batch with what is being played, the pairs done and the pairs in all.
        clock: what measures the time limit.

    Raises:
        ValueError: if an argument is impossible, or a player must be copied and cannot be.
        TypeError: if a player has no method `act`.
        EndlessGameError: if a game does not end.
    """
    if len(players) not in (2, 4):
        raise ValueError(f"a match takes two players, or four, one for each seat; {len(players)} came")
    names = [name_of(player) for player in players] if names is None else list(names)
    if len(names) != len(players):
        raise ValueError(f"{len(players)} players need as many names, not {names!r}")
    house_rules, seed = parse_rules(rules), check_seed(seed)
    deals = check_number(deals, 1, MAX_PAIRS, "deals")
    games = check_number(games, 0, MAX_PAIRS, "games")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    limit = Limit(inf if time_limit is None else time_limit, late, clock)
    match_players = [
        MatchPlayer(players[seat % len(players)], names[seat % len(players)], derived_seed(seed, PLAYER, seat), limit)
        for seat in SEATS
    ]
    batch_size = prepare_players(match_players, batch_size)
    match = _Match(match_players, house_rules, seed, batch_size, progress)
    first, second = match.play_twice("deal", deals)
    points_per_deal = mean_of((_margins(first, 0) + _margins(second, 1)) / 2)
    games_won = None
    if games:
        first, second = match.play_twice("game", games)
        games_won = share_of(int(np.sum(first["winner"] == 0) + np.sum(second["winner"] == 1)), 2 * games)
    return MatchResult(
        players=tuple(names),
        rules=str(house_rules),
        pairs=deals,
        seed=seed,
        version=__version__,
        points_per_deal=points_per_deal,
        games=games_won,
        reneges=tuple(player.num_reneges for player in match_players),
        first_reneges=tuple(player.first_renege for player in match_players),
    )


def play(tables: Tables, seated: Sequence[MatchPlayer]) -> Iterator[np.ndarray]:
    """Play every episode of `tables` to its end, player `seated[s]` at seat s; the one match loop.

    Yields:
        After each step the deals that ended with it, dtype RESULT, shape (number of them,).

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
        results = tables.step(actions, illegal="renege")
        deal_begins = len(results) > 0
        if deal_begins and results["deal_number"].max() >= MAX_DEALS:
            names = ", ".join(player.name for player in seated)
            raise EndlessGameError(f"a game of {names} is not over after {MAX_DEALS} deals; does anybody ever call?")
        yield results


def name_of(player: Policy) -> str:
    """What reports call a player that nobody has named: its `name`, else its class."""
    return str(getattr(player, "name", None) or type(player).__name__)


@dataclass(frozen=True)
class _Match:
    """What both plays of every deal and game have in common."""

    players: Sequence[MatchPlayer]
    rules: HouseRules
    seed: int
    batch_size: int
    progress: Progress | None

    def play_twice(self, episode: Episode, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The last deal of each of `number` episodes in either seating, dtype RESULT, shape (number,), in order."""
        what, start = ("games", FIRST_GAME) if episode == "game" else ("deals", 0)
        played: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        for done in range(0, number, self.batch_size):
            size = min(self.batch_size, number - done)
            for seating in (0, 1):
                tables = Tables(
                    size, self.rules, self.seed, episode=episode, num_episodes=size, first_episode=start + done
                )
                seated = [self.players[(seat - seating) % 4] for seat in SEATS]
                results = np.concatenate(list(play(tables, seated)))
                last = results[results["over"] == 1]
                played[seating].append(last[np.argsort(last["episode"])])
            if self.progress is not None:
                self.progress(what, done + size, number)
        return np.concatenate(played[0]), np.concatenate(played[1])


def _margins(results: np.ndarray, team: int) -> np.ndarray:
    """The points of `team` less the other's in each of `results`, int64, shape (n,)."""
    return results["points"][:, team] - results["points"][:, 1 - team]
