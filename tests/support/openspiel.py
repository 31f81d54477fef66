"""OpenSpiel's euchre beside ours, decision by decision: an oracle of the rules that shares no code with them.

OpenSpiel asks "alone?" after the dealer's discard; ours has it in the call. Here the answer is chosen with the call and
given when OpenSpiel asks. Only OpenSpiel's moves, turns and returns are used; its tensor and resampling are wrong.
"""

import random
from typing import Any

from euchre_env.actions import (
    CARD,
    DEFEND_ALONE,
    NAME,
    NAME_ALONE,
    NUM_ACTIONS,
    ORDER_UP,
    ORDER_UP_ALONE,
    block_of,
)
from euchre_env.cards import cards_in, rank_of, suit_of
from euchre_env.deal import SEATS, dealt_hand
from euchre_env.deal_text import deal_text
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Record
from euchre_env.table import Table
from support.tables import pick

# OpenSpiel's actions: cards as rank * 4 + suit, pass, four suits, alone, not alone; suits and ranks in our order.
THEIR_PASS, THEIR_FIRST_SUIT, THEIR_ALONE, THEIR_WITH_PARTNER = 24, 25, 29, 30


def house_rules(stick_the_dealer: bool, allow_lone_defender: bool) -> HouseRules:
    """OpenSpiel's rules as house rules."""
    return HouseRules(
        stick_the_dealer=stick_the_dealer,
        defend_alone="always" if allow_lone_defender else "never",
        dealer_sits_out_exchange=True,
        discard_upcard=False,
        lone_lead="eldest",
    )


def their_card(card: int) -> int:
    """OpenSpiel's number of a card."""
    return rank_of(card) * 4 + suit_of(card)


def their_action(action: int, phase: str, upcard: int) -> int:
    """OpenSpiel's number of an action; a call alone has the number of the call."""
    block = block_of(action)
    argument = block.argument(action)
    if block is CARD:
        return their_card(argument)
    if block in (NAME, NAME_ALONE):
        return THEIR_FIRST_SUIT + argument
    if block in (ORDER_UP, ORDER_UP_ALONE):
        return THEIR_FIRST_SUIT + suit_of(upcard)
    if phase == "DEFEND":
        return THEIR_ALONE if block is DEFEND_ALONE else THEIR_WITH_PARTNER
    return THEIR_PASS


# `their_action` of every action, by whether a defender is asked and by the upcard (never the Benny), for fast look-up.
TRANSLATED = {
    (asked, upcard): [their_action(action, "DEFEND" if asked else "", upcard) for action in range(NUM_ACTIONS)]
    for asked in (False, True)
    for upcard in range(24)
}
LONE_CALLS = {*range(NAME_ALONE.first, NAME_ALONE.first + NAME_ALONE.size), ORDER_UP_ALONE.id()}
CALLS = {*range(NAME.first, NAME.first + NAME.size), ORDER_UP.id()} | LONE_CALLS


def their_deal(game: Any, table: Table) -> Any:
    """OpenSpiel's state with the cards of our deal: it deals one card at a time, the first to the dealer."""
    deal, state = table.deal, game.new_initial_state()
    dealer = int(deal.dealer)
    hands = [cards_in(dealt_hand(deal, seat)) for seat in SEATS]
    state.apply_action(dealer)
    for round_of_cards in range(5):
        for place in SEATS:
            state.apply_action(their_card(hands[(dealer + place) % 4][round_of_cards]))
    state.apply_action(their_card(int(deal.upcard)))
    return state


def compare_deal(game: Any, rules: HouseRules, seed: int, number: int, rng: random.Random) -> Record:
    """Play deal `number` of `seed` at random on both sides, assert that they agree throughout, and return its result.

    A legal pass is chosen half of the time, so that second rounds and stuck dealers occur.
    """
    table = Table(rules, seed, dealer=number % 4, deal_number=number, one_deal=True)
    theirs = their_deal(game, table)
    upcard, goes_alone = int(table.deal.upcard), None
    while not table.is_over:
        if goes_alone is not None and table.phase != "DISCARD":
            assert theirs.legal_actions() == [THEIR_ALONE, THEIR_WITH_PARTNER], deal_text(table)
            assert theirs.current_player() == table.deal.maker, deal_text(table)
            theirs.apply_action(THEIR_ALONE if goes_alone else THEIR_WITH_PARTNER)
            goes_alone = None
        translated = TRANSLATED[table.phase == "DEFEND", upcard]
        legal = table.legal_actions()
        assert theirs.current_player() == table.turn, deal_text(table)
        assert set(theirs.legal_actions()) == {translated[action] for action in legal}, deal_text(table)
        action = pick(legal, rng)
        if action in CALLS:
            goes_alone = action in LONE_CALLS
        theirs.apply_action(translated[action])
        table.step(action)
    assert theirs.is_terminal(), deal_text(table)
    result = table.last_result
    assert result is not None
    net = [int(result.points[seat & 1] - result.points[1 - (seat & 1)]) for seat in SEATS]
    assert theirs.returns() == net, deal_text(table)
    return result
