"""What the rule-based player plays to a trick somebody led (docs/rules.md, "Following")."""

import pytest
from support.rule_bot_choices import choice_at, view_in_trick

from euchre_env.cards import HEARTS, parse_card
from euchre_env.view import LEFT, ME, PARTNER, RIGHT

SPADES_BUT_THE_NINE = "JS JC AS KS QS TS"


def follow(hand, trick, **more):
    """The card chosen from `hand`; in `trick` the last card is the right neighbour's, the card before it partner's."""
    return choice_at(view_in_trick(hand, trick, **more))


# Partner is winning


@pytest.mark.parametrize(
    ("hand", "card"),
    [("KH QH 9D", "QH"), ("9D KC JS", "9D"), ("KD KC JS", "KC"), ("JS TS", "TS"), ("AC 9S", "AC")],
)
def test_last_to_play_it_leaves_the_trick_to_partner_and_plays_its_lowest(hand, card):
    assert follow(hand, "9H AH TH") == card


def test_it_plays_last_too_when_the_left_neighbour_sits_out():
    assert follow("AH TH", "QH 9H", trump="H", gone="JH JD", sitting_out=LEFT) == "TH"
    assert follow("AH TH", "QH 9H", trump="H", gone="JH JD") == "AH"  # where the left neighbour is still to play


def test_when_no_unseen_card_beats_partners_it_plays_its_lowest():
    assert follow("AS QS", "JS 9S") == "QS"  # the right bower
    assert follow("9S 9D", "AH TH", gone=SPADES_BUT_THE_NINE) == "9D"  # every other trump is gone
    assert follow("JS QS", "JC 9S") == "QS"  # what beats it is in the own hand


def test_with_the_benny_in_the_pack_the_right_bower_can_still_be_beaten():
    assert follow("2S QS", "JC 9S", rules="british") == "2S"
    assert follow("2S QS", "JS 9S", rules="british") == "QS"
    assert follow("JS QS", "JC 9S", rules="british") == "QS"  # its right bower is not sure to win


def test_it_wins_over_partner_with_its_cheapest_sure_card():
    assert follow("JS 9S 9D", "AH TH") == "JS"
    assert follow("AS JC JS 9D", "AH TH") == "AS"  # both bowers are its own
    assert follow("AS JC 9D", "AH TH") == "9D"  # the right bower can still come
    assert follow("AS JC 9D", "AH TH", gone="JS") == "AS"


def test_it_plays_low_when_partner_can_be_beaten_and_it_has_no_sure_card():
    assert follow("KH 9H", "AH TH") == "9H"
    assert follow("9S 9D", "AH TH") == "9D"
    assert follow("KS TS", "AH TH") == "TS"


# Hearts are trump, partner led the queen, both bowers are gone, and the ace is the only sure card: it is played if the
# king can still come.
@pytest.mark.parametrize(
    ("card", "situation"),
    [
        ("AH", {"upcard": "9C"}),  # unseen
        ("AH", {"upcard": "KH", "upcard_taken": 1, "dealer": LEFT}),
        ("AH", {"upcard": "KH", "upcard_taken": 1, "dealer": RIGHT}),  # where it lies is not considered
        ("TH", {"upcard": "KH", "upcard_taken": 0}),  # turned down, or its dealer sits out
        ("TH", {"upcard": "KH", "upcard_taken": 1, "dealer": ME, "discard": "KH"}),
        ("TH", {"upcard": "9C", "dealer": ME, "discard": "KH"}),
    ],
)
def test_unseen_cards_can_still_come_and_so_can_an_upcard_taken(card, situation):
    assert follow("AH TH", "QH 9H", trump="H", gone="JH JD", **situation) == card


def test_a_card_played_before_or_held_can_not_come():
    assert follow("AH TH", "QH 9H", trump="H", gone="JH JD KH") == "TH"
    assert follow("AH TH", "QH 9H", trump="H", gone="JH JD", upcard="KH", upcard_taken=1) == "AH"
    assert follow("AH TH", "QH 9H", trump="H", gone="JH JD KH", upcard="KH", upcard_taken=1) == "TH"
    assert follow("AH KH TH", "QH 9H", trump="H", gone="JH JD") == "TH"
    assert follow("AH TH", "QH KH", trump="H", gone="JH JD") == "AH"  # and the right neighbour wins the trick


def test_voids_that_others_have_shown_are_not_considered():
    view = view_in_trick("AH TH", "QH 9H", trump="H", gone="JH JD")
    view.voids[LEFT] = 1 << HEARTS
    assert choice_at(view) == "AH"


def test_partner_wins_with_a_ruff_as_with_a_lead():
    assert follow("KH 9H", "TH 9S AH") == "9H"
    assert follow("JS TS 9D", "TH 9S AH") == "9D"


# Partner is not winning


@pytest.mark.parametrize(
    ("hand", "trick", "card"),
    [
        ("AH 9H", "KH", "AH"),
        ("AH KH 9H", "QH", "KH"),  # the cheapest that wins, whoever is still to play
        ("JS 9S 9D", "KH", "9S"),  # a void ruffs low
        ("JS TS 9S 9D", "KH TH QS", "JS"),  # over a ruff
        ("AH KH", "QH 9H TH", "KH"),
        ("AS KS QS", "TS", "QS"),
        ("JC 9C", "AS", "JC"),  # the left bower follows trump and wins
    ],
)
def test_it_plays_the_cheapest_card_that_wins(hand, trick, card):
    assert follow(hand, trick) == card


@pytest.mark.parametrize(
    ("hand", "trick", "card"),
    [
        ("QH 9H", "KH", "9H"),
        ("KD 9C", "KH", "9C"),  # no trump
        ("9D 9C", "KH", "9C"),  # equals by suit
        ("KD TC AC 9S", "KH TH JS", "TC"),  # a low trump does not win, and is kept
        ("QS TS", "JS", "TS"),
        ("AD AC", "KH", "AC"),
        ("TS 9S", "AH KH QS", "9S"),  # nothing but trumps that lose
    ],
)
def test_when_no_card_wins_it_plays_its_lowest_trumps_last(hand, trick, card):
    assert follow(hand, trick) == card


def test_the_benny_beats_the_right_bower():
    assert follow("2S 9S", "JS", rules="british") == "2S"


def test_a_partner_who_sits_out_wins_nothing():
    view = view_in_trick("AH 9H", "QH KH", trump="S", sitting_out=PARTNER)
    assert view.played[0, LEFT] == parse_card("QH")
    assert choice_at(view) == "AH"
