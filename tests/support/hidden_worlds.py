"""Deal the cards that a seat cannot see again, consistently with the play so far, to test views and players."""

from euchre_env.cards import ACES_AND_FACES, NO_CARD, SUIT_OF, cards_in
from euchre_env.custom_deal import FixedCards
from euchre_env.deal import SEATS, dealt_hand

KITTY, DISCARD = "kitty", "discard"  # the places of hidden cards outside the hands
NUM_SWAPS = 40  # swaps of two hidden cards, from the true deal on; at most 19 cards are hidden


def redealt(table, viewer, rng):
    """A copy of `table` that looks the same to `viewer`: every card hidden from the viewer may lie elsewhere.

    The copy agrees with the play so far: a seat that failed to follow a suit has none of it, an upcard that was taken
    is in the dealer's hand or its discard until it is played, hands keep their number of cards, and `no_ace_no_face`
    would accept every hand as dealt. `rng` is a `random.Random`.
    """
    copy = table.clone()
    deal = copy.deal
    hidden = hidden_cards(deal, viewer)
    voids, dealer, upcard, suits = (
        deal.voids.tolist(),
        int(deal.dealer),
        int(deal.upcard),
        SUIT_OF[:, deal.trump].tolist(),
    )

    def may_lie(card, place):
        if place == DISCARD:
            return card != upcard or copy.rules.discard_upcard
        if card == upcard and place != dealer:  # hidden only if the dealer took it
            return False
        return place == KITTY or not voids[place] >> suits[card] & 1

    cards = list(hidden)
    for _ in range(NUM_SWAPS if cards else 0):
        a, b = rng.choice(cards), rng.choice(cards)
        if may_lie(a, hidden[b]) and may_lie(b, hidden[a]):
            hidden[a], hidden[b] = hidden[b], hidden[a]
            if copy.rules.no_ace_no_face != "off":
                put(deal, hidden)
                if not all(dealt_hand(deal, seat) & ACES_AND_FACES for seat in SEATS):
                    hidden[a], hidden[b] = hidden[b], hidden[a]
    put(deal, hidden)
    return copy


def hidden_cards(deal, viewer):
    """The cards hidden from `viewer`, each with its place: a seat, `KITTY` or `DISCARD`."""
    hidden = {card: seat for seat in SEATS if seat != viewer for card in cards_in(deal.hands[seat])}
    hidden |= dict.fromkeys(cards_in(deal.kitty), KITTY)
    if deal.discard != NO_CARD and viewer != deal.dealer:
        hidden[int(deal.discard)] = DISCARD
    return hidden


def put(deal, hidden):
    """Put each hidden card in its place."""
    sets = dict.fromkeys(hidden.values(), 0)
    for card, place in hidden.items():
        sets[place] |= 1 << card
    for place, cards in sets.items():
        if place == KITTY:
            deal.kitty = cards
        elif place == DISCARD:
            deal.discard = cards.bit_length() - 1
        else:
            deal.hands[place] = cards


def cards_as_dealt(deal):
    """The cards of `deal` before the first bid, for another table."""
    hands = [cards_in(dealt_hand(deal, seat)) for seat in SEATS]
    return FixedCards(hands, int(deal.upcard), cards_in(deal.kitty))
