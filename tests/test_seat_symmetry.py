"""Symmetries of the game: rotation of seats, exchange of the suits of a colour, and exchange of the colours."""

import itertools
import random

import pytest
from hypothesis import given, settings
from support.tables import ANY_RULES, SEEDS, choose

from euchre_env.actions import CARD, NAME, NAME_ALONE, block_of
from euchre_env.cards import BENNY, CLUBS, DIAMONDS, HEARTS, SPADES, SUITS, cards_in
from euchre_env.custom_deal import FixedCards
from euchre_env.deal import NOBODY, SEATS
from euchre_env.house_rules import PRESETS, parse_rules
from euchre_env.relative_suits import relabel_view
from euchre_env.table import Table

# Every way to rename the suits that keeps the two of a colour together, as the new name of each suit. `suit ^ s` is one
# for each s; the other four change the suits of one colour only, or of both while the colours change places.
RENAMINGS = [p for p in itertools.permutations(SUITS) if all(p[3 - suit] == 3 - p[suit] for suit in SUITS)]
BY_XOR = {renaming: renaming[0] for renaming in RENAMINGS if all(renaming[s] == s ^ renaming[0] for s in SUITS)}


def renamed(action, renaming):
    """`action` under renamed suits; the action of a card is the card itself."""
    if action in CARD and action != BENNY:
        return renaming[action // 6] * 6 + action % 6
    if action in NAME or action in NAME_ALONE:
        return block_of(action).id(renaming[block_of(action).argument(action)])
    return action


def moved(table, turned, renaming):
    """The first deal of `table` with every seat moved `turned` places to the left and the suits renamed."""
    deal = table.deal
    hands = [[renamed(card, renaming) for card in cards_in(deal.hands[(seat - turned) & 3])] for seat in SEATS]
    kitty = [renamed(card, renaming) for card in cards_in(deal.kitty)]
    cards = FixedCards(hands, renamed(int(deal.upcard), renaming), kitty)
    scores = table.scores if turned % 2 == 0 else table.scores[::-1]
    return Table(table.rules, dealer=(int(deal.dealer) + turned) & 3, cards=cards, scores=scores, one_deal=True)


def check_symmetry(rules, seed):
    """Play one deal at random and its images beside it, and check that they stay images to the end."""
    rng, rules = random.Random(seed), parse_rules(rules)
    table = Table(rules, seed=seed, scores=(0, min(3, rules.points_to_win - 1)), one_deal=True)
    kinds = [*itertools.product(SEATS, BY_XOR), *enumerate(set(RENAMINGS) - set(BY_XOR))]
    images = {(turned, renaming): moved(table, turned, renaming) for turned, renaming in kinds}
    while True:
        for (turned, renaming), image in images.items():
            assert image.phase == table.phase
            assert image.turn == (None if table.turn is None else (table.turn + turned) & 3)
            assert image.legal_actions() == sorted(renamed(action, renaming) for action in table.legal_actions())
            for seat in SEATS if renaming in BY_XOR else ():
                view, image_view = table.view(seat), image.view((seat + turned) & 3)
                relabel_view(view, BY_XOR[renaming])
                assert view.tobytes() == image_view.tobytes(), (turned, renaming, seat, table.phase)
        if table.is_over:
            break
        action = choose(table, rng)
        table.step(action)
        for (_, renaming), image in images.items():
            image.step(renamed(action, renaming))
    for (turned, _), image in images.items():
        check_results(table.last_result, image.last_result, turned)
    return table


def check_results(result, image, turned):
    for name in ("points", "tricks", "scores"):
        assert image[name].tolist() == (result[name] if turned % 2 == 0 else result[name][::-1]).tolist()
    for name in ("maker", "dealer", "lone_defender"):
        assert image[name] == (NOBODY if result[name] == NOBODY else (result[name] + turned) & 3)
    for name in ("alone", "num_passes", "over"):
        assert image[name] == result[name]


def test_there_are_eight_renamings_four_of_them_relative_suits():
    assert len(RENAMINGS) == 8
    assert sorted(BY_XOR.values()) == list(SUITS)


@pytest.mark.parametrize("rules", PRESETS)
def test_turning_the_table_and_renaming_suits_changes_nothing_else(rules):
    makers = {int(check_symmetry(rules, seed).deal.maker) for seed in range(6)}
    assert len(makers - {NOBODY}) > 1


@pytest.mark.compiled
@settings(max_examples=15)
@given(ANY_RULES, SEEDS)
def test_turning_and_renaming_change_nothing_else_under_any_house_rules(rules, seed):
    check_symmetry(rules, seed)


def test_a_renaming_that_parts_the_suits_of_a_colour_does_not_carry_over():
    """The negative control: the bowers show which suits belong together."""
    mixing = (HEARTS, DIAMONDS, CLUBS, SPADES)
    assert mixing not in RENAMINGS
    table, rng = Table(seed=3, one_deal=True), random.Random(0)
    assert any(diverges(table.clone(), moved(table, 0, mixing), mixing, rng) for _ in range(50))


def diverges(table, image, renaming, rng):
    """Whether random play of `table` reaches a position that differs from its image."""
    while not table.is_over:
        if image.turn != table.turn:
            return True
        if image.legal_actions() != sorted(renamed(action, renaming) for action in table.legal_actions()):
            return True
        action = choose(table, rng)
        table.step(action)
        image.step(renamed(action, renaming))
    return False
