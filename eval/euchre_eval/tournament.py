"""Tournaments: each two of some players meet in a duplicate match; points, ratings, and whether an order explains them.

The match of two players is the one that `euchre-eval match A B` plays with the same deals, rules and seed.
"""

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from euchre_agents.loading import load
from euchre_agents.policy import Player
from euchre_env import __version__
from euchre_env.counter_rng import derived_seed
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import PLAYER, reporting_seed
from euchre_eval.folder_lock import FolderLock
from euchre_eval.intervals import Mean, mean_of, without_nan
from euchre_eval.match_player import Reneges
from euchre_eval.playing import BATCH_SIZE, CountUp, PlayPart, Plays, Progress, match_parts, put_together
from euchre_eval.provenance import git_commit
from euchre_eval.ratings import Rating, circles, expected_share, rate
from euchre_eval.seated_players import SeatedPlayers, all_reneges
from euchre_eval.tournament_folder import TournamentPart, make_folder, read_part, start_or_resume, write_part
from euchre_eval.tournament_plan import Plan
from euchre_eval.workers import Tick, check_workers, do_parts


@dataclass(frozen=True)
class Meeting:
    """The match of two players, from the side of the first."""

    one: int
    """The number of the first player."""
    other: int
    pairs: int
    """The number of deals, each played twice."""
    points_per_deal: Mean
    """The first player's points less the other's."""
    won: Mean
    """The share of deals that the first player won: a deal counts 1 if its two plays together gave it more points, 1/2
    if as many, 0 if fewer."""
    reneges: tuple[int, int]
    """The reneges of the two players."""
    first_reneges: tuple[str | None, str | None]
    """A description of the first renege of each."""


@dataclass(frozen=True)
class Standings:
    """The results of all players under one of the house rules."""

    rules: str
    """The house rules, as `parse_rules` reads them."""
    meetings: tuple[Meeting, ...]
    """The match of each two players."""
    ratings: tuple[Rating, ...]
    """Bradley-Terry ratings, the best first; see `ratings`."""
    circles: tuple[tuple[int, int, int], ...]
    """Players of whom each beats the next and the last the first, all with intervals above 0."""
    upsets: tuple[tuple[int, int], ...]
    """Two players of whom the first beats the second, with an interval above 0, though it is rated lower."""
    off_the_ratings: tuple[tuple[int, int], ...]
    """Two players whose ratings expect another share of deals won than the interval of their match holds."""

    def expected(self, meeting: Meeting) -> float:
        """The share of deals that the ratings expect the first player of a match to win."""
        rated = {each.player: each.rating for each in self.ratings}
        return expected_share(rated[meeting.one] - rated[meeting.other])

    def surprise(self, meeting: Meeting) -> float:
        """How far the share of deals won in a match is from the expected one."""
        return abs(meeting.won.mean - self.expected(meeting))

    def meeting(self, one: int, other: int) -> Mean:
        """The points per deal of player `one` against another one."""
        for each in self.meetings:
            if (each.one, each.other) == (one, other):
                return each.points_per_deal
            if (each.one, each.other) == (other, one):
                return _negative(each.points_per_deal)
        raise KeyError((one, other))


@dataclass(frozen=True)
class TournamentResult:
    """The result of a tournament."""

    plan: Plan
    version: str
    """The version of euchre-env."""
    commit: str | None
    """The commit of the checkout that put the results together."""
    sees_all: tuple[int, ...]
    """The numbers of the players that see all cards."""
    standings: tuple[Standings, ...]
    """The results under each of the house rules."""

    def as_json(self) -> dict[str, Any]:
        """The result as plain values for `json.dumps`; players are numbers of the list; unknown intervals are null."""
        values = asdict(self)
        values["plan"] = self.plan.as_json()
        return without_nan(values)


def play_tournament(
    plan: Plan,
    folder: Path,
    *,
    workers: int | None = 1,
    progress: Progress | None = None,
    say: Callable[[str], object] = lambda line: print(line, file=sys.stderr),
) -> TournamentResult:
    """Play a tournament in a folder, or go on with the one that is there, and return its result.

    The result follows from the plan, the code and the players: it is the same to the last digit for any number of
    workers, and however often the tournament was stopped and continued.

    Args:
        plan: what to play.
        folder: the folder, which is made if it does not exist; see `tournament_folder`.
        workers: how many processes may play, every core if None, as for `play_match`.
        progress: called as deals end with "pairs", the number of pairs done, earlier ones too, and their total number.
        say: called with a line about each damaged part file, which is played again.

    Raises:
        ValueError: if a player is unknown, sees all cards without permission, or must be copied and cannot be; or the
            folder holds something else.
        TypeError: if a player has no method `act`.
        OSError: if the folder cannot be written or read.
        EndlessGameError: if a game does not end.
        WorkerError: if another process is killed.
    """
    workers = check_workers(workers)
    matches = _Matches(plan)
    parts = [  # loads every player, so that what is wrong with one is said before anything is written
        TournamentPart(rules, one, other, part)
        for rules in range(len(plan.rules))
        for one, other in plan.pairings
        for part in match_parts("deal", plan.deals_of(one, other), matches.players(rules, one, other).are_batched)
    ]
    sees_all = {
        number
        for one, other in plan.pairings
        for number, place in zip((one, other), matches.players(0, one, other).places, strict=False)
        if place.abilities.sees_all
    }
    make_folder(folder)
    lock = FolderLock(folder, "played")
    try:
        start_or_resume(folder, plan)
        missing = [part for part in parts if not _is_played(folder, part, say)]
        shown = None
        if progress is not None:
            total = sum(_num_plays(part) for part in parts)
            done = total - sum(_num_plays(part) for part in missing)
            shown = CountUp(progress, {"pairs": total // 2}, plays=2)
            shown("pairs", done)
        do_parts(
            _PlayPart(matches),
            missing,
            workers=workers,
            progress=shown,
            on_result=lambda part, plays: write_part(folder, part, plays),
        )
        return TournamentResult(
            plan,
            __version__,
            git_commit(),
            tuple(sorted(sees_all)),
            tuple(_standings(plan, folder, rules, parts) for rules in range(len(plan.rules))),
        )
    finally:
        lock.release()


def _num_plays(part: TournamentPart) -> int:
    return len(part.match_part.pairs) * len(part.match_part.seatings)


def _is_played(folder: Path, part: TournamentPart, say: Callable[[str], object]) -> bool:
    """Whether the file of a part is there and whole."""
    try:
        return read_part(folder, part) is not None
    except ValueError as error:
        say(f"{error}; it is played again")
        return False


class _Matches:
    """The players of each match, loaded when they are first needed, once for each place and rules."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._loaded: dict[tuple[int, int, int], Player] = {}
        self._seated: dict[tuple[int, int, int], SeatedPlayers] = {}

    def __reduce__(self) -> tuple[type["_Matches"], tuple[Plan]]:
        return _Matches, (self.plan,)

    def players(self, rules: int, one: int, other: int) -> SeatedPlayers:
        """The two players of a match, as `euchre-eval match` would load them."""
        key, seed = (rules, one, other), reporting_seed(self.plan.seed)
        if key not in self._seated:
            names = [self.plan.players[number] for number in (one, other)]
            loaded = [self._load(rules, number, place) for place, number in enumerate((one, other))]
            self._seated[key] = SeatedPlayers(loaded, names, seed, allow_cheating=self.plan.allow_cheating)
        return self._seated[key]

    def _load(self, rules: int, number: int, place: int) -> Player:
        key = rules, number, place
        if key not in self._loaded:
            seed = derived_seed(reporting_seed(self.plan.seed), PLAYER, place)
            self._loaded[key] = load(self.plan.players[number], seed, parse_rules(self.plan.rules[rules]))
        return self._loaded[key]


@dataclass(frozen=True)
class _PlayPart:
    """Plays any part of the tournament: the work that several processes may share."""

    matches: _Matches

    def __call__(self, part: TournamentPart, tick: Tick) -> Plays:
        """Play a part; the ticks count plays of "pairs"."""
        rules, seed = parse_rules(self.matches.plan.rules[part.rules]), reporting_seed(self.matches.plan.seed)
        play_part = PlayPart(self.matches.players(part.rules, part.one, part.other), rules, seed, BATCH_SIZE)
        return play_part(part.match_part, lambda _what, number: tick("pairs", number))


# The results


def _standings(plan: Plan, folder: Path, rules: int, parts: list[TournamentPart]) -> Standings:
    """Put together what was played under one of the house rules."""
    meetings, scores = list[Meeting](), dict[tuple[int, int], np.ndarray]()
    for one, other in plan.pairings:
        of_match = [part for part in parts if (part.rules, part.one, part.other) == (rules, one, other)]
        plays = [read_part(folder, part) for part in of_match]
        played = [each for each in plays if each is not None]
        number = plan.deals_of(one, other)
        margins = put_together(
            [part.match_part for part in of_match], [each.margins for each in played], "deal", number
        )
        at_places = all_reneges(each.reneges for each in played)
        reneges = [Reneges.of_all(at_places[player::2]) for player in (0, 1)]
        scores[one, other] = (np.sign(margins.sum(axis=0, dtype=np.int64)) + 1) / 2
        meetings.append(
            Meeting(
                one,
                other,
                number,
                mean_of(margins.mean(axis=0)),
                mean_of(scores[one, other]),
                (reneges[0].number, reneges[1].number),
                (reneges[0].first, reneges[1].first),
            )
        )
    ratings = rate(scores, len(plan.players), plan.anchor_number, reporting_seed(plan.seed))
    beats = [[False] * len(plan.players) for _ in plan.players]
    for each in meetings:
        beats[each.one][each.other] = each.points_per_deal.low > 0
        beats[each.other][each.one] = each.points_per_deal.high < 0
    rated = {each.player: each.rating for each in ratings}
    return Standings(
        plan.rules[rules],
        tuple(meetings),
        tuple(ratings),
        tuple(circles(beats)),
        tuple((one, other) for one in rated for other in rated if beats[one][other] and rated[one] < rated[other]),
        tuple(
            (each.one, each.other)
            for each in meetings
            if not each.won.low <= expected_share(rated[each.one] - rated[each.other]) <= each.won.high
        ),
    )


def _negative(mean: Mean) -> Mean:
    return Mean(-mean.mean, -mean.high, -mean.low, mean.se)
