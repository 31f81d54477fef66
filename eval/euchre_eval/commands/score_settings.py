"""`euchre-eval score-settings`: where the score of a game should decide, found by games against the network alone."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from euchre_agents.score_player import LIMIT, MARGIN, ScorePlayer
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import tuning_seed
from euchre_eval.commands.shared import add_rules_and_seed, add_workers, load_players, progress_bar
from euchre_eval.intervals import Share, without_nan
from euchre_eval.match import play_match

HELP: str = "games of a score-aware player against its network alone, for several limits and margins"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the player, the limits and margins to try, the number of games, the house rules, the seed and the workers."""
    parser.add_argument("player", metavar="PLAYER", help="a network with an outcome head")
    parser.add_argument(
        "--limits",
        nargs="+",
        type=int,
        default=[LIMIT],
        metavar="L",
        help=f"points needed by a team, at most, where the score decides (default {LIMIT})",
    )
    parser.add_argument(
        "--margins",
        nargs="+",
        type=float,
        default=[MARGIN],
        metavar="M",
        help=f"gains in the probability of winning that an action must exceed (default {MARGIN})",
    )
    parser.add_argument(
        "--games", type=int, default=20_000, metavar="N", help="games, each played twice (default 20000)"
    )
    add_rules_and_seed(parser, "a tuning seed, fixes all")
    add_workers(parser)


def run(options: Namespace) -> str:
    """Play the games of every limit with every margin, and return the shares that the score-aware player won.

    The seed is one of tuning (`random_streams.tuning_seed`), so no reported match has these games.

    Raises:
        ValueError: if the player has no outcome head.
    """
    seed, rules = tuning_seed(options.seed), parse_rules(options.rules)
    (player,) = load_players([options.player], seed, rules)
    if not isinstance(player, ScorePlayer):
        raise ValueError(f"player {options.player!r} has no outcome head; `euchre-train outcome-head RUN` trains one")
    shares: list[tuple[int, float, Share]] = []
    with progress_bar() as progress:
        for limit in options.limits:
            for margin in options.margins:

                def show(what: str, done: int, total: int, limit: int = limit, margin: float = margin) -> None:
                    progress(f"{what}, limit {limit}, margin {margin:g}", done, total)

                tried = ScorePlayer(player.network, player.head, limit=limit, margin=margin)
                result = play_match(
                    tried,
                    player.network,
                    deals=1,
                    games=options.games,
                    seed=seed,
                    rules=rules,
                    workers=options.workers,
                    progress=show,
                )
                assert result.games is not None
                shares.append((limit, margin, result.games))
    if options.json:
        values = [
            {"limit": limit, "margin": margin, "games": without_nan(asdict(games))} for limit, margin, games in shares
        ]
        return json.dumps(
            {
                "player": options.player,
                "rules": str(rules),
                "seed": options.seed,
                "settings": values,
            }
        )
    lines = [f"limit {limit}, margin {margin:g}: {games}" for limit, margin, games in shares]
    setting = f"rules {rules}, tuning seed {options.seed}"
    head = f"{options.player} by the score against its network alone, {setting}:"
    return "\n".join([head, *lines])
