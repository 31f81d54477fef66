"""Results that are read back are those that were written; anything else is refused with its place."""

import copy
import json
from dataclasses import fields
from math import isnan

import pytest

from euchre_agents import load
from euchre_eval import play_match
from euchre_eval.match import MatchSummary
from euchre_eval.saved_results import read_result
from euchre_eval.tournament import play_tournament
from euchre_eval.tournament_folder import RESULT_FILE
from euchre_eval.tournament_plan import Plan

pytestmark = pytest.mark.compiled  # plays deals


@pytest.fixture(scope="module")
def match():
    return play_match(load("rules", 1), load("random", 2), deals=30, games=4, seed=3, names=["rules", "random"])


@pytest.fixture(scope="module")
def tournament(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "tournament"
    result = play_tournament(Plan(("random", "rules", "easy"), deals=30, deals_with={"easy": 20}), folder)
    (folder / RESULT_FILE).write_text(json.dumps(result.as_json()))
    return result, folder


def written(values, folder):
    (folder / "result.json").write_text(json.dumps(values))
    return folder / "result.json"


def test_a_match_is_read_back(match, tmp_path):
    read = read_result(written(match.as_json(), tmp_path))
    assert type(read) is MatchSummary
    assert {each.name: getattr(read, each.name) for each in fields(read)} == {
        each.name: getattr(match, each.name) for each in fields(MatchSummary)
    }
    assert str(read) == str(match)


def test_a_single_deal_without_games_is_read_back(tmp_path):
    match = play_match(load("rules", 1), load("random", 2), deals=1)
    read = read_result(written(match.as_json(), tmp_path))
    assert isinstance(read, MatchSummary)
    assert read.games is None
    assert isnan(read.points_per_deal.se)
    assert str(read) == str(match)


def test_a_tournament_is_read_back_from_its_folder_and_from_its_file(tournament):
    result, folder = tournament
    assert read_result(folder) == result
    assert read_result(folder / RESULT_FILE) == result


def test_a_tournament_that_is_not_over_is_refused(tournament, tmp_path):
    _, folder = tournament
    (tmp_path / "tournament.json").write_bytes((folder / "tournament.json").read_bytes())
    with pytest.raises(ValueError, match=r"a tournament that is not over: result\.json is missing"):
        read_result(tmp_path)


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(values):
        for step in path:
            values = values[step]
        values[last] = value

    return change


def drop(name):
    return lambda values: values.pop(name)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (drop("swings"), "swings is missing; an earlier version may have written it"),
        (drop("players"), "players is missing"),
        (put("players", ["rules"]), "a match takes two players, or four"),
        (put("players", "rules"), "players must be tuple[str, ...], not 'rules'"),
        (put("players", 1, 7), "players[1] must be str, not 7"),
        (put("pairs", 30.0), "pairs must be int, not 30.0"),
        (put("pairs", 31), "deals_by_points are 30 deals, but pairs is 31"),
        (put("seed", True), "seed must be int, not True"),
        (put("rules", "standart"), "unknown rules 'standart'"),
        (put("points_per_deal", "mean", "a lot"), "points_per_deal.mean must be float, not 'a lot'"),
        (put("points_per_deal", 1.3), "points_per_deal must be an object, not 1.3"),
        (put("games", "pairs", None), "games.pairs must be int, not None"),
        (put("deals_by_points", 0, 0, 20.5), "deals_by_points: the mean of two plays cannot be 20.5"),
        (put("deals_by_points", 0, 0, 0.25), "deals_by_points: the mean of two plays cannot be 0.25"),
        (put("deals_by_points", 0, 0, None), "deals_by_points: the mean of two plays cannot be nan"),
        (put("late", "never"), "late must be Literal['renege', 'forfeit'], not 'never'"),
        (put("reneges", [0]), "reneges must have an entry for each of 4 places"),
        (put("first_reneges", [None] * 5), "first_reneges must have an entry for each of 4 places"),
        (put("sees_all", [2]), "sees_all must be a whole number from 0 to 1, not 2"),
        (put("swings", 0, "margins", [1]), "swings[0].margins must be tuple[int, int], not [1]"),
        (put("points_per_deal", "low", float("nan")), "NaN is no number of JSON"),
        (put("points_per_deal", "low", float("inf")), "Infinity is no number of JSON"),
    ],
)
def test_a_match_that_is_wrong_says_where(match, tmp_path, change, said):
    values = json.loads(json.dumps(match.as_json()))
    change(values)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole message is compared below
        read_result(written(values, tmp_path))
    assert str(caught.value).startswith(f"{tmp_path / 'result.json'} is not the result of a match")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("plan", "players", ["rules"]), "plan: a tournament takes two players or more"),
        (put("plan", "deals", "many"), "plan.deals must be int, not 'many'"),
        (put("plan", "deals_with", {"easy": "few"}), "plan.deals_with.easy must be int, not 'few'"),
        (put("sees_all", [3]), "sees_all must be a whole number from 0 to 2, not 3"),
        (put("standings", []), "standings must be one for each of the house rules of the plan"),
        (put("standings", 0, "meetings", []), "meetings under standard must be one for each two players"),
        (put("standings", 0, "ratings", 0, "player", 9), "ratings under standard must be one for each player"),
        (put("standings", 0, "upsets", [[0, 5]]), "upsets must be a whole number from 0 to 2, not 5"),
        (put("standings", 0, "meetings", 0, "won", None), "standings[0].meetings[0].won must be an object, not None"),
    ],
)
def test_a_tournament_that_is_wrong_says_where(tournament, tmp_path, change, said):
    values = json.loads(json.dumps(copy.copy(tournament[0].as_json())))
    change(values)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole message is compared below
        read_result(written(values, tmp_path))
    assert said in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b"\xff\xfe", b'{"plan": 1}'])
def test_what_is_no_result_is_refused(tmp_path, content):
    (tmp_path / "result.json").write_bytes(content)
    with pytest.raises(ValueError, match="is not the result of a match"):
        read_result(tmp_path / "result.json")
