"""The command `euchre-eval`: its output, in words and as JSON, and its errors."""

import importlib
import io
import json
import os
import pkgutil
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from support.command_lines import interrupted_when_importing
from support.paths import ROOT
from support.permissions import obey_permissions

import euchre_eval
from euchre_agents import RuleBot, load
from euchre_agents.outcomes import points_of_outcomes, read_outcome_counts
from euchre_env import Tables, __version__
from euchre_env.deal_text import parse_deal_text
from euchre_env.egn import read_egn
from euchre_env.house_rules import PRESETS
from euchre_env.random_streams import FIRST_GAME, training_seed
from euchre_eval.cli import main
from euchre_eval.command_line import delay_interrupt, run_command
from euchre_eval.outcome_counts import count_outcomes
from euchre_eval.playing import play
from euchre_eval.seated_players import SeatedPlayers

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays

GAMES = ROOT / "examples" / "games"
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

class NeedsArgument(Lowest):
    def __init__(self, size):
        pass

class RaisesWhenMade(Lowest):
    def __init__(self):
        raise ValueError("no such\\nopening")

class ExitsWhenMade(Lowest):
    def __init__(self):
        raise SystemExit
"""

NOISY = """
import atexit
import ctypes
import os
import subprocess

class Noisy:
    def __init__(self):
        atexit.register(print, "printed at the end")
        ctypes.CDLL(None).printf(b"printed by C, buffered\\n")
        subprocess.run(["echo", "printed by a child process"])

    def act(self, observation, action_mask):
        os.write(1, b"written to descriptor 1\\n")
        return int(action_mask.argmax())
"""


@pytest.fixture
def run(capsys):
    """Run the command and return its exit status, its stdout and its stderr."""

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
    """The current folder, with a module of players in it."""
    (tmp_path / "my_players.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    sys.modules.pop("my_players", None)  # a package of the same name that another test has imported
    yield
    sys.modules.pop("my_players", None)


def test_a_match_as_json_is_one_object_with_these_keys(run):
    status, out, err = run("match rules random --deals 20 --games 3 --seed 4 --rules pagat --json")
    assert (status, err) == (0, "")
    result = json.loads(out)
    points, games = result.pop("points_per_deal"), result.pop("games")
    swings, by_points = result.pop("swings"), result.pop("deals_by_points")
    assert [sorted(swing) for swing in swings] == [["deal", "margins", "texts"]] * len(swings)
    assert sum(number for _, number in by_points) == 20
    assert sum(value * number for value, number in by_points) == pytest.approx(20 * points["mean"])
    assert result == {
        "players": ["rules", "random"],
        "rules": "pagat",
        "pairs": 20,
        "seed": 4,
        "version": __version__,
        "reneges": [0, 0, 0, 0],
        "first_reneges": [None] * 4,
        "time_limit": None,
        "late": "renege",
        "sees_all": [],
    }
    assert list(points) == ["mean", "low", "high", "se"]
    assert points["low"] < points["mean"] < points["high"]
    assert list(games) == ["won", "low", "high", "se", "pairs"]
    assert games["low"] <= games["won"] <= games["high"]
    assert games["pairs"] == 3


def test_games_are_left_out_where_none_were_played(run):
    assert "games" not in json.loads(run("match rules random --deals 5 --json")[1])


def test_a_match_of_four_names_every_player(run):
    _, out, _ = run("match rules random easy normal --deals 5 --json")
    assert json.loads(out)["players"] == ["rules", "random", "easy", "normal"]


def test_a_match_in_words_is_what_the_result_says(run):
    status, out, err = run("match rules random --deals 20 --seed 4")
    assert (status, err) == (0, "")
    assert out.startswith("rules against random: +")
    result, note = out.splitlines()
    assert result.endswith(f"points per deal (95%, 20 deals x 2), rules standard, seed 4, euchre-env {__version__}")
    assert note.startswith("note: a result against random proves little: ")


def test_only_a_match_against_random_has_the_note_on_random(run):
    assert "note:" not in run("match rules easy --deals 5")[1]
    assert "note:" not in run("match rules random --deals 5 --json")[1]


def test_random_players_differ_from_each_other_and_by_the_seed_alone(run):
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
        "styles",
    }
    (style,) = statistics["styles"]
    assert style["player"] == "rules"
    assert set(style["statistics"]["calls.all"]) == {"value", "low", "high", "se", "of"}


def test_statistics_of_two_players_stand_side_by_side(run):
    status, out, err = run("stats rules easy --games 5")
    assert (status, err) == (0, "")
    assert re.search(r"rules +easy +difference", out)
    assert "rules, easy at one table, 5 games x 2, rules standard, seed 0" in out
    status, out, _ = run("stats rules easy --games 5 --apart --json")
    values = json.loads(out)
    assert (status, values["players"], values["apart"]) == (0, ["rules", "easy"], True)
    assert [table["styles"][0]["player"] for table in values["tables"]] == ["rules", "easy"]
    ours, theirs = (table["styles"][0]["statistics"]["calls.all"]["value"] for table in values["tables"])
    assert values["difference"]["calls.all"]["value"] == ours - theirs


def test_statistics_of_four_players_have_a_column_each_and_a_picture(run, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "style.png"
    status, out, err = run(f"stats rules easy passer rules --games 2 --picture {file}")
    assert (status, err) == (0, "")
    assert re.search(r"rules at place 0 +easy +passer +rules at place 3", out)
    assert "difference" not in out
    assert file.read_bytes().startswith(b"\x89PNG")


def test_outcomes_are_written_to_a_file_and_shown_in_words(run, tmp_path):
    file = tmp_path / "counts.json"
    status, out, err = run(f"outcomes rules --deals 60 --seed 4 --out {file}")
    assert (status, err) == (0, "")
    counts = read_outcome_counts(file)
    assert (counts.player, counts.deals, counts.seed, counts.version) == ("rules", 60, 4, __version__)
    assert {sum(numbers) for numbers in counts.counts.values()} == {60}
    shares = [f"{counts.counts[preset][0] / 60:.2%}" for preset in PRESETS]
    assert re.search(r"dealer's team: point +" + " +".join(map(re.escape, shares)), out)
    points = points_of_outcomes(PRESETS["standard"]) @ np.array(counts.counts["standard"]) / 60
    assert re.search(rf"dealer's team, points per deal +{re.escape(f'{points:+.3f}')} ", out)
    assert "four copies of rules, 60 deals under each preset, training seed 4" in out


def test_outcomes_as_json_are_what_the_file_holds(run, tmp_path):
    status, out, err = run(f"outcomes rules --deals 20 --out {tmp_path / 'counts.json'} --json")
    assert (status, err) == (0, "")
    assert out == (tmp_path / "counts.json").read_text()
    counted = count_outcomes(RuleBot(), deals=20, seed=training_seed(0), rules="british").tolist()
    assert list(read_outcome_counts(tmp_path / "counts.json").counts["british"]) == counted


def test_recorded_games_are_files_that_egn_reads(run, tmp_path):
    folder = tmp_path / "played"
    status, out, err = run(f"record-games rules random --games 2 --out {folder} --rules tournament --seed 3")
    assert (status, err) == (0, "")
    assert [path.name for path in sorted(folder.iterdir())] == ["game_0.egn", "game_1.egn"]
    found = re.fullmatch(rf"{folder}/game_0.egn: (\d+) deals, (\d+-\d+)\n.*\n", out)
    assert found is not None
    deals, score = found.groups()
    status, out, err = run(f"egn {folder}/game_0.egn")
    assert (status, err) == (0, "")
    assert out.startswith("Game 0 of seed 3\nrules, random, rules, random\nrules tournament\n")
    assert re.search(rf"^{score} after {deals} deals: seats \d and \d win, as the record says$", out, re.MULTILINE)


def test_recorded_games_are_those_of_a_match(run, tmp_path):
    """A match plays each game twice; its first plays are the games recorded with the same seed."""
    _, out, _ = run(f"record-games rules passer --games 6 --out {tmp_path / 'played'} --json")
    scores = [game["score"] for game in json.loads(out)["games"]]
    tables = Tables(6, "standard", json.loads(out)["seed"], episode="game", num_episodes=6, first_episode=FIRST_GAME)
    seated = SeatedPlayers([load("rules"), load("passer")], ["rules", "passer"], json.loads(out)["seed"])
    with seated.prepared() as at_seats:
        last = [result for results in play(tables, at_seats) for result in results if result["over"]]
    assert len(scores) == len(last) == 6
    assert all(max(score) >= 10 for score in scores)
    assert sorted(result["scores"].tolist() for result in last) == sorted(scores)


def test_a_game_is_shown_as_json_as_deal_texts_and_in_version_1_4(run, tmp_path):
    game, copy = GAMES / "annotated.egn", tmp_path / "copy.egn"
    status, out, err = run(f"egn {game} --json --out {copy}")
    assert (status, err) == (0, "")
    values = json.loads(out)
    assert (values["first_scores"], values["final_scores"], values["scores"]) == ([8, 7], None, [9, 7])
    assert [deal["finished"] for deal in values["deals"]] == [True, False]
    assert values["deals"][0]["invented"] == [[], [], [], []]
    assert [len(cards) for cards in values["deals"][1]["invented"][2:]] == [4, 1]  # one card of each of these was seen
    assert read_egn(copy) == read_egn(game)
    status, out, err = run(f"egn {game} --deals")
    assert out.splitlines() == [deal["deal_text"] for deal in values["deals"]]
    assert all(parse_deal_text(text) for text in out.splitlines())
    _, out, _ = run(f"egn {game}")
    assert out.endswith("9-7 after 2 deals: the game goes on\n")
    assert "not finished" in out


def test_a_final_score_that_is_not_that_of_the_deals_is_named(run, tmp_path):
    file = tmp_path / "game.egn"
    file.write_text((GAMES / "pagat.egn").read_text().replace('"finalScore": [', '"finalScore": [2, 2], "x": [', 1))
    status, out, err = run(f"egn {file}")
    assert (status, out) == (2, "")
    assert err == f"euchre-eval: {file}: metadata: unknown field 'x'\n"
    text = re.sub('"finalScore": .*', '"finalScore": [2, 2],', (GAMES / "pagat.egn").read_text())
    file.write_text(text)
    assert run(f"egn {file}")[1].endswith("; the record says 2-2\n")


def test_a_file_that_is_no_game_is_one_line_with_the_place(run, tmp_path):
    file = tmp_path / "game.egn"
    for text, fault in (("{", "line 1, column 2: not JSON"), ("[]", "an object is expected, not a list")):
        file.write_text(text)
        status, out, err = run(f"egn {file}")
        assert (status, out) == (2, "")
        assert err.startswith(f"euchre-eval: {file}: {fault}")
        assert err.count("\n") == 1
    status, out, err = run(f"egn {tmp_path / 'nowhere.egn'}")
    assert (status, out) == (1, "")
    assert "nowhere.egn" in err


@pytest.mark.usefixtures("my_players")
def test_a_player_that_reneges_cannot_be_recorded(run, tmp_path):
    status, out, err = run(f"record-games my_players:Broken --out {tmp_path / 'played'}")
    assert (status, out) == (1, "")
    assert err == "euchre-eval: my_players:Broken reneged in deal 0, and the notation has no place for reneges\n"


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
        ("solve rules=pagat", "the deal text lacks dealer"),
        ("outcomes rules --deals 0", "deals must be a whole number from 1"),
        ("outcomes rules --seed -1", "seed must be a whole number from 0"),
        ("outcomes rules --deals 1 --out nowhere/a.json", "--out nowhere/a.json: there is no folder nowhere"),
        ("record-games rules --out played --games 0", "games must be a whole number from 1"),
        ("record-games rules rules rules --out played", "a game takes one player, two, or four"),
        ("record-games rules --out nowhere/played", "--out nowhere/played: there is no folder nowhere"),
        (
            "record-games rules --out played --rules printed",
            "the house rule 'lone_lead' is 'eldest_else_left_of_maker'",
        ),
        ("stats rules --games 0", "games must be a whole number from 1"),
        ("stats rules rules easy", "stats takes one player, two, or four, one for each seat; 3 came"),
        ("stats rules --apart", "--apart is for two players; 1 came"),
        ("stats rules --picture style.pdf", "--picture style.pdf: a picture ends in .png or .svg"),
        ("stats rules --picture no/where.png", "--picture no/where.png: there is no folder no"),
        ("play rules rules", "invalid choice: 'play'"),
        ("", "record | record-games | report | sayings | score-settings | solve | stats | tournament | tune-rules"),
        ("match rules random --deal 5", "unrecognized arguments: --deal 5"),
        ("match rules random --gam 1", "unrecognized arguments: --gam 1"),
        ("stats rules --se 3", "unrecognized arguments: --se 3"),
        ("--vers stats rules --games 1", "unrecognized arguments: --vers"),
    ],
)
def test_a_mistake_is_one_line_on_stderr_and_status_2(run, arguments, message):
    status, out, err = run(arguments)
    assert (status, out) == (2, "")
    assert err.startswith("euchre-eval")
    assert err.count("\n") == 1
    assert message in err


def test_a_game_without_end_is_a_failure(run, monkeypatch, my_players):
    monkeypatch.setattr("euchre_eval.playing.MAX_DEALS", 20)
    status, out, err = run("match my_players:Lowest my_players:Lowest --deals 1 --games 1")
    assert (status, out) == (1, "")
    assert "not over after 20 deals" in err


def test_without_rich_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    status, out, err = run("match rules random --deals 5 --json")
    assert (status, out) == (1, "")
    assert "euchre-env[eval]" in err


def test_an_interrupt_prints_no_traceback(run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("euchre_eval.commands.match.play_match", stop)
    assert run("match rules random") == (130, "", "euchre-eval: interrupted\n")


def test_a_terminal_gets_a_progress_bar_that_is_gone_at_the_end(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes stderr for a terminal then
    _, out, err = run("match rules random --deals 5 --json")
    assert "deals" in err
    assert json.loads(out)["pairs"] == 5


def test_the_version_is_printed(run):
    assert run("--version") == (0, f"euchre-env {__version__}\n", "")


@pytest.mark.usefixtures("my_players")
@pytest.mark.parametrize(
    ("player", "error"),
    [
        ("my_players:RaisesWhenMade", r"ValueError: no such opening"),
        ("my_players:ExitsWhenMade", r"SystemExit"),
        ("builtins:range", r"TypeError: range expected at least 1 argument, got 0"),
    ],
)
@pytest.mark.parametrize("command", ["match {} rules --json", "stats {}"])
def test_a_player_that_cannot_be_made_is_named_first(run, player, error, command):
    status, out, err = run(command.format(player))
    assert (status, out) == (1, "")
    first, *traceback = err.splitlines()
    assert re.fullmatch(rf"euchre-eval: player '{player}': {error}", first)
    if "WhenMade" in player:
        assert traceback[0] == "Traceback (most recent call last):"
        assert "my_players.py" in traceback[1]
    else:
        assert not traceback  # no line of the user's own was reached


@pytest.mark.usefixtures("my_players")
@pytest.mark.parametrize("command", ["match {} rules --json", "stats {}"])
def test_a_player_that_needs_an_argument_is_refused_by_name(run, command):
    status, out, err = run(command.format("my_players:NeedsArgument"))
    assert (status, out) == (2, "")
    assert re.fullmatch(r"euchre-eval: player 'my_players:NeedsArgument'.*argument: 'size'\n", err)


def test_a_module_that_cannot_be_imported_is_named_first(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    (tmp_path / "wants_more.py").write_text("import not_there\n")
    (tmp_path / "misspelt.py").write_text("def (\n")
    status, out, err = run("match wants_more:Bot rules")
    assert (status, out) == (1, "")
    assert err.startswith("euchre-eval: player 'wants_more:Bot': ModuleNotFoundError: No module named 'not_there'\n")
    status, out, err = run("match misspelt:Bot rules")
    assert (status, out) == (1, "")
    assert err == "euchre-eval: player 'misspelt:Bot': SyntaxError: invalid syntax (misspelt.py, line 1)\n"


def test_a_name_longer_than_any_file_is_one_line(run):
    status, out, err = run(f"match {'x' * 300} rules")
    assert (status, out) == (2, "")
    assert err.startswith("euchre-eval: unknown player 'xxx")
    assert err.count("\n") == 1


def start(arguments, **options):
    """Start `euchre-eval` as a process of its own, with stderr as a text pipe."""
    command = [sys.executable, "-m", "euchre_eval.cli", *arguments.split()]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


def test_a_network_that_may_not_be_read_is_one_line(tmp_path):
    for name in ("policy.json", "policy.safetensors"):
        (tmp_path / name).touch()
    (tmp_path / "policy.json").chmod(0)
    tmp_path.chmod(0)
    try:
        process = start(f"match {tmp_path} rules", preexec_fn=obey_permissions)
        err = process.communicate(timeout=60)[1]
    finally:
        tmp_path.chmod(0o755)
    assert process.returncode == 2
    assert err.startswith("euchre-eval: ")
    assert str(tmp_path) in err
    assert err.count("\n") == 1


def test_output_that_nobody_reads_is_a_quiet_end():
    reading, writing = os.pipe()
    os.close(reading)
    process = start("stats rules --games 1", stdout=writing)
    os.close(writing)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which only Linux has")  # noqa: PTH110
@pytest.mark.parametrize("command", ["match rules random --deals 10 --json", "--help"])
def test_output_to_a_full_disk_is_one_line(command):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        process = start(command, stdout=full)
        err = process.communicate(timeout=60)[1]
    assert (process.returncode, err) == (
        1,
        "euchre-eval: cannot write to standard output: No space left on device\n",
    )


def test_json_is_alone_on_stdout_whatever_a_player_writes(tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY)
    process = start("match noisy:Noisy rules --deals 1 --json", stdout=subprocess.PIPE, cwd=tmp_path)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["players"] == ["noisy:Noisy", "rules"]
    for text in ("written to descriptor 1", "printed by a child process", "printed by C, buffered", "at the end"):
        assert text in err


def test_a_closed_stderr_does_not_cost_the_json():
    process = subprocess.Popen(
        ["sh", "-c", f"exec {sys.executable} -m euchre_eval.cli match rules random --deals 1 --json 2>&-"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert json.loads(process.communicate(timeout=60)[0])["pairs"] == 1


def test_ctrl_c_while_modules_are_imported_is_one_line():
    done = subprocess.run(
        [sys.executable, "-c", interrupted_when_importing("numba", "euchre_eval", ["match", "rules", "rules"])],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "euchre-eval: interrupted\n")


def test_ctrl_c_waits_for_the_end_of_an_import():
    steps = []
    with pytest.raises(KeyboardInterrupt), delay_interrupt():  # noqa: PT012  # what comes after the signal is the point
        signal.raise_signal(signal.SIGINT)
        steps.append("after the first")
    with pytest.raises(KeyboardInterrupt), delay_interrupt():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        steps.append("after the second")
    assert steps == ["after the first"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])  # what Python sets for PYTHONIOENCODING and LC_ALL=C
def test_an_ascii_terminal_gets_plus_minus_in_two_characters(run, monkeypatch, errors):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors=errors)
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run("match rules random --deals 10")[0] == 0
    report = terminal.buffer.getvalue().decode("ascii")
    assert re.match(r"rules against random: \+1\.05 \+- 0\.52 points per deal", report)


def test_other_characters_a_terminal_lacks_are_escaped(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run_command("program", lambda: print("J\u2663 \udcff 1 ± 2") or 0) == 0
    assert terminal.buffer.getvalue() == b"J\\u2663 \\udcff 1 \xb1 2\n"


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (FileNotFoundError(2, "No such file or directory", "a.txt"), 1, "No such file or directory: 'a.txt'"),
        (OSError("no device"), 1, "no device"),
        (ValueError("one\n  two"), 2, "one two"),
        (MemoryError(), 1, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_every_failure_has_its_line_and_status(capsys, error, status, line):
    def fail():
        raise error

    assert run_command("program", fail) == status
    assert capsys.readouterr() == ("", f"program: {line}\n")


def test_a_defect_is_not_hidden():
    def fail():
        raise RuntimeError("not foreseen")

    with pytest.raises(RuntimeError, match="not foreseen"):
        run_command("program", fail)


@pytest.mark.parametrize("name", euchre_eval.__all__)
def test_a_public_name_stays_what_it_is_when_all_modules_are_imported(name):
    for module in pkgutil.iter_modules(euchre_eval.__path__):
        importlib.import_module(f"euchre_eval.{module.name}")
    assert callable(getattr(euchre_eval, name))
    assert name in dir(euchre_eval)


def test_importing_the_evaluation_loads_no_compiler():
    code = "import sys, euchre_eval, euchre_eval.command_line, euchre_eval.cli\nassert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
