"""`euchre-eval egn`: a game in Euchre Game Notation, checked, as a table, and converted."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from euchre_env.cards import CARD_NAMES, NO_SUIT, SUIT_NAMES, card_names
from euchre_env.deal import NOBODY
from euchre_env.egn import EgnError, RecordedGame, Replay, egn_text, read_egn, replay, winner_of
from euchre_env.files import replace_text

HELP: str = "check a game in Euchre Game Notation and show its deals"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the file, the seed, the deal texts and the file to write."""
    parser.description = (
        "Read a game, versions 1.2 to 1.6, replay it by its rules, and show its deals. A file that is not such a game "
        "is refused in one line with the place of the fault."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a file in Euchre Game Notation, such as game.egn")
    parser.add_argument("--deals", action="store_true", help="print a deal text for each deal, as `solve` takes it")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the game to a file, in version 1.4")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="picks the cards that the record does not show (default 0)"
    )


def run(options: Namespace) -> str:
    """Read and replay the game; a table of its deals, their texts, or JSON."""
    try:
        game = read_egn(options.file)
        replays = replay(game, options.seed)
    except EgnError as error:
        raise EgnError(f"{options.file}: {error.place}" if error.place else str(options.file), error.fault) from None
    if options.out is not None:
        replace_text(options.out, egn_text(game))
    if options.json:
        return json.dumps(_as_json(game, replays))
    if options.deals:
        return "\n".join(each.text for each in replays)
    return _report(game, replays)


def _as_json(game: RecordedGame, replays: list[Replay]) -> dict[str, Any]:
    return {
        "title": game.title,
        "players": list(game.player_names),
        "rules": str(game.rules),
        "first_scores": list(game.first_scores),
        "final_scores": None if game.final_scores is None else list(game.final_scores),
        "scores": list(_scores(game, replays)),
        "winner": winner_of(game, _scores(game, replays)),
        "deals": [
            {
                "dealer": each.deal.dealer,
                "points": list(each.points),
                "finished": each.is_finished,
                "deal_text": each.text,
                "invented": [card_names(cards) for cards in each.invented],
            }
            for each in replays
        ],
    }


def _scores(game: RecordedGame, replays: list[Replay]) -> tuple[int, int]:
    """The scores after the last deal."""
    return replays[-1].scores_after if replays else game.first_scores


def _report(game: RecordedGame, replays: list[Replay]) -> str:
    """The deals as a table, what they come to, and whether the record agrees."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    rows = Table("deal", "dealer", "upcard", "trump", "maker", "tricks", box=box.SIMPLE_HEAD)
    rows.add_column("points", justify="right")
    rows.add_column("score", justify="right")
    for index, each in enumerate(replays):
        deal = each.final
        trump = "" if deal.trump == NO_SUIT else SUIT_NAMES[deal.trump]
        maker = "" if deal.maker == NOBODY else f"seat {deal.maker}{' alone' if deal.alone else ''}"
        tricks = f"{deal.tricks[0]}-{deal.tricks[1]}" if each.is_finished else "not finished"
        rows.add_row(
            *(str(index), f"seat {deal.dealer}", CARD_NAMES[deal.upcard], trump, maker, tricks),
            *(f"{points[0]}-{points[1]}" for points in (each.points, each.scores_after)),
        )
    lines = [segment.text for segment in Console(width=140).render(rows)]
    heading = [line for line in (game.title, ", ".join(game.player_names), f"rules {game.rules}") if line]
    table = [line.rstrip() for line in "".join(lines).splitlines()] if replays else []
    return "\n".join([*heading, *table, _verdict(game, _scores(game, replays))])


def _verdict(game: RecordedGame, scores: tuple[int, int]) -> str:
    winner = winner_of(game, scores)
    end = "the game goes on" if winner is None else f"seats {winner} and {winner + 2} win"
    verdict = f"{scores[0]}-{scores[1]} after {len(game.deals)} deals: {end}"
    if game.final_scores is None:
        return verdict
    if game.final_scores == scores:
        return f"{verdict}, as the record says"
    return f"{verdict}; the record says {game.final_scores[0]}-{game.final_scores[1]}"
