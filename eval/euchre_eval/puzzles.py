"""Puzzles: positions with a known best action, the file that holds them, and asking a player for its answers.

A position is stored as a deal text, which names all cards. A player is shown the view of the seat to act alone, so the
text is one of many deals that agree with the view, and which one it is does not matter.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from euchre_agents.policy import Player
from euchre_env.actions import actions_in, phrase
from euchre_env.checks import did_you_mean, shortened
from euchre_env.deal import PHASES, Seat
from euchre_env.deal_text import parse_deal_text
from euchre_env.files import naming, replace_text
from euchre_env.house_rules import HouseRules
from euchre_env.lockstep import RENEGE
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import View
from euchre_eval.match_player import MatchPlayer
from euchre_eval.playing import Progress

SHIPPED_PUZZLES = Path(__file__).with_name("puzzles.json")
COMMAND = "euchre-eval puzzles --check --write"

THEMES = {
    "partner deals": "the upcard would go to the partner's hand",
    "their deal": "the upcard would go to an opponent's hand",
    "own deal": "the dealer may take the upcard itself",
    "next": "eldest hand's team names the other suit of the upcard's colour, which the dealer's team turned down",
    "second round": "a suit other than next, or no suit, after the upcard was turned down",
    "stick the dealer": "the dealer must name a suit",
    "going alone": "whether to play without the partner",
    "Benny": "the two of spades is the highest trump",
    "defending alone": "whether to play against a loner without the partner",
    "discard": "which card the dealer puts away for the upcard",
    "makers lead": "the lead of a maker or of its partner",
    "defenders lead": "the lead of a defender",
    "against a loner": "the cards of a defender against a lone maker",
    "partner's trick": "the partner has the best card so far",
    "their trick": "an opponent has the best card so far",
    "counting trump": "the lead with two or three cards left, which depends on the cards that are still out",
}
"""The themes, each with what the seat has to decide."""

PROOFS = ("every world", "played out")
"""How the best action of a puzzle is known; see `puzzle_values`."""

FIELDS = ("id", "theme", "rules", "seat", "position", "best", "reason", "proof")


@dataclass(frozen=True)
class Puzzle:
    """A position with its best actions.

    Raises:
        ValueError: if a value is invalid; the message names the puzzle.
    """

    id: str
    """A short name, unique in its file."""
    theme: str
    """One of `THEMES`."""
    position: str
    """A deal text with a seat to act: one of the deals that agree with the view of this seat."""
    best: tuple[str, ...]
    """The best actions, as `euchre_env.actions.phrase` names them; some legal action is none of them."""
    reason: str
    """Why, in words for players."""
    proof: str
    """One of `PROOFS`."""
    figures: dict[str, Any] = field(default_factory=dict)
    """What the check found, as `puzzle_values.Figures.as_json`; empty before the first check."""

    def __post_init__(self) -> None:
        if self.theme not in THEMES:
            self._refuse(f"theme {shortened(self.theme)} is unknown{did_you_mean(self.theme, THEMES)}")
        if self.proof not in PROOFS:
            self._refuse(f"proof must be one of {', '.join(PROOFS)}, not {shortened(self.proof)}")
        try:
            table = self.table
        except ValueError as error:
            raise ValueError(f"puzzle {self.id!r}: {error}") from error
        if table.is_over or table.last_deal is not None:
            self._refuse("its position has no seat to act")
        missing = [name for name in self.best if name not in self.legal]
        if missing or not self.best or len(set(self.best)) == len(self.legal):
            legal = ", ".join(self.legal)
            self._refuse(f"best must be some of the legal actions ({legal}), but not all, not {list(self.best)}")

    def _refuse(self, fault: str) -> None:
        raise ValueError(f"puzzle {self.id!r}: {fault}")

    @cached_property
    def table(self) -> Table:
        """The position on a table; not to be changed."""
        return parse_deal_text(self.position)

    @property
    def rules(self) -> HouseRules:
        """The house rules."""
        return self.table.rules

    @property
    def seat(self) -> Seat:
        """The seat to act."""
        return int(self.table.deal.turn)

    @property
    def phase(self) -> str:
        """The phase, such as "FIRST_ROUND"."""
        return PHASES[int(self.table.deal.phase)]

    @property
    def view(self) -> View:
        """What the seat to act knows."""
        return self.table.view()

    @cached_property
    def legal(self) -> dict[str, int]:
        """The ids of the legal actions by their names."""
        return {phrase(action, self.phase): action for action in actions_in(int(self.view["legal"]))}

    @property
    def best_actions(self) -> list[int]:
        """The ids of the best actions."""
        return [self.legal[name] for name in self.best]

    def as_json(self) -> dict[str, Any]:
        """The puzzle as values for `json.dumps`."""
        return {
            "id": self.id,
            "theme": self.theme,
            "rules": str(self.rules),
            "seat": self.seat,
            "position": self.position,
            "best": list(self.best),
            "reason": self.reason,
            "proof": self.proof,
            "figures": self.figures,
        }


def read_puzzles(file: Path = SHIPPED_PUZZLES) -> list[Puzzle]:
    """The puzzles of a file, those of the package by default.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it holds no puzzles, or an invalid one; the message names the file.
    """
    try:
        with naming(file):
            content = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or not isinstance(content.get("puzzles"), list) or not content["puzzles"]:
            raise ValueError('a file of puzzles is a JSON object with a list "puzzles" that is not empty')
        puzzles = [_from_json(number, values) for number, values in enumerate(content["puzzles"])]
        seen = set[str]()
        for puzzle in puzzles:
            if puzzle.id in seen:
                raise ValueError(f"puzzle {puzzle.id!r} is there twice")
            seen.add(puzzle.id)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    return puzzles


def _from_json(number: int, values: Any) -> Puzzle:
    if not isinstance(values, dict) or not isinstance(values.get("id"), str):
        raise ValueError(f"puzzle {number} must be an object with an id, not {shortened(values)}")
    lacking = [name for name in FIELDS if name not in values]
    if lacking:
        raise ValueError(f"puzzle {values['id']!r} lacks {', '.join(lacking)}")
    for name in ("theme", "position", "reason", "proof"):
        if not isinstance(values[name], str):
            raise ValueError(f"puzzle {values['id']!r}: its {name} must be text, not {shortened(values[name])}")
    if not isinstance(values["best"], list) or not all(isinstance(said, str) for said in values["best"]):
        raise ValueError(f"puzzle {values['id']!r}: best must be a list of names, not {shortened(values['best'])}")
    puzzle = Puzzle(
        values["id"],
        values["theme"],
        values["position"],
        tuple(values["best"]),
        values["reason"],
        values["proof"],
        values.get("figures", {}),
    )
    for name, expected in (("rules", str(puzzle.rules)), ("seat", puzzle.seat)):
        if values[name] != expected:
            came = shortened(values[name])
            raise ValueError(f"puzzle {puzzle.id!r}: its {name} must be {expected}, as in its position, not {came}")
    return puzzle


def write_puzzles(puzzles: Sequence[Puzzle], file: Path) -> None:
    """Write puzzles to `file`, which is replaced at once; raises OSError if it cannot be written."""
    content = {
        "about": "Positions with a known best action; docs/puzzles.md explains them. A position names one of the deals "
        "that agree with what the seat to act sees; the other hands do not matter.",
        "figures_by": COMMAND,
        "puzzles": [puzzle.as_json() for puzzle in puzzles],
    }
    replace_text(file, f"{json.dumps(content, indent=1)}\n")


def chosen_puzzles(puzzles: Sequence[Puzzle], ids: Sequence[str]) -> list[Puzzle]:
    """The puzzles with these ids, in this order; all if there are none.

    Raises:
        ValueError: if there is no such puzzle.
    """
    by_id = {puzzle.id: puzzle for puzzle in puzzles}
    for one in ids:
        if one not in by_id:
            raise ValueError(f"there is no puzzle {one!r}{did_you_mean(one, by_id)}")
    return [by_id[one] for one in ids] or list(puzzles)


@dataclass(frozen=True)
class Answer:
    """What a player did in one puzzle."""

    puzzle: Puzzle
    action: str | None
    """The name of its action; None if it reneged."""
    renege: str | None = None
    """How it reneged, if it did."""

    @property
    def is_solved(self) -> bool:
        """Whether the action is one of the best."""
        return self.action in self.puzzle.best


def ask_puzzles(
    make_player: Callable[[HouseRules], Player],
    name: str,
    puzzles: Sequence[Puzzle],
    seed: int,
    progress: Progress = lambda _what, _done, _total: None,
) -> list[Answer]:
    """The answers of a player, which sees what the seat to act sees and nothing else.

    A player that is not stateless answers each puzzle as a fresh copy, so it brings nothing from one to the next, and
    nothing from the deal before the position either. An exception or an illegal answer is a renege.

    Args:
        make_player: makes the player for given house rules; called once for each house rules of the puzzles.
        name: its name in messages.
        puzzles: the puzzles to ask.
        seed: fixes the random numbers of the player.
        progress: called with a text, the number of puzzles done and that of all.

    Raises:
        TypeError: if it is no player.
        ValueError: if it sees all cards, or cannot be copied.
    """
    players, answers = dict[HouseRules, MatchPlayer](), list[Answer]()
    for number, puzzle in enumerate(puzzles):
        progress(f"{name} answers", number, len(puzzles))
        if puzzle.rules not in players:
            players[puzzle.rules] = MatchPlayer(make_player(puzzle.rules), name, seed)
        player = players[puzzle.rules]
        tables = Tables(positions=[puzzle.position], seed=number)  # the number differs, so that random choices do
        try:
            player.prepare(number)
            player.start_deal(puzzle.seat, tables)
            (action,) = player.answer(tables, np.array([0])).tolist()
        finally:
            player.release()
        reneges = player.take_reneges()
        names = {action: said for said, action in puzzle.legal.items()}
        answers.append(Answer(puzzle, None if action == RENEGE else names[action], reneges.first))
    return answers
