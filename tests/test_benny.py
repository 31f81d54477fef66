"""The Benny (British euchre): a 25th card, the highest trump, without an auction when it is turned up."""

import pytest
from support.tables import legal_names, play, table_with

from euchre_env.actions import ACTION_NAMES
from euchre_env.cards import BENNY, CARD_NAMES, SUIT_NAMES, card_names, num_members
from euchre_env.deal import SEATS
from euchre_env.table import Table

NAMES = {f"name {suit}" for suit in SUIT_NAMES} | {f"name {suit} alone" for suit in SUIT_NAMES}
FOUR_PASSES = "pass,pass,pass,pass,"


def turned_up(rules="british", **cards):
    """A table on which dealer 0 has turned the Benny up."""
    return table_with(upcard="2S", rules=rules, **cards)


def test_the_pack_has_25_cards_and_the_kitty_four():
    table = Table("standard,benny=true", 3)
    hands = [int(hand) for hand in table.deal.hands]
    assert sum(hands) + (1 << table.deal.upcard) + int(table.deal.kitty) == (1 << 25) - 1
    assert num_members(int(table.deal.kitty)) == 4


def test_without_the_house_rule_there_is_no_benny():
    assert not any(
        1 << BENNY & (sum(int(hand) for hand in table.deal.hands) | int(table.deal.kitty) | 1 << table.deal.upcard)
        for table in (Table("british,benny=false", seed) for seed in range(20))
    )


@pytest.mark.parametrize("dealer", SEATS)
def test_turned_up_it_makes_the_dealer_name_one_of_the_four_suits(dealer):
    table = table_with(upcard="2S", rules="british", dealer=dealer)
    assert (table.phase, table.turn) == ("BENNY", dealer)
    assert legal_names(table) == NAMES


@pytest.mark.parametrize("action", sorted(NAMES))
def test_the_dealer_is_the_maker_takes_the_benny_and_discards(action):
    table = turned_up(hands=("AH KH QH AC KC", "", "", ""))
    play(table, action)
    deal = table.deal
    assert (deal.maker, SUIT_NAMES[deal.trump], deal.alone) == (0, action.split()[1], int("alone" in action))
    assert (table.phase, table.turn, deal.upcard_taken) == ("DISCARD", 0, 1)
    assert legal_names(table) == {"AH", "KH", "QH", "AC", "KC", "2S"}
    play(table, "discard KC")
    assert set(card_names(deal.hands[0])) == {"AH", "KH", "QH", "AC", "2S"}
    assert (table.phase, table.turn, deal.sitting_out) == ("PLAY", 1, 0b0100 if deal.alone else 0)


def test_it_may_not_be_discarded_where_the_card_picked_up_may_not():
    table = turned_up("british,discard_upcard=false", hands=("AH KH QH AC KC", "", "", ""))
    assert legal_names(play(table, "name hearts")) == {"AH", "KH", "QH", "AC", "KC"}


@pytest.mark.parametrize("rules", ["stick_the_dealer=true", "canadian_loner=any_call", "stuck_dealer_any_suit=true"])
def test_other_rules_of_the_auction_do_not_bind_the_dealer_who_turned_it_up(rules):
    assert legal_names(turned_up(f"british,{rules}")) == NAMES


def test_defenders_are_asked_after_the_discard():
    table = play(turned_up("british,defend_alone=against_loner"), "name hearts alone")
    table.step(table.legal_actions()[0])
    assert (table.phase, table.turn) == ("DEFEND", 1)


def test_dealt_to_a_hand_it_leaves_the_auction_as_it_is():
    table = table_with(("2S KS QS AC KC", "", "", ""), upcard="9H", rules="british")
    assert (table.phase, table.turn) == ("FIRST_ROUND", 1)
    assert legal_names(table) == {"pass", "order up", "order up alone"}


def test_it_asks_for_trump_when_it_is_led_and_follows_trump():
    hands = ("9S TS KS QS AS", "2S 9C TC KC QC", "9H AD KD QD JS", "JD TD AC JC 9D")
    table = play(table_with(hands, "TH", rules="british"), FOUR_PASSES + "name diamonds, 2S")
    assert legal_names(table) == {"AD", "KD", "QD"}
    play(table, "AD")
    assert legal_names(table) == {"JD", "TD", "9D"}
    play(table, "JD, 9S")
    assert table.turn == 1  # it beats the right bower


def test_it_must_follow_a_trump_lead_and_may_not_follow_spades():
    hands = ("9S TS 9D QH JH", "AD KD AS KS 9C", "2S QS TC KC QC", "JD TD AC JC AH")
    table = play(table_with(hands, "TH", rules="british"), FOUR_PASSES + "name diamonds")
    leads_trump, leads_spades = play(table.clone(), "AD"), play(table.clone(), "AS")
    assert legal_names(leads_trump) == {"2S"}
    assert legal_names(leads_spades) == {"QS"}


def test_a_void_may_ruff_with_it_and_wins():
    hands = ("9S TS 9D QH JH", "AD KD AS KS 9C", "2S TD TC KC QC", "JD QS AC JC AH")
    table = play(table_with(hands, "TH", rules="british"), FOUR_PASSES + "name diamonds, AS, 2S, QS, 9S")
    assert table.turn == 2


def test_its_name_is_the_two_of_spades():
    assert CARD_NAMES[BENNY] == ACTION_NAMES[BENNY] == "2S"
