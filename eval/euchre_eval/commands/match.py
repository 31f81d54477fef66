"""`euchre-eval match`: a duplicate match between two players, or four."""

from argparse import ArgumentParser, Namespace

from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import (
    add_allow_cheating,
    add_rules_and_seed,
    add_workers,
    loaded_players,
    report_of,
)
from euchre_eval.match import play_match
from euchre_eval.seated_players import check_num_players

AGAINST_RANDOM = (
    "note: a result against random proves little: "
    "under standard, passer, which passes whenever it may, makes +0.85 points per deal against it"
)
HELP: str = "two players or four, every deal played twice with the teams swapped"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, the numbers of deals and games, the time limit, the house rules, the seed and the workers."""
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="A and B; or A, B, C and D for seats 0 to 3")
    parser.add_argument("--deals", type=int, default=4000, metavar="N", help="deals, each played twice (default 4000)")
    parser.add_argument(
        "--games",
        type=int,
        default=0,
        metavar="M",
        help="games as well, each played twice; the pair scores 0, 1/2 or 1 (default 0)",
    )
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="for each decision; later is a renege")
    parser.add_argument("--late", choices=("renege", "forfeit"), default="renege", help="what a late answer costs")
    add_allow_cheating(parser)
    add_rules_and_seed(parser)
    add_workers(parser)


def run(options: Namespace) -> str:
    """Play the match and return its result in words or as JSON."""
    check_num_players(len(options.players))
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    with loaded_players(options.players, seed, rules, options.workers) as (players, settings):
        result = play_match(
            *players,
            deals=options.deals,
            games=options.games,
            names=options.players,
            time_limit=options.time_limit,
            late=options.late,
            allow_cheating=options.allow_cheating,
            **settings,
        )
    report = report_of(result, options)
    return f"{report}\n{AGAINST_RANDOM}" if "random" in options.players and not options.json else report
