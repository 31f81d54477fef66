"""Tournaments: their matches, going on after any kill, and what is refused."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from support.installed_players import install
from support.paths import ROOT
from support.permissions import obey_permissions

from euchre_agents import load
from euchre_agents.loading import SHIPPED_NETWORK
from euchre_env.counter_rng import derived_seed
from euchre_env.random_streams import PLAYER
from euchre_eval import play_match, tournament_folder, workers
from euchre_eval.cli import main
from euchre_eval.playing import match_parts
from euchre_eval.ratings import Fit
from euchre_eval.tournament import play_tournament
from euchre_eval.tournament_folder import TournamentPart, make_folder, read_part, start_or_resume
from euchre_eval.tournament_matches import PlayTournamentPart
from euchre_eval.tournament_page import PICTURES, page
from euchre_eval.tournament_plan import Plan, read_plan

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays
NO_PICTURES = 'note: no pictures, because matplotlib is missing; `pip install "euchre-env[plots]"`\n'

SMALL = Plan(("random", "rules", "easy"), rules=("standard", "pagat"), deals=150, deals_with={"easy": 80}, seed=3)
NEVER = 600  # seconds


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The result of a small tournament, and its folder."""
    folder = tmp_path_factory.mktemp("small") / "tournament"
    return play_tournament(SMALL, folder), folder


def test_every_match_is_the_one_that_the_match_command_plays(small):
    result, _ = small
    for standings in result.standings:
        assert [(each.one, each.other) for each in standings.meetings] == [(0, 1), (0, 2), (1, 2)]
        for each in standings.meetings:
            names = [SMALL.players[each.one], SMALL.players[each.other]]
            players = [load(name, derived_seed(3, PLAYER, place)) for place, name in enumerate(names)]
            pairs = 80 if "easy" in names else 150
            match = play_match(*players, deals=pairs, seed=3, rules=standings.rules)
            assert (each.pairs, each.points_per_deal) == (pairs, match.points_per_deal)
            won = (np.sign(match.margins) + 1) / 2
            assert each.won.mean == won.mean()
            assert 0 <= each.won.low < each.won.mean < each.won.high <= 1
            assert standings.points_of(each.other, each.one).high == -match.points_per_deal.low


def test_the_page_says_whether_the_model_fits(small):
    result, _ = small
    text, standings = page(result), result.standings[0]
    assert standings.fit is not None
    verdict = "does not fit" if standings.fit.is_rejected else "fits"
    test = f"chi-square {standings.fit.chi_square:.1f} with 1 degree of freedom"
    assert f"The Bradley-Terry model {verdict} ({test}, probability " in text
    untested = replace(result, standings=tuple(replace(each, fit=None) for each in result.standings))
    assert "Whether the Bradley-Terry model fits is not tested" in page(untested)
    poor = replace(standings, fit=Fit(99.0, 1, 1e-9), cycles=((0, 1, 2),), upsets=((0, 1),))
    text = page(replace(result, standings=(poor, result.standings[1])))
    assert "does not fit (chi-square 99.0 with 1 degree of freedom, probability less than 0.0001)" in text
    assert "the last beats the first: `random` beats `rules` beats `easy`. Players who beat one that is" in text
    assert "rated higher: `random` beats `rules`. " in text


def test_a_player_that_wins_every_deal_is_expected_to(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "always_reneges.py").write_text(MINE.replace("int(action_mask.argmax())", "99"))
    result = play_tournament(Plan(("rules", "always_reneges:Mine"), deals=4), tmp_path / "out")
    (standings,) = result.standings
    assert standings.meetings[0].won.mean == standings.meetings[0].won.high == 1
    assert 0.3 < standings.meetings[0].won.low < standings.expected(standings.meetings[0]) < 1
    assert standings.poorly_fitted == ()


def test_a_finished_tournament_is_read_and_not_played_again(small, monkeypatch):
    result, folder = small
    monkeypatch.setattr("euchre_eval.playing.play", lambda *_: pytest.fail("it is played again"))
    told = []
    assert play_tournament(SMALL, folder, progress=lambda *what: told.append(what)) == result
    assert told == [("pairs", 2 * (150 + 80 + 80), 2 * (150 + 80 + 80))]


def test_progress_counts_what_was_played_before(small, tmp_path):
    _, folder = small
    shutil.copytree(folder, tmp_path / "copy")
    kept, *removed = sorted((tmp_path / "copy" / "parts").iterdir())
    assert kept.name == "0_0_1_000000000_01.npz"
    for file in removed:
        file.unlink()
    told = []
    play_tournament(SMALL, tmp_path / "copy", progress=lambda *what: told.append(what))
    assert told[0] == ("pairs", 64, 620)
    assert told[-1] == ("pairs", 620, 620)
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})


@pytest.mark.parametrize("number", [2, 3])
def test_several_workers_come_to_the_same_result(small, tmp_path, monkeypatch, number):
    monkeypatch.setattr(workers, "START_AFTER", 0.0)
    result, _ = small
    played, folder = PlayTournamentPart.__call__, tmp_path / "out"

    def wait_and_play(self, part, tick):
        """Play a part in the first process, once another one has played one."""
        deadline = time.monotonic() + NEVER
        while not any(folder.glob("parts/*.npz")):
            assert time.monotonic() < deadline, "no other process came"
            tick("pairs", 0)
            time.sleep(0.02)
        return played(self, part, tick)

    monkeypatch.setattr(PlayTournamentPart, "__call__", wait_and_play)
    assert play_tournament(SMALL, folder, workers=number) == result


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: content[:150] + bytes([content[150] ^ 255]) + content[151:],
    ],
    ids=["truncated", "empty", "changed"],
)
def test_a_damaged_part_is_named_and_played_again(small, tmp_path, damage):
    result, folder = small
    shutil.copytree(folder, tmp_path / "copy")
    file = tmp_path / "copy" / "parts" / "1_0_2_000000064_01.npz"
    file.write_bytes(damage(file.read_bytes()))
    said = []
    assert play_tournament(SMALL, tmp_path / "copy", say=said.append) == result
    (line,) = said
    assert line.startswith(f"{file} is damaged: ")
    assert line.endswith("; it is played again")


def test_every_damage_to_a_part_is_an_error_with_its_name(small, tmp_path):
    _, folder = small
    part = TournamentPart(0, 0, 1, match_parts("deal", 150, are_batched=True)[0])
    file, rng, refused = folder / "parts" / part.file_name, np.random.default_rng(1), list[str]()
    content = file.read_bytes()
    (tmp_path / "parts").mkdir()
    damaged_file = tmp_path / "parts" / part.file_name
    for place in rng.integers(len(content), size=300):
        damaged_file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            read_part(tmp_path, part)
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > 200
    assert all(message.startswith(f"{damaged_file} is damaged: ") for message in refused)


@pytest.mark.parametrize("text", ["null", "5", "[]", "{}", "[" * 100_000, '{"digests": []}'])
def test_a_plan_that_is_none_is_refused(small, tmp_path, text):
    _, folder = small
    shutil.copytree(folder, tmp_path / "copy")
    (tmp_path / "copy" / "tournament.json").write_text(text)
    with pytest.raises(ValueError, match=r"tournament\.json is not the plan of a tournament: it "):
        play_tournament(SMALL, tmp_path / "copy")


def test_a_part_of_another_length_is_damaged(small, tmp_path):
    _, folder = small
    shutil.copytree(folder, tmp_path / "copy")
    parts = tmp_path / "copy" / "parts"
    shutil.copy(parts / "0_0_1_000000000_01.npz", parts / "0_0_1_000000128_01.npz")
    said = []
    play_tournament(SMALL, tmp_path / "copy", say=said.append)
    assert "its margins have shape (2, 64), not (2, 22)" in said[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deals": 151}, "deals is 150 there, not 151"),
        ({"players": ("random", "easy")}, "players is"),
        ({"rules": ("standard",)}, "rules is"),
        ({"seed": 4}, "seed is 3 there, not 4"),
        ({"anchor": "rules"}, "anchor is None there, not 'rules'"),
    ],
)
def test_another_plan_is_refused_and_what_differs_is_said(small, changes, message):
    _, folder = small
    with pytest.raises(ValueError, match=f"holds another tournament: {message}"):
        play_tournament(replace(SMALL, **changes), folder)


def test_changed_code_is_refused(small, monkeypatch):
    _, folder = small
    monkeypatch.setattr("euchre_eval.tournament_folder.stamp_of", lambda packages: b"another")
    with pytest.raises(ValueError, match="euchre_env, euchre_agents or the match loop of euchre_eval has changed"):
        play_tournament(SMALL, folder)


@pytest.mark.parametrize(
    ("module", "is_refused"), [("match_player", True), ("seated_players", True), ("playing", True), ("style", False)]
)
def test_a_changed_match_loop_is_refused_and_other_code_is_not(small, tmp_path, monkeypatch, module, is_refused):
    _, folder = small
    copy = shutil.copytree(tournament_folder.PACKAGE, tmp_path / "euchre_eval")
    monkeypatch.setattr(tournament_folder, "PACKAGE", copy)
    start_or_resume(folder, SMALL)
    with (copy / f"{module}.py").open("a") as file:
        file.write("# changed\n")
    with pytest.raises(ValueError, match="the match loop of euchre_eval has changed") if is_refused else nullcontext():
        start_or_resume(folder, SMALL)


MINE = """
class Mine:
    def act(self, observation, action_mask):
        return int(action_mask.argmax())
"""


def test_a_changed_player_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "of_mine.py").write_text(MINE)
    plan = Plan(("of_mine:Mine", "rules"), deals=3)
    result = play_tournament(plan, tmp_path / "out")
    assert result.standings[0].meetings[0].reneges == (0, 0)
    (tmp_path / "of_mine.py").write_text(MINE + "# changed\n")
    with pytest.raises(ValueError, match="player 'of_mine:Mine' has changed since it began"):
        play_tournament(plan, tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("cmd:sh {}/policy.json", "policy.json"),
        ("{}", "policy.json"),
        ("{}", "policy.safetensors"),
        ("{}/policy.json", "policy.safetensors"),
        ("{}:points", "policy.json"),
        ("{}/policy.json:sampled", "policy.safetensors"),
    ],
)
def test_a_changed_file_of_a_player_is_refused_by_name(tmp_path, name, changed):
    shutil.copytree(SHIPPED_NETWORK, tmp_path / "network")
    plan = Plan((name.format(tmp_path / "network"), "rules"))
    make_folder(tmp_path / "out")
    start_or_resume(tmp_path / "out", plan)
    start_or_resume(tmp_path / "out", plan)
    assert (tmp_path / "network" / changed).exists()
    with (tmp_path / "network" / changed).open("a") as file:
        file.write(" ")
    with pytest.raises(ValueError, match=re.escape(f"player {plan.players[0]!r} has changed since it began")):
        start_or_resume(tmp_path / "out", plan)


@pytest.mark.parametrize("change", ["version", "module"])
def test_a_changed_installed_player_is_refused_by_name(tmp_path, monkeypatch, change):
    install(tmp_path, monkeypatch, "tournament_players", {"visitor": "Remembering"})
    plan = Plan(("visitor", "rules"))
    make_folder(tmp_path / "out")
    start_or_resume(tmp_path / "out", plan)
    start_or_resume(tmp_path / "out", plan)
    if change == "version":
        metadata = tmp_path / "tournament_players-1.0.dist-info" / "METADATA"
        metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    else:
        with (tmp_path / "tournament_players.py").open("a") as file:
            file.write("# changed\n")
    with pytest.raises(ValueError, match="player 'visitor' has changed since it began"):
        start_or_resume(tmp_path / "out", plan)


def test_a_folder_with_other_things_in_it_is_refused_and_left_alone(tmp_path):
    (tmp_path / "letters.txt").touch()
    with pytest.raises(ValueError, match="is neither empty nor the folder of a tournament"):
        play_tournament(SMALL, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["letters.txt"]


def test_a_player_that_reneges_is_counted_and_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "reneges.py").write_text(MINE.replace("int(action_mask.argmax())", "99"))
    result = play_tournament(Plan(("rules", "reneges:Mine"), deals=4), tmp_path / "out")
    (meeting,) = result.standings[0].meetings
    assert meeting.reneges == (0, 8)
    assert meeting.points_per_deal.mean == 2
    assert "`reneges:Mine` reneged 8 times against `rules`, first in episode 0 of seed 0: " in page(result)


# Killed and continued


SIX = ["random", "passer", "easy", "rules", "ppo", "ppo:sampled"]
NUM_PARTS, NUM_KILLS = 15 * 2 * 2, 10  # 15 matches under two house rules, of two parts each


def num_parts(folder):
    """How many parts have been played."""
    return len(list(folder.glob("parts/*.npz")))


def start(folder, number):
    """A tournament of six built-in players as a process of its own."""
    code = "import sys\nfrom euchre_eval import workers\nfrom euchre_eval.cli import main\n"
    code += "if __name__ == '__main__':\n    workers.START_AFTER = 0.0\n    sys.exit(main(sys.argv[1:]))\n"
    script = folder.parent / "play.py"
    script.write_text(code)
    arguments = ["tournament", *SIX, "--rules", "standard", "pagat", "--deals", "100", "--out", str(folder)]
    arguments += ["--workers", str(number), "--json"]
    return subprocess.Popen(
        [sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_tournament_killed_at_random_moments_ends_with_the_same_result(tmp_path):
    whole = json.loads(start(tmp_path / "whole", 1).communicate(timeout=NEVER)[0])
    assert num_parts(tmp_path / "whole") == NUM_PARTS
    generator, folder, lengths = random.Random(5), tmp_path / "killed", []
    for kill in range(NUM_KILLS):
        process = start(folder, 1 + kill % 2)
        target = 5 * kill + generator.randrange(5)
        deadline = time.monotonic() + NEVER
        while num_parts(folder) < target and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(generator.random() / 50)
        process.kill()
        process.communicate()
        lengths.append(num_parts(folder))
    assert lengths == sorted(lengths)  # each time it went on from where it was
    assert len(set(lengths)) > NUM_KILLS // 2
    assert lengths[-1] < NUM_PARTS
    out, err = start(folder, 2).communicate(timeout=NEVER)
    assert (err == "") == (find_spec("matplotlib") is not None)
    assert err in ("", NO_PICTURES)
    assert json.loads(out) == whole
    assert (folder / "result.json").read_bytes() == (tmp_path / "whole" / "result.json").read_bytes()
    assert (folder / "result.md").read_bytes() == (tmp_path / "whole" / "result.md").read_bytes()


def test_an_interrupt_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("euchre_eval.commands.tournament.play_tournament", stop)
    assert main(["tournament", "random", "rules", "--out", str(tmp_path / "a")]) == 130
    assert capsys.readouterr().err == "euchre-eval: interrupted; the same command goes on from here\n"


# Plans, and the command


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"players": ("rules",)}, "two players or more, not 1"),
        ({"players": ("rules", "easy", "rules")}, "players: 'rules' stands twice"),
        ({"players": "rules"}, "players must be a list of names"),
        ({"rules": ()}, "takes house rules"),
        ({"rules": ("pagat", "pagat")}, "rules: 'pagat' stands twice"),
        ({"rules": ("pagatt",)}, "did you mean 'pagat'"),
        ({"deals": 0}, "deals must be a whole number from 1"),
        ({"deals_with": {"easy": 0}}, "deals_with: easy must be a whole number from 1"),
        ({"deals_with": {"easy": 99_999}}, "deals_with: easy must be a whole number from 1 to 20000"),
        ({"deals_with": {"easi": 5}}, "deals_with: 'easi' is no player of the tournament; did you mean 'easy'"),
        ({"deals_with": [5]}, "deals_with must give numbers of deals by player"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"anchor": "ppo"}, "anchor: 'ppo' is no player of the tournament"),
        ({"allow_cheating": 1}, "allow_cheating must be true or false"),
        ({"title": 1}, "title must be text"),
    ],
)
def test_an_impossible_plan_is_refused(values: dict[str, Any], message):
    arguments: dict[str, Any] = {"players": ("rules", "easy"), **values}
    with pytest.raises(ValueError, match=message):
        Plan(**arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("players: [rules, easy]\ndeal: 5\n", "unknown key 'deal'; did you mean 'deals'"),
        ("deals: 5\n", "players is missing"),
        ("players: [rules, rules]\n", "'rules' stands twice"),
        ("[rules, easy]\n", "it must give values to names"),
        ("players: [rules\n", "expected"),
    ],
)
def test_a_file_that_is_no_plan_is_refused_by_name(tmp_path, text, message):
    pytest.importorskip("yaml")
    file = tmp_path / "plan.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_plan(file)
    assert str(caught.value).startswith(f"{file}: ")


def test_the_plan_of_the_leaderboard_can_be_read():
    pytest.importorskip("yaml")
    plan = read_plan(ROOT / "configs" / "leaderboard.yaml")
    assert plan.players == ("random", "passer", "easy", "rules", "pimc", "ppo", "ppo+search", "oracle")
    assert (plan.rules, plan.deals, plan.anchor) == (("standard", "pagat"), 20_000, "rules")
    assert dict(plan.deals_with) == {"pimc": 4000, "ppo+search": 4000, "oracle": 4000}
    assert plan.allow_cheating


def test_the_command_writes_the_page_the_result_and_the_pictures(tmp_path, capsys):
    (tmp_path / "docs").mkdir()
    plan = tmp_path / "plan.yaml"
    plan.write_text("players: [random, rules]\nrules: [standard, midwest]\ndeals: 20\ntitle: My board\n")
    folder = tmp_path / "out"
    command = f"tournament --config {plan} --out {folder} --page {tmp_path}/docs/board.md"
    assert main(command.split()) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("# My board\n")
    result = json.loads((folder / "result.json").read_text())
    assert [each["rules"] for each in result["standings"]] == ["standard", "midwest"]
    assert result["plan"]["players"] == ["random", "rules"]
    assert [rating["player"] for rating in result["standings"][0]["ratings"]] == [1, 0]
    assert "| 1 | `rules` |" in printed
    if find_spec("matplotlib") is not None:
        assert "![" not in printed
        for name in PICTURES:
            assert f"]({name}.png)" in (folder / "result.md").read_text()
            assert f"](images/board_{name}.png)" in (tmp_path / "docs" / "board.md").read_text()
            assert (folder / f"{name}.png").read_bytes() == (tmp_path / f"docs/images/board_{name}.png").read_bytes()
            assert (folder / f"{name}.png").stat().st_size > 5000


def test_without_matplotlib_there_are_no_pictures_and_a_note(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(f"tournament random rules --deals 5 --out {tmp_path}/out".split()) == 0
    assert capsys.readouterr().err == NO_PICTURES
    assert "![" not in (tmp_path / "out" / "result.md").read_text()
    assert not list((tmp_path / "out").glob("*.png"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("random nobody --out {}/a", "unknown player 'nobody'"),
        ("random random --out {}/a", "players: 'random' stands twice"),
        ("random --out {}/a", "two players or more, not 1"),
        ("random rules --deals 0 --out {}/a", "deals must be a whole number from 1"),
        ("random rules --workers 0 --out {}/a", "workers must be a whole number from 1"),
        ("random rules --rules pagatt --out {}/a", "did you mean 'pagat'"),
        ("random rules", "--out"),
        ("random rules --config x.yaml --out {}/a", "--config x.yaml says what to play; leave out: players"),
        ("random rules --out {}/a --page {}/nowhere/b.md", "there is no folder"),
    ],
)
def test_a_mistake_is_one_line_and_makes_no_folder(tmp_path, capsys, arguments, message):
    try:
        status = main(["tournament", *arguments.format(tmp_path, tmp_path).split()])
    except SystemExit as end:
        status = end.code
    err = capsys.readouterr().err
    assert (status, err.count("\n")) == (2, 1)
    assert message in err
    assert not (tmp_path / "a").exists()


def run_here(arguments, **options):
    command = [sys.executable, "-m", "euchre_eval.cli", "tournament", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=NEVER, check=False, **options)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    done = run_here(["random", "rules", "--out", f"{tmp_path}/locked/a"], preexec_fn=obey_permissions)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "Permission denied" in done.stderr
    assert str(tmp_path / "locked") in done.stderr


def test_a_second_process_is_refused_while_the_first_one_plays(tmp_path):
    script = tmp_path / "hold.py"
    script.write_text(
        "import sys, time\nfrom pathlib import Path\nfrom euchre_eval.folder_lock import FolderLock\n"
        "lock = FolderLock(Path(sys.argv[1]), 'played')\nprint('held', flush=True)\ntime.sleep(1000)\n"
    )
    (tmp_path / "out").mkdir()
    holder = subprocess.Popen([sys.executable, script, tmp_path / "out"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        with pytest.raises(ValueError, match=f"is being played by process {holder.pid}"):
            play_tournament(SMALL, tmp_path / "out")
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.communicate()
