"""Cards, suits and ranks as small integers, card sets as bits, and the effect of trump on a card's suit and strength.

`effective_suit` and `trick_power` are the only functions that know the bowers and the Benny.
"""

from typing import Any, TypeAlias

import numpy as np

from euchre_env.checks import check_number, shortened
from euchre_env.kernel import kernel

Suit: TypeAlias = int  # 0..3
Card: TypeAlias = int  # 0..24: suit * 6 + rank, then 24, the Benny, whose suit is trump
CardSet: TypeAlias = int  # bit c is set when card c is present

SUITS = CLUBS, DIAMONDS, HEARTS, SPADES = 0, 1, 2, 3  # 3 - suit: the other suit of that colour
RANKS = NINE, TEN, JACK, QUEEN, KING, ACE = 0, 1, 2, 3, 4, 5
NUM_CARDS = 25
BENNY = 24
NO_SUIT, NO_CARD = 4, 25  # "not yet" in records; never a suit or a card

SUIT_LETTERS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
SUIT_SYMBOLS = "♣♦♥♠"
RANK_LETTERS = "9TJQKA"
BENNY_NAME = "2S"

PACK: CardSet = (1 << 24) - 1
PACK_WITH_BENNY: CardSet = (1 << 25) - 1


def suit_of(card: Card) -> Suit:
    """The printed suit of `card`; `NO_SUIT` for the Benny, which belongs to trump whatever trump is."""
    return NO_SUIT if card == BENNY else card // 6


def rank_of(card: Card) -> int:
    """The rank of `card`, 0 (nine) to 5 (ace); not for the Benny."""
    return card % 6


def right_bower(trump: Suit) -> Card:
    """The jack of trump."""
    return trump * 6 + JACK


def left_bower(trump: Suit) -> Card:
    """The other jack of trump's colour."""
    return (3 - trump) * 6 + JACK


def effective_suit(card: Card, trump: Suit) -> Suit:
    """The suit `card` belongs to in play: the left bower and the Benny are trumps."""
    return trump if card in (left_bower(trump), BENNY) else card // 6


def trick_power(card: Card, led: Suit, trump: Suit) -> int:
    """The strength of `card` in a trick in which effective suit `led` was led: the highest wins, 0 never wins.

    Trumps come above the led suit: Benny, right bower, left bower, A, K, Q, 10, 9 (docs/rules.md, "Cards").
    """
    if effective_suit(card, trump) == trump:
        if card == BENNY:
            return 20
        if card == right_bower(trump):
            return 19
        return 18 if card == left_bower(trump) else 11 + rank_of(card)
    return 1 + rank_of(card) if card // 6 == led else 0


# SUIT_OF[card, trump]: the effective suit; in column NO_SUIT, before trump is named, the printed one.
SUIT_OF = np.array([[effective_suit(c, t) for t in SUITS] + [suit_of(c)] for c in range(NUM_CARDS)], np.int64)
# CARDS_IN_SUIT[trump, suit]: the cards that count as `suit` when `trump` is trump.
CARDS_IN_SUIT = np.array(
    [[sum(1 << c for c in range(NUM_CARDS) if effective_suit(c, t) == s) for s in SUITS] for t in SUITS], np.int64
)
# TRICK_POWER[trump, led, card]
TRICK_POWER = np.array([[[trick_power(c, led, t) for c in range(NUM_CARDS)] for led in SUITS] for t in SUITS], np.int64)
# BEATING[trump, led, card]: the cards that beat `card` in a trick where `led` was led.
BEATING: Any = np.array(
    [
        [[sum(1 << c for c in range(NUM_CARDS) if powers[c] > power) for power in powers] for powers in by_led]
        for by_led in TRICK_POWER
    ],
    np.int64,
)
# The aces and court cards, the Benny among them: a hand with none of these has "no ace, no face".
ACES_AND_FACES: CardSet = sum(1 << c for c in range(24) if rank_of(c) >= JACK) | 1 << BENNY


def card_name(card: Card) -> str:
    """The text form of `card`: rank then suit.

    >>> card_name(2), card_name(24)
    ('JC', '2S')

    Raises:
        ValueError: if `card` is not a card id.
    """
    card = check_number(card, 0, NUM_CARDS - 1, "a card")
    return BENNY_NAME if card == BENNY else RANK_LETTERS[card % 6] + SUIT_LETTERS[card // 6]


CARD_NAMES = tuple(card_name(c) for c in range(NUM_CARDS))
_CARD_IDS = {name: card for card, name in enumerate(CARD_NAMES)}


def parse_card(text: str) -> Card:
    """The card named `text` (`"JC"`, `"9h"`, `"10H"`), the inverse of `card_name`.

    Raises:
        ValueError: if `text` names no card.
    """
    is_ascii = isinstance(text, str) and text.isascii()  # upper() makes an S of U+017F, the long s
    name = text.strip().upper().replace("10", "T", 1) if is_ascii else None
    if name is None or name not in _CARD_IDS:
        raise ValueError(
            f"{shortened(text)} is not a card; a card is a rank of {RANK_LETTERS} and a suit of {SUIT_LETTERS}, or 2S"
        )
    return _CARD_IDS[name]


def cards_in(cards: CardSet) -> list[Card]:
    """The members of a card set, in ascending order."""
    return [c for c in range(NUM_CARDS) if int(cards) >> c & 1]


def card_names(cards: CardSet) -> list[str]:
    """The names of the members of a card set, in ascending order of their ids."""
    return [CARD_NAMES[c] for c in cards_in(cards)]


@kernel
def num_members(bits: int) -> int:
    """The number of set bits of `bits`."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@kernel
def lowest_member(bits: int) -> int:
    """The position of the lowest set bit of `bits`, which is not 0."""
    return num_members((bits & -bits) - 1)  # the number of places below it


@kernel
def nth_member(bits: int, n: int) -> int:
    """The position of the `n`-th set bit of `bits`, counting from 0 at the lowest."""
    for _ in range(n):
        bits &= bits - 1
    return lowest_member(bits)
