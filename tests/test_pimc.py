"""Perfect-information Monte Carlo: what actions are worth over worlds, ties, batches and names."""

import re
from typing import Any

import numpy as np
import pytest

from euchre_agents import RuleBot, load
from euchre_agents.search import NO_VALUE, PimcPlayer, open_hand_action_values, open_hand_values
from euchre_agents.search.rollouts import best_actions
from euchre_agents.search.values import value as value_of
from euchre_env.actions import PASS_ID, actions_in, parse_action
from euchre_env.deal import BENNY_TURNED_UP, DEFEND, DISCARD, OVER, PLAY
from euchre_env.kernel import as_records
from euchre_env.random_rules import random_rules
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import batch_of
from euchre_env.worlds import count_worlds, numbered_worlds, sample_worlds
from euchre_eval import play_match

pytestmark = pytest.mark.compiled  # thousands of solved deals

NUM_RULES = 30
RULES = [random_rules(np.random.default_rng(number)) for number in range(NUM_RULES)]
NO_KEY = np.zeros(1, np.int64)


class Decisions:
    """The decisions of random play under random house rules, in every phase: views and keys."""

    def __init__(self):
        tables, views, keys = Tables(NUM_RULES, RULES, seed=5, num_episodes=NUM_RULES), [], []
        while len(tables):
            views.append(tables.views())
            keys.append(tables.decision_keys(1))
            passes = (tables.legal_actions() >> PASS_ID & 1 == 1) & (keys[-1] % 4 > 0)
            tables.step(np.where(passes, PASS_ID, tables.random_actions(2)))
        self.views: Any = as_records(np.concatenate(views))
        self.keys = np.concatenate(keys)

    def with_choice(self, in_play, step):
        """The numbers of decisions with two legal actions or more, of the play or before it.

        Every `step`-th of the frequent phases is among them, and all of the others.
        """
        phases, legal = self.views["phase"], self.views["legal"]
        numbers = np.flatnonzero((legal & (legal - 1) != 0) & ((phases == PLAY) == in_play))
        is_rare = np.isin(phases[numbers], (BENNY_TURNED_UP, DISCARD, DEFEND))
        return numbers[is_rare | (np.arange(len(numbers)) % step == 0)]


@pytest.fixture(scope="module")
def decisions():
    found = Decisions()
    assert np.unique(found.views["phase"]).tolist() == list(range(OVER))
    return found


def view_of_eldest_hand():
    """The first view of a deal: the pass of its owner is followed by three more bids."""
    return Table("standard", seed=5, dealer=3).view()


def value_after(world, rules, action, policy):
    """The open-hand points of team 0 after `action` and the rest of the auction, on a single table."""
    tables = Tables(positions=np.array([world]), rules=rules)
    results = tables.step(np.array([action]))
    while len(tables) and tables.phases[0] < PLAY:
        results = tables.step(policy.act_views(tables.views(), NO_KEY))
    if len(tables) == 0:
        assert results["points"].tolist() == [[0, 0]]
        return 0
    return int(open_hand_values(tables.records, rules)[0])


class Stubborn:
    """Answers every decision with one action."""

    name = "stubborn"

    def __init__(self, action):
        self.action = action

    def act_views(self, views, keys):
        return np.full(len(views), self.action)


# Values


def test_a_card_is_worth_its_mean_open_hand_points_over_the_worlds(decisions):
    numbers = decisions.with_choice(in_play=True, step=6)
    points, se, counts = PimcPlayer(200).values(as_records(decisions.views[numbers]), decisions.keys[numbers])
    assert {200} < set(counts.tolist())
    for i, number in enumerate(numbers):
        view, key = decisions.views[number], decisions.keys[number]
        count = int(count_worlds(view)[0])
        worlds = sample_worlds(view, 200, key) if count > 200 else numbered_worlds(view, range(count))
        values = open_hand_action_values(worlds.games(), worlds.rules).astype(float)
        values[values == NO_VALUE] = np.nan
        assert counts[i] == len(values)
        assert np.flatnonzero(~np.isnan(points[i])).tolist() == actions_in(int(view["legal"]))
        np.testing.assert_allclose(points[i], values.mean(axis=0), atol=1e-12)
        of_sample = values.std(axis=0, ddof=1) / 200**0.5 if count > 200 else 0 * values[0]
        np.testing.assert_allclose(se[i], of_sample, atol=1e-7)


def test_a_bid_is_worth_its_mean_points_after_the_auction_of_the_policy(decisions):
    numbers, policy = decisions.with_choice(in_play=False, step=9), RuleBot(seed=0)
    assert np.unique(decisions.views["phase"][numbers]).tolist() == list(range(PLAY))
    points = PimcPlayer(4).values(as_records(decisions.views[numbers]), decisions.keys[numbers]).points
    for i, number in enumerate(numbers):
        worlds = sample_worlds(decisions.views[number], 4, decisions.keys[number])
        for action in np.flatnonzero(~np.isnan(points[i])):
            values = [value_after(world, worlds.rules[0], action, policy) for world in worlds.games()]
            assert points[i, action] == np.mean(values)


def test_the_auction_goes_on_as_the_given_policy_bids():
    views = batch_of(view_of_eldest_hand())
    with_passer, with_rules = (PimcPlayer(30, load(name, seed=0)).values(views, NO_KEY) for name in ("passer", "rules"))
    assert with_passer.points[0, PASS_ID] == with_passer.se[0, PASS_ID] == 0  # every deal is thrown in
    assert with_rules.se[0, PASS_ID] > 0


@pytest.mark.parametrize(("action", "shown"), [(parse_action("JC"), "'JC'"), (99, "99"), (-1, "-1")])
def test_a_policy_that_answers_with_an_illegal_action_is_named(action, shown):
    player = PimcPlayer(2, Stubborn(action))
    with pytest.raises(ValueError, match=f"player 'stubborn' answers {shown} in [A-Z_]+, which is not legal there"):
        player.values(batch_of(view_of_eldest_hand()), NO_KEY)


def test_one_world_of_many_has_points_without_an_error():
    points, se, counts = PimcPlayer(1).values(batch_of(view_of_eldest_hand()), NO_KEY)
    assert counts.tolist() == [1]
    assert np.isfinite(points).sum() == 3
    assert np.isnan(se).all()


# Choices


def test_of_equals_the_choice_of_the_policy_is_taken_else_the_first():
    values = np.array([[1, 5, 5, 0], [1, 5, 5, 0], [7, 5, 5, 7]])
    assert best_actions(values, np.array([2, 0, 1])).tolist() == [2, 1, 0]


def test_the_action_of_the_most_points_is_chosen(decisions):
    player, numbers = PimcPlayer(5), np.arange(len(decisions.views))
    chosen = player.act_views(decisions.views, decisions.keys)
    points = player.values(decisions.views, decisions.keys).points
    assert np.array_equal(points[numbers, chosen], np.nanmax(points, axis=1))


def test_answers_are_the_same_whatever_the_batch_size(decisions):
    player, views, keys = PimcPlayer(5), decisions.views, decisions.keys
    expected = player.act_views(views, keys)
    for size in (1, 7, 1000):
        parts = [slice(start, start + size) for start in range(0, len(views), size)]
        answers = [player.act_views(as_records(views[part]), keys[part]) for part in parts]
        assert np.array_equal(np.concatenate(answers), expected)
    order = np.random.default_rng(0).permutation(len(views))
    assert np.array_equal(player.act_views(as_records(views[order]), keys[order]), expected[order])
    assert player.act_views(as_records(views[:0]), keys[:0]).shape == (0,)


def test_another_key_draws_other_worlds(decisions):
    numbers = decisions.with_choice(in_play=True, step=6)
    views, keys = as_records(decisions.views[numbers]), decisions.keys[numbers]
    points, others = (PimcPlayer(5).values(views, each).points for each in (keys, keys + 1))
    assert not np.array_equal(points, others, equal_nan=True)


@pytest.mark.parametrize("num_worlds", [1, 4])
def test_no_action_is_illegal_under_random_house_rules(num_worlds):
    player, num_deals = PimcPlayer(num_worlds, seed=0), 2 * NUM_RULES
    tables, ended = Tables(num_deals, RULES, seed=6, num_episodes=num_deals), 0
    while len(tables):
        actions = player.act_views(tables.views(), tables.decision_keys(0))
        ended += len(tables.step(actions))  # raises if an action is not legal
    assert ended == num_deals


def test_a_match_has_the_same_result_whatever_the_batch_size():
    players = load("pimc:2", seed=1), load("rules", seed=1)
    results = [play_match(*players, deals=9, rules="midwest", batch_size=size) for size in (1, 4, 100)]
    assert [result.margins.tolist() for result in results] == [results[0].margins.tolist()] * 3
    assert results[0].reneges == (0, 0, 0, 0)


def test_it_beats_the_player_that_bids_for_it():
    result = play_match(load("pimc:10", seed=0), load("rules", seed=0), deals=1000, rules="pagat")
    assert result.points_per_deal.mean > 3 * result.points_per_deal.se


# Explanations


def test_an_explanation_gives_points_and_standard_errors_of_every_action(decisions):
    player = PimcPlayer(5)
    for number in [*decisions.with_choice(in_play=False, step=20), *decisions.with_choice(in_play=True, step=20)]:
        view = decisions.views[number]
        explanations = player.explain(view)
        points, se, counts = (values[0] for values in player.values(batch_of(view), NO_KEY))
        assert explanations[0].action == player.act_views(batch_of(view), NO_KEY)[0]
        assert [e.probability for e in explanations] == [1.0] + [0.0] * (len(explanations) - 1)
        assert sorted(e.action for e in explanations) == actions_in(int(view["legal"]))
        for action, _, expected, reason in explanations:
            assert expected == points[action]
            shown = f"In {counts} worlds: {points[action]:+.2f} points (standard error {se[action]:.2f})."
            assert reason == shown


def test_an_explanation_from_one_world_of_many_has_no_error():
    reason = PimcPlayer(1).explain(view_of_eldest_hand())[0].reason
    assert re.fullmatch(r"In 1 world: .\d\.\d\d points\.", reason)


# Names


def test_the_number_of_worlds_stands_in_the_name():
    players = [load(name, seed=4) for name in ("pimc", "pimc:50", "pimc:7")]
    assert [player.name for player in players] == ["pimc:50", "pimc:50", "pimc:7"]  # type: ignore[attr-defined]
    assert [player.num_worlds for player in players] == [50, 50, 7]  # type: ignore[attr-defined]


@pytest.mark.parametrize("argument", ["", "0", "-1", "x", "1.5", "10001", " 5", "5:5", "1" * 30])
def test_a_number_of_worlds_that_is_none_is_refused(argument):
    came = re.escape(repr(argument))
    with pytest.raises(ValueError, match=f"'pimc' takes a number of worlds from 1 to 10000, such as pimc:50.*{came}"):
        load(f"pimc:{argument}")


@pytest.mark.parametrize("num_worlds", [0, -1, 10_001, 2.5, True, "50"])
def test_the_constructor_refuses_it_too(num_worlds):
    with pytest.raises(ValueError, match="the number of worlds"):
        PimcPlayer(num_worlds)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("legal", 1 << 37 | 1 << 25, "its legal has actions that the rules do not allow"),
        ("legal", 1 | 1 << 25, "its legal has actions that the rules do not allow"),
        ("legal", -1, "its legal has actions that the rules do not allow"),
        ("trick", 7, "its fields are not those of a deal in progress"),
        ("trump", -1, "its fields are not those of a deal in progress"),
        ("upcard", 99, "its fields are not those of a deal in progress"),
        ("num_played", 2, "no card is led in its trick"),
    ],
)
def test_a_view_that_is_none_is_refused_by_every_search(field, value, message):
    view = Table("pagat", seed=7).view()
    view[field] = value
    with pytest.raises(ValueError, match=f"view 0 of 1: {message}"):
        PimcPlayer(5, seed=1).act_views(batch_of(view), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match=f"view 0 of 1: {message}"):
        value_of(view, load("rules"), num_worlds=5)
