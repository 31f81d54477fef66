"""`euchre-eval tune-rules`: the numbers of the rule-based player, swept by duplicate matches against `rules`."""

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from euchre_env.files import replace_text
from euchre_eval.commands.shared import add_rules_and_seed, add_workers
from euchre_eval.rule_sweep import sweep, sweep_page

HELP: str = "sweep the numbers of the rule-based player, each judged against rules"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the sizes of the matches, the folder to write to, the house rules, the seed and the workers."""
    parser.add_argument(
        "--pairs", type=int, default=20_000, metavar="N", help="deals of each candidate, each twice (default 20000)"
    )
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="passes over all numbers (default 2)")
    parser.add_argument(
        "--confirming-pairs",
        type=int,
        default=100_000,
        metavar="N",
        help="reporting deals of what is found, under each preset, each twice (default 100000)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write the record and the page, called rules_tuned, here"
    )
    add_rules_and_seed(parser)
    add_workers(parser)


def run(options: Namespace) -> str:
    """Sweep, write the record and the page if there is a folder for them, and return what was found.

    The seed is one of tuning (`random_streams.tuning_seed`), so no reported match has these deals.

    Raises:
        ValueError: if an argument is invalid.
    """
    if options.out is not None and not options.out.is_dir():  # before minutes of play
        raise ValueError(f"--out {options.out}: there is no such folder")
    result = sweep(
        pairs=options.pairs,
        rounds=options.rounds,
        confirming_pairs=options.confirming_pairs,
        seed=options.seed,
        rules=options.rules,
        workers=options.workers,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    words = [f"--pairs {options.pairs} --rounds {options.rounds} --confirming-pairs {options.confirming_pairs}"]
    words.append(f"--rules {options.rules} --seed {options.seed}")
    record = {"command": f"euchre-eval tune-rules {' '.join(words)}", **result.as_json()}
    text = json.dumps(record, indent=1)
    if options.out is not None:
        replace_text(options.out / "rules_tuned.json", f"{text}\n")
        replace_text(options.out / "rules_tuned.md", sweep_page(json.loads(text)))
    if options.json:
        return text
    lines = [f"{name}: {value}" for name, value in result.numbers.as_dict().items()]
    lines += [f"against rules under {preset}: {points}" for preset, points in result.confirmed.items()]
    return "\n".join(lines)
