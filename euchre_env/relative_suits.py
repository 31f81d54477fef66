"""Relative suits: cards, actions and views with every suit relabelled so that trump is suit 0.

The suit that becomes 0 is the frame: trump, or before trump is named the suit of the upcard. In frame f, suit s is
called s ^ f. That map is its own inverse and keeps the two suits of a colour together (3 - s is the other suit of the
colour of s), so a relabelled view is a valid view. The Benny belongs to trump and keeps its id.
"""

import numpy as np

from euchre_env.actions import BLOCKS, NUM_ACTIONS, block_of
from euchre_env.cards import BENNY, NO_CARD, NO_SUIT, SUITS, Card, CardSet, Suit
from euchre_env.checks import check_numbers, shortened
from euchre_env.deal import NUM_TRICKS, SEATS, ActionSet
from euchre_env.kernel import Record, kernel
from euchre_env.view import View


def relabel_suit(suit: Suit, frame: Suit) -> Suit:
    """The name of `suit` in `frame`; its own inverse."""
    return suit ^ frame


def _relabel_action(action: int, frame: Suit) -> int:
    block = block_of(action)
    argument = block.argument(action)
    if block.argument_kind == "card" and argument != BENNY:
        return block.id(relabel_suit(argument // 6, frame) * 6 + argument % 6)
    if block.argument_kind == "suit":
        return block.id(relabel_suit(argument, frame))
    return action


# RELABELLED[frame, action]: the id of `action` in `frame`; each row is its own inverse. Card ids are action ids, so the
# first 25 columns relabel cards.
RELABELLED = np.array([[_relabel_action(a, f) for a in range(NUM_ACTIONS)] for f in SUITS], np.int64)

# The first ids of the action blocks with one action per suit, and the bits of all actions in these blocks.
_SUIT_BLOCKS = tuple(block.first for block in BLOCKS if block.argument_kind == "suit")
_SUIT_ACTIONS: ActionSet = sum(0b1111 << first for first in _SUIT_BLOCKS)
_CARD_ACTIONS: ActionSet = (1 << NO_CARD) - 1


@kernel
def frame_of(position: Record) -> Suit:
    """The frame of a deal or a view: trump; before that the upcard's suit, or 0 if the Benny is turned up."""
    return frame_for(position.trump, position.upcard)


@kernel
def frame_for(trump: Suit, upcard: Card) -> Suit:
    """The frame of a position with this trump (`NO_SUIT` before it is named) and this upcard."""
    if trump != NO_SUIT:
        return trump
    return 0 if upcard == BENNY else upcard // 6


@kernel
def relabel_groups(bits: int, width: int, frame: Suit) -> int:
    """Four groups of `width` bits, one for each suit, reordered to the relabelled suits."""
    relabelled = 0
    for suit in SUITS:
        relabelled |= (bits >> suit * width & ((1 << width) - 1)) << (suit ^ frame) * width
    return relabelled


@kernel
def relabel_card(card: Card, frame: Suit) -> Card:
    """`card` in `frame`; `NO_CARD` stays `NO_CARD`."""
    return NO_CARD if card == NO_CARD else RELABELLED[frame, card]


@kernel
def relabel_cards(cards: CardSet, frame: Suit) -> CardSet:
    """A card set in `frame`."""
    return relabel_groups(cards, 6, frame) | cards & 1 << BENNY


@kernel
def relabel_legal(actions: ActionSet, frame: Suit) -> ActionSet:
    """An action set in `frame`."""
    relabelled = relabel_cards(actions & _CARD_ACTIONS, frame) | actions & ~_CARD_ACTIONS & ~_SUIT_ACTIONS
    for first in _SUIT_BLOCKS:
        relabelled |= relabel_groups(actions >> first & 0b1111, 1, frame) << first
    return relabelled


@kernel
def relabel_view(view: View, frame: Suit) -> None:
    """Relabel the suits of `view` in place; doing it twice restores it."""
    view.hand = relabel_cards(view.hand, frame)
    view.upcard = relabel_card(view.upcard, frame)
    view.discard = relabel_card(view.discard, frame)
    if view.trump != NO_SUIT:
        view.trump = view.trump ^ frame
    for trick in range(NUM_TRICKS):
        for seat in SEATS:
            view.played[trick, seat] = relabel_card(view.played[trick, seat], frame)
    for seat in SEATS:
        view.voids[seat] = relabel_groups(view.voids[seat], 1, frame)
    view.legal = relabel_legal(view.legal, frame)


def relabel_actions(actions: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Translate action ids between absolute suits and suits relative to `frames`, in either direction.

    Args:
        actions: action ids, int64, shape (n,); other numbers stay unchanged.
        frames: the frame of each action, int64, shape (n,), such as `Tables.frames`.

    Returns:
        int64, shape (n,), a fresh array.

    Raises:
        ValueError: if they are not whole numbers, n of each, or a frame is no suit.

    >>> relabel_actions(np.array([2, 25, 30]), np.array([3, 3, 3])).tolist()  # JC, pass, name hearts
    [20, 25, 29]
    """
    actions, frames = check_numbers(actions, "actions"), check_numbers(frames, "frames")
    if actions.ndim != 1 or actions.shape != frames.shape:
        raise ValueError(f"actions and frames must have one shape (n,), not {actions.shape} and {frames.shape}")
    if not np.isin(frames, SUITS).all():
        raise ValueError(f"frames must be suits from 0 to 3, not {shortened(frames)}")
    relabelled = actions.copy()
    is_action = (relabelled >= 0) & (relabelled < NUM_ACTIONS)
    relabelled[is_action] = RELABELLED[frames[is_action], relabelled[is_action]]
    return relabelled
