"""Playing cards drawn with Pillow: suits as polygons, faces with pips, without system fonts."""

import functools
import math

from PIL import Image, ImageDraw, ImageFont
from PIL.Image import Image as Picture

from euchre_env.cards import BENNY, DIAMONDS, HEARTS, RANK_LETTERS, SPADES, Card, Suit, rank_of, suit_of

Colour = tuple[int, int, int]
Point = tuple[float, float]

CARD_SIZE = (126, 176)
RADIUS = 12
FINE = 4  # shapes are drawn this much larger and reduced, which smooths their edges

PAPER: Colour = (254, 253, 249)
EDGE: Colour = (196, 194, 186)
BLACK: Colour = (32, 35, 42)
RED: Colour = (196, 30, 46)
GOLD: Colour = (240, 196, 83)
COURT_PAPER: Colour = (247, 240, 222)

# Where the pips of a card stand, as fractions of its face; those below the middle are upside down.
LEFT, CENTRE, RIGHT = 0.37, 0.5, 0.63
PIPS: dict[str, list[Point]] = {
    "A": [(CENTRE, 0.5)],
    "2": [(CENTRE, 0.2), (CENTRE, 0.8)],
    "9": [(x, y) for x in (LEFT, RIGHT) for y in (0.17, 0.39, 0.61, 0.83)] + [(CENTRE, 0.5)],
    "10": [(x, y) for x in (LEFT, RIGHT) for y in (0.17, 0.39, 0.61, 0.83)] + [(CENTRE, 0.28), (CENTRE, 0.72)],
}


def suit_colour(suit: Suit) -> Colour:
    """The colour of a suit's symbol, red or black."""
    return RED if suit in (DIAMONDS, HEARTS) else BLACK


@functools.cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own typeface at `size` pixels."""
    return ImageFont.load_default(size)


def _heart(t: float) -> Point:
    """A point of the heart curve in a box of about -1 to 1, y downwards, for t from 0 to 1."""
    a = 2 * math.pi * t
    x = 16 * math.sin(a) ** 3
    y = 13 * math.cos(a) - 5 * math.cos(2 * a) - 2 * math.cos(3 * a) - math.cos(4 * a)
    return x / 16, -(y + 2.5) / 15


def _curve(start: Point, bend: Point, end: Point, steps: int = 16) -> list[Point]:
    """The points of a quadratic Bézier curve, without its end."""
    return [
        tuple((1 - t) ** 2 * s + 2 * (1 - t) * t * b + t * t * e for s, b, e in zip(start, bend, end, strict=True))
        for t in (step / steps for step in range(steps))
    ]  # type: ignore[return-value]  # two coordinates each


def _circle(x: float, y: float, radius: float) -> list[Point]:
    angles = [2 * math.pi * i / 48 for i in range(48)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]


def suit_outline(suit: Suit) -> list[list[Point]]:
    """The polygons of a suit's symbol, in a box of -1 to 1 with y downwards."""
    heart = [_heart(i / 96) for i in range(96)]
    stem = [
        *_curve((-0.04, 0.25), (-0.03, 0.85), (-0.42, 1.0)),
        (0.42, 1.0),
        *reversed(_curve((0.04, 0.25), (0.03, 0.85), (0.42, 1.0))),
    ]
    if suit == HEARTS:
        return [heart]
    if suit == SPADES:
        return [[(x * 0.96, -y * 0.86 - 0.14) for x, y in heart], stem]
    corners = [(0.0, -1.0), (0.76, 0.0), (0.0, 1.0), (-0.76, 0.0)]
    if suit == DIAMONDS:
        sides = zip(corners, corners[1:] + corners[:1], strict=True)
        return [[p for a, b in sides for p in _curve(a, (0.42 * (a[0] + b[0]), 0.42 * (a[1] + b[1])), b)]]
    return [_circle(0, -0.52, 0.46), _circle(-0.5, 0.2, 0.46), _circle(0.5, 0.2, 0.46), _circle(0, 0.0, 0.3), stem]


@functools.cache
def suit_symbol(suit: Suit, size: int, colour: Colour) -> Picture:
    """The symbol of `suit` on a transparent square of `size` pixels."""
    mask = Image.new("L", (size * FINE, size * FINE))
    pen, half = ImageDraw.Draw(mask), size * FINE / 2
    for polygon in suit_outline(suit):
        pen.polygon([(half + x * half * 0.96, half + y * half * 0.96) for x, y in polygon], fill=255)
    symbol = Image.new("RGBA", (size, size), (*colour, 0))
    symbol.putalpha(mask.resize((size, size), Image.Resampling.LANCZOS))
    return symbol


@functools.cache
def rounded(size: tuple[int, int], radius: int) -> Picture:
    """A filled rectangle with round corners, as a mask."""
    mask = Image.new("L", (size[0] * FINE, size[1] * FINE))
    box = (0, 0, size[0] * FINE - 1, size[1] * FINE - 1)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius * FINE, fill=255)
    return mask.resize(size, Image.Resampling.LANCZOS)


def _stamp(face: Picture, picture: Picture, x: float, y: float, upside_down: bool = False) -> None:
    """Paste `picture` with its middle at (x, y)."""
    if upside_down:
        picture = picture.rotate(180)
    face.paste(picture, (round(x - picture.width / 2), round(y - picture.height / 2)), picture)


def _corner(rank: str, suit: Suit) -> Picture:
    """The corner of a card: the rank above the suit."""
    corner = Image.new("RGBA", (30, 54))
    size = 25 if len(rank) == 1 else 22
    colour = suit_colour(suit)
    ImageDraw.Draw(corner).text((15, 14), rank, colour, font(size), anchor="mm", stroke_width=0.5)
    _stamp(corner, suit_symbol(suit, 19, colour), 15, 41)
    return corner


@functools.cache
def card_face(card: Card) -> Picture:
    """The face of `card`, RGBA, of `CARD_SIZE`."""
    width, height = CARD_SIZE
    suit = SPADES if card == BENNY else suit_of(card)
    rank = "2" if card == BENNY else RANK_LETTERS[rank_of(card)].replace("T", "10")
    colour = suit_colour(suit)
    face = Image.new("RGBA", CARD_SIZE, (*EDGE, 255))
    face.paste(PAPER, (1, 1), rounded((width - 2, height - 2), RADIUS - 1))
    if rank in PIPS:
        size = {"A": 70, "2": 44}.get(rank, 22)
        for x, y in PIPS[rank]:
            _stamp(face, suit_symbol(suit, size, colour), x * width, y * height, upside_down=y > 0.5)
    else:
        _court(face, rank, suit)
    if card == BENNY:
        ImageDraw.Draw(face).text((width / 2, height / 2), "Benny", colour, font(22), anchor="mm", stroke_width=0.5)
    corner = _corner(rank, suit)
    _stamp(face, corner, 18, 34)
    _stamp(face, corner, width - 18, height - 34, upside_down=True)
    face.putalpha(rounded(CARD_SIZE, RADIUS))
    return face


def _court(face: Picture, rank: str, suit: Suit) -> None:
    """Draw the middle of a jack, queen or king: its letter in a frame, a symbol at either end."""
    width, height = CARD_SIZE
    colour = suit_colour(suit)
    box = (37, 22, width - 38, height - 23)
    pen = ImageDraw.Draw(face)
    pen.rectangle(box, fill=COURT_PAPER, outline=colour)
    pen.rectangle((box[0] + 3, box[1] + 3, box[2] - 3, box[3] - 3), outline=(*GOLD, 255))
    pen.text((width / 2, height / 2 - 1), rank, colour, font(54), anchor="mm", stroke_width=1)
    _stamp(face, suit_symbol(suit, 23, colour), width / 2, box[1] + 23)
    _stamp(face, suit_symbol(suit, 23, colour), width / 2, box[3] - 22, upside_down=True)
