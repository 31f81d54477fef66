"""`euchre-eval tournament`: each two of some players meet in a duplicate match."""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from euchre_env.files import replace_bytes, replace_text
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.command_line import INTERRUPTED, CommandError
from euchre_eval.commands.shared import add_workers, load_players, progress_bar
from euchre_eval.tournament import TournamentResult, play_tournament
from euchre_eval.tournament_folder import RESULT_FILE
from euchre_eval.tournament_page import PICTURES, page, paint
from euchre_eval.tournament_plan import Plan, read_plan

HELP: str = "each two of some players meet; ratings, a matrix and pictures; stopped, it goes on from there"
IN_PLAN = ("players", "deals", "rules", "seed", "anchor", "allow_cheating")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players or the plan, the folder, what is played, and the workers."""
    parser.add_argument("players", nargs="*", metavar="PLAYER", help="two or more; or --config")
    parser.add_argument("--config", type=Path, metavar="FILE", help="a plan (YAML) in place of the options below")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", required=True, help="where everything goes; the same command resumes"
    )
    parser.add_argument(
        "--page", type=Path, metavar="FILE", help="write the page here as well, its pictures into images/ beside it"
    )
    parser.add_argument("--deals", type=int, metavar="N", help="deals of each match, each played twice (default 20000)")
    parser.add_argument("--rules", nargs="+", metavar="RULES", help="house rules, one or more (default standard)")
    parser.add_argument("--seed", type=int, metavar="S", help="fixes everything (default 0)")
    parser.add_argument("--anchor", metavar="PLAYER", help="whose rating is 0 (default: the first player)")
    parser.add_argument(
        "--allow-cheating", action="store_true", default=None, help="seat players that are shown all cards, too"
    )
    add_workers(parser)


def run(options: Namespace) -> str:
    """Play the tournament, write its results, and return the page or the JSON."""
    plan = _plan(options)
    if options.page is not None and not options.page.parent.is_dir():
        raise ValueError(f"--page {options.page}: there is no folder {options.page.parent}")
    load_players(plan.players, reporting_seed(plan.seed), parse_rules(plan.rules[0]))  # names the one that fails
    with progress_bar() as progress:
        try:
            result = play_tournament(plan, options.out, workers=options.workers, progress=progress)
        except KeyboardInterrupt:
            raise CommandError("interrupted; the same command goes on from here", status=INTERRUPTED) from None
    _write(result, options.out / "result.md", options.out, "")
    replace_text(options.out / RESULT_FILE, json.dumps(result.as_json(), indent=1) + "\n")
    if options.page is not None:
        images = options.page.parent / "images"
        images.mkdir(exist_ok=True)
        _write(result, options.page, images, f"{options.page.stem}_")
    return json.dumps(result.as_json()) if options.json else page(result).rstrip("\n")


def _plan(options: Namespace) -> Plan:
    """The plan in the file, or the one that the options make."""
    given: dict[str, Any] = {
        name: getattr(options, name) for name in IN_PLAN if getattr(options, name) not in (None, [])
    }
    if options.config is None:
        given.setdefault("players", ())
        return Plan(**given)
    if given:
        names = ", ".join(name.replace("_", "-") for name in given)
        raise ValueError(f"--config {options.config} says what to play; leave out: {names}")
    try:
        return read_plan(options.config)
    except ImportError:
        raise CommandError(
            'PyYAML is not installed; `pip install "euchre-env[eval]"` installs what --config needs'
        ) from None


def _write(result: TournamentResult, file: Path, images: Path, prefix: str) -> None:
    """Write the page and its pictures; the page has none where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        print('note: no pictures, because matplotlib is missing; `pip install "euchre-env[plots]"`', file=sys.stderr)
        replace_text(file, page(result))
        return
    pictures = {name: images / f"{prefix}{name}.png" for name in PICTURES}
    for name, picture in pictures.items():
        replace_bytes(picture, paint(result, name))
    replace_text(
        file,
        page(result, {name: Path(os.path.relpath(each, file.parent)).as_posix() for name, each in pictures.items()}),
    )
