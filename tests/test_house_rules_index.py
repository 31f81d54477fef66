"""docs/house_rules_index.md names the function that decides each house rule, and the test that owns it."""

import ast
import functools
import re
from dataclasses import fields
from typing import NamedTuple

import pytest
from support.paths import ROOT

from euchre_env.house_rules import HouseRules

RULES = [rule.name for rule in fields(HouseRules)]
DECIDING_FILES = ("euchre_env/deal.py", "euchre_env/game.py")


class Entry(NamedTuple):
    """A row of the index."""

    rule: str
    decided_in: str
    function: str
    owned_by: str
    test: str


def read_index():
    """The rows of the table, without its header."""
    text = (ROOT / "docs" / "house_rules_index.md").read_text()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [Entry(*(cell.strip(" `") for cell in line.strip("|").split("|"))) for line in lines[2:]]


@functools.cache
def functions_of(file):
    """The functions at the top of a file as syntax trees, by name; none if there is no such file."""
    if not (ROOT / file).is_file():
        return {}
    return {node.name: node for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)}


def decisions():
    """Every rule with each function in deal.py and game.py that reads it, as (rule, file, function)."""
    return {
        (node.attr, file, name)
        for file in DECIDING_FILES
        for name, function in functions_of(file).items()
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "rules"
    }


def faults(index):
    """The faults of the rows of an index, as sentences."""
    found = [f"{rule} is missing" for rule in RULES if rule not in {entry.rule for entry in index}]
    listed = {entry[:3] for entry in index}
    for rule, file, function in sorted(listed - decisions()):
        found.append(f"{function} in {file} does not read rules.{rule}")
    for rule, file, function in sorted(decisions() - listed):
        found.append(f"{function} in {file} reads rules.{rule} too")
    for entry in index:
        test = functions_of(entry.owned_by).get(entry.test)
        if test is None:
            found.append(f"there is no {entry.test} in {entry.owned_by}")
        elif not re.search(rf"\b{entry.rule}\b", ast.unparse(test)):
            found.append(f"{entry.test} does not name {entry.rule}")
    return found


def test_the_index_names_what_decides_each_rule_and_what_tests_it():
    assert faults(read_index()) == []


def test_the_index_has_the_order_of_the_house_rules():
    assert list(dict.fromkeys(entry.rule for entry in read_index())) == RULES


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"rule": "benny"}, "points_to_win is missing"),
        ({"rule": "farmers_hand"}, "game_winner in euchre_env/game.py does not read rules.farmers_hand"),
        ({"function": "game_wiener"}, "game_wiener in euchre_env/game.py does not read rules.points_to_win"),
        ({"function": "next_dealer"}, "next_dealer in euchre_env/game.py does not read rules.points_to_win"),
        ({"function": "next_dealer"}, "game_winner in euchre_env/game.py reads rules.points_to_win too"),
        ({"decided_in": "euchre_env/no.py"}, "game_winner in euchre_env/no.py does not read rules.points_to_win"),
        ({"owned_by": "tests/test_no.py"}, "there is no test_when_a_game_ends in tests/test_no.py"),
        ({"test": "test_when_it_ends"}, "there is no test_when_it_ends in tests/test_game_flow.py"),
        (
            {"test": "test_points_are_added_to_the_score"},
            "test_points_are_added_to_the_score does not name points_to_win",
        ),
    ],
)
def test_a_wrong_row_is_noticed(change, fault):
    index = [entry._replace(**change) if entry.rule == "points_to_win" else entry for entry in read_index()]
    assert fault in faults(index)
