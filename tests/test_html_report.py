"""The HTML report: well-formed, alone in the world, true to the result, and safe whatever players are called."""

import json
import re
import subprocess
import sys
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

import pytest
from support.html_pages import read_page
from support.paths import ROOT
from support.players import Answers, HighestLegal

from euchre_agents import load
from euchre_agents.loading import BUILT_IN
from euchre_env.actions import PASS_ID
from euchre_env.deal_text import parse_deal_text
from euchre_env.drawing.commentary import result_text, trick_text
from euchre_eval import play_match
from euchre_eval.cli import main
from euchre_eval.intervals import without_nan
from euchre_eval.match import MatchSummary
from euchre_eval.replay import ReplayError
from euchre_eval.saved_results import read_result
from euchre_eval.tournament import play_tournament
from euchre_eval.tournament_folder import RESULT_FILE
from euchre_eval.tournament_plan import Plan, read_plan

pytest.importorskip("jinja2", reason="the page needs the extra [eval]")
from euchre_eval.report_charts import tick_values
from euchre_eval.report_page import DESCRIPTIONS, report_page, signed, told

pytestmark = pytest.mark.compiled  # plays hundreds of deals

RULES = "british,defend_alone=always,euchre_points=3"
WORST = """<script>alert(1)</script> & "quoted' <img src=x onerror=alert(1)> {{ 7 * 7 }} ♠ seat 1"""


def saved(result, folder):
    """The result of a match as `euchre-eval match --json` prints it, read back."""
    (folder / "match.json").write_text(json.dumps(result.as_json()))
    match = read_result(folder / "match.json")
    assert isinstance(match, MatchSummary)
    return match


@pytest.fixture(scope="module")
def match(tmp_path_factory):
    players = load("rules", 1), load("random", 2)
    result = play_match(*players, deals=300, games=20, seed=9, rules=RULES, names=["rules", "random"])
    return saved(result, tmp_path_factory.mktemp("match"))


@pytest.fixture(scope="module")
def page(match):
    return report_page(match)


@pytest.fixture(scope="module")
def tournament(tmp_path_factory):
    plan = Plan(
        ("random", "rules", "oracle"),
        ("standard", "pagat"),
        deals=60,
        deals_with={"oracle": 30},
        anchor="rules",
        allow_cheating=True,
        title="A <small> one",
    )
    folder = tmp_path_factory.mktemp("tournament") / "folder"
    result = play_tournament(plan, folder)
    (folder / RESULT_FILE).write_text(json.dumps(result.as_json(), indent=1))
    return read_result(folder)


def check_page(page):
    """What holds for every report: returns its elements."""
    root = read_page(page)
    assert page.startswith("<!DOCTYPE html>\n")
    (policy,) = root.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert {each.tag for each in root} & {"script", "link", "img", "iframe", "object", "embed", "base", "form"} == set()
    ids = [each["id"] for each in root if "id" in each.attributes]
    assert len(set(ids)) == len(ids)
    for each in root:
        for name, value in each.attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "data", "action", "poster", "xlink:href")
            if name == "href":
                assert value is not None
                assert value.startswith("#")
            if name in ("href", "aria-labelledby"):
                assert value is not None
                assert value.removeprefix("#") in ids
    (style,) = root.all("style")
    assert not re.search(r"url\(|@import|@font-face|expression", style.text)
    assert "prefers-color-scheme: dark" in style.text
    for table in root.all("table"):
        assert all(each["scope"] in ("row", "col") for each in table.all("th"))
        assert table.all("th", scope="col")
    for picture in root.all("svg"):
        (title,) = picture.all("title")
        assert picture["role"] == "img"
        assert picture["aria-labelledby"] == title["id"]
        assert len(title.text) > 20
        assert not re.search("nan|inf", " ".join(filter(None, picture.all("line")[0].attributes.values())))
    levels = [int(each.tag[1]) for each in root if re.fullmatch("h[1-6]", each.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    return root


def test_the_pages_are_well_formed_and_load_nothing(page, tournament):
    root = check_page(page)
    assert len(root.all("svg")) == 3
    check_page(report_page(tournament))


def test_the_same_result_makes_the_same_bytes(match, page, tmp_path):
    assert report_page(match) == page
    write = "import sys; from pathlib import Path; from euchre_eval.saved_results import read_result; from "
    write += "euchre_eval.report_page import report_page; print(report_page(read_result(Path(sys.argv[1]))), end='')"
    (tmp_path / "match.json").write_text(json.dumps(_as_json(match)))
    done = subprocess.run([sys.executable, "-c", write, tmp_path / "match.json"], capture_output=True, check=True)
    assert done.stdout.decode() == page


def _as_json(match):
    """The JSON of a match that was read back."""
    return without_nan(asdict(match))


def test_the_numbers_are_those_of_the_result(match, page):
    root = read_page(page)
    values = [float(each["value"]) for each in root.all("data")]
    by_points = [number for pair in match.deals_by_points for number in pair]
    assert values == [match.points_per_deal.mean, match.games.won, *by_points]
    text = root.text
    assert str(match.points_per_deal).replace("-", "−").replace(" ± ", " ± ") in text
    low, high = (f"{end:+.2f}".replace("-", "−") for end in (match.points_per_deal.low, match.points_per_deal.high))
    assert f"the true difference is between {low} and {high} points per deal." in text
    assert f"{match.games.won:.1%}"[:-1] in text
    assert "300 deals were played twice" in text
    won = [sum(n for points, n in match.deals_by_points if points * sign > 0) for sign in (1, -1)]
    assert f"scored more in {won[0]} deals ({won[0] / 300:.1%}), random in {won[1]} ({won[1] / 300:.1%})" in text


def test_every_setting_is_there_and_the_command_plays_the_match_again(match, page, capsys):
    (command, report), *_ = [each.text.split("euchre-eval ")[1:] for each in read_page(page).all("pre")][-1:]
    assert report == "report match.json match.html"
    arguments = command.split(" > ")[0].split()
    assert arguments == [
        *("match", "rules", "random", "--deals", "300", "--games", "20"),
        *("--rules", RULES, "--seed", "9", "--json"),
    ]
    settings = {each.text for each in read_page(page).all("dd")}
    assert {"300, each played twice", "20, each played twice", RULES, "9, which fixes every deal"} <= settings


def test_a_time_limit_and_players_that_see_all_cards_are_in_the_command(match):
    changed = replace(match, players=("my bot", "oracle"), sees_all=(1,), time_limit=0.25, late="forfeit", games=None)
    root = check_page(report_page(changed))
    text = root.text
    assert "euchre-eval match 'my bot' oracle --deals 300 --rules" in text
    assert "--seed 9 --time-limit 0.25 --late forfeit --allow-cheating --json > match.json" in text
    assert "oracle (sees all cards): no fair opponent, but a measure of what the cards allow." in text
    assert "0.25 s for each decision; a late answer is a forfeit" in text
    assert "none" in {each.text for each in root.all("dd")}  # the games
    assert len(root.all("svg")) == 2


def test_every_swing_is_told_trick_by_trick(match, page):
    root = read_page(page)
    replays = root.all("details", look="swing")
    assert len(replays) == len(match.swings) > 3
    for swing, shown in zip(match.swings, replays, strict=True):
        winner = match.players[0 if swing.margin > 0 else 1]
        (summary, *_) = shown.all("summary")
        points = f"{abs(swing.margin)} point{'s' * (abs(swing.margin) != 1)}"
        assert summary.text.startswith(f"Deal {swing.deal}: {points} to {winner} in two plays (")
        for number, (text, play) in enumerate(zip(swing.texts, shown.all("div", look="play"), strict=True)):
            table = parse_deal_text(text)
            assert table.last_result is not None
            assert play.text.startswith(f"{('First', 'Second')[number]} play:")
            tricks = [each.text for each in play.all("li")]
            assert [each.lower() for each in tricks] == [
                f"{trick_text(table.deal, trick)}.".lower() for trick in range(5)
            ]
            assert result_text(table.deal, table.last_result) in play.text
            assert text in play.text


def test_the_seats_of_a_play_have_the_colours_of_their_players(match, page):
    for shown in read_page(page).all("details", look="swing"):
        for number, play in enumerate(shown.all("div", look="play")):
            seated = play.all("p")[0].text
            names = ["rules", "random", "rules", "random"]
            names = names[-number:] + names[:-number]
            assert seated == ", ".join(f"seat {seat} {name}" for seat, name in enumerate(names))
            for seat in play.all("span", look="seat"):
                (first,) = re.findall(r"^seats? (\d)", seat.text, re.IGNORECASE)
                looks = seat["class"].split()
                assert looks == ["seat", "a" if names[int(first)] == "rules" else "b"]


def test_names_are_escaped_wherever_they_stand(match, tournament):
    page = report_page(replace(match, players=(WORST, "b"), first_reneges=(WORST,) * 4, reneges=(1, 2, 0, 0)))
    root = check_page(page)
    assert root.all("h1")[0].text == " ".join(f"{WORST} against b".split())
    assert WORST not in page
    plan = replace(tournament.plan, players=(WORST, "rules", "oracle"), title=WORST)
    page = report_page(replace(tournament, plan=plan))
    assert check_page(page).all("h1")[0].text == WORST
    assert WORST not in page


def test_a_renege_is_counted_and_told(tmp_path):
    def never_follows(observation, mask):
        legal = mask.nonzero()[0]
        if mask[PASS_ID]:
            return PASS_ID
        return -1 if len(legal) == 1 and legal[0] < PASS_ID else int(legal[0])

    result = play_match(Answers(never_follows), HighestLegal(), deals=60, seed=4, names=["mine", "loud"])
    match = saved(result, tmp_path)
    assert sum(match.reneges[::2]) > 0
    root = check_page(report_page(match))
    text = root.text
    assert f"mine at place 0 reneged {match.reneges[0]} times, first in {match.first_reneges[0]}." in text
    assert "Nobody reneged" not in text
    cut_short = [text for swing in match.swings for text in swing.texts if parse_deal_text(text).last_result is None]
    assert cut_short
    assert text.count("It reneged: 2 points to seats ") == len(cut_short)
    seat = parse_deal_text(cut_short[0]).turn
    assert seat is not None
    assert re.search(
        rf"Seat {seat} to (play|lead) to trick \d\. It reneged: 2 points to seats {1 - seat % 2} and", text
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda swing: replace(swing, margins=(swing.margins[0] + 1, swing.margins[1])),
            "first play: its actions come",
        ),
        (
            lambda swing: replace(swing, margins=(swing.margins[0], swing.margins[1] - 1)),
            "second play: its actions come",
        ),
        (lambda swing: replace(swing, deal=swing.deal + 1), "first play: the seed deals rules="),
        (
            lambda swing: replace(
                swing, texts=(swing.texts[0], swing.texts[1].replace("euchre_points=3", "euchre_points=4"))
            ),
            "second play: the seed deals rules=",
        ),
        (lambda swing: replace(swing, texts=(swing.texts[0][:-20], swing.texts[1])), "first play: "),
        (lambda swing: replace(swing, texts=("nonsense", swing.texts[1])), "first play: 'nonsense' is not a field"),
    ],
    ids=["points", "points of the second play", "another deal", "other rules", "cut short", "no deal"],
)
def test_a_replay_that_does_not_come_to_the_record_is_an_error(match, change, message):
    changed = replace(match, swings=(change(match.swings[0]), *match.swings[1:]))
    with pytest.raises(ReplayError, match=re.escape(message)):
        report_page(changed)


def test_a_single_deal_and_a_match_of_equals_have_a_page(tmp_path):
    one = saved(play_match(load("rules", 1), load("random", 2), deals=1, names=["rules", "random"]), tmp_path)
    assert "One deal alone says nothing about who plays better." in check_page(report_page(one)).text
    equal = saved(play_match(load("rules", 1), load("rules", 1), deals=20, names=["rules", "rules"]), tmp_path)
    text = check_page(report_page(equal)).text
    assert "This match does not show which of the two scores more. rules and rules scored as many points." in text
    assert "No deal favoured either of them" in text


def test_four_players_are_named_at_their_seats(tmp_path):
    players = [load(name, seed) for seed, name in enumerate(("rules", "random", "easy", "passer"))]
    result = play_match(*players, deals=80, names=["rules", "random", "easy", "passer"])
    root = check_page(report_page(saved(result, tmp_path)))
    assert root.all("h1")[0].text == "rules and easy against random and passer"
    first, second, *_ = root.all("div", look="play")
    assert first.all("p")[0].text == "seat 0 rules, seat 1 random, seat 2 easy, seat 3 passer"
    assert second.all("p")[0].text == "seat 0 passer, seat 1 rules, seat 2 random, seat 3 easy"


def test_a_tournament_shows_ratings_matrix_order_and_every_match(tournament):
    root = check_page(report_page(tournament))
    values = [float(each["value"]) for each in root.all("data")]
    expected = []
    for standings in tournament.standings:
        order = [each.player for each in standings.ratings]
        expected += [each.rating for each in standings.ratings]
        expected += [standings.points_of(one, other).mean for one in order for other in order if one != other]
    assert values == expected
    text = root.text
    assert root.all("h1")[0].text == "A <small> one"
    assert "oracle (sees all cards) is rated highest, and rules of those that see only their own cards." in text
    assert "those with oracle the first 30 of them" in text
    assert text.count("Is there one order?") == 2
    shown = root.all("details", look="meeting")
    assert len(shown) == 2 * 3
    swings = [swing for standings in tournament.standings for each in standings.meetings for swing in each.swings]
    assert len(root.all("details", look="swing")) == len(swings) >= 6
    (plan, *_) = (each.text for each in root.all("pre") if each.text.startswith("players: "))
    assert '["random", "rules", "oracle"]' in plan
    assert "allow_cheating: true" in plan


def test_the_plan_on_the_page_is_the_plan(tournament, tmp_path):
    pytest.importorskip("yaml")
    (shown,) = re.findall(r"<pre>(players: .*?)</pre>", report_page(tournament), re.DOTALL)
    (tmp_path / "plan.yaml").write_text(shown.replace("&#34;", '"').replace("&lt;", "<").replace("&gt;", ">"))
    assert read_plan(tmp_path / "plan.yaml") == tournament.plan


def test_the_built_in_players_are_described():
    assert set(DESCRIPTIONS) == set(BUILT_IN)


def test_a_sentence_is_drawn_and_escaped():
    drawn = told("Seat 1 10♥ <b>, seats 0 and 2: J♠ (right bower), seat 3: pass.", ["a", "b"])
    assert drawn == (
        '<span class="seat b">Seat 1</span>\N{NO-BREAK SPACE}<span class="card red">10♥</span> &lt;b&gt;, '
        '<span class="seat a">seats 0 and 2</span>: <span class="card">J♠</span> (right bower), '
        '<span class="seat b">seat 3</span>: pass.'
    )


@pytest.mark.parametrize(("low", "high"), [(-0.03, 0.27), (0, 1e-6), (-480, 236), (1.29, 1.31), (-2e-9, 3e-9)])
def test_the_marks_of_an_axis_are_few_and_within_it(low, high):
    ticks = tick_values(low, high)
    assert 2 <= len(ticks) <= 9
    assert low <= ticks[0]
    assert ticks[-1] <= high + 1e-12
    steps = {round((after - before) / (ticks[1] - ticks[0]), 6) for before, after in pairwise(ticks)}
    assert steps == {1.0}


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.01, 0.2, "rules scores more than random."),
        (-0.2, -0.01, "random scores more than rules."),
        (-0.1, 0.1, "This match does not show which of the two scores more."),
    ],
)
def test_the_verdict_is_what_the_interval_says(match, low, high, verdict):
    points = replace(match.points_per_deal, mean=(low + high) / 2, low=low, high=high)
    assert verdict in read_page(report_page(replace(match, points_per_deal=points))).all("strong")[0].text


def test_numbers_have_a_minus_sign():
    assert [signed(-0.25, 2), signed(-0.0), signed(3), signed(-12)] == ["−0.25", "0", "+3", "−12"]


# The command


def run(capsys, *arguments):
    try:
        status = main(list(map(str, arguments)))
    except SystemExit as end:
        status = end.code
    return status, *capsys.readouterr()


def test_the_command_writes_the_page_of_a_match(capsys, tmp_path):
    status, out, _ = run(capsys, "match", "rules", "random", "--deals", 50, "--json")
    assert status == 0
    (tmp_path / "match.json").write_text(out)
    assert run(capsys, "report", tmp_path / "match.json", tmp_path / "match.html")[0] == 0
    page = (tmp_path / "match.html").read_text(encoding="utf-8")
    assert page == report_page(read_result(tmp_path / "match.json"))
    status, out, err = run(capsys, "report", tmp_path / "match.json", tmp_path / "match.html", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {"file": str(tmp_path / "match.html"), "bytes": len(page.encode())}


def test_the_command_writes_the_page_of_a_tournament(capsys, tmp_path):
    assert run(capsys, "tournament", "random", "rules", "--deals", 40, "--out", tmp_path / "folder")[0] == 0
    assert run(capsys, "report", tmp_path / "folder", tmp_path / "page.html")[0] == 0
    check_page((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_the_command_refuses_what_is_no_result_and_writes_nothing(capsys, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.json").write_text("{")
    for source, said in (
        (tmp_path / "missing.json", "No such file or directory"),
        (tmp_path / "text.json", "is not the result of a match"),
        (tmp_path / "folder", "is not the folder of a tournament: tournament.json is missing"),
    ):
        status, out, err = run(capsys, "report", source, tmp_path / "page.html")
        assert status in (1, 2)
        assert out == ""
        assert said in err
        assert err.count("\n") == 1
    status, _, err = run(capsys, "report", tmp_path / "text.json", tmp_path / "no" / "page.html")
    assert status == 2
    assert "there is no folder" in err
    assert not list(Path(tmp_path).glob("*.html"))


def test_the_commands_of_the_page_on_reports_work(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```sh\n(.*?)```", (ROOT / "docs/reports.md").read_text(encoding="utf-8"), re.DOTALL)
    few = {"--deals": "20", "--games": "2"}
    for line in block.splitlines():
        command, _, file = line.partition(" > ")
        words = command.split()
        status, out, _ = run(capsys, *(few.get(before, word) for before, word in pairwise(words)))
        assert status == 0
        if file:
            Path(file).write_text(out)
    assert {each.name for each in tmp_path.glob("*.html")} == {"match.html", "tournament.html"}


def test_the_page_on_reports_names_every_key(match):
    keys = re.findall(r"^\| (`.*?) \|", (ROOT / "docs/reports.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(keys))) == set(_as_json(match))


def test_names_that_utf_8_cannot_hold_are_written_all_the_same(match, tmp_path, capsys):
    (tmp_path / "match.json").write_text(json.dumps(_as_json(replace(match, players=("a\udce9b", "b")))))
    assert run(capsys, "report", tmp_path / "match.json", tmp_path / "page.html")[0] == 0
    assert "a?b" in (tmp_path / "page.html").read_text(encoding="utf-8")
