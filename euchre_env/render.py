"""The table as a spectator sees it, every hand face up: as text here, as a picture in `picture.py`.

Seat 0 sits at the bottom, 1 to the left, 2 at the top, 3 to the right: clockwise, as the turn goes.
"""

import importlib

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
from euchre_env.kernel import Record
from euchre_env.table import NO_TEAM, Table

ALTERNATING = (CLUBS, DIAMONDS, SPADES, HEARTS)  # black and red in turn, wherever one begins
TEAM_NAMES = ("seats 0 and 2", "seats 1 and 3")
SIDE, MIDDLE = 28, 24  # columns of the text: for a hand at either side, and for the trick between them


def card_text(card: Card) -> str:
    """A card as people write it.

    >>> card_text(1), card_text(24)
    ('10♣', '2♠')
    """
    if card == BENNY:
        return "2" + SUIT_SYMBOLS[3]
    rank = RANK_LETTERS[card % 6].replace("T", "10")
    return rank + SUIT_SYMBOLS[card // 6]


def card_title(card: Card, trump: Suit) -> str:
    """A card with the name it has when `trump` is trump: "J♠ (right bower)"."""
    if card == BENNY:
        return card_text(card) + " (Benny)"
    if trump != NO_SUIT and card in (right_bower(trump), left_bower(trump)):
        return card_text(card) + (" (right bower)" if card == right_bower(trump) else " (left bower)")
    return card_text(card)


def suits_of_hand(cards: int, trump: Suit) -> list[list[Card]]:
    """The cards of a hand by the suit they count as, trump first, each from the highest down; no empty suits."""
    first = 0 if trump == NO_SUIT else ALTERNATING.index(trump)
    suits = [[BENNY]] if trump == NO_SUIT and cards >> BENNY & 1 else []
    for suit in ALTERNATING[first:] + ALTERNATING[:first]:
        members = [card for card in cards_in(cards) if SUIT_OF[card, trump] == suit]
        strength = np.arange(NUM_CARDS) if trump == NO_SUIT else TRICK_POWER[trump, suit]
        suits.append(sorted(members, key=lambda card, strength=strength: -strength[card]))
    return [members for members in suits if members]


def hand_text(cards: int, trump: Suit) -> str:
    """A hand in order, a dot between suits: "J♠ J♣ A♠ · A♥ 10♥"."""
    return " · ".join(" ".join(map(card_text, suit)) for suit in suits_of_hand(cards, trump))


def call_text(deal: Deal) -> str:
    """How trump was made: "seat 2 ordered up spades alone"; the deal has a maker."""
    if deal.num_passes >= 4 or deal.upcard == BENNY:
        verb = "named"
    else:
        verb = "picked up" if deal.maker == deal.dealer else "ordered up"
    alone = " alone" if deal.alone else ""
    against = f", seat {deal.lone_defender} defending alone" if deal.lone_defender != NOBODY else ""
    return f"seat {deal.maker} {verb} {SUIT_NAMES[deal.trump]}{alone}{against}"


def result_text(deal: Deal, result: Record) -> str:
    """What a deal that is over came to, in one sentence, and who won the game if it ended one."""
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
        sentence = f"S{call_text(deal)[1:]} and {outcome}: {points} point{'s' * (points != 1)} to {TEAM_NAMES[team]}."
    if result.winner != NO_TEAM:
        ours, theirs = int(result.scores[result.winner]), int(result.scores[1 - result.winner])
        sentence += f" S{TEAM_NAMES[result.winner][1:]} win the game {ours} to {theirs}."
    return sentence


def trick_text(deal: Deal, trick: int) -> str:
    """A complete trick in the order it was played: "seat 2 J♠ (right bower), seat 3 9♠, ...: seat 2 won"."""
    turns = [(int(deal.leaders[trick]) + i) & 3 for i in SEATS]
    cards = [(seat, int(deal.played[trick, seat])) for seat in turns]
    plays = ", ".join(f"seat {seat} {card_title(card, deal.trump)}" for seat, card in cards if card != NO_CARD)
    return f"{plays}: seat {trick_winner(deal, trick)} won"


def shown_trick(deal: Deal) -> int | None:
    """The trick that lies on the table: the one in progress, else the one just taken; None before the first lead."""
    if deal.num_played > 0:
        return int(deal.trick)
    return int(deal.trick) - 1 if deal.trick > 0 else None


def score_text(table: Table) -> str:
    """The score of the game and what wins it."""
    ours, theirs = table.scores
    by_two = " by two" if table.rules.win_by == 2 else ""
    target = "a single deal" if table.is_one_deal else f"{table.rules.points_to_win} points win{by_two}"
    return f"{TEAM_NAMES[0]}: {ours} · {TEAM_NAMES[1]}: {theirs} · {target}"


def trump_text(deal: Deal) -> str:
    """What is trump, who made it and which jacks are the bowers; before that, the upcard."""
    if deal.trump == NO_SUIT:
        place = "turned down" if deal.num_passes >= 4 else "turned up"
        return f"No trump yet; {card_title(int(deal.upcard), NO_SUIT)} is {place}."
    bowers = f"right bower {card_text(right_bower(deal.trump))}, left bower {card_text(left_bower(deal.trump))}"
    return f"{SUIT_SYMBOLS[deal.trump]} {SUIT_NAMES[deal.trump]} are trump: {call_text(deal)} ({bowers})."


def turn_text(table: Table) -> str:
    """What happens next, in one sentence."""
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
    """What there is to say of a seat: dealer, maker, alone, sitting out, or what it has passed."""
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
    """The cards that nobody holds and nobody has played."""
    parts = ["kitty " + " ".join(card_text(card) for card in cards_in(deal.kitty))]
    if deal.maker != NOBODY and not deal.upcard_taken:
        parts.append(f"upcard {card_text(deal.upcard)}")
    if deal.discard != NO_CARD:
        parts.append(f"discard {card_text(deal.discard)}")
    return "Face down: " + ", ".join(parts) + "."


def render_text(table: Table) -> str:
    """The table as text, without a newline at the end.

    It opens with what the last deal came to and its fifth trick. In the middle lies the trick, the best card so far in
    brackets; an arrow points at the seat to act.
    """
    deal = table.deal
    lines = []
    if table.last_deal is not None and table.last_result is not None:
        lines.append(result_text(table.last_deal, table.last_result))
        if table.last_deal.maker != NOBODY:
            lines.append(f"Trick 5: {trick_text(table.last_deal, NUM_TRICKS - 1)}.")
        lines.append("")
    lines += [f"Deal {table.deal_number} · {score_text(table)}", trump_text(deal), ""]
    lines += [_indented(line) for line in _seat_lines(table, 2)]
    left, right = _seat_lines(table, 1, narrow=True), _seat_lines(table, 3, narrow=True)
    for row, middle in enumerate(_middle_lines(deal)):
        sides = [block[row - 2] if 2 <= row < 2 + len(block) else "" for block in (left, right)]
        lines.append(f"{sides[0]:{SIDE}}{middle} {sides[1]}".rstrip())
    lines += [_indented(line) for line in _seat_lines(table, 0)]
    if deal.maker != NOBODY:
        ours, theirs = map(int, deal.tricks)
        lines += ["", f"Tricks · {TEAM_NAMES[0]}: {ours} · {TEAM_NAMES[1]}: {theirs}"]
    else:
        lines.append("")
    return "\n".join([*lines, face_down_text(deal), turn_text(table)])


def _indented(line: str) -> str:
    return (" " * (SIDE + 1) + line).rstrip()


def _seat_lines(table: Table, seat: Seat, narrow: bool = False) -> list[str]:
    """A seat's name, what there is to say of it, and its hand; in a side column the second has a line of its own."""
    arrow = "▸" if seat == table.turn else " "
    name, tags = f"{arrow} seat {seat}", seat_tags(table.deal, seat)
    hand = "  " + hand_text(int(table.deal.hands[seat]), int(table.deal.trump))
    if narrow:
        return [name, "  " + " · ".join(tags), hand] if tags else [name, hand]
    return [" · ".join([name, *tags]), hand]


def _middle_lines(deal: Deal) -> list[str]:
    """The trick on the table as a cross, or the upcard before the first lead, in a frame."""
    inner = MIDDLE - 2
    trick = shown_trick(deal)
    if trick is None:
        upcard = card_text(int(deal.upcard))
        taken = "taken by the dealer" if deal.upcard_taken else "out of play"
        place = ("turned down" if deal.num_passes >= 4 else "turned up") if deal.maker == NOBODY else taken
        rows = ["", f"[{upcard}]" if place == "turned up" else upcard, place, "", ""]
    else:
        top, bottom = _played_text(deal, trick, 2), _played_text(deal, trick, 0)
        left, right = _played_text(deal, trick, 1), _played_text(deal, trick, 3)
        rows = [top, "", f"{left:^7}{'':{inner - 18}}{right:^7}", "", bottom]
    return [f"╭{'─' * inner}╮", *(f"│{row:^{inner}}│" for row in rows), f"╰{'─' * inner}╯"]


def _played_text(deal: Deal, trick: int, seat: Seat) -> str:
    """The card of `seat` in `trick`, in brackets while it is the best; empty if it has played none."""
    card = int(deal.played[trick, seat])
    if card == NO_CARD:
        return ""
    return f"[{card_text(card)}]" if trick_winner(deal, trick) == seat else card_text(card)


def picture_needs() -> None:
    """Check that pictures can be drawn.

    Raises:
        ImportError: if Pillow is missing; the message says what to install.
    """
    try:
        importlib.import_module("PIL")
    except ImportError as error:
        raise ImportError('render_mode "rgb_array" needs Pillow: pip install "euchre-env[render]"') from error


def render_picture(table: Table) -> np.ndarray:
    """The table as a picture, uint8, shape (height, width, 3).

    Raises:
        ImportError: if Pillow is missing.
    """
    picture_needs()
    from euchre_env.picture import draw_table  # imports Pillow

    return draw_table(table)
