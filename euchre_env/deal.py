"""One deal as a record, and its kernels: shuffle, legal actions, apply, points. Every rule of play is here.

Kernels do not check their arguments: `apply` expects a legal action, `points` a deal that is over. "Not yet" is a named
constant (`NOBODY`, `NO_CARD`, `NO_SUIT`), never a valid seat, card or suit.
"""

from typing import TypeAlias

import numpy as np

from euchre_env.actions import (
    DEFEND_ALONE_ID,
    FIRST_NAME_ALONE_ID,
    FIRST_NAME_ID,
    NUM_ACTIONS,
    ORDER_UP_ALONE_ID,
    ORDER_UP_ID,
    PASS_ID,
)
from euchre_env.cards import (
    ACES_AND_FACES,
    BENNY,
    CARDS_IN_SUIT,
    NO_CARD,
    NO_SUIT,
    SUIT_OF,
    TRICK_POWER,
    Card,
    CardSet,
    Suit,
    num_members,
)
from euchre_env.counter_rng import random_below, stream_key
from euchre_env.house_rules import (
    CANADIAN_ANY_CALL,
    CANADIAN_OFF,
    DEFEND_AGAINST_LONER,
    DEFEND_NEVER,
    LEAD_ELDEST_ELSE_LEFT_OF_MAKER,
    LEAD_LEFT_OF_MAKER,
    POLL_FROM_LEFT_OF_MAKER,
    REDEAL_OFF,
)
from euchre_env.kernel import Record, inlined_kernel, kernel
from euchre_env.random_streams import CARDS

Seat: TypeAlias = int  # 0..3 clockwise; team = seat & 1
Deal: TypeAlias = Record  # a row of dtype DEAL
Rules: TypeAlias = Record  # a row of dtype RULES
ActionSet: TypeAlias = int  # bit a is set when action a is in it

SEATS = (0, 1, 2, 3)
NOBODY = 4
NUM_TRICKS = 5
HAND_SIZE = 5

PHASES = ("FIRST_ROUND", "SECOND_ROUND", "BENNY", "DISCARD", "DEFEND", "PLAY", "OVER")
FIRST_ROUND, SECOND_ROUND, BENNY_TURNED_UP, DISCARD, DEFEND, PLAY, OVER = range(7)
BIDDING_PHASES = (FIRST_ROUND, SECOND_ROUND, BENNY_TURNED_UP)

DEAL = np.dtype(
    [
        ("hands", np.int64, 4),  # card set each seat holds now
        ("upcard", np.int64),  # the card turned up, also after it is taken or turned down
        ("kitty", np.int64),  # card set left face down, without the upcard
        ("dealer", np.int64),  # the seat that deals
        ("phase", np.int64),  # index in PHASES
        ("turn", np.int64),  # the seat to act, NOBODY when the deal is over
        ("num_passes", np.int64),  # 0..8 over both rounds, from the seat left of the dealer on
        ("trump", np.int64),  # NO_SUIT before it is made
        ("maker", np.int64),  # the seat that made trump, NOBODY before that
        ("alone", np.int64),  # 1 when the maker goes alone
        ("upcard_taken", np.int64),  # 1 when the dealer took the upcard
        ("discard", np.int64),  # the dealer's discard, face down; NO_CARD if there is none
        ("num_declined", np.int64),  # number of defenders who declined to defend alone
        ("lone_defender", np.int64),  # the seat that defends alone, else NOBODY
        ("sitting_out", np.int64),  # bit s is set when seat s is out; set by the first lead
        ("trick", np.int64),  # number of tricks completed: the index of the trick in progress
        ("num_played", np.int64),  # number of cards in the trick in progress
        ("leaders", np.int64, NUM_TRICKS),  # the seat that led to each trick or leads now; NOBODY for those to come
        ("played", np.int64, (NUM_TRICKS, 4)),  # card by trick and seat, NO_CARD before it is played
        ("voids", np.int64, 4),  # per seat, bit s is set when it failed to follow effective suit s
        ("tricks", np.int64, 2),  # tricks won by each team
    ],
    align=True,
)


@kernel
def left_of(seat: Seat) -> Seat:
    """The next seat clockwise."""
    return (seat + 1) & 3


@kernel
def partner_of(seat: Seat) -> Seat:
    """The seat across the table."""
    return seat ^ 2


@kernel
def next_active(deal: Deal, seat: Seat) -> Seat:
    """The seat that acts after `seat`, skipping seats that sit out."""
    seat = left_of(seat)
    while deal.sitting_out >> seat & 1:
        seat = left_of(seat)
    return seat


# Dealing


@kernel
def clear(deal: Deal, dealer: Seat) -> None:
    """Clear `deal`: dealt by `dealer`, without cards, calls and plays."""
    deal.dealer = dealer
    deal.hands[:] = 0
    deal.upcard = NO_CARD
    deal.kitty = 0
    deal.phase = OVER
    deal.turn = NOBODY
    deal.num_passes = 0
    deal.trump = NO_SUIT
    deal.maker = NOBODY
    deal.alone = 0
    deal.upcard_taken = 0
    deal.discard = NO_CARD
    deal.num_declined = 0
    deal.lone_defender = NOBODY
    deal.sitting_out = 0
    deal.trick = 0
    deal.num_played = 0
    deal.leaders[:] = NOBODY
    deal.played[:] = NO_CARD
    deal.voids[:] = 0
    deal.tricks[:] = 0


@kernel
def shuffled_pack(seed: int, number: int, benny: int) -> np.ndarray:
    """The pack of deal `number` of `seed`, int64, shape (24 + benny,), a function of these arguments alone."""
    a, b = stream_key(seed, CARDS, number)
    size = 24 + benny
    pack = np.arange(size)
    for i in range(size - 1):
        j = i + random_below(a, b, i, size - i)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


@kernel
def deal_cards(deal: Deal, rules: Rules, seed: int, number: int, dealer: Seat) -> None:
    """Deal the cards of deal `number` of `seed`: five to each seat from seat 0 on, the upcard, and then the kitty."""
    clear(deal, dealer)
    pack = shuffled_pack(seed, number, rules.benny)
    for i in range(4 * HAND_SIZE):
        deal.hands[i // HAND_SIZE] |= 1 << pack[i]
    deal.upcard = pack[4 * HAND_SIZE]
    for i in range(4 * HAND_SIZE + 1, len(pack)):
        deal.kitty |= 1 << pack[i]
    open_auction(deal, rules)


@kernel
def open_auction(deal: Deal, rules: Rules) -> None:
    """Start the auction of a deal whose cards are dealt; a deal that must be dealt again stays over."""
    if must_be_redealt(deal, rules):
        return
    if deal.upcard == BENNY:
        deal.phase = BENNY_TURNED_UP
        deal.turn = deal.dealer
    else:
        deal.phase = FIRST_ROUND
        deal.turn = left_of(deal.dealer)


@kernel
def must_be_redealt(deal: Deal, rules: Rules) -> bool:
    """Whether `no_ace_no_face` voids the deal as dealt: some hand holds only nines and tens."""
    if rules.no_ace_no_face == REDEAL_OFF:
        return False
    for seat in SEATS:
        if not deal.hands[seat] & ACES_AND_FACES:
            return True
    return False


@kernel
def was_redealt(deal: Deal) -> bool:
    """Whether a deal that is over ended before the first bid (`no_ace_no_face`)."""
    return deal.maker == NOBODY and deal.num_passes == 0


@kernel
def was_thrown_in(deal: Deal) -> bool:
    """Whether a deal that is over ended because everybody passed twice."""
    return deal.maker == NOBODY and deal.num_passes > 0


@kernel
def dealt_hand(deal: Deal, seat: Seat) -> CardSet:
    """The five cards that `seat` was dealt, played or not."""
    hand = deal.hands[seat]
    for trick in range(NUM_TRICKS):
        if deal.played[trick, seat] != NO_CARD:
            hand |= 1 << deal.played[trick, seat]
    if seat == deal.dealer and deal.upcard_taken:
        if deal.discard != NO_CARD:
            hand |= 1 << deal.discard
        hand &= ~(1 << deal.upcard)
    return hand


# Legal actions


@kernel
def led_suit(deal: Deal) -> Suit:
    """The effective suit led to the trick in progress; `NO_SUIT` between tricks."""
    if deal.num_played == 0:
        return NO_SUIT
    card = deal.played[deal.trick, deal.leaders[deal.trick]]
    return int(SUIT_OF[card, deal.trump])


@kernel
def legal_actions(deal: Deal, rules: Rules) -> ActionSet:
    """The legal actions of the seat to act; none when the deal is over."""
    if deal.phase == OVER:
        return 0
    seats_from_dealer = (deal.turn - deal.dealer) & 3
    hand = deal.hands[deal.turn]
    return legal_with(rules, deal.phase, hand, seats_from_dealer, deal.upcard, deal.trump, led_suit(deal))


@kernel
def is_legal(deal: Deal, rules: Rules, action: int) -> bool:
    """Whether `action`, any int64, is a legal action of the seat to act; a shift alone would treat 64 as 0."""
    return 0 <= action < NUM_ACTIONS and legal_actions(deal, rules) >> action & 1 == 1


@kernel
def legal_with(
    rules: Rules, phase: int, hand: CardSet, seats_from_dealer: int, upcard: Card, trump: Suit, led: Suit
) -> ActionSet:
    """The legal actions of the seat to act, `seats_from_dealer` left of the dealer.

    The legal actions depend on these arguments alone, and a view, which lacks the other hands, has all of them.
    """
    if phase == PLAY:
        return legal_plays(hand, led, trump)
    if phase == DISCARD:
        return hand if rules.discard_upcard else hand & ~(1 << upcard)
    if phase == DEFEND:
        return 1 << PASS_ID | 1 << DEFEND_ALONE_ID
    is_dealer, is_dealers_partner = seats_from_dealer == 0, seats_from_dealer == 2
    if phase == FIRST_ROUND:
        alone_only = is_dealers_partner and rules.canadian_loner != CANADIAN_OFF
        return 1 << PASS_ID | 1 << ORDER_UP_ALONE_ID | (0 if alone_only else 1 << ORDER_UP_ID)
    if phase == BENNY_TURNED_UP:
        return 0b1111 << FIRST_NAME_ID | 0b1111 << FIRST_NAME_ALONE_ID
    stuck = is_dealer and rules.stick_the_dealer
    suits = 0b1111 if stuck and rules.stuck_dealer_any_suit else 0b1111 & ~(1 << SUIT_OF[upcard, NO_SUIT])
    alone_only = is_dealers_partner and rules.canadian_loner == CANADIAN_ANY_CALL
    calls = suits << FIRST_NAME_ALONE_ID | (0 if alone_only else suits << FIRST_NAME_ID)
    return calls if stuck else calls | 1 << PASS_ID


@kernel
def legal_plays(hand: CardSet, led: Suit, trump: Suit) -> CardSet:
    """The cards of `hand` that may be played: cards of the effective suit led, or all cards if there are none."""
    if led == NO_SUIT:
        return hand
    following = hand & CARDS_IN_SUIT[trump, led]
    return following if following else hand


# The course of a deal


@inlined_kernel
def apply(deal: Deal, rules: Rules, action: int) -> None:
    """Carry out a legal action of the seat to act, in place."""
    if deal.phase == PLAY:
        play_card(deal, action)
    elif deal.phase == DISCARD:
        deal.hands[deal.turn] &= ~(1 << action)
        deal.discard = action
        ask_defenders(deal, rules)
    elif deal.phase == DEFEND:
        answer_defence(deal, rules, action)
    elif action == PASS_ID:
        pass_bid(deal)
    else:
        make_trump(deal, rules, action)


@kernel
def pass_bid(deal: Deal) -> None:
    """The seat to act passes; the fourth pass turns the upcard down, the eighth throws the deal in."""
    deal.num_passes += 1
    if deal.num_passes == 8:
        deal.phase = OVER
        deal.turn = NOBODY
        return
    if deal.num_passes == 4:
        deal.phase = SECOND_ROUND
    deal.turn = left_of(deal.turn)


@kernel
def make_trump(deal: Deal, rules: Rules, action: int) -> None:
    """The seat to act becomes the maker; the dealer takes the upcard unless it is turned down or the dealer is out."""
    deal.maker = deal.turn
    turned_down = deal.phase == SECOND_ROUND
    if deal.phase == FIRST_ROUND:
        deal.trump = SUIT_OF[deal.upcard, NO_SUIT]
        deal.alone = action == ORDER_UP_ALONE_ID
    else:
        deal.alone = action >= FIRST_NAME_ALONE_ID
        deal.trump = action - (FIRST_NAME_ALONE_ID if deal.alone else FIRST_NAME_ID)
    dealer_is_out = deal.alone and deal.maker == partner_of(deal.dealer) and not rules.dealer_sits_out_exchange
    if turned_down or dealer_is_out:
        ask_defenders(deal, rules)
        return
    deal.hands[deal.dealer] |= 1 << deal.upcard
    deal.upcard_taken = 1
    deal.phase = DISCARD
    deal.turn = deal.dealer


@kernel
def ask_defenders(deal: Deal, rules: Rules) -> None:
    """Ask the first defender whether it defends alone, or start play if the house rules do not ask."""
    asks = rules.defend_alone != DEFEND_NEVER and (deal.alone or rules.defend_alone != DEFEND_AGAINST_LONER)
    if not asks:
        start_play(deal, rules)
        return
    deal.phase = DEFEND
    deal.turn = first_asked_to_defend(deal, rules)


@kernel
def first_asked_to_defend(deal: Deal, rules: Rules) -> Seat:
    """The defender who is asked first whether to defend alone, in a deal that has a maker."""
    first = left_of(deal.maker if rules.defend_poll_from == POLL_FROM_LEFT_OF_MAKER else deal.dealer)
    return left_of(first) if (first ^ deal.maker) & 1 == 0 else first


@kernel
def answer_defence(deal: Deal, rules: Rules, action: int) -> None:
    """The defender to act defends alone or declines; a lone defender starts the play, and so does a second decline."""
    if action == DEFEND_ALONE_ID:
        deal.lone_defender = deal.turn
        start_play(deal, rules)
        return
    deal.num_declined += 1
    if deal.num_declined == 2:
        start_play(deal, rules)
    else:
        deal.turn = partner_of(deal.turn)


@kernel
def start_play(deal: Deal, rules: Rules) -> None:
    """Let the partners of lone players sit out, and give the first lead by the house rules."""
    if deal.alone:
        deal.sitting_out |= 1 << partner_of(deal.maker)
    if deal.lone_defender != NOBODY:
        deal.sitting_out |= 1 << partner_of(deal.lone_defender)
    lead_left_of = deal.dealer
    if deal.alone:
        eldest_is_out = left_of(deal.dealer) == partner_of(deal.maker)
        if rules.lone_lead == LEAD_LEFT_OF_MAKER or (
            rules.lone_lead == LEAD_ELDEST_ELSE_LEFT_OF_MAKER and eldest_is_out
        ):
            lead_left_of = deal.maker
    deal.phase = PLAY
    deal.turn = next_active(deal, lead_left_of)
    deal.leaders[0] = deal.turn


@inlined_kernel
def play_card(deal: Deal, card: Card) -> None:
    """The seat to act plays `card`; the last card of a trick decides who leads next, or ends the deal."""
    seat, led = deal.turn, led_suit(deal)
    if led != NO_SUIT and SUIT_OF[card, deal.trump] != led:
        deal.voids[seat] |= 1 << led
    deal.hands[seat] &= ~(1 << card)
    deal.played[deal.trick, seat] = card
    deal.num_played += 1
    if deal.num_played < 4 - num_members(deal.sitting_out):
        deal.turn = next_active(deal, seat)
        return
    winner = trick_winner(deal, deal.trick)
    deal.tricks[winner & 1] += 1
    deal.trick += 1
    deal.num_played = 0
    if deal.trick == NUM_TRICKS:
        deal.phase = OVER
        deal.turn = NOBODY
    else:
        deal.turn = winner
        deal.leaders[deal.trick] = winner


@inlined_kernel
def trick_winner(deal: Deal, trick: int) -> Seat:
    """The seat of the best card so far in `trick`, to which a card has been led."""
    winner = deal.leaders[trick]
    led = SUIT_OF[deal.played[trick, winner], deal.trump]
    best = 0
    for seat in SEATS:
        card = deal.played[trick, seat]
        power = TRICK_POWER[deal.trump, led, card] if card != NO_CARD else 0
        if power > best:
            winner, best = seat, power
    return winner


# The score


@kernel
def points(deal: Deal, rules: Rules) -> tuple[int, int]:
    """Points scored by team 0 (seats 0, 2) and team 1 (seats 1, 3) in a deal that is over (docs/rules.md, "Score")."""
    if deal.maker == NOBODY:
        return 0, 0
    makers = deal.maker & 1
    won = deal.tricks[makers]
    if won >= 3:
        march = rules.lone_march_points if deal.alone else rules.march_points
        scored, team = march if won == NUM_TRICKS else 1, makers
    else:
        scored, team = rules.lone_euchred_points if deal.alone else rules.euchre_points, 1 - makers
        if deal.lone_defender != NOBODY:
            scored = rules.lone_defender_points
        if won == 0 and rules.super_euchre:
            scored = max(scored, 4)
    return (scored, 0) if team == 0 else (0, scored)
