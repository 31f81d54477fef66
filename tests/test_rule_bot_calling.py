"""When the rule-based player calls (docs/rules.md, "Calling")."""

from itertools import combinations

import pytest
from support.rule_bot_choices import choice, reason
from support.tables import play, table_with

from euchre_agents.rule_bot.bidding import call_count
from euchre_agents.rule_bot.numbers import RULES
from euchre_env.cards import SUIT_LETTERS, SUIT_NAMES
from euchre_env.kernel import row

PASSES = ("", "pass", "pass,pass", "pass,pass,pass")  # before each seat's first bid, the dealer being seat 0
FOUR_PASSES = "pass,pass,pass,pass"


def bidding(hand, seat=1, upcard="9S", second_round=False, **more):
    """Seat `seat` with `hand` about to bid; seat 0 deals."""
    hands = [""] * 4
    hands[seat] = hand
    before = [FOUR_PASSES] * second_round + [PASSES[(seat - 1) % 4]]
    table = table_with(hands, upcard=upcard, **more)
    for passes in filter(None, before):
        play(table, passes)
    return table


def count(table, suit):
    return call_count(table.view(table.turn), SUIT_LETTERS.index(suit), row(RULES.packed())) / 100


@pytest.mark.parametrize(("rank", "half"), [("9", 0.5), ("T", 0.6), ("Q", 0.75), ("K", 0.85), ("A", 1), ("J", 1.5)])
def test_half_the_upcards_value_counts_for_its_side_and_against_the_other(rank, half):
    counts = [count(bidding("JC 9H TH 9D TD", seat, upcard=f"{rank}S"), "S") for seat in (1, 2, 3)]
    assert counts == [2.5 - half, 2.5 + half, 2.5 - half]


def test_it_orders_up_at_six_or_more():
    assert choice(bidding("JS AS AH 9H 9D", seat=1)) == "order up"  # 6.5 - 0.5
    assert choice(bidding("JS KS AH 9H 9D", seat=1)) == "pass"  # 6.2 - 0.5
    assert choice(bidding("QS JC AH 9H 9D", seat=2)) == "order up"  # 5.5 + 0.5
    assert choice(bidding("TS JC AH 9H 9D", seat=2)) == "pass"  # 5.2 + 0.5
    assert choice(bidding("JS TS AH 9D 9C", seat=2, upcard="QS")) == "pass"  # 5.2 + 0.75, the nearest there is to 6
    assert choice(bidding("JS AS AH 9H 9D", seat=3)) == "order up"
    assert choice(bidding("JS KS AH 9H 9D", seat=3)) == "pass"


def test_the_dealer_counts_its_hand_after_taking_the_upcard_and_discarding():
    table = bidding("KS QS 9H TH 9D", seat=0, upcard="AS")
    assert choice(table) == "order up"
    assert reason(table) == "Its count for spades is 6.2, 6 or more."  # without 9D it has neither diamond nor club
    assert choice(bidding("KS TS 9H TH 9D", seat=0, upcard="AS")) == "pass"  # 5.9


def test_a_dealer_who_may_not_discard_the_upcard_counts_the_other_five():
    hand = "JS JC AS KS QS"
    assert count(bidding(hand, seat=0), "S") == 10.7 + 1.5  # the nine goes
    assert count(bidding(hand, seat=0, rules="standard,discard_upcard=false"), "S") == 10.7 - 1.5 + 1 + 1.5


def test_it_names_the_suit_with_the_highest_count():
    table = bidding("JH AH KH 9C TD", seat=2, second_round=True)
    assert choice(table) == "name hearts"
    assert [count(table, suit) for suit in "CDH"] == [2.0, 5.2, 7.2]  # no spade


def test_it_passes_in_round_two_when_no_suit_counts_six():
    table = bidding("JH KH QD 9C TC", seat=2, second_round=True)
    assert (choice(table), reason(table)) == ("pass", "Its count for hearts is 5.2, under 6.")


def test_it_never_names_the_suit_turned_down():
    table = bidding("JS AS KS 9H 9D", seat=2, upcard="9S", second_round=True)
    assert choice(table) == "pass"


@pytest.mark.parametrize(("first", "second"), list(combinations(SUIT_LETTERS, 2)))
def test_of_equal_counts_it_names_the_earlier_suit(first, second):
    low, turned_down = (suit for suit in SUIT_LETTERS if suit not in (first, second))
    hand = f"J{first} A{first} J{second} A{second} 9{low}"
    table = bidding(hand, seat=2, upcard=f"9{turned_down}", second_round=True)
    assert count(table, first) == count(table, second) > count(table, low)
    assert choice(table) == f"name {SUIT_NAMES[SUIT_LETTERS.index(first)]}"


@pytest.mark.parametrize(("seat", "suit"), [(1, "diamonds"), (2, "clubs"), (3, "clubs"), (0, "clubs")])
def test_the_eldest_hand_alone_adds_half_a_point_for_next(seat, suit):
    table = bidding("JC AC JD AD 9S", seat, upcard="9H", second_round=True)  # 6.5 in clubs and in diamonds
    assert choice(table) == f"name {suit}"


def test_next_can_lift_the_eldest_hand_to_six():
    hand = "JD QD AS TH TC"  # 5.5 in diamonds
    assert choice(bidding(hand, seat=1, upcard="9H", second_round=True)) == "name diamonds"
    assert choice(bidding(hand, seat=1, upcard="9C", second_round=True)) == "pass"
    assert choice(bidding(hand, seat=3, upcard="9H", second_round=True)) == "pass"


def test_a_stuck_dealer_names_its_best_suit_whatever_the_count():
    hand = "9C TC QD KD 9H"
    assert choice(bidding(hand, seat=0, second_round=True)) == "pass"
    table = bidding(hand, seat=0, second_round=True, rules="midwest")
    assert choice(table) == "name diamonds"
    assert reason(table) == "It may not pass, and its best count is 3.7, for diamonds."


def test_a_stuck_dealer_who_may_name_any_suit_considers_all_four():
    hand, rules = "KS QS TS 9H TD", "midwest,stuck_dealer_any_suit=true"
    assert choice(bidding(hand, seat=0, second_round=True, rules=rules)) == "name spades"
    assert choice(bidding(hand, seat=0, second_round=True, rules="midwest")) == "name diamonds"


def test_the_score_changes_nothing():
    hand = "JS KS AH 9H 9D"
    for scores in ((9, 0), (0, 9), (9, 9)):
        assert choice(bidding(hand, seat=1, scores=scores)) == "pass"


# Alone


@pytest.mark.parametrize("seat", [1, 2, 3])
@pytest.mark.parametrize(
    ("hand", "call"),
    [
        ("JS AS KS AH AD", "order up alone"),
        ("JS JC TS AH AD", "order up alone"),  # the left bower is the third trump
        ("JS JC AS KS QS", "order up alone"),  # nothing outside trump at all
        ("JC AS KS AH AD", "order up"),  # no right bower
        ("JS AS AH AD AC", "order up"),  # two trumps; the upcard is not its own
        ("JS AS KS AH KD", "order up"),  # a king outside trump
    ],
)
def test_it_goes_alone_with_right_bower_three_trumps_and_aces(seat, hand, call):
    assert choice(bidding(hand, seat)) == call


def test_the_dealer_judges_whether_to_go_alone_after_the_discard():
    assert choice(bidding("JS AS AH AD 9C", seat=0)) == "order up alone"  # takes 9S, discards 9C
    assert choice(bidding("JS AS AH TD 9C", seat=0)) == "order up"  # keeps TD
    assert choice(bidding("AS KS AH AD 9C", seat=0, upcard="JS")) == "order up alone"  # the right bower is the upcard


def test_dealers_partner_counts_no_upcard_towards_going_alone():
    assert choice(bidding("AS KS QS AH AD", seat=2, upcard="JS")) == "order up"


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_it_goes_alone_in_round_two_on_the_same_terms(seat):
    assert choice(bidding("JH AH KH AC AD", seat, second_round=True)) == "name hearts alone"
    assert choice(bidding("JD AH KH AC AD", seat, second_round=True)) == "name hearts"
    assert choice(bidding("JH AH KH AC KD", seat, second_round=True)) == "name hearts"


# Other house rules


def test_where_only_a_lone_call_is_allowed_it_calls_alone_or_passes():
    table = bidding("JS AS KS QS 9H", seat=2, rules="canadian")
    assert choice(table) == "pass"
    assert reason(table) == "It may call only alone, and its hand, with 9.7 for spades, is not one for that."
    assert choice(bidding("JS AS KS AH AD", seat=2, rules="canadian")) == "order up alone"
    assert choice(bidding("JS AS KS QS 9H", seat=1, rules="canadian")) == "order up"
    any_call = "canadian,canadian_loner=any_call"
    for rules, call in (("canadian", "name hearts"), (any_call, "pass")):
        assert choice(bidding("JH AH KH QH 9D", seat=2, second_round=True, rules=rules)) == call
    assert choice(bidding("JH AH KH AC AD", seat=2, second_round=True, rules=any_call)) == "name hearts alone"


def test_a_dealer_who_turned_up_the_benny_names_its_best_suit():
    table = bidding("AH KH QH 9C TD", seat=1, upcard="2S", rules="british", dealer=1)  # 9C goes: no club, no spade
    assert choice(table) == "name hearts"
    assert reason(table) == "The Benny is turned up, and the best count is 9.7, for hearts."


@pytest.mark.parametrize(
    ("hand", "call"),
    [
        ("AH KH AC AD 9S", "name hearts alone"),  # the Benny will do for the right bower
        ("AH KH AC KD 9S", "name hearts"),
        ("AH TC AC AD 9S", "name clubs alone"),  # the Benny is the third trump
    ],
)
def test_a_benny_turned_up_serves_as_right_bower_to_go_alone(hand, call):
    assert choice(bidding(hand, seat=1, upcard="2S", rules="british", dealer=1)) == call


def test_a_benny_in_the_hand_does_not_serve_as_right_bower():
    assert choice(bidding("2S AH KH AC AD", upcard="9H", rules="british")) == "order up"
    assert choice(bidding("2S JH KH AC AD", upcard="9H", rules="british")) == "order up alone"


def test_it_never_defends_alone():
    rules = "standard,defend_alone=always"
    table = play(table_with(("", "JS JC AS KS QS", "", ""), upcard="9S", dealer=3, rules=rules), "order up")
    table.step(table.legal_actions()[0])  # the dealer's discard
    assert (table.phase, table.turn) == ("DEFEND", 1)
    assert choice(table) == "pass"
