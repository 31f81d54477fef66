"""The command `euchre-eval solve`: the values of every decision of a deal text, in words and as JSON."""

import json

import pytest
from support.tables import play, table_with

from euchre_env.deal_text import deal_text
from euchre_eval.cli import main

pytestmark = pytest.mark.compiled  # takes too long without, and the solver's own tests cover what it finds

# Seat 1 holds the five highest hearts: a march with its partner, four points if it goes alone.
HANDS = ("9S TS JS QS KS", "JH JD AH KH QH", "9D TD QD KD AD", "9C TC JC QC KC")


def solve(capsys, actions, *options):
    """The output of the command for the deal after `actions`."""
    table = table_with(HANDS, "9H", "TH AC AS", dealer=0, one_deal=True)
    text = deal_text(play(table, actions) if actions else table)
    assert main(["solve", text, *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_values_of_the_bids_are_in_order_and_the_best_marked(capsys):
    out = solve(capsys, "")
    assert "seat 1 to act, FIRST_ROUND" in out
    rows = [line.split() for line in out.splitlines() if "+" in line]
    assert rows[0] == ["order", "up", "alone", "+4", "best"]
    assert ["order", "up", "+2"] in rows
    assert "so far" not in out
    assert "no trump yet" in out


def test_the_actions_so_far_say_what_they_gave_away(capsys):
    out = solve(capsys, "order up, 9H")
    before, after = out.split("seat 1 to act, PLAY")
    rows = [line.split() for line in before.splitlines()]
    assert ["1", "FIRST_ROUND", "order", "up", "+2", "2", "order", "up", "alone"] in rows
    assert ["0", "DISCARD", "discard", "9H", "-2"] in rows
    assert [line.split() for line in after.splitlines() if "best" in line] == [
        ["play", name, "+2", "best"] for name in ("JD", "JH", "QH", "KH", "AH")
    ]
    assert "hearts trump, made by seat 1" in out


def test_a_deal_that_is_over_has_its_decisions_alone(capsys):
    out = solve(capsys, "pass," * 7 + "pass")
    assert "so far" in out
    assert "to act" not in out
    assert "order up alone" in out.splitlines()[4]  # what the first pass gave away


def test_json_has_every_decision_with_its_values(capsys):
    result = json.loads(solve(capsys, "order up", "--json"))
    call, discard = result["decisions"]
    assert call == {
        "seat": 1,
        "phase": "FIRST_ROUND",
        "values": {"pass": call["values"]["pass"], "order up": 2, "order up alone": 4},
        "best": ["order up alone"],
        "taken": "order up",
        "loss": 2,
    }
    assert set(discard["values"].values()) == {-2}
    assert (discard["taken"], discard["loss"]) == (None, None)
    assert result["deal"].startswith("rules=standard/dealer=0")


@pytest.mark.parametrize(
    ("text", "message"), [("rules=pagat", "the deal text lacks dealer"), ("pagat", "is not a field of a deal text")]
)
def test_a_text_that_is_no_deal_is_refused_in_one_line(capsys, text, message):
    assert main(["solve", text]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
