"""The reference page, printed from the code: `python -m euchre_env.reference` prints docs/reference.md.

The page has every action, observation field, house rule, preset and record. `make reference` writes it, and a test
checks that page and code agree.
"""

import ast
import inspect
import io
import itertools
import textwrap
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from types import ModuleType
from typing import Any

import numpy as np

from euchre_env import deal, game, house_rules, observation, state, view
from euchre_env.actions import BLOCKS, NUM_ACTIONS, Block, action_name
from euchre_env.cards import BENNY, NO_CARD, NO_SUIT, NUM_CARDS, SUIT_NAMES, card_name
from euchre_env.house_rules import PRESETS, HouseRules, differences, value_text
from euchre_env.observation import FIELDS, OBSERVATION_SIZE

PAGE = f"""\
# Reference

The code prints this page (`make reference`), so a change to it starts there. What these names mean in the game:
[docs/rules.md](../docs/rules.md).

## Actions

An action is a number from 0 to {NUM_ACTIONS - 1}. Playing and discarding share the ids of the cards, and `pass` also
declines to defend alone: the phase tells them apart.

{{actions}}

A card's id is suit * 6 + rank, for the suits {", ".join(SUIT_NAMES)} and the ranks 9, 10, J, Q, K, A:

{{cards}}

## Observation

An observation is int8, shape ({OBSERVATION_SIZE},), every value 0 or 1, laid out as `FIELDS`: `FIELDS["hand"].slice`
cuts a field out, and `FIELDS["hand"].places` names its places. Seats are relative to the viewer: ME, LEFT, PARTNER,
RIGHT; MINE is the viewer's team. In a name of two parts the second part changes first.

{{observation}}

## State

The state is int8, shape ({state.STATE_SIZE},), every value 0 or 1: the whole position with all cards open, laid out as
`STATE_FIELDS`. Seats are absolute: ME is seat 0, LEFT seat 1, PARTNER seat 2, RIGHT seat 3; MINE is the team of seats
0 and 2.

{{state}}

## Hidden cards

The cards hidden from a seat are int8, shape ({state.HIDDEN_SIZE},), every value 0 or 1, laid out as `HIDDEN_FIELDS`.

{{hidden}}

## House rules

{{house rules}}

## Presets

A preset is the default of every house rule but for these changes.

{{presets}}

## Numbers in records

A record is a NumPy structured scalar with integer fields. The integers mean:

{{numbers}}

## VIEW

The dtype of a view, the information of one seat. Seats are relative to the viewer: 0 me, 1 left, 2 partner, 3 right;
team 0 is the viewer's.

{{VIEW}}

## DEAL

The dtype of one deal with all cards open. Seats are absolute.

{{DEAL}}

## GAME

The dtype of a game: the deal in progress and the score.

{{GAME}}

## RESULT

The dtype of the result of a deal.

{{RESULT}}

## RULES

The dtype of house rules in a record: a field of dtype int64 for each, in the order of the table of house rules. A
flag is 0 or 1, a number is itself, and a word is its place among the values of that table, counted from 0.
"""


def reference_page() -> str:
    """The text of docs/reference.md, with a newline at the end."""
    tables = {
        "actions": action_table(),
        "cards": card_table(),
        "observation": field_table(FIELDS),
        "state": field_table(state.STATE_FIELDS),
        "hidden": field_table(state.HIDDEN_FIELDS),
        "house rules": house_rules_table(),
        "presets": presets_table(),
        "numbers": numbers_table(),
        "VIEW": record_table(view, "VIEW"),
        "DEAL": record_table(deal, "DEAL"),
        "GAME": record_table(game, "GAME"),
        "RESULT": record_table(game, "RESULT"),
    }
    return PAGE.format_map(tables)


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Format a Markdown table with a line for each row."""
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


def card_table() -> str:
    """The ids and names of all cards, a row for each suit and one for the Benny."""
    suits = ((name, range(6 * suit, 6 * suit + 6)) for suit, name in enumerate(SUIT_NAMES))
    return markdown_table(
        ("ids", "suit", "cards"),
        (
            (_span(cards[0], len(cards)), suit, ", ".join(f"`{card_name(card)}`" for card in cards))
            for suit, cards in (*suits, ("the Benny, always a trump", range(BENNY, NUM_CARDS)))
        ),
    )


def field_table(vector_fields: "Mapping[str, observation.Field]") -> str:
    """Every field of a vector: its places, its name, the names of its places and its meaning."""
    return markdown_table(
        ("places", "field", "names of its places", "meaning"),
        (
            (_span(field.first, field.size), f"`{field.name}`", _place_names(field.places), field.meaning)
            for field in vector_fields.values()
        ),
    )


def house_rules_table() -> str:
    """Every house rule: its name, its values with the default first, and its meaning."""
    meanings = _field_docstrings(HouseRules)
    return markdown_table(
        ("house rule", "values, default first", "meaning"),
        ((f"`{rule.name}`", _values(rule), meanings[rule.name]) for rule in fields(HouseRules)),
    )


def presets_table() -> str:
    """Every preset and its changes."""
    rows = []
    for name, rules in PRESETS.items():
        changes = differences(PRESETS["standard"], rules)
        texts = ", ".join(f"`{rule}={value_text(value)}`" for rule, value in changes.items())
        rows.append((f"`{name}`", texts or "none"))
    return markdown_table(("preset", "changes"), rows)


def numbers_table() -> str:
    """The meanings of integers in records."""
    suits = ", ".join(f"{suit} {name}" for suit, name in enumerate(SUIT_NAMES))
    phases = ", ".join(f"{phase} {name}" for phase, name in enumerate(deal.PHASES))
    return markdown_table(
        ("what", "numbers"),
        (
            ("seat", f"0 to 3 clockwise; {deal.NOBODY} is `NOBODY`"),
            ("team", f"0: seats 0 and 2; 1: seats 1 and 3; {game.NO_TEAM} is `NO_TEAM`"),
            ("suit", f"{suits}; {NO_SUIT} is `NO_SUIT`"),
            ("card", f"0 to {NUM_CARDS - 1}, its id; {NO_CARD} is `NO_CARD`"),
            ("card set", "bit c is set when it has card c"),
            ("action set", "bit a is set when it has action a"),
            ("phase", f"its place in `PHASES`: {phases}"),
        ),
    )


def record_table(module: ModuleType, name: str) -> str:
    """Every field of the dtype `name` of `module`: its name, dtype, shape and meaning."""
    dtype: np.dtype[np.void] = getattr(module, name)
    meanings = _field_comments(module, name)
    return markdown_table(
        ("field", "dtype", "shape", "meaning"),
        (
            (f"`{field}`", _dtype_name(dtype[field].base), f"`{dtype[field].shape}`", meanings[field])
            for field in dtype.names or ()
        ),
    )


def _ends(block: Block) -> tuple[int, int]:
    return block.id(0), block.id(block.size - 1)


def _values(rule: "Field[Any]") -> str:
    """The values of a house rule, the default first."""
    allowed = rule.metadata["allowed"]
    if isinstance(allowed, range):
        return f"{rule.default}; whole numbers {allowed[0]} to {allowed[-1]}"
    return ", ".join(f"`{value_text(value)}`" for value in allowed)


def _dtype_name(dtype: "np.dtype[Any]") -> str:
    """The name of a scalar dtype or a record dtype."""
    ours = {deal.DEAL: "`DEAL`", house_rules.RULES: "`RULES`"}
    return ours.get(dtype) or dtype.name


def _place_names(names: tuple[str, ...]) -> str:
    """All names if they are few, else the first two and the last."""
    texts = [f"`{name}`" for name in names]
    return ", ".join(texts) if len(texts) <= 8 else f"{texts[0]}, {texts[1]} ... {texts[-1]}"


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


def _field_comments(module: ModuleType, name: str) -> dict[str, str]:
    """The comment beside each field in the definition of the dtype `name`, by the name of the field.

    Raises:
        KeyError: if a field has no comment.
    """
    source = inspect.getsource(module)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {token.start[0]: token.string.removeprefix("# ") for token in tokens if token.type == tokenize.COMMENT}
    (rows,) = (
        node.value.args[0].elts  # type: ignore[attr-defined]  # np.dtype([...])
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )
    return {row.elts[0].value: comments[row.end_lineno] for row in rows}


if __name__ == "__main__":
    print(reference_page(), end="")
