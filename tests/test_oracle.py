"""The oracle sees all cards and solves the deal: nobody does better against best play, and matches must allow it."""

import re

import numpy as np
import pytest

from euchre_agents import abilities_of, load
from euchre_agents.search import Oracle, open_hand_action_values, open_hand_values
from euchre_env.deal import DEAL, OVER
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import records
from euchre_env.random_rules import random_rules
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_eval import play_match

pytestmark = pytest.mark.compiled  # thousands of solved deals


@pytest.mark.parametrize("number", range(6))
def test_four_oracles_score_the_open_hand_value_of_the_deal(number):
    rules = random_rules(np.random.default_rng(number))
    tables = Tables(40, rules, seed=number, num_episodes=40)
    expected, oracle = open_hand_values(tables.records, rules), Oracle(rules)
    points = np.zeros((40, 2), np.int64)
    while len(tables):
        ended = tables.step(oracle.act_deals(tables.deals(), tables.decision_keys(0)))
        points[ended["episode"]] = ended["points"]
    assert (points[:, 0] - points[:, 1]).tolist() == expected.tolist()
    assert len(set(expected.tolist())) > 1


@pytest.mark.parametrize("opponent", ["random", "rules", "pimc:5"])
def test_the_oracle_scores_the_open_hand_value_or_more_against_anyone(opponent):
    tables, oracle, other = (
        Tables(100, "pagat", seed=3, num_episodes=100),
        load("oracle", rules="pagat"),
        load(opponent, 1),
    )
    assert abilities_of(other, opponent).act_views
    expected, points = open_hand_values(tables.records, "pagat"), np.zeros(100, np.int64)
    while len(tables):
        keys = tables.decision_keys(0)
        seen, unseen = oracle.act_deals(tables.deals(), keys), other.act_views(tables.views(), keys)  # type: ignore[attr-defined]
        ended = tables.step(np.where(tables.turns % 2 == 0, seen, unseen))
        points[ended["episode"]] = ended["points"][:, 0] - ended["points"][:, 1]
    assert (points >= expected).all()
    assert (points > expected).any()


@pytest.mark.parametrize("opponent", ["rules", "ppo", "pimc:5"])
def test_the_oracle_beats_every_honest_player(opponent):
    result = play_match(load("oracle"), load(opponent, seed=0), deals=300, allow_cheating=True)
    assert result.points_per_deal.mean > 5 * result.points_per_deal.se
    assert result.sees_all == (0,)


def test_it_is_refused_where_cheating_is_not_allowed():
    with pytest.raises(ValueError, match=r"player 'oracle' sees all cards.*allow_cheating=True"):
        play_match(load("oracle"), load("rules", seed=0), deals=1)


def test_it_plays_by_the_house_rules_that_it_is_given():
    sets = ("standard", "standard,march_points=0,euchre_points=20,lone_euchred_points=20")
    tables = Tables(60, sets[0], seed=3)
    for _ in range(12):  # into the play, where five tricks make less than four under the second
        tables.step_at_random(seed=0)
    deals, keys, rows = tables.deals(), tables.decision_keys(0), np.arange(60)
    chosen = [Oracle(parse_rules(rules)).act_deals(deals, keys) for rules in sets]
    assert (chosen[0] != chosen[1]).any()
    for actions, rules in zip(chosen, sets, strict=True):
        values = open_hand_action_values(tables.records, rules)
        assert np.array_equal(values[rows, actions], values.max(axis=1))


def test_answers_do_not_depend_on_the_batch():
    tables, oracle = Tables(30, "midwest", seed=1), load("oracle", rules="midwest")
    for _ in range(12):
        tables.step_at_random(seed=0)
    deals, keys = tables.deals(), tables.decision_keys(0)
    expected = oracle.act_deals(deals, keys)  # type: ignore[attr-defined]
    for size in (1, 7):
        parts = [slice(start, start + size) for start in range(0, 30, size)]
        answers = [oracle.act_deals(deals[part], keys[part]) for part in parts]  # type: ignore[attr-defined]
        assert np.array_equal(np.concatenate(answers), expected)


def test_what_is_no_batch_of_deals_in_progress_is_refused():
    oracle, keys = Oracle(), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match=r"deals must be records of dtype DEAL, shape \(n,\), not list"):
        oracle.act_deals([1], keys)
    finished = records(1, DEAL)
    finished["phase"] = OVER
    with pytest.raises(ValueError, match="deal 0 is not"):
        oracle.act_deals(finished, keys)
    with pytest.raises(ValueError, match=r"keys must be int64, shape \(1,\)"):
        oracle.act_deals(Table(seed=1).record["deal"].reshape(1), np.zeros(2, np.int64))


def test_it_takes_no_argument():
    with pytest.raises(ValueError, match=re.escape("player 'oracle' takes no argument, but is given '5'")):
        load("oracle:5")
