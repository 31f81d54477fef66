"""The bidding of the rule-based player: counting a hand and calling (docs/rules.md, "Calling"), as kernels over views.

Counts are whole hundredths, so that comparisons are exact. What counts how much is in `numbers`.
"""

import numpy as np

from euchre_agents.rule_bot.play import ACES, choose_discard
from euchre_agents.rule_bot.reasons import (
    BENNY_IS_UP,
    BENNY_IS_UP_ALONE,
    COUNT_IS_ENOUGH,
    COUNT_IS_ENOUGH_ALONE,
    COUNT_IS_LOW,
    LONE_CALL_ONLY,
    MAY_NOT_PASS,
    NOT_WORTH_A_LONE_CALL,
    NOTHING_TO_CALL,
    Decision,
)
from euchre_env.actions import FIRST_NAME_ALONE_ID, FIRST_NAME_ID, ORDER_UP_ALONE_ID, ORDER_UP_ID, PASS_ID
from euchre_env.cards import (
    BENNY,
    CARDS_IN_SUIT,
    NO_SUIT,
    NUM_CARDS,
    SUIT_OF,
    SUITS,
    TRICK_POWER,
    Card,
    CardSet,
    Suit,
    effective_suit,
    num_members,
    right_bower,
)
from euchre_env.deal import BENNY_TURNED_UP, DISCARD, FIRST_ROUND, SECOND_ROUND, legal_with
from euchre_env.kernel import Record, kernel
from euchre_env.view import ME, PARTNER, View

RIGHT_BOWER = np.array([right_bower(trump) for trump in SUITS], np.int64)

NO_TRUMP = -1
# The place in `numbers.TRUMPS` of the power that a trump has in a trick.
PLACE_OF_POWER = {11: 0, 12: 1, 14: 2, 15: 3, 16: 4, 18: 5, 19: 6, 20: 7}


def trump_place(card: Card, trump: Suit) -> int:
    """The place of `card` in `numbers.TRUMPS`; `NO_TRUMP` if it is none."""
    is_trump = effective_suit(card, trump) == trump
    return PLACE_OF_POWER[int(TRICK_POWER[trump, trump, card])] if is_trump else NO_TRUMP


# TRUMP_PLACE[trump, card]
TRUMP_PLACE = np.array([[trump_place(c, t) for c in range(NUM_CARDS)] for t in SUITS], np.int64)


@kernel
def card_value(card: Card, trump: Suit, numbers: Record) -> int:
    """The value of `card` in a hand's count for `trump`; here and below `numbers` has dtype `numbers.NUMBERS`."""
    place = TRUMP_PLACE[trump, card]
    if place != NO_TRUMP:
        return numbers.trumps[place]
    return numbers.other_ace if ACES >> card & 1 else 0


@kernel
def hand_count(hand: CardSet, trump: Suit, numbers: Record) -> int:
    """The count of five cards for a trump suit."""
    count = 0
    for card in range(NUM_CARDS):
        if hand >> card & 1:
            count += card_value(card, trump, numbers)
    if num_members(hand & CARDS_IN_SUIT[trump, trump]) >= 2:
        for suit in SUITS:
            if not hand & CARDS_IN_SUIT[trump, suit]:
                count += numbers.void
    return count


@kernel
def playing_hand(view: View, trump: Suit) -> CardSet:
    """The five cards with which the view's owner would play if it made `trump`; its own five if it would sit out."""
    takes_upcard = view.dealer == ME and view.phase != SECOND_ROUND
    if not takes_upcard:
        return view.hand
    hand = view.hand | 1 << view.upcard
    allowed = legal_with(view.rules, DISCARD, hand, 0, view.upcard, trump, NO_SUIT)
    return hand & ~(1 << choose_discard(hand, allowed, trump).action)


@kernel
def place_of(view: View) -> int:
    """The place of the view's owner in the order of bidding, as in `numbers.PLACES`."""
    return (ME - view.dealer - 1) & 3


@kernel
def call_count(view: View, suit: Suit, numbers: Record) -> int:
    """The count on which a bidder decides whether to make `suit` trump."""
    count = hand_count(playing_hand(view, suit), suit, numbers)
    if view.phase == FIRST_ROUND and view.dealer != ME:
        value = card_value(view.upcard, suit, numbers)
        if view.dealer == PARTNER:
            count += value * numbers.upcard_to_partner // 100
        else:
            count -= value * numbers.upcard_to_opponent // 100
    if view.phase == SECOND_ROUND and suit == 3 - SUIT_OF[view.upcard, NO_SUIT]:
        count += numbers.next_bonus[place_of(view)]
    return count


@kernel
def call_at(view: View, numbers: Record) -> int:
    """The count from which the bidder calls."""
    place = place_of(view)
    return int(numbers.call_at_first[place] if view.phase == FIRST_ROUND else numbers.call_at_second[place])


@kernel
def suits_to_call(view: View) -> int:
    """The suits that the bidder may make trump, alone or with its partner, as bits."""
    if view.phase == FIRST_ROUND:
        may_call = (view.legal >> ORDER_UP_ID | view.legal >> ORDER_UP_ALONE_ID) & 1
        return may_call << SUIT_OF[view.upcard, NO_SUIT]
    return (view.legal >> FIRST_NAME_ID | view.legal >> FIRST_NAME_ALONE_ID) & 0b1111


@kernel
def is_lone_hand(view: View, trump: Suit, numbers: Record) -> bool:
    """Whether the bidder would go alone: the right bower, enough trumps, and few others that are not aces."""
    hand = playing_hand(view, trump)
    trumps = hand & CARDS_IN_SUIT[trump, trump]
    best_cards = 1 << RIGHT_BOWER[trump]
    if view.phase == BENNY_TURNED_UP:
        best_cards |= 1 << BENNY
    if trumps & best_cards == 0 or num_members(trumps) < numbers.lone_trumps:
        return False
    return num_members(hand & ~trumps & ~ACES) <= numbers.lone_losers


@kernel
def choose_bid(view: View, numbers: Record) -> Decision:
    """The call or the pass of either round, and the suit named for a turned-up Benny, one of `view.legal`."""
    suits = suits_to_call(view)
    suit, count = NO_SUIT, 0
    for candidate in SUITS:
        if suits >> candidate & 1:
            candidate_count = call_count(view, candidate, numbers)
            if suit == NO_SUIT or candidate_count > count:
                suit, count = candidate, candidate_count
    if suit == NO_SUIT:
        return Decision(PASS_ID, NOTHING_TO_CALL, suit, count)
    call, call_alone = FIRST_NAME_ID + suit, FIRST_NAME_ALONE_ID + suit
    if view.phase == FIRST_ROUND:
        call, call_alone = ORDER_UP_ID, ORDER_UP_ALONE_ID
    may_pass = view.legal >> PASS_ID & 1 != 0
    alone = view.legal >> call_alone & 1 != 0 and is_lone_hand(view, suit, numbers)

    if not view.legal >> call & 1:
        if alone:
            return Decision(call_alone, LONE_CALL_ONLY, suit, count)
        if may_pass:
            return Decision(PASS_ID, NOT_WORTH_A_LONE_CALL, suit, count)
        return Decision(call_alone, MAY_NOT_PASS, suit, count)
    if view.phase == BENNY_TURNED_UP:
        rule = BENNY_IS_UP_ALONE if alone else BENNY_IS_UP
    elif count >= call_at(view, numbers):
        rule = COUNT_IS_ENOUGH_ALONE if alone else COUNT_IS_ENOUGH
    elif may_pass:
        return Decision(PASS_ID, COUNT_IS_LOW, suit, count)
    else:
        rule, alone = MAY_NOT_PASS, False
    return Decision(call_alone if alone else call, rule, suit, count)
