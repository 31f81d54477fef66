"""Cards as the notation writes them: known cards, bowers, unknown ranks and suits, and suits relative to trump.

A symbol is a rank and a suit, or one of three letters.

| part | meaning |
| --- | --- |
| ranks `9TJQKA`, `N` | `N` is the nine; `7` and `8` are legal symbols, but no cards of our pack |
| rank `X` | unknown |
| suits `cdhs`, also in upper case | clubs, diamonds, hearts, spades |
| suit `x` | unknown |
| suits `t`, `n`, `g`, `h` | trump, next (the other suit of its colour), and the two suits of the other colour |
| `R`, `L`, `B` | the right bower, the left bower, and the joker, our Benny |

`h` is hearts, unless `g` stands in the same deal; then it is the second suit of the other colour, and `H` hearts.
"""

import re
from typing import TypeAlias

from euchre_env.cards import (
    BENNY,
    CARDS_IN_SUIT,
    NUM_CARDS,
    RANK_LETTERS,
    RANKS,
    SUIT_LETTERS,
    SUITS,
    Card,
    CardSet,
    Suit,
    left_bower,
    right_bower,
)

Symbol: TypeAlias = str
UNKNOWN: Symbol = "Xx"

_SYMBOL = re.compile(r"[78N9TJQKAX][SsHhCcDdxtngh]|[LRB]")
_RANK_OF = {letter: rank for rank, letter in enumerate(RANK_LETTERS)} | {"N": 0}
_CARDS_OF_RANK = [sum(1 << suit * 6 + rank for suit in SUITS) for rank in RANKS]
_CARDS_OF_SUIT = [0b111111 << suit * 6 for suit in SUITS]
_ALL: CardSet = (1 << NUM_CARDS) - 1


def is_symbol(text: str) -> bool:
    """Whether `text` is a symbol of the notation."""
    return _SYMBOL.fullmatch(text) is not None


def symbol_of(card: Card) -> Symbol:
    """The symbol of a card.

    >>> symbol_of(2), symbol_of(24)
    ('Jc', 'B')
    """
    return "B" if card == BENNY else RANK_LETTERS[card % 6] + SUIT_LETTERS[card // 6].lower()


def is_relative(symbol: Symbol, with_greens: bool) -> bool:
    """Whether the cards of `symbol` depend on trump; `with_greens` says whether `h` is a suit of the other colour."""
    return symbol in ("L", "R") or (len(symbol) == 2 and symbol[1] in ("tngh" if with_greens else "tn"))


def cards_of(symbol: Symbol, trump: Suit, with_greens: bool) -> CardSet:
    """The cards that `symbol` may stand for when `trump` is trump; none if our pack has no such card.

    >>> from euchre_env.cards import card_names
    >>> card_names(cards_of("Jx", 0, False)), card_names(cards_of("An", 0, False)), card_names(cards_of("L", 0, False))
    (['JC', 'JD', 'JH', 'JS'], ['AS'], ['JS'])
    """
    if len(symbol) == 1:
        return 1 << (BENNY if symbol == "B" else right_bower(trump) if symbol == "R" else left_bower(trump))
    rank, suit = symbol
    if symbol == UNKNOWN:
        return _ALL
    if symbol == "Xt":
        return int(CARDS_IN_SUIT[trump, trump])
    if symbol == "Xn":
        return int(CARDS_IN_SUIT[trump, 3 - trump])
    of_rank = sum(_CARDS_OF_RANK) if rank == "X" else _CARDS_OF_RANK[_RANK_OF[rank]] if rank in _RANK_OF else 0
    return of_rank & (sum(_CARDS_OF_SUIT) if suit == "x" else _CARDS_OF_SUIT[_suit(suit, trump, with_greens)])


def _suit(letter: str, trump: Suit, with_greens: bool) -> Suit:
    if letter == "t":
        return trump
    if letter == "n":
        return 3 - trump
    if letter == "g" or (letter == "h" and with_greens):
        first, second = (suit for suit in SUITS if suit not in (trump, 3 - trump))
        return first if letter == "g" else second
    return SUIT_LETTERS.index(letter.upper())
