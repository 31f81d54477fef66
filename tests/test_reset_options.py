"""The arguments of `reset`: seeds, and options that fix the first deal."""

import itertools

import numpy as np
import pytest
from support.environments import WORKED_DEAL, snapshot, start, wrapped
from support.tables import legal_names, play

from euchre_env import euchre_v0
from euchre_env.cards import SUIT_NAMES, card_names, cards_in, parse_card
from euchre_env.deal import SEATS
from euchre_env.reset_options import OPTIONS
from euchre_env.table import Table

AGENTS = euchre_v0.AGENTS
EIGHT_PASSES = ", ".join(["pass"] * 8)


# Options of reset


def test_options_fix_the_first_deal():
    deal = start(options={**WORKED_DEAL, "scores": (8, 7)}).table.deal
    assert [set(card_names(hand)) for hand in deal.hands] == [set(hand) for hand in WORKED_DEAL["hands"]]
    assert (deal.upcard, set(card_names(deal.kitty)), deal.dealer) == (parse_card("9S"), {"JS", "TC", "KH"}, 0)


def test_options_fix_no_deal_but_the_first():
    env = play(start(seed=3, options={**WORKED_DEAL, "deal_number": 7, "scores": (1, 2)}), EIGHT_PASSES)
    reference = Table(seed=3, deal_number=8, dealer=1)
    assert env.table.deal_number == 8
    assert env.table.deal.tobytes() == reference.deal.tobytes()
    assert env.score == (1, 2)
    env.reset(seed=3)
    assert env.table.deal.tobytes() == Table(seed=3).deal.tobytes()


def test_hands_may_be_ids_tuples_and_empty():
    hands = [(), [parse_card(card) for card in WORKED_DEAL["hands"][1]], ["AS", "KS", "JS", "TS", "9S"], []]
    for seed in range(5):
        deal = start(seed=seed, options={"hands": hands, "upcard": parse_card("QS")}).table.deal
        assert set(card_names(deal.hands[1])) == set(WORKED_DEAL["hands"][1])
        assert set(card_names(deal.hands[2])) == set(hands[2])
        assert deal.upcard == parse_card("QS")
        parts = [*deal.hands, 1 << int(deal.upcard), deal.kitty]
        assert sorted(card for part in parts for card in cards_in(part)) == list(range(24))


def test_what_the_options_leave_open_comes_from_the_seed_and_the_deal_number():
    options = {"hands": [[], ["AS", "KS", "JS", "TS", "9S"], [], []]}
    deals = {start(seed=s, options={**options, "deal_number": n}).table.deal.tobytes() for s in (1, 2) for n in (0, 1)}
    assert len(deals) == 4


def test_the_deal_number_option_starts_at_that_deal():
    env = start(seed=4, options={"deal_number": 12, "dealer": 2})
    assert env.table.deal_number == 12
    assert env.table.deal.tobytes() == Table(seed=4, deal_number=12, dealer=2).deal.tobytes()


def test_the_dealer_option_leaves_the_cards_as_they_are():
    hands = {start(seed=4, options={"dealer": dealer}).table.deal.hands.tobytes() for dealer in SEATS}
    assert len(hands) == 1
    assert [start(seed=4, options={"dealer": dealer}).agent_selection for dealer in SEATS] == [*AGENTS[1:], AGENTS[0]]


def test_options_that_are_none_are_left_to_the_seed():
    nothing = dict.fromkeys(OPTIONS)
    for options in (nothing, {}):
        assert snapshot(start(seed=6, options=options)) == snapshot(start(seed=6))


@pytest.mark.parametrize("key", ["options", "rules", "seats", "colour", "x", "", 5, ("a",)])
def test_other_unknown_options_are_ignored(key):
    assert snapshot(start(seed=6, options={key: "whatever"})) == snapshot(start(seed=6))


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("delaer", "dealer"), ("Dealer", "dealer"), ("dealers", "dealer"), ("first_dealer", "dealer"),
        ("hand", "hands"), ("handz", "hands"), ("HANDS", "hands"),
        ("up_card", "upcard"), ("upcards", "upcard"), ("upcrad", "upcard"),
        ("kity", "kitty"), ("kittys", "kitty"),
        ("deal", "deal_number"), ("deals", "deal_number"), ("dael", "deal_number"), ("deal-number", "deal_number"),
        ("score", "scores"), ("Score", "scores"), ("initial-scores", "scores"),
    ],
)  # fmt: skip
def test_a_key_that_resembles_an_option_is_refused(key, meant):
    with pytest.raises(ValueError, match=f"'{key}'; did you mean '{meant}'"):
        start(options={key: None})


@pytest.mark.parametrize("options", [[], ["dealer"], "dealer", 3])
def test_options_that_are_no_dict_are_refused(options):
    with pytest.raises(ValueError, match="reset options must be a dict"):
        start(options=options)


IMPOSSIBLE = {
    "dealer": [4, -1, 1.0, True, "player_0", [0]],
    "deal_number": [-1, 2**63, 0.5, "1", True],
    "scores": [(10, 0), (0, 12), (1,), (1, 2, 3), 5, "12", (-1, 0), (1.0, 2), (True, 0)],
    "upcard": ["ZZ", "2S", 25, -1, 1.5, ["9S"], True],
    "kitty": [["9S"], ["9S", "9S", "TS"], "9S TS JS", 3, ["9S", "TS", "JS", "QS"]],
    "hands": [
        5,
        "AS KS JS TS 9S",
        [[], [], []],
        [["AS"], [], [], []],
        [["AS", "AS", "KS", "QS", "JS"], [], [], []],
        [["AS", "KS", "QS", "JS", "TS"], ["AS", "KC", "QC", "JC", "TC"], [], []],
        [["2S", "KS", "QS", "JS", "TS"], [], [], []],
        ["AS KS JS TS 9S", [], [], []],
        [None, [], [], []],
        {0: [], 1: [], 2: [], 3: []},
    ],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in IMPOSSIBLE.items() for value in values])
def test_an_impossible_option_is_refused_and_nothing_changes(key, value):
    env, twin = start(seed=8), start(seed=8)
    with pytest.raises(ValueError, match=r"\w"):
        env.reset(seed=9, options={key: value})
    with pytest.raises(ValueError, match=r"\w"):
        env.reset(options={key: value})
    assert snapshot(env) == snapshot(twin)
    env.reset()
    twin.reset()
    assert snapshot(env) == snapshot(twin)


def test_cards_given_twice_in_different_places_are_refused():
    with pytest.raises(ValueError, match="9S"):
        start(options={"upcard": "9S", "kitty": ["9S", "TS", "JS"]})


def test_the_benny_may_be_given_under_its_rule_alone():
    turned_up = start("british", options={"upcard": "2S"})
    assert legal_names(turned_up) == {f"name {suit}{alone}" for suit in SUIT_NAMES for alone in ("", " alone")}
    with pytest.raises(ValueError, match="2S"):
        start("standard", options={"upcard": "2S"})


def test_cards_that_must_be_dealt_again_are_refused():
    options = {"hands": [["9S", "TS", "9H", "TH", "9C"], [], [], []]}
    assert start(options=options).agents
    with pytest.raises(ValueError, match="no_ace_no_face"):
        start("standard,no_ace_no_face=same_dealer", options=options)


@pytest.mark.parametrize("redeal", ["same_dealer", "next_dealer"])
def test_deals_without_ace_or_face_are_passed_over_inside_reset_and_step(redeal):
    rules = f"standard,no_ace_no_face={redeal}"
    number = next(n for n in itertools.count(1) if Table(rules, deal_number=n).deal_number != n)
    env = start(rules, options={"deal_number": number, "dealer": 0})
    assert env.table.deal_number == number + 1
    assert env.table.deal.dealer == (0 if redeal == "same_dealer" else 1)
    env = play(start(rules, options={"deal_number": number - 1, "dealer": 0}), EIGHT_PASSES)
    assert env.table.deal_number == number + 1
    assert env.rewards == dict.fromkeys(AGENTS, 0.0)
    assert env.agent_selection == AGENTS[(env.table.deal.dealer + 1) % 4]


# Seeds


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True])
def test_an_impossible_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        start(seed=seed)


def test_the_seed_of_an_unseeded_reset_plays_the_same_deals():
    env = wrapped()
    env.reset()
    seed, first = env.unwrapped.seed, env.state()
    env.reset()
    assert env.unwrapped.seed != seed
    env.reset(seed=seed)
    np.testing.assert_array_equal(env.state(), first)


def test_a_seed_fixes_the_seeds_that_are_drawn_after_it():
    def drawn(env):
        env.reset(seed=5)
        seeds = []
        for _ in range(50):
            env.reset()
            seeds.append(env.seed)
        return seeds

    env = euchre_v0.raw_env()
    seeds = drawn(env)
    assert drawn(env) == seeds
    assert len(set(seeds)) == 50
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_seed_may_be_a_numpy_integer():
    assert snapshot(start(seed=np.int64(7))) == snapshot(start(seed=7))
