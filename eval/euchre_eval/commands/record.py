"""`euchre-eval record`: every decision of some deals as a file for NumPy."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from euchre_agents.loading import critic_folder
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import range_of_seed, reporting_seed, training_seed
from euchre_eval.commands.shared import (
    add_allow_cheating,
    add_rules_and_seed,
    add_workers,
    loaded_players,
)
from euchre_eval.dataset import record
from euchre_eval.seated_players import check_num_players

HELP: str = "every decision of some deals, with what followed, as a file for NumPy"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, the number of deals, the file, the range of the seed, the house rules and the workers."""
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="A and B; or A, B, C and D for seats 0 to 3")
    parser.add_argument("--deals", type=int, default=1000, metavar="N", help="deals, each played twice (default 1000)")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file to write, such as deals.npz")
    parser.add_argument(
        "--reporting", action="store_true", help="record the deals that matches have with the same seed"
    )
    add_allow_cheating(parser)
    add_rules_and_seed(parser, "a training seed, or with --reporting a reporting seed; fixes everything")
    add_workers(parser)


def run(options: Namespace) -> str:
    """Record the deals and return what was written, in words or as JSON."""
    check_num_players(len(options.players))
    if not options.out.parent.is_dir():  # before minutes of play
        raise ValueError(f"--out {options.out}: there is no folder {options.out.parent}")
    seed = reporting_seed(options.seed) if options.reporting else training_seed(options.seed)
    with loaded_players(options.players, seed, parse_rules(options.rules), options.workers) as (players, settings):
        decisions = record(
            *players,
            file=options.out,
            deals=options.deals,
            names=options.players,
            critics=[critic_folder(name) for name in options.players],
            allow_cheating=options.allow_cheating,
            **settings,
        )
    if options.json:
        return json.dumps(
            {
                "file": str(options.out),
                "decisions": decisions,
                "deals": options.deals,
                "seed": seed,
                "seed_range": range_of_seed(seed)[0],
                "seed_number": options.seed,
            }
        )
    return f"{options.out}: {decisions} decisions of {options.deals} deals x 2"
