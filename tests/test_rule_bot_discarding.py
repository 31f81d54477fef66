"""What the rule-based dealer discards (docs/rules.md, "The dealer's discard")."""

import pytest
from support.rule_bot_choices import choice
from support.tables import play, table_with


def discard(hand, upcard="9S", rules="standard"):
    """The dealer's discard after it was ordered up holding `hand`."""
    return choice(play(table_with((hand, "", "", ""), upcard=upcard, rules=rules), "order up"))


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("KH 9D TD JS AS", "KH"),  # kings included, and before a lower card of a pair
        ("KH QD 9C JS AS", "9C"),  # the lowest of three
        ("9H 9D 9C JS AS", "9C"),  # equals by suit
        ("TH TD JS AS KS", "TD"),
        ("AH TD QD KD JS", "TD"),  # an ace is not among them
        ("JC 9C KD QD JS", "9C"),  # the left bower is no club
    ],
)
def test_first_goes_the_lowest_lone_card_of_a_suit_but_no_ace(hand, card):
    assert discard(hand) == card


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("TH KH 9D QD AS", "9D"),
        ("9H TH 9D QD AS", "9D"),  # equals by suit
        ("JC KD QD AH JS", "QD"),  # the left bower is no lone club, and the lone ace stays
        ("AH KH JS AS KS", "KH"),
    ],
)
def test_else_the_lowest_card_that_is_no_ace_goes(hand, card):
    assert discard(hand) == card


@pytest.mark.parametrize(("hand", "card"), [("AH AD JS AS KS", "AD"), ("AH JC JS AS KS", "AH")])
def test_aces_go_last_of_the_cards_outside_trump(hand, card):
    assert discard(hand) == card


def test_of_six_trumps_the_lowest_goes():
    assert discard("JS JC AS KS QS") == "9S"
    assert discard("JC AS KS QS TS", upcard="JS") == "TS"


def test_it_discards_among_the_cards_it_may_discard():
    rules = "standard,discard_upcard=false"
    assert discard("JS JC AS KS QS", rules=rules) == "QS"
    assert discard("KH 9D TD JS AS", rules=rules) == "KH"


def test_the_benny_is_a_trump_and_no_lone_spade():
    assert discard("2S 9C TC JH AH", upcard="9H", rules="british") == "9C"
    assert discard("2S JH JD AH KH", upcard="9H", rules="british") == "9H"
