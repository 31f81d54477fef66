"""The action space: blocks tile it, names and ids are inverse, and messages name the fault."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from euchre_env.actions import (
    ACTION_NAMES,
    BLOCKS,
    CARD,
    DEFEND_ALONE,
    NAME,
    NAME_ALONE,
    NUM_ACTIONS,
    ORDER_UP,
    ORDER_UP_ALONE,
    PASS,
    IllegalActionError,
    action_name,
    actions_in,
    block_of,
    parse_action,
    phrase,
)
from euchre_env.cards import CARD_NAMES, NUM_CARDS, SUIT_NAMES, card_name, card_names, cards_in, parse_card


def test_blocks_tile_the_action_space():
    ids = [block.id(argument) for block in BLOCKS for argument in range(block.size)]
    assert ids == list(range(NUM_ACTIONS))
    assert NUM_ACTIONS == 37
    for action in range(NUM_ACTIONS):
        assert [block for block in BLOCKS if action in block] == [block_of(action)]
        assert block_of(action).id(block_of(action).argument(action)) == action


def test_action_names_invert():
    assert len(set(ACTION_NAMES)) == NUM_ACTIONS
    for action in range(NUM_ACTIONS):
        assert parse_action(action_name(action)) == action
        assert parse_action(f" {ACTION_NAMES[action].upper()} ") == action


def test_actions_are_named_as_players_say_them():
    assert [action_name(block.first) for block in BLOCKS] == [
        "9C", "pass", "order up", "order up alone", "name clubs", "name clubs alone", "defend alone",
    ]  # fmt: skip
    for suit, name in enumerate(SUIT_NAMES):
        assert action_name(NAME.id(suit)) == f"name {name}"
        assert action_name(NAME_ALONE.id(suit)) == f"name {name} alone"
    for card, name in enumerate(CARD_NAMES):
        assert action_name(CARD.id(card)) == name
        assert phrase(card, "PLAY") == f"play {name}"
        assert phrase(card, "DISCARD") == f"discard {name}"
        assert parse_action(f"play {name}") == parse_action(f"Discard {name.lower()}") == card
    assert phrase(PASS.first, "DEFEND") == "decline"
    assert phrase(PASS.first, "FIRST_ROUND") == "pass"
    assert phrase(ORDER_UP.first, "FIRST_ROUND") == "order up"
    assert phrase(ORDER_UP_ALONE.first, "FIRST_ROUND") == "order up alone"
    assert phrase(DEFEND_ALONE.first, "DEFEND") == "defend alone"


def test_card_names_invert():
    assert len(set(CARD_NAMES)) == NUM_CARDS
    for card in range(NUM_CARDS):
        assert parse_card(card_name(card)) == card
        assert parse_card(f" {card_name(card).lower()} ") == card
    assert parse_card("10H") == parse_card("th") == 13
    assert card_names(1 << 24 | 1 << 2) == ["JC", "2S"]
    assert cards_in(0) == []
    assert actions_in(1 << DEFEND_ALONE.id() | 1 << CARD.id()) == [CARD.id(), DEFEND_ALONE.id()]


@pytest.mark.parametrize("text", ["", "XX", "1S", "9", "S9", "2H", "10", "JCX", None, 5, 2.0])
def test_what_names_no_card_is_refused(text):
    with pytest.raises(ValueError, match="is not a card"):
        parse_card(text)


@pytest.mark.parametrize("card", [-1, 25, 2.0, True, None, "JC", 2**70, np.array([1, 2])])
def test_what_is_no_card_has_no_name(card):
    with pytest.raises(ValueError, match="a card must be a whole number from 0 to 24"):
        card_name(card)


@pytest.mark.parametrize("text", ["", "fold", "name", "name spade", "play", "alone", None, 5])
def test_what_names_no_action_is_refused(text):
    with pytest.raises(ValueError, match="is not an action"):
        parse_action(text)


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 2**70, 2.0, True, np.True_, None, "pass"])
def test_what_is_no_action_has_no_name_and_no_block(action):
    assert not any(action in block for block in BLOCKS)
    with pytest.raises(ValueError, match="an action is a whole number from 0 to 36"):
        action_name(action)


def test_numpy_integers_are_actions():
    for kind in (np.int8, np.uint64):
        ids: Any = np.arange(NUM_ACTIONS, dtype=kind)
        assert [action_name(action) for action in ids] == list(ACTION_NAMES)


def test_an_illegal_action_error_says_all_that_matters():
    queen_of_hearts, black_jacks = parse_card("QH"), [parse_card("JC"), parse_card("JS")]
    error = IllegalActionError(queen_of_hearts, 1, "PLAY", black_jacks)
    assert str(error) == "'play QH' is not legal for seat 1 in PLAY; legal: play JC, play JS"
    assert str(IllegalActionError("QH", 1, "OVER", [], "row 7")) == (
        "'QH' is not legal for seat 1 in OVER (row 7); legal: nothing"
    )
    assert str(IllegalActionError(True, 1, "DEFEND", [PASS.id()])) == (
        "'True' is not legal for seat 1 in DEFEND; legal: decline"
    )
    for twin in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert str(twin) == str(error)
        assert (twin.action, twin.seat, twin.phase, twin.legal) == (queen_of_hearts, 1, "PLAY", black_jacks)
