"""Suits relative to trump: the same game with the suits renamed."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from support.tables import ANY_RULES, SEEDS, choose, play, play_out, table_with

from euchre_env.actions import NUM_ACTIONS, actions_in
from euchre_env.cards import (
    BENNY,
    CARD_NAMES,
    HEARTS,
    NO_CARD,
    NO_SUIT,
    NUM_CARDS,
    SUITS,
    cards_in,
    left_bower,
    right_bower,
)
from euchre_env.custom_deal import FixedCards
from euchre_env.deal import PHASES, SEATS
from euchre_env.house_rules import PRESETS
from euchre_env.observation import action_mask, decode, encode
from euchre_env.relative_suits import (
    RELABELLED,
    frame_of,
    relabel_actions,
    relabel_card,
    relabel_cards,
    relabel_legal,
    relabel_suit,
    relabel_view,
)
from euchre_env.table import Table


def test_renaming_is_its_own_inverse_and_keeps_colours_together():
    for frame in SUITS:
        for suit in SUITS:
            assert relabel_suit(relabel_suit(suit, frame), frame) == suit
            assert relabel_suit(3 - suit, frame) == 3 - relabel_suit(suit, frame)
            assert RELABELLED[frame, right_bower(suit)] == right_bower(relabel_suit(suit, frame))
            assert RELABELLED[frame, left_bower(suit)] == left_bower(relabel_suit(suit, frame))
        assert relabel_suit(frame, frame) == 0
        assert RELABELLED[frame, RELABELLED[frame]].tolist() == list(range(NUM_ACTIONS))
        assert RELABELLED[frame, BENNY] == BENNY
        assert relabel_card(NO_CARD, frame) == NO_CARD


def test_renaming_by_the_first_suit_changes_nothing():
    assert RELABELLED[0].tolist() == list(range(NUM_ACTIONS))


def test_sets_are_renamed_member_by_member():
    rng = random.Random(0)
    for frame in SUITS:
        for _ in range(50):
            actions = rng.getrandbits(NUM_ACTIONS)
            cards = actions & ((1 << NUM_CARDS) - 1)
            renamed = sorted(int(RELABELLED[frame, action]) for action in actions_in(actions))
            assert actions_in(relabel_legal(actions, frame)) == renamed
            assert cards_in(relabel_cards(cards, frame)) == [a for a in renamed if a < NUM_CARDS]


def renamed_cards(table, frame):
    """The cards dealt at `table`, with suits renamed."""
    deal = table.deal
    hands = [[int(RELABELLED[frame, card]) for card in cards_in(hand)] for hand in deal.hands]
    return FixedCards(
        hands, int(RELABELLED[frame, deal.upcard]), [int(RELABELLED[frame, c]) for c in cards_in(deal.kitty)]
    )


@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_a_relative_view_is_the_view_of_the_deal_with_its_suits_renamed(rules, seed):
    """A deal is played beside its renamed deal in every frame, and both agree up to the names of suits."""
    rng = random.Random(seed)
    table = Table(rules, seed=seed, one_deal=True)
    twins = [Table(rules, dealer=int(table.deal.dealer), cards=renamed_cards(table, f), one_deal=True) for f in SUITS]
    while True:
        for seat in SEATS:
            relative = table.view(seat)
            frame = frame_of(relative)
            assert frame == frame_of(table.deal)
            relabel_view(relative, frame)
            assert relative.tobytes() == twins[frame].view(seat).tobytes(), (table.phase, seat, frame)
            assert frame_of(relative) == 0
            assert decode(encode(relative)).tobytes() == relative.tobytes()
            relabel_view(relative, frame)
            assert relative.tobytes() == table.view(seat).tobytes()
        if table.is_over:
            break
        action = choose(table, rng)
        for frame, twin in enumerate(twins):
            twin.step(int(RELABELLED[frame, action]))
        table.step(action)
    for twin in twins:
        assert twin.last_result is not None
        assert table.last_result is not None
        assert twin.last_result.points.tolist() == table.last_result.points.tolist()


@settings(max_examples=20)
@given(ANY_RULES, SEEDS)
def test_legal_actions_are_renamed_as_the_cards_are(rules, seed):
    for table in play_out(Table(rules, seed=seed, one_deal=True), random.Random(seed)):
        if table.turn is None:
            break
        view = table.view(table.turn)
        mask, frame = action_mask(view), frame_of(view)
        relabel_view(view, frame)
        assert np.array_equal(action_mask(view)[RELABELLED[frame]], mask)


@pytest.mark.parametrize("rules", PRESETS)
def test_suit_0_is_the_upcards_suit_and_later_trump(rules):
    for seed in range(10):
        for table in play_out(Table(rules, seed=seed, one_deal=True), random.Random(seed)):
            view = table.view(0)
            relabel_view(view, frame_of(view))
            if view.trump != NO_SUIT:
                assert view.trump == 0
            elif view.upcard != BENNY:
                assert view.upcard // 6 == 0


def test_a_benny_turned_up_renames_no_suit_until_trump_is_named():
    table = table_with(upcard="2S", rules="british", dealer=2)
    assert PHASES[table.deal.phase] == "BENNY"
    assert frame_of(table.view(2)) == 0
    play(table, "name hearts")
    view = table.view(2)
    assert frame_of(view) == HEARTS
    relabel_view(view, HEARTS)
    assert view.upcard == BENNY
    assert CARD_NAMES[view.upcard] == "2S"
    assert view.hand >> BENNY & 1


@pytest.mark.parametrize(
    ("actions", "frames", "message"),
    [
        ([2.9], [3], "actions must be whole numbers"),
        ([True], [1], "actions must be whole numbers"),
        ([2], [-1], "frames must be suits from 0 to 3"),
        ([2], [4], "frames must be suits from 0 to 3"),
        ([2, 3], [1], "must have one shape"),
        ([[2]], [[1]], "must have one shape"),
        ([2**63], [1], "must fit 64 bits"),
    ],
)
def test_actions_and_frames_that_do_not_fit_are_refused(actions, frames, message):
    with pytest.raises(ValueError, match=message):
        relabel_actions(actions, frames)
