"""What the rule-based player leads (docs/rules.md, "Leading")."""

import pytest
from support.rule_bot_choices import choice_at, view_in_trick

from euchre_env.view import LEFT, ME, PARTNER, RIGHT

NOT_THE_MAKER = pytest.mark.parametrize("maker", [LEFT, PARTNER, RIGHT])


def lead(hand, maker, **more):
    return choice_at(view_in_trick(hand, maker=maker, **more))


@pytest.mark.parametrize(
    ("hand", "card"),
    [("KS AS AH 9D TD", "AS"), ("JC AS AH 9D TD", "JC"), ("TS QS AH 9D", "QS"), ("JS JC", "JS"), ("9S TS AH", "TS")],
)
def test_the_maker_with_two_trumps_or_more_leads_its_highest(hand, card):
    assert lead(hand, maker=ME) == card


def test_the_maker_leads_the_benny_before_the_right_bower():
    assert lead("JS 2S AH 9D TD", maker=ME, rules="british") == "2S"


@pytest.mark.parametrize(("hand", "card"), [("AS AH 9D TD QC", "AH"), ("AS KH 9D TD QC", "9D"), ("JC 9D TD", "9D")])
def test_the_maker_with_fewer_trumps_leads_as_everyone_else_does(hand, card):
    assert lead(hand, maker=ME) == card


@NOT_THE_MAKER
@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("JS AS AH 9D TD", "AH"),
        ("AS KS KH 9D TD", "9D"),  # the ace of trump is not meant
        ("JC 9S KH QH KD", "QH"),  # the left bower is a trump
    ],
)
def test_everyone_else_leads_an_ace_or_the_lowest_card_outside_trump(hand, card, maker):
    assert lead(hand, maker) == card


@NOT_THE_MAKER
@pytest.mark.parametrize(
    ("hand", "card"),
    [("AD AH AC JS 9S", "AC"), ("AD AH JS JC AS", "AD"), ("9D 9H 9C KH KD", "9C"), ("9H 9D KC QC JS", "9D")],
)
def test_of_equal_cards_the_earlier_suit_is_led(hand, card, maker):
    assert lead(hand, maker) == card


@pytest.mark.parametrize(("maker", "card"), [(ME, "JS"), (PARTNER, "JS"), (LEFT, "TS"), (RIGHT, "TS")])
def test_with_only_trumps_makers_lead_the_highest_defenders_the_lowest(maker, card):
    assert lead("KS JS TS JC AS", maker) == card
