"""Sentences and labels for the text and the picture of a table."""

import numpy as np

from euchre_env.cards import (
    BENNY,
    CLUBS,
    DIAMONDS,
    HEARTS,
    NO_CARD,
    NO_SUIT,
    NUM_CARDS,
    RANK_LETTERS,
    SPADES,
    SUIT_NAMES,
    SUIT_OF,
    SUIT_SYMBOLS,
    TRICK_POWER,
    Card,
    Suit,
    cards_in,
    left_bower,
    right_bower,
)
from euchre_env.deal import NOBODY, NUM_TRICKS, SEATS, Deal, Seat, trick_winner
from euchre_env.game import NO_TEAM
from euchre_env.kernel import Record
from euchre_env.named_facts import upcard_place
from euchre_env.table import Table
from euchre_env.wording import sentence_case

ALTERNATING = (CLUBS, DIAMONDS, SPADES, HEARTS)  # black and red alternate, from any suit on
TEAM_NAMES = ("seats 0 and 2", "seats 1 and 3")


def card_text(card: Card) -> str:
    """A card with the symbol of its suit.

    >>> card_text(1), card_text(24)
    ('10♣', '2♠')
    """
    if card == BENNY:
        return "2" + SUIT_SYMBOLS[SPADES]
    rank = RANK_LETTERS[card % 6].replace("T", "10")
    return rank + SUIT_SYMBOLS[card // 6]


def card_title(card: Card, trump: Suit) -> str:
    """A card as `card_text`, followed by the name of a bower or of the Benny: "J♠ (right bower)"."""
    if card == BENNY:
        return card_text(card) + " (Benny)"
    if trump != NO_SUIT and card in (right_bower(trump), left_bower(trump)):
        return card_text(card) + (" (right bower)" if card == right_bower(trump) else " (left bower)")
    return card_text(card)


def suits_of_hand(cards: int, trump: Suit) -> list[list[Card]]:
    """The cards of the card set `cards` as one list for each suit: trump first, the cards from the highest down.

    A card is listed under its effective suit; before trump is named the Benny has a list of its own.
    """
    first = 0 if trump == NO_SUIT else ALTERNATING.index(trump)
    suits = [[BENNY]] if trump == NO_SUIT and cards >> BENNY & 1 else []
    for suit in ALTERNATING[first:] + ALTERNATING[:first]:
        members = [card for card in cards_in(cards) if SUIT_OF[card, trump] == suit]
        strength = np.arange(NUM_CARDS) if trump == NO_SUIT else TRICK_POWER[trump, suit]
        suits.append(sorted(members, key=lambda card, strength=strength: -strength[card]))
    return [members for members in suits if members]


def hand_text(cards: int, trump: Suit) -> str:
    """The cards of a hand in order, a dot between suits: "J♠ J♣ A♠ · A♥ 10♥"."""
    return " · ".join(" ".join(map(card_text, suit)) for suit in suits_of_hand(cards, trump))


def call_text(deal: Deal) -> str:
    """How trump was made, for a deal that has a maker: "seat 2 ordered up spades alone"."""
    if deal.num_passes >= 4 or deal.upcard == BENNY:
        verb = "named"
    else:
        verb = "picked up" if deal.maker == deal.dealer else "ordered up"
    alone = " alone" if deal.alone else ""
    against = f" (seat {deal.lone_defender} defending alone)" if deal.lone_defender != NOBODY else ""
    return f"seat {deal.maker} {verb} {SUIT_NAMES[deal.trump]}{alone}{against}"


def result_text(deal: Deal, result: Record) -> str:
    """The result of a deal that is over in one sentence, and a second one if it ended the game."""
    if deal.maker == NOBODY:
        sentence = "Everybody passed twice: the deal was thrown in, nobody scored."
    else:
        won = int(deal.tricks[deal.maker & 1])
        outcome = f"took {won} tricks"
        if won == NUM_TRICKS:
            outcome = "took all 5 tricks, a march"
        elif won < 3:
            outcome = f"was euchred with {('no tricks', '1 trick', '2 tricks')[won]}"
        team = int(deal.maker & 1) if won >= 3 else 1 - int(deal.maker & 1)
        points = int(result.points[team])
        call = sentence_case(call_text(deal))
        sentence = f"{call} and {outcome}: {points} point{'s' * (points != 1)} to {TEAM_NAMES[team]}."
    if result.winner != NO_TEAM:
        ours, theirs = int(result.scores[result.winner]), int(result.scores[1 - result.winner])
        sentence += f" {sentence_case(TEAM_NAMES[result.winner])} win the game {ours} to {theirs}."
    return sentence


def trick_text(deal: Deal, trick: int) -> str:
    """A complete trick in the order of play, and its winner: "seat 2 J♠ (right bower), seat 3 9♠, ...: seat 2 won"."""
    turns = [(int(deal.leaders[trick]) + i) & 3 for i in SEATS]
    cards = [(seat, int(deal.played[trick, seat])) for seat in turns]
    plays = ", ".join(f"seat {seat} {card_title(card, deal.trump)}" for seat, card in cards if card != NO_CARD)
    return f"{plays}: seat {trick_winner(deal, trick)} won"


def shown_trick(deal: Deal) -> int | None:
    """The index of the trick on the table: the one in progress, else the one just taken; None before the first lead."""
    if deal.num_played > 0:
        return int(deal.trick)
    return int(deal.trick) - 1 if deal.trick > 0 else None


def score_text(table: Table) -> str:
    """The score of the game and the points that win it."""
    ours, theirs = table.scores
    return f"{TEAM_NAMES[0]}: {ours} · {TEAM_NAMES[1]}: {theirs} · {target_text(table)}"


def target_text(table: Table) -> str:
    """The number of points that win the game."""
    if table.is_one_deal:
        return "a single deal"
    return f"{table.rules.points_to_win} points win" + (", by two" if table.rules.win_by == 2 else "")


def trump_text(deal: Deal) -> str:
    """The trump suit, its bowers and its maker; before trump is named, the upcard and its place."""
    if deal.trump == NO_SUIT:
        return f"No trump yet; {card_title(int(deal.upcard), NO_SUIT)} is {upcard_place(deal)}."
    bowers = f"right bower {card_text(right_bower(deal.trump))}, left bower {card_text(left_bower(deal.trump))}"
    return f"{SUIT_SYMBOLS[deal.trump]} {SUIT_NAMES[deal.trump]} are trump ({bowers}): {call_text(deal)}."


def turn_text(table: Table) -> str:
    """The seat to act and its decision in one sentence; or that the deal or game is over."""
    deal, seat = table.deal, table.turn
    if seat is None:
        return "The deal is over." if table.is_one_deal else "The game is over."
    if table.phase == "PLAY":
        if deal.num_played > 0 or deal.trick == 0:
            return f"Seat {seat} to {'play' if deal.num_played else 'lead'} to trick {deal.trick + 1}."
        card = card_title(int(deal.played[deal.trick - 1, seat]), int(deal.trump))
        return f"Seat {seat} won trick {deal.trick} with {card} and leads to trick {deal.trick + 1}."
    doing = {
        "FIRST_ROUND": "order up or pass" if seat != deal.dealer else "pick up or pass",
        "SECOND_ROUND": "name a suit or pass",
        "BENNY": "name a suit",
        "DISCARD": "discard",
        "DEFEND": "defend alone or decline",
    }
    return f"Seat {seat} to {doing[table.phase]}."


def seat_tags(deal: Deal, seat: Seat) -> list[str]:
    """The labels of a seat: dealer, maker, alone, sitting out, passed."""
    tags = ["dealer"] if seat == deal.dealer else []
    if seat == deal.maker:
        tags.append("maker, alone" if deal.alone else "maker")
    if seat == deal.lone_defender:
        tags.append("defends alone")
    if deal.sitting_out >> seat & 1:
        tags.append("sits out")
    passes = int(deal.num_passes) - ((seat - int(deal.dealer) - 1) & 3)
    if deal.maker == NOBODY and passes > 0:
        tags.append("passed twice" if passes > 4 else "passed")
    return tags


def face_down_text(deal: Deal) -> str:
    """The cards face down: the kitty, an upcard out of play and the dealer's discard."""
    parts = ["kitty " + " ".join(card_text(card) for card in cards_in(deal.kitty))]
    if deal.maker != NOBODY and not deal.upcard_taken:
        parts.append(f"upcard {card_text(deal.upcard)}")
    if deal.discard != NO_CARD:
        parts.append(f"discard {card_text(deal.discard)}")
    return "Face down: " + ", ".join(parts) + "."
