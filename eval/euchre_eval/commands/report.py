"""`euchre-eval report`: the result of a match or of a tournament as one HTML file, for people who only want to look."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from euchre_env.files import replace_bytes
from euchre_eval.command_line import CommandError
from euchre_eval.saved_results import read_result

HELP: str = "the result of a match or of a tournament as one HTML file, with the deals that swung most"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the result and the file to write."""
    parser.description = (
        "Write a page that stands alone: it loads nothing, runs no script, and reads well on a phone. It shows the "
        "result with its intervals, the house rules in sentences, every setting, and the deals that swung most, which "
        "are dealt again from the seed, played again and checked."
    )
    parser.add_argument(
        "result", type=Path, metavar="RESULT", help="what `match --json` printed, or the folder of a tournament"
    )
    parser.add_argument("out", type=Path, metavar="OUT.html", help="the file to write")


def run(options: Namespace) -> str:
    """Write the page and say where."""
    try:
        from euchre_eval.report_page import report_page  # imports Jinja
    except ModuleNotFoundError as error:
        message = f'{error.name} is not installed; `pip install "euchre-env[eval]"` installs what a report needs'
        raise CommandError(message) from None
    if not options.out.parent.is_dir():
        raise ValueError(f"{options.out}: there is no folder {options.out.parent}")
    page = report_page(read_result(options.result)).encode("utf-8", "replace")  # names may hold what UTF-8 cannot
    replace_bytes(options.out, page)
    if options.json:
        return json.dumps({"file": str(options.out), "bytes": len(page)})
    return f"{options.out}: {len(page):,} bytes"
