"""`euchre-eval puzzles`: positions with a known best action, put to players or to people."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from euchre_env import __version__, view_text
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.random_streams import reporting_seed, tuning_seed
from euchre_eval.command_line import CommandError
from euchre_eval.commands.shared import add_rules_and_seed, add_workers, load_players, progress_bar
from euchre_eval.playing import CountUp
from euchre_eval.puzzle_finder import find_puzzles
from euchre_eval.puzzle_values import NUM_WORLDS, PLAYERS, Figures, check_puzzle
from euchre_eval.puzzles import (
    SHIPPED_PUZZLES,
    THEMES,
    Answer,
    Puzzle,
    ask_puzzles,
    chosen_puzzles,
    read_puzzles,
    write_puzzles,
)
from euchre_eval.workers import Tick, check_workers, do_parts

HELP: str = "positions with a known best action, put to players"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, the file of puzzles, and what else can be done with it."""
    parser.description = (
        "Ask players for the best action of each puzzle, or list the puzzles if no player is named. docs/puzzles.md "
        "says what the puzzles are and how their answers are known."
    )
    parser.add_argument("players", nargs="*", metavar="PLAYER")
    parser.add_argument("--file", type=Path, metavar="FILE", help="a file of puzzles (default: those of the package)")
    tasks = parser.add_mutually_exclusive_group()
    tasks.add_argument("--show", metavar="ID", help="print what the seat to act sees in this puzzle")
    tasks.add_argument(
        "--check",
        nargs="*",
        metavar="ID",
        help=f"compute the figures of these puzzles, or of all, with {NUM_WORLDS:,} worlds, and say which do not hold",
    )
    tasks.add_argument(
        "--find", type=int, metavar="N", help="write candidates from N simulated deals to a new file, given as --file"
    )
    parser.add_argument("--answer", action="store_true", help="with --show, print the best action and the reason too")
    parser.add_argument("--write", action="store_true", help="with --check, write the figures to the file of puzzles")
    add_workers(parser)
    add_rules_and_seed(parser)
    parser.set_defaults(rules=None, seed=None)  # so that `run` sees which were given


NEEDS = {
    "answer": (("show",), "--answer needs --show ID"),
    "write": (("check",), "--write needs --check"),
    "workers": (("check",), "--workers needs --check; nothing else here shares its work"),
    "rules": (("find",), "--rules needs --find; every puzzle has house rules of its own"),
    "seed": (("players", "find"), "--seed needs a player or --find; nothing else here is random"),
}
"""By option: the options of which it needs one, and what to say without."""


def run(options: Namespace) -> str:
    """Ask the players, or do what an option says, and return the report in words or as JSON."""
    if options.players and (options.show, options.check, options.find) != (None, None, None):
        raise ValueError("--show, --check and --find take no player")
    given = {name for name, value in vars(options).items() if value is not None and value is not False}
    given -= set() if options.players else {"players"}
    for name, (needed, message) in NEEDS.items():
        if name in given and given.isdisjoint(needed):
            raise ValueError(message)
    options.rules, options.seed = options.rules or "standard", options.seed or 0
    if options.find is not None:
        return _find(options)
    file = options.file or SHIPPED_PUZZLES
    puzzles = read_puzzles(file)
    if options.show is not None:
        return _show(chosen_puzzles(puzzles, [options.show])[0], options)
    if options.check is not None:
        return _check(puzzles, chosen_puzzles(puzzles, options.check), file, options)
    return _ask(puzzles, options) if options.players else _list(puzzles, as_json=options.json)


# Asking players


def _ask(puzzles: Sequence[Puzzle], options: Namespace) -> str:
    seed, answers = reporting_seed(options.seed), dict[str, list[Answer]]()
    with progress_bar() as progress:
        for name in options.players:
            answers[name] = ask_puzzles(partial(_load, name, seed), name, puzzles, seed, progress)
    if options.json:
        players = {name: _answers_as_json(own) for name, own in answers.items()}
        return json.dumps({"players": players, "puzzles": len(puzzles), "seed": seed, "version": __version__})
    return _table(answers) + f"\n{len(puzzles)} puzzles, seed {seed}, euchre-env {__version__}"


def _load(name: str, seed: int, rules: HouseRules) -> Any:
    return load_players([name], seed, rules)[0]


def _answers_as_json(answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        "solved": sum(answer.is_solved for answer in answers),
        "reneges": sum(answer.action is None for answer in answers),
        "themes": {theme: _count([a for a in answers if a.puzzle.theme == theme]) for theme in _themes_of(answers)},
        "answers": [
            {
                "id": answer.puzzle.id,
                "action": answer.action,
                "best": list(answer.puzzle.best),
                "solved": answer.is_solved,
                **({} if answer.renege is None else {"renege": answer.renege}),
            }
            for answer in answers
        ],
    }


def _count(answers: Sequence[Answer]) -> dict[str, int]:
    return {"solved": sum(answer.is_solved for answer in answers), "puzzles": len(answers)}


def _themes_of(answers: Sequence[Answer]) -> list[str]:
    present = {answer.puzzle.theme for answer in answers}
    return [theme for theme in THEMES if theme in present]


def _table(answers: dict[str, list[Answer]]) -> str:
    """Solved puzzles by theme and player; then the ids of those that each player missed."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    (first, *_) = answers.values()
    rows = Table("theme", box=box.SIMPLE_HEAD)
    rows.add_column("puzzles", justify="right")
    for name in answers:
        rows.add_column(Text(name), justify="right")
    themes = _themes_of(first)
    for theme in [*themes, None]:
        counts = [_count([a for a in own if theme in (None, a.puzzle.theme)]) for own in answers.values()]
        solved = [str(count["solved"]) for count in counts]
        rows.add_row(theme or "all", str(counts[0]["puzzles"]), *solved, end_section=theme == themes[-1])
    text = "".join(segment.text for segment in Console(width=140).render(rows))
    lines = [line.rstrip() for line in text.splitlines()]
    for name, own in answers.items():
        missed = [answer.puzzle.id for answer in own if not answer.is_solved]
        lines.append(f"{name} missed: {', '.join(missed) or 'none'}")
        lines += [f"{name} reneged in {answer.puzzle.id}: {answer.renege}" for answer in own if answer.action is None]
    return "\n".join(lines)


# Listing and showing


def _list(puzzles: Sequence[Puzzle], *, as_json: bool) -> str:
    if as_json:
        return json.dumps({"puzzles": [puzzle.as_json() for puzzle in puzzles]})
    lines = []
    for theme, meaning in THEMES.items():
        ids = [puzzle.id for puzzle in puzzles if puzzle.theme == theme]
        if ids:
            lines += [f"{theme}: {meaning}", f"    {', '.join(ids)}"]
    return "\n".join([*lines, f"{len(puzzles)} puzzles; `euchre-eval puzzles --show ID` prints one"])


def _show(puzzle: Puzzle, options: Namespace) -> str:
    if options.json:
        values = {**puzzle.as_json(), "view": view_text(puzzle.view)}
        hidden = () if options.answer else ("position", "best", "reason", "figures")
        return json.dumps({name: value for name, value in values.items() if name not in hidden})
    lines = [f"Puzzle {puzzle.id}, {puzzle.theme}: {THEMES[puzzle.theme]}.", "", view_text(puzzle.view)]
    if options.answer:
        lines += ["", f"Best: {' or '.join(puzzle.best)}. {puzzle.reason}", *_figures_in_words(puzzle)]
    return "\n".join(lines)


def _figures_in_words(puzzle: Puzzle) -> list[str]:
    """What the check of a puzzle found, in lines."""
    figures, lines = puzzle.figures, list[str]()
    if "solved" in figures:
        solved = figures["solved"]
        lines.append(
            f"In none of the {solved['worlds']:,} deals that agree with the view is another action worth more with all "
            f"cards open; in {solved['worlds_where_others_lose']:,} each other one loses points."
        )
    for player in PLAYERS:
        if player in figures:
            points = sorted(figures[player]["points"].items(), key=lambda item: -item[1][0])
            values = ", ".join(f"{name} {mean:+.2f}" for name, (mean, _) in points)
            lines.append(f"Points if {player} plays on, over {figures['worlds']:,} deals: {values}.")
    return lines


# Checking and finding


def _check(puzzles: list[Puzzle], chosen: Sequence[Puzzle], file: Path, options: Namespace) -> str:
    """Compute the figures of the chosen puzzles; write them after each, if asked, so that an interrupt loses little."""

    def keep(puzzle: Puzzle, figures: Figures) -> None:
        places[puzzle.id] = replace(puzzle, figures=figures.as_json())
        if options.write:
            write_puzzles(list(places.values()), file)

    places = {puzzle.id: puzzle for puzzle in puzzles}
    with progress_bar() as progress:
        count = CountUp(progress, {CHECKED: len(chosen)})
        found = do_parts(check_part, chosen, workers=check_workers(options.workers), progress=count, on_result=keep)
    faults = {figures.puzzle.id: figures.fault for figures in found if figures.fault is not None}
    if faults:
        listed = "; ".join(f"{one}: {fault}" for one, fault in faults.items())
        raise CommandError(f"{len(faults)} of {len(found)} puzzles do not hold: {listed}")
    changed = [puzzle.id for puzzle in chosen if places[puzzle.id].figures != puzzle.figures]
    if options.json:
        checked = [puzzle.id for puzzle in chosen]
        return json.dumps({"file": str(file), "checked": checked, "changed": changed, "written": options.write})
    if options.write or not changed:
        return f"{file}: {len(found)} puzzles hold, their figures are up to date"
    return f"{file}: {len(found)} puzzles hold, but --write would change the figures of {', '.join(changed)}"


CHECKED = "checked puzzles"


def check_part(puzzle: Puzzle, tick: Tick) -> Figures:
    """`check_puzzle` as work that several processes may share; the tick counts puzzles."""
    figures = check_puzzle(puzzle, tick=partial(tick, "", 0))
    tick(CHECKED, 1)
    return figures


def _find(options: Namespace) -> str:
    if options.file is None or options.file.exists():
        raise ValueError("--find needs --file with the name of a new file")
    if not options.file.parent.is_dir():  # before minutes of work
        raise ValueError(f"--file {options.file}: there is no folder {options.file.parent}")
    if options.find < 1:
        raise ValueError(f"--find takes a positive number of deals, not {options.find}")
    found = list[Puzzle]()
    with progress_bar() as progress:
        for candidate in find_puzzles(options.find, tuning_seed(options.seed), parse_rules(options.rules), progress):
            found.append(candidate)
            write_puzzles(found, options.file)
    if options.json:
        return json.dumps({"file": str(options.file), "candidates": len(found)})
    return f"{options.file}: {len(found)} candidates; write their reasons, then check them with --check --write --file"
