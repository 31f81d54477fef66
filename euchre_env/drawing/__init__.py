"""Drawings of a table as a spectator sees it, every hand face up, and of what one seat knows, as text."""

import importlib

import numpy as np

from euchre_env.drawing.text import print_text, render_text
from euchre_env.drawing.view_sentences import view_text
from euchre_env.table import Table

__all__ = ["check_pillow", "picture_png", "print_text", "render_picture", "render_text", "view_text"]


def check_pillow() -> None:
    """Check that Pillow, which draws the pictures, is installed.

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
    check_pillow()
    from euchre_env.drawing.picture import draw_table  # imports Pillow

    return draw_table(table)


def picture_png(table: Table) -> bytes:
    """The picture of the table as a PNG file of 256 colours, about 100 KB.

    Raises:
        ImportError: if Pillow is missing.
    """
    check_pillow()
    from euchre_env.drawing.picture import draw_table, encode_png  # imports Pillow

    return encode_png(draw_table(table))
