"""Who can sit down: the protocol, the names, the seam to the tables, and what every player keeps to."""

import random
import re
from collections.abc import Iterator
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest
from support.hidden_worlds import redealt

from euchre_agents import Policy, RandomPolicy, RuleBot, act_rows, load
from euchre_agents.network import NetworkPolicy
from euchre_agents.network_card import NetworkCard
from euchre_agents.rule_bot import decide
from euchre_agents.rule_bot.reasons import SENTENCES
from euchre_env.actions import NUM_ACTIONS, PASS_ID, actions_in
from euchre_env.cards import NO_CARD, NO_SUIT
from euchre_env.deal import PHASES, PLAY
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, action_mask, encode
from euchre_env.relative_suits import RELABELLED, frame_of, relabel_view
from euchre_env.table import Table
from euchre_env.tables import Tables

pytestmark = pytest.mark.compiled  # thousands of decisions; the rule-based player's own tests run uncompiled too

LIVELY = HouseRules(defend_alone="always", dealer_sits_out_exchange=True, benny=True, canadian_loner="any_call")
ALL_RULES = [*PRESETS.values(), LIVELY]
ALL_RULES_IDS = [*PRESETS, "lively"]
BUILT_IN = ("random", "rules", "easy")


def untrained_network():
    rng = np.random.default_rng(0)
    sizes = (OBSERVATION_SIZE, 8, NUM_ACTIONS)
    weights = tuple(rng.normal(size=shape).astype(np.float32) for shape in pairwise(sizes))
    biases = tuple(np.zeros(size, np.float32) for size in sizes[1:])
    return NetworkPolicy(NetworkCard(OBSERVATION_SIZE, (8,), "standard"), weights, biases)


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
    return untrained_network() if name == "network" else load(name, **more)


def all_rows(tables):
    return np.arange(len(tables))


def as_act_batch(player, table, seat):
    """What `player` answers to what the environment shows `seat`, in absolute suits."""
    view = table.view(seat)
    frame = int(frame_of(view)) if getattr(player, "relative_suits", False) else 0
    relabel_view(view, frame)
    return int(RELABELLED[frame, player.act(encode(view), action_mask(view))])


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
        choices = [as_act_batch(player, t, seat) for player, t in zip(players, (table, other), strict=True)]
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
    for table, seat in positions(LIVELY, num_deals=8):
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
    for wrong in no_observations:
        with pytest.raises(ValueError, match="no view has the observation of row 1"):
            player_called(name, seed=1).act_batch(np.stack([observation, wrong]), np.stack([mask, mask]))


def test_every_built_in_player_is_a_policy_with_a_name():
    for name in (*BUILT_IN, "ppo"):
        assert isinstance(load(name), Policy)
        assert player_called(name, seed=7).name == name


def test_a_player_with_random_choices_has_a_seed():
    assert [player_called(name, seed=7).seed for name in BUILT_IN] == [7] * 3
    assert player_called("random").seed != player_called("random").seed


def test_levels_for_people_are_other_names_of_players():
    assert [player_called(name).name for name in ("easy", "normal", "hard")] == ["easy", "rules", "ppo"]


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


def test_the_rule_bot_explains_what_it_chooses_and_leaves_no_rule_unused():
    bot, rules_fired = RuleBot(seed=0), set()
    for rules in (*ALL_RULES, HouseRules(stick_the_dealer=True, benny=True, defend_alone="always")):
        for table, seat in positions(rules, num_deals=150):
            view = table.view(seat)
            decision, (first, *others) = decide(view), bot.explain(view)
            rules_fired.add(decision.rule)
            assert (first.action, first.probability) == (decision.action, 1)
            assert all(other.probability == 0 for other in others)
            assert re.fullmatch(r"[A-Z][^{}]*\.", first.reason)
            assert not any(re.search(r"[{}]|no suit", other.reason) for other in others)
    assert rules_fired == set(SENTENCES)


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
    """Answers the last legal action; remembers what it was shown."""

    def __init__(self, relative_suits=False):
        self.relative_suits, self.shown = relative_suits, []

    def act(self, observation, action_mask):
        self.shown.append(observation)
        return int(np.flatnonzero(action_mask)[-1])


class Answering:
    """Answers the same whatever it is shown."""

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


def test_a_batch_of_answers_must_be_one_whole_number_for_each_row():
    tables = Tables(3, seed=1)
    with pytest.raises(ValueError, match=re.escape("answers of shape (3,), not (4,)")):
        act_rows(AnsweringBatches(lambda n: np.zeros(n + 1, np.int64)), tables, all_rows(tables))
    with pytest.raises(TypeError, match="whole numbers, not float64"):
        act_rows(AnsweringBatches(np.zeros), tables, all_rows(tables))


def test_what_a_policy_raises_passes_through():
    with pytest.raises(ZeroDivisionError):
        act_rows(AnsweringBatches(lambda n: n // 0), Tables(3, seed=1), np.arange(3))


# Names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rulse", "unknown player 'rulse'; did you mean 'rules'?; players: random, rules, easy"),
        ("runs/absent", "unknown player 'runs/absent'; players:"),
        ("no_such_module:Bot", "there is no module 'no_such_module' on the path of Python"),
        ("euchre_agents:RuleBott", "no 'RuleBott' in euchre_agents; did you mean 'RuleBot'?"),
        ("euchre_agents:load_nothing", "no 'load_nothing' in euchre_agents"),
        (":Bot", "'' is not the name of a module"),
        ("euchre_env.house_rules:HouseRules", "has no method act(observation, action_mask)"),
    ],
)
def test_a_player_that_is_not_there_is_refused_with_what_would_do(name, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        load(name)


def test_a_seed_or_rules_that_are_none_are_refused():
    with pytest.raises(ValueError, match="seed must be a whole number"):
        load("random", seed=-1)
    with pytest.raises(ValueError, match="did you mean 'pagat'"):
        load("random", rules="pagta")


@pytest.fixture
def module_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "my_players.py").write_text(
        """
class Bare:
    def act(self, observation, action_mask):
        return int(action_mask.argmax())

class Seeded(Bare):
    def __init__(self, seed, rules=None):
        self.seed, self.rules = seed, rules

ready_made = Bare()
"""
    )
    (tmp_path / "my_broken_players.py").write_text("import a_module_that_is_not_installed")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("module_of_ones_own")
def test_a_class_of_ones_own_is_made_with_the_seed_and_rules_it_asks_for():
    assert load("my_players:Bare", seed=3).act(np.zeros(1), np.array([0, 1])) == 1
    player = player_called("my_players:Seeded", seed=3, rules="pagat")
    assert (player.seed, player.rules) == (3, PRESETS["pagat"])
    assert load("my_players:ready_made") is load("my_players:ready_made")


@pytest.mark.usefixtures("module_of_ones_own")
def test_what_goes_wrong_inside_a_module_of_ones_own_passes_through():
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_installed"):
        load("my_broken_players:Bot")


def test_a_run_folder_or_its_weights_are_a_player_named_after_the_folder(tmp_path):
    folder = tmp_path / "best"
    folder.mkdir()
    network = untrained_network()
    network.save(folder)
    view = Table(seed=1, dealer=0).view(1)
    relabel_view(view, int(frame_of(view)))
    for path in (folder, folder / "policy.safetensors"):
        player = player_called(str(path))
        assert player.name == "best"
        assert player.act(encode(view), action_mask(view)) == network.act(encode(view), action_mask(view))


def test_a_folder_without_a_network_is_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no network"):
        load(str(tmp_path))
