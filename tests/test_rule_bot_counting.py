"""How the rule-based player counts a hand for a trump suit (docs/rules.md, "Counting a hand")."""

import pytest
from support.rule_bot_choices import card_set, reason
from support.tables import play, table_with

from euchre_agents.rule_bot.bidding import hand_count
from euchre_agents.rule_bot.numbers import RULES
from euchre_env.cards import SUIT_LETTERS
from euchre_env.kernel import row

VALUES = {"2S": 3.5, "JS": 3, "JC": 2.5, "AS": 2, "KS": 1.7, "QS": 1.5, "TS": 1.2, "9S": 1}


def count(hand, trump="S"):
    return hand_count(card_set(hand), SUIT_LETTERS.index(trump), row(RULES.packed())) / 100


def test_a_hand_with_known_count_and_its_calls():
    assert count("JS AS 9S AH TD") == 7.5
    table = table_with(("", "JS AS 9S AH TD", "", ""), upcard="KS", dealer=0)
    assert reason(table) == "Its count for spades is 6.65, 6 or more."  # an opponent takes off half of 1.7
    assert reason(play(table_with(("", "JS AS 9S AH TD", "", ""), upcard="9C", dealer=0), "pass,pass,pass,pass")) == (
        "Its count for spades is 8, 6 or more."  # eldest hand, and clubs were turned down
    )


@pytest.mark.parametrize(("card", "value"), list(VALUES.items()))
def test_each_trump_has_its_value(card, value):
    assert count(f"{card} 9H TH 9D TD") == value


@pytest.mark.parametrize("trump", SUIT_LETTERS)
def test_every_suit_counts_alike_as_trump(trump):
    mate = SUIT_LETTERS[3 - SUIT_LETTERS.index(trump)]
    low = next(suit for suit in SUIT_LETTERS if suit not in (trump, mate))
    assert count(f"J{trump} J{mate} Q{trump} 9{mate} T{low}", trump) == 3 + 2.5 + 1.5 + 0.5


@pytest.mark.parametrize("num_aces", [0, 1, 2, 3])
def test_each_ace_of_another_suit_counts_one(num_aces):
    hand = [*["AH", "AD", "AC"][:num_aces], *["9H", "TH", "QH", "KH", "JH"]][:5]
    assert count(" ".join(hand)) == num_aces


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        ("9S TS 9H TH 9D", 2.2 + 0.5),  # no club
        ("9S TS 9H TH QH", 2.2 + 1.0),  # no club, no diamond
        ("9S TS QS KS AS", 7.4 + 1.5),
        ("9S TS 9H 9D 9C", 2.2),
        ("2S 9S 9H TH 9D", 4.5 + 0.5),  # the Benny is one of two trumps
    ],
)
def test_two_trumps_or_more_add_half_a_point_for_each_suit_not_held(hand, value):
    assert count(hand) == value


def test_a_single_trump_adds_nothing_for_suits_not_held():
    assert count("9S 9H TH QH KH") == 1


def test_the_left_bower_is_a_trump_that_leaves_its_printed_suit_empty():
    assert count("JC 9S 9H TH 9D") == 3.5 + 0.5  # two trumps, and no club
    assert count("JC 9S 9H 9D 9C") == 3.5  # the nine is the only club, and it is one
