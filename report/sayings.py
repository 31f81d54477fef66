"""Measure the sayings that docs/sayings.md shows and that are not recorded yet, then write the page: `make sayings`.

The list is `euchre_eval.sayings.SAYINGS`: each saying is measured with each of its players. The records are
docs/sayings/NAME_PLAYER.json. Stopped at any moment, it goes on where it was, and no result is ever chosen: what has a
current record is not measured again, except by --redo, and then the new result takes its place.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from euchre_env.checks import did_you_mean
from euchre_env.files import replace_bytes, replace_text
from euchre_eval.provenance import git_commit
from euchre_eval.sayings import SAYINGS
from euchre_eval.sayings.page import Measured, page, picture, picture_file
from report.measurements import Measurement
from report.records import ROOT, Record, measure, read_records, write_record

MEASUREMENTS: dict[str, Measurement] = {
    name: Measurement(name, f"euchre-eval sayings {saying.name} --player {player} --deals {saying.deals}")
    for saying in SAYINGS.values()
    for player in saying.players
    for name in (f"{saying.name}_{player}",)
}
"""By name, in the order of the page."""


def main(arguments: list[str] | None = None) -> int:
    """Measure what is missing, write the records, the page and its pictures, and return the exit status.

    0, or 1 if a measurement has failed, 130 after Ctrl-C; the page is written in any case.
    """
    parser = argparse.ArgumentParser(
        prog="python -m report.sayings", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--redo", nargs="+", default=[], metavar="NAME", help="measure these again")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure no others")
    parser.add_argument("--page", action="store_true", help="write the page from the records, and measure nothing")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the page and the records are")
    options = parser.parse_args(arguments)
    for name in (*options.redo, *(options.only or [])):
        if name not in MEASUREMENTS:
            parser.error(f"there is no measurement {name!r}{did_you_mean(name, MEASUREMENTS)}")
    folder = options.docs / "sayings"
    records, commit, failed = read_records(folder), git_commit(), False
    try:
        for name, measurement in MEASUREMENTS.items():
            record = records.get(name)
            is_done = record is not None and record.is_current(measurement, with_runs=True)
            is_wanted = options.only is None or name in options.only
            if options.page or not is_wanted or (is_done and name not in options.redo):
                continue
            try:
                records[name] = measure(measurement, {}, commit, _say)
            except RuntimeError as error:
                _say(f"{name} failed: {error}")
                failed = True
                continue
            write_record(folder, name, records[name])
    except KeyboardInterrupt:
        _say("interrupted; what was measured is recorded")
        return 130
    finally:
        write_page(records, options.docs)
    return 1 if failed else 0


def page_of(records: Mapping[str, Record]) -> str:
    """The page of the records of `MEASUREMENTS`."""
    measured = {
        saying.name: [
            Measured(
                records[name].command,
                records[name].result,
                records[name].is_current(MEASUREMENTS[name], with_runs=False),
            )
            for player in saying.players
            if (name := f"{saying.name}_{player}") in records
        ]
        for saying in SAYINGS.values()
    }
    return page(SAYINGS, measured)


def pictures_of(records: Mapping[str, Record]) -> dict[str, bytes]:
    """The pictures of the page by their files, each of the first player of a saying that has been measured."""
    pictures: dict[str, bytes] = {}
    for saying in SAYINGS.values():
        names = [name for player in saying.players if (name := f"{saying.name}_{player}") in records]
        if saying.picture is not None and names:
            pictures[picture_file(saying.name)] = picture(saying, records[names[0]].result)
    return pictures


def write_page(records: Mapping[str, Record], docs: Path) -> None:
    """Write the page and its pictures in the folder `docs`."""
    (docs / "images").mkdir(exist_ok=True)
    for file, content in pictures_of(records).items():
        replace_bytes(docs / "images" / file, content)
    replace_text(docs / "sayings.md", page_of(records))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
