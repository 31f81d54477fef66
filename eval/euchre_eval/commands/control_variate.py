"""`euchre-eval control-variate`: a match, corrected by a cheap match on the same deals and on more."""

from argparse import ArgumentParser, Namespace

from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import (
    add_allow_cheating,
    add_rules_and_seed,
    add_workers,
    load_players,
    loaded_players,
    player_makers,
    report_of,
)
from euchre_eval.control_variate import corrected_match
from euchre_eval.seated_players import check_num_players

HELP: str = "a match with less noise, corrected by a cheap match on the same deals and on more"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, the surrogates, the numbers of deals, the house rules, the seed and the workers."""
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="A and B; or A, B, C and D for seats 0 to 3")
    parser.add_argument(
        "--surrogates",
        nargs="+",
        required=True,
        metavar="PLAYER",
        help="two or four cheap players who differ on a deal as the players do, such as rules and ppo for pimc and ppo",
    )
    parser.add_argument("--deals", type=int, default=4000, metavar="N", help="deals, each played twice (default 4000)")
    parser.add_argument(
        "--more-deals", type=int, metavar="M", help="further deals of the surrogates alone (default ten times N)"
    )
    add_allow_cheating(parser)
    add_rules_and_seed(parser)
    add_workers(parser)


def run(options: Namespace) -> str:
    """Play both matches and return the corrected result in words or as JSON."""
    for names in (options.players, options.surrogates):
        check_num_players(len(names))
    seed, rules = reporting_seed(options.seed), parse_rules(options.rules)
    with loaded_players(options.players, seed, rules, options.workers) as (players, settings):
        result = corrected_match(
            players,
            load_players(options.surrogates, seed, rules),
            deals=options.deals,
            more_deals=options.more_deals,
            names=options.players,
            surrogate_names=options.surrogates,
            allow_cheating=options.allow_cheating,
            surrogate_makers=player_makers(options.surrogates, seed, rules),
            **settings,
        )
    return report_of(result, options)
