"""docs/reference.md equals the text that the code prints, and lists every field of the records with its comment."""

import subprocess
import sys
from pathlib import Path

import pytest

from euchre_env import deal, game, view
from euchre_env.observation import FIELDS
from euchre_env.reference import card_table, field_table, record_table, reference_page
from euchre_env.state import HIDDEN_FIELDS, STATE_FIELDS

PAGE = (Path(__file__).parents[1] / "docs" / "reference.md").read_text(encoding="utf-8")
RECORDS = [(view, "VIEW"), (deal, "DEAL"), (game, "GAME"), (game, "RESULT")]


def cells(table):
    """The cells of a Markdown table without its header, a list for each row."""
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def test_the_reference_page_is_the_one_the_code_prints():
    assert reference_page() == PAGE, "docs/reference.md is out of date: run `make reference` and look at the difference"


def test_the_module_prints_the_page():
    command = [sys.executable, "-m", "euchre_env.reference"]
    assert subprocess.run(command, capture_output=True, check=True, timeout=120).stdout == PAGE.encode()


@pytest.mark.parametrize(("module", "name"), RECORDS, ids=[name for _, name in RECORDS])
def test_every_field_of_a_record_is_listed_with_its_shape_and_meaning(module, name):
    dtype = getattr(module, name)
    rows = cells(record_table(module, name))
    assert [row[0] for row in rows] == [f"`{field}`" for field in dtype.names]
    assert [row[2] for row in rows] == [f"`{dtype[field].shape}`" for field in dtype.names]
    assert all(len(row) == 4 and row[3] for row in rows)


def test_a_meaning_is_the_comment_beside_the_field():
    meanings = {field: meaning for field, _, _, meaning in cells(record_table(game, "RESULT"))}
    assert meanings["`reneged`"] == "the seat whose renege ended the deal, else NOBODY"
    assert cells(record_table(game, "GAME"))[-1][:3] == ["`deal`", "`DEAL`", "`()`"]


@pytest.mark.parametrize("fields", [FIELDS, STATE_FIELDS, HIDDEN_FIELDS], ids=["observation", "state", "hidden"])
def test_the_places_of_a_vector_are_listed_without_a_gap(fields):
    rows = cells(field_table(fields))
    assert [row[1] for row in rows] == [f"`{name}`" for name in fields]
    spans = [[int(end) for end in row[0].split("-")] for row in rows]
    assert [span[0] for span in spans] == [0, *(span[-1] + 1 for span in spans[:-1])]


def test_long_lists_of_places_are_shortened_and_short_ones_are_not():
    names = {field: text for _, field, text, _ in cells(field_table(FIELDS))}
    assert names["`turn`"] == "`ME`, `LEFT`, `PARTNER`, `RIGHT`"
    assert names["`played_in`"] == "`trick 1 9C`, `trick 1 TC` ... `trick 5 2S`"


def test_the_cards_are_listed_with_their_ids():
    assert cells(card_table())[3] == ["18-23", "spades", "`9S`, `TS`, `JS`, `QS`, `KS`, `AS`"]
    assert cells(card_table())[4][0] == "24"
