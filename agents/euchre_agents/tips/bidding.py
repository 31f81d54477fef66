"""When `tips` calls, as kernels over views: one function for each tip. The Benny counts as a bower here."""

import numpy as np

from euchre_agents.rule_bot.bidding import playing_hand, suits_to_call
from euchre_agents.rule_bot.play import ACES
from euchre_agents.rule_bot.reasons import Decision
from euchre_agents.tips.advice import (
    ALONE,
    ASSIST,
    CROSS,
    ELDEST_AGAINST_DEALER,
    ENOUGH,
    MUST_CALL,
    NEXT,
    NO_REASON_TO_CALL,
    THIRD_AGAINST_DEALER,
)
from euchre_env.actions import FIRST_NAME_ALONE_ID, FIRST_NAME_ID, ORDER_UP_ALONE_ID, ORDER_UP_ID, PASS_ID
from euchre_env.cards import (
    ACE,
    BENNY,
    CARDS_IN_SUIT,
    NO_SUIT,
    NUM_CARDS,
    SUIT_OF,
    SUITS,
    TRICK_POWER,
    CardSet,
    Suit,
    left_bower,
    num_members,
    right_bower,
)
from euchre_env.deal import BENNY_TURNED_UP, FIRST_ROUND
from euchre_env.kernel import kernel
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, View

# BOWERS[trump]; HIGHEST[trump]: these and the ace of trump.
BOWERS = np.array([1 << right_bower(trump) | 1 << left_bower(trump) | 1 << BENNY for trump in SUITS], np.int64)
HIGHEST = np.array([int(BOWERS[trump]) | 1 << trump * 6 + ACE for trump in SUITS], np.int64)


@kernel
def has_other_ace(hand: CardSet, trump: Suit) -> bool:
    """Whether a hand has an ace of another suit than trump."""
    return hand & ACES & ~CARDS_IN_SUIT[trump, trump] != 0


@kernel
def is_enough(hand: CardSet, trump: Suit) -> bool:
    """Three trumps with a bower, or two bowers with another ace (`ENOUGH`)."""
    num_bowers = num_members(hand & BOWERS[trump])
    num_trumps = num_members(hand & CARDS_IN_SUIT[trump, trump])
    return (num_trumps >= 3 and num_bowers >= 1) or (num_bowers >= 2 and has_other_ace(hand, trump))


@kernel
def has_two_tricks(hand: CardSet, trump: Suit) -> bool:
    """A trump, and two sure tricks among bowers and aces (`ASSIST`, `CROSS`)."""
    return hand & CARDS_IN_SUIT[trump, trump] != 0 and num_members(hand & (HIGHEST[trump] | ACES)) >= 2


@kernel
def has_two_highest_and_ace(hand: CardSet, trump: Suit) -> bool:
    """Two of the three highest trumps with another ace (`THIRD_AGAINST_DEALER`)."""
    return num_members(hand & HIGHEST[trump]) >= 2 and has_other_ace(hand, trump)


@kernel
def is_enough_against_dealer(hand: CardSet, trump: Suit) -> bool:
    """Both bowers, three trumps with a bower, or two of the highest with another ace (`ELDEST_AGAINST_DEALER`)."""
    has_both_bowers = num_members(hand & BOWERS[trump]) >= 2
    return has_both_bowers or is_enough(hand, trump) or has_two_highest_and_ace(hand, trump)


@kernel
def is_lone_hand(hand: CardSet, trump: Suit) -> bool:
    """The three highest trumps, and a fourth card that is a trump or an ace (`ALONE`)."""
    return num_members(hand & HIGHEST[trump]) >= 3 and num_members(hand & (CARDS_IN_SUIT[trump, trump] | ACES)) >= 4


@kernel
def strength(hand: CardSet, trump: Suit) -> int:
    """A number that rises with how many trumps a hand has, and for equal numbers with their height (`MUST_CALL`)."""
    total = 0
    for card in range(NUM_CARDS):
        if (hand & CARDS_IN_SUIT[trump, trump]) >> card & 1:
            total += 100 + TRICK_POWER[trump, trump, card]
    return total


@kernel
def advised_to_order_up(view: View, trump: Suit) -> int:
    """The tip by which the bidder of round one calls; `NO_REASON_TO_CALL` if none."""
    hand = playing_hand(view, trump)
    if view.dealer == ME:
        return ENOUGH if is_enough(hand, trump) else NO_REASON_TO_CALL
    if view.dealer == PARTNER:
        return ASSIST if has_two_tricks(hand, trump) else NO_REASON_TO_CALL
    if view.dealer == LEFT:
        return THIRD_AGAINST_DEALER if has_two_highest_and_ace(hand, trump) else NO_REASON_TO_CALL
    return ELDEST_AGAINST_DEALER if is_enough_against_dealer(hand, trump) else NO_REASON_TO_CALL


@kernel
def advised_to_name(view: View, trump: Suit) -> int:
    """The tip by which the bidder of round two names a suit; `NO_REASON_TO_CALL` if none."""
    same_colour = trump == 3 - SUIT_OF[view.upcard, NO_SUIT]
    if view.dealer == RIGHT and same_colour and view.hand & CARDS_IN_SUIT[trump, trump]:
        return NEXT
    turned_down = trump == SUIT_OF[view.upcard, NO_SUIT]  # which a stuck dealer may name by a house rule
    if view.dealer == PARTNER and not same_colour and not turned_down and has_two_tricks(view.hand, trump):
        return CROSS
    return ENOUGH if is_enough(view.hand, trump) else NO_REASON_TO_CALL


@kernel
def precedence(tip: int) -> int:
    """Which of several suits a bidder names: first by next or cross, then by enough trumps, then any other."""
    if tip in (NEXT, CROSS):
        return 2
    return 0 if tip == NO_REASON_TO_CALL else 1


@kernel
def choose_bid(view: View) -> Decision:
    """The call or the pass of either round, and the suit named for a turned-up Benny, one of `view.legal`."""
    suits = suits_to_call(view)
    suit, tip, best = NO_SUIT, NO_REASON_TO_CALL, -1
    for candidate in SUITS:
        if suits >> candidate & 1:
            if view.phase == FIRST_ROUND:
                advised = advised_to_order_up(view, candidate)
            elif view.phase == BENNY_TURNED_UP:
                advised = NO_REASON_TO_CALL  # the dealer must call: the suit of which it holds most
            else:
                advised = advised_to_name(view, candidate)
            worth = 1000 * precedence(advised) + strength(playing_hand(view, candidate), candidate)
            if worth > best:
                suit, tip, best = candidate, advised, worth
    if suit == NO_SUIT:
        return Decision(PASS_ID, NO_REASON_TO_CALL, suit, 0)
    call, call_alone = FIRST_NAME_ID + suit, FIRST_NAME_ALONE_ID + suit
    if view.phase == FIRST_ROUND:
        call, call_alone = ORDER_UP_ID, ORDER_UP_ALONE_ID
    may_pass = view.legal >> PASS_ID & 1 != 0
    may_go_alone = view.legal >> call_alone & 1 != 0
    if may_go_alone and is_lone_hand(playing_hand(view, suit), suit):
        return Decision(call_alone, ALONE, suit, 0)
    if may_pass and (tip == NO_REASON_TO_CALL or not view.legal >> call & 1):
        return Decision(PASS_ID, NO_REASON_TO_CALL, suit, 0)
    chosen = call if view.legal >> call & 1 else call_alone
    return Decision(chosen, MUST_CALL if tip == NO_REASON_TO_CALL else tip, suit, 0)
