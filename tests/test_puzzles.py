"""Puzzles: the file that is shipped, the proofs of its answers, and the command that asks players."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from support.players import Answers, LowestLegal

from euchre_agents import load
from euchre_agents.search import Solver
from euchre_agents.search.any_player import answering_views
from euchre_agents.search.values import points_by_world
from euchre_env import Table
from euchre_env.actions import ORDER_UP_ID, PASS_ID, actions_in
from euchre_env.deal_text import deal_text, table_of_deal
from euchre_env.house_rules import PRESETS
from euchre_env.kernel import row
from euchre_env.worlds import count_worlds, numbered_worlds, sample_worlds
from euchre_eval.cli import main
from euchre_eval.puzzle_finder import find_puzzles, theme_of
from euchre_eval.puzzle_values import (
    MIN_GAP,
    MIN_LOSS,
    MIN_STANDARD_ERRORS,
    NUM_WORLDS,
    PLAYERS,
    ActionMeans,
    Figures,
    Gap,
    SolvedWorlds,
    check_puzzle,
    mean_points,
    solve_every_world,
)
from euchre_eval.puzzles import THEMES, Puzzle, ask_puzzles, read_puzzles, write_puzzles

pytestmark = pytest.mark.compiled  # thousands of worlds are played out and solved

SHIPPED = read_puzzles()
ENDINGS = [puzzle for puzzle in SHIPPED if puzzle.proof == "every world"]
PLAYED_OUT = [puzzle for puzzle in SHIPPED if puzzle.proof == "played out"]
SMALLEST = min(ENDINGS, key=lambda puzzle: puzzle.figures["worlds"])


def by_id(puzzle):
    return puzzle.id


# The file that is shipped


def test_every_puzzle_has_a_reason_and_there_are_many_themes():
    assert len(SHIPPED) >= 60
    for puzzle in SHIPPED:
        assert len(puzzle.reason.split()) >= 6
        assert puzzle.reason.endswith(".")
    themes = Counter(puzzle.theme for puzzle in SHIPPED)
    assert len(themes) >= 10
    assert max(themes.values()) <= len(SHIPPED) // 3
    assert len({puzzle.position for puzzle in SHIPPED}) == len(SHIPPED)


@pytest.mark.parametrize("puzzle", SHIPPED, ids=by_id)
def test_the_figures_of_a_puzzle_are_those_of_its_proof(puzzle):
    figures, best = puzzle.figures, set(puzzle.best)
    assert figures["worlds"] == min(NUM_WORLDS, int(count_worlds(puzzle.view)[0]))
    for player in PLAYERS:
        points = {name: mean for name, (mean, _) in figures[player]["points"].items()}
        assert set(points) == set(puzzle.legal)
        gap, se = figures[player]["gap"]
        others = points.keys() - best
        gaps = [points[name] - points[other] for name in best for other in others]
        assert min(abs(gap - between) for between in gaps) < 2e-4
        assert min(gaps) > 0
        if puzzle.proof == "played out":
            assert gap >= MIN_GAP
            assert gap >= MIN_STANDARD_ERRORS * se
            assert min(gaps) >= MIN_GAP


@pytest.mark.parametrize("puzzle", ENDINGS, ids=by_id)
def test_the_best_card_of_an_ending_is_best_in_every_world(puzzle):
    found = solve_every_world(puzzle.view)
    assert found is not None
    assert sorted(found.best) == sorted(puzzle.best_actions)
    solved = puzzle.figures["solved"]
    assert (found.num_worlds, found.worse_in) == (solved["worlds"], solved["worlds_where_others_lose"])
    assert 0 < found.worse_in <= found.num_worlds
    assert found.lost >= MIN_LOSS
    assert found.lost == pytest.approx(solved["points_lost"], abs=1e-3)


@pytest.mark.parametrize("puzzle", PLAYED_OUT, ids=by_id)
def test_fewer_worlds_of_the_first_player_say_the_same(puzzle):
    means, figures = mean_points(puzzle.view, PLAYERS[0], 1000), puzzle.figures[PLAYERS[0]]
    best = set(puzzle.best_actions)
    gaps = [gap for (one, other), gap in means.gaps.items() if one in best and other not in best]
    # Which of them is the least clear depends on the number of worlds.
    assert any(gap.points == pytest.approx(figures["gap"][0], abs=5 * gap.se + 0.01) for gap in gaps)
    names = {action: name for name, action in puzzle.legal.items()}
    for action, (points, se) in means.points.items():
        expected = figures["points"][names[action]][0]
        assert points == pytest.approx(expected, abs=5 * se + 0.01)  # the error of few is rough


# The values


@pytest.mark.parametrize(("num_worlds", "parts"), [(200, [200]), (1500, [1000, 500]), (2000, [1000, 1000])])
def test_means_are_over_exactly_as_many_worlds_with_weights_of_one_scale(num_worlds, parts):
    position = next(puzzle for puzzle in PLAYED_OUT if puzzle.theme == "their trick").view
    network = load("ppo:points")
    with answering_views(load("rules", seed=0)) as policy:
        found = [
            points_by_world(position, policy, size, key, network, num_drawn=size)  # type: ignore[arg-type]
            for key, size in enumerate(parts)
        ]
    points = np.concatenate([part.points for part in found])
    weights = np.exp(np.concatenate([part.log_weights for part in found]))
    assert len(points) == num_worlds
    assert weights.max() > 5 * weights.mean()
    means = mean_points(position, "rules", num_worlds)
    for column, (action, (mean, _)) in enumerate(means.points.items()):
        assert action == actions_in(int(position["legal"]))[column]
        assert mean == pytest.approx(np.average(points[:, column], weights=weights))


def test_the_gap_is_the_least_clear_one_over_every_other_action():
    gaps = {(0, 1): Gap(0.2, 0.01), (0, 2): Gap(0.3, 0.1), (1, 2): Gap(0.1, 0.1), (2, 1): Gap(-0.1, 0.1)}
    means = ActionMeans({0: (1.0, 0.1), 1: (0.8, 0.1), 2: (0.7, 0.2)}, gaps)
    assert means.gap([0]) == Gap(0.3, 0.1)  # wider, but not sure
    assert not means.gap([0]).is_clear
    assert means.gap([0, 1]) == Gap(0.1, 0.1)
    assert means.gap([0, 2]) == Gap(-0.1, 0.1)


def test_a_gap_is_paired_and_its_error_falls_with_the_worlds():
    view = Table("standard", seed=5, dealer=3).view()
    first, second, *_ = actions_in(int(view["legal"]))
    small, large = mean_points(view, "rules", 1000), mean_points(view, "rules", 4000)
    assert large.gaps[first, second].se == pytest.approx(small.gaps[first, second].se / 2, rel=0.15)
    for means in (small, large):
        gap, points = means.gaps[first, second], means.points
        assert gap.points == pytest.approx(points[first][0] - points[second][0])
        assert gap.se < (points[first][1] ** 2 + points[second][1] ** 2) ** 0.5 * 1.5
        assert means.gaps[second, first].points == pytest.approx(-gap.points)
        assert means.gaps[first, first].se == 0


@pytest.mark.parametrize("puzzle", ENDINGS[:5], ids=by_id)
def test_an_ending_is_solved_as_each_of_its_worlds_is(puzzle):
    view, count = puzzle.view, int(count_worlds(puzzle.view)[0])
    legal, solver = actions_in(int(view["legal"])), Solver([puzzle.rules])
    lost = np.zeros((min(count, 60), len(legal)))
    for k in range(len(lost)):
        number = k * count // len(lost)
        values = solver.action_values(numbered_worlds(view, [number]).deals()[0])[0, legal]
        lost[k] = values.max() - values
    solved = solve_every_world(view)
    assert solved is not None
    always = {action for action, column in zip(legal, lost.T, strict=True) if not column.any()}
    assert set(solved.best) <= always
    assert solve_every_world(view, count - 1) is None


def test_a_puzzle_with_another_answer_does_not_hold():
    wrong = tuple(name for name in SMALLEST.legal if name not in SMALLEST.best)
    assert check_puzzle(SMALLEST).fault is None
    assert check_puzzle(replace(SMALLEST, best=wrong)).fault == f"best in every world is {' or '.join(SMALLEST.best)}"
    fault = check_puzzle(replace(SMALLEST, best=wrong, proof="played out")).fault
    assert fault is not None
    assert fault.startswith("the gap is not clear: rules -")


@pytest.mark.parametrize(
    ("solved", "fault"),
    [
        (None, "its view has more than 250000 worlds"),
        (SolvedWorlds(10, (), 0, 0.0), "no card is best in every world"),
        (SolvedWorlds(10, tuple(SMALLEST.best_actions), 1, 0.09), "another card loses 0.090 points on average"),
        (SolvedWorlds(10, tuple(SMALLEST.best_actions), 0, 0.1), None),
    ],
)
def test_the_fault_of_an_ending_says_what_is_wrong(solved, fault):
    gaps = {(one, other): Gap(1.0, 0.0) for one in SMALLEST.best_actions for other in SMALLEST.legal.values()}
    means: dict[str, ActionMeans] = {player: ActionMeans({}, gaps) for player in PLAYERS}
    found = Figures(SMALLEST, 10, means, solved).fault
    assert found is None if fault is None else str(found).startswith(fault)


@pytest.mark.parametrize(("maker", "theme"), [(0, "makers lead"), (1, "defenders lead"), (2, "makers lead")])
def test_the_lead_of_a_maker_is_told_from_that_of_a_defender(maker, theme):
    table = Table("standard", seed=5, dealer=3)  # seat 0 leads
    for seat in range(maker + 1):
        table.step(PASS_ID if seat < maker else ORDER_UP_ID)
    table.step(table.legal_actions()[0])  # the dealer's discard
    assert (table.turn, theme_of(table.view(), table.legal_actions()[0])) == (0, theme)


def test_found_candidates_have_a_theme_and_come_from_the_deals():
    found = list(find_puzzles(4, 3, PRESETS["pagat"]))
    assert found
    for puzzle in found:
        assert str(puzzle.rules) == "pagat"
        assert puzzle.theme in THEMES
        assert puzzle.id.startswith("pagat-3-")
        assert min(mean_points(puzzle.view, player, 200).gap(puzzle.best_actions).points for player in PLAYERS) > 0


# Asking players


def other_world(puzzle):
    """The puzzle with other hidden cards, dealt to other seats by the same rules."""
    deal = row(sample_worlds(puzzle.view, 1, keys=5).deals()[0])
    return replace(puzzle, position=deal_text(table_of_deal(deal, puzzle.rules)))


def answers_of(make_player, puzzles=SHIPPED, seed=0):
    return [answer.action for answer in ask_puzzles(make_player, "mine", puzzles, seed)]


@pytest.mark.parametrize("name", ["rules", "random", "ppo", "pimc:3"])
def test_answers_do_not_depend_on_the_hidden_cards(name):
    puzzles = SHIPPED[::3]
    others = [other_world(puzzle) for puzzle in puzzles]
    assert sum(one.position != other.position for one, other in zip(puzzles, others, strict=True)) > len(puzzles) // 2

    def make_player(rules):
        return load(name, seed=1, rules=rules)

    assert answers_of(make_player, puzzles) == answers_of(make_player, others)
    assert None not in answers_of(make_player, puzzles)


def test_random_answers_differ_by_seed_and_solve_about_their_share():
    shares = [len(puzzle.best) / len(puzzle.legal) for puzzle in SHIPPED]
    solved = [
        sum(answer.is_solved for answer in ask_puzzles(lambda rules: load("random"), "random", SHIPPED, seed))
        for seed in range(20)
    ]
    assert len(set(solved)) > 1
    assert np.mean(solved) == pytest.approx(sum(shares), abs=5 * (len(SHIPPED) / 4 / 20) ** 0.5)


class Counting(LowestLegal):
    """Counts what it is asked, and cannot be asked twice."""

    num_asked = 0

    def act(self, observation, action_mask):
        self.num_asked += 1
        assert self.num_asked == 1
        return super().act(observation, action_mask)


def test_each_puzzle_is_put_to_a_fresh_copy_and_each_rules_to_its_own_player():
    made = []

    def make_player(rules):
        made.append(rules)
        return Counting()

    assert None not in answers_of(make_player)
    assert sorted(map(str, made)) == sorted({str(puzzle.rules) for puzzle in SHIPPED})


def test_an_exception_or_an_illegal_answer_is_a_renege():
    def answer(observation, mask):
        return PASS_ID if mask[PASS_ID] else 1 / 0

    answers = ask_puzzles(lambda rules: Answers(answer), "mine", SHIPPED, 0)
    for each in answers:
        said = next((name for name, action in each.puzzle.legal.items() if action == PASS_ID), None)
        assert each.action == said
        assert each.is_solved == (each.puzzle.best == (said,))
        assert (each.renege is None) == (said is not None)
        assert each.renege is None or "ZeroDivisionError" in each.renege
    assert {each.action is None for each in answers} == {True, False}
    illegal = ask_puzzles(lambda rules: Answers(lambda observation, mask: 36 if not mask[36] else 0), "x", SHIPPED, 0)
    assert "not legal for seat" in str(illegal[0].renege)


# The command


def run(capsys, *arguments):
    status = main(["puzzles", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_table_has_the_solved_puzzles_of_each_player_by_theme(capsys):
    status, out, err = run(capsys, "rules", "random")
    assert (status, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    answers = ask_puzzles(lambda rules: load("rules"), "rules", SHIPPED, 0)
    for theme in {puzzle.theme for puzzle in SHIPPED}:
        own = [answer for answer in answers if answer.puzzle.theme == theme]
        expected = [*theme.split(), str(len(own)), str(sum(answer.is_solved for answer in own))]
        assert any(row[:-1] == expected for row in rows)
    (total,) = [row for row in rows if row[:1] == ["all"]]
    assert total[1:3] == [str(len(SHIPPED)), str(sum(answer.is_solved for answer in answers))]
    missed = [answer.puzzle.id for answer in answers if not answer.is_solved]
    assert f"rules missed: {', '.join(missed)}" in out


def test_json_has_every_answer(capsys):
    status, out, err = run(capsys, "ppo", "--json", "--seed", "3")
    assert (status, err) == (0, "")
    result = json.loads(out)
    own = result["players"]["ppo"]
    assert (result["puzzles"], result["seed"], own["reneges"]) == (len(SHIPPED), 3, 0)
    assert [answer["id"] for answer in own["answers"]] == [puzzle.id for puzzle in SHIPPED]
    assert own["solved"] == sum(answer["solved"] for answer in own["answers"])
    assert own["solved"] == sum(theme["solved"] for theme in own["themes"].values())
    assert len(SHIPPED) == sum(theme["puzzles"] for theme in own["themes"].values())


def test_a_puzzle_is_shown_without_its_answer_unless_asked(capsys):
    puzzle = SHIPPED[0]
    _, out, _ = run(capsys, "--show", puzzle.id)
    assert "It is my turn. I may: " in out
    assert puzzle.reason not in out
    _, out, _ = run(capsys, "--show", puzzle.id, "--answer")
    assert f"Best: {' or '.join(puzzle.best)}. {puzzle.reason}" in out
    assert "Points if rules plays on" in out
    shown = json.loads(run(capsys, "--show", puzzle.id, "--json")[1])
    assert {"position", "best", "reason", "figures"}.isdisjoint(shown)
    assert shown["view"].startswith("Four seats")
    shown = json.loads(run(capsys, "--show", puzzle.id, "--json", "--answer")[1])
    assert shown["best"] == list(puzzle.best)


def test_without_a_player_the_puzzles_are_listed(capsys):
    _, out, _ = run(capsys)
    for puzzle in SHIPPED:
        assert puzzle.id in out
    assert len(json.loads(run(capsys, "--json")[1])["puzzles"]) == len(SHIPPED)


def test_check_computes_the_figures_again_and_writes_them_if_told(capsys, tmp_path):
    file = tmp_path / "mine.json"
    write_puzzles([SHIPPED[0], replace(SMALLEST, id="ending", figures={})], file)
    before = file.read_bytes()
    status, out, err = run(capsys, "--check", "ending", "--file", str(file))
    assert (status, err, file.read_bytes()) == (0, "", before)
    assert "1 puzzles hold, but --write would change the figures of ending" in out
    status, out, err = run(capsys, "--check", "ending", "--write", "--file", str(file))
    assert (status, err) == (0, "")
    assert "1 puzzles hold, their figures are up to date" in out
    first, second = read_puzzles(file)
    assert first == SHIPPED[0]
    assert second.figures == SMALLEST.figures


def test_check_fails_if_a_puzzle_does_not_hold(capsys, tmp_path):
    file = tmp_path / "mine.json"
    wrong = tuple(name for name in SMALLEST.legal if name not in SMALLEST.best)
    write_puzzles([replace(SMALLEST, best=wrong)], file)
    status, out, err = run(capsys, "--check", "--write", "--file", str(file))
    assert (status, out) == (1, "")
    assert f"1 of 1 puzzles do not hold: {SMALLEST.id}: best in every world is {SMALLEST.best[0]}" in err
    assert read_puzzles(file)[0].figures["solved"] == SMALLEST.figures["solved"]


def test_several_processes_find_the_same_figures(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("euchre_eval.workers.START_AFTER", 0.0)
    endings = sorted(ENDINGS, key=lambda puzzle: puzzle.figures["worlds"])[:4]
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for workers, file in enumerate(files, 1):
        write_puzzles([replace(puzzle, figures={}) for puzzle in endings], file)
        arguments = ["--check", "--write", "--workers", str(workers), "--file", str(file)]
        status, out, err = run(capsys, *arguments, "--json")
        assert (status, err) == (0, "")
        assert json.loads(out) == {
            "file": str(file),
            "checked": [puzzle.id for puzzle in endings],
            "changed": [puzzle.id for puzzle in endings],
            "written": True,
        }
    assert files[0].read_bytes() == files[1].read_bytes()
    assert read_puzzles(files[1]) == endings


def test_find_writes_candidates_to_a_new_file(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("euchre_eval.commands.puzzles.find_puzzles", lambda *_: iter(SHIPPED[:3]))
    file = tmp_path / "found.json"
    status, out, _ = run(capsys, "--find", "5", "--file", str(file))
    assert (status, "3 candidates" in out) == (0, True)
    assert read_puzzles(file) == SHIPPED[:3]
    assert run(capsys, "--find", "5", "--file", str(file))[0] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nobody", "unknown player 'nobody'"),
        ("oracle", "player 'oracle' sees all cards"),
        ("--show nothing", "there is no puzzle 'nothing'"),
        ("--check nothing", "there is no puzzle 'nothing'"),
        ("rules --show next-1", "take no player"),
        ("--answer", "--answer needs --show"),
        ("--find 3", "--find needs --file"),
        ("--find 0 --file new.json", "a positive number of deals, not 0"),
        ("--find 3 --file nowhere/new.json", "there is no folder nowhere"),
        ("rules --seed -1", "seed must be a whole number"),
        ("ppo --rules british", "--rules needs --find"),
        ("--show next-1 --rules british", "--rules needs --find"),
        ("--show next-1 --seed 0", "--seed needs a player or --find"),
        ("--check next-1 --seed 1", "--seed needs a player or --find"),
        ("--seed 1", "--seed needs a player or --find"),
        ("ppo --write", "--write needs --check"),
        ("ppo --workers 2", "--workers needs --check"),
        ("--check next-1 --workers 0", "workers must be"),
    ],
)
def test_a_mistake_is_one_line(capsys, arguments, message):
    status, out, err = run(capsys, *arguments.split())
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_named(capsys, tmp_path):
    status, _, err = run(capsys, "rules", "--file", str(tmp_path / "none.json"))
    assert (status, err.count("\n")) == (1, 1)
    assert "none.json" in err


# Files


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"theme": "endgmae"}, "theme 'endgmae' is unknown"),
        ({"proof": "none"}, "proof must be one of every world, played out"),
        ({"best": []}, "best must be some of the legal actions"),
        ({"best": ["defend alone"]}, "best must be some of the legal actions"),
        ({"best": list(SMALLEST.legal)}, "but not all"),
        ({"seat": (SMALLEST.seat + 1) % 4}, f"its seat must be {SMALLEST.seat}"),
        ({"rules": "british"}, "its rules must be"),
        ({"position": "rules=pagat"}, "the deal text lacks dealer"),
        ({"reason": None}, "reason must be text"),
    ],
)
def test_a_faulty_puzzle_is_refused_with_its_name(tmp_path, changes, message):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"puzzles": [SMALLEST.as_json() | changes]}))
    with pytest.raises(ValueError, match=rf"mine\.json: puzzle '{SMALLEST.id}': ") as error:
        read_puzzles(file)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "mine.json: "),
        ("[]", 'a list "puzzles" that is not empty'),
        ('{"puzzles": []}', 'a list "puzzles" that is not empty'),
        ('{"puzzles": [1]}', "puzzle 0 must be an object with an id"),
        ('{"puzzles": [{"id": "a"}]}', "puzzle 'a' lacks theme, rules, seat"),
        (json.dumps({"puzzles": [SMALLEST.as_json()] * 2}), "is there twice"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, content, message):
    file = tmp_path / "mine.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"mine\.json: ") as error:
        read_puzzles(file)
    assert message in str(error.value)


def test_a_deal_that_is_over_is_no_puzzle():
    text = deal_text(Table(seed=1, one_deal=True)).replace("actions=", "actions=" + ".".join(["pass"] * 8))
    with pytest.raises(ValueError, match="has no seat to act"):
        Puzzle("over", "next", text, ("pass",), "", "played out")


def test_the_limits_of_a_clear_gap():
    assert Gap(0.1, 0.02).is_clear
    assert not Gap(0.1, 0.021).is_clear
    assert not Gap(0.09, 0.001).is_clear
    assert Gap(0.5, 0.0).is_clear
