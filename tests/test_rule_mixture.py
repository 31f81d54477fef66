"""The house rules of training: their shares, random rules, and the scale of the reward."""

from collections import Counter
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest
from support.rules import EVERYTHING, RULE_SETS

from euchre_env.deal import DEAL, NOBODY
from euchre_env.deal import points as deal_points
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.kernel import records, row
from euchre_env.random_rules import BENNY_SHARE, NOT_OF_A_DEAL, POINTS, random_rules
from euchre_env.tables import Tables
from euchre_train.rule_mixture import SETS_PER_UPDATE, largest_score, rules_of_update

DRAWS = 3000


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(11)
    return [random_rules(rng) for _ in range(DRAWS)]


@pytest.mark.parametrize("rule", fields(HouseRules), ids=lambda rule: rule.name)
def test_random_rules_have_every_value_with_its_share(drawn, rule):
    counts, allowed = Counter(getattr(rules, rule.name) for rules in drawn), rule.metadata["allowed"]
    if rule.name in NOT_OF_A_DEAL:
        expected = {rule.default: 1.0}
    elif isinstance(allowed, range):
        expected = dict.fromkeys(POINTS, 1 / len(POINTS))
    elif rule.name == "benny":
        expected = {True: BENNY_SHARE, False: 1 - BENNY_SHARE}
    else:
        expected = dict.fromkeys(allowed, 1 / len(allowed))
    assert set(counts) == set(expected)
    for value, share in expected.items():
        assert abs(counts[value] / DRAWS - share) < 5 * np.sqrt(share * (1 - share) / DRAWS) + 1e-9


def test_the_points_are_those_that_tables_play_for():
    assert POINTS == (0, 1, 2, 3, 4, 6)
    assert BENNY_SHARE == 0.25


def test_random_rules_are_drawn_independently_of_each_other(drawn):
    pairs = Counter((rules.benny, rules.stick_the_dealer, rules.super_euchre) for rules in drawn)
    for (benny, *_), count in pairs.items():
        share = (BENNY_SHARE if benny else 1 - BENNY_SHARE) / 4
        assert abs(count / DRAWS - share) < 5 * np.sqrt(share / DRAWS)
    assert len(pairs) == 8


# The rules of an update


def test_a_single_set_of_rules_is_that_of_every_deal():
    assert rules_of_update(["british"], 3, 1) == [PRESETS["british"]]


def test_every_text_gets_its_share_of_the_deals():
    texts = ["standard", "standard", "british", "random"]
    for update in range(3):
        rules = rules_of_update(texts, update, seed=5)
        assert len(rules) == SETS_PER_UPDATE
        counts = Counter(rules)
        assert counts[PRESETS["standard"]] == 128
        assert counts[PRESETS["british"]] == 64
        others = [each for each in rules if each not in (PRESETS["standard"], PRESETS["british"])]
        assert len(others) == 63
        assert len(set(others)) == 63  # drawn one by one


def test_random_alone_draws_all_the_rules():
    assert len(set(rules_of_update(["random"], 0, 1))) == SETS_PER_UPDATE


def test_the_rules_of_an_update_depend_on_its_number_and_the_seed_alone():
    texts = ["standard", "pagat", "random"]
    rules = rules_of_update(texts, 4, seed=5)
    assert rules == rules_of_update(texts, 4, seed=5)
    for other in (rules_of_update(texts, 5, seed=5), rules_of_update(texts, 4, seed=6)):
        assert set(other) != set(rules)
        assert [each == PRESETS["pagat"] for each in other] != [each == PRESETS["pagat"] for each in rules]


def test_unknown_rules_are_refused():
    with pytest.raises(ValueError, match="nonsense"):
        rules_of_update(["standard", "nonsense"], 0, 1)


@pytest.mark.compiled
def test_every_set_of_rules_meets_every_dealer_equally_often():
    rules = rules_of_update(["random"], 0, 1)
    rule_sets = [replace(each, no_ace_no_face="off") for each in rules]  # a hand that is dealt again may change dealer
    number = 4 * SETS_PER_UPDATE
    tables = Tables(number, rule_sets, seed=1, num_episodes=number, first_episode=3 * number + 8)
    pairs = set(zip(tables.rules_indices.tolist(), tables.deals()["dealer"].tolist(), strict=True))
    assert pairs == set(product(range(SETS_PER_UPDATE), range(4)))


# The largest score


def scores(rules):
    """The points of every way in which a deal can end."""
    deals, packed = records(1, DEAL), row(rules.packed())
    deal = row(deals)
    for maker, alone, tricks in product(range(4), (0, 1), range(6)):
        defenders = [seat for seat in range(4) if (seat - maker) % 2]
        may_defend_alone = rules.defend_alone == "always" or (rules.defend_alone == "against_loner" and alone)
        for lone_defender in [NOBODY, *(defenders if may_defend_alone else [])]:
            deal.maker, deal.alone, deal.lone_defender = maker, alone, lone_defender
            deal.tricks[maker % 2], deal.tricks[1 - maker % 2] = tricks, 5 - tricks
            yield from deal_points(deal, packed)


def some_rules(drawn):
    nothing = HouseRules(march_points=0, lone_march_points=0, euchre_points=0, lone_euchred_points=0)
    return [nothing, EVERYTHING, *RULE_SETS.values(), *drawn[:100]]


def test_the_largest_score_is_the_largest_that_a_deal_can_end_with(drawn):
    for rules in some_rules(drawn):
        assert largest_score(rules) == max(scores(rules)), rules


@pytest.mark.compiled
def test_no_deal_in_random_play_scores_more_than_the_largest_score(drawn):
    rule_sets = some_rules(drawn)
    tables = Tables(4000, rule_sets, seed=2, num_episodes=4000)
    largest, reached = np.array([largest_score(rules) for rules in rule_sets]), 0
    while len(tables):
        for result in tables.step_at_random(1):
            scored = max(result["points"])
            assert scored <= largest[result["episode"] % len(rule_sets)]
            reached += scored == largest[result["episode"] % len(rule_sets)]
    assert reached > 200
