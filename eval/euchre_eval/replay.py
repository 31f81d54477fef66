"""Replays: the plays of a deal that swung, dealt again from the seed and checked, in sentences."""

from dataclasses import dataclass

from euchre_env.cards import NO_SUIT
from euchre_env.deal import NOBODY, SEATS, Seat, trick_winner
from euchre_env.deal_text import deal_text, parse_deal_text
from euchre_env.drawing.commentary import (
    TEAM_NAMES,
    card_title,
    face_down_text,
    hand_text,
    result_text,
    trick_text,
    trump_text,
    turn_text,
)
from euchre_env.game import RENEGE_POINTS
from euchre_env.house_rules import HouseRules
from euchre_env.named_facts import auction_of
from euchre_env.table import Table
from euchre_env.wording import sentence_case
from euchre_eval.swings import Swing, dealt_table


class ReplayError(ValueError):
    """A replay does not come to what the result says."""


@dataclass(frozen=True)
class Play:
    """One play of a deal, in the sentences that the text of a table has."""

    margin: int
    """The first team's points less the other's."""
    auction: str
    """What each seat said."""
    trump: str
    """Trump and who made it; empty if nobody did."""
    face_down: str
    """The cards face down at the end, the dealer's discard among them."""
    tricks: list[tuple[str, int]]
    """Each complete trick, and the team, by the lowest of its seats, that won it."""
    result: str
    """What the deal came to."""
    text: str
    """The play as text for `parse_deal_text`."""


@dataclass(frozen=True)
class Replay:
    """A deal and its two plays."""

    deal: int
    """The number of the deal."""
    margin: int
    """The first team's points less the other's, in both plays together."""
    dealer: Seat
    upcard: str
    hands: list[str]
    """The hand dealt to each seat."""
    plays: tuple[Play, Play]


def replay(swing: Swing, rules: HouseRules, seed: int) -> Replay:
    """Deal the cards of a swing again from the seed, and play both of its plays again.

    Raises:
        ReplayError: if the cards, the house rules or the points are not those that the swing records.
    """
    dealt = dealt_table(rules, seed, swing.deal)
    return Replay(
        deal=swing.deal,
        margin=swing.margin,
        dealer=int(dealt.deal.dealer),
        upcard=card_title(int(dealt.deal.upcard), NO_SUIT),
        hands=[hand_text(int(dealt.deal.hands[seat]), NO_SUIT) for seat in SEATS],
        plays=(_play(swing, 0, dealt), _play(swing, 1, dealt)),
    )


def _play(swing: Swing, place: int, dealt: Table) -> Play:
    where = f"deal {swing.deal}, {('first', 'second')[place]} play"
    try:
        table = parse_deal_text(swing.texts[place])
    except ValueError as error:
        raise ReplayError(f"{where}: {error}") from error
    here, there = (deal_text(each).partition("/actions=")[0] for each in (dealt, table))
    if here != there:
        raise ReplayError(f"{where}: the seed deals {here}, but the result has {there}; is it of another version?")
    points = _renege_points(table) if table.last_result is None else table.last_result.points.tolist()
    margin = points[place] - points[1 - place]  # in the second play the first team sits at seats 1 and 3
    if margin != swing.margins[place]:
        raise ReplayError(
            f"{where}: its actions come to {margin:+} points for the first team, but the result says "
            f"{swing.margins[place]:+}"
        )
    deal, bids = table.deal, auction_of(table.view(0))
    return Play(
        margin=margin,
        auction=sentence_case(", ".join(f"seat {seat}: {said}" for seat, said in bids) or "nobody spoke") + ".",
        trump=trump_text(deal) if deal.maker != NOBODY else "",
        face_down=face_down_text(deal),
        tricks=[
            (f"{sentence_case(trick_text(deal, trick))}.", trick_winner(deal, trick) & 1)
            for trick in range(int(deal.tricks.sum()))
        ],
        result=_renege_text(table) if table.last_result is None else result_text(deal, table.last_result),
        text=swing.texts[place],
    )


def _renege_points(table: Table) -> list[int]:
    """The points of both teams if the seat to act reneges."""
    assert table.turn is not None
    return [RENEGE_POINTS * (table.turn & 1), RENEGE_POINTS * (1 - (table.turn & 1))]


def _renege_text(table: Table) -> str:
    """What happened if the seat to act reneged: the cards on the table, what it had to do, and the points."""
    assert table.turn is not None
    deal, seat = table.deal, table.turn
    begun = ""
    if deal.num_played:
        cards, _, _ = trick_text(deal, int(deal.trick)).rpartition(": ")
        begun = f"On the table: {cards}. "
    return f"{begun}{turn_text(table)} It reneged: {RENEGE_POINTS} points to {TEAM_NAMES[1 - (seat & 1)]}."
