"""The tables of the README, printed from the code: `python -m euchre_env.reference`.

A test holds the README to them, so neither can change without the other.
"""

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterable
from dataclasses import Field, fields
from typing import Any

from euchre_env.actions import BLOCKS, Block, action_name
from euchre_env.house_rules import PRESETS, HouseRules, differences, value_text
from euchre_env.observation import FIELDS, OBSERVATION_SIZE


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * len(cells[0]), *lines[1:]])


def action_table() -> str:
    """Every block of the action space: its ids, its meaning, and the names of its first and last action."""
    return markdown_table(
        ("ids", "block", "names"),
        (
            (_span(block.first, block.size), block.name, " ... ".join(dict.fromkeys(map(action_name, _ends(block)))))
            for block in BLOCKS
        ),
    )


def observation_table() -> str:
    """Every field of the observation: where it stands, its size and its meaning; the house rules' in one row."""
    rows = [
        (_span(field.first, field.size), f"`{field.name}`", field.size, field.meaning)
        for field in FIELDS.values()
        if not field.name.startswith("rules.")
    ]
    first_rule = sum(int(row[2]) for row in rows)
    size = OBSERVATION_SIZE - first_rule
    rows.append((_span(first_rule, size), "`rules.*`", size, "the house rules in the order below, each in binary"))
    return markdown_table(("places", "field", "size", "meaning"), rows)


def house_rules_table() -> str:
    """Every house rule: its name, its values with the default first, and its meaning."""
    meanings = _field_docstrings(HouseRules)
    return markdown_table(
        ("house rule", "values, default first", "meaning"),
        ((f"`{rule.name}`", _values(rule), meanings[rule.name]) for rule in fields(HouseRules)),
    )


def presets_table() -> str:
    """Every preset and what it changes."""
    rows = []
    for name, rules in PRESETS.items():
        changes = differences(PRESETS["standard"], rules)
        texts = ", ".join(f"`{rule}={value_text(value)}`" for rule, value in changes.items())
        rows.append((f"`{name}`", texts or "none"))
    return markdown_table(("preset", "changes"), rows)


TABLES = {
    "actions": action_table,
    "observation": observation_table,
    "house rules": house_rules_table,
    "presets": presets_table,
}


def _ends(block: Block) -> tuple[int, int]:
    return block.id(0), block.id(block.size - 1)


def _values(rule: "Field[Any]") -> str:
    """What a house rule may be, the default first."""
    allowed = rule.metadata["allowed"]
    if isinstance(allowed, range):
        return f"{rule.default}; whole numbers {allowed[0]} to {allowed[-1]}"
    return ", ".join(f"`{value_text(value)}`" for value in allowed)


def _span(first: int, size: int) -> str:
    return str(first) if size == 1 else f"{first}-{first + size - 1}"


def _field_docstrings(cls: type) -> dict[str, str]:
    """The string below each field of a dataclass, on one line."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0].body  # type: ignore[attr-defined]  # a class
    return {
        field.target.id: " ".join(text.value.value.split())  # type: ignore[union-attr]
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


if __name__ == "__main__":
    for title, table in TABLES.items():
        print(f"<!-- {title} -->\n{table()}\n")
