"""`euchre-eval sayings`: what players say about the game, each saying measured by an experiment."""

import json
from argparse import ArgumentParser, Namespace

from euchre_eval.commands.shared import add_workers, progress_bar
from euchre_eval.sayings import SAYINGS, measure
from euchre_eval.sayings.page import tables
from euchre_eval.sayings.saying import figures_in

HELP: str = "what players say about the game, each saying measured by an experiment"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the name of the saying, the player, the number of deals, the seed and the workers."""
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"{', '.join(SAYINGS)}; without a name, all are listed")
    parser.add_argument("--player", default="ppo", metavar="PLAYER", help="plays at all seats (default ppo)")
    parser.add_argument("--deals", type=int, metavar="N", help="how many deals (default: enough for the saying)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="a reporting seed, fixes all (default 0)")
    add_workers(parser)


def run(options: Namespace) -> str:
    """Do the experiment and return its figures; without a name, list the sayings.

    Raises:
        ValueError: if there is no such saying or player, or an argument is invalid.
    """
    if options.name is None:
        listed = {saying.name: saying.claim for saying in SAYINGS.values()}
        return json.dumps(listed) if options.json else "\n".join(f"{name}: {claim}" for name, claim in listed.items())
    with progress_bar() as progress:
        result = measure(
            options.name,
            player=options.player,
            deals=options.deals,
            seed=options.seed,
            workers=options.workers,
            progress=progress,
        )
    if options.json:
        return json.dumps(result)
    saying = SAYINGS[options.name]
    head = f"{saying.title} {saying.claim}\n{saying.experiment}"
    played = f"{result['deals']:,} deals, player {result['player']}, rules {result['rules']}, seed {result['seed']}"
    return "\n\n".join(
        [head, *tables(result), saying.verdict(figures_in(result)), f"{played}, euchre-env {result['version']}"]
    )
