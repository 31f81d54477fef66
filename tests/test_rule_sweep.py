"""The sweep of the rule player's numbers finds what is better, on tuning deals, and confirms it on others."""

import json
from dataclasses import replace

import numpy as np
import pytest
from support.paths import ROOT

from euchre_agents import RuleBot
from euchre_agents.rule_bot.numbers import RULES
from euchre_env.random_streams import tuning_seed
from euchre_eval import rule_sweep
from euchre_eval.cli import main
from euchre_eval.match import play_match
from euchre_eval.rule_sweep import NUMBERS, Number, sweep, sweep_page

pytestmark = pytest.mark.compiled  # hundreds of deals

DEALERS_CALL = Number("call_at_first", 3, "call_at_first.dealer", 600, 1, 0)
NEVER = replace(RULES, call_at_first=(600, 600, 600, 1200))
PAIRS = 300


@pytest.fixture
def from_a_dealer_who_never_calls(monkeypatch):
    monkeypatch.setattr(rule_sweep, "RULES", NEVER)
    return sweep(pairs=PAIRS, rounds=1, confirming_pairs=50, seed=4, varied=[DEALERS_CALL])


def points(numbers, **more):
    return play_match(RuleBot(seed=1, numbers=numbers), RuleBot(seed=2), **more).points_per_deal


def test_a_better_number_is_found_and_measured_on_tuning_deals(from_a_dealer_who_never_calls):
    found = from_a_dealer_who_never_calls
    assert found.numbers == RULES  # calling from 6 is far better than never
    assert [(each.number, each.value, each.is_chosen) for each in found.tried] == [
        ("call_at_first.dealer", 600, True),
        ("call_at_first.dealer", 1200, False),
        ("call_at_first.dealer", 1800, False),
    ]
    best, own, same = found.tried
    before = play_match(RuleBot(seed=1, numbers=NEVER), RuleBot(seed=2), deals=PAIRS, seed=tuning_seed(4))
    assert own.points == same.points == before.points_per_deal
    assert best.points.mean == 0  # against itself
    assert best.gain.mean == pytest.approx(-before.points_per_deal.mean)
    assert best.gain.se == pytest.approx(np.std(before.margins, ddof=1) / np.sqrt(PAIRS))
    assert (own.gain.mean, own.gain.se) == (0, 0)


def test_what_was_found_is_confirmed_on_reporting_deals(from_a_dealer_who_never_calls, monkeypatch):
    assert all(each.mean == 0 for each in from_a_dealer_who_never_calls.confirmed.values())
    unchanged = sweep(pairs=2, rounds=1, confirming_pairs=60, varied=[])
    assert unchanged.numbers == NEVER
    assert unchanged.confirmed["midwest"] == points(NEVER, deals=60, seed=0, rules="midwest")


def test_a_number_that_gains_nothing_stays():
    found = sweep(pairs=PAIRS, rounds=2, confirming_pairs=2, varied=[DEALERS_CALL])
    assert found.numbers == RULES
    assert [each.round for each in found.tried] == [1, 1, 1, 2, 2, 2]


def test_every_number_is_varied_except_the_bennys():
    varied = {(number.field, number.place) for number in NUMBERS}
    fields = {
        (name, place)
        for name, given in RULES.as_dict().items()
        for place in (range(len(given)) if isinstance(given, tuple) else [None])
    }
    assert fields - varied == {("trumps", 7)}
    for number in NUMBERS:
        assert number.put(RULES, number.of(RULES)) == RULES
        changed = number.put(RULES, number.of(RULES) + 1)
        assert sum(other.of(changed) != other.of(RULES) for other in NUMBERS) == 1
        assert min(number.others(RULES, number.reach), default=number.lowest) >= number.lowest


def test_the_page_is_what_the_record_says():
    record = json.loads((ROOT / "docs" / "rules_tuned.json").read_text())
    assert (ROOT / "docs" / "rules_tuned.md").read_text() == sweep_page(record)


def test_the_command_writes_the_record_and_the_page(tmp_path, capsys):
    sizes = ["--pairs", "2", "--rounds", "1", "--confirming-pairs", "2", "--workers", "1"]
    assert main(["tune-rules", *sizes, "--out", str(tmp_path), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record == json.loads((tmp_path / "rules_tuned.json").read_text())
    assert record["command"].startswith("euchre-eval tune-rules --pairs 2 --rounds 1")
    assert sweep_page(record) == (tmp_path / "rules_tuned.md").read_text()
    assert main(["tune-rules", "--out", str(tmp_path / "absent")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
