"""Tournaments: each two of some players meet in a duplicate match; points, ratings, and whether an order explains them.

The match of two players is the one that `euchre-eval match A B` plays with the same deals, rules and seed.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from euchre_env import __version__
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.folder_lock import FolderLock
from euchre_eval.intervals import Mean, mean_of, mean_score, without_nan
from euchre_eval.match_player import Reneges
from euchre_eval.playing import CountUp, Progress, match_parts, put_together
from euchre_eval.provenance import git_commit
from euchre_eval.ratings import Fit, Rating, cycles, expected_share, goodness_of_fit, rate
from euchre_eval.seated_players import all_reneges
from euchre_eval.swings import Swing, find_swings
from euchre_eval.tournament_folder import TournamentPart, make_folder, read_part, start_or_resume, write_part
from euchre_eval.tournament_matches import MatchPlayers, PlayTournamentPart
from euchre_eval.tournament_plan import Plan
from euchre_eval.workers import check_workers, do_parts

SWINGS_OF_MEETING = 1  # for each player


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
    """The share of deals that the first player won, with the interval of a share: a deal counts 1 if its two plays
    together gave it more points, 1/2 if as many, 0 if fewer."""
    reneges: tuple[int, int]
    """The reneges of the two players."""
    first_reneges: tuple[str | None, str | None]
    """A description of the first renege of each."""
    swings: tuple[Swing, ...]
    """The deal that favoured the first player most, then the one that favoured the other most."""


@dataclass(frozen=True)
class Standings:
    """The results of all players under one of the house rules."""

    rules: str
    """The house rules, as `parse_rules` reads them."""
    meetings: tuple[Meeting, ...]
    """The match of each two players."""
    ratings: tuple[Rating, ...]
    """Bradley-Terry ratings, the best first; see `ratings`."""
    fit: Fit | None
    """Whether the Bradley-Terry model explains the results; None where that cannot be tested."""
    cycles: tuple[tuple[int, int, int], ...]
    """Players of whom each beats the next and the last the first, all with intervals above 0."""
    upsets: tuple[tuple[int, int], ...]
    """Two players of whom the first beats the second, with an interval above 0, though it is rated lower."""
    poorly_fitted: tuple[tuple[int, int], ...]
    """Two players whose ratings expect another share of deals won than the interval of their match holds."""

    def expected(self, meeting: Meeting) -> float:
        """The share of deals that the ratings expect the first player of a match to win."""
        rated = {each.player: each.rating for each in self.ratings}
        return expected_share(rated[meeting.one] - rated[meeting.other])

    def surprise(self, meeting: Meeting) -> float:
        """How far the share of deals won in a match is from the expected one."""
        return abs(meeting.won.mean - self.expected(meeting))

    def points_of(self, one: int, other: int) -> Mean:
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
    players_of = MatchPlayers(plan)
    parts = [  # loads every player, so that what is wrong with one is said before anything is written
        TournamentPart(rules, one, other, part)
        for rules in range(len(plan.rules))
        for one, other in plan.pairings
        for part in match_parts("deal", plan.deals_of(one, other), players_of(rules, one, other).are_batched)
    ]
    sees_all = {
        number
        for one, other in plan.pairings
        for number, place in zip((one, other), players_of(0, one, other).places, strict=False)
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
            PlayTournamentPart(players_of),
            missing,
            workers=workers,
            progress=shown,
            on_result=lambda part, plays: write_part(folder, part, plays),
        )
        matches = _read_matches(plan, folder, parts)
        return TournamentResult(
            plan,
            __version__,
            git_commit(),
            tuple(sorted(sees_all)),
            tuple(_standings(plan, rules, matches[number]) for number, rules in enumerate(plan.rules)),
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


# The results


class _Match(NamedTuple):
    """What was played in the match of two players under one of the house rules."""

    one: int
    other: int
    margins: np.ndarray
    """The first player's points less the other's, int16, shape (2, deals), by play and deal."""
    reneges: tuple[Reneges, Reneges]
    swings: tuple[Swing, ...]

    @property
    def scores(self) -> np.ndarray:
        """The first player's score in each deal: 1, 1/2 or 0 if both plays gave it more points, as many, or fewer."""
        return (np.sign(self.margins.sum(axis=0, dtype=np.int64)) + 1) / 2


def _read_matches(plan: Plan, folder: Path, parts: list[TournamentPart]) -> dict[int, list[_Match]]:
    """Every match, put together from its parts, by the number of its house rules."""
    parts_of = dict[tuple[int, int, int], list[TournamentPart]]()
    for part in parts:
        parts_of.setdefault((part.rules, part.one, part.other), []).append(part)
    matches = dict[int, list[_Match]]()
    for (rules, one, other), of_match in parts_of.items():
        played = [each for each in (read_part(folder, part) for part in of_match) if each is not None]
        margins = put_together(
            [part.match_part for part in of_match],
            [each.margins for each in played],
            "deal",
            plan.deals_of(one, other),
        )
        at_places = all_reneges(each.reneges for each in played)
        reneges = Reneges.of_all(at_places[0::2]), Reneges.of_all(at_places[1::2])
        swings = find_swings(
            margins,
            ((part.match_part.seatings, each.kept) for part, each in zip(of_match, played, strict=True)),
            parse_rules(plan.rules[rules]),
            reporting_seed(plan.seed),
            SWINGS_OF_MEETING,
        )
        matches.setdefault(rules, []).append(_Match(one, other, margins, reneges, swings))
    return matches


def _meeting(match: _Match) -> Meeting:
    one, other = match.reneges
    return Meeting(
        match.one,
        match.other,
        match.margins.shape[1],
        mean_of(match.margins.mean(axis=0)),
        mean_score(match.scores),
        (one.number, other.number),
        (one.first, other.first),
        match.swings,
    )


def _standings(plan: Plan, rules: str, matches: list[_Match]) -> Standings:
    """Rate the players by their matches under one of the house rules, and find what no order explains."""
    size, meetings = len(plan.players), tuple(map(_meeting, matches))
    scores = {(match.one, match.other): match.scores for match in matches}
    ratings = tuple(rate(scores, size, plan.anchor_number, reporting_seed(plan.seed)))
    beats, rated = _beats(meetings, size), {each.player: each.rating for each in ratings}
    return Standings(
        rules,
        meetings,
        ratings,
        goodness_of_fit(scores, size),
        tuple(cycles(beats)),
        tuple((one, other) for one in rated for other in rated if beats[one][other] and rated[one] < rated[other]),
        tuple(
            (each.one, each.other)
            for each in meetings
            if not each.won.low <= expected_share(rated[each.one] - rated[each.other]) <= each.won.high
        ),
    )


def _beats(meetings: Sequence[Meeting], size: int) -> list[list[bool]]:
    """Whether each player beats each other one: the interval of its points per deal is above 0."""
    beats = [[False] * size for _ in range(size)]
    for each in meetings:
        beats[each.one][each.other] = each.points_per_deal.low > 0
        beats[each.other][each.one] = each.points_per_deal.high < 0
    return beats


def _negative(mean: Mean) -> Mean:
    return Mean(-mean.mean, -mean.high, -mean.low, mean.se)
