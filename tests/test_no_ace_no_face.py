"""`no_ace_no_face`: a deal in which some hand holds only nines and tens is dealt again before anything else."""

import pytest
from support.tables import table_with

from euchre_env.actions import PASS_ID
from euchre_env.cards import BENNY, JACK, rank_of
from euchre_env.custom_deal import FixedCards, lay_cards
from euchre_env.deal import DEAL, SEATS, deal_cards, legal_actions, must_be_redealt, points, was_redealt, was_thrown_in
from euchre_env.game import next_dealer
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import records, row
from euchre_env.table import Table

POOR = ("9C", "TC", "9D", "TD", "9H")


def laid(hand, rules, dealer=0, seat=2, upcard=None):
    """A deal in which `seat` holds `hand`, even if it must be dealt again, and its packed rules."""
    deals, packed = records(1, DEAL), parse_rules(rules).packed()
    hands = [hand if s == seat else () for s in SEATS]
    lay_cards(row(deals), row(packed), 0, 0, dealer, FixedCards(hands, upcard))
    return deals[0], packed[0]


@pytest.mark.parametrize("value", ["same_dealer", "next_dealer"])
@pytest.mark.parametrize("seat", SEATS)
def test_a_hand_of_nines_and_tens_ends_the_deal_with_no_action_and_no_points(value, seat):
    deal, rules = laid(POOR, f"standard,no_ace_no_face={value}", seat=seat)
    assert must_be_redealt(deal, rules)
    assert legal_actions(deal, rules) == 0
    assert points(deal, rules) == (0, 0)
    assert was_redealt(deal)
    assert not was_thrown_in(deal)


@pytest.mark.parametrize("card", ["JS", "QS", "KS", "AS"])
def test_one_jack_queen_king_or_ace_saves_the_deal(card):
    deal, rules = laid((*POOR[:4], card), "standard,no_ace_no_face=same_dealer")
    assert not must_be_redealt(deal, rules)


def test_the_benny_saves_the_deal():
    deal, rules = laid((*POOR[:4], "2S"), "british,no_ace_no_face=same_dealer")
    assert not must_be_redealt(deal, rules)


def test_the_rule_is_checked_before_a_turned_up_benny_takes_the_auction():
    deal, rules = laid(POOR, "british,no_ace_no_face=same_dealer", upcard="2S")
    assert must_be_redealt(deal, rules)
    assert legal_actions(deal, rules) == 0


def test_the_upcard_does_not_count_for_the_dealer():
    deal, rules = laid(POOR, "standard,no_ace_no_face=same_dealer", seat=0, upcard="AS")
    assert must_be_redealt(deal, rules)


def test_without_the_house_rule_the_deal_is_played():
    table = table_with(("", "", " ".join(POOR), ""))
    assert (table.phase, table.turn) == ("FIRST_ROUND", 1)


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize(("value", "offset"), [("same_dealer", 0), ("next_dealer", 1)])
def test_who_deals_again(value, offset, dealer):
    deal, rules = laid(POOR, f"standard,no_ace_no_face={value}", dealer)
    assert next_dealer(deal, rules) == (dealer + offset) % 4


@pytest.mark.parametrize("value", ["same_dealer", "next_dealer"])
def test_cards_that_must_be_dealt_again_are_refused(value):
    with pytest.raises(ValueError, match="these cards must be dealt again under no_ace_no_face"):
        table_with(("", "", " ".join(POOR), ""), rules=f"standard,no_ace_no_face={value}")


def numbers_to_redeal(seed, rules, numbers):
    """The deal numbers of `seed` with a hand without ace and face card, found card by card."""
    courts = {card for card in range(24) if rank_of(card) >= JACK} | {BENNY}
    deals, packed = records(1, DEAL), parse_rules(rules).packed()
    found = set()
    for number in numbers:
        deal_cards(deals[0], packed[0], seed, number, 0)
        if any(not any(int(hand) >> card & 1 for card in courts) for hand in deals[0]["hands"]):
            found.add(number)
    return found


@pytest.mark.parametrize(("value", "offset"), [("same_dealer", 0), ("next_dealer", 1)])
@pytest.mark.parametrize("preset", ["standard", "british"])
def test_redeals_use_up_deal_numbers_until_a_deal_can_be_played(preset, value, offset):
    rules = f"{preset},no_ace_no_face={value}"
    numbers = numbers_to_redeal(11, preset, range(1000))
    assert numbers, "the search must be long enough to meet one"
    for number in sorted(numbers):
        following = number + 1
        while following in numbers:
            following += 1
        table = Table(rules, 11, dealer=1, deal_number=number)
        assert table.deal_number == following
        assert table.deal.dealer == (1 + offset * (following - number)) % 4
        assert table.phase in ("FIRST_ROUND", "BENNY")
        assert table.scores == (0, 0)


def test_a_redeal_happens_in_the_step_that_ended_the_deal_before():
    rules = "standard,no_ace_no_face=next_dealer"
    numbers = numbers_to_redeal(11, "standard", range(1000))
    number = next(n for n in sorted(numbers) if n - 1 not in numbers and n + 1 not in numbers)
    table = Table(rules, 11, dealer=0, deal_number=number - 1)
    for _ in range(8):
        table.step(PASS_ID)
    assert table.deal_number == number + 1
    assert table.deal.dealer == 2  # one seat on for the deal thrown in, one for the deal dealt again
    assert table.last_result is not None
    assert table.last_result.deal_number == number - 1
