"""Values of actions for any player over worlds that it plays out, and the likelihoods of worlds."""

import sys
import threading
from typing import Any

import numpy as np
import pytest
from support.networks import small_network
from support.players import Answers
from support.rules import EVERY_RULE

from euchre_agents import RuleBot, load
from euchre_agents.command_player import CommandPlayer
from euchre_agents.line_process import LineProcess
from euchre_agents.search import value
from euchre_agents.search.drawn_worlds import draw_worlds
from euchre_agents.search.likelihoods import log_likelihoods
from euchre_agents.search.values import points_by_world
from euchre_env.actions import NUM_ACTIONS, PASS_ID, actions_in
from euchre_env.deal import DEAL, OVER, PLAY
from euchre_env.deal_text import actions_so_far, table_of_deal
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import as_records, records, row
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import ME, batch_of
from euchre_env.worlds import count_worlds, lay_world_of, numbered_worlds, sample_worlds

pytestmark = pytest.mark.compiled  # thousands of played deals

NO_KEY = np.zeros(1, np.int64)


def views_of(rules, num_deals, seed=1):
    """Views and keys of the decisions of random play."""
    tables, views, keys = Tables(num_deals, rules, seed=seed, num_episodes=num_deals), [], []
    while len(tables):
        views.append(tables.views())
        keys.append(tables.decision_keys(1))
        passes = (tables.legal_actions() >> PASS_ID & 1 == 1) & (keys[-1] % 4 > 0)
        tables.step(np.where(passes, PASS_ID, tables.random_actions(2)))
    return as_records(np.concatenate(views)), np.concatenate(keys)


def played_out(world, rules, action, player):
    """The points of team 0 less those of team 1 after `action`, the rest of the deal played by `player`."""
    tables = Tables(positions=np.array([world]), rules=rules)
    results = tables.step(np.array([action]))
    while len(tables):
        results = tables.step(player.act_views(tables.views(), NO_KEY))
    return int(results["points"][0, 0] - results["points"][0, 1])


# Values


@pytest.mark.parametrize("rules", EVERY_RULE, ids=str)
def test_an_action_is_worth_its_mean_points_over_worlds_played_out(rules):
    views, _ = views_of(rules, 3)
    player = RuleBot(seed=0)
    for i in range(0, len(views), 5):
        values = value(views[i], player, 6, key=3)
        assert list(values) == actions_in(int(views["legal"][i]))
        count = int(count_worlds(views[i])[0])
        worlds = sample_worlds(views[i], 6, 3) if count > 6 else numbered_worlds(views[i], range(count))
        for action, (points, se) in values.items():
            expected = [played_out(world, worlds.rules[0], action, player) for world in worlds.games()]
            assert points == pytest.approx(np.mean(expected))
            assert se == pytest.approx(np.std(expected, ddof=1) / 6**0.5 if count > 6 else 0)


def view_of_few_worlds():
    """A view with a choice that is late in its deal, and the number of its worlds."""
    views, _ = views_of("standard", 8)
    counts = np.where(np.bitwise_count(views["legal"]) > 1, count_worlds(views), np.iinfo(np.int64).max)
    place = int(np.where(counts > 10, counts, counts.max()).argmin())
    assert counts[place] < 1000
    return views[place], int(counts[place])


@pytest.mark.parametrize(
    ("name", "is_exact"),
    [("rules", True), ("ppo", True), ("ppo:points", True), ("random", False), ("easy", False), ("ppo:sampled", False)],
)
def test_all_worlds_leave_no_error_only_to_a_player_that_draws_nothing(name, is_exact):
    view, count = view_of_few_worlds()
    likelihoods = small_network()
    for values in (
        value(view, load(name, seed=0), count),
        value(view, load(name, seed=0), count, likelihoods=likelihoods),
    ):
        assert any(se > 0 for _, se in values.values()) == (not is_exact)
    assert any(se > 0 for _, se in value(view, load(name, seed=0), count - 1).values())


def test_points_by_world_are_what_values_are_the_means_of():
    view, network = Table("standard", seed=5, dealer=3).view(), small_network()
    points, log_weights, chances = points_by_world(view, network, 30, 7, network)
    weights = np.exp(log_weights) / np.exp(log_weights).sum()
    assert chances.tolist() == [1] * 30
    for column, (action, (mean, _)) in enumerate(value(view, network, 30, 7, likelihoods=network).items()):
        assert action == actions_in(int(view["legal"]))[column]
        assert mean == pytest.approx(weights @ points[:, column])


class Observing:
    """Answers as a network does, but from observations; it counts how often it is asked, so it is not stateless."""

    name = "observing"

    def __init__(self, network, relative):
        self.network, self.relative_suits, self.num_asked = network, relative, 0

    def act(self, observation, mask):
        self.num_asked += 1
        return self.network.act(observation, mask)


class ObservingBatches(Observing):
    """The same, with a method for batches."""

    def act(self, observation, mask):
        raise AssertionError("act_batch is called instead")

    def act_batch(self, observations, masks):
        self.num_asked += len(observations)
        return self.network.act_batch(observations, masks)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("kind", [Observing, ObservingBatches])
def test_a_player_that_sees_observations_has_the_same_values(kind, relative):
    network = small_network()
    observing = kind(network, relative)
    views, _ = views_of("british", 2)
    for i in range(0, len(views), 6):
        expected = value(views[i], network, 5)
        assert {a: points for a, (points, _) in value(views[i], observing, 5).items()} == {
            a: points for a, (points, _) in expected.items()
        }
    assert observing.num_asked == 0  # a copy was asked


class Noting:
    """Answers views as the rule-based player, but for one phase if wished; it notes what its copies are told."""

    name = "noting"

    def __init__(self, told, answer=PASS_ID, phase=OVER):
        self.told, self.answer, self.phase, self.is_copy = told, answer, phase, False

    def fresh(self):
        made = Noting(self.told, self.answer, self.phase)
        made.is_copy = True
        return made

    def reset(self, seat, seed):
        self.told.append(("reset", seat, seed))

    def act(self, observation, action_mask) -> int:
        raise AssertionError("act_views is called instead")

    def act_views(self, views, keys):
        assert self.is_copy
        self.told.append("act")
        actions = RuleBot(seed=0).act_views(views, keys)
        return np.where(views["phase"] == self.phase, self.answer, actions)

    def close(self):
        self.told.append("close")


def test_a_copy_of_a_player_with_memory_is_told_of_its_deal_and_closed():
    told, view = list[Any](), Table("standard", seed=5, dealer=3).view()
    expected = value(view, RuleBot(seed=0), 4, key=3)
    assert value(view, Noting(told), 4, key=3) == expected
    assert (told[0], told[-1], set(told[1:-1])) == (("reset", 0, 3), "close", {"act"})


def test_a_copy_is_closed_after_an_error_too():
    told = list[Any]()
    with pytest.raises(ValueError, match="'noting' answers 'pass' in PLAY, which is not legal there"):
        value(Table("standard", seed=5, dealer=3).view(), Noting(told, answer=PASS_ID, phase=PLAY), 4)
    assert told[-1] == "close"


BOT = """
import json, sys
has_deal = False
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('"ready"', flush=True)
    elif message["type"] == "deal":
        has_deal = True
    elif message["type"] == "decision":
        assert has_deal
        print(message["legal_ids"][0], flush=True)
"""


def test_a_program_is_told_of_the_deal_and_its_process_ends(tmp_path, monkeypatch):
    script, closed, close = tmp_path / "bot.py", [], LineProcess.close
    script.write_text(BOT)
    monkeypatch.setattr(LineProcess, "close", lambda self: (closed.append(self), close(self))[1])
    program = CommandPlayer([sys.executable, "-S", str(script)])
    first = Answers(lambda observation, mask: int(np.argmax(mask)))
    view = Table("standard", seed=5, dealer=3).view()
    assert value(view, program, 2) == value(view, first, 2)
    assert len(closed) == 1


def test_a_player_that_cannot_be_copied_is_named():
    player = Answers(lambda observation, mask: 0)
    player.lock = threading.Lock()  # type: ignore[attr-defined]  # which cannot be copied
    with pytest.raises(ValueError, match=r"'Answers' is not stateless, .* copying it failed: .*a method fresh\(\)"):
        value(Table("standard", seed=5, dealer=3).view(), player, 2)


def test_players_that_see_all_cards_or_play_illegally_are_refused():
    view = Table("standard", seed=5, dealer=3).view()
    with pytest.raises(ValueError, match="player 'oracle' sees all cards"):
        value(view, load("oracle"))
    with pytest.raises(ValueError, match=r"player 'Answers' answers 'pass' in [A-Z]+, which is not legal there"):
        value(view, Answers(lambda observation, mask: PASS_ID), 4)
    with pytest.raises(TypeError, match="has no method act"):
        value(view, object())  # type: ignore[arg-type]  # what is tested
    for num_worlds, key, wrong in ((0, 0, "num_worlds"), (10_001, 0, "num_worlds"), (4, -1, "key"), (4, 2**31, "key")):
        with pytest.raises(ValueError, match=f"{wrong} must be"):
            value(view, RuleBot(), num_worlds, key)
    with pytest.raises(ValueError, match="only when its seat is to act"):
        value(Table("standard", seed=5, dealer=3).view(2), RuleBot())


# Likelihoods


class Uneven:
    """Gives the first legal action of a view probability 0.7, and each other one an equal share of the rest."""

    def probabilities(self, views):
        out = np.zeros((len(views), NUM_ACTIONS), np.float32)
        for i, legal in enumerate(map(actions_in, views["legal"].tolist())):
            out[i, legal] = 0.3 / max(len(legal) - 1, 1)
            out[i, legal[0]] = 0.7
        return out


def weight_by_replay(world, rules, policy, floor):
    """The product of the probabilities of what seats 1 to 3 have done, by replay on a table."""
    table, weight = table_of_deal(world, parse_rules(rules), 0), 1.0
    for action in actions_so_far(world):
        if table.turn != ME and len(table.legal_actions()) > 1:
            weight *= max(policy.probabilities(batch_of(table.view()))[0, action], floor)
        table.step(action)
    return weight


@pytest.mark.parametrize("rules", EVERY_RULE, ids=str)
def test_a_world_has_the_probability_of_what_the_hidden_seats_did(rules):
    views, keys = views_of(rules, 3)
    chosen = np.arange(0, len(views), 4)
    some, policy = as_records(views[chosen]), Uneven()
    worlds = draw_worlds(some, 5, keys[chosen])
    found = log_likelihoods(some, worlds, policy, floor=0.1)
    assert np.array_equal(np.isneginf(found), np.arange(5) >= worlds.counts[:, np.newaxis])
    for i in range(len(some)):
        deals = records(5, DEAL)
        for n in range(worlds.counts[i]):
            lay_world_of(row(some, i), worlds.hidden[i, n], row(deals, n))
        expected = [weight_by_replay(row(deals, n), rules, policy, 0.1) for n in range(worlds.counts[i])]
        np.testing.assert_allclose(np.exp(found[i, : worlds.counts[i]]), expected, rtol=1e-5)


def test_values_are_weighted_by_a_network():
    network = small_network()
    late, count = view_of_few_worlds()
    worlds = numbered_worlds(late, range(count))
    weights = [weight_by_replay(row(worlds.deals()[0], n), "standard", network, 0.05) for n in range(count)]
    assert max(weights) > 2 * min(weights)
    for action, (points, se) in value(late, network, count, likelihoods=network).items():
        tables = Tables(positions=worlds.games(), rules=worlds.rules)
        ended = [tables.step(np.full(count, action))]
        while len(tables):
            ended.append(tables.step(network.act_views(tables.views(), np.zeros(len(tables), np.int64))))
        both = np.sort(np.concatenate(ended), order="episode")["points"]
        assert points == pytest.approx(np.average(both[:, 0] - both[:, 1], weights=weights))
        assert se == 0
