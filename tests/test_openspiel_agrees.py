"""Legal actions, turns and points agree with OpenSpiel's euchre at every decision of random deals."""

import random

import pytest

from euchre_env.deal import NOBODY
from euchre_env.house_rules import changed

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: install the extra [openspiel]", exc_type=ImportError)
from support.openspiel import compare_deal, house_rules  # not without OpenSpiel

SEED = 20


def compare_deals(rules, num_deals, **options):
    """Compare the first deals of a seed on both sides and return their results."""
    game, rng = pyspiel.load_game("euchre", options), random.Random(SEED)
    return [compare_deal(game, rules, SEED, number, rng) for number in range(num_deals)]


@pytest.mark.compiled
@pytest.mark.parametrize("allow_lone_defender", [False, True], ids=["pairs_defend", "lone_defender"])
@pytest.mark.parametrize("stick_the_dealer", [False, True], ids=["throw_in", "stick"])
def test_openspiel_agrees_at_every_decision(stick_the_dealer, allow_lone_defender):
    options = {"stick_the_dealer": stick_the_dealer, "allow_lone_defender": allow_lone_defender}
    results = compare_deals(house_rules(**options), 5000, **options)
    # The deals met everything that could happen.
    assert {result.num_passes for result in results} == set(range(8 if stick_the_dealer else 9))
    assert {int(result.alone) for result in results} == {0, 1}
    assert {result.lone_defender != NOBODY for result in results} == {False, allow_lone_defender}
    assert {int(result.points.max()) for result in results} == {1, 2, 4} | (set() if stick_the_dealer else {0})


@pytest.mark.parametrize(
    "wrong",
    [
        {"dealer_sits_out_exchange": False},
        {"discard_upcard": True},
        {"lone_lead": "left_of_maker"},
        {"lone_lead": "eldest_else_left_of_maker"},
        {"defend_alone": "against_loner"},
        {"defend_poll_from": "left_of_maker"},
        {"stick_the_dealer": False},
        {"march_points": 1},
        {"lone_euchred_points": 4},
        {"lone_defender_points": 2},
        {"super_euchre": True},
    ],
    ids=str,
)
def test_a_rule_that_differs_is_noticed(wrong):
    options = {"stick_the_dealer": True, "allow_lone_defender": True}
    with pytest.raises(AssertionError):
        compare_deals(changed(house_rules(**options), wrong), 2000, **options)
