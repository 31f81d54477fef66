"""Players: the protocol, `act_rows`, explanations, and requirements that every player meets."""

import random
import re
from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np
import pytest
from support.hidden_worlds import redealt
from support.networks import small_network
from support.rules import EVERYTHING, RULE_SETS

from euchre_agents import Policy, RandomPolicy, RuleBot, act_rows, load
from euchre_agents.rule_bot.numbers import RULES
from euchre_agents.rule_bot.player import decide
from euchre_agents.rule_bot.reasons import MAY_NOT_DECLINE, NOTHING_TO_CALL, SENTENCES
from euchre_env.actions import NUM_ACTIONS, PASS_ID, actions_in
from euchre_env.cards import NO_CARD, NO_SUIT
from euchre_env.deal import PHASES, PLAY
from euchre_env.deal_text import deal_text
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.kernel import row
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, action_mask, encode
from euchre_env.relative_suits import RELABELLED
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_eval.match import play_match

pytestmark = pytest.mark.compiled  # thousands of decisions; the rule-based player's own tests run uncompiled too

ALL_RULES = list(RULE_SETS.values())
ALL_RULES_IDS = [*PRESETS, "lively"]
BUILT_IN = ("random", "passer", "easy", "rules", "rules_tuned", "tips", "pimc:2", "ppo")


def positions(rules, num_deals, seed=0) -> Iterator[tuple[Table, int]]:
    """The positions of some deals of random play, each a table and its seat to act."""
    rng = random.Random(seed)
    for number in range(num_deals):
        table = Table(rules, seed=seed, deal_number=number, dealer=number % 4, one_deal=True)
        while not table.is_over:
            yield table, int(table.deal.turn)
            legal = table.legal_actions()
            table.step(PASS_ID if PASS_ID in legal and rng.random() < 0.5 else rng.choice(legal))


def player_called(name, **more) -> Any:
    """`load(name)`, whose type promises no more than `act`."""
    return small_network(hidden_sizes=(8,)) if name == "network" else load(name, **more)


def all_rows(tables):
    return np.arange(len(tables))


# Every player


@pytest.mark.parametrize("name", [*BUILT_IN, "network"])
@pytest.mark.parametrize("rules", ALL_RULES, ids=ALL_RULES_IDS)
def test_no_choice_depends_on_cards_its_seat_cannot_see(name, rules):
    rng = random.Random(1)
    num_moved = 0
    for table, seat in positions(rules, num_deals=4):
        other = redealt(table, seat, rng)
        num_moved += other.deal.tobytes() != table.deal.tobytes()
        players = [player_called(name, seed=5) for _ in range(2)]  # with the same random numbers
        choices = [player.act(*t.observation(seat)) for player, t in zip(players, (table, other), strict=True)]
        assert choices[0] == choices[1]
    assert num_moved > 50


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("rules", ALL_RULES, ids=ALL_RULES_IDS)
def test_every_choice_is_legal_and_the_same_whatever_the_batch_size(name, rules):
    player, results = load(name, seed=1), []
    for num_tables in (1, 7, 60):
        tables = Tables(num_tables, rules, seed=4, num_episodes=60)
        ended = []
        while len(tables):
            ended.append(tables.step(act_rows(player, tables, all_rows(tables))))  # raises if one is not legal
        results.append(np.sort(np.concatenate(ended), order="episode"))
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("name", [*BUILT_IN, "network"])
def test_explanations_cover_legal_actions_and_probabilities_sum_to_one(name):
    player = player_called(name, seed=1)
    for table, seat in positions(EVERYTHING, num_deals=8):
        explanations = player.explain(table.view(seat))
        assert sorted(explanation.action for explanation in explanations) == table.legal_actions()
        probabilities = [explanation.probability for explanation in explanations]
        assert sum(probabilities) == pytest.approx(1)
        assert probabilities == sorted(probabilities, reverse=True)
        assert all(explanation.reason for explanation in explanations)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_player_is_asked_only_when_its_seat_is_to_act(name):
    table, player = Table(seed=1, dealer=0), player_called(name, seed=1)
    idle = table.view(3)
    with pytest.raises(ValueError, match="only when its seat is to act"):
        player.act(encode(idle), action_mask(idle))
    with pytest.raises(ValueError, match="only when its seat is to act"):
        player.explain(idle)


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_observation_of_another_shape_is_refused(name):
    with pytest.raises(ValueError, match=re.escape(f"shape ({OBSERVATION_SIZE},), not (5,)")):
        load(name, seed=1).act(np.zeros(5, np.int8), np.ones(NUM_ACTIONS, np.int8))


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_observation_that_no_view_has_is_refused(name):
    rng = np.random.default_rng(0)
    no_observations = (rng.random((500, OBSERVATION_SIZE)) < 0.3).astype(np.int8)
    no_observations[:, FIELDS["phase"].slice] = np.eye(len(PHASES), dtype=np.int8)[PLAY]
    no_observations[:, FIELDS["turn"].slice] = np.eye(4, dtype=np.int8)[0]
    observation, mask = Table(seed=1, dealer=3).observation(0)
    player = player_called(name, seed=1)
    for wrong in no_observations:
        with pytest.raises(ValueError, match="no view has the observation of row 1"):
            player.act_batch(np.stack([observation, wrong]), np.stack([mask, mask]))


def test_every_built_in_player_is_a_policy_with_a_name():
    for name in BUILT_IN:
        assert isinstance(load(name), Policy)
        assert player_called(name, seed=7).name == name


def test_a_player_with_random_choices_has_a_seed():
    for name in ("random", "passer", "easy", "rules", "tips"):
        assert player_called(name, seed=7).seed == 7
    assert player_called("random").seed != player_called("random").seed


def test_levels_for_people_are_other_names_of_players():
    assert [player_called(name).name for name in ("easy", "normal", "hard")] == ["easy", "rules", "ppo"]


# The player that passes


def test_passing_whenever_it_may_beats_random_play():
    """Random calls cost so many points that a win against `random` proves little."""
    result = play_match(load("passer", seed=1), load("random", seed=1), deals=4000, seed=3)
    assert abs(result.points_per_deal.mean - 0.85) < 4 * result.points_per_deal.se
    assert result.points_per_deal.se < 0.02


def test_the_passer_passes_in_every_auction_and_plays_any_card():
    passer = load("passer", seed=1)
    cards = set()
    for table, seat in positions(EVERYTHING, num_deals=30):
        legal = table.legal_actions()
        observation, mask = table.observation(seat)
        chosen = {passer.act(observation, mask) for _ in range(3)}
        assert chosen == {PASS_ID} if PASS_ID in legal else chosen <= set(legal)
        cards.add(len(chosen) > 1)
    assert cards == {False, True}


# The rule-based player


@pytest.mark.parametrize("rules", ALL_RULES, ids=ALL_RULES_IDS)
def test_the_rule_bot_chooses_from_an_observation_as_from_a_view(rules):
    bot = RuleBot(seed=0)
    tables = Tables(40, rules, seed=5, num_episodes=200)
    while len(tables):
        chosen = bot.act_views(tables.views(), tables.decision_keys(0))
        observations, masks = tables.observations()
        assert np.array_equal(bot.act_batch(observations, masks), chosen)
        assert bot.act(observations[-1], masks[-1]) == chosen[-1]
        tables.step(chosen)


def test_the_rule_bot_explains_what_it_chooses_and_no_rule_is_unused():
    bot, rules_fired = RuleBot(seed=0), set()
    for rules in (*ALL_RULES, HouseRules(stick_the_dealer=True, benny=True, defend_alone="always")):
        for table, seat in positions(rules, num_deals=150):
            view = table.view(seat)
            decision, (first, *others) = decide(view, row(RULES.packed())), bot.explain(view)
            rules_fired.add(decision.rule)
            assert (first.action, first.probability) == (decision.action, 1)
            assert all(other.probability == 0 for other in others)
            assert re.fullmatch(r"[A-Z][^{}]*\.", first.reason)
            assert not any(re.search(r"[{}]|no suit", other.reason) for other in others)
    assert rules_fired == set(SENTENCES) - {MAY_NOT_DECLINE, NOTHING_TO_CALL}  # these two take a narrower mask


def test_the_easy_level_makes_one_choice_in_ten_uniformly_at_random():
    easy, normal, anything = RuleBot("easy", seed=3), RuleBot(seed=3), RandomPolicy(seed=3)
    tables = Tables(2_000, "standard", seed=6, num_episodes=2_000, skip_forced=True)
    num_differing = expected = variance = 0.0
    while len(tables):
        rows = all_rows(tables)
        chosen, by_rule, by_chance = (act_rows(player, tables, rows) for player in (easy, normal, anything))
        differing = chosen != by_rule
        assert np.array_equal(chosen[differing], by_chance[differing])
        rates = 0.1 * (1 - 1 / np.bitwise_count(tables.legal_actions()))
        num_differing, expected = num_differing + differing.sum(), expected + rates.sum()
        variance += (rates * (1 - rates)).sum()
        tables.step(chosen)
    assert abs(num_differing - expected) < 4 * sqrt(variance)


def test_the_easy_level_says_how_likely_each_action_is():
    view = Table(seed=1, dealer=0).view(1)
    assert [e.probability for e in RuleBot("easy", seed=1).explain(view)] == pytest.approx(
        [0.9 + 0.1 / 3, 0.1 / 3, 0.1 / 3]
    )


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match=r"'easy', 'normal', not 'hard'"):
        RuleBot("hard")  # type: ignore[arg-type]  # what is tested


def test_the_random_player_chooses_each_legal_action_equally_often():
    view = Table(seed=1, dealer=0).view(1)
    player, num_choices = RandomPolicy(seed=1), 3_000
    observations, masks = (np.tile(array, (num_choices, 1)) for array in (encode(view), action_mask(view)))
    counts = np.bincount(player.act_batch(observations, masks), minlength=NUM_ACTIONS)
    legal = actions_in(view.legal)
    assert counts[legal].sum() == num_choices
    share = 1 / len(legal)
    assert np.all(abs(counts[legal] - num_choices * share) < 4 * sqrt(num_choices * share * (1 - share)))


def test_a_player_with_a_seed_repeats_its_choices():
    view = Table(seed=1, dealer=0).view(1)
    runs = [
        [player.act(encode(view), action_mask(view)) for _ in range(50)]
        for player in (RandomPolicy(9), RandomPolicy(9))
    ]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 3


# The seam: any policy at many tables


class LastLegal:
    """Answers the last legal action, and records its arguments."""

    def __init__(self, relative_suits=False):
        self.relative_suits, self.shown = relative_suits, []

    def act(self, observation, action_mask):
        self.shown.append(observation)
        return int(np.flatnonzero(action_mask)[-1])


class Answering:
    """Gives the same answer to every observation."""

    def __init__(self, answer, relative_suits=False):
        self.answer, self.relative_suits = answer, relative_suits

    def act(self, observation, action_mask):
        return self.answer


class AnsweringBatches(Answering):
    def act_batch(self, observations, action_masks):
        return self.answer(len(observations))


def test_a_policy_with_nothing_but_act_plays_many_tables():
    player, tables = LastLegal(), Tables(5, seed=1, num_episodes=20)
    while len(tables):
        rows = all_rows(tables)[::-1]
        legal = tables.legal_actions(rows)
        assert act_rows(player, tables, rows).tolist() == [actions_in(bits)[-1] for bits in legal]
        tables.step(act_rows(player, tables, all_rows(tables)))


def test_a_policy_in_relative_suits_sees_and_answers_with_trump_as_suit_0():
    player, tables = LastLegal(relative_suits=True), Tables(30, seed=2, num_episodes=60)
    trump_field = FIELDS["trump"].slice
    differing = 0
    while len(tables):
        player.shown.clear()
        rows = all_rows(tables)[::-1]
        chosen = act_rows(player, tables, rows)
        for view, action, shown in zip(tables.views(rows), chosen, player.shown, strict=True):
            frame = view["trump"] if view["trump"] != NO_SUIT else view["upcard"] // 6
            relative_legal = [RELABELLED[frame, a] for a in actions_in(view["legal"])]
            assert RELABELLED[frame, action] == max(relative_legal)
            assert shown[trump_field].tolist() in ([0, 0, 0, 0], [1, 0, 0, 0])
            differing += action != max(actions_in(view["legal"]))
        tables.step(chosen[::-1])
    assert differing > 0


def test_act_batch_is_asked_instead_of_act():
    tables = Tables(3, seed=1)
    player = AnsweringBatches(lambda n: list(range(PASS_ID, PASS_ID + n)))
    assert act_rows(player, tables, all_rows(tables)).tolist() == [PASS_ID, PASS_ID + 1, PASS_ID + 2]


@pytest.mark.parametrize("relative_suits", [False, True])
@pytest.mark.parametrize("answer", [-1, NUM_ACTIONS, NO_CARD, 2**40])
def test_a_number_that_is_no_legal_action_comes_back_as_it_is(answer, relative_suits):
    tables = Tables(3, seed=1)
    assert act_rows(Answering(answer, relative_suits), tables, all_rows(tables)).tolist() == [answer] * 3


@pytest.mark.parametrize("answer", [None, 25.0, "pass", True, [25]])
def test_an_answer_that_is_no_whole_number_is_a_type_error(answer):
    with pytest.raises(TypeError, match="must be a whole number, not"):
        act_rows(Answering(answer), Tables(3, seed=1), np.arange(3))


@pytest.mark.parametrize("answer", [10**30, 2**64 - 1, np.uint64(2**64 - 1), -(2**63) - 1])
def test_a_whole_number_too_large_for_an_action_is_said_as_it_is(answer):
    with pytest.raises(ValueError, match=f"{int(answer)}.* is no action id"):
        act_rows(Answering(answer), Tables(3, seed=1), np.arange(3))
    with pytest.raises(ValueError, match=f"{int(answer)}.* is no action id"):
        act_rows(AnsweringBatches(lambda n: [answer] * n), Tables(3, seed=1), np.arange(3))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.uint64, object])
def test_a_batch_of_answers_may_be_of_any_whole_number_type(dtype):
    player = AnsweringBatches(lambda n: np.full(n, PASS_ID).astype(dtype))
    actions = act_rows(player, Tables(3, seed=1), np.arange(3))
    assert (actions.tolist(), actions.dtype) == ([PASS_ID] * 3, np.int64)


def test_act_views_is_asked_instead_of_act_batch_with_the_seed_given():
    class FromViews(AnsweringBatches):
        def act_views(self, views, keys):
            return keys

    tables = Tables(3, seed=1)
    player = FromViews(answer=None)
    assert act_rows(player, tables, all_rows(tables), seed=7).tolist() == tables.decision_keys(7).tolist()
    assert act_rows(player, tables, all_rows(tables)).tolist() == tables.decision_keys(0).tolist()
    player.seed = 5  # type: ignore[attr-defined]  # its own
    assert act_rows(player, tables, all_rows(tables)).tolist() == tables.decision_keys(5).tolist()


def test_a_batch_of_answers_must_be_one_whole_number_for_each_row():
    tables = Tables(3, seed=1)
    with pytest.raises(ValueError, match=re.escape("answers of shape (3,), not (4,)")):
        act_rows(AnsweringBatches(lambda n: np.zeros(n + 1, np.int64)), tables, all_rows(tables))
    with pytest.raises(TypeError, match=r"must be a whole number, not .*0\.0"):
        act_rows(AnsweringBatches(np.zeros), tables, all_rows(tables))


def test_what_a_policy_raises_passes_through():
    with pytest.raises(ZeroDivisionError):
        act_rows(AnsweringBatches(lambda n: n // 0), Tables(3, seed=1), np.arange(3))


@pytest.mark.parametrize("name", ["random", "passer", "easy", "rules", "tips", "ppo"])
def test_keys_that_are_not_one_for_each_view_are_refused(name):
    views = Tables(30, seed=1).views()
    player: Any = load(name, 1)
    for keys in (np.zeros(29, np.int64), np.zeros(31, np.int64), np.zeros(30), np.zeros((30, 1), np.int64), [0] * 30):
        with pytest.raises(ValueError, match=r"keys must be int64, shape \(30,\), one for each view"):
            player.act_views(views, keys)


@pytest.mark.parametrize("name", ["random", "passer", "easy", "rules", "tips", "ppo"])
def test_a_row_of_a_batch_of_views_is_explained_like_a_view(name):
    table = Table(seed=1, one_deal=True)
    player: Any = load(name, 1)
    tables = Tables(positions=[deal_text(table)])
    assert player.explain(tables.views()[0]) == player.explain(table.view())
    with pytest.raises(ValueError, match="a view must be a record of dtype VIEW"):
        player.explain(tables.views())
