"""The bidding of the rule-based player: counting a hand and calling (docs/rules.md, "Calling"), as kernels over views.

Counts are whole hundredths, so that comparisons are exact.
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
    ACE,
    BENNY,
    CARDS_IN_SUIT,
    KING,
    NINE,
    NO_SUIT,
    NUM_CARDS,
    QUEEN,
    SUIT_OF,
    SUITS,
    TEN,
    Card,
    CardSet,
    Suit,
    effective_suit,
    left_bower,
    num_members,
    rank_of,
    right_bower,
)
from euchre_env.deal import BENNY_TURNED_UP, DISCARD, FIRST_ROUND, SECOND_ROUND, legal_with
from euchre_env.kernel import kernel
from euchre_env.view import ME, PARTNER, RIGHT, View

CALL_AT = 600
OTHER_ACE, VOID = 100, 50  # an ace outside trump; an empty suit in a hand with two trumps or more
NEXT = 50  # the eldest hand's bonus in round two for the suit of the turned-down one's colour
TRUMP_RANKS = {NINE: 100, TEN: 120, QUEEN: 150, KING: 170, ACE: 200}

RIGHT_BOWER = np.array([right_bower(trump) for trump in SUITS], np.int64)


def card_value(card: Card, trump: Suit) -> int:
    """The value of `card` in a hand's count for `trump`."""
    if card == BENNY:
        return 350
    if card == right_bower(trump):
        return 300
    if card == left_bower(trump):
        return 250
    if effective_suit(card, trump) == trump:
        return TRUMP_RANKS[rank_of(card)]
    return OTHER_ACE if rank_of(card) == ACE else 0


# CARD_VALUE[trump, card]
CARD_VALUE = np.array([[card_value(c, t) for c in range(NUM_CARDS)] for t in SUITS], np.int64)


@kernel
def hand_count(hand: CardSet, trump: Suit) -> int:
    """The count of five cards for a trump suit."""
    count = 0
    for card in range(NUM_CARDS):
        if hand >> card & 1:
            count += CARD_VALUE[trump, card]
    if num_members(hand & CARDS_IN_SUIT[trump, trump]) >= 2:
        for suit in SUITS:
            if not hand & CARDS_IN_SUIT[trump, suit]:
                count += VOID
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
def call_count(view: View, suit: Suit) -> int:
    """The count on which a bidder decides whether to make `suit` trump."""
    count = hand_count(playing_hand(view, suit), suit)
    if view.phase == FIRST_ROUND and view.dealer != ME:
        half = CARD_VALUE[suit, view.upcard] // 2
        count += half if view.dealer == PARTNER else -half
    is_eldest = view.dealer == RIGHT
    if view.phase == SECOND_ROUND and is_eldest and suit == 3 - SUIT_OF[view.upcard, NO_SUIT]:
        count += NEXT
    return count


@kernel
def suits_to_call(view: View) -> int:
    """The suits that the bidder may make trump, alone or with its partner, as bits."""
    if view.phase == FIRST_ROUND:
        may_call = (view.legal >> ORDER_UP_ID | view.legal >> ORDER_UP_ALONE_ID) & 1
        return may_call << SUIT_OF[view.upcard, NO_SUIT]
    return (view.legal >> FIRST_NAME_ID | view.legal >> FIRST_NAME_ALONE_ID) & 0b1111


@kernel
def is_lone_hand(view: View, trump: Suit) -> bool:
    """Whether the bidder would go alone: the right bower, three trumps or more, and otherwise only aces."""
    hand = playing_hand(view, trump)
    trumps = hand & CARDS_IN_SUIT[trump, trump]
    best_cards = 1 << RIGHT_BOWER[trump]
    if view.phase == BENNY_TURNED_UP:
        best_cards |= 1 << BENNY
    return trumps & best_cards != 0 and num_members(trumps) >= 3 and hand & ~trumps & ~ACES == 0


@kernel
def choose_bid(view: View) -> Decision:
    """The call or the pass of either round, and the suit named for a turned-up Benny, one of `view.legal`."""
    suits = suits_to_call(view)
    suit, count = NO_SUIT, 0
    for candidate in SUITS:
        if suits >> candidate & 1:
            candidate_count = call_count(view, candidate)
            if suit == NO_SUIT or candidate_count > count:
                suit, count = candidate, candidate_count
    if suit == NO_SUIT:
        return Decision(PASS_ID, NOTHING_TO_CALL, suit, count)
    call, call_alone = FIRST_NAME_ID + suit, FIRST_NAME_ALONE_ID + suit
    if view.phase == FIRST_ROUND:
        call, call_alone = ORDER_UP_ID, ORDER_UP_ALONE_ID
    may_pass = view.legal >> PASS_ID & 1 != 0
    alone = view.legal >> call_alone & 1 != 0 and is_lone_hand(view, suit)

    if not view.legal >> call & 1:
        if alone:
            return Decision(call_alone, LONE_CALL_ONLY, suit, count)
        if may_pass:
            return Decision(PASS_ID, NOT_WORTH_A_LONE_CALL, suit, count)
        return Decision(call_alone, MAY_NOT_PASS, suit, count)
    if view.phase == BENNY_TURNED_UP:
        rule = BENNY_IS_UP_ALONE if alone else BENNY_IS_UP
    elif count >= CALL_AT:
        rule = COUNT_IS_ENOUGH_ALONE if alone else COUNT_IS_ENOUGH
    elif may_pass:
        return Decision(PASS_ID, COUNT_IS_LOW, suit, count)
    else:
        rule = MAY_NOT_PASS  # never alone: a lone hand counts more than 6
    return Decision(call_alone if alone else call, rule, suit, count)
