"""Deals with fixed cards: given cards are in their places, the rest is dealt at random, wrong cards are refused."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import SEEDS, table_with

from euchre_env.actions import PASS_ID
from euchre_env.cards import BENNY, CARD_NAMES, PACK, PACK_WITH_BENNY, card_names, cards_in, parse_card
from euchre_env.custom_deal import FixedCards, lay_cards
from euchre_env.deal import DEAL, SEATS, shuffled_pack
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import records, row
from euchre_env.table import Table

HANDS = ("JH AH TS QS AS", "9C QC AC 9H QH", "KC TD JD KD JS", "TC JC QD TH KS")
UPCARD, KITTY = "9S", "9D AD KH"


def all_cards(deal):
    return (*(int(hand) for hand in deal.hands), 1 << int(deal.upcard), int(deal.kitty))


@pytest.mark.parametrize("dealer", SEATS)
def test_a_whole_deal_lies_as_it_was_given(dealer):
    deal = table_with(HANDS, UPCARD, KITTY, dealer=dealer).deal
    assert [set(card_names(hand)) for hand in deal.hands] == [set(hand.split()) for hand in HANDS]
    assert CARD_NAMES[deal.upcard] == UPCARD
    assert set(card_names(deal.kitty)) == set(KITTY.split())
    assert deal.dealer == dealer


def test_cards_may_be_given_by_id_of_python_or_numpy():
    by_name = table_with(HANDS, UPCARD, KITTY).deal
    hands = [np.array([parse_card(name) for name in hand.split()]) for hand in HANDS]
    cards = FixedCards([list(hand) for hand in hands], parse_card(UPCARD), [parse_card(name) for name in KITTY.split()])
    assert Table(dealer=0, cards=cards).deal.tobytes() == by_name.tobytes()


@given(seed=SEEDS, number=st.integers(0, 10**6), benny=st.booleans(), choice=SEEDS)
def test_chance_deals_what_is_left_open_from_the_pack_of_the_deal_number(seed, number, benny, choice):
    rng = random.Random(choice)
    pack = list(range(24 + benny))
    rng.shuffle(pack)
    given_hands = [[pack.pop() for _ in range(5)] if rng.random() < 0.5 else [] for _ in SEATS]
    upcard = pack.pop() if rng.random() < 0.5 else None
    kitty = [pack.pop() for _ in range(3 + benny)] if rng.random() < 0.5 else None
    rules = "british" if benny else "standard"
    deal = Table(rules, seed, deal_number=number, dealer=0, cards=FixedCards(given_hands, upcard, kitty)).deal
    for seat in SEATS:
        assert not given_hands[seat] or set(cards_in(deal.hands[seat])) == set(given_hands[seat])
    assert upcard is None or deal.upcard == upcard
    assert kitty is None or set(cards_in(deal.kitty)) == set(kitty)
    # The rest lies in the order of the shuffled pack: first the hands, then the upcard, then the kitty.
    rest = [int(card) for card in shuffled_pack(seed, number, int(benny)) if card in pack]
    for seat in SEATS:
        if not given_hands[seat]:
            assert set(cards_in(deal.hands[seat])) == set(rest[:5])
            rest = rest[5:]
    if upcard is None:
        assert deal.upcard == rest.pop(0)
    assert kitty is not None or set(cards_in(deal.kitty)) == set(rest)
    assert sum(all_cards(deal)) == (PACK_WITH_BENNY if benny else PACK)


def test_no_cards_given_is_the_deal_of_the_seed():
    assert Table(seed=5, deal_number=9, dealer=1, cards=FixedCards()).deal.tobytes() == (
        Table(seed=5, deal_number=9, dealer=1).deal.tobytes()
    )


def test_only_the_first_deal_is_fixed():
    chosen, dealt = table_with(HANDS, UPCARD, KITTY, seed=5), Table(seed=5, dealer=0)
    for table in (chosen, dealt):
        for _ in range(8):
            table.step(PASS_ID)
    assert chosen.deal.tobytes() == dealt.deal.tobytes()


def test_a_benny_turned_up_on_purpose_takes_the_auction():
    assert Table("british", dealer=2, cards=FixedCards(upcard="2S")).phase == "BENNY"
    assert Table("british", dealer=2, cards=FixedCards(upcard=BENNY)).phase == "BENNY"


LISTS = [hand.split() for hand in HANDS]


@pytest.mark.parametrize(
    ("changes", "rules", "message"),
    [
        ({"upcard": "JH"}, "standard", "JH stands more than once in the deal"),
        ({"kitty": ["9D", "AD", "AD"]}, "standard", "AD stands more than once in the deal"),
        ({"upcard": "2S"}, "standard", "2S is in the pack only under the house rule benny"),
        ({}, "british", "the kitty must have 4 cards or be left empty, not 3"),
        ({"kitty": ["9D", "AD"]}, "standard", "the kitty must have 3 cards or be left empty, not 2"),
        ({"kitty": 0}, "standard", "the kitty must be a list of cards, not 0"),
        ({"kitty": ""}, "standard", "the kitty must be a list of cards, not ''"),
        ({"kitty": np.arange(3)}, "standard", r"the kitty must be a list of cards, not array\("),
        ({"hands": LISTS[:3]}, "standard", "hands must be four lists of cards, not"),
        ({"hands": [*LISTS[:3], ["TC"]]}, "standard", "the hand of seat 3 must have 5 cards or be left empty, not 1"),
        ({"hands": [["ZZ"] * 5, [], [], []]}, "standard", "'ZZ' is not a card; a card is a rank of 9TJQKA"),
        ({"hands": ["JHAHTSQSAS", [], [], []]}, "standard", "the hand of seat 0 must be a list of cards"),
        ({"hands": [7, [], [], []]}, "standard", "the hand of seat 0 must be a list of cards, not 7"),
        ({"upcard": 25}, "standard", "a card of the upcard must be a name such as 'JC' or an id from 0 to 24"),
        ({"upcard": -1}, "standard", "a card of the upcard must be a name"),
        ({"upcard": True}, "standard", "a card of the upcard must be a name"),
        ({"upcard": 1.0}, "standard", "a card of the upcard must be a name"),
    ],
)
def test_impossible_cards_are_refused(changes, rules, message):
    cards = {"hands": LISTS, "upcard": UPCARD, "kitty": KITTY.split()} | changes
    with pytest.raises(ValueError, match=message):
        Table(rules, dealer=0, cards=FixedCards(**cards))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dealer": 4}, "dealer must be a whole number from 0 to 3, not 4"),
        ({"dealer": True}, "dealer must be a whole number from 0 to 3, not True"),
        ({"dealer": "0"}, "dealer must be a whole number from 0 to 3, not '0'"),
        ({"seed": -1}, r"seed must be a whole number from 0 to 2\*\*63 - 1, not -1"),
        ({"seed": 2**63}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"deal_number": -1}, "deal_number must be a whole number"),
        ({"scores": (10, 0)}, "already end a game under rules 'standard'"),
        ({"scores": (3, 14)}, "already end a game"),
        ({"scores": (-1, 0)}, "a score must be a whole number"),
        ({"scores": (1, 2, 3)}, "scores are the points of the two teams"),
    ],
)
def test_impossible_places_to_start_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Table(**arguments)


def test_refused_cards_leave_a_deal_as_it_was():
    deals, packed = records(1, DEAL), row(parse_rules("standard").packed())
    lay_cards(row(deals), packed, 3, 0, 1, FixedCards())
    before = deals.tobytes()
    with pytest.raises(ValueError, match="more than once"):
        lay_cards(row(deals), packed, 3, 0, 1, FixedCards([["JH"] * 5, [], [], []]))
    assert deals.tobytes() == before


def test_cards_that_are_not_cards_are_refused():
    with pytest.raises(ValueError, match=r"cards must be FixedCards\(hands, upcard, kitty\), not 5"):
        Table(cards=5)  # type: ignore[arg-type]  # that is the point
