"""Score-aware play: near the end of a game a table of win probabilities decides the bids, elsewhere the network."""

import pickle

import numpy as np
import pytest
from support.networks import (
    fixed_head,
    network_that_prefers,
    small_head,
    small_network,
    some_decisions,
    some_games,
)
from support.rules import EVERY_RULE, EVERYTHING
from support.tables import play, table_with

from euchre_agents import Passer
from euchre_agents.outcomes import THROWN_IN, points_of_outcomes
from euchre_agents.score_player import LIMIT, MARGIN, ScorePlayer
from euchre_agents.win_table import win_table
from euchre_env.actions import ACTION_NAMES
from euchre_env.deal import BIDDING_PHASES, DEFEND, DISCARD, PLAY
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.kernel import row
from euchre_env.relative_suits import RELABELLED, relabel_view
from euchre_env.tables import Tables
from euchre_env.view import batch_of
from euchre_eval import play_match

pytestmark = pytest.mark.compiled  # whole games take too long without the compiler

LOSS, CERTAIN_POINT = {"other: lone march": 1.0}, {"own: point": 1.0}
MIXED = (*EVERY_RULE, EVERYTHING, "standard,points_to_win=3,win_by=2", "british,points_to_win=21")


def choice_at(player, view):
    """The name of the player's action at a view."""
    (action,) = player.act_views(batch_of(view), np.zeros(1, np.int64))
    return ACTION_NAMES[action]


def player_with(shares, *preferred, otherwise=LOSS, limit=4, margin=0.01):
    """A player whose network prefers some actions, and whose head gives these distributions."""
    network = network_that_prefers(*preferred)
    return ScorePlayer(network, fixed_head(network, shares, otherwise), limit=limit, margin=margin)


def random_player(**more):
    """A player with a random network and a random head."""
    network = small_network(**more)
    return ScorePlayer(network, small_head(network), limit=3, margin=0.02)


# Decisions worked out by hand


def eldest_hand_at(scores, rules="standard"):
    """The view of seat 0, to the left of the dealer, at its first bid; the other team deals."""
    return table_with(dealer=3, scores=scores, rules=rules).view()


def dealers_partner_at(scores, rules="standard"):
    """The view of seat 2 at its first bid; its own team deals."""
    return play(table_with(dealer=0, scores=scores, rules=rules), "pass").view()


def test_at_9_to_9_the_likelier_point_is_worth_more_than_four_points():
    shares = {
        "order up alone": {"own: lone march": 0.5, "own: lone euchre": 0.5},  # +1 point on average
        "order up": {"own: point": 0.65, "own: euchre": 0.35},  # -0.05
    }
    player = player_with(shares, "order up alone", "order up")
    assert choice_at(player, eldest_hand_at((9, 9))) == "order up"
    assert choice_at(player, eldest_hand_at((0, 0))) == "order up alone"


def test_behind_by_three_only_a_lone_march_is_enough():
    shares = {
        "order up alone": {"own: lone march": 0.3, "own: point": 0.7},
        "order up": {"own: march": 0.5, "own: point": 0.5},
    }
    player = player_with(shares, "order up", otherwise={"thrown in": 1.0})
    assert choice_at(player, eldest_hand_at((6, 9))) == "order up alone"
    assert choice_at(player, eldest_hand_at((8, 8))) == "order up"  # here the march ends the game


def test_at_9_to_8_who_deals_next_decides():
    """Order up and win six games of ten, or pass and be at 9 to 9, where the dealer's team wins two games of three."""
    shares = {
        "order up": {"own: point": 0.6, "own: euchre": 0.4},
        "pass": {"other: point": 1.0},
    }
    at_9_to_9 = float(win_table("standard").probabilities(np.array([[1, 1]]), np.array([True]))[0])
    assert 0.62 < at_9_to_9 < 0.7
    for preferred in ("pass", "order up"):
        player = player_with(shares, preferred)
        assert choice_at(player, dealers_partner_at((9, 8))) == "order up"  # they deal at 9 to 9
        assert choice_at(player, eldest_hand_at((9, 8))) == "pass"  # we do


def test_the_house_rules_of_the_view_give_the_points():
    shares = {"order up": {"own: march": 0.6, "own: euchre": 0.4}, "pass": {"own: point": 1.0}}
    player = player_with(shares, "pass")
    assert choice_at(player, eldest_hand_at((7, 7))) == "pass"
    assert choice_at(player, eldest_hand_at((7, 7), "standard,march_points=3,euchre_points=0")) == "order up"


def test_a_gain_of_less_than_the_margin_leaves_the_choice_of_the_network():
    shares = {"order up": {"own: point": 0.55, "own: euchre": 0.45}, "pass": {"own: point": 0.5, "own: euchre": 0.5}}
    for margin, expected in ((0.0, "order up"), (0.04, "order up"), (0.06, "pass"), (1.0, "pass")):
        assert choice_at(player_with(shares, "pass", margin=margin), eldest_hand_at((9, 9))) == expected


def test_of_several_better_actions_the_best_is_taken():
    shares = {
        "pass": {"own: point": 0.2, "own: euchre": 0.8},
        "order up": {"own: point": 0.5, "own: euchre": 0.5},
        "order up alone": {"own: point": 0.6, "own: euchre": 0.4},
    }
    player = player_with(shares, "pass")
    assert choice_at(player, eldest_hand_at((9, 9))) == "order up alone"


def test_the_table_decides_up_to_the_limit_of_either_team_but_not_at_0_to_0():
    player = player_with({"order up": CERTAIN_POINT}, "pass", limit=3)
    for scores, decides in (((6, 6), False), ((7, 0), True), ((0, 7), True), ((6, 0), False), ((0, 0), False)):
        assert (choice_at(player, eldest_hand_at(scores)) == "order up") == decides
    short = "standard,points_to_win=3"
    assert choice_at(player, eldest_hand_at((0, 0), short)) == "pass"
    assert choice_at(player, eldest_hand_at((0, 1), short)) == "order up"
    assert choice_at(player_with({"order up": CERTAIN_POINT}, "pass", limit=0), eldest_hand_at((9, 9))) == "pass"


def test_the_explanation_gives_the_probabilities_of_winning():
    shares = {"order up": {"own: point": 0.6, "own: euchre": 0.4}, "pass": {"other: point": 1.0}}
    player, view = player_with(shares, "pass"), dealers_partner_at((9, 8))
    first, second, last = player.explain(view)
    they_deal = float(win_table("standard").probabilities(np.array([[1, 1]]), np.array([False]))[0])
    assert [ACTION_NAMES[each.action] for each in (first, second, last)] == ["order up", "pass", "order up alone"]
    assert (first.probability, second.probability, last.probability) == (1.0, 0.0, 0.0)
    assert first.reason.startswith("It wins 60.0% of games from this score; the network gives it ")
    assert second.reason.startswith(f"It wins {they_deal:.1%} of games")
    assert last.reason.startswith("It wins 0.0% of games")
    assert [first.points, second.points, last.points] == pytest.approx([0.6 - 0.8, -1, -4], abs=1e-5)


def test_elsewhere_the_explanation_is_that_of_the_network():
    player = player_with({}, "pass")
    for view in (eldest_hand_at((0, 0)), eldest_hand_at((5, 5))):
        assert player.explain(view) == player.network.explain(view)


# Any position


@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
def test_the_choice_is_that_of_a_plain_computation(architecture):
    player = random_player(architecture=architecture, hidden_sizes=(16, 16))
    tables = some_games(MIXED, count=4000)
    views, keys = tables.views(), tables.decision_keys(1)
    chosen, of_network = player.act_views(views, keys), player.network.act_views(views, keys)
    chances, values = player.head.outcomes(views, player.network), player.outcome_values(views)
    num_changed = num_kept = 0
    for i, view in enumerate(views):
        if np.isnan(values[i]).any():
            assert chosen[i] == of_network[i]
            continue
        legal = view["legal"] >> np.arange(len(ACTION_NAMES)) & 1 == 1
        wins = np.where(legal, chances[i].astype(np.float64) @ values[i], -1)
        best = int(wins.argmax())
        expected = best if wins[best] > wins[of_network[i]] + player.margin else of_network[i]
        assert chosen[i] == expected
        num_changed, num_kept = num_changed + (expected != of_network[i]), num_kept + (expected == of_network[i])
    assert min(num_changed, num_kept) > 20


def test_values_are_those_of_the_table_of_each_view():
    views, player = some_games(MIXED, count=4000).views(), random_player()
    values, num_found = player.outcome_values(views), 0
    for view, found in zip(views, values, strict=True):
        rules = HouseRules.unpacked(view["rules"])
        ours, theirs = view["needed"].tolist()
        target = max(rules.points_to_win, rules.win_by)
        if view["phase"] not in BIDDING_PHASES or min(ours, theirs) > player.limit or ours == theirs == target:
            assert np.isnan(found).all()
            continue
        we_deal = view["dealer"] % 2 == 0
        next_deals = np.full((1, len(found)), not we_deal)
        if rules.throw_in_dealer == "same":
            next_deals[0, THROWN_IN] = we_deal
        after = win_table(rules).probabilities_after(view["needed"][None], next_deals, points_of_outcomes(rules))
        np.testing.assert_array_equal(found, after[0])
        num_found += 1
    assert num_found > 100


def test_cards_and_lone_defences_are_as_the_network_plays_them():
    player, tables = random_player(), some_games(MIXED, count=2000)
    views, keys = tables.views(), tables.decision_keys(1)
    phases = views["phase"]
    assert set(phases.tolist()) > {DISCARD, DEFEND, PLAY}
    is_near_end = views["needed"].min(axis=1) <= player.limit
    is_changed = player.act_views(views, keys) != player.network.act_views(views, keys)
    assert np.all(is_near_end[is_changed])
    assert np.all(np.isin(phases[is_changed], BIDDING_PHASES))
    assert is_changed.sum() > 20
    assert np.sum(is_near_end & ~np.isin(phases, BIDDING_PHASES)) > 200


def test_away_from_the_end_it_plays_as_its_network():
    player = random_player()
    for tables in (some_decisions(), some_games("standard,points_to_win=99", steps=100)):
        views, keys = tables.views(), tables.decision_keys(1)
        assert views["needed"].min() > player.limit
        assert np.isnan(player.outcome_values(views)).all()
        np.testing.assert_array_equal(player.act_views(views, keys), player.network.act_views(views, keys))


def test_a_single_deal_is_played_for_points_also_where_few_points_win():
    player, rules = random_player(), "standard,points_to_win=2"
    tables = Tables(300, rules, seed=3)
    for _ in range(9):
        tables.step(tables.random_actions(3))
    views, keys = tables.views(), tables.decision_keys(1)
    np.testing.assert_array_equal(player.act_views(views, keys), player.network.act_views(views, keys))


def test_a_choice_does_not_depend_on_the_other_views_of_its_batch():
    player, tables = random_player(), some_games(MIXED)
    views, keys = tables.views(), tables.decision_keys(1)
    together = player.act_views(views, keys)
    assert np.any(together != player.network.act_views(views, keys))
    alone = [player.act_views(views[i : i + 1], keys[i : i + 1])[0] for i in range(len(views))]
    np.testing.assert_array_equal(alone, together)
    order = np.random.default_rng(0).permutation(len(views))
    np.testing.assert_array_equal(player.act_views(views[order], keys[order]), together[order])


def test_a_view_in_other_suits_has_the_same_choice_in_these_suits():
    player, tables = random_player(), some_games()
    views, keys, frames = tables.views(), tables.decision_keys(1), tables.frames
    chosen = player.act_views(views, keys)
    for i in range(len(views)):
        relabel_view(row(views, i), int(frames[i]))
    np.testing.assert_array_equal(player.act_views(views, keys), RELABELLED[frames, chosen])


def test_it_keeps_to_a_narrower_choice_than_the_rules_allow():
    player, tables = random_player(), some_games()
    views, keys = tables.views(), tables.decision_keys(1)
    chosen = player.act_views(views, keys)
    views["legal"] &= ~(1 << chosen)
    views, keys = views[views["legal"] != 0], keys[views["legal"] != 0]
    again = player.act_views(views, keys)
    assert len(views) > 200
    assert np.all(views["legal"] >> again & 1 == 1)


def test_where_the_network_knows_no_legal_action_the_key_draws_one():
    network = small_network(actions=ACTION_NAMES[:25])  # cards alone
    player = ScorePlayer(network, small_head(network))
    view = eldest_hand_at((9, 9))
    actions = player.act_views(np.repeat(view, 200), np.random.default_rng(0).integers(1 << 31, size=200))
    assert {ACTION_NAMES[action] for action in actions} == {"pass", "order up", "order up alone"}


def test_the_table_of_a_view_that_is_of_no_game_is_not_asked():
    player, views = random_player(), some_games().views()[:4]
    for i, needed in enumerate(((0, 3), (1, 127), (11, 2), (127, 127))):
        views["needed"][i] = needed
    assert np.isnan(player.outcome_values(views)).all()


# As a player


def test_a_match_of_single_deals_is_that_of_the_network_alone():
    network = small_network(scale=0.5)
    player = ScorePlayer(network, small_head(network), limit=4, margin=0.0)
    result = play_match(player, Passer(), deals=40, games=20, seed=2)
    alone = play_match(network, Passer(), deals=40, games=20, seed=2)
    assert result.reneges == (0, 0, 0, 0)
    np.testing.assert_array_equal(result.margins, alone.margins)
    assert result == play_match(player, Passer(), deals=40, games=20, seed=2, batch_size=3)


def test_a_copy_by_pickle_plays_the_same():
    player, tables = random_player(), some_games()
    views, keys = tables.views(), tables.decision_keys(1)
    copy = pickle.loads(pickle.dumps(player))
    np.testing.assert_array_equal(copy.act_views(views, keys), player.act_views(views, keys))


def test_the_head_of_another_network_is_refused():
    with pytest.raises(ValueError, match="the head was trained for other weights"):
        ScorePlayer(small_network(seed=1), small_head(small_network(seed=2)))
    with pytest.raises(ValueError, match="a last hidden layer of 24 units, not of this one with 37 and 16"):
        ScorePlayer(small_network(hidden_sizes=(16,)), small_head(small_network()))


def test_by_default_the_table_decides_where_few_points_are_needed():
    network = network_that_prefers("pass")
    player = ScorePlayer(network, fixed_head(network, {"order up": CERTAIN_POINT}, LOSS))
    assert (player.limit, player.margin) == (LIMIT, MARGIN)
    assert 1 <= LIMIT < parse_rules("standard").points_to_win
    assert choice_at(player, eldest_hand_at((9, 9))) == "order up"
