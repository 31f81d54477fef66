"""Writing a game in Euchre Game Notation 1.4."""

import json
import re
from pathlib import Path
from typing import Any

from euchre_env.egn.places import EgnError
from euchre_env.egn.reading import BIDDING, FILE_TYPE, PLAY, parse_egn
from euchre_env.egn.records import Bidding, NamedPlayer, Notes, Play, RecordedDeal, RecordedGame
from euchre_env.egn.rule_names import ruleset
from euchre_env.files import replace_text

VERSION = "1.4"


def write_egn(game: RecordedGame, file: str | Path) -> None:
    """Write a game to a file; see `egn_text`.

    Raises:
        EgnError: as `egn_text` does; nothing is written.
        OSError: if the file cannot be written.
    """
    replace_text(Path(file), egn_text(game))


def egn_text(game: RecordedGame) -> str:
    """The game in Euchre Game Notation 1.4, as `parse_egn` reads it back: all rules, all cards that the record has.

    What version 1.4 cannot hold is left out: the names of teams, an empty date; a date without a time gets 00:00.

    Returns:
        JSON with two blanks of indentation, hands and tricks on a line each, and a line break at the end.

    Raises:
        EgnError: if a house rule is not in the notation, the record is not a game that can have been played, or it is
            larger than the notation allows; the message says where.
    """
    value = {
        "fileType": FILE_TYPE,
        "version": VERSION,
        "metadata": _metadata(game),
        "deals": [_deal(deal) for deal in game.deals],
    }
    text = _layout(value) + "\n"
    parse_egn(text)
    return text


def _metadata(game: RecordedGame) -> dict[str, Any]:
    date = game.date or None
    if date is not None and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", date):
        date += "T00:00"
    return _without_none(
        {
            "gameId": game.game_id,
            "title": game.title,
            "description": game.description,
            "date": date,
            "players": [_player(player) for player in game.players],
            "initialScore": list(game.first_scores),
            "finalScore": None if game.final_scores is None else list(game.final_scores),
            "ruleset": ruleset(game.rules),
        }
    )


def _player(player: str | NamedPlayer) -> str | dict[str, Any]:
    if isinstance(player, str):
        return player
    accounts = [{"id": account, "source": source} for account, source in player.accounts]
    return _without_none({"id": player.id, "name": player.name, "playerIds": accounts or None})


def _deal(deal: RecordedDeal) -> dict[str, Any]:
    state = {
        "dealer": deal.dealer,
        "upCard": deal.upcard,
        "playerCards": [list(hand) for hand in deal.hands] if deal.hands else None,
    }
    lines = [{"branchIndex": line.branch_index, "phases": _phases(line.bidding, line.play)} for line in deal.lines]
    play = deal.play if deal.play != Play() else None
    return _without_none(
        {
            "dealNumber": deal.number,
            "initialState": _without_none(state),
            "phases": _phases(deal.bidding, play),
            "alternativeLines": lines or None,
        }
    )


def _phases(bidding: Bidding | None, play: Play | None) -> list[dict[str, Any]]:
    phases = []
    if bidding is not None:
        phase = {
            "phaseNumber": 0,
            "type": BIDDING,
            "calls": list(bidding.calls),
            "isAlone": bidding.alone,
            "aloneDefender": bidding.lone_defender,
            "discard": bidding.discard,
            "callAnnotations": _notes(bidding.notes),
        }
        phases.append(_without_none(phase))
    if play is not None:
        phase = {
            "phaseNumber": 1,
            "type": PLAY,
            "tricks": [list(trick) for trick in play.tricks],
            "isAlone": play.alone,
            "playAnnotations": _notes(play.notes),
        }
        phases.append(_without_none(phase))
    return phases


def _notes(notes: Notes) -> dict[str, list[str]] | None:
    return {str(index): list(texts) for index, texts in notes.items()} or None


def _without_none(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _layout(value: Any, margin: str = "") -> str:
    """JSON text in which a list of texts and numbers stands on one line."""
    inner = margin + "  "
    if isinstance(value, dict) and value:
        members = [f"{inner}{json.dumps(name)}: {_layout(member, inner)}" for name, member in value.items()]
        return "{\n" + ",\n".join(members) + f"\n{margin}}}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[\n" + ",\n".join(inner + _layout(item, inner) for item in value) + f"\n{margin}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # half of a pair of UTF-16, which UTF-8 cannot hold
        return json.dumps(value)
    except (TypeError, ValueError) as error:
        raise EgnError("", f"the record has a value that is no text, number or list of such: {error}") from None
    return text
