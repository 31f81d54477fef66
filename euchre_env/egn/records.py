"""A game as the notation records it, in Python: what was said and played, not what follows from it."""

from dataclasses import dataclass, field
from typing import TypeAlias

from euchre_env.deal import Seat
from euchre_env.egn.symbols import Symbol
from euchre_env.house_rules import HouseRules

Notes: TypeAlias = dict[int, tuple[str, ...]]  # annotations by the number of the call or play from 0

# The labels that an annotation may begin with, longer ones first.
LABELS = {
    "[??]": "blunder",
    "[!!]": "brilliant play",
    "[?!]": "dubious",
    "[!?]": "interesting",
    "[?]": "mistake",
    "[!]": "great play",
}


def split_label(note: str) -> tuple[str, str]:
    """The label of an annotation, empty if it has none, and the rest.

    >>> split_label("[??]Threw a trump away."), split_label("No choice here.")
    (('[??]', 'Threw a trump away.'), ('', 'No choice here.'))
    """
    label = next((label for label in LABELS if note.startswith(label)), "")
    return label, note.removeprefix(label)


@dataclass(frozen=True)
class NamedPlayer:
    """A player with identities elsewhere."""

    name: str
    id: str | None = None
    accounts: tuple[tuple[str, str], ...] = ()
    """Pairs of an id and the place where it is known by it (`source`)."""


@dataclass(frozen=True)
class Bidding:
    """The auction of a deal, with the dealer's discard and the answers to "defend alone?"."""

    calls: tuple[str, ...] = ()
    """"Pass", "Order", "c", "d", "h", "s", or "x", an unknown call, from the seat left of the dealer on."""
    alone: bool = False
    """Whether the maker goes alone."""
    lone_defender: int | None = None
    """The seat that defends alone; -1 if nobody does; None if the record does not say."""
    discard: Symbol | None = None
    """The dealer's discard; None if the record does not say, or there is none."""
    notes: Notes = field(default_factory=dict)
    """Annotations of calls."""
    phase: int = field(default=0, compare=False)
    """The index of the phase in the file."""


@dataclass(frozen=True)
class Play:
    """The tricks of a deal, each with its cards in the order they were played."""

    tricks: tuple[tuple[Symbol, ...], ...] = ()
    notes: Notes = field(default_factory=dict)
    """Annotations of cards."""
    alone: bool | None = None
    """What the phase of the tricks itself says about going alone, if it says anything; the auction decides."""
    phase: int = field(default=1, compare=False)
    """The index of the phase in the file."""


@dataclass(frozen=True)
class AlternativeLine:
    """Another course of a deal, kept as it is written: neither replayed nor checked against the rules."""

    branch_index: int
    """The number of decisions of the deal after which it branches off."""
    bidding: Bidding | None = None
    play: Play | None = None


@dataclass(frozen=True)
class RecordedDeal:
    """One deal of a game."""

    dealer: Seat
    upcard: Symbol
    bidding: Bidding = field(default_factory=Bidding)
    play: Play = field(default_factory=Play)
    hands: tuple[tuple[Symbol, ...], ...] = ()
    """The cards dealt to seats 0 to 3, as far as the record says; empty if it says nothing."""
    number: int = 0
    """The number of the deal in the game."""
    lines: tuple[AlternativeLine, ...] = ()


@dataclass(frozen=True)
class RecordedGame:
    """A game, or a part of one. Equal records are the same game with the same texts, however they were laid out."""

    deals: tuple[RecordedDeal, ...]
    rules: HouseRules
    players: tuple[str | NamedPlayer, ...] = ()
    """The players from seat 0 on."""
    first_scores: tuple[int, int] = (0, 0)
    """The points of teams 0 and 1 before the first deal."""
    final_scores: tuple[int, int] | None = None
    """Their points at the end, as the record says; `replay` tells what the deals come to."""
    title: str | None = None
    description: str | None = None
    game_id: str | None = None
    date: str | None = None
    team_names: tuple[str, str] | None = None
    """The names of the teams, which versions before 1.6 cannot hold: version 1.4 is written without them."""

    @property
    def player_names(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(player if isinstance(player, str) else player.name for player in self.players)
