"""The table as text of at most 80 columns, every hand face up: `render_text`, and `print_text` for any terminal.

Seat 0 sits at the bottom, 1 to the left, 2 at the top, 3 to the right: clockwise, as the turn goes.
"""

import sys
import textwrap

from euchre_env.cards import NO_CARD
from euchre_env.deal import NOBODY, NUM_TRICKS, Deal, Seat, trick_winner
from euchre_env.drawing.commentary import (
    TEAM_NAMES,
    card_text,
    face_down_text,
    hand_text,
    result_text,
    score_text,
    seat_tags,
    shown_trick,
    trick_text,
    trump_text,
    turn_text,
)
from euchre_env.named_facts import upcard_place
from euchre_env.table import Table

WIDTH = 80
SIDE, MIDDLE = 28, 24  # columns: for a hand at either side, and for the trick between them

# ASCII replacements, each as wide as its sign, for terminals that cannot show the other signs.
ASCII_SIGNS = str.maketrans("♣♦♥♠·▸╭╮╰╯─│", "CDHS.>++++-|")


def render_text(table: Table) -> str:
    """The table as text, lines of at most 80 characters, without a newline at the end.

    The text opens with the result of the last deal and its fifth trick. The trick in progress lies in the middle, its
    best card so far in brackets; an arrow points at the seat to act.
    """
    deal = table.deal
    lines = []
    if table.last_deal is not None and table.last_result is not None:
        lines += _wrapped(result_text(table.last_deal, table.last_result))
        if table.last_deal.maker != NOBODY:
            lines += _wrapped(f"Trick 5: {trick_text(table.last_deal, NUM_TRICKS - 1)}.")
        lines.append("")
    lines += _wrapped(f"Deal {table.deal_number} · {score_text(table)}")
    lines += [*_wrapped(trump_text(deal)), ""]
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


def print_text(text: str) -> None:
    """Print `text` and an empty line to standard output; print nothing if standard output is missing or closed.

    If the encoding of standard output lacks a sign, all signs above ASCII are replaced: "10♣" by "10C". Other failures
    of the stream, such as a broken pipe, raise as in `print`.
    """
    stream = sys.stdout
    if stream is None or getattr(stream, "closed", False):
        return
    print(printable(text, getattr(stream, "encoding", None) or "utf-8"), end="\n\n", file=stream)


def printable(text: str, encoding: str) -> str:
    """`text` if `encoding` has all its characters, else with the nearest signs of ASCII.

    >>> printable("▸ seat 1: J♠ · 10♥", "ascii")
    '> seat 1: JS . 10H'
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII_SIGNS).encode("ascii", "replace").decode("ascii")
    return text


def _wrapped(sentence: str) -> list[str]:
    """Break a sentence between words into lines of at most `WIDTH` columns."""
    return textwrap.wrap(sentence, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _indented(line: str) -> str:
    return (" " * (SIDE + 1) + line).rstrip()


def _seat_lines(table: Table, seat: Seat, narrow: bool = False) -> list[str]:
    """A seat's name, its labels and its hand; in a side column (`narrow`) the labels have a line of their own."""
    arrow = "▸" if seat == table.turn else " "
    name, tags = f"{arrow} seat {seat}", seat_tags(table.deal, seat)
    hand = hand_text(int(table.deal.hands[seat]), int(table.deal.trump))
    if not narrow:
        return [" · ".join([name, *tags]), "  " + hand]
    if len(hand) > SIDE - 3:  # five or six cards of every suit, most of them tens
        hand = hand.replace(" · ", "·")
    return [name, *(["  " + " · ".join(tags)] if tags else []), "  " + hand]


def _middle_lines(deal: Deal) -> list[str]:
    """The trick on the table as a cross, or the upcard before the first lead, in a frame."""
    inner = MIDDLE - 2
    trick = shown_trick(deal)
    if trick is None:
        upcard = card_text(int(deal.upcard))
        place = upcard_place(deal)
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
