"""Cards for a recorded deal: a whole pack that agrees with what the record shows, and the actions with these cards.

A record may lack hands, and a symbol in it may stand for several cards. Trump, the upcard and the discard are tried in
turn where they are not certain; `fitting_tricks` finds the other cards for each.
"""

from collections.abc import Iterator
from typing import NamedTuple

from euchre_env.actions import (
    DEFEND_ALONE_ID,
    NAME,
    NAME_ALONE,
    ORDER_UP_ALONE_ID,
    ORDER_UP_ID,
    PASS_ID,
    IllegalActionError,
    actions_in,
)
from euchre_env.cards import (
    BENNY,
    PACK,
    PACK_WITH_BENNY,
    SUIT_LETTERS,
    SUIT_NAMES,
    SUITS,
    Card,
    CardSet,
    Suit,
    cards_in,
    num_members,
    suit_of,
)
from euchre_env.deal import (
    DEAL,
    DEFEND,
    DISCARD,
    HAND_SIZE,
    PHASES,
    SEATS,
    Deal,
    apply,
    clear,
    is_legal,
    legal_actions,
    open_auction,
    partner_of,
    shuffled_pack,
)
from euchre_env.egn.checking_deals import check_record, has_lone_defender, known_calls, names_greens
from euchre_env.egn.fitting_tricks import Fit, RecordedPlay, Slot, Trials, fit_tricks
from euchre_env.egn.records import RecordedDeal
from euchre_env.egn.symbols import Symbol, cards_of
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records, row


class Found(NamedTuple):
    """Cards and actions that agree with a recorded deal."""

    hands: list[list[Card]]
    """The five cards dealt to each seat."""
    upcard: Card
    kitty: list[Card]
    actions: list[int]
    """The action ids from the first bid on."""
    places: list[str]
    """The path in the file of each action."""
    invented: list[CardSet]
    """The cards of each hand that the record does not show."""


def find_cards(deal: RecordedDeal, rules: HouseRules, path: str, seed: int = 0) -> Found:
    """Cards for a recorded deal; those that the record does not show are dealt from a pack shuffled by `seed`.

    Raises:
        EgnError: if there are none: the record is against the rules; `path` is the deal's place in the file.
    """
    check_record(deal, path)
    trials = Trials(path)
    search = _Search(deal, rules, path, seed, trials)
    for trump in search.trumps():
        for upcard in search.upcards(trump):
            found = search.find(trump, upcard)
            if found is not None:
                return found
    raise trials.error


class _Search:
    """The course of a deal up to the first lead, for each trump, upcard and discard that the record admits."""

    def __init__(self, deal: RecordedDeal, rules: HouseRules, path: str, seed: int, trials: Trials) -> None:
        self._deal, self._path, self._trials = deal, path, trials
        self._packed = row(rules.packed())
        self._bid_path = f"{path}.phases[{deal.bidding.phase}]"
        self._pack: CardSet = PACK_WITH_BENNY if rules.benny else PACK
        self._order = [int(card) for card in shuffled_pack(seed, deal.number, int(rules.benny))]
        self._with_greens = names_greens(deal)
        self._calls = known_calls(deal)
        self._makes_trump = bool(self._calls) and self._calls[-1] != "Pass"

    def trumps(self) -> list[Suit]:
        """The suits that may be trump; before trump is made, those that the upcard may have."""
        call = self._calls[-1] if self._makes_trump else ""
        return [SUIT_LETTERS.index(call.upper())] if call in ("c", "d", "h", "s") else list(SUITS)

    def upcards(self, trump: Suit) -> list[Card]:
        """The cards that may have been turned up under this trump; the joker only where the record names it."""
        if self._deal.upcard == "B":
            return [BENNY]
        named = self._cards(self._deal.upcard, trump)
        cards = [card for card in self._order if named >> card & 1 and card != BENNY]
        if not self._makes_trump or len(self._calls) <= 4:
            return [card for card in cards if suit_of(card) == trump]
        if all(suit_of(card) == trump for card in cards):
            place = f"{self._bid_path}.calls[{len(self._calls) - 1}]"
            self._trials.fail(0, place, f"{SUIT_NAMES[trump]} were turned down, so nobody can name them")
        return [card for card in cards if suit_of(card) != trump]

    def find(self, trump: Suit, upcard: Card) -> Found | None:
        """The first cards that fit with this trump and upcard; None if there are none."""
        start = row(records(1, DEAL))
        clear(start, self._deal.dealer)
        start.upcard = upcard
        open_auction(start, self._packed)
        bids = self._bids(trump, upcard)
        places = [f"{self._bid_path}.calls[{index}]" for index in range(len(self._calls))][
            len(self._calls) - len(bids) :
        ]
        for bid, place in zip(bids, places, strict=True):
            if not is_legal(start, self._packed, bid):
                legal = actions_in(legal_actions(start, self._packed))
                self._trials.fail(0, place, str(IllegalActionError(bid, int(start.turn), PHASES[start.phase], legal)))
                return None
            apply(start, self._packed, bid)
        for slots in self._ways_to_discard(start, trump, upcard):
            deal = start.copy()
            discard = _discard_in(slots, upcard)
            actions, its_places = list(bids), list(places)
            if deal.phase == DISCARD and self._has_discarded:
                apply(deal, self._packed, upcard)  # whichever card it is, the next phase begins
                actions.append(upcard)
                its_places.append(f"{self._bid_path}.discard")
            answers = self._answers(deal)
            for answer in answers or []:
                apply(deal, self._packed, answer)
                actions.append(answer)
                its_places.append(f"{self._bid_path}.aloneDefender")
            plays = self._plays(deal, trump)
            if answers is None or plays is None:
                return None
            fit = fit_tricks(deal, self._packed, plays, slots, discard, self._order, self._trials)
            if fit is not None:
                if any(slot.is_discarded for slot in slots):
                    actions[len(bids)] = fit.cards[[slot.is_discarded for slot in slots].index(True)]
                return _found(fit, slots, upcard, plays, actions, its_places)
        return None

    def _cards(self, symbol: Symbol, trump: Suit) -> CardSet:
        return cards_of(symbol, trump, self._with_greens) & self._pack

    def _bids(self, trump: Suit, upcard: Card) -> list[int]:
        """The actions of the calls; of a dealer who turned up the joker, of the last call alone."""
        passes = [] if upcard == BENNY else [PASS_ID] * sum(call == "Pass" for call in self._calls)
        if not self._makes_trump:
            return passes
        alone = self._deal.bidding.alone
        if len(self._calls) <= 4 and upcard != BENNY:
            return [*passes, ORDER_UP_ALONE_ID if alone else ORDER_UP_ID]
        return [*passes, (NAME_ALONE if alone else NAME).id(trump)]

    @property
    def _has_discarded(self) -> bool:
        """Whether the record goes on after the discard, if there is one."""
        deal = self._deal
        return deal.bidding.discard is not None or bool(deal.play.tricks) or has_lone_defender(deal)

    def _ways_to_discard(self, deal: Deal, trump: Suit, upcard: Card) -> Iterator[list[Slot]]:
        """The ways to discard, each as the slots of the pack, of which one has the discard, unless that is the upcard.

        A deal that stops before the discard has one way, and so has one without a discard.
        """
        hands = [[self._cards(symbol, trump) for symbol in hand] for hand in self._deal.hands]
        hands += [[] for _ in range(len(SEATS) - len(hands))]
        slots = [
            Slot(cards, seat) for seat in SEATS for cards in hands[seat] + [self._pack] * (HAND_SIZE - len(hands[seat]))
        ]
        slots += [Slot(self._pack)] * (num_members(self._pack) - 1 - len(slots))
        symbol, place = self._deal.bidding.discard, f"{self._bid_path}.discard"
        if deal.phase != DISCARD and symbol is not None:
            self._trials.fail(0, place, "the dealer takes no card in this deal, so it discards none")
            return
        if deal.phase != DISCARD or not self._has_discarded:
            yield slots
            return
        allowed = self._pack if symbol is None else self._cards(symbol, trump)
        tried: set[CardSet] = set()
        for index in range(self._deal.dealer * HAND_SIZE, (self._deal.dealer + 1) * HAND_SIZE):
            cards = slots[index].cards & allowed & ~(1 << upcard)
            if cards and slots[index].cards not in tried:
                tried.add(slots[index].cards)
                yield [*slots[:index], Slot(cards, self._deal.dealer, is_discarded=True), *slots[index + 1 :]]
        if allowed >> upcard & 1:
            yield slots
        elif not tried:
            self._trials.fail(0, place, f"the dealer does not hold {symbol!r}")

    def _answers(self, deal: Deal) -> list[int] | None:
        """The answers to "defend alone?" that the record has; None if it has an answer that nobody can give."""
        seat, place = self._deal.bidding.lone_defender, f"{self._bid_path}.aloneDefender"
        if deal.phase != DEFEND:
            if seat is not None and seat >= 0:
                self._trials.fail(0, place, "the rules of this game ask nobody to defend alone (defend_alone)")
                return None
            return []
        if seat is None and not self._deal.play.tricks:
            return []
        if seat is None or seat < 0:
            return [PASS_ID, PASS_ID]
        if seat == deal.turn:
            return [DEFEND_ALONE_ID]
        if seat == partner_of(int(deal.turn)):
            return [PASS_ID, DEFEND_ALONE_ID]
        self._trials.fail(0, place, f"seat {seat} is on the team that made trump")
        return None

    def _plays(self, deal: Deal, trump: Suit) -> list[RecordedPlay] | None:
        """The plays; None if a trick has not a card of each seat that plays, of which the last may have fewer."""
        size, tricks = len(SEATS) - num_members(deal.sitting_out), self._deal.play.tricks
        plays: list[RecordedPlay] = []
        for index, trick in enumerate(tricks):
            place = f"{self._path}.phases[{self._deal.play.phase}].tricks[{index}]"
            if len(trick) > size or (len(trick) < size and index < len(tricks) - 1):
                self._trials.fail(0, place, f"{size} seats play, but the trick has {len(trick)} cards")
                return None
            plays += [RecordedPlay(self._cards(each, trump), each, f"{place}[{i}]") for i, each in enumerate(trick)]
        return plays


def _discard_in(slots: list[Slot], upcard: Card) -> Card | None:
    """The discard if only one card can be it; without a slot for it, it is the upcard or there is none."""
    discarded = [slot.cards for slot in slots if slot.is_discarded]
    if not discarded:
        return upcard
    return cards_in(discarded[0])[0] if num_members(discarded[0]) == 1 else None


def _found(
    fit: Fit, slots: list[Slot], upcard: Card, plays: list[RecordedPlay], actions: list[int], places: list[str]
) -> Found:
    """The result, once every slot and play has a card."""
    certain = sum(1 << card for card, play in zip(fit.played, plays, strict=True) if num_members(play.cards) == 1)
    hands: list[list[Card]] = [[] for _ in SEATS]
    invented, kitty = [0 for _ in SEATS], []
    for slot, card in zip(slots, fit.cards, strict=True):
        if slot.seat is None:
            kitty.append(card)
            continue
        hands[slot.seat].append(card)
        if not slot.is_certain and not certain >> card & 1:
            invented[slot.seat] |= 1 << card
    places = places + [play.place for play in plays]
    return Found(hands, upcard, kitty, actions + fit.played, places, invented)
