"""The score of a deal (docs/rules.md, "Score"), and the house rules that change its table."""

from itertools import product

import pytest

from euchre_env.deal import DEAL, clear, left_of, points
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import records, row

DEFENDER_RULES = "standard,defend_alone=always"


def scored(makers_tricks, alone=False, lone_defender=False, rules="standard", maker=0):
    """The points of makers and defenders in a deal with this result."""
    deals = records(1, DEAL)
    deal = row(deals)
    clear(deal, 3)
    deal.maker, deal.alone = maker, int(alone)
    if lone_defender:
        deal.lone_defender = left_of(maker)
    makers = maker % 2
    deal.tricks[makers], deal.tricks[1 - makers] = makers_tricks, 5 - makers_tricks
    teams = points(deals[0], parse_rules(rules).packed()[0])
    return teams[makers], teams[1 - makers]


@pytest.mark.parametrize(
    ("tricks", "with_partner", "alone"),
    [
        (5, (2, 0), (4, 0)),
        (4, (1, 0), (1, 0)),
        (3, (1, 0), (1, 0)),
        (2, (0, 2), (0, 2)),
        (1, (0, 2), (0, 2)),
        (0, (0, 2), (0, 2)),
    ],
)
@pytest.mark.parametrize("maker", range(4))
def test_score_table(tricks, with_partner, alone, maker):
    assert scored(tricks, maker=maker) == with_partner
    assert scored(tricks, alone=True, maker=maker) == alone


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("tricks", [0, 1, 2])
def test_a_lone_defender_scores_four_for_a_euchre(tricks, alone):
    assert scored(tricks, alone, lone_defender=True, rules=DEFENDER_RULES) == (0, 4)


@pytest.mark.parametrize(("alone", "march"), [(False, 2), (True, 4)])
def test_a_lone_defender_who_fails_changes_nothing(alone, march):
    assert scored(3, alone, lone_defender=True, rules=DEFENDER_RULES) == (1, 0)
    assert scored(5, alone, lone_defender=True, rules=DEFENDER_RULES) == (march, 0)


# Which ends of a deal an entry of the table speaks of: makers' tricks, whether the maker and a defender were alone.
PAIR, LONER, ANYBODY = (False,), (True,), (False, True)


@pytest.mark.parametrize(
    ("rule", "ends"),
    [
        ("march_points", ((5,), PAIR, ANYBODY)),
        ("lone_march_points", ((5,), LONER, ANYBODY)),
        ("euchre_points", ((0, 1, 2), PAIR, (False,))),
        ("lone_euchred_points", ((0, 1, 2), LONER, (False,))),
        ("lone_defender_points", ((0, 1, 2), ANYBODY, (True,))),
    ],
)
def test_each_entry_of_the_table_changes_the_ends_it_speaks_of_and_no_other(rule, ends):
    entry = set(product(*ends))
    for end in product(range(6), ANYBODY, ANYBODY):
        points_for = scored(*end, rules=f"standard,{rule}=7")
        makers_win = end[0] >= 3
        assert points_for == (((7, 0) if makers_win else (0, 7)) if end in entry else scored(*end)), end


@pytest.mark.parametrize(
    ("tricks", "alone", "lone_defender", "rules", "expected"),
    [
        (0, False, False, "", (0, 4)),
        (0, True, False, "", (0, 4)),
        (1, False, False, "", (0, 2)),
        (1, True, False, "", (0, 2)),
        (0, False, False, ",euchre_points=5", (0, 5)),
        (0, False, False, ",euchre_points=0", (0, 4)),
        (0, True, False, ",lone_euchred_points=5", (0, 5)),
        (0, False, True, ",lone_defender_points=6", (0, 6)),
        (0, False, True, ",lone_defender_points=1", (0, 4)),
    ],
)
def test_super_euchre_scores_four_or_what_the_deal_costs_if_that_is_more(tricks, alone, lone_defender, rules, expected):
    assert scored(tricks, alone, lone_defender, rules=f"standard,super_euchre=true{rules}") == expected


def test_points_may_be_zero():
    assert scored(5, rules="standard,march_points=0") == (0, 0)


def test_a_deal_without_a_maker_scores_nothing():
    deals = records(1, DEAL)
    clear(row(deals), 0)
    assert points(deals[0], parse_rules("standard").packed()[0]) == (0, 0)
