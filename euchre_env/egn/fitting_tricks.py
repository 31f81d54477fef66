"""Cards for the tricks of a recorded deal, found by backtracking over the plays whose card is not certain.

What the tricks leave of the pack is matched to the empty places of the hands and the kitty, so that nobody holds a card
of a suit that it has failed to follow. The kernels of the game say whose turn it is.
"""

from typing import NamedTuple

from euchre_env.cards import CARDS_IN_SUIT, NO_SUIT, SUIT_NAMES, SUIT_OF, SUITS, Card, CardSet, cards_in, num_members
from euchre_env.deal import DEAL, SEATS, Deal, Rules, Seat, apply, led_suit
from euchre_env.egn.matching import match
from euchre_env.egn.places import EgnError
from euchre_env.egn.symbols import Symbol
from euchre_env.kernel import records, row

MAX_STEPS = 4000  # cards tried for one deal; one in which every card is unknown takes about 30


class Slot(NamedTuple):
    """A place for one card of the pack."""

    cards: CardSet
    """The cards that the record allows there."""
    seat: Seat | None = None
    """The seat in whose dealt hand it is; None in the kitty."""
    is_discarded: bool = False

    @property
    def is_certain(self) -> bool:
        """Whether the record names its card."""
        return self.cards & (self.cards - 1) == 0


class RecordedPlay(NamedTuple):
    """A card played as the record has it."""

    cards: CardSet
    """The cards that it may be."""
    symbol: Symbol
    place: str
    """Its path in the file."""


class Fit(NamedTuple):
    """Cards that agree with the record."""

    cards: list[Card]
    """The card of each slot."""
    played: list[Card]
    """The card of each play."""


class Trials:
    """The error of the trial that came furthest, and how many cards have been tried for one deal."""

    def __init__(self, path: str) -> None:
        self._path, self._steps, self._progress = path, 0, -1
        self.error: EgnError = EgnError(path, "no cards of the pack fit this record")

    def fail(self, progress: int, place: str | None, fault: str) -> None:
        """Note why a trial failed after `progress` plays; a place of None is the deal."""
        if progress > self._progress:
            self._progress, self.error = progress, EgnError(place or self._path, fault)

    def count(self) -> None:
        """Count one card.

        Raises:
            EgnError: if too many have been tried.
        """
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise EgnError(self._path, f"no cards for the unknown ones were found in {MAX_STEPS} steps")


def fit_tricks(
    deal: Deal,
    rules: Rules,
    plays: list[RecordedPlay],
    slots: list[Slot],
    discard: Card | None,
    order: list[Card],
    trials: Trials,
) -> Fit | None:
    """Cards for all slots and plays, the first in `order` where several fit; None if there are none.

    Args:
        deal: the deal before the first lead, without hands, or where its record stops before that.
        rules: the house rules.
        plays: the cards played, as many in each trick as there are seats that play.
        slots: the places of all cards but the upcard.
        discard: the dealer's discard if it is certain, the upcard of a deal without one; None if it is in a slot.
        order: the whole pack.
        trials: told of what fails.
    """
    return _TrickSearch(deal, rules, plays, slots, discard, order, trials).run()


class _TrickSearch:
    def __init__(
        self,
        deal: Deal,
        rules: Rules,
        plays: list[RecordedPlay],
        slots: list[Slot],
        discard: Card | None,
        order: list[Card],
        trials: Trials,
    ) -> None:
        self._rules, self._plays, self._slots, self._discard = rules, plays, slots, discard
        self._order, self._trials = order, trials
        self._trump, self._upcard = int(deal.trump), int(deal.upcard)
        self._taker: Seat | None = int(deal.dealer) if deal.upcard_taken else None  # the seat that took the upcard
        self._deals = records(len(plays) + 1, DEAL)  # the position before each play, and after the last
        self._deals[0] = deal
        self._played: list[Card] = []
        self._played_by: list[CardSet] = [0 for _ in SEATS]

    def run(self) -> Fit | None:
        cards = self._fit()
        return None if cards is None else Fit(cards, self._played)

    def _fit(self) -> list[Card] | None:
        """Cards for the slots once the plays that have no card yet have got one; None if there are none."""
        number = len(self._played)
        if number == len(self._plays):
            cards = self._matched()
            if cards is None:
                fault = "no pack of cards fits the hands, the discard and the tricks of the record"
                self._trials.fail(number + 1, None, fault)
            return cards
        deal, play = row(self._deals, number), self._plays[number]
        seat = int(deal.turn)
        free = play.cards & ~self._elsewhere(seat)
        held = free & self._in_hand(seat)
        playable = held & ~self._cards_in_suits(int(deal.voids[seat]))
        if not playable:
            self._trials.fail(number + 1, play.place, self._reason(seat, play, free, held))
        for card in self._sorted(deal, playable):
            self._trials.count()
            self._deals[number + 1] = self._deals[number]
            apply(row(self._deals, number + 1), self._rules, card)
            self._played_by[seat] |= 1 << card
            self._played.append(card)
            if num_members(play.cards) == 1 or self._matched() is not None:
                cards = self._fit()
                if cards is not None:
                    return cards
            self._played.pop()
            self._played_by[seat] &= ~(1 << card)
        return None

    def _elsewhere(self, seat: Seat) -> CardSet:
        """The cards that `seat` cannot play because they have been played, discarded, turned down or taken."""
        cards = sum(self._played_by)
        if self._discard is not None:
            cards |= 1 << self._discard
        return cards if seat == self._taker else cards | 1 << self._upcard

    def _in_hand(self, seat: Seat) -> CardSet:
        """The cards that `seat` may have held after the discard, by what the record says of its hand."""
        cards, others = 1 << self._upcard if seat == self._taker else 0, 0
        for slot in self._slots:
            if slot.seat == seat and not slot.is_discarded:
                cards |= slot.cards
            elif slot.seat != seat and slot.is_certain:
                others |= slot.cards
        return cards & ~others

    def _cards_in_suits(self, suits: int) -> CardSet:
        return sum(int(CARDS_IN_SUIT[self._trump, suit]) for suit in SUITS if suits >> suit & 1)

    def _sorted(self, deal: Deal, cards: CardSet) -> list[Card]:
        """The cards in the order in which they are tried: those first that follow suit, and so leave more choices."""
        choices = [card for card in self._order if cards >> card & 1]
        if len(choices) > 1:
            led = int(led_suit(deal))
            choices.sort(key=lambda card: led != NO_SUIT and SUIT_OF[card, self._trump] != led)
        return choices

    def _reason(self, seat: Seat, play: RecordedPlay, free: CardSet, held: CardSet) -> str:
        """Why `seat` can play none of the cards that the record names."""
        if not free and num_members(play.cards) == 1:
            card = cards_in(play.cards)[0]
            if any(cards >> card & 1 for cards in self._played_by):
                return f"{play.symbol!r} has been played before"
            if card == self._discard and self._taker is not None:
                return f"{play.symbol!r} was discarded by the dealer"
            where = "was turned down" if self._taker is None else "was taken by the dealer"
            return f"seat {seat} cannot play {play.symbol!r}, the upcard, which {where}"
        if not held:
            return f"seat {seat}, whose turn it is, does not hold {play.symbol!r}"
        suits = sorted({int(SUIT_OF[card, self._trump]) for card in cards_in(held)})
        names = " or ".join(SUIT_NAMES[suit] for suit in suits)
        return f"seat {seat} plays {play.symbol!r}, but it has failed to follow {names} before"

    def _matched(self) -> list[Card] | None:
        """A card for each slot after the plays so far; None if there are not such cards."""
        voids, all_played = row(self._deals, len(self._played)).voids.tolist(), sum(self._played_by)
        discard = 0 if self._discard is None else 1 << self._discard
        admitted = []
        for slot in self._slots:
            unplayed = slot.cards & ~all_played
            if slot.is_discarded:
                admitted.append(unplayed)
            elif slot.seat is None:
                admitted.append(unplayed & ~discard)
            else:
                may_hold = unplayed & ~discard & ~self._cards_in_suits(voids[slot.seat])
                admitted.append(may_hold | slot.cards & self._played_by[slot.seat])
        holds_upcard = self._discard != self._upcard and not all_played >> self._upcard & 1
        if self._taker is not None and holds_upcard and voids[self._taker] >> self._trump & 1:
            return None
        return match([card for card in self._order if card != self._upcard], admitted)
