"""`euchre-eval record-games`: games between players as files in Euchre Game Notation."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from euchre_env.egn import write_egn
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.commands.shared import add_allow_cheating, add_rules_and_seed, load_players, progress_bar
from euchre_eval.game_records import recorded_games

HELP: str = "games between players as files in Euchre Game Notation"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the players, the number of games, the folder, the house rules and the seed."""
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="A for all seats; A and B; or one for each seat")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="games to play (default 1)")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="where game_0.egn and so on are written"
    )
    add_allow_cheating(parser)
    add_rules_and_seed(parser)


def run(options: Namespace) -> str:
    """Play the games, write them, and return what was written, in words or as JSON."""
    rules, seed = parse_rules(options.rules), reporting_seed(options.seed)
    if not options.out.parent.is_dir():
        raise ValueError(f"--out {options.out}: there is no folder {options.out.parent}")
    players = load_players(options.players, seed, rules)
    games = recorded_games(
        players, options.games, seed=seed, rules=rules, names=options.players, allow_cheating=options.allow_cheating
    )
    written = []
    with progress_bar() as progress:
        for number, game in enumerate(games):
            options.out.mkdir(exist_ok=True)
            file = options.out / f"game_{number}.egn"
            write_egn(game, file)
            written.append((file, game))
            progress("games", number + 1, options.games)
    if options.json:
        values = [{"file": str(file), "deals": len(game.deals), "score": game.final_scores} for file, game in written]
        return json.dumps({"games": values, "rules": str(rules), "seed": seed})
    lines = []
    for file, game in written:
        assert game.final_scores is not None
        lines.append(f"{file}: {len(game.deals)} deals, {game.final_scores[0]}-{game.final_scores[1]}")
    return "\n".join(lines)
