"""The card play of the rule-based player as kernels: discard, lead, follow (docs/rules.md, "The rule-based player")."""

import numpy as np

from euchre_agents.rule_bot.reasons import (
    CANNOT_WIN,
    DEFENDER_LEADS_LOWEST_TRUMP,
    DISCARDS_LONE_CARD,
    DISCARDS_LOWEST,
    LEADS_ACE,
    LEADS_LOWEST,
    LEAVES_IT_TO_PARTNER,
    MAKER_LEADS_TRUMP,
    MAKERS_LEAD_HIGHEST_TRUMP,
    PARTNER_WINS_AND_IT_IS_LAST,
    PARTNER_WINS_FOR_SURE,
    WINS_CHEAPLY,
    WINS_FOR_SURE,
    Decision,
)
from euchre_env.cards import (
    ACE,
    BEATING,
    CARDS_IN_SUIT,
    NO_CARD,
    NUM_CARDS,
    SUIT_OF,
    SUITS,
    TRICK_POWER,
    Card,
    CardSet,
    Suit,
    effective_suit,
    num_members,
    rank_of,
    suit_of,
)
from euchre_env.deal import SEATS, Seat
from euchre_env.kernel import Record, kernel
from euchre_env.view import ME, PARTNER, View, cards_to_come

ACES: CardSet = sum(1 << suit * 6 + ACE for suit in SUITS)


def height(card: Card, trump: Suit) -> int:
    """The place of `card` among all cards, from the lowest: outside trump by rank, then by suit; then the trumps."""
    if effective_suit(card, trump) == trump:
        return NUM_CARDS + int(TRICK_POWER[trump, trump, card])
    return rank_of(card) * len(SUITS) + suit_of(card)


# HEIGHT[trump, card]
HEIGHT = np.array([[height(c, t) for c in range(NUM_CARDS)] for t in SUITS], np.int64)


@kernel
def lowest(cards: CardSet, trump: Suit) -> Card:
    """The lowest of `cards`, which is not empty."""
    best = NO_CARD
    for card in range(NUM_CARDS):
        if cards >> card & 1 and (best == NO_CARD or HEIGHT[trump, card] < HEIGHT[trump, best]):
            best = card
    return best


@kernel
def highest(cards: CardSet, trump: Suit) -> Card:
    """The highest of `cards`, which is not empty."""
    best = NO_CARD
    for card in range(NUM_CARDS):
        if cards >> card & 1 and (best == NO_CARD or HEIGHT[trump, card] > HEIGHT[trump, best]):
            best = card
    return best


@kernel
def choose_discard(hand: CardSet, allowed: CardSet, trump: Suit) -> Decision:
    """The dealer's discard from the six cards of `hand`, one of `allowed`."""
    lone = 0
    for suit in SUITS:
        cards = hand & CARDS_IN_SUIT[trump, suit]
        if suit != trump and num_members(cards) == 1:
            lone |= cards
    lone &= allowed & ~ACES
    if lone:
        return Decision(lowest(lone, trump), DISCARDS_LONE_CARD, trump, 0)
    # By height the aces come last among the cards outside trump; if all of these are aces, each is alone in its suit.
    return Decision(lowest(allowed, trump), DISCARDS_LOWEST, trump, 0)


@kernel
def choose_lead(view: View, numbers: Record) -> Decision:
    """The card to lead, one of `view.legal`; `numbers` has dtype `numbers.NUMBERS`."""
    trump = view.trump
    trumps = view.legal & CARDS_IN_SUIT[trump, trump]
    others = view.legal & ~trumps
    num_trumps = num_members(view.hand & CARDS_IN_SUIT[trump, trump])
    if view.maker == ME and trumps and num_trumps >= numbers.lead_trumps:
        return Decision(highest(trumps, trump), MAKER_LEADS_TRUMP, trump, 0)
    if others & ACES:
        return Decision(lowest(others & ACES, trump), LEADS_ACE, trump, 0)
    if others:
        return Decision(lowest(others, trump), LEADS_LOWEST, trump, 0)
    if view.maker == ME or view.maker == PARTNER:
        return Decision(highest(trumps, trump), MAKERS_LEAD_HIGHEST_TRUMP, trump, 0)
    return Decision(lowest(trumps, trump), DEFENDER_LEADS_LOWEST_TRUMP, trump, 0)


@kernel
def seat_winning(view: View) -> Seat:
    """The relative seat whose card is the best so far in the trick in progress, to which a card has been led."""
    trump, trick = view.trump, view.played[view.trick]
    winner = view.leaders[view.trick]
    led = SUIT_OF[trick[winner], trump]
    for seat in SEATS:
        if trick[seat] != NO_CARD and BEATING[trump, led, trick[winner]] >> trick[seat] & 1:
            winner = seat
    return winner


@kernel
def choose_follow(view: View) -> Decision:
    """The card to play to a trick to which a card has been led, one of `view.legal`."""
    trump, legal = view.trump, view.legal
    trick = view.played[view.trick]
    winner = seat_winning(view)
    led = SUIT_OF[trick[view.leaders[view.trick]], trump]
    winning_cards = legal & BEATING[trump, led, trick[winner]]
    if winner != PARTNER:
        if winning_cards:
            return Decision(lowest(winning_cards, trump), WINS_CHEAPLY, trump, 0)
        return Decision(lowest(legal, trump), CANNOT_WIN, trump, 0)

    to_come = cards_to_come(view)
    threats = num_members(to_come & BEATING[trump, led, trick[PARTNER]])
    if view.num_played + num_members(view.sitting_out) == 3:
        return Decision(lowest(legal, trump), PARTNER_WINS_AND_IT_IS_LAST, trump, threats)
    if threats == 0:
        return Decision(lowest(legal, trump), PARTNER_WINS_FOR_SURE, trump, threats)
    safe_cards = 0
    for card in range(NUM_CARDS):
        if winning_cards >> card & 1 and not to_come & BEATING[trump, led, card]:
            safe_cards |= 1 << card
    if safe_cards:
        return Decision(lowest(safe_cards, trump), WINS_FOR_SURE, trump, threats)
    return Decision(lowest(legal, trump), LEAVES_IT_TO_PARTNER, trump, threats)
