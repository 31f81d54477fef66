"""The action space: 37 ids in named blocks.

Playing and discarding share the card ids; pass also means "decline to defend alone"; the phase tells them apart. Going
alone is part of the call. No other module writes an action number.
"""

from typing import Literal, NamedTuple

from euchre_env.cards import CARD_NAMES, SUIT_NAMES, parse_card
from euchre_env.checks import shortened, whole_number


class Block(NamedTuple):
    """A run of consecutive action ids that share a meaning."""

    name: str
    first: int
    size: int
    argument_kind: Literal["card", "suit", "none"]
    """What `argument` is; relative suits relabel the ids of blocks over cards and suits."""

    def __contains__(self, action: object) -> bool:
        number = whole_number(action)
        return number is not None and self.first <= number < self.first + self.size

    def id(self, argument: int = 0) -> int:
        """The action id of the block's `argument`-th member."""
        return self.first + argument

    def argument(self, action: int) -> int:
        """The argument of `action`, a card or a suit; the inverse of `id`."""
        return action - self.first


BLOCKS = (
    CARD := Block("card", 0, 25, "card"),
    PASS := Block("pass", 25, 1, "none"),
    ORDER_UP := Block("order up", 26, 1, "none"),
    ORDER_UP_ALONE := Block("order up alone", 27, 1, "none"),
    NAME := Block("name", 28, 4, "suit"),
    NAME_ALONE := Block("name alone", 32, 4, "suit"),
    DEFEND_ALONE := Block("defend alone", 36, 1, "none"),
)
NUM_ACTIONS = sum(block.size for block in BLOCKS)

# The ids of the blocks that hold one action each, and the first of those that hold several: plain integers for kernels.
PASS_ID, ORDER_UP_ID, ORDER_UP_ALONE_ID = PASS.first, ORDER_UP.first, ORDER_UP_ALONE.first
FIRST_NAME_ID, FIRST_NAME_ALONE_ID, DEFEND_ALONE_ID = NAME.first, NAME_ALONE.first, DEFEND_ALONE.first


def block_of(action: int) -> Block:
    """The block of `action`.

    Raises:
        ValueError: if `action` is not an action id.
    """
    for block in BLOCKS:
        if action in block:
            return block
    raise ValueError(f"an action is a whole number from 0 to {NUM_ACTIONS - 1}, not {shortened(action)}")


def action_name(action: int) -> str:
    """The name of an action; the action of a card has the card's name.

    >>> action_name(2), action_name(27), action_name(30)
    ('JC', 'order up alone', 'name hearts')
    """
    block = block_of(action)
    argument = block.argument(action)
    if block is CARD:
        return CARD_NAMES[argument]
    if block is NAME:
        return f"name {SUIT_NAMES[argument]}"
    if block is NAME_ALONE:
        return f"name {SUIT_NAMES[argument]} alone"
    return block.name


ACTION_NAMES = tuple(action_name(a) for a in range(NUM_ACTIONS))
_ACTION_IDS = {name: action for action, name in enumerate(ACTION_NAMES)}


def parse_action(text: str) -> int:
    """The action named `text`, the inverse of `action_name`; "play QC" and "discard QC" are read as "QC".

    Raises:
        ValueError: if `text` names no action.
    """
    words = text.strip().lower().split() if isinstance(text, str) else []
    if len(words) == 2 and words[0] in ("play", "discard"):
        return CARD.id(parse_card(words[1]))
    name = " ".join(words)
    if name in _ACTION_IDS:
        return _ACTION_IDS[name]
    try:
        return CARD.id(parse_card(text))
    except ValueError:
        raise ValueError(f"{shortened(text)} is not an action; one of: {', '.join(ACTION_NAMES)}") from None


def actions_in(bits: int) -> list[int]:
    """The action ids of a legal-action set (bit a is set when action a is legal), in ascending order."""
    return [a for a in range(NUM_ACTIONS) if int(bits) >> a & 1]


class IllegalActionError(ValueError):
    """An action that is not legal for the seat to act; nothing has changed.

    Attributes:
        action: the illegal action.
        seat: the seat of the action.
        phase: the name of the phase, such as "FIRST_ROUND".
        legal: the legal action ids of the seat to act.
    """

    def __init__(self, action: object, seat: int, phase: str, legal: list[int], reason: str = "") -> None:
        super().__init__(action, seat, phase, legal, reason)
        self.action, self.seat, self.phase, self.legal, self.reason = action, seat, phase, legal, reason

    def __str__(self) -> str:
        number = whole_number(self.action)
        if number is not None and 0 <= number < NUM_ACTIONS:
            name = phrase(number, self.phase)
        else:
            name = self.action if isinstance(self.action, str) else shortened(self.action)
        legal = ", ".join(phrase(a, self.phase) for a in self.legal) or "nothing"
        reason = f" ({self.reason})" if self.reason else ""
        return f"{shortened(name)} is not legal for seat {self.seat} in {self.phase}{reason}; legal: {legal}"


def phrase(action: int, phase: str) -> str:
    """The name of `action` as said in `phase`: "play QC", "discard QC", "decline"; else as `action_name`."""
    if action in CARD and phase in ("PLAY", "DISCARD"):
        return f"{phase.lower()} {ACTION_NAMES[action]}"
    if action in PASS and phase == "DEFEND":
        return "decline"
    return ACTION_NAMES[action]
