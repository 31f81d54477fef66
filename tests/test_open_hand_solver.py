"""Open-hand values are exact: they equal a plain minimax over the kernels of the game, under every kind of rules."""

import os

import numpy as np
import pytest
from support.open_hands import NOT_LEGAL, minimax_values
from support.rules import EVERY_RULE, EVERYTHING
from support.tables import play, table_with

from euchre_agents.search import NO_VALUE, Solver, decisions_of, open_hand_action_values, open_hand_values
from euchre_agents.search.lanes import points_rise
from euchre_agents.search.open_hands import plain_values
from euchre_env import HouseRules, Table, Tables
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS, parse_action
from euchre_env.cards import NO_CARD, parse_card
from euchre_env.deal import DISCARD, NOBODY, PLAY, SEATS
from euchre_env.deal_text import deal_text
from euchre_env.house_rules import PRESETS
from euchre_env.random_rules import random_rules

NOT_RISING = [
    HouseRules(march_points=0),
    HouseRules(lone_march_points=0, defend_alone="always", lone_defender_points=0, euchre_points=0),
    HouseRules(march_points=0, lone_march_points=0, benny=True, canadian_loner="any_call", super_euchre=True),
]
RANDOM = [random_rules(np.random.default_rng(seed)) for seed in range(40)]
ALL_RULES = [*EVERY_RULE, EVERYTHING, *NOT_RISING, *RANDOM]
SIZE = int(os.environ.get("OPEN_HAND_TEST_SIZE", "20"))

pytestmark = pytest.mark.compiled  # minimax takes too long without


def positions(num_deals, rules, seed, is_wanted):
    """Deals of random play at their decisions that `is_wanted`, and the row of the rules of each."""
    tables = Tables(num_deals, rules=rules, seed=seed, num_episodes=num_deals)
    deals, rows = [], []
    while len(tables):
        now = tables.deals()
        wanted = np.flatnonzero(is_wanted(now))
        deals.append(now[wanted])
        rows.append(tables.rules_indices[wanted].astype(np.int64))
        tables.step_at_random(seed=seed)
    return np.concatenate(deals), np.concatenate(rows)


def assert_exact(deals, rules, rows, prunes=False):
    """Assert that the values of all actions are those of minimax, and that the best one is that of the position."""
    expected = minimax_values(deals, rules, rows, prunes)
    solver = Solver(rules)
    values = solver.action_values(deals, rows)
    assert NO_VALUE == NOT_LEGAL
    wrong = np.flatnonzero((values != expected).any(axis=1))
    if len(wrong):
        deal, own = deals[wrong[0]], rules[rows[wrong[0]]]
        named = [
            (ACTION_NAMES[a], int(values[wrong[0], a]), int(expected[wrong[0], a]))
            for a in range(NUM_ACTIONS)
            if expected[wrong[0], a] != NOT_LEGAL
        ]
        pytest.fail(f"{len(wrong)} of {len(deals)} positions differ, the first under {own}: {named}, {deal}")
    signs = 1 - 2 * (deals["turn"] & 1)
    assert (solver.values(deals, rows) == signs * expected.max(axis=1)).all()


@pytest.mark.parametrize("rules", [[*PRESETS.values()], ALL_RULES, NOT_RISING], ids=["presets", "all", "not rising"])
def test_every_card_has_its_value_from_the_third_trick_on(rules):
    deals, rows = positions(30 * SIZE, rules, 1, lambda now: (now["phase"] == PLAY) & (now["trick"] >= 2))
    assert len(deals) > 200 * SIZE
    assert_exact(deals, rules, rows)


@pytest.mark.parametrize("rules", [ALL_RULES, NOT_RISING], ids=["all", "not rising"])
def test_every_card_has_its_value_in_the_second_trick(rules):
    deals, rows = positions(5 * SIZE, rules, 2, lambda now: (now["phase"] == PLAY) & (now["trick"] == 1))
    assert_exact(deals, rules, rows)


def test_every_card_has_its_value_in_the_first_trick():
    deals, rows = positions(3 * SIZE, ALL_RULES, 3, lambda now: (now["phase"] == PLAY) & (now["trick"] == 0))
    assert_exact(deals, ALL_RULES, rows, prunes=True)


def test_every_discard_and_answer_to_defending_alone_has_its_value():
    deals, rows = positions(
        SIZE, ALL_RULES, 4, lambda now: (now["phase"] >= DISCARD) & (now["phase"] < PLAY) & (now["alone"] == 1)
    )
    assert_exact(deals, ALL_RULES, rows, prunes=True)


def test_the_positions_of_these_tests_are_of_every_kind():
    deals, rows = positions(600, ALL_RULES, 1, lambda now: (now["phase"] == PLAY) & (now["trick"] >= 2))
    alone, defended = deals["alone"] == 1, deals["lone_defender"] != NOBODY
    for kind in (alone & defended, alone & ~defended, ~alone & defended, ~alone & ~defended):
        assert kind.sum() > 20
    assert {*deals["num_played"].tolist()} == {0, 1, 2, 3}
    assert {*deals["sitting_out"].tolist()} >= {0, 1, 2, 4, 8}
    assert (deals["played"] == parse_card("2S")).any()
    assert ((deals["upcard_taken"] == 1) & (deals["discard"] != NO_CARD)).any()
    assert {*rows.tolist()} == set(range(len(ALL_RULES)))


def test_plain_alpha_beta_finds_the_same_values_at_the_opening_lead():
    for rules in (HouseRules(), HouseRules(super_euchre=True, defend_alone="always"), NOT_RISING[0]):
        deals, _ = positions(
            10 * SIZE, rules, 5, lambda now: (now["phase"] == PLAY) & (now["trick"] == 0) & (now["num_played"] == 0)
        )
        assert (plain_values(deals, rules) == Solver([rules]).values(deals)).all()


def test_points_rise_unless_more_tricks_cost_the_makers_points():
    assert points_rise(np.array([-2, -2, -2, 1, 1, 2]))
    assert not points_rise(np.array([-2, -2, -2, 1, 1, 0]))
    assert not points_rise(np.array([-2, -4, -4, 1, 1, 2]))


def rotated(deal):
    """`deal` with every seat moved one place to the left, so that the teams change places."""
    turned = deal.copy()
    for name in ("hands", "voids"):
        turned[name] = np.roll(deal[name], 1)
    turned["played"] = np.roll(deal["played"], 1, axis=1)
    for name in ("dealer", "turn", "maker", "lone_defender"):
        turned[name] = deal[name] if deal[name] == NOBODY else (deal[name] + 1) % 4
    turned["leaders"] = [seat if seat == NOBODY else (seat + 1) % 4 for seat in deal["leaders"]]
    turned["sitting_out"] = sum(1 << (seat + 1) % 4 for seat in SEATS if deal["sitting_out"] >> seat & 1)
    turned["tricks"] = deal["tricks"][::-1]
    return turned


def test_what_one_team_wins_the_other_loses():
    deals, rows = positions(4 * SIZE, ALL_RULES, 6, lambda now: now["phase"] == PLAY)
    turned = np.array([rotated(deal) for deal in deals])
    solver = Solver(ALL_RULES)
    assert (solver.values(turned, rows) == -solver.values(deals, rows)).all()
    assert (solver.action_values(turned, rows) == solver.action_values(deals, rows)).all()


def test_a_position_has_the_same_value_alone_as_in_a_batch():
    deals, rows = positions(SIZE, ALL_RULES, 7, lambda now: now["phase"] == PLAY)
    solver = Solver(ALL_RULES)
    together = solver.action_values(deals, rows)
    for i in range(0, len(deals), 7):
        assert (solver.action_values(deals[i : i + 1], rows[i : i + 1])[0] == together[i]).all()


def test_a_bid_is_worth_the_best_bid_discard_and_card_after_it():
    for number, rules in enumerate(ALL_RULES[::3]):
        table, solver = Table(rules, seed=number, one_deal=True), Solver([rules])
        for _ in range(1 + number % 5):  # into the auction
            deal = table.record["deal"].reshape(1).copy()
            values = solver.action_values(deal)[0]
            team = int(table.deal.turn) & 1
            for action in table.legal_actions():
                after = table.clone()
                after.step(action)
                if after.is_over:
                    assert values[action] == 0  # thrown in
                else:
                    net = int(solver.values(after.record["deal"].reshape(1))[0])
                    assert values[action] == (-net if team else net), deal_text(table)
            assert (values != NO_VALUE).nonzero()[0].tolist() == table.legal_actions()
            table.step(table.legal_actions()[0])


# Seat 1, the eldest hand, holds the five highest trumps once hearts are trump.
FIVE_TRUMPS = ("9S TS JS QS KS", "JH JD AH KH QH", "9D TD QD KD AD", "9C TC JC QC KC")


@pytest.mark.parametrize(
    ("call", "rules", "value"),
    [
        ("order up", "standard", 2),
        ("order up alone", "standard", 4),
        ("order up", "standard,march_points=0", 0),  # nobody can take a trick from five trumps that beat all others
        ("order up alone", "standard,lone_march_points=9", 9),
    ],
)
def test_five_trumps_that_nobody_beats_make_a_march(call, rules, value):
    table = play(table_with(FIVE_TRUMPS, "9H", "TH AC AS", rules=rules, dealer=0), call)
    assert open_hand_values([deal_text(table)]).tolist() == [-value]
    play(table, "9H")
    assert table.turn == 1
    values = open_hand_action_values([deal_text(table)])[0]
    legal = {ACTION_NAMES[action]: int(values[action]) for action in np.flatnonzero(values != NO_VALUE)}
    assert legal == dict.fromkeys(FIVE_TRUMPS[1].split(), value)


def test_makers_lose_a_trick_if_a_march_is_worth_less():
    # Seat 1 has four sure tricks. It may lead its nine of clubs under seat 2's ten, or to seat 3's ace.
    hands = ("9S TS JS QS KC", "JH JD AH KH 9C", "9D TD QD KD TC", "TH QH AD AC QC")
    deal = deal_text(play(table_with(hands, "9H", "JC KS AS", rules="standard,march_points=0"), "order up, 9H"))
    assert open_hand_values([deal]).tolist() == [-1]
    assert open_hand_values([deal.replace("march_points=0", "march_points=2")]).tolist() == [-2]


def test_the_decisions_of_a_deal_say_what_each_action_gave_away():
    table = play(table_with(FIVE_TRUMPS, "9H", "TH AC AS", dealer=0), "order up, 9H")
    decisions = decisions_of(table.deal, table.rules)
    call, discard, card = decisions
    assert (call.seat, call.phase, call.taken) == (1, "FIRST_ROUND", parse_action("order up"))
    assert (call.value, call.loss) == (4, 2)  # alone, a march counts four
    assert [ACTION_NAMES[action] for action in call.best] == ["order up alone"]
    assert (discard.seat, discard.phase, discard.value, discard.loss) == (0, "DISCARD", -2, 0)
    assert (card.seat, card.phase, card.taken, card.loss) == (1, "PLAY", None, 0)
    assert card.values == {parse_card(name): 2 for name in FIVE_TRUMPS[1].split()}


def test_a_deal_that_is_over_has_no_value():
    text = deal_text(play(Table(seed=3, one_deal=True), "pass, pass, pass, pass, pass, pass, pass, pass"))
    with pytest.raises(ValueError, match="position 0 has no seat to act"):
        open_hand_values([text])
