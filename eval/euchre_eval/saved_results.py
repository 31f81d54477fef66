"""Results read back from the JSON of `euchre-eval match --json` and of the folder of a tournament."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from math import nan
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from euchre_env.checks import check_number, shortened
from euchre_env.deal import SEATS
from euchre_env.files import read_json
from euchre_env.house_rules import parse_rules
from euchre_eval.match import MatchSummary
from euchre_eval.seated_players import check_num_players
from euchre_eval.tournament import TournamentResult
from euchre_eval.tournament_folder import PLAN_FILE, RESULT_FILE

MOST_POINTS = 20  # of a deal, under any house rules


def read_result(path: Path) -> MatchSummary | TournamentResult:
    """Read the result of a match, or of a tournament.

    Args:
        path: a file that holds what `euchre-eval match --json` printed, or `result.json` of a tournament; or the folder
            of a tournament.

    Raises:
        ValueError: if it is no such file; the message names it and says what is wrong with it.
        OSError: if it cannot be read.
    """
    file = path
    if path.is_dir():
        file = path / RESULT_FILE
        if not (path / PLAN_FILE).exists():
            raise ValueError(f"{path} is not the folder of a tournament: {PLAN_FILE} is missing")
        if not file.exists():
            raise ValueError(
                f"{path} holds a tournament that is not over: {RESULT_FILE} is missing; play it to its end"
            )
    try:
        values = read_json(file, parse_constant=_refuse_constant)
        if isinstance(values, dict) and "plan" in values:
            tournament: TournamentResult = read_value(TournamentResult, values)
            _check_tournament(tournament)
            return tournament
        match: MatchSummary = read_value(MatchSummary, values)
        _check_match(match)
        return match
    except ValueError as error:  # text that is not UTF-8 too
        raise ValueError(
            f"{file} is not the result of a match (euchre-eval match --json) or of a tournament: {error}"
        ) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _check_match(match: MatchSummary) -> None:
    """Check what the types do not say of a match.

    Raises:
        ValueError: if something is wrong; the message says what.
    """
    check_num_players(len(match.players))
    parse_rules(match.rules)
    for name in ("reneges", "first_reneges"):
        if len(getattr(match, name)) != len(SEATS):
            raise ValueError(f"{name} must have an entry for each of {len(SEATS)} places")
    _check_numbers("sees_all", match.sees_all, len(match.players))
    for points, _ in match.deals_by_points:
        if not -MOST_POINTS <= points <= MOST_POINTS or 2 * points % 1:
            raise ValueError(f"deals_by_points: the mean of two plays cannot be {points}")
    number = sum(number for _, number in match.deals_by_points)
    if number != match.pairs:
        raise ValueError(f"deals_by_points are {number} deals, but pairs is {match.pairs}")


def _check_tournament(tournament: TournamentResult) -> None:
    """Check what the types do not say of a tournament; raises as `_check_match` does."""
    size = len(tournament.plan.players)
    _check_numbers("sees_all", tournament.sees_all, size)
    if tuple(each.rules for each in tournament.standings) != tournament.plan.rules:
        raise ValueError("standings must be one for each of the house rules of the plan")
    for standings in tournament.standings:
        if [(each.one, each.other) for each in standings.meetings] != tournament.plan.pairings:
            raise ValueError(f"meetings under {standings.rules} must be one for each two players")
        if sorted(each.player for each in standings.ratings) != list(range(size)):
            raise ValueError(f"ratings under {standings.rules} must be one for each player")
        for name in ("cycles", "upsets", "poorly_fitted"):
            for players in getattr(standings, name):
                _check_numbers(name, players, size)


def _check_numbers(name: str, numbers: tuple[int, ...], end: int) -> None:
    for number in numbers:
        check_number(number, 0, end - 1, name)


def read_value(kind: Any, value: Any, where: str = "") -> Any:
    """A value of type `kind` from plain values of JSON, the inverse of `without_nan(asdict(...))`; nan was null.

    >>> read_value(tuple[tuple[float, int], ...], [[0.5, 3], [None, 4]])
    ((0.5, 3), (nan, 4))

    Args:
        kind: a dataclass, or a type that its fields have.
        value: the plain value.
        where: its place in the whole, for messages.

    Raises:
        ValueError: if the value is of another type, or a dataclass refuses it; the message says where.
    """
    if is_dataclass(kind):
        return _read_dataclass(kind, value, where)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is types.UnionType:
        (other,) = (each for each in arguments if each is not types.NoneType)
        return None if value is None else read_value(other, value, where)
    if origin is tuple and isinstance(value, list):
        kinds = [arguments[0]] * len(value) if arguments[1:] == (...,) else arguments
        if len(kinds) == len(value):
            pairs = enumerate(zip(kinds, value, strict=True))
            return tuple(read_value(each, some, f"{where}[{place}]") for place, (each, some) in pairs)
    elif origin is Mapping and isinstance(value, dict):
        return {name: read_value(arguments[1], some, f"{where}.{name}") for name, some in value.items()}
    elif origin is Literal and value in arguments:
        return value
    elif kind is float and (value is None or type(value) in (int, float)):
        return nan if value is None else float(value)
    elif kind in (int, str, bool) and type(value) is kind:
        return value
    raise ValueError(f"{where or 'the whole'} must be {_name_of(kind)}, not {shortened(value)}")


def _read_dataclass(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{where or 'the whole'} must be an object, not {shortened(value)}")
    hints, read = get_type_hints(kind), dict[str, Any]()
    for field in fields(kind):
        place = f"{where}.{field.name}".lstrip(".")
        if field.name in value:
            read[field.name] = read_value(hints[field.name], value[field.name], place)
        elif types.NoneType in get_args(hints[field.name]):
            read[field.name] = None
        elif field.default is MISSING and field.default_factory is MISSING:
            raise ValueError(f"{place} is missing; an earlier version may have written it")
    try:
        return kind(**read)
    except ValueError as error:
        raise ValueError(f"{where}: {error}" if where else str(error)) from error


def _name_of(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind)) if get_origin(kind) is None else str(kind).replace("typing.", "")
