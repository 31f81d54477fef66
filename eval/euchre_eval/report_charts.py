"""The pictures of HTML reports, as SVG elements that stand in the page and take their colours from its style.

A picture is 320 units wide, about as many as a phone has points, so its text can be read there too.
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from markupsafe import Markup

WIDTH, SIDE = 320, 8  # units; SIDE is left free on both sides
ROW, AXIS = 40, 34  # heights of a row of intervals, and of the axis below them
BARS = 150  # the height of the tallest bar
MOST_LETTERS = 24  # of the name of a row
AVERAGE_TICKS = 5


class Interval(NamedTuple):
    """A row of `interval_chart`."""

    name: str
    value: float
    low: float
    """nan, as `high`, if the interval is not known."""
    high: float
    text: str
    """The value in words."""
    look: str
    """The class of the row in the style of the page: "a", "b" or "none"."""


class Bar(NamedTuple):
    """A bar of `bar_chart`."""

    at: float
    """Its place on the axis."""
    share: float
    """Its height, from 0 to 1."""
    text: str
    """The share in a few letters."""
    look: str
    """As in `Interval`."""


def interval_chart(rows: Sequence[Interval], label: str, title: str, axis: str, reference: float = 0.0) -> Markup:
    """Values with their intervals, one below the other, over one axis.

    Args:
        rows: the rows, from the top down; at least one.
        label: the start of the names of its elements, different for each picture of a page.
        title: what it shows, in words.
        axis: what the numbers of the axis are.
        reference: the value at which a line is drawn, such as "no difference".
    """
    known = [end for row in rows for end in (row.value, row.low, row.high) if end == end]
    low, high = min(reference, *known), max(reference, *known)
    space = (high - low or 1) / 16
    ticks = tick_values(low - space, high + space)
    low, high = min(low - space, ticks[0]), max(high + space, ticks[-1])

    def x(value: float) -> str:
        return _number(SIDE + (WIDTH - 2 * SIDE) * (value - low) / (high - low))

    bottom, parts = ROW * len(rows), list[Markup]()
    for place, row in enumerate(rows):
        y = ROW * place
        for look, value in [*(("grid", tick) for tick in ticks), ("zero", reference)]:
            line = Markup('<line class="{0}" x1="{1}" x2="{1}" y1="{2}" y2="{3}"/>')
            parts.append(line.format(look, x(value), y + 20, y + 36))
        parts.append(Markup('<g class="{}">').format(row.look))
        if row.low == row.low:
            parts.append(
                Markup('<line class="whisker" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>').format(
                    x(row.low), x(row.high), y + 28
                )
            )
        parts.append(Markup('<circle class="dot" cx="{}" cy="{}" r="4.5"/>').format(x(row.value), y + 28))
        parts.append(Markup('<text x="{}" y="{}">{}</text>').format(SIDE, y + 16, shorter(row.name)))
        parts.append(
            Markup('<text class="value" x="{}" y="{}" text-anchor="end">{}</text></g>').format(
                WIDTH - SIDE, y + 16, row.text
            )
        )
    decimals = _decimals_of(ticks)
    return _picture(
        label, title, parts + _axis([(x(tick), f"{tick:.{decimals}f}") for tick in ticks], bottom, axis), bottom + AXIS
    )


def bar_chart(bars: Sequence[Bar], label: str, title: str, axis: str) -> Markup:
    """Shares as bars over places of equal distance on an axis, a mark at each whole number.

    Args:
        bars: the bars, from left to right; at least one.
        label: as for `interval_chart`.
        title: as for `interval_chart`.
        axis: as for `interval_chart`.
    """
    step = (WIDTH - 2 * SIDE) / len(bars)
    highest = max(bar.share for bar in bars) or 1
    top, parts = 16, list[Markup]()
    bottom = top + BARS
    for place, bar in enumerate(bars):
        height = BARS * bar.share / highest
        if bar.share > 0:
            height = max(height, 1.0)  # what happened at all is seen
        x = SIDE + step * place
        parts.append(
            Markup('<g class="{}"><rect x="{}" y="{}" width="{}" height="{}"/>').format(
                bar.look, _number(x + step * 0.1), _number(bottom - height), _number(step * 0.8), _number(height)
            )
        )
        parts.append(
            Markup('<text class="small" x="{}" y="{}" text-anchor="middle">{}</text></g>').format(
                _number(x + step / 2), _number(bottom - height - 4), bar.text
            )
        )
    marks = [
        (_number(SIDE + step * (place + 0.5)), f"{bar.at:+.0f}" if bar.at else "0")
        for place, bar in enumerate(bars)
        if bar.at == round(bar.at)
    ]
    parts.append(Markup('<line class="zero" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>').format(SIDE, WIDTH - SIDE, bottom))
    return _picture(label, title, parts + _axis(marks, bottom, axis), bottom + AXIS)


def tick_values(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, about five, at equal distances of 1, 2 or 5 times a power of ten.

    >>> tick_values(-0.03, 0.27)
    [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]
    """
    rough = (high - low) / AVERAGE_TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough * 0.75)
    decimals = max(0, -floor(log10(step) + 1e-9))
    return [round(number * step, decimals) + 0.0 for number in range(ceil(low / step), floor(high / step) + 1)]


def shorter(name: str) -> str:
    """A name of at most `MOST_LETTERS` letters, with an ellipsis in the middle of a longer one."""
    if len(name) <= MOST_LETTERS:
        return name
    half = (MOST_LETTERS - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def _axis(marks: Sequence[tuple[str, str]], top: int, axis: str) -> list[Markup]:
    """The numbers below a picture, and what they are."""
    numbers = [
        Markup('<text class="small" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            x, top + 14, text.replace("-", "−")
        )
        for x, text in marks
    ]
    return [
        *numbers,
        Markup('<text class="small" x="{}" y="{}" text-anchor="middle">{}</text>').format(WIDTH / 2, top + 29, axis),
    ]


def _picture(label: str, title: str, parts: Sequence[Markup], height: int) -> Markup:
    return Markup(
        '<svg viewBox="0 0 {0} {1}" role="img" aria-labelledby="{2}"><title id="{2}">{3}</title>{4}</svg>'
    ).format(WIDTH, height, f"{label}-title", title, Markup("").join(parts))


def _decimals_of(ticks: Sequence[float]) -> int:
    return max(len(f"{tick:.10f}".rstrip("0").partition(".")[2]) for tick in ticks)


def _number(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
