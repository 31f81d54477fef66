"""Going alone: the seat that sits out, the first lead, and the upcard."""

import pytest
from support.tables import legal_names, play, table_with

from euchre_env.cards import card_names
from euchre_env.deal import SEATS, next_active

FOUR_PASSES = "pass,pass,pass,pass,"
PARTNERS_HAND = "9S TS QS KS AS"


def named_alone(offset, rules="standard", dealer=0, **cards):
    """A table on which the seat `offset` left of the dealer (4: the dealer) has named clubs alone in round two."""
    table = table_with(upcard="9H", dealer=dealer, rules=rules, **cards)
    return play(table, FOUR_PASSES + "pass," * (offset - 1) + "name clubs alone")


def ordered_up_alone(offset, rules="standard", **cards):
    """A table on which the seat `offset` left of dealer 0 (4: the dealer) has ordered up alone."""
    return play(table_with(upcard="9H", rules=rules, **cards), "pass," * (offset - 1) + "order up alone")


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize("offset", [1, 2, 3, 4])
def test_the_makers_partner_sits_out(dealer, offset):
    deal = named_alone(offset, dealer=dealer).deal
    maker = (dealer + offset) % 4
    assert (deal.maker, deal.alone, deal.sitting_out) == (maker, 1, 1 << (maker + 2) % 4)


# Who leads, as seats left of the dealer, by the maker's place (lone_lead in docs/rules.md, "House rules"). By hand:
# the partner of maker 1 is 3, of 2 the dealer (0), of 3 the eldest hand (1), of the dealer (0 or 4) seat 2.
@pytest.mark.parametrize(
    ("lone_lead", "leaders"),
    [
        ("eldest", {1: 1, 2: 1, 3: 2, 4: 1}),
        ("left_of_maker", {1: 2, 2: 3, 3: 0, 4: 1}),
        ("eldest_else_left_of_maker", {1: 1, 2: 1, 3: 0, 4: 1}),
    ],
)
@pytest.mark.parametrize("dealer", SEATS)
def test_lone_lead_says_who_leads(lone_lead, leaders, dealer):
    for offset, leader in leaders.items():
        table = named_alone(offset, f"standard,lone_lead={lone_lead}", dealer)
        assert table.turn == (dealer + leader) % 4
        assert table.deal.leaders[0] == table.turn


@pytest.mark.parametrize("lone_lead", ["eldest", "left_of_maker", "eldest_else_left_of_maker"])
@pytest.mark.parametrize("offset", [1, 2, 3, 4])
def test_lone_lead_does_not_matter_when_both_makers_play(lone_lead, offset):
    table = table_with(upcard="9H", rules=f"standard,lone_lead={lone_lead}")
    assert play(table, FOUR_PASSES + "pass," * (offset - 1) + "name clubs").turn == 1


def test_tricks_have_three_cards_and_the_absent_seat_is_skipped():
    hands = ("AH KH QH JH TH", "9C TC QC KC AC", "AD KD QD TD 9D", PARTNERS_HAND)
    table = named_alone(1, hands=hands)
    play(table, "AC, AD, AH")
    assert (table.deal.trick, table.turn) == (1, 1)
    assert [next_active(table.deal, seat) for seat in SEATS] == [1, 2, 0, 0]
    play(table, "KC, KD, KH, QC, QD, QH, TC, TD, TH, 9C, 9D, JH")
    assert table.last_deal is not None
    assert card_names(table.last_deal.hands[3]) == PARTNERS_HAND.split()
    assert table.last_result is not None
    assert table.last_result.points.tolist() == [0, 4]


def test_nobody_sits_out_before_the_first_lead():
    table = ordered_up_alone(1)
    assert (table.phase, table.deal.sitting_out) == ("DISCARD", 0)
    play(table, next(iter(legal_names(table))))
    assert (table.phase, table.deal.sitting_out) == ("PLAY", 0b1000)


def test_nobody_sits_out_while_the_defenders_are_asked():
    table = named_alone(2, "tournament")
    assert (table.phase, table.deal.sitting_out) == ("DEFEND", 0)
    play(table, "pass, pass")
    assert (table.phase, table.deal.sitting_out) == ("PLAY", 0b0001)


def test_nobody_takes_the_upcard_when_the_dealer_sits_out():
    hands = ("AH KH QH AC KC", "", "", "")
    table = ordered_up_alone(2, hands=hands)
    assert (table.phase, table.turn) == ("PLAY", 1)
    assert (table.deal.upcard_taken, table.deal.sitting_out) == (0, 0b0001)
    assert set(card_names(table.deal.hands[0])) == set(hands[0].split())


def test_the_house_may_let_the_dealer_exchange_before_sitting_out():
    table = ordered_up_alone(2, "standard,dealer_sits_out_exchange=true", hands=("AH KH QH AC KC", "", "", ""))
    assert (table.phase, table.turn, table.deal.upcard_taken) == ("DISCARD", 0, 1)
    play(table, "discard KC")
    assert (table.phase, table.turn, table.deal.sitting_out) == ("PLAY", 1, 0b0001)
    assert set(card_names(table.deal.hands[0])) == {"AH", "KH", "QH", "AC", "9H"}


@pytest.mark.parametrize("exchange", ["true", "false"])
@pytest.mark.parametrize("offset", [1, 3, 4])
def test_the_dealer_picks_up_for_any_other_loner_in_round_one(offset, exchange):
    table = ordered_up_alone(offset, f"standard,dealer_sits_out_exchange={exchange}")
    assert (table.phase, table.turn, table.deal.upcard_taken) == ("DISCARD", 0, 1)


def test_a_dealer_who_sits_out_in_round_two_exchanges_nothing():
    table = named_alone(2, "standard,dealer_sits_out_exchange=true")
    assert (table.phase, table.deal.upcard_taken, table.deal.sitting_out) == ("PLAY", 0, 0b0001)


def test_alone_is_part_of_the_call_and_never_a_later_question():
    table = play(table_with(upcard="9H"), FOUR_PASSES + "name clubs")
    assert (table.phase, table.deal.alone, table.deal.sitting_out) == ("PLAY", 0, 0)
