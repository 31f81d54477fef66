"""A network that searches: it keeps its choice unless another action gains surely more in worlds played out."""

import re

import numpy as np
import pytest
from support.networks import small_network

from euchre_agents import load
from euchre_agents.search import SearchPlayer
from euchre_env.actions import PASS_ID, actions_in
from euchre_env.deal import PHASES
from euchre_env.kernel import as_records
from euchre_env.random_rules import random_rules
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import batch_of
from euchre_eval import play_match

pytestmark = pytest.mark.compiled  # thousands of played deals

NUM_RULES = 20
RULES = [random_rules(np.random.default_rng(number)) for number in range(NUM_RULES)]
NO_KEY = np.zeros(1, np.int64)


@pytest.fixture(scope="module")
def decisions():
    """Views and keys of random play under random house rules."""
    tables, views, keys = Tables(NUM_RULES, RULES, seed=5, num_episodes=NUM_RULES), [], []
    while len(tables):
        views.append(tables.views())
        keys.append(tables.decision_keys(1))
        passes = (tables.legal_actions() >> PASS_ID & 1 == 1) & (keys[-1] % 4 > 0)
        tables.step(np.where(passes, PASS_ID, tables.random_actions(2)))
    return as_records(np.concatenate(views)), np.concatenate(keys)


def test_a_choice_is_changed_only_for_a_gain_above_two_standard_errors(decisions):
    views, keys = decisions
    network = small_network(scale=0.1)
    player = SearchPlayer(network, 12)
    own, chosen = network.act_views(views, keys), player.act_views(views, keys)
    gains, errors = player.gains(views, keys, own)
    rows = np.arange(len(views))
    assert (gains[rows, own] == 0)[np.isfinite(gains).any(axis=1)].all()
    with np.errstate(invalid="ignore"):
        sure = gains > 2 * errors
    changed = chosen != own
    assert 10 < changed.sum() < len(views)
    assert np.array_equal(changed, sure.any(axis=1))
    best = np.where(sure, gains, -1).argmax(axis=1)
    assert np.array_equal(chosen[changed], best[changed])


def test_answers_are_the_same_whatever_the_batch_size(decisions):
    (views, keys), player = decisions, SearchPlayer(small_network(scale=0.1), 4)
    expected = player.act_views(views, keys)
    for size in (1, 7, 1000):
        parts = [slice(start, start + size) for start in range(0, len(views), size)]
        answers = [player.act_views(as_records(views[part]), keys[part]) for part in parts]
        assert np.array_equal(np.concatenate(answers), expected)


def test_no_action_is_illegal_under_random_house_rules():
    player, ended = SearchPlayer(small_network(scale=0.1), 3), 0
    tables = Tables(2 * NUM_RULES, RULES, seed=6, num_episodes=2 * NUM_RULES)
    while len(tables):
        ended += len(
            tables.step(player.act_views(tables.views(), tables.decision_keys(0)))
        )  # raises if one is not legal
    assert ended == 2 * NUM_RULES


def test_a_weak_network_gains_by_its_search():
    network = small_network(scale=0.1)
    result = play_match(SearchPlayer(network, 16, seed=0), network, deals=200)
    assert result.points_per_deal.mean > 4 * result.points_per_deal.se


def test_an_explanation_gives_the_gain_of_every_action_that_is_tried(decisions):
    (views, _), network = decisions, small_network(scale=0.1)
    player, shown = SearchPlayer(network, 5), set()
    for view in views[::25]:
        explanations = player.explain(view)
        assert explanations[0].action == player.act_views(batch_of(view), NO_KEY)[0]
        assert sorted(e.action for e in explanations) == actions_in(int(view["legal"]))
        assert sum(e.probability for e in explanations) == explanations[0].probability == 1
        for _, _, points, reason in explanations:
            assert points is None
            end = re.fullmatch(
                r"The network gives it \d+\.\d%(?: and|;) (would play it|it is not tried|it gains [+-].*)\.", reason
            )
            assert end is not None
            shown.add(end[1][:8])
    assert {"would pl", "it gains"} <= shown


def test_the_number_of_worlds_stands_in_the_name():
    players = [load(name, seed=4) for name in ("ppo+search", "ppo+search:64", "ppo+search:7", "ppo+search:7:bids")]
    names = [player.name for player in players]  # type: ignore[attr-defined]
    assert names == ["ppo+search:64", "ppo+search:64", "ppo+search:7", "ppo+search:7:bids"]
    view = Table("standard", seed=1).view()
    assert players[2].explain(view)[0].probability == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("argument", ["", "0", "-1", "x", "10001", "x:bids", ":bids"])
def test_a_number_of_worlds_that_is_none_is_refused(argument):
    came = re.escape(repr(argument.partition(":")[0]))
    with pytest.raises(
        ValueError, match=rf"'ppo\+search' takes a number of worlds from 1 to 10000, such as ppo\+search:64.*{came}"
    ):
        load(f"ppo+search:{argument}")


@pytest.mark.parametrize(
    ("argument", "came"), [("64:5", "'5'"), ("64:", "''"), ("64:card", "'card'; did you mean 'cards'")]
)
def test_a_kind_of_decisions_that_is_none_is_refused(argument, came):
    with pytest.raises(ValueError, match=f"at 'bids' or 'cards', not at {came}"):
        load(f"ppo+search:{argument}")


def test_a_search_of_one_kind_leaves_the_rest_to_the_network(decisions):
    (views, keys), network = decisions, small_network(scale=0.1)
    own, searched = network.act_views(views, keys), SearchPlayer(network, 12).act_views(views, keys)
    are_cards = views["phase"] == PHASES.index("PLAY")
    for only, are_searched in (("bids", ~are_cards), ("cards", are_cards)):
        chosen = SearchPlayer(network, 12, only=only).act_views(views, keys)
        assert np.array_equal(chosen, np.where(are_searched, searched, own))
        assert (searched != own)[are_searched].any()


@pytest.mark.parametrize("errors", [-1, float("nan")])
def test_a_number_of_standard_errors_that_is_none_is_refused(errors):
    with pytest.raises(ValueError, match="errors must be 0 or more"):
        SearchPlayer(small_network(), 4, errors=errors)
