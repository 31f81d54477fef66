"""Defending alone: who is asked, in which order, who sits out and who leads."""

import pytest
from support.tables import legal_names, play, table_with

from euchre_env.deal import SEATS

FOUR_PASSES = "pass,pass,pass,pass,"


def called(offset, alone, rules, dealer=0, **cards):
    """A table on which the seat `offset` left of the dealer (4: the dealer) has named clubs in round two."""
    table = table_with(upcard="9H", dealer=dealer, rules=f"standard,{rules}", **cards)
    return play(table, FOUR_PASSES + "pass," * (offset - 1) + ("name clubs alone" if alone else "name clubs"))


@pytest.mark.parametrize(
    ("defend_alone", "against_pair", "against_loner"),
    [("never", "PLAY", "PLAY"), ("against_loner", "PLAY", "DEFEND"), ("always", "DEFEND", "DEFEND")],
)
def test_the_house_says_against_whom_a_defender_may_be_alone(defend_alone, against_pair, against_loner):
    assert called(1, False, f"defend_alone={defend_alone}").phase == against_pair
    assert called(1, True, f"defend_alone={defend_alone}").phase == against_loner


# The defender asked first, as seats left of the dealer, by the maker's place. The defenders are 2 and 4 (the dealer)
# against makers 1 and 3, and 1 and 3 against makers 2 and 4.
@pytest.mark.parametrize(
    ("poll_from", "asked"),
    [("eldest", {1: 2, 2: 1, 3: 2, 4: 1}), ("left_of_maker", {1: 2, 2: 3, 3: 0, 4: 1})],
)
@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize("alone", [False, True])
def test_defend_poll_from_says_which_defender_is_asked_first(poll_from, asked, dealer, alone):
    for offset, first in asked.items():
        table = called(offset, alone, f"defend_alone=always,defend_poll_from={poll_from}", dealer)
        assert (table.phase, table.turn) == ("DEFEND", (dealer + first) % 4)
        assert legal_names(table) == {"pass", "defend alone"}
        play(table, "pass")
        assert (table.phase, table.turn) == ("DEFEND", (dealer + first + 2) % 4)
        assert legal_names(table) == {"pass", "defend alone"}
        play(table, "pass")
        assert (table.phase, table.deal.lone_defender, table.deal.num_declined) == ("PLAY", 4, 2)


@pytest.mark.parametrize(
    ("answers", "defender", "out"), [("defend alone", 1, 0b1001), ("pass, defend alone", 3, 0b0011)]
)
def test_the_first_lone_defender_ends_the_question_and_partner_sits_out(answers, defender, out):
    table = play(called(2, True, "defend_alone=against_loner"), answers)
    assert (table.phase, table.deal.lone_defender, table.deal.sitting_out) == ("PLAY", defender, out)


def test_the_question_comes_after_the_dealers_discard():
    table = table_with(("AH KH QH AC KC", "", "", ""), upcard="9H", rules="tournament")
    play(table, "pass, pass, order up alone")
    assert table.phase == "DISCARD"
    play(table, "discard KC")
    assert (table.phase, table.turn) == ("DEFEND", 2)


def test_the_question_follows_the_call_when_the_dealer_sits_out():
    table = play(table_with(upcard="9H", rules="tournament"), "pass, order up alone")
    assert (table.phase, table.turn) == ("DEFEND", 1)


def test_two_lone_hands_play_tricks_of_two_cards():
    hands = ("AH KH QH JH TH", "9C TC QC KC AC", "AD KD QD TD 9D", "9S TS QS KS AS")
    table = play(called(1, True, "defend_alone=always", hands=hands), "defend alone")
    play(table, "9C, AD, TC, KD, QC, QD, KC, TD, AC, 9D")
    assert table.last_result is not None
    assert table.last_result.tricks.tolist() == [0, 5]


# The seat that leads, as seats left of dealer 0, when the maker has a partner: the first active one left of the dealer.
@pytest.mark.parametrize(
    ("maker", "answers", "leader"),
    [
        (1, "defend alone", 1),  # defender 2 alone: the dealer is out
        (1, "pass, defend alone", 1),  # defender 0 alone: 2 is out
        (2, "defend alone", 1),  # defender 1 alone: 3 is out
        (2, "pass, defend alone", 2),  # defender 3 alone: the eldest hand is out
        (4, "pass, defend alone", 2),
    ],
)
@pytest.mark.parametrize("lone_lead", ["eldest", "left_of_maker", "eldest_else_left_of_maker"])
def test_against_two_makers_the_first_active_seat_left_of_the_dealer_leads(maker, answers, leader, lone_lead):
    table = called(maker, False, f"defend_alone=always,lone_lead={lone_lead}")
    assert play(table, answers).turn == leader


# Against a lone maker `lone_lead` speaks of the first seat that still plays.
@pytest.mark.parametrize(
    ("lone_lead", "maker", "answers", "leader"),
    [
        ("eldest", 2, "defend alone", 1),  # 1 against 2
        ("eldest", 2, "pass, defend alone", 2),  # 3 against 2: the eldest hand is out, the maker comes next
        ("eldest", 3, "defend alone", 2),  # 2 against 3
        ("eldest", 3, "pass, defend alone", 3),  # 0 against 3
        ("left_of_maker", 2, "defend alone", 1),  # 1 against 2: left of the maker 3 and 0 are out
        ("left_of_maker", 2, "pass, defend alone", 3),
        ("left_of_maker", 3, "pass, defend alone", 0),
        ("eldest_else_left_of_maker", 2, "pass, defend alone", 2),  # eldest hand is out, but not the maker's partner
        ("eldest_else_left_of_maker", 3, "defend alone", 2),  # it is the maker's partner: left of the maker, 0 is out
        ("eldest_else_left_of_maker", 3, "pass, defend alone", 0),
    ],
)
def test_against_a_lone_maker_lone_lead_says_who_leads(lone_lead, maker, answers, leader):
    table = called(maker, True, f"defend_alone=always,lone_lead={lone_lead}")
    assert play(table, answers).turn == leader
