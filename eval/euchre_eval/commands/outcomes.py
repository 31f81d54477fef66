"""`euchre-eval outcomes`: how deals between four copies of a player come out, under every preset."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np

from euchre_agents.outcomes import KINDS, THROWN_IN, OutcomeCounts, points_of_outcomes
from euchre_env import __version__
from euchre_env.files import replace_text
from euchre_env.house_rules import PRESETS
from euchre_env.random_streams import training_seed
from euchre_eval.commands.shared import add_workers, loaded_players
from euchre_eval.outcome_counts import count_outcomes
from euchre_eval.provenance import git_commit

HELP: str = "how deals between four copies of a player come out, for the win probabilities of games"
ENDS_OF_SECTIONS = (len(KINDS) - 1, 2 * len(KINDS) - 1, THROWN_IN)  # of the report


def add_arguments(parser: ArgumentParser) -> None:
    """Add the player, the number of deals, the seed, the file to write and the workers."""
    parser.add_argument("player", metavar="PLAYER")
    parser.add_argument(
        "--deals", type=int, default=200_000, metavar="N", help="deals under each preset (default 200000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="a training seed, fixes all (default 0)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the counts here as well, as JSON")
    add_workers(parser)


def run(options: Namespace) -> str:
    """Count the outcomes, write them to the file if there is one, and return them as a table or as JSON."""
    if options.out is not None and not options.out.parent.is_dir():  # before minutes of play
        raise ValueError(f"--out {options.out}: there is no folder {options.out.parent}")
    seed, commit, counts = training_seed(options.seed), git_commit(), dict[str, tuple[int, ...]]()
    for preset, rules in PRESETS.items():
        under = f" under {preset}"
        with loaded_players([options.player], seed, rules, options.workers, where=under) as ((player,), settings):
            counted = count_outcomes(player, deals=options.deals, name=options.player, **settings)
        counts[preset] = tuple(counted.tolist())
    result = OutcomeCounts(options.player, options.deals, options.seed, __version__, commit, counts)
    text = json.dumps(result.as_json(), indent=1)
    if options.out is not None:
        replace_text(options.out, f"{text}\n")
    return text if options.json else _report(result)


def _report(counts: OutcomeCounts) -> str:
    """The share of each outcome under each preset, and the advantage of the dealer's team."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table("", box=box.SIMPLE_HEAD)
    for preset in PRESETS:
        table.add_column(preset, justify="right")
    shares = np.array([counts.shares(rules) for rules in PRESETS.values()]).T
    makers = [f"{makers}: {kind}" for makers in ("dealer's team", "other team") for kind in KINDS]
    for outcome, name in enumerate([*makers, "thrown in"]):
        table.add_row(name, *(f"{share:.2%}" for share in shares[outcome]), end_section=outcome in ENDS_OF_SECTIONS)
    advantages = [points_of_outcomes(rules) @ shares[:, place] for place, rules in enumerate(PRESETS.values())]
    table.add_row("dealer's team, points per deal", *(f"{points:+.3f}" for points in advantages))
    lines = "".join(segment.text for segment in Console(width=140).render(table))
    played = f"four copies of {counts.player}, {counts.deals} deals under each preset, training seed {counts.seed}"
    return f"{lines}{played}, euchre-env {counts.version}"
