"""A view as named facts and as sentences: complete, true, and without a card that its owner cannot know."""

import json
import random
import re

import pytest
from hypothesis import given, settings
from support.hidden_worlds import hidden_cards
from support.rules import EVERYTHING
from support.tables import ANY_RULES, SEEDS, choose, play, table_with

from euchre_env import Table, parse_action, parse_rules, view_facts, view_text
from euchre_env.actions import ACTION_NAMES
from euchre_env.cards import CARD_NAMES, NO_CARD, card_names
from euchre_env.deal import SEATS, trick_winner
from euchre_env.deal_text import auction_so_far, tricks_so_far
from euchre_env.view import SEAT_NAMES

HANDS = ("JH AH TS QS AS", "9C QC AC 9H QH", "KC TD JD KD JS", "TC JC QD TH KS")
PLAYED = "pass, order up, AH, QH, KC, TH, JH, 9H"
EVERYBODY_KNOWS = r"Upcard: .. *,|its highest cards .*?\.|One more card is .*?\."


def positions(rules, seed):
    """The positions of one deal of random play, the last after its end."""
    rng, table = random.Random(seed), Table(rules, seed=seed, one_deal=True)
    yield table
    while not table.is_over:
        table.step(choose(table, rng))
        yield table


@pytest.mark.compiled  # hundreds of views in each example
@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_the_facts_are_those_of_the_deal(rules, seed):
    for table in positions(rules, seed):
        deal = table.deal
        for viewer in SEATS:
            names = {SEAT_NAMES[(seat - viewer) & 3]: seat for seat in SEATS}
            facts = json.loads(json.dumps(view_facts(table.view(viewer))))
            assert parse_rules(facts["rules"]) == table.rules
            assert facts["hand"] == card_names(deal.hands[viewer])
            said = [action for action in auction_so_far(deal) if ACTION_NAMES[action] not in CARD_NAMES]
            assert [parse_action(what.replace("decline", "pass")) for _, what in facts["auction"]] == said
            assert [[CARD_NAMES[c] for c in cards] for cards in tricks_so_far(deal)] == [
                [card for _, card in trick["cards"]] for trick in facts["tricks"]
            ]
            for number, trick in enumerate(facts["tricks"]):
                assert all(deal.played[number, names[seat]] == CARD_NAMES.index(card) for seat, card in trick["cards"])
                assert names[trick["best"]] == trick_winner(deal, number)
            legal = [parse_action(name.replace("decline", "pass")) for name in facts["legal"]]
            assert legal == (table.legal_actions() if table.turn == viewer else [])
            knows_discard = viewer == deal.dealer and deal.discard != NO_CARD
            assert facts["discard"] == (CARD_NAMES[deal.discard] if knows_discard else None)


@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_the_auction_names_the_seats_that_spoke(rules, seed):
    turns, table, rng = [], Table(rules, seed=seed, one_deal=True), random.Random(seed)
    while not table.is_over and table.phase != "PLAY":
        if table.phase != "DISCARD":
            turns.append(table.turn)
        table.step(choose(table, rng))
    assert [SEAT_NAMES.index(seat) for seat, _ in view_facts(table.view(0))["auction"]] == turns


@pytest.mark.compiled  # hundreds of views in each example
@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_neither_facts_nor_text_name_a_hidden_card(rules, seed):
    for table in positions(rules, seed):
        for viewer in SEATS:
            hidden = {CARD_NAMES[card] for card in hidden_cards(table.deal, viewer)}
            view = table.view(viewer)
            facts = view_facts(view) | {"upcard": None}  # the upcard was shown, wherever it lies now
            for text in (json.dumps(facts), re.sub(EVERYBODY_KNOWS, "", view_text(view))):
                assert not hidden & set(re.findall(r"\b[2-9TJQKA][CDHS]\b", text))


def test_a_worked_position_reads_as_it_should():
    table = play(table_with(HANDS, "9S", "9D AD KH", rules="pagat", scores=(3, 5)), PLAYED)
    assert view_text(table.view()).splitlines()[1:] == [
        "House rules: pagat. To win the game we need 7 points, they need 5.",
        "PARTNER dealt. Upcard: 9S, taken by the dealer.",
        "The auction: RIGHT pass, ME order up.",
        "Trump is spades, its highest cards JS, JC. I made it.",
        "Trick 1: RIGHT QH, ME KC, LEFT TH, PARTNER JH; RIGHT won it.",
        "Trick 2: RIGHT 9H; RIGHT has the best card so far.",
        "Tricks won: 0 by us, 1 by them, of 5.",
        "My hand: TD, JD, KD, JS.",
        "It is my turn. I may: play TD, play JD, play KD, play JS.",
    ]


def test_lone_hands_read_as_they_should():
    table = play(table_with(HANDS, "9S", "9D AD KH", rules="tournament"), "order up alone, 9S, defend alone")
    assert view_text(table.view(0)).splitlines()[2:] == [
        "I dealt. Upcard: 9S, taken by the dealer.",
        "The auction: LEFT order up alone, PARTNER defend alone.",
        "Trump is spades, its highest cards JS, JC. LEFT made it, alone. PARTNER defends alone. "
        "Sitting out: ME, RIGHT.",
        "I discarded 9S.",
        "My hand: JH, AH, TS, QS, AS.",
        "It is the turn of LEFT.",
    ]
    assert "I made it, alone. LEFT defends alone. Sitting out: PARTNER, RIGHT." in view_text(table.view(1))
    assert "RIGHT made it, alone. I defend alone. Sitting out: LEFT, PARTNER." in view_text(table.view(2))


def test_the_benny_is_introduced_where_it_is_in_the_pack():
    benny = "One more card is in the pack, 2S, the Benny: the highest trump, whatever suit is trump."
    introductions = [view_text(Table(rules, seed=1).view()).splitlines()[0] for rules in ("standard", "british")]
    assert introductions[1] == f"{introductions[0]} {benny}"


def test_only_a_view_has_facts():
    for wrong in (None, Table(EVERYTHING, seed=1).deal):
        with pytest.raises(ValueError, match="a view must be a record of dtype VIEW"):
            view_facts(wrong)  # type: ignore[arg-type]  # a mistake
        with pytest.raises(ValueError, match="a view must be a record of dtype VIEW"):
            view_text(wrong)  # type: ignore[arg-type]  # a mistake
