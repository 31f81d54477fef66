"""Every built-in player keeps to a mask that allows less than the rules, and refuses invalid observations."""

import re
from typing import Any

import numpy as np
import pytest
from support.networks import small_network
from support.rule_bot_choices import card_set, view_in_trick
from support.tables import play, table_with

from euchre_agents import RuleBot, ViewPolicy, load
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS, PASS_ID, parse_action
from euchre_env.cards import parse_card
from euchre_env.deal import OVER, PLAY
from euchre_env.kernel import as_records, row
from euchre_env.observation import FIELDS
from euchre_env.tables import Tables

pytestmark = pytest.mark.compiled  # thousands of decisions

RULES = (
    "standard",
    "midwest",
    "canadian,canadian_loner=any_call",
    "british,defend_alone=always,dealer_sits_out_exchange=true",
)
PLAYERS = ("random", "passer", "easy", "rules", "rules_tuned", "tips", "pimc:2", "ppo", "network")
FIXED_CHOICES = ("passer", "rules", "rules_tuned", "tips", "pimc:2", "ppo", "network")


def player_called(name) -> ViewPolicy:
    return small_network() if name == "network" else load(name, seed=3)  # type: ignore[return-value]  # a built-in name


class Positions:
    """The positions of seeded deals under all of `RULES`, in every phase, and each with a random key."""

    def __init__(self):
        tables = Tables(300, RULES, seed=8, num_episodes=300)
        steps = []
        while len(tables):
            keys = tables.decision_keys(1)
            relative = tables.observations(relative_suits=True)
            steps.append((tables.views(), keys, *tables.observations(), *relative))
            passes = (tables.legal_actions() >> PASS_ID & 1 == 1) & (keys % 4 > 0)
            tables.step(np.where(passes, PASS_ID, tables.random_actions(2)))
        views, self.keys, self.observations, self.masks, *relative = map(np.concatenate, zip(*steps, strict=True))
        self.views: Any = as_records(views)
        self.in_relative_suits = relative

    def narrowed(self, keep_one):
        """Each position once for each of its legal actions: with that action alone, or with all others.

        Returns the indices of the positions, the actions and the masks.
        """
        index, action = np.nonzero(self.masks)
        masks = np.zeros((len(index), NUM_ACTIONS), np.int8) if keep_one else self.masks[index]
        masks[np.arange(len(index)), action] = keep_one
        some = masks.any(axis=1)
        return index[some], action[some], masks[some]


@pytest.fixture(scope="module")
def positions():
    return Positions()


def act_views(player, positions, index, masks):
    """The choices of `player` at views whose legal actions are those of `masks`."""
    views = as_records(np.array(positions.views)[index])
    views["legal"] = bits_of(masks)
    return player.act_views(views, positions.keys[index])


def bits_of(masks):
    """Each mask as an action set."""
    return masks.astype(np.int64) @ (1 << np.arange(NUM_ACTIONS, dtype=np.int64))


def test_the_positions_are_of_every_phase(positions):
    phases, counts = np.unique(positions.views["phase"], return_counts=True)
    assert phases.tolist() == list(range(OVER))
    assert counts.min() >= 3


@pytest.mark.parametrize("name", PLAYERS)
def test_a_forbidden_action_is_never_chosen(name, positions):
    index, forbidden, masks = positions.narrowed(keep_one=False)
    player = player_called(name)
    for chosen in (
        player.act_batch(positions.observations[index], masks),
        act_views(player, positions, index, masks),
    ):
        assert np.all(masks[np.arange(len(index)), chosen] == 1)
        assert np.all(chosen != forbidden)


@pytest.mark.parametrize("name", PLAYERS)
def test_the_only_action_allowed_is_chosen(name, positions):
    index, allowed, masks = positions.narrowed(keep_one=True)
    player = player_called(name)
    assert np.array_equal(player.act_batch(positions.observations[index], masks), allowed)
    assert np.array_equal(act_views(player, positions, index, masks), allowed)


@pytest.mark.parametrize("name", FIXED_CHOICES)
def test_forbidding_another_action_than_the_chosen_one_changes_nothing(name, positions):
    index, forbidden, masks = positions.narrowed(keep_one=False)
    player = player_called(name)
    chosen = act_views(player, positions, np.arange(len(positions.views)), positions.masks)[index]
    if name == "passer":  # elsewhere it draws from what is left
        is_fixed = chosen == PASS_ID
        index, forbidden, masks, chosen = index[is_fixed], forbidden[is_fixed], masks[is_fixed], chosen[is_fixed]
    others = forbidden != chosen
    assert others.sum() > 100
    assert np.array_equal(act_views(player, positions, index, masks)[others], chosen[others])


@pytest.mark.parametrize("name", PLAYERS)
def test_masks_are_respected_in_relative_suits(name, positions):
    player, (observations, all_masks) = player_called(name), positions.in_relative_suits
    masks = all_masks.copy()
    while len(rows := np.flatnonzero(masks.any(axis=1))):
        chosen = player.act_batch(observations[rows], masks[rows])
        assert np.all(masks[rows, chosen] == 1)
        masks[rows, chosen] = 0


@pytest.mark.parametrize("name", PLAYERS)
def test_an_explanation_covers_what_is_allowed_and_no_more(name, positions):
    index, _, masks = positions.narrowed(keep_one=False)
    player, rng = player_called(name), np.random.default_rng(0)
    few = rng.permutation(len(index))[:250]
    rare = np.flatnonzero(positions.views["phase"][index] != PLAY)[:250]
    for i in np.concatenate([few, rare]):
        views = as_records(np.array(positions.views)[index[i : i + 1]])
        views["legal"] = bits_of(masks[i : i + 1])
        explanations = player.explain(row(views))
        assert sorted(e.action for e in explanations) == np.flatnonzero(masks[i]).tolist()
        assert sum(e.probability for e in explanations) == pytest.approx(1, abs=1e-5)
        assert all(re.fullmatch(r"[A-Z][^{}]*\.", e.reason) for e in explanations)
        if name in ("rules", "ppo", "network"):
            assert explanations[0].action == act_views(player, positions, index[i : i + 1], masks[i : i + 1])[0]


# What is refused, by all players alike


@pytest.mark.parametrize("name", PLAYERS)
def test_a_mask_without_a_legal_action_is_refused(name, positions):
    player = player_called(name)
    for i in range(0, len(positions.views), 97):
        for mask in (0 * positions.masks[i], 1 - positions.masks[i]):
            with pytest.raises(ValueError, match="the action mask of row 0 allows none of the legal actions"):
                player.act(positions.observations[i], mask)


@pytest.mark.parametrize("name", PLAYERS)
def test_an_observation_may_be_a_list_or_another_kind_of_number(name, positions):
    index, _, masks = positions.narrowed(keep_one=True)
    player = player_called(name)
    for i in (0, len(index) // 2, len(index) - 1):
        observation, mask = positions.observations[index[i]], masks[i]
        expected = int(np.argmax(mask))
        assert player.act(observation.tolist(), mask.tolist()) == expected
        for dtype in (bool, np.uint8, np.int64, np.float32, np.float64):
            assert player.act(observation.astype(dtype), mask.astype(dtype)) == expected


@pytest.mark.parametrize("name", PLAYERS)
def test_invalid_observations_are_refused(name, positions):
    player, observation, mask = player_called(name), positions.observations[0], positions.masks[0]
    for wrong, message in (
        (0 * observation, "no view has the observation of row 0"),
        (2 * observation, "no view has the observation of row 0"),
        (1 - observation, "no view has the observation of row 0"),
        (np.full(len(observation), np.nan), "observation must be 0 and 1"),
        (np.where(observation, np.inf, 0), "observation must be 0 and 1"),
        (observation + 0.5, "observation must be 0 and 1"),
        (observation.astype(np.int64) + 256, "observation must be 0 and 1"),
        (observation.astype(str), "observation must be 0 and 1"),
        ([None] * len(observation), "observation must be 0 and 1"),
        (None, "observation must have shape"),
        (observation[:-1], "observation must have shape"),
        (observation[np.newaxis], "observation must have shape"),
    ):
        with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=message):
            player.act(wrong, mask)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ValueError, match="action mask must be 0 and 1"):
        player.act(observation, np.full(NUM_ACTIONS, np.nan))
    with pytest.raises(ValueError, match=r"observations must have shape \(n, 575\), not \(575,\)"):
        player.act_batch(observation, mask)
    with pytest.raises(ValueError, match="as many action masks as observations"):
        player.act_batch(observation[np.newaxis], np.stack([mask, mask]))


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("field", ["upcard", "dealer", "trump", "leaders", "turn"])
def test_an_observation_without_a_fact_that_every_choice_needs_is_refused(name, field, positions):
    """Kernels look cards and suits up in tables and do not check where they read."""
    player = player_called(name)
    in_play = np.flatnonzero(positions.views["phase"] == PLAY)
    for i in in_play[:: len(in_play) // 40]:
        observation = positions.observations[i].copy()
        observation[FIELDS[field].slice] = 0
        with pytest.raises(ValueError, match=r"no view has the observation|only when its seat is to act"):
            player.act(observation, positions.masks[i])


# What the rule-based player does instead


def choice_without(table, *forbidden):
    """The name of what the rule-based player chooses with some actions forbidden, and its reason."""
    views = as_records(np.array([table.view()]))
    for name in forbidden:
        views["legal"] &= ~(1 << parse_action(name))
    best = RuleBot().explain(row(views))[0]
    assert best.action == RuleBot().act_views(views, np.zeros(1, np.int64))[0]
    return ACTION_NAMES[best.action], best.reason


def test_a_lone_hand_that_may_not_go_alone_calls_with_its_partner():
    table = table_with(["", "JS AS KS AH AD", "", ""], upcard="9S")
    assert choice_without(table)[0] == "order up alone"
    assert choice_without(table, "order up alone")[0] == "order up"
    assert choice_without(table, "order up")[0] == "order up alone"


def test_a_bidder_that_may_not_pass_makes_its_best_call():
    weak = ["", "9C TC QD KD 9H", "", ""]
    first = table_with(weak, upcard="9S")
    assert choice_without(first)[0] == "pass"
    assert choice_without(first, "pass")[0] == "order up"
    assert choice_without(first, "pass", "order up")[0] == "order up alone"
    second = play(table_with(weak, upcard="9S"), "pass,pass,pass,pass")
    assert choice_without(second, "pass") == (
        "name diamonds",
        "It may not pass, and its best count is 3.7, for diamonds.",
    )
    assert choice_without(second, "pass", "name diamonds", "name diamonds alone")[0] == "name clubs"


def test_a_bidder_that_may_not_call_passes_and_says_why():
    table = table_with(["", "JS AS KS AH AD", "", ""], upcard="9S")
    assert choice_without(table, "order up", "order up alone") == ("pass", "The action mask allows no call.")


def test_a_defender_that_may_not_decline_defends_alone():
    table = play(table_with(upcard="9S", rules="standard,defend_alone=always", seed=1), "order up")
    table.step(table.legal_actions()[0])  # the discard
    assert choice_without(table)[0] == "pass"
    assert choice_without(table, "pass")[0] == "defend alone"


def test_a_leader_leads_the_best_card_that_is_left():
    view = view_in_trick("JS AS KS AH 9D", maker=0)
    views = as_records(np.array([view]))
    leads = []
    while views["legal"][0]:
        leads.append(int(RuleBot().act_views(views, np.zeros(1, np.int64))[0]))
        views["legal"] &= ~(1 << leads[-1])
    assert leads == [parse_card(name) for name in ("JS", "AS", "KS", "AH", "9D")]
    assert sum(1 << card for card in leads) == card_set("JS AS KS AH 9D")
