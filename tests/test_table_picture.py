"""The README's picture equals the output of its script, notebooks show a table, and the longest sentences fit."""

import html
import random
import re
import runpy
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.tables import choose

from euchre_env import Table, render_picture, render_text
from euchre_env.drawing.commentary import result_text, turn_text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"


def pixels(png):
    """The picture in a PNG file, uint8, shape (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(BytesIO(png)).convert("RGB"))


def test_the_picture_for_the_readme_is_what_its_script_draws():
    pillow = pytest.importorskip("PIL")
    pinned = re.search(r"^pillow==(.*)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert pinned is not None
    if pillow.__version__ != pinned[1]:
        pytest.skip(f"pixels are compared under Pillow {pinned[1]} only, and this is {pillow.__version__}")
    script = runpy.run_path(str(IMAGES / "make_table_picture.py"))
    same = np.array_equal(pixels(script["draw"]()), pixels((IMAGES / "table.png").read_bytes()))
    assert same, "docs/images/table.png is out of date: run `make picture` and look at the result"


def test_the_picture_for_the_readme_is_small_enough():
    assert (IMAGES / "table.png").stat().st_size < 120_000


def test_a_notebook_shows_a_table_as_its_picture():
    pytest.importorskip("PIL")
    table: Any = Table(seed=3)
    shown = pixels(table._repr_png_())
    assert shown.shape == render_picture(table).shape
    assert np.abs(shown.astype(int) - render_picture(table)).mean() < 2  # of 255: 256 colours are enough
    assert table._repr_html_() is None


def test_a_notebook_without_pillow_shows_a_table_as_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    table: Any = Table(seed=3)
    assert table._repr_png_() is None
    shown = re.fullmatch(r"<pre>(.*)</pre>", table._repr_html_(), re.DOTALL)
    assert shown is not None
    assert html.unescape(shown[1]) == render_text(table)


@pytest.mark.compiled  # plays hundreds of deals
def test_the_longest_sentences_stay_inside_their_panel():
    pytest.importorskip("PIL")

    def words(table):
        return 0 if table.last_deal is None else len(result_text(table.last_deal, table.last_result) + turn_text(table))

    rng, longest = random.Random(1), Table()
    for seed in range(60):
        table = Table("standard,defend_alone=always", seed)
        while not table.is_over:
            table.step(choose(table, rng))
            if words(table) > words(longest):
                longest = table.clone()
    assert words(longest) > 170
    below = np.s_[1080:, :440]  # the panel at the lower left ends where the margin begins
    np.testing.assert_array_equal(render_picture(longest)[below], render_picture(Table())[below])
