"""A small reader of Euchre Game Notation 1.4 (JSON), enough to replay tournament games in tests.

Hands are not recorded: a seat gets the cards that it played, and cards that nobody showed are dealt freely.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from euchre_env.actions import NAME, NAME_ALONE, ORDER_UP, ORDER_UP_ALONE, PASS
from euchre_env.cards import SUIT_LETTERS, parse_card
from euchre_env.custom_deal import FixedCards, lay_cards
from euchre_env.deal import DEAL, DISCARD, SEATS, apply
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records, row

# Names in the notation's ruleset, as values of `lone_lead`.
LONE_LEADS = {"LEFT_OF_DEALER": "eldest", "LEFT_OF_LONER": "left_of_maker"}


def house_rules(ruleset: dict[str, Any]) -> HouseRules:
    """The house rules of a game.

    Raises:
        ValueError: if the ruleset switches on a rule that this reader does not know.
    """
    known = {"std", "loner_lead", "canadian", "winning_score"}
    unknown = {name: value for name, value in ruleset.items() if name not in known and value}
    if unknown:
        raise ValueError(f"this reader does not know the rules {unknown}")
    return HouseRules(
        stick_the_dealer=ruleset.get("std", False),
        lone_lead=LONE_LEADS[ruleset.get("loner_lead", "LEFT_OF_DEALER")],
        canadian_loner="order_up" if ruleset.get("canadian") else "off",
        points_to_win=ruleset.get("winning_score", 10),
    )


@dataclass(frozen=True)
class RecordedDeal:
    """One deal of a game: the cards that were shown, the calls and the plays."""

    dealer: int
    upcard: int
    calls: list[str]
    alone: bool
    discard: int | None
    tricks: list[list[int]]

    @classmethod
    def read(cls, deal: dict[str, Any]) -> "RecordedDeal":
        """Read a deal in the notation."""
        phases = {phase["type"]: phase for phase in deal["phases"]}
        bidding, play = phases["EUCHRE_BIDDING"], phases.get("TRICK_PLAY", {"tricks": []})
        return cls(
            dealer=deal["initialState"]["dealer"],
            upcard=parse_card(deal["initialState"]["upCard"]),
            calls=bidding["calls"],
            alone=bidding["isAlone"],
            discard=parse_card(bidding["discard"]) if "discard" in bidding else None,
            tricks=[[parse_card(card) for card in trick] for trick in play["tricks"]],
        )

    def bids(self) -> list[int]:
        """The action ids of the calls."""
        return [self._bid(call) for call in self.calls]

    def _bid(self, call: str) -> int:
        if call == "Pass":
            return PASS.id()
        if call == "Order":
            return (ORDER_UP_ALONE if self.alone else ORDER_UP).id()
        return (NAME_ALONE if self.alone else NAME).id(SUIT_LETTERS.index(call.upper()))

    @property
    def upcard_is_taken(self) -> bool:
        """Whether the dealer takes the upcard; it does not if its partner orders up alone."""
        return self.calls[-1] == "Order" and not (self.alone and len(self.calls) == 2)

    def played_by(self, rules: HouseRules) -> list[set[int]]:
        """The cards that each seat played; the kernels find the seat to act without its hand."""
        deals, packed, played = records(1, DEAL), row(rules.packed()), [set[int]() for _ in SEATS]
        deal = row(deals)
        lay_cards(deal, packed, 0, 0, self.dealer, FixedCards(upcard=self.upcard))
        for bid in self.bids():
            apply(deal, packed, bid)
        if deal.phase == DISCARD:
            apply(deal, packed, self.upcard)
        for card in (card for trick in self.tricks for card in trick):
            played[deal.turn].add(card)
            apply(deal, packed, card)
        return played

    def cards(self, rules: HouseRules) -> tuple[FixedCards, int | None]:
        """A deal consistent with the cards shown, and the dealer's discard, None without one.

        A dealer that did not play the upcard it took must have discarded it, unless the record says otherwise.
        """
        played = self.played_by(rules)
        hands, discard = [set(cards) for cards in played], None
        shown = set().union(*played) | {self.upcard}
        hidden = [card for card in range(24) if card not in shown and card != self.discard]
        if self.upcard_is_taken:
            discard = self.discard
            if discard is None:
                discard = hidden.pop() if self.upcard in played[self.dealer] else self.upcard
            hands[self.dealer] = (played[self.dealer] | {discard}) - {self.upcard}
        full = [sorted(hand) + [hidden.pop() for _ in range(5 - len(hand))] for hand in hands]
        return FixedCards(full, self.upcard, hidden), discard


@dataclass(frozen=True)
class RecordedGame:
    """A game, with its scores before the first and after the last deal."""

    rules: HouseRules
    first_scores: tuple[int, int]
    final_scores: tuple[int, int]
    deals: list[RecordedDeal]


def read_game(path: Path) -> RecordedGame:
    """Read the game in a file."""
    game = json.loads(path.read_text())
    metadata = game["metadata"]
    first, final = (tuple(metadata[key]) for key in ("initialScore", "finalScore"))
    deals = [RecordedDeal.read(deal) for deal in game["deals"]]
    return RecordedGame(house_rules(metadata["ruleset"]), first, final, deals)
