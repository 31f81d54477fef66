"""The table as a picture, drawn with Pillow; its words come from `commentary.py`."""

import functools
import io
import re
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from PIL.Image import Image as Picture

from euchre_env.cards import NO_CARD, NO_SUIT, SUIT_NAMES, SUIT_SYMBOLS, Card, cards_in, left_bower, right_bower
from euchre_env.deal import NOBODY, NUM_TRICKS, SEATS, Deal, Seat, trick_winner
from euchre_env.drawing.card_faces import (
    CARD_SIZE,
    GOLD,
    RADIUS,
    Colour,
    card_face,
    font,
    rounded,
    suit_colour,
    suit_symbol,
)
from euchre_env.drawing.commentary import (
    TEAM_NAMES,
    call_text,
    result_text,
    seat_tags,
    shown_trick,
    suits_of_hand,
    target_text,
    turn_text,
)
from euchre_env.named_facts import upcard_place
from euchre_env.table import Table

WIDTH, HEIGHT = 1500, 1120
MARGIN = 40
SMALL_SIZE = (CARD_SIZE[0] * 3 // 4, CARD_SIZE[1] * 3 // 4)
PANEL_SIZE = PANEL_WIDTH, PANEL_HEIGHT = 400, 216
PADDING = 24
TEXT_SIZE, LABEL_SIZE = 22, 20  # in the panels, in pixels
FELT_MIDDLE, FELT_EDGE = (58, 132, 98), (19, 62, 48)
INK: Colour = (24, 38, 34)
CREAM: Colour = (247, 244, 233)
MUTED: Colour = (178, 203, 190)
DARK = (8, 30, 24, 150)  # the panels, see-through

MIDDLE = (WIDTH // 2, HEIGHT // 2 - 6)
HAND_Y = {0: HEIGHT - MARGIN - CARD_SIZE[1] // 2, 2: MARGIN + CARD_SIZE[1] // 2, 1: MIDDLE[1], 3: MIDDLE[1]}
HAND_X = {0: WIDTH // 2, 2: WIDTH // 2, 1: MARGIN + 190, 3: WIDTH - MARGIN - 190}
HAND_STEP = {0: 84, 2: 84, 1: 48, 3: 48}  # from one card to the next
TRICK_AT = {0: (0, 104), 1: (-150, 0), 2: (0, -104), 3: (150, 0)}


def draw_table(table: Table) -> np.ndarray:
    """The table with every hand face up, uint8, shape (HEIGHT, WIDTH, 3)."""
    deal = table.deal
    canvas = _felt().copy()
    for seat in SEATS:
        _draw_hand(canvas, table, seat)
    trick = shown_trick(deal)
    if trick is None:
        _draw_upcard(canvas, deal)
    else:
        _draw_trick(canvas, deal, trick)
    _draw_trump(canvas, deal)
    _draw_score(canvas, table)
    _draw_last_deal(canvas, table)
    _draw_face_down(canvas, table)
    return np.asarray(canvas)


def encode_png(picture: np.ndarray) -> bytes:
    """A PNG file of a picture, uint8, shape (height, width, 3), in the 256 colours that suit it best."""
    file = io.BytesIO()
    few_colours = Image.fromarray(picture).quantize(256, Image.Quantize.MEDIANCUT)  # the others leave rings in the felt
    few_colours.save(file, "PNG", optimize=True)
    return file.getvalue()


@functools.cache
def _felt() -> Picture:
    """The cloth, lighter in the middle."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    distance = np.hypot((x - MIDDLE[0]) / WIDTH, (y - MIDDLE[1]) / HEIGHT) / 0.72
    blend = np.clip(distance, 0, 1)[..., None] ** 1.4
    pixels = np.array(FELT_MIDDLE) * (1 - blend) + np.array(FELT_EDGE) * blend
    return Image.fromarray(pixels.round().astype(np.uint8))


@functools.cache
def _soft_edge(size: tuple[int, int], radius: int, spread: int) -> Picture:
    """A blurred rounded rectangle with a border of `spread` around it, as a mask: a shadow or a glow."""
    mask = Image.new("L", (size[0] + 2 * spread, size[1] + 2 * spread))
    mask.paste(255, (spread, spread), rounded(size, radius))
    return mask.filter(ImageFilter.GaussianBlur(spread / 2.5))


def _draw_card(canvas: Picture, card: Card, middle: tuple[float, float], mark: str = "", glow: bool = False) -> None:
    """Draw `card` with its middle at `middle`; `mark` is a letter on a gold disc, `glow` a light around the card."""
    x, y = round(middle[0] - CARD_SIZE[0] / 2), round(middle[1] - CARD_SIZE[1] / 2)
    shadow = _soft_edge(CARD_SIZE, RADIUS, 12)
    canvas.paste((0, 20, 14), (x - 10, y - 7), shadow.point(lambda value: value * 0.5))
    if glow:
        canvas.paste(GOLD, (x - 16, y - 16), _soft_edge(CARD_SIZE, RADIUS, 16))
        canvas.paste(GOLD, (x - 4, y - 4), rounded((CARD_SIZE[0] + 8, CARD_SIZE[1] + 8), RADIUS + 4))
    _paste(canvas, card_face(card), (x, y))
    if mark:
        _draw_mark(canvas, mark, (x + 6, y + 68))


def _draw_mark(canvas: Picture, letter: str, at: tuple[int, int]) -> None:
    """Draw a letter on a gold disc."""
    canvas.paste(GOLD, at, rounded((24, 24), 12))
    _write(canvas, letter, (at[0] + 12, at[1] + 12), 16, INK, "mm", bold=True)


def _paste(canvas: Picture, picture: Picture, at: tuple[int, int]) -> None:
    """Paste a transparent picture with its upper left corner at `at`."""
    canvas.paste(picture, at, picture)


def _mark(card: Card, deal: Deal) -> str:
    """The letter that marks a bower, R or L; empty for another card."""
    if deal.trump == NO_SUIT or card not in (right_bower(deal.trump), left_bower(deal.trump)):
        return ""
    return "R" if card == right_bower(deal.trump) else "L"


def _write(
    canvas: Picture, text: str, at: tuple[float, float], size: int, colour: Colour, anchor: str, bold: bool = False
) -> None:
    pen = ImageDraw.Draw(canvas)
    pen.text(at, text, colour, font(size), anchor=anchor, stroke_width=0.4 if bold else 0)


def _width_of(text: str, size: int) -> float:
    """The width of `text` in pixels, including suit symbols, which the typeface lacks."""
    letters = re.sub(f"[{SUIT_SYMBOLS}]", "", text)
    return font(size).getlength(letters) + size * (len(text) - len(letters))


def _draw_panel(canvas: Picture, box: tuple[int, int, int, int], colour: Any = DARK, radius: int = 16) -> None:
    """Draw a rounded rectangle, `box` = (x, y, width, height); the last number of `colour` is its opacity."""
    x, y, width, height = box
    mask = rounded((width, height), radius)
    canvas.paste(colour[:3], (x, y), mask.point(lambda value: value * colour[3] // 255))


def _draw_hand(canvas: Picture, table: Table, seat: Seat) -> None:
    """Draw a seat's cards face up and its name; a seat that sits out is dimmed."""
    deal = table.deal
    cards = [card for suit in suits_of_hand(int(deal.hands[seat]), int(deal.trump)) for card in suit]
    step, x, y = HAND_STEP[seat], HAND_X[seat], HAND_Y[seat]
    for i, card in enumerate(cards):
        _draw_card(canvas, card, (x + (i - (len(cards) - 1) / 2) * step, y), _mark(card, deal))
    if deal.sitting_out >> seat & 1:
        width = CARD_SIZE[0] + (len(cards) - 1) * step + 12
        box = (round(x - width / 2), y - CARD_SIZE[1] // 2 - 6, width, CARD_SIZE[1] + 12)
        _draw_panel(canvas, box, (*FELT_EDGE, 165))
    _draw_name(canvas, table, seat, y + (1 if seat == 2 else -1) * (CARD_SIZE[1] // 2 + 34))


def _draw_name(canvas: Picture, table: Table, seat: Seat, y: int) -> None:
    """Draw the seat's name and labels on a plate, which is gold for the seat to act."""
    to_act = seat == table.turn
    text = " · ".join([f"seat {seat}", *seat_tags(table.deal, seat)])
    size = 22
    width = round(_width_of(text, size)) + 44
    x = HAND_X[seat]
    colour = (*GOLD, 255) if to_act else DARK
    _draw_panel(canvas, (x - width // 2, y - 20, width, 40), colour, 20)
    _write(canvas, text, (x, y), size, INK if to_act else CREAM, "mm", bold=to_act)


def _draw_trick(canvas: Picture, deal: Deal, trick: int) -> None:
    """Draw the cards of a trick, each in front of its seat, in the order of play; the best one glows."""
    winner = trick_winner(deal, trick)
    for i in SEATS:
        seat = (int(deal.leaders[trick]) + i) & 3
        card = int(deal.played[trick, seat])
        if card != NO_CARD:
            dx, dy = TRICK_AT[seat]
            _draw_card(canvas, card, (MIDDLE[0] + dx, MIDDLE[1] + dy), _mark(card, deal), glow=seat == winner)


def _draw_upcard(canvas: Picture, deal: Deal) -> None:
    """Draw the upcard and the name of its place."""
    place = upcard_place(deal)
    _draw_card(canvas, int(deal.upcard), MIDDLE, _mark(int(deal.upcard), deal), glow=place == "turned up")
    _write(canvas, place, (MIDDLE[0], MIDDLE[1] + CARD_SIZE[1] // 2 + 34), 22, CREAM, "mm")


def _draw_trump(canvas: Picture, deal: Deal) -> None:
    """Draw the trump suit, its maker and call, and the two bowers."""
    x, y = MARGIN, MARGIN
    _draw_panel(canvas, (x, y, *PANEL_SIZE))
    if deal.trump == NO_SUIT:
        _write(canvas, "no trump yet", (x + PADDING, y + 48), 34, CREAM, "lm", bold=True)
        _write(
            canvas, "round one" if deal.num_passes < 4 else "round two", (x + PADDING, y + 90), TEXT_SIZE, MUTED, "lm"
        )
        return
    trump = int(deal.trump)
    canvas.paste(CREAM, (x + PADDING, y + 20), rounded((84, 84), 42))
    _paste(canvas, suit_symbol(trump, 54, suit_colour(trump)), (x + 39, y + 35))
    _write(canvas, SUIT_NAMES[trump], (x + 128, y + 45), 34, CREAM, "lm", bold=True)
    _write(canvas, "are trump", (x + 128, y + 83), TEXT_SIZE, MUTED, "lm")
    _write_lines(canvas, _lines(call_text(deal), TEXT_SIZE), (x + PADDING, y + 128), TEXT_SIZE, CREAM)
    for i, (letter, name) in enumerate((("R", "right bower"), ("L", "left bower"))):
        _draw_mark(canvas, letter, (x + PADDING + 180 * i, y + 179))
        _write(canvas, name, (x + 56 + 180 * i, y + 191), LABEL_SIZE, MUTED, "lm")


def _draw_score(canvas: Picture, table: Table) -> None:
    """Draw the points of the game, and a pip for each trick taken in this deal."""
    x, y = WIDTH - MARGIN - PANEL_WIDTH, MARGIN
    _draw_panel(canvas, (x, y, *PANEL_SIZE))
    for team in (0, 1):
        row = y + 52 + 56 * team
        _write(canvas, TEAM_NAMES[team], (x + PADDING, row), 24, CREAM, "lm")
        for pip in range(NUM_TRICKS):
            taken = pip < table.deal.tricks[team]
            colour = (*GOLD, 255) if taken else (*MUTED, 70)
            _draw_panel(canvas, (x + 204 + 22 * pip, row - 7, 14, 14), colour, 7)
        _write(canvas, str(table.scores[team]), (x + PANEL_WIDTH - PADDING, row), 40, CREAM, "rm", bold=True)
    _write(canvas, f"deal {table.deal_number}", (x + PADDING, y + 174), TEXT_SIZE, MUTED, "lm")
    _write(canvas, target_text(table), (x + PANEL_WIDTH - PADDING, y + 174), TEXT_SIZE, MUTED, "rm")


def _draw_last_deal(canvas: Picture, table: Table) -> None:
    """Draw the next decision and the result of the last deal, in a panel of the height that they need."""
    turn, result = _lines(turn_text(table), TEXT_SIZE), []
    if table.last_deal is not None and table.last_result is not None:
        result = _lines(result_text(table.last_deal, table.last_result), LABEL_SIZE)
    label_height = 40 if result else 0
    height = 40 + len(turn) * _line_height(TEXT_SIZE) + label_height + len(result) * _line_height(LABEL_SIZE)
    x, y = MARGIN, HEIGHT - MARGIN - height
    _draw_panel(canvas, (x, y, PANEL_WIDTH, height))
    below = _write_lines(canvas, turn, (x + PADDING, y + 34), TEXT_SIZE, GOLD)
    if result:
        _write(canvas, "last deal", (x + PADDING, below + 8), LABEL_SIZE, MUTED, "lm")
        _write_lines(canvas, result, (x + PADDING, below + label_height), LABEL_SIZE, CREAM)


def _line_height(size: int) -> int:
    """The distance from one line of text to the next."""
    return round(size * 1.3)


def _lines(text: str, size: int) -> list[str]:
    """`text` broken between words into lines that fit in a panel."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if _width_of(longer, size) <= PANEL_WIDTH - 2 * PADDING:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _write_lines(canvas: Picture, lines: list[str], at: tuple[int, int], size: int, colour: Colour) -> int:
    """Write lines of text from `at` downwards and return the y of the next line."""
    y = at[1]
    for line in lines:
        x = float(at[0])
        for piece in re.split(f"([{SUIT_SYMBOLS}])", line):
            if piece and piece in SUIT_SYMBOLS:
                symbol = suit_symbol(SUIT_SYMBOLS.index(piece), size - 3, colour)
                _paste(canvas, symbol, (round(x) + 1, y - size // 2 + 3))
            else:
                _write(canvas, piece, (x, y), size, colour, "lm")
            x += _width_of(piece, size)
        y += _line_height(size)
    return y


def _draw_face_down(canvas: Picture, table: Table) -> None:
    """Draw the kitty, an upcard out of play and the dealer's discard, smaller."""
    deal = table.deal
    x, y = WIDTH - MARGIN - PANEL_WIDTH, HEIGHT - MARGIN - PANEL_HEIGHT
    _draw_panel(canvas, (x, y, *PANEL_SIZE))
    groups = [("kitty", cards_in(deal.kitty))]
    if deal.maker != NOBODY and not deal.upcard_taken:
        groups.append(("upcard", [int(deal.upcard)]))
    if deal.discard != NO_CARD:
        groups.append(("discard", [int(deal.discard)]))
    left = x + PADDING
    for name, cards in groups:
        _write(canvas, name, (left, y + 30), LABEL_SIZE, MUTED, "lm")
        for card in cards:
            _paste(canvas, _small_face(card), (left, y + 56))
            left += 50
        left += SMALL_SIZE[0] - 50 + 26


@functools.cache
def _small_face(card: Card) -> Picture:
    return card_face(card).resize(SMALL_SIZE, Image.Resampling.LANCZOS)
