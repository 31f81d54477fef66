"""Measure what docs/results.md shows and is not recorded yet, then write the page: `make results` runs this.

The list is report/results.yaml, the records are docs/results/NAME.json. Stopped at any moment, it goes on where it
was: a measurement that is done has its record. No result is ever chosen: what has a current record is not played again,
except by --redo, and then the new result takes its place.
"""

import argparse
import sys
from pathlib import Path

from euchre_env.checks import did_you_mean
from euchre_eval.provenance import git_commit
from report.measurements import Measurement, read_plan
from report.page import write_page
from report.records import ROOT, MissingSourceError, Record, measure, read_records, write_record


def main(arguments: list[str] | None = None) -> int:
    """Measure what is missing, write the records and the page, and return the exit status.

    0, or 1 if a measurement has failed, 130 after Ctrl-C; the page is written in any case. What waits for a training or
    a benchmark is named, with the command that makes it.
    """
    parser = argparse.ArgumentParser(
        prog="python -m report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--redo", nargs="+", default=[], metavar="NAME", help="measure these again")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure no others")
    parser.add_argument("--page", action="store_true", help="write the page from the records, and measure nothing")
    parser.add_argument("--plan", type=Path, default=ROOT / "report" / "results.yaml", help="the list of measurements")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where the page and the records are")
    options = parser.parse_args(arguments)
    plan, folder = read_plan(options.plan), options.docs / "results"
    for name in (*options.redo, *(options.only or [])):
        if name not in plan.measurements:
            parser.error(f"there is no measurement {name!r}{did_you_mean(name, plan.measurements)}")
    records = read_records(folder)
    trainings = {str(each.source): each for each in plan.measurements.values() if each.is_training}
    commit, waiting, failed = git_commit(), list[str](), list[str]()
    try:
        for name, measurement in plan.measurements.items():
            if options.page or (options.only is not None and name not in options.only):
                continue
            if name in options.redo or not _is_done(records.get(name), measurement):
                try:
                    records[name] = measure(measurement, trainings, commit, _say)
                except MissingSourceError as error:
                    waiting.append(f"{name} waits: {error}")
                    continue
                except (RuntimeError, ValueError) as error:
                    failed.append(f"{name} failed: {error}")
                    continue
                write_record(folder, name, records[name])
    except KeyboardInterrupt:
        _say("interrupted; what was measured is recorded")
        return 130
    finally:
        ordered = {name: records[name] for name in plan.measurements if name in records}
        write_page(plan, ordered, options.docs)
    for line in (*waiting, *failed):
        _say(line)
    return 1 if failed else 0


def _is_done(record: Record | None, measurement: Measurement) -> bool:
    return record is not None and record.is_current(measurement, with_runs=True)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
