"""Invariants of every deal and every game, under every preset and under random house rules."""

import random

import numpy as np
import pytest
from hypothesis import given, note
from support.tables import ANY_RULES, SEEDS, play_out

from euchre_env.cards import NO_CARD, NO_SUIT, cards_in
from euchre_env.deal import NOBODY, NUM_TRICKS, SEATS, shuffled_pack
from euchre_env.deal_text import deal_text
from euchre_env.house_rules import PRESETS
from euchre_env.table import Table
from euchre_env.tables import Tables

MAX_DECISIONS = 8 + 1 + 2 + 20  # passes, discard, two defenders, cards


def where_cards_are(deal):
    """Every card of the deal, by place."""
    cards = [card for hand in deal.hands for card in cards_in(hand)] + cards_in(deal.kitty)
    cards += [int(card) for card in deal.played.flat if card != NO_CARD]
    if deal.discard != NO_CARD:
        cards.append(int(deal.discard))
    return cards if deal.upcard_taken else [*cards, int(deal.upcard)]


def check_position(table):
    """Check the invariants of a deal in progress."""
    deal, legal = table.deal, table.legal_actions()
    assert sorted(where_cards_are(deal)) == list(range(24 + table.rules.benny))
    assert bool(legal) == (deal.turn != NOBODY)
    assert deal.turn == NOBODY or not deal.sitting_out >> deal.turn & 1
    assert (deal.trump == NO_SUIT) == (deal.maker == NOBODY)
    if table.phase in ("PLAY", "DISCARD"):
        assert set(legal) <= set(cards_in(deal.hands[deal.turn]))
    assert deal.trick == deal.tricks.sum() <= NUM_TRICKS


def check_end(table):
    """Check the invariants of a deal that has ended."""
    deal, result, rules = table.last_deal, table.last_result, table.rules
    ours, theirs = result.points.tolist()
    if deal.maker == NOBODY:
        assert (ours, theirs, deal.num_passes, int(deal.trick)) == (0, 0, 8, 0)
        assert not rules.stick_the_dealer
        return
    out = [seat for seat in SEATS if deal.sitting_out >> seat & 1]
    assert set(out) <= {(deal.maker + 2) % 4, (deal.lone_defender + 2) % 4}
    assert deal.tricks.sum() == NUM_TRICKS
    for trick in range(NUM_TRICKS):
        assert [seat for seat in SEATS if deal.played[trick, seat] == NO_CARD] == out
    for seat in SEATS:
        assert len(cards_in(deal.hands[seat])) == (5 if seat in out else 0)
    makers, defenders = (ours, theirs) if deal.maker % 2 == 0 else (theirs, ours)
    marches, euchres = {1, rules.march_points, rules.lone_march_points}, {rules.euchre_points, 4}
    assert min(makers, defenders) == 0
    if deal.tricks[deal.maker % 2] >= 3:
        assert defenders == 0
        assert makers in marches
    else:
        assert makers == 0
        assert defenders in euchres | {rules.lone_euchred_points, rules.lone_defender_points}


@given(rules=ANY_RULES, seed=SEEDS)
def test_every_deal_keeps_its_cards_has_five_tricks_and_scores_for_one_team(rules, seed):
    table, num_positions = Table(rules, seed, one_deal=True), 0
    try:
        for position in play_out(table, random.Random(seed)):
            check_position(position)
            num_positions += 1
        assert num_positions - 1 <= MAX_DECISIONS
        assert table.is_over
        check_end(table)
    finally:
        note(deal_text(table))  # shown with the example that fails


@pytest.mark.compiled
@pytest.mark.parametrize("preset", PRESETS)
def test_every_deal_of_many_at_once_scores_for_one_team(preset):
    tables = Tables(500, preset, seed=3, num_episodes=2000)
    results = []
    while len(tables):
        results.append(tables.step(tables.random_actions(5)))
    results = np.concatenate(results)
    assert sorted(results["episode"]) == list(range(2000))
    assert results["over"].all()
    made = results["maker"] != NOBODY
    assert (results["tricks"].sum(axis=1) == np.where(made, NUM_TRICKS, 0)).all()
    assert (results["points"].min(axis=1) == 0).all()
    assert set(results["points"].max(axis=1)[made]) == {1, 2, 4}
    assert (results["points"][~made] == 0).all()
    assert (results["reneged"] == NOBODY).all()
    assert made.all() or not PRESETS[preset].stick_the_dealer


@pytest.mark.compiled
@pytest.mark.parametrize("preset", PRESETS)
def test_random_games_end_with_a_winner(preset):
    tables = Tables(100, preset, seed=3, episode="game", num_episodes=100)
    finals = []
    while len(tables):
        results = tables.step(tables.random_actions(5))
        finals.append(results[results["over"] == 1])
    finals = np.concatenate(finals)
    assert len(finals) == 100
    assert (finals["scores"].max(axis=1) >= 10).all()
    assert (finals["winner"] == finals["scores"].argmax(axis=1)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("benny", [0, 1])
def test_every_card_is_equally_likely_in_every_place(benny):
    size, num_deals = 24 + benny, 10_000
    counts = np.zeros((size, size))
    for number in range(num_deals):
        counts[np.arange(size), shuffled_pack(17, number, benny)] += 1
    expected = num_deals / size
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = (size - 1) ** 2
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5
