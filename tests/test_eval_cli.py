"""The command `euchre-eval`: what it prints, in words and as JSON, and how it refuses."""

import json
import re
import sys

import pytest

from euchre_env import __version__
from euchre_eval.cli import main

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays

MINE = """
import numpy as np

class Lowest:
    def __init__(self, seed):
        self.seed = seed

    def act(self, observation, action_mask):
        return int(np.argmax(action_mask))

class Talkative:
    def act(self, observation, action_mask):
        print("let me see")
        return int(np.argmax(action_mask))

class Broken:
    def act(self, observation, action_mask):
        raise RuntimeError("out of ideas")
"""


@pytest.fixture
def run(capsys):
    """Run the command; its exit status, what it printed and what it complained of."""

    def run(arguments):
        try:
            status = main(arguments.split())
        except SystemExit as end:
            status = end.code
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def my_players(tmp_path, monkeypatch):
    """A folder with a module of players, the current one."""
    (tmp_path / "my_players.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield
    sys.modules.pop("my_players", None)


def test_a_match_as_json_is_one_object_with_these_keys(run):
    status, out, err = run("match rules random --deals 20 --games 3 --seed 4 --rules pagat --json")
    assert (status, err) == (0, "")
    result = json.loads(out)
    points, games = result.pop("points_per_deal"), result.pop("games")
    assert result == {
        "players": ["rules", "random"],
        "rules": "pagat",
        "pairs": 20,
        "seed": 4,
        "version": __version__,
        "reneges": [0, 0, 0, 0],
        "sees_all": [],
    }
    assert list(points) == ["mean", "low", "high", "se"]
    assert points["low"] < points["mean"] < points["high"]
    assert list(games) == ["won", "low", "high", "n"]
    assert games["low"] <= games["won"] <= games["high"]
    assert games["n"] == 6


def test_games_are_left_out_where_none_were_played(run):
    assert "games" not in json.loads(run("match rules random --deals 5 --json")[1])


def test_a_match_of_four_names_every_player(run):
    _, out, _ = run("match rules random easy normal --deals 5 --json")
    assert json.loads(out)["players"] == ["rules", "random", "easy", "normal"]


def test_a_match_in_words_is_what_the_result_says(run):
    status, out, err = run("match rules random --deals 20 --seed 4")
    assert (status, err) == (0, "")
    assert out.startswith("rules against random: +")
    assert out.endswith(f"points per deal (95%, 20 deals x 2), rules standard, seed 4, euchre-env {__version__}\n")


def test_random_players_differ_from_each_other_and_from_run_to_run_only_by_seed(run):
    first, again, other = (run(f"match random random --deals 20 --json --seed {seed}")[1] for seed in (1, 1, 2))
    assert first == again
    assert json.loads(first)["points_per_deal"] != json.loads(other)["points_per_deal"]
    assert json.loads(first)["points_per_deal"]["se"] > 0


def test_rules_may_be_a_preset_with_changes(run):
    _, out, _ = run("match rules rules --deals 5 --rules pagat,stick_the_dealer=true --json")
    assert json.loads(out)["rules"] == "pagat,stick_the_dealer=true"


@pytest.mark.usefixtures("my_players")
def test_a_class_in_the_current_folder_can_sit_down(run):
    status, out, err = run("match my_players:Lowest rules --deals 5 --json")
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert result["players"] == ["my_players:Lowest", "rules"]
    assert result["reneges"] == [0, 0, 0, 0]


@pytest.mark.usefixtures("my_players")
@pytest.mark.parametrize(
    "command", ["match my_players:Talkative rules --deals 2", "stats my_players:Talkative --games 1 --rules midwest"]
)
def test_what_a_player_prints_stays_out_of_the_json(run, command):
    status, out, err = run(f"{command} --json")
    assert status == 0
    assert isinstance(json.loads(out), dict)
    assert "let me see" in err
    assert "let me see" in run(command)[1]


@pytest.mark.usefixtures("my_players")
def test_a_broken_player_loses_and_the_reason_is_shown(run):
    status, out, _ = run("match rules my_players:Broken --deals 5")
    assert status == 0
    assert out.startswith("rules against my_players:Broken: +2.00 ± 0.00 points per deal")
    assert "my_players:Broken at place 1 reneged" in out
    assert "RuntimeError: out of ideas" in out


@pytest.mark.usefixtures("my_players")
def test_a_time_limit_is_kept_and_what_it_costs_can_be_chosen(run):
    _, in_time, _ = run("match my_players:Lowest rules --deals 2 --time-limit 1000 --json")
    assert json.loads(in_time)["reneges"] == [0, 0, 0, 0]
    _, late, _ = run("match my_players:Lowest rules --deals 2 --games 1 --time-limit 1e-12 --late forfeit --json")
    assert sum(json.loads(late)["reneges"]) == 4 + 2  # the eldest hand in each play, deals and games alike


def test_statistics_as_json_have_these_keys(run):
    status, out, err = run("stats rules --games 10 --rules pagat --json")
    assert (status, err) == (0, "")
    statistics = json.loads(out)
    asked = {"player": "rules", "games": 10, "rules": "pagat", "seed": 0, "version": __version__}
    assert asked.items() <= statistics.items()
    assert set(statistics) - set(asked) == {
        "deals",
        "named_round_one",
        "named_round_two",
        "thrown_in",
        "makers_3_or_4",
        "makers_5",
        "euchred",
        "alone",
        "alone_swept",
        "deals_per_game_median",
        "deals_per_game_p90",
        "reneges",
        "sees_all",
    }


def test_the_published_figures_stand_beside_those_of_the_rule_bot(run):
    _, out, _ = run("stats rules --games 10 --rules pagat")
    assert "reference" in out
    assert "61,481" in out
    assert "four copies of rules, 10 games, rules pagat, seed 0" in out
    _, out, _ = run("stats rules --games 10 --rules pagat,stick_the_dealer=true")
    assert "58,980" in out


@pytest.mark.usefixtures("my_players")
def test_a_share_of_nothing_is_a_dash(run):
    _, out, _ = run("stats my_players:Broken --games 1")
    assert "nan" not in out
    assert re.search(r"makers euchred +-\s", out)


@pytest.mark.parametrize("arguments", ["stats rules --games 10", "stats easy --games 10 --rules pagat"])
def test_other_players_and_rules_have_no_reference(run, arguments):
    status, out, _ = run(arguments)
    assert status == 0
    assert "reference" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("match nobody rules", "unknown player 'nobody'"),
        ("match rule rules", "did you mean 'rules'?"),
        ("match rules nowhere.module:Class", "no module 'nowhere'"),
        ("match rules rules --rules pagatt", "did you mean 'pagat'?"),
        ("match rules rules --rules pagat,lone_lead=dealer", "house rule 'lone_lead' is one of"),
        ("match rules rules --deals 0", "deals must be a whole number from 1"),
        ("match rules rules --deals -5", "deals must be a whole number from 1"),
        ("match rules rules --deals many", "invalid int value: 'many'"),
        ("match rules rules --games -1", "games must be a whole number from 0"),
        ("match rules rules --seed -1", "seed must be a whole number"),
        ("match rules rules --time-limit 0", "time limit must be more than 0"),
        ("match rules rules rules", "3 came"),
        ("match rules", "1 came"),
        ("match", "PLAYER"),
        ("stats nobody", "unknown player 'nobody'"),
        ("stats rules --games 0", "games must be a whole number from 1"),
        ("play rules rules", "invalid choice: 'play'"),
        ("", "match | stats"),
    ],
)
def test_a_mistake_is_one_line_on_stderr_and_status_2(run, arguments, message):
    status, out, err = run(arguments)
    assert (status, out) == (2, "")
    assert err.startswith("euchre-eval")
    assert err.count("\n") == 1
    assert message in err


def test_a_game_without_end_is_a_failure(run, monkeypatch, my_players):
    monkeypatch.setattr("euchre_eval.match.MAX_DEALS", 20)
    status, out, err = run("match my_players:Lowest my_players:Lowest --deals 1 --games 1")
    assert (status, out) == (1, "")
    assert "not over after 20 deals" in err


def test_without_rich_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    status, out, err = run("match rules random --deals 5 --json")
    assert (status, out) == (1, "")
    assert "euchre-env[eval]" in err


def test_stopping_it_is_no_traceback(run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("euchre_eval.cli.play_match", stop)
    assert run("match rules random") == (130, "", "euchre-eval: interrupted\n")


def test_a_terminal_gets_a_progress_bar_that_is_gone_at_the_end(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes stderr for a terminal then
    _, out, err = run("match rules random --deals 5 --json")
    assert "deals" in err
    assert json.loads(out)["pairs"] == 5
