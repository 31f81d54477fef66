"""A view holds all information of its seat, and no hidden information."""

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from support.hidden_worlds import DISCARD, KITTY, cards_as_dealt, hidden_cards, redealt
from support.rules import RULE_SETS
from support.tables import ANY_RULES, SEEDS, choose, table_with

from euchre_env.actions import ORDER_UP_ID
from euchre_env.cards import CARDS_IN_SUIT, SPADES, card_names, parse_card
from euchre_env.deal import SEATS
from euchre_env.observation import action_mask, encode
from euchre_env.relative_suits import frame_of, relabel_view
from euchre_env.table import Table

NO_ACTION = -1


def knowledge(table, seat):
    """The information given to `seat`, as bytes: view, observation and mask, in absolute and in relative suits."""
    view = table.view(seat)
    parts = [view.tobytes(), encode(view).tobytes(), action_mask(view).tobytes()]
    relabel_view(view, frame_of(view))
    return b"".join([*parts, encode(view).tobytes(), action_mask(view).tobytes()])


def deal_and_play(rules, seed):
    """The positions of one deal of random play, and the actions that lead from each to the next."""
    rng = random.Random(seed)
    table = Table(rules, seed=seed, one_deal=True)
    while not table.is_over:
        action = choose(table, rng)
        yield table, action
        table.step(action)
    yield table, NO_ACTION


def check_every_seat(rules, seed):
    rng = random.Random(seed)
    for table, _ in deal_and_play(rules, seed):
        for seat in SEATS:
            assert knowledge(redealt(table, seat, rng), seat) == knowledge(table, seat), (table.phase, seat)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_cards_a_seat_cannot_see_change_nothing_it_is_given(rules):
    for seed in range(4):
        check_every_seat(rules, seed)


@pytest.mark.compiled
@settings(max_examples=20)
@given(ANY_RULES, SEEDS)
def test_hidden_cards_change_nothing_a_seat_is_given_under_any_rules(rules, seed):
    check_every_seat(rules, seed)


@settings(max_examples=60)
@given(ANY_RULES, SEEDS)
def test_a_redealt_deal_can_be_played_to_the_same_position(rules, seed):
    rng = random.Random(seed)
    viewer = rng.choice(SEATS)
    history = [(table.clone(), action) for table, action in deal_and_play(rules, seed)]
    length = rng.randrange(len(history))
    position = history[length][0]
    other = redealt(position, viewer, rng)
    twin = Table(rules, dealer=int(position.deal.dealer), cards=cards_as_dealt(other.deal), one_deal=True)
    for table, action in history[:length]:
        assert knowledge(twin, viewer) == knowledge(table, viewer)
        is_hidden_discard = table.phase == "DISCARD" and viewer != table.turn
        twin.step(int(other.deal.discard) if is_hidden_discard else action)  # raises unless it is legal here too
    assert twin.deal.tobytes() == other.deal.tobytes()


def test_redealing_moves_each_hidden_card_wherever_the_play_so_far_allows():
    hands = ("9S TH JC QD KS", "AC KC TD 9D AS", "QH KH JD 9C TC", "JH QC AD KD TS")
    table = table_with(hands, upcard="JS", dealer=0)
    for action in ("order up", "9S", "9D", "JD", "KD", "QD", "TS", "KS", "AS", "9C"):
        table.step(parse_card(action) if len(action) == 2 else ORDER_UP_ID)
    rng = random.Random(0)
    seen = defaultdict(set)
    for _ in range(400):
        for card, place in hidden_cards(redealt(table, 1, rng).deal, 1).items():
            seen[card].add(place)
    assert seen.pop(parse_card("JS")) == {0, DISCARD}  # the upcard went to the dealer and has not been played
    anywhere = {0, 2, 3, KITTY, DISCARD}
    for card, places in seen.items():
        is_trump = CARDS_IN_SUIT[SPADES, SPADES] >> card & 1
        assert places == (anywhere - {2} if is_trump else anywhere), card_names(1 << card)  # seat 2 ruffed no spade


def test_redealing_changes_what_the_other_seats_see():
    rng = random.Random(0)
    table = Table(seed=1)
    changed = [knowledge(redealt(table, 0, rng), 2) != knowledge(table, 2) for _ in range(20)]
    assert all(changed)


@pytest.mark.parametrize(("rules", "occurs"), [("standard", True), ("standard,no_ace_no_face=next_dealer", False)])
def test_redealing_deals_no_hand_that_would_void_the_deal(rules, occurs):
    rng = random.Random(0)
    table = table_with(("AC AD AH AS KS", "", "", ""), rules=rules)  # so that the others hold many nines and tens
    low = {parse_card(rank + suit) for rank in "9T" for suit in "CDHS"}
    deals = [cards_as_dealt(redealt(table, 0, rng).deal).hands for _ in range(400)]
    assert any(set(hand) <= low for hands in deals for hand in hands) == occurs


@pytest.mark.compiled
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_views_differ_exactly_when_what_their_seat_has_seen_differs(rules):
    """Perfect recall, and its converse: one deal is played often, and again with hidden cards exchanged."""
    rng = random.Random(0)
    for seed in range(2):
        for seat in SEATS:
            given_for, seen_for = {}, {}
            for _ in range(25):
                table = redealt(Table(rules, seed=seed, one_deal=True), seat, rng)
                for position, seen in with_memory(table, seat, rng):
                    given = knowledge(position, seat)
                    assert given_for.setdefault(seen, given) == given
                    assert seen_for.setdefault(given, seen) == seen
            assert len(seen_for) > 200


def with_memory(table, seat, rng):
    """Random play, yielding each position with the history that `seat` has seen: its cards and the public actions."""
    seen: list[object] = [int(table.deal.hands[seat]), int(table.deal.upcard), int(table.deal.dealer)]
    yield table, tuple(seen)
    while not table.is_over:
        turn, phase, action = table.turn, table.phase, choose(table, rng)
        seen.append((turn, "discard" if phase == "DISCARD" and turn != seat else action))
        table.step(action)
        yield table, tuple(seen)
