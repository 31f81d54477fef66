"""A network that searches: it keeps its choice unless another action gains surely more in worlds played out."""

import re

import numpy as np
import pytest
from support.networks import small_network

from euchre_agents import load
from euchre_agents.search import SearchPlayer, search_player, value
from euchre_agents.search.weighted_means import Means
from euchre_env.actions import NUM_ACTIONS, PASS_ID, actions_in
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


def test_a_gain_is_the_difference_of_the_values_of_two_actions(decisions):
    (views, keys), network = decisions, small_network(scale=0.1)
    own, player, num_compared = network.act_views(views, keys), SearchPlayer(network, 12), 0
    gains, _ = player.gains(views, keys, own)
    for i in range(0, len(views), 9):
        values = value(views[i], network, 12, int(keys[i]), likelihoods=network)
        for action in np.flatnonzero(np.isfinite(gains[i])).tolist():
            assert gains[i, action] == pytest.approx(values[action].points - values[own[i]].points, abs=1e-9)
            num_compared += action != own[i]
    assert num_compared > 20


@pytest.mark.parametrize(
    ("gains", "se", "chosen"),
    [
        ({1: 0.5}, {1: 0.24}, 1),
        ({1: 0.5}, {1: 0.26}, 0),
        ({1: 0.5, 2: 0.6, 3: 0.9}, {1: 0.1, 2: 0.1, 3: 0.5}, 2),  # the largest sure gain
        ({1: -0.5}, {1: 0.0}, 0),
        ({1: 0.5}, {1: np.nan}, 0),  # too few worlds are likely
        ({1: 1e-17}, {1: 0.0}, 0),  # a sum that should be 0
        ({1: 1e-3}, {1: 0.0}, 1),
    ],
)
def test_a_choice_is_changed_only_for_a_gain_above_two_standard_errors(monkeypatch, gains, se, chosen):
    view = Table("standard", seed=5, dealer=3).view()
    legal = actions_in(int(view["legal"]))

    def found(self, views, keys, own):
        arrays = np.full((2, 1, NUM_ACTIONS), np.nan)
        arrays[:, 0, own[0]] = 0
        others = [own[0], *(action for action in range(NUM_ACTIONS) if action != own[0])]
        for array, values in zip(arrays, (gains, se), strict=True):
            for place, number in values.items():
                array[0, others[place]] = number
        return Means(*arrays)

    monkeypatch.setattr(SearchPlayer, "gains", found)
    network = small_network()
    own = int(network.act_views(batch_of(view), NO_KEY)[0])
    others = [own, *(action for action in range(NUM_ACTIONS) if action != own)]
    assert own in legal
    assert SearchPlayer(network, 4).act_views(batch_of(view), NO_KEY).tolist() == [others[chosen]]


def test_some_choices_are_changed(decisions):
    (views, keys), network = decisions, small_network(scale=0.1)
    changed = SearchPlayer(network, 12).act_views(views, keys) != network.act_views(views, keys)
    assert 10 < changed.sum() < len(views)


def test_the_choice_stands_where_few_worlds_have_most_of_the_weight(decisions, monkeypatch):
    (views, keys), network = decisions, small_network(scale=0.5)
    own = network.act_views(views, keys)
    gains, se = SearchPlayer(network, 12).gains(views, keys, own)
    is_rough = np.isfinite(gains) & np.isnan(se)
    assert is_rough.any()
    assert (np.isfinite(gains) & ~is_rough).any()
    monkeypatch.setattr(search_player, "MIN_EFFECTIVE_WORLDS", 0.0)
    free_gains, free_se = SearchPlayer(network, 12).gains(views, keys, own)
    assert np.array_equal(free_gains, gains, equal_nan=True)
    assert np.array_equal(free_se[~is_rough], se[~is_rough], equal_nan=True)
    assert np.isfinite(free_se[is_rough]).any()


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


@pytest.mark.parametrize("number", [-1, float("nan")])
def test_a_number_of_standard_errors_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match="min_standard_errors must be 0 or more"):
        SearchPlayer(small_network(), 4, min_standard_errors=number)
