"""`euchre-eval cross-play`: players of separate trainings as each other's opponents and partners."""

from argparse import ArgumentParser, Namespace

from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import add_rules_and_seed, add_workers, loaded_players, report_of
from euchre_eval.cross_matches import cross_play

HELP: str = "several players as each other's opponents and as each other's partners"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, their common opponent, the number of deals, the house rules, the seed and the workers."""
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="two or more, such as runs with other seeds")
    parser.add_argument(
        "--against", default="rules", metavar="PLAYER", help="common opponent of all partners (default rules)"
    )
    parser.add_argument(
        "--deals", type=int, default=4000, metavar="N", help="deals of each match, each played twice (default 4000)"
    )
    add_rules_and_seed(parser)
    add_workers(parser)


def run(options: Namespace) -> str:
    """Play the matches and return their results in words or as JSON."""
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    names = [*options.players, options.against]
    with loaded_players(names, seed, rules, options.workers) as ((*players, opponent), settings):
        result = cross_play(players, opponent, deals=options.deals, names=names, **settings)
    return report_of(result, options)
