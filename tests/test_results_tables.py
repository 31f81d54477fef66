"""The tables of the results page: what a record comes to in print, what a target asks, and what is missing."""

import pytest

pytest.importorskip("yaml", reason="the list of measurements is YAML (extra [train])")

from support.reports import match_result, record_of

from report.measurements import read_plan
from report.page import page

HEAD = "introduction: Made by a command.\nsections:\n"


@pytest.fixture
def page_of(tmp_path):
    """The page of a list, given the text of its sections and the results of measurements by name.

    The records are made by the commands of the list, or by `made_by`.
    """

    def make(sections, made_by=None, **results):
        file = tmp_path / "list.yaml"
        file.write_text(HEAD + sections)
        plan = read_plan(file)
        commands = {name: made_by or plan.measurements[name].command for name in results}
        return page(plan, {name: record_of(commands[name], result) for name, result in results.items()})

    return make


MATCHES = """
  - title: Strength
    text: Some matches.
    show: [matches]
    measurements:
      one: euchre-eval match easy rules --deals 20000
      two: euchre-eval match a b c d --deals 20000
"""


def test_a_match_is_a_line_with_its_interval(page_of):
    four = match_result(-0.1, 0.5, players="abcd") | {"sees_all": [1, 3]}
    text = page_of(MATCHES, one=match_result(0.2578, 0.0066, players=["easy", "rules"]), two=four)
    assert text.startswith("# Results\n\nMade by a command.\n\n## Strength\n\nSome matches.\n\n| match | rules | ")
    assert "| `easy` against `rules` | `standard` | +0.2578 ± 0.0066 | 20,000 |\n" in text
    assert "| `a` and `c` against `b` (sees all cards) and `d` (sees all cards) | `standard` | -0.10 ± 0.50 |" in text
    assert "Not measured yet" not in text


def test_a_match_that_has_no_record_is_named_and_has_no_line(page_of):
    text = page_of(MATCHES, two=match_result(players="abcd"))
    assert "`easy`" not in text
    assert text.endswith("\nNot measured yet, by `make results`: `one`.\n")
    assert "|" not in page_of(MATCHES)


def test_the_interval_of_one_pair_is_unknown(page_of):
    result = match_result(1.5, players=["easy", "rules"], pairs=1, games=0.5)
    result["points_per_deal"] |= dict.fromkeys(("low", "high", "se"))
    result["games"] |= dict.fromkeys(("low", "high", "se"))
    assert "| +1.50 ± unknown | 1 |" in page_of(MATCHES, one=result)
    assert "| 50.00% | 5,000 |" in page_of(MATCHES.replace("[matches]", "[games]"), one=result)


def test_games_have_the_share_that_was_won(page_of):
    games = MATCHES.replace("[matches]", "[games]")
    text = page_of(games, one=match_result(players=["easy", "rules"], games=0.7238))
    assert "| `easy` against `rules` | `standard` | 72.38% (71.38% to 73.38%) | 5,000 |" in text


MATRIX = """
  - title: Presets
    show: [matrix]
    measurements:
      easy_{player}_{rules}:
        command: euchre-eval match easy {player} --rules {rules}
        for: {player: [rules, random], rules: [pagat, british]}
"""


def test_a_matrix_has_a_line_for_each_rules_and_a_column_for_each_opponent(page_of):
    results = {
        f"easy_{player}_{rules}": match_result(mean, 0.5, players=["easy", player], rules=rules)
        for player, rules, mean in (("rules", "pagat", 0.1), ("rules", "british", 0.2), ("random", "british", 0.3))
    }
    text = page_of(MATRIX, **results)
    assert "| rules | against `rules` | against `random` |\n| --- | --- | --- |\n" in text
    assert "| `pagat` | +0.10 ± 0.50 |  |\n| `british` | +0.20 ± 0.50 | +0.30 ± 0.50 |\n" in text
    assert "Not measured yet, by `make results`: `easy_random_pagat`." in text


def test_house_rules_keep_their_numbers_where_one_is_missing(page_of):
    sections = MATRIX.replace("matrix", "rule_sets").replace("[pagat, british]", '{first: "pagat,x=1", second: pagat}')
    second = match_result(0.1, 0.5, players=["easy", "rules"], rules="pagat")
    text = page_of(sections, easy_rules_second=second)
    assert "| 2 | `easy` against `rules` | +0.10 ± 0.50 | 20,000 |\n\n2. `pagat`\n" in text


STATISTICS = """
  - title: Play
    show: [statistics]
    measurements:
      bot: euchre-eval stats rules --rules pagat
      mine: euchre-eval stats mine
"""


def test_statistics_stand_beside_the_reference_of_the_rule_player(page_of):
    shares = dict.fromkeys(
        ("named_round_one", "named_round_two", "thrown_in", "makers_3_or_4", "makers_5", "euchred", "alone"), 0.25
    )
    counts = {"deals": 61315, "deals_per_game_median": 12, "deals_per_game_p90": 16, "reneges": 0}
    common = shares | counts | {"alone_swept": None, "sees_all": []}
    text = page_of(
        STATISTICS,
        bot=common | {"player": "rules", "rules": "pagat"},
        mine=common | {"player": "mine", "rules": "standard", "sees_all": [0]},
    )
    assert "|  | `rules`, `pagat` | reference, `pagat` | `mine (sees all cards)`, `standard` |\n" in text
    assert "| deals | 61,315 | 61,481 | 61,315 |\n" in text
    assert "| lone hands that took all 5 (of lone hands) |  | 77.4% |  |\n" in text


RUNS = """
  - title: Runs
    show: [trainings, budget]
    measurements:
      short: euchre-train --run runs/short
    parts:
      - {part: a short run, training: short, at_most: 1}
      - {part: trials, spent: 2.5, at_most: 2}
      - {part: something else, at_most: 2}
"""
RUN = {"arguments": ["--config", "x.yaml"], "deals": 1_500_000, "core_hours": 1.0, "evaluations": []}


def test_a_training_is_a_line_with_its_cost_and_last_strength(page_of):
    evaluations = [{"mean": mean, "high": mean + 0.02} for mean in (0.1, 0.15)]
    text = page_of(RUNS, short=RUN | {"evaluations": evaluations})
    assert "| `runs/short` | `euchre-train --config x.yaml` | 1.50 million | 0* | 1.00 | +0.150 ± 0.020 |\n" in text
    assert "| 1.50 million | 0* | 1.00 |  |\n" in page_of(RUNS, short=RUN)
    with_evaluations = page_of(RUNS, short=RUN | {"counted": ["collect", "evaluate"]})
    assert "| 1.50 million | 0 | 1.00 |  |\n" in with_evaluations


def test_a_budget_is_held_up_to_its_bound(page_of):
    text = page_of(RUNS, short=RUN)
    assert (
        "| a short run | 1 | 1.00 | yes |\n| trials | 2 | 2.50 | **no** |\n| something else | 2 |  | unknown |" in text
    )
    by_hand = RUNS.replace("training: short, at_most", "training: short, spent: 1.25, at_most")
    assert "| a short run | 1 | 1.25 | **no** |" in page_of(by_hand, short=RUN)


def test_a_training_that_is_missing_is_named_with_its_command(page_of):
    text = page_of(RUNS)
    assert "| a short run | 1 |  | unknown |" in text
    assert text.endswith("\n`runs/short` is missing; this makes it: `euchre-train --run runs/short`.\n")


CROSS_PLAY = """
  - title: Cross-play
    show: [cross_play]
    measurements:
      pair: euchre-eval cross-play a b
"""


def test_cross_play_shows_teams_partners_and_the_loss(page_of):
    def mean(number):
        return {"mean": number, "low": number - 0.5, "high": number + 0.5, "se": 0.5 / 1.959963984540054}

    matrices = {"teams": [[0, 0.1], [-0.1, 0]], "partners": [[0.2, 0.3], [0.4, 0.5]]}
    result = {name: [[mean(number) for number in row] for row in rows] for name, rows in matrices.items()}
    result |= {"players": ["a", "b"], "opponent": "c", "rules": "standard", "pairs": 4000, "loss": mean(0.01)}
    text = page_of(CROSS_PLAY, pair=result)
    assert "| points per deal | against `a` | against `b` |\n" in text
    assert "| `a` | +0.00 ± 0.50 | +0.10 ± 0.50 |\n" in text
    assert "| against `c` | with `a` | with `b` |\n" in text
    assert "| `b` | +0.40 ± 0.50 | +0.50 ± 0.50 |\n" in text
    assert "Mixed partners lose +0.01 ± 0.50 points per deal (standard error 0.2551); 4,000 deals" in text


CORRECTIONS = """
  - title: Fewer deals
    show: [corrections]
    measurements:
      corrected: euchre-eval control-variate a b --surrogates c d
"""


def test_a_correction_shows_what_it_saved_and_what_it_cost(page_of):
    result = {
        "match": match_result(0.25, 0.02, players="ab", pairs=4000),
        "surrogates": match_result(players="cd", pairs=44_000),
        "correction": match_result(0.24, 0.01) | {"saving": 0.75, "coefficient": 0.9, "correlation": 0.95},
        "seconds": 20.0,
        "surrogate_seconds": 5.0,
    }
    matches = "| `a` against `b` | `c` against `d` | `standard` | 4,000, 44,000 | +0.250 ± 0.020 |"
    assert f"{matches} +0.240 ± 0.010 | 75.0% | 25.0% |" in page_of(CORRECTIONS, corrected=result)


BENCH = """
  - title: Speed
    show: [speed]
    measurements:
      bench: make bench JSON=runs/bench.json
    loops:
      fast: ["a loop, over a slow one", quick]
"""
MEASURED = {
    "fast": 2.345,
    "other": 1.0,
    "quartiles": {"fast": [2.3, 2.4], "other": [0.9, 1.1]},
    "decisions_per_second": {"quick": 12345.6},
    "training": {"mine": {"decisions_per_second": {"wall": 100.0, "learn": 150.0}}},
    "settings": {"rounds": 5, "precision": "float32"},
    "machine": {"processor": "A Processor"},
}


def test_a_benchmark_is_its_figures_and_the_speed_of_the_loops(page_of):
    text = page_of(BENCH, bench=MEASURED)
    assert "A Processor; medians of 5 rounds:\n\n| loop | decisions or solves/s | ratio | quartiles |\n" in text
    assert "| a loop, over a slow one | 12,346 | 2.35 | 2.30 to 2.40 |\n| `other` |  | 1.00 | 0.90 to 1.10 |\n" in text
    assert "| trainer, decisions/s | wall | learn |\n| --- | --- | --- |\n| `mine` | 100 | 150 |" in text


def test_searches_and_matches_of_a_benchmark_have_their_own_units(page_of):
    searched = {"solves_per_second": {"quick": 45678.0}, "deals_per_second": {"pimc": 218.4}}
    searched |= {"views_per_second": {"value": 7.25}, "match_seconds": {"short": 1.125}}
    text = page_of(BENCH, bench=MEASURED | searched)
    assert "| a loop, over a slow one | 45,678 |" in text
    assert "| `pimc` | 218.4 deals |\n| `value` | 7.2 views |\n| `short` | 1.12 seconds |\n" in text


# Targets


def target(page_of, wanted, sections=MATCHES, **results):
    """The last three cells of the line of a target: what is asked, what was measured, and whether it held."""
    entry = f"  - title: Targets\n    show: [targets]\n    targets:\n      - {{figure: it, {wanted}}}\n"
    (line,) = [line for line in page_of(entry + sections, **results).splitlines() if line.startswith("| it | ")]
    return line.split(" | ")[2:]


POINTS = "of: [one, two], value: points_per_deal.low"


@pytest.mark.parametrize(
    ("bound", "other", "cells"),
    [
        ("at_least: 0.24", 0.30, ["at least +0.24", "+0.2400, `one`", "yes |"]),
        ("above: 0.24", 0.30, ["above +0.24", "+0.2400, `one`", "**no** |"]),
        ("at_least: 0.24", 0.20, ["at least +0.24", "+0.1900, `two`", "**no** |"]),
        ("at_most: 0.24", 0.30, ["at most +0.24", "+0.2900, `two`", "**no** |"]),
        ("at_most: 0.29", 0.30, ["at most +0.29", "+0.2900, `two`", "yes |"]),
        ("at_least: 0.24, pairs: 20000", 0.30, ["at least +0.24", "+0.2400, `one`", "yes |"]),
        ("at_least: 0.24, pairs: 20001", 0.30, ["at least +0.24", "+0.2400, `one`", "**no**: too few pairs |"]),
    ],
)
def test_the_worst_measurement_decides_whether_a_target_held(page_of, bound, other, cells):
    one, two = match_result(0.25, 0.01), match_result(other, 0.01)
    assert target(page_of, f"{POINTS}, {bound}", one=one, two=two) == cells


def test_a_target_without_all_its_measurements_is_open(page_of):
    wanted = f"{POINTS}, at_least: 0.2"
    assert target(page_of, wanted)[1:] == ["", "not measured |"]
    assert target(page_of, wanted, one=match_result())[1:] == ["", "not measured: `two` |"]


def test_a_record_of_another_command_is_named_and_meets_no_target(page_of):
    entry = "  - {title: A, show: [targets], targets: [{figure: it, of: [one], value: pairs, at_least: 1}]}\n"
    assert "| yes |" in page_of(entry + MATCHES, one=match_result())
    text = page_of(entry + MATCHES, made_by="euchre-eval match easy rules --deals 10", one=match_result())
    assert "| not measured |" in text
    assert "| +0.250 ± 0.010 | 20,000 |" in text
    assert text.endswith("with another network, than `make results` would now: `one`.\n")


def test_a_bound_may_depend_on_the_precision_of_the_trainer(page_of):
    wanted = "of: [bench], value: fast, unit: ratio, at_least: {bfloat16: 3, float32: 2}"
    asked = "at least 3 times in bfloat16, at least 2 times in float32"
    assert target(page_of, wanted, BENCH) == [asked, "", "not measured |"]
    assert target(page_of, wanted, BENCH, bench=MEASURED) == ["at least 2 times", "2.35 times", "yes |"]
    absent = wanted.replace("fast", "absent")
    assert target(page_of, absent, BENCH, bench=MEASURED) == [asked, "", "not measured |"]


@pytest.mark.parametrize(
    ("wanted", "cells"),
    [
        ("value: games.won, unit: share, pairs: 5000, at_least: 0.76", ["at least 76%", "76.00%", "yes |"]),
        ("value: games.won, unit: share, pairs: 5001, at_least: 0.76", ["at least 76%", "76.00%", "**no**: too few"]),
        ("value: points_per_deal.se, unit: error, at_most: 0.003", ["at most 0.003", "0.0051", "**no** |"]),
        ("value: seconds, unit: seconds, at_most: 12.5", ["at most 12.5 s", "12.25 s", "yes |"]),
        ("value: pairs, unit: rate, above: 10000", ["above 10,000 a second", "20,000 a second", "yes |"]),
    ],
)
def test_every_unit_is_printed_in_its_own_way(page_of, wanted, cells):
    found = target(page_of, f"of: [one], {wanted}", one=match_result(games=0.76) | {"seconds": 12.25})
    assert [cell[: len(start)] for cell, start in zip(found, cells, strict=True)] == cells


# The list


@pytest.mark.parametrize(
    ("sections", "fault"),
    [
        ("  - {title: A, measurements: {x: cat file}}\n", "x: a command is euchre-eval ..., euchre-train ... --run"),
        ("  - {title: A, measurements: {x: make bench}}\n", "not 'make bench'"),
        ("  - {title: A, measurements: {a-b: euchre-eval stats x}}\n", "not 'a-b'"),
        ("  - {title: A, measurements: {x: euchre-eval match runs/a b}}\n", "x needs runs/a, which no training"),
        ("  - {title: A, title_of: B}\n", "section 'A': "),
        ("  - {title: A, parts: [{part: x, at_most: 1, training: y}]}\n", "there is no measurement 'y'"),
        ("  - {title: A, targets: [{figure: x, of: [], value: y}]}\n", "the target 'x' needs one bound"),
        ("  - {title: A, targets: [{figure: x, of: [], value: y, above: 1, at_least: 1}]}\n", "needs one bound"),
        ("  - {title: A, targets: [{figure: x, low end, of: [], value: y, above: 1}]}\n", "section 'A': "),
        (MATCHES + MATCHES, "two measurements have the name 'one'"),
        ("  - {title: A, measurements: {x: {command: euchre-eval a, for: {k: [1, 2]}}}}\n", "the name 'x'"),
        ("  - [\n", "list.yaml"),
    ],
)
def test_a_faulty_list_is_refused_with_its_file(page_of, tmp_path, sections, fault):
    with pytest.raises(ValueError, match=r"list\.yaml: ") as refused:
        page_of(sections)
    assert fault in str(refused.value)
