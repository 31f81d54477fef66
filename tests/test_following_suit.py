"""Legal plays and trick winners: bowers, following suit, trumping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import legal_names, play, table_with

from euchre_env.cards import (
    CARD_NAMES,
    CARDS_IN_SUIT,
    NO_CARD,
    NO_SUIT,
    SPADES,
    SUIT_LETTERS,
    SUIT_OF,
    SUITS,
    TRICK_POWER,
    card_names,
    cards_in,
    parse_card,
)
from euchre_env.deal import DEAL, SEATS, clear, legal_plays, trick_winner
from euchre_env.kernel import records, row

# Every card by trump, highest trump first (docs/rules.md, "Cards"); then the plain suits, highest card first.
TRUMPS = {
    "C": "2S JC JS AC KC QC TC 9C",
    "D": "2S JD JH AD KD QD TD 9D",
    "H": "2S JH JD AH KH QH TH 9H",
    "S": "2S JS JC AS KS QS TS 9S",
}
PLAIN = {
    "C": ("AD KD QD JD TD 9D", "AH KH QH JH TH 9H", "AS KS QS TS 9S"),
    "D": ("AC KC QC JC TC 9C", "AH KH QH TH 9H", "AS KS QS JS TS 9S"),
    "H": ("AC KC QC JC TC 9C", "AD KD QD TD 9D", "AS KS QS JS TS 9S"),
    "S": ("AC KC QC TC 9C", "AD KD QD JD TD 9D", "AH KH QH JH TH 9H"),
}


def ids(names):
    return [parse_card(name) for name in names.split()]


@pytest.mark.parametrize("trump", SUIT_LETTERS)
def test_these_cards_and_no_others_are_trumps(trump):
    suit = SUIT_LETTERS.index(trump)
    assert cards_in(CARDS_IN_SUIT[suit, suit]) == sorted(ids(TRUMPS[trump]))
    for names in PLAIN[trump]:
        plain = SUIT_LETTERS.index(names[1])
        assert cards_in(CARDS_IN_SUIT[suit, plain]) == sorted(ids(names))


@pytest.mark.parametrize("trump", SUIT_LETTERS)
def test_trumps_then_the_suit_led_then_nothing(trump):
    suit = SUIT_LETTERS.index(trump)
    for led_names in PLAIN[trump]:
        led = SUIT_LETTERS.index(led_names[1])
        order = ids(TRUMPS[trump]) + ids(led_names)
        powers = [TRICK_POWER[suit, led, card] for card in order]
        assert powers == sorted(powers, reverse=True)
        assert len(set(powers)) == len(order)
        assert min(powers) > 0
        assert all(TRICK_POWER[suit, led, card] == 0 for card in range(25) if card not in order)


def test_before_trump_is_named_nothing_is_a_bower():
    assert [SUIT_LETTERS[SUIT_OF[parse_card("J" + suit), NO_SUIT]] for suit in SUIT_LETTERS] == list(SUIT_LETTERS)
    assert SUIT_OF[parse_card("2S"), NO_SUIT] == NO_SUIT


@pytest.mark.parametrize(
    ("hand", "trump", "led", "playable"),
    [
        ("JD 9D AC KS 9H", "H", "H", "JD 9H"),  # the left bower follows trump,
        ("JD 9D AC KS 9H", "H", "D", "9D"),  # not its printed suit
        ("JD AC KC KS 9S", "H", "D", "JD AC KC KS 9S"),  # with the left bower alone it has no diamond: anything goes
        ("JD 9C TC KS 9S", "H", "H", "JD"),  # the left bower is the only trump and must be played
        ("JH 9C TC KS 9S", "H", "H", "JH"),
        ("JS 9C TC KH 9S", "H", "S", "JS 9S"),  # jacks of the other colour are plain cards
        ("JC 9C TC KS 9S", "S", "C", "9C TC"),
        ("JC JS 9H KD 9D", "C", "C", "JC JS"),
        ("2S 9S TS KD 9D", "H", "S", "9S TS"),  # the Benny is no spade
        ("2S 9S TS KD 9D", "H", "H", "2S"),  # but a trump
        ("AC KC QC TC 9C", "D", "D", "AC KC QC TC 9C"),  # a void may play anything
        ("AC KC QD TC 9C", "H", "D", "QD"),
    ],
)
def test_a_hand_must_follow_the_effective_suit_led_if_it_can(hand, trump, led, playable):
    cards = sum(1 << card for card in ids(hand))
    plays = legal_plays(cards, SUIT_LETTERS.index(led), SUIT_LETTERS.index(trump))
    assert set(card_names(plays)) == set(playable.split())


def test_the_leader_may_play_any_card():
    table = play(table_with(("", "JH 9H AC KS QD", "", ""), upcard="9S"), "pass,pass,pass,pass,name hearts")
    assert legal_names(table) == {"JH", "9H", "AC", "KS", "QD"}


def test_a_left_bower_that_is_led_asks_for_trump():
    hands = ("9D TD AC KC QC", "JD 9C TC 9S TS", "9H AD KD QD KS", "AH KH QH TH AS")
    table = play(table_with(hands, "JH"), "pass, pass, pass, order up, discard TD, JD")
    assert legal_names(table) == {"9H"}
    play(table, "9H")
    assert legal_names(table) == {"AH", "KH", "QH", "TH"}
    play(table, "AH")
    assert legal_names(table) == {"JH"}
    play(table, "JH")
    assert table.turn == 0


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("AC 9C KC TC", 0),  # the highest of the suit led
        ("9C TC KC AD", 2),  # an ace of another suit is worth nothing
        ("9C AD AH KD", 0),  # even if nobody follows
        ("AC 9S KC TC", 1),  # the lowest trump beats the ace
        ("AS JS KS JC", 1),  # right bower over left bower and ace
        ("AS 9S KS JC", 3),  # left bower over ace
        ("9H JH QH TH", 2),  # a jack of the other colour is a plain jack
        ("9D JC AD JS", 3),  # of two bowers that ruff, the right one
        ("9D JC AD 9S", 1),
        ("JS 2S AS JC", 1),  # the Benny over everything
        ("9D 2S AD JS", 1),
        ("9C - KC AC", 3),  # nobody plays for a seat that is out
        ("AC - - TC", 0),
    ],
)
@pytest.mark.parametrize("leader", SEATS)
def test_who_wins_a_trick_with_spades_as_trump(trick, winner, leader):
    deals = records(1, DEAL)
    deal = row(deals)
    clear(deal, 0)
    deal.trump, deal.leaders[0] = SPADES, leader
    for place, name in enumerate(trick.split()):
        deal.played[0, (leader + place) % 4] = NO_CARD if name == "-" else parse_card(name)
    assert trick_winner(deals[0], 0) == (leader + winner) % 4


@given(trump=st.sampled_from(SUITS), led=st.sampled_from(SUITS), hand=st.sets(st.integers(0, 24), min_size=1))
def test_what_may_be_played_agrees_with_the_rule_read_card_by_card(trump, led, hand):
    trumps = TRUMPS[SUIT_LETTERS[trump]].split()

    def counts_as(card):
        name = CARD_NAMES[card]
        return SUIT_LETTERS[trump] if name in trumps else name[1]

    following = {card for card in hand if counts_as(card) == SUIT_LETTERS[led]}
    plays = legal_plays(sum(1 << card for card in hand), led, trump)
    assert set(cards_in(plays)) == (following or hand)
