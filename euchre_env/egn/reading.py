"""Reading a game: from the text of a file to a `RecordedGame`."""

import dataclasses
import re
from pathlib import Path
from typing import Any, TypeVar

from euchre_env.cards import BENNY
from euchre_env.checks import shortened
from euchre_env.deal import HAND_SIZE, NUM_TRICKS
from euchre_env.egn.packed_deals import unpack_deal
from euchre_env.egn.places import EgnError, Place, load_json
from euchre_env.egn.records import AlternativeLine, Bidding, NamedPlayer, Notes, Play, RecordedDeal, RecordedGame
from euchre_env.egn.replaying import replay
from euchre_env.egn.rule_names import house_rules
from euchre_env.egn.symbols import Symbol, cards_of, is_symbol
from euchre_env.house_rules import HouseRules
from euchre_env.table import MAX_SCORE

FILE_TYPE = "Euchre Game Notation"
BIDDING, PLAY = "EUCHRE_BIDDING", "TRICK_PLAY"
MAX_DEALS, MAX_CALLS, MAX_PLAYERS, MAX_ACCOUNTS, MAX_LINES, MAX_NOTES, MAX_HANDS = 100, 16, 10, 10, 50, 50, 10
MAX_NAME, MAX_TITLE, MAX_TEXT = 64, 128, 1024  # characters
MAX_CARDS, MAX_TRICKS, MAX_EXCHANGES = 10, 10, 4
BIGGEST = 10**9  # for numbers without a limit of their own

_VERSION = re.compile(r"1\.([0-6])(\.[0-9]+)?")
# Before version 1.2 some fields had other names, and some could be worked out from the others.
_OLD_NAMES = {
    "matchId": "gameId",
    "player_cards": "playerCards",
    "card_exchanges": "cardExchanges",
    "calls_annotations": "callAnnotations",
    "tricks_annotations": "playAnnotations",
}
_OLD_FIELDS = ("kitty", "initialLead")
_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?)?)?"
)
_CALLS = ("Pass", "Order", "s", "h", "d", "c", "n", "x")

PhaseT = TypeVar("PhaseT", Bidding, Play)


def read_egn(file: str | Path) -> RecordedGame:
    """The game in a file; see `parse_egn`.

    Raises:
        EgnError: as `parse_egn` does.
        OSError: if the file cannot be read.
    """
    return parse_egn(Path(file).read_bytes())


def parse_egn(text: str | bytes) -> RecordedGame:
    """The game that a text in Euchre Game Notation records, version 1.2 to 1.6, or 1.0 and 1.1 with their old names.

    Every deal has been replayed, so `replay` of the result does not fail.

    Args:
        text: the content of a file; bytes may be UTF-8, UTF-16 or UTF-32.

    Raises:
        EgnError: if the text is not in the notation, the game needs a rule that this project does not have, or a deal
            cannot have been played as it is recorded; the message says where.
    """
    if not isinstance(text, str | bytes):
        raise EgnError("", f"a game must be text or bytes, not {shortened(text)}")
    game = _game(load_json(text))
    replay(game)
    return game


def _game(place: Place) -> RecordedGame:
    file_type = place.entries().get("fileType")
    if file_type is not None and file_type.value == "Euchre Match Notation":
        file_type.refuse("this is a match of several games; only single games are read")
    members = place.members(
        ("fileType", "version", "metadata", "deals"), required=("fileType", "version", "metadata", "deals")
    )
    members["fileType"].choice([FILE_TYPE])
    version = _VERSION.fullmatch(members["version"].text())
    if version is None:
        members["version"].refuse(f"versions 1.0 to 1.6 are read, not {shortened(members['version'].value)}")
    if version[1] in "01":
        members = {name: Place(_with_new_names(member.value), name) for name, member in members.items()}
    metadata = members["metadata"].members(
        (
            *("gameId", "title", "description", "players", "teamNames", "initialScore", "finalScore", "date"),
            "ruleset",
        ),
        required=("players", "initialScore"),
    )
    rules = house_rules(metadata.get("ruleset", Place({}, "metadata.ruleset")))
    team_names = [each.text(MAX_NAME) for each in metadata["teamNames"].items(2)] if "teamNames" in metadata else None
    if team_names is not None and len(team_names) != 2:
        metadata["teamNames"].refuse(f"two names are expected, not {len(team_names)}")
    return RecordedGame(
        deals=tuple(_deal(deal, rules, number) for number, deal in enumerate(members["deals"].items(MAX_DEALS))),
        rules=rules,
        players=tuple(_player(player) for player in metadata["players"].items(MAX_PLAYERS)),
        first_scores=_scores(metadata["initialScore"]) or (0, 0),
        final_scores=_scores(metadata["finalScore"]) if "finalScore" in metadata else None,
        title=_optional_text(metadata, "title", MAX_TITLE),
        description=_optional_text(metadata, "description", MAX_TEXT),
        game_id=_optional_text(metadata, "gameId", MAX_NAME),
        date=_date(metadata["date"]) if "date" in metadata else None,
        team_names=None if team_names is None else (team_names[0], team_names[1]),
    )


def _with_new_names(value: Any) -> Any:
    """A JSON value of version 1.0 or 1.1 with the names of the fields of version 1.2."""
    if isinstance(value, list):
        return [_with_new_names(item) for item in value]
    if isinstance(value, dict):
        members = {_OLD_NAMES.get(name, name): name for name in value if name not in _OLD_FIELDS}
        return {new: _with_new_names(value[old]) for new, old in members.items()}
    return value


def _optional_text(members: dict[str, Place], name: str, longest: int) -> str | None:
    return members[name].text(longest) if name in members else None


def _player(place: Place) -> str | NamedPlayer:
    if isinstance(place.value, str):
        return place.text(MAX_NAME)
    if not isinstance(place.value, dict):
        place.refuse("a player is a name, or an object with a name")
    members = place.members(("id", "name", "playerIds"), required=("name",))
    accounts = members["playerIds"].items(MAX_ACCOUNTS) if "playerIds" in members else []
    pairs = [account.members(("id", "source"), required=("id", "source")) for account in accounts]
    return NamedPlayer(
        members["name"].text(MAX_NAME),
        _optional_text(members, "id", MAX_NAME),
        tuple((pair["id"].text(MAX_NAME), pair["source"].text(MAX_NAME)) for pair in pairs),
    )


def _scores(place: Place) -> tuple[int, int] | None:
    """The points of the two teams; None for an empty list, which the notation allows."""
    scores = [score.number(0, MAX_SCORE) for score in place.items(2)]
    if len(scores) == 1:
        place.refuse("the points of two teams are expected, not of one")
    return (scores[0], scores[1]) if scores else None


def _date(place: Place) -> str:
    date = place.text(MAX_NAME)
    if not _DATE.fullmatch(date):
        place.refuse(f"a date such as 2026-05-17T19:00:00Z or 2026-05-17 is expected, not {shortened(date)}")
    return date


def _deal(place: Place, rules: HouseRules, number: int) -> RecordedDeal:
    if isinstance(place.value, str):
        place = Place(unpack_deal(place, number), place.path)
    elif not isinstance(place.value, dict):
        place.refuse("a deal is an object, or a text in which a deal is packed")
    members = place.members(
        ("dealNumber", "initialState", "phases", "alternativeLines"), required=("dealNumber", "initialState", "phases")
    )
    state = members["initialState"].members(("dealer", "upCard", "playerCards"), required=("dealer", "upCard"))
    phases = members["phases"].items(2)
    bidding, play = _phases(phases, rules)
    bidding, play = bidding or Bidding(), play or Play()
    if play.alone is not None and play.alone != bidding.alone:
        if any("isAlone" in phase.value for phase in phases if phase.value["type"] == BIDDING):
            members["phases"].refuse("isAlone of the bidding and isAlone of the tricks disagree")
        bidding = dataclasses.replace(bidding, alone=play.alone)
    lines = members["alternativeLines"].items(MAX_LINES) if "alternativeLines" in members else []
    return RecordedDeal(
        dealer=state["dealer"].number(0, 3),
        upcard=_symbol(state["upCard"], rules),
        bidding=bidding,
        play=play,
        hands=_hands(state["playerCards"], rules) if "playerCards" in state else (),
        number=members["dealNumber"].number(0, BIGGEST),
        lines=tuple(_line(line, rules) for line in lines),
    )


def _hands(place: Place, rules: HouseRules) -> tuple[tuple[Symbol, ...], ...]:
    hands = place.items(MAX_HANDS)
    cards = [[_symbol(card, rules) for card in hand.items(MAX_CARDS)] for hand in hands]
    for seat, hand in enumerate(cards):
        if seat >= 4 and hand:
            hands[seat].refuse("there are four seats, 0 to 3")
        if len(hand) > HAND_SIZE:
            hands[seat].refuse(f"a seat is dealt {HAND_SIZE} cards, not {len(hand)}")
    return tuple(tuple(hand) for hand in cards[:4])


def _symbol(place: Place, rules: HouseRules) -> Symbol:
    symbol = place.text()
    if not is_symbol(symbol):
        place.refuse(f"{shortened(symbol)} is not a card; a card is a rank of 9TJQKA and a suit of cdhs, such as 'Jc'")
    if symbol == "B" and not rules.benny:
        place.refuse("the joker is in the pack only with the rule joker")
    if not any(cards_of(symbol, trump, False) & ~(1 << BENNY) for trump in range(4)) and symbol != "B":
        place.refuse(f"{symbol!r} is not in the pack, whose lowest rank is the nine")
    return symbol


def _line(place: Place, rules: HouseRules) -> AlternativeLine:
    members = place.members(("branchIndex", "phases"), required=("branchIndex", "phases"))
    phases = members["phases"].items(2)
    if not phases:
        members["phases"].refuse("an alternative line has at least one phase")
    return AlternativeLine(members["branchIndex"].number(0, BIGGEST), *_phases(phases, rules))


def _phases(places: list[Place], rules: HouseRules) -> tuple[Bidding | None, Play | None]:
    """The phases of a deal or of a line by their types, in whatever order they stand."""
    bidding: Bidding | None = None
    play: Play | None = None
    for index, place in enumerate(places):
        kind = place.entries().get("type")
        if kind is None:
            place.refuse("the field 'type' is missing")
        if kind.choice([BIDDING, PLAY]) == BIDDING:
            bidding = _once(place, bidding, _bidding(place, rules, index))
        else:
            play = _once(place, play, _play(place, rules, index))
    return bidding, play


def _once(place: Place, before: PhaseT | None, phase: PhaseT) -> PhaseT:
    if before is not None:
        place.refuse("a deal has one phase of each type")
    return phase


def _bidding(place: Place, rules: HouseRules, index: int) -> Bidding:
    known = ("phaseNumber", "type", "calls", "isAlone", "aloneDefender", "discard", "cardExchanges", "callAnnotations")
    members = place.members(known, required=("calls",))
    _check_phase_number(members)
    calls = [call.choice(_CALLS) for call in members["calls"].items(MAX_CALLS)]
    if "n" in calls:
        place.refuse("the call 'n', no trump, needs the rule allow_no_trump, which this project does not have")
    if "cardExchanges" in members and members["cardExchanges"].items(MAX_EXCHANGES):
        members["cardExchanges"].refuse(
            "cards are exchanged under the rules partners_best, go_under and farmers, which this project does not have"
        )
    return Bidding(
        calls=tuple(calls),
        alone=members["isAlone"].flag() if "isAlone" in members else False,
        lone_defender=members["aloneDefender"].number(-1, 3) if "aloneDefender" in members else None,
        discard=_symbol(members["discard"], rules) if "discard" in members else None,
        notes=_notes(members["callAnnotations"]) if "callAnnotations" in members else {},
        phase=index,
    )


def _play(place: Place, rules: HouseRules, index: int) -> Play:
    members = place.members(("phaseNumber", "type", "tricks", "isAlone", "playAnnotations"), required=("tricks",))
    _check_phase_number(members)
    tricks = [tuple(_symbol(card, rules) for card in trick.items(4)) for trick in members["tricks"].items(MAX_TRICKS)]
    while tricks and not tricks[-1]:
        tricks.pop()
    if len(tricks) > NUM_TRICKS:
        members["tricks"].refuse(f"a deal has {NUM_TRICKS} tricks, not {len(tricks)}")
    return Play(
        tricks=tuple(tricks),
        notes=_notes(members["playAnnotations"]) if "playAnnotations" in members else {},
        alone=members["isAlone"].flag() if "isAlone" in members else None,
        phase=index,
    )


def _check_phase_number(members: dict[str, Place]) -> None:
    if "phaseNumber" in members:
        members["phaseNumber"].number(-BIGGEST, BIGGEST)


def _notes(place: Place) -> Notes:
    notes: Notes = {}
    for key, texts in place.entries().items():
        if not re.fullmatch("[0-9]{1,9}", key):
            place.refuse(f"{shortened(key)} is not the number of a call or play")
        if int(key) in notes:
            place.refuse(f"annotations of {int(key)} stand there twice")
        notes[int(key)] = tuple(text.text(MAX_TEXT) for text in texts.items(MAX_NOTES))
    return notes
