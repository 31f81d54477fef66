"""House rules in sentences: each rule that matters is in them, with its value."""

from dataclasses import fields, replace

import pytest
from support.rules import EVERYTHING

from euchre_env.house_rules import PRESETS, HouseRules, parse_rules
from euchre_eval.rule_sentences import rule_sentences

# Rules that matter only beside another value.
BESIDE = {
    "stuck_dealer_any_suit": {"stick_the_dealer": True},
    "throw_in_dealer": {"stick_the_dealer": False},
    "defend_poll_from": {"defend_alone": "always"},
    "lone_defender_points": {"defend_alone": "against_loner"},
}


def values_of(rule):
    allowed = rule.metadata["allowed"]
    return list(allowed) if not isinstance(allowed, range) else [allowed[0], 1, 3, 7, allowed[-1]]


@pytest.mark.parametrize("rule", fields(HouseRules), ids=lambda rule: rule.name)
@pytest.mark.parametrize("base", [HouseRules(), EVERYTHING], ids=["standard", "everything"])
def test_every_value_of_every_rule_has_sentences_of_its_own(rule, base):
    base = replace(base, **BESIDE.get(rule.name, {}))
    texts = [tuple(rule_sentences(replace(base, **{rule.name: value}))) for value in values_of(rule)]
    assert len(set(texts)) == len(set(values_of(rule)))


@pytest.mark.parametrize(
    ("rule", "beside"),
    [
        ("stuck_dealer_any_suit", {"stick_the_dealer": False}),
        ("throw_in_dealer", {"stick_the_dealer": True}),
        ("defend_poll_from", {"defend_alone": "never"}),
        ("lone_defender_points", {"defend_alone": "never"}),
    ],
)
def test_a_rule_that_cannot_matter_is_left_out(rule, beside):
    base = replace(HouseRules(), **beside)
    (allowed,) = (each.metadata["allowed"] for each in fields(HouseRules) if each.name == rule)
    assert rule_sentences(replace(base, **{rule: allowed[0]})) == rule_sentences(replace(base, **{rule: allowed[-1]}))


@pytest.mark.parametrize("rules", [*PRESETS.values(), EVERYTHING])
def test_sentences_are_sentences_without_names_of_code(rules):
    for sentence in rule_sentences(rules):
        assert sentence.endswith(".")
        assert "_" not in sentence
        assert "None" not in sentence


def test_what_each_number_is_for_is_said():
    rules = parse_rules(
        "standard,march_points=11,lone_march_points=12,euchre_points=13,lone_euchred_points=14,"
        "lone_defender_points=15,defend_alone=always,points_to_win=16,win_by=2,super_euchre=true"
    )
    assert rule_sentences(rules)[-4:] == [
        "Points of the makers: 1 for three or four tricks, alone or not, 11 for all five, 12 for all five alone.",
        "Points of the defenders, if the makers take fewer than three tricks: 13, but 14 against a lone maker, and 15 "
        "if a defender did it alone.",
        "Makers who take no trick at all cost 4 points, or what they would cost anyway if more.",
        "A game goes to 16 points, and the winner must lead by two.",
    ]


def test_the_rules_of_the_stuck_dealer_and_of_the_first_lead_are_said():
    text = " ".join(rule_sentences(parse_rules("midwest,lone_lead=eldest_else_left_of_maker")))
    assert "the dealer must name one of the three other suits" in text
    assert "when that seat sits out as the partner of a lone maker, the first one to the maker's left leads" in text
