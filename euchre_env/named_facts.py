"""A view as named facts: plain values with the names of seats, cards, suits and actions, such as JSON can hold.

Players in other processes are asked with these facts, and `drawing.view_sentences` puts them into sentences.
"""

from typing import Any

from euchre_env.actions import DEFEND_ALONE_ID, NAME, NAME_ALONE, ORDER_UP_ALONE_ID, ORDER_UP_ID, actions_in, phrase
from euchre_env.cards import BENNY, CARD_NAMES, NO_CARD, SUIT_NAMES, SUITS, card_names
from euchre_env.deal import (
    NOBODY,
    NUM_TRICKS,
    PHASES,
    SEATS,
    Deal,
    Seat,
    first_asked_to_defend,
    partner_of,
    trick_winner,
)
from euchre_env.house_rules import HouseRules
from euchre_env.view import SEAT_NAMES, View, check_is_view

PASS, DECLINE = "pass", "decline"


def view_facts(view: View) -> dict[str, Any]:
    """What the owner of `view` knows, as values for `json.dumps`.

    Seats are "ME", "LEFT", "PARTNER" and "RIGHT"; cards, suits and actions have their names (docs/reference.md).

    Returns:
        In this order:

        - "rules": the house rules as text for `parse_rules`;
        - "phase": the name of the phase, such as "FIRST_ROUND"; "turn": the seat to act, None when the deal is over;
        - "dealer": a seat;
        - "hand": the cards that the owner holds;
        - "upcard": a card; "upcard_place": "turned up", "turned down", "taken by the dealer" or "out of play";
        - "auction": what was said, in order, as pairs of a seat and an action; "decline" answers "defend alone?";
        - "trump": a suit; "maker": a seat; both None before trump is made;
        - "alone": whether the maker goes alone; "lone_defender": the seat that defends alone, or None;
        - "sitting_out": the seats that sit out;
        - "discard": the card that the owner discarded, None if it did not;
        - "tricks": the tricks, the one in progress included, each with "cards", pairs of a seat and a card in the order
          of play, and "best", the seat of the best card so far, who wins the trick when it is complete;
        - "voids": by seat, the suits that it has failed to follow, if any;
        - "tricks_won" and "points_needed": by team, "us" and "them"; a single deal is one at 0 to 0;
        - "legal": the actions that the owner may choose, none if another seat is to act.

    Raises:
        ValueError: if it is not a record of dtype VIEW.
    """
    check_is_view(view)
    phase = PHASES[view["phase"]]
    has_maker = view["maker"] != NOBODY
    return {
        "rules": str(HouseRules.unpacked(view["rules"])),
        "phase": phase,
        "turn": _seat_name(view["turn"]),
        "dealer": _seat_name(view["dealer"]),
        "hand": card_names(view["hand"]),
        "upcard": CARD_NAMES[view["upcard"]],
        "upcard_place": upcard_place(view),
        "auction": [[SEAT_NAMES[seat], said] for seat, said in auction_of(view)],
        "trump": SUIT_NAMES[view["trump"]] if has_maker else None,
        "maker": _seat_name(view["maker"]),
        "alone": bool(view["alone"]),
        "lone_defender": _seat_name(view["lone_defender"]),
        "sitting_out": [SEAT_NAMES[seat] for seat in SEATS if view["sitting_out"] >> seat & 1],
        "discard": None if view["discard"] == NO_CARD else CARD_NAMES[view["discard"]],
        "tricks": _tricks(view),
        "voids": {
            SEAT_NAMES[seat]: [SUIT_NAMES[suit] for suit in SUITS if view["voids"][seat] >> suit & 1]
            for seat in SEATS
            if view["voids"][seat]
        },
        "tricks_won": _by_team(view["tricks"]),
        "points_needed": _by_team(view["needed"]),
        "legal": [phrase(action, phase) for action in actions_in(view["legal"])],
    }


def upcard_place(deal: Deal | View) -> str:
    """The place of the upcard: turned up, turned down, taken by the dealer or out of play."""
    if deal["upcard_taken"]:
        return "taken by the dealer"
    if deal["num_passes"] >= 4:
        return "turned down"
    return "turned up" if deal["maker"] == NOBODY else "out of play"


def auction_of(view: View) -> list[tuple[Seat, str]]:
    """What was said before the first lead, in order: the seat, and the name of its bid or of its answer."""
    dealer, maker, trump = int(view["dealer"]), int(view["maker"]), int(view["trump"])
    said = [((dealer + 1 + i) & 3, PASS) for i in range(view["num_passes"])]
    if maker == NOBODY:
        return said
    if view["num_passes"] >= 4 or view["upcard"] == BENNY:
        call = (NAME_ALONE if view["alone"] else NAME).id(trump)
    else:
        call = ORDER_UP_ALONE_ID if view["alone"] else ORDER_UP_ID
    said.append((maker, phrase(call, "FIRST_ROUND")))
    asked = int(first_asked_to_defend(view, view["rules"]))
    said += [(seat, DECLINE) for seat in (asked, int(partner_of(asked)))[: view["num_declined"]]]
    if view["lone_defender"] != NOBODY:
        said.append((int(view["lone_defender"]), phrase(DEFEND_ALONE_ID, "DEFEND")))
    return said


def _tricks(view: View) -> list[dict[str, Any]]:
    tricks = []
    for trick in range(NUM_TRICKS):
        leader = int(view["leaders"][trick])
        clockwise = [] if leader == NOBODY else [(leader + i) & 3 for i in SEATS]
        cards = [(seat, int(view["played"][trick, seat])) for seat in clockwise]
        named = [[SEAT_NAMES[seat], CARD_NAMES[card]] for seat, card in cards if card != NO_CARD]
        if named:
            tricks.append({"cards": named, "best": SEAT_NAMES[trick_winner(view, trick)]})
    return tricks


def _by_team(numbers: Any) -> dict[str, int]:
    return {"us": int(numbers[0]), "them": int(numbers[1])}


def _seat_name(seat: int) -> str | None:
    return None if seat == NOBODY else SEAT_NAMES[seat]
