"""What the record of a deal says whatever its uncertain cards are: its calls, and faults of calls and cards dealt."""

from collections.abc import Iterator

from euchre_env.cards import Card, cards_in, num_members
from euchre_env.egn.places import EgnError
from euchre_env.egn.records import RecordedDeal
from euchre_env.egn.symbols import Symbol, cards_of, is_relative


def names_greens(deal: RecordedDeal) -> bool:
    """Whether `h` in the deal is the second suit of the other colour: whether `g`, the first one, stands in it."""
    symbols = [symbol for symbol, _ in _dealt_symbols(deal, "")] + [
        card for trick in deal.play.tricks for card in trick
    ]
    return any(symbol[1:] == "g" for symbol in [*symbols, deal.bidding.discard or ""])


def known_calls(deal: RecordedDeal) -> tuple[str, ...]:
    """The calls that say something; the last one may be `x`, an unknown call that made trump.

    An unknown call that others follow is a pass, for one that makes trump ends the auction. An unknown last call made
    trump if the record goes on after it, and else is left out.
    """
    calls, bidding = list(deal.bidding.calls), deal.bidding
    goes_on = bool(deal.play.tricks) or bidding.alone or bidding.discard is not None or has_lone_defender(deal)
    if calls and calls[-1] == "x" and not goes_on:
        calls.pop()
    return tuple("Pass" if call == "x" and index < len(calls) - 1 else call for index, call in enumerate(calls))


def has_lone_defender(deal: RecordedDeal) -> bool:
    """Whether the record names a seat that defends alone."""
    return deal.bidding.lone_defender is not None and deal.bidding.lone_defender >= 0


def check_record(deal: RecordedDeal, path: str) -> None:
    """Check what does not depend on the uncertain cards.

    Raises:
        EgnError: if a call is not possible where it stands, something needs a maker and there is none, or a card is
            dealt twice.
    """
    calls, bid_path = known_calls(deal), f"{path}.phases[{deal.bidding.phase}]"
    for index, call in enumerate(calls):
        fault = _fault_of_call(deal, calls, index, call)
        if fault is not None:
            raise EgnError(f"{bid_path}.calls[{index}]", fault)
    if not calls or calls[-1] == "Pass":
        _check_that_nothing_follows(deal, path, bid_path)
    dealt: dict[Card, str] = {}
    for symbol, place in _dealt_symbols(deal, path):
        card = _literal(symbol, names_greens(deal))
        if card is not None and card in dealt:
            raise EgnError(place, f"{symbol!r} has been dealt before, at {dealt[card]}")
        if card is not None:
            dealt[card] = place
    if has_lone_defender(deal) and not deal.bidding.alone:
        raise EgnError(f"{bid_path}.aloneDefender", "a defender goes alone only against a maker who does")


def _fault_of_call(deal: RecordedDeal, calls: tuple[str, ...], index: int, call: str) -> str | None:
    if index >= 8:
        return "four seats call twice at most, so there is no ninth call"
    if call == "Pass":
        return None
    if index < len(calls) - 1:
        return f"{call!r} makes trump, but another call follows"
    if deal.upcard == "B":
        if call == "Order":
            return "'Order' is not possible: a joker that is turned up has no suit"
        return None if index in (3, 7) else "the dealer, who turned up the joker, names trump: call 3 or 7, from 0 on"
    if call == "Order" and index >= 4:
        return "'Order' is not possible in the second round, in which a suit is named"
    if call in ("c", "d", "h", "s") and index < 4:
        return f"{call!r} is not possible in the first round, in which 'Order' makes trump"
    return None


def _check_that_nothing_follows(deal: RecordedDeal, path: str, bid_path: str) -> None:
    """Check that a deal without a maker has nothing that needs one."""
    if deal.play.tricks:
        raise EgnError(f"{path}.phases[{deal.play.phase}].tricks", "cards are played, but nobody has made trump")
    needs = {
        "isAlone": deal.bidding.alone,
        "discard": deal.bidding.discard is not None,
        "aloneDefender": has_lone_defender(deal),
    }
    for name, is_there in needs.items():
        if is_there:
            raise EgnError(f"{bid_path}.{name}", "nobody has made trump")


def _dealt_symbols(deal: RecordedDeal, path: str) -> Iterator[tuple[Symbol, str]]:
    """The upcard and the cards of the hands, each with its place."""
    yield deal.upcard, f"{path}.initialState.upCard"
    for seat, hand in enumerate(deal.hands):
        for index, symbol in enumerate(hand):
            yield symbol, f"{path}.initialState.playerCards[{seat}][{index}]"


def _literal(symbol: Symbol, with_greens: bool) -> Card | None:
    """The card of a symbol that names one card whatever trump is."""
    if is_relative(symbol, with_greens):
        return None
    cards = cards_of(symbol, 0, with_greens)
    return cards_in(cards)[0] if num_members(cards) == 1 else None
