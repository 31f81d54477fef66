"""The auction: the order of bids, the legal calls, who picks up, and the effect of each house rule."""

import pytest
from support.tables import legal_names, play, table_with

from euchre_env.actions import IllegalActionError, parse_action
from euchre_env.cards import CARD_NAMES, SUIT_LETTERS, SUIT_NAMES, card_names
from euchre_env.deal import NOBODY, SEATS

FOUR_PASSES, SEVEN_PASSES = "pass,pass,pass,pass", "pass,pass,pass,pass,pass,pass,pass"


def named(*suits):
    return {f"name {suit}" for suit in suits} | {f"name {suit} alone" for suit in suits}


@pytest.mark.parametrize("dealer", SEATS)
def test_bidding_starts_left_of_the_dealer_and_goes_round_twice(dealer):
    table = table_with(upcard="9H", dealer=dealer)
    bidders = []
    for _ in range(8):
        bidders.append(table.turn)
        play(table, "pass")
    assert bidders == [(dealer + i) % 4 for i in (1, 2, 3, 4, 1, 2, 3, 4)]


def test_every_seat_may_pass_or_order_up_alone_or_not_in_round_one():
    table = table_with(upcard="9H")
    for _ in SEATS:
        assert table.phase == "FIRST_ROUND"
        assert legal_names(table) == {"pass", "order up", "order up alone"}
        play(table, "pass")


@pytest.mark.parametrize("suit", range(4))
def test_the_suit_turned_down_may_not_be_named(suit):
    table = play(table_with(upcard="J" + SUIT_LETTERS[suit]), FOUR_PASSES)
    assert table.phase == "SECOND_ROUND"
    others = [name for name in SUIT_NAMES if name != SUIT_NAMES[suit]]
    assert legal_names(table) == {"pass", *named(*others)}


@pytest.mark.parametrize("bidder", SEATS)
def test_ordering_up_makes_the_bidder_maker_and_the_upcards_suit_trump(bidder):
    table = play(table_with(upcard="TD", dealer=3), "pass," * bidder + "order up")
    assert (table.deal.maker, SUIT_NAMES[table.deal.trump], table.deal.alone) == (bidder, "diamonds", 0)


@pytest.mark.parametrize("bidder", SEATS)
def test_whoever_orders_up_the_dealer_takes_the_upcard_and_discards(bidder):
    table = play(table_with(("AH KH QH AC KC", "", "", ""), upcard="9H"), "pass," * bidder + "order up")
    assert (table.phase, table.turn) == ("DISCARD", 0)
    assert legal_names(table) == {"AH", "KH", "QH", "AC", "KC", "9H"}
    play(table, "discard KC")
    assert set(card_names(table.deal.hands[0])) == {"AH", "KH", "QH", "AC", "9H"}
    assert CARD_NAMES[table.deal.discard] == "KC"
    assert (table.phase, table.turn) == ("PLAY", 1)


def test_the_dealer_may_discard_the_card_just_picked_up():
    table = play(table_with(("AH KH QH AC KC", "", "", ""), upcard="9H"), "order up, discard 9H")
    assert set(card_names(table.deal.hands[0])) == {"AH", "KH", "QH", "AC", "KC"}


def test_the_house_may_forbid_discarding_the_card_picked_up():
    table = table_with(("AH KH QH AC KC", "", "", ""), upcard="9H", rules="standard,discard_upcard=false")
    assert legal_names(play(table, "order up")) == {"AH", "KH", "QH", "AC", "KC"}


def test_naming_a_suit_leaves_the_upcard_out_and_starts_play():
    table = table_with(("AH KH QH AC KC", "", "", ""), upcard="9H")
    play(table, FOUR_PASSES + ",pass, name spades")
    assert (table.deal.maker, SUIT_NAMES[table.deal.trump]) == (2, "spades")
    assert (table.phase, table.turn) == ("PLAY", 1)
    assert table.deal.upcard_taken == 0
    assert set(card_names(table.deal.hands[0])) == {"AH", "KH", "QH", "AC", "KC"}


def test_eight_passes_throw_the_deal_in_and_nobody_scores():
    table = play(table_with(upcard="9H"), SEVEN_PASSES + ",pass")
    assert table.last_result is not None
    assert table.last_result.points.tolist() == [0, 0]
    assert table.last_result.maker == NOBODY
    assert (table.deal_number, table.phase, table.scores) == (1, "FIRST_ROUND", (0, 0))


def test_a_dealer_who_is_not_stuck_may_pass_last():
    table = play(table_with(upcard="9H"), SEVEN_PASSES)
    assert table.turn == 0
    assert legal_names(table) == {"pass", *named("clubs", "diamonds", "spades")}


def test_dealer_is_stuck_after_seven_passes():
    table = play(table_with(upcard="9H", rules="standard,stick_the_dealer=true"), SEVEN_PASSES)
    assert table.turn == 0
    assert legal_names(table) == named("clubs", "diamonds", "spades")


def test_only_the_dealer_is_stuck():
    table = play(table_with(upcard="9H", rules="standard,stick_the_dealer=true"), FOUR_PASSES)
    for _ in range(3):
        assert "pass" in legal_names(table)
        play(table, "pass")


def test_a_stuck_dealer_may_name_any_suit_where_the_house_allows_it():
    rules = "standard,stick_the_dealer=true,stuck_dealer_any_suit=true"
    table = play(table_with(upcard="9H", rules=rules), SEVEN_PASSES)
    assert legal_names(table) == named(*SUIT_NAMES)
    play(table, "name hearts")
    assert (SUIT_NAMES[table.deal.trump], table.deal.upcard_taken, table.phase) == ("hearts", 0, "PLAY")


def test_nobody_but_the_stuck_dealer_may_name_the_suit_turned_down():
    rules = "standard,stick_the_dealer=true,stuck_dealer_any_suit=true"
    table = play(table_with(upcard="9H", rules=rules), FOUR_PASSES)
    for _ in range(3):
        assert not legal_names(table) & named("hearts")
        play(table, "pass")


def test_any_suit_has_no_effect_on_a_dealer_who_is_not_stuck():
    table = play(table_with(upcard="9H", rules="standard,stuck_dealer_any_suit=true"), SEVEN_PASSES)
    assert legal_names(table) == {"pass", *named("clubs", "diamonds", "spades")}


ALONE_ONLY_1, FREE_1 = {"pass", "order up alone"}, {"pass", "order up", "order up alone"}
FREE_2 = {"pass", *named("clubs", "diamonds", "spades")}
ALONE_ONLY_2 = {"pass", "name clubs alone", "name diamonds alone", "name spades alone"}


@pytest.mark.parametrize(
    ("value", "round_one", "round_two"),
    [
        ("off", FREE_1, FREE_2),
        ("order_up", ALONE_ONLY_1, FREE_2),
        ("any_call", ALONE_ONLY_1, ALONE_ONLY_2),
    ],
)
@pytest.mark.parametrize("dealer", SEATS)
def test_canadian_loner_binds_the_dealers_partner_alone(value, round_one, round_two, dealer):
    table = table_with(upcard="9H", dealer=dealer, rules=f"standard,canadian_loner={value}")
    for free, bound in ((FREE_1, round_one), (FREE_2, round_two)):
        for _ in SEATS:
            dealers_partner = table.turn == (dealer + 2) % 4
            assert legal_names(table) == (bound if dealers_partner else free)
            play(table, "pass")


@pytest.mark.parametrize(
    ("before", "action", "seat"),
    [
        ("", "name hearts", None),  # no other suit in round one
        ("", "AH", None),  # no card in the auction
        ("", "defend alone", None),
        ("", "order up", 2),  # not this seat's turn
        (FOUR_PASSES, "order up", None),  # too late
        (FOUR_PASSES, "name hearts", None),  # turned down
        ("order up", "pass", None),  # the dealer must discard
        ("order up", "discard AS", 1),  # and nobody else
        ("order up", "discard 2S", None),
    ],
)
def test_a_bid_that_is_not_legal_is_refused_and_changes_nothing(before, action, seat):
    table = table_with(("AH KH QH AC KC", "", "", ""), upcard="9H")
    if before:
        play(table, before)
    position = table.deal.tobytes()
    with pytest.raises(IllegalActionError):
        table.step(parse_action(action), seat)
    assert table.deal.tobytes() == position
