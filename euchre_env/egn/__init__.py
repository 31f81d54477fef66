"""Euchre Game Notation: games in the field's notation, read and written (docs/records.md).

Versions 1.2 to 1.6 are read, 1.4 is written. Source: github.com/NextSuit-Labs/euchre-game-notation.
"""

from euchre_env.egn.places import EgnError
from euchre_env.egn.reading import parse_egn, read_egn
from euchre_env.egn.recording import record_deal, record_game
from euchre_env.egn.records import (
    LABELS,
    AlternativeLine,
    Bidding,
    NamedPlayer,
    Play,
    RecordedDeal,
    RecordedGame,
    split_label,
)
from euchre_env.egn.replaying import Decision, Replay, replay, winner_of
from euchre_env.egn.writing import egn_text, write_egn

__all__ = [
    "LABELS",
    "AlternativeLine",
    "Bidding",
    "Decision",
    "EgnError",
    "NamedPlayer",
    "Play",
    "RecordedDeal",
    "RecordedGame",
    "Replay",
    "egn_text",
    "parse_egn",
    "read_egn",
    "record_deal",
    "record_game",
    "replay",
    "split_label",
    "winner_of",
    "write_egn",
]
