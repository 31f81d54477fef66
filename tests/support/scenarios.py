"""A reader of the scenario corpus: independent test cases made from faults in other euchre software.

Each scenario is a deal, its events, and the expected facts after them (`tests/data/scenarios.json`). Here a scenario
becomes a `Position`; `FACTS` maps every key of the expectations to a function that reads the fact from a position.
"""

import json
import os
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from euchre_env.actions import IllegalActionError, actions_in, parse_action, phrase
from euchre_env.cards import (
    CARD_NAMES,
    NO_SUIT,
    PACK,
    PACK_WITH_BENNY,
    SUIT_LETTERS,
    SUIT_NAMES,
    SUIT_OF,
    card_names,
    cards_in,
)
from euchre_env.custom_deal import FixedCards, lay_cards
from euchre_env.deal import DEAL, NOBODY, PHASES, Deal, led_suit, must_be_redealt, trick_winner
from euchre_env.game import Episode, next_dealer
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records, row
from euchre_env.observation import action_mask, decode, encode
from euchre_env.table import Table
from euchre_env.view import VIEW, View, make_view, relative
from support.paths import DATA

CORPUS_FILE = DATA / "scenarios.json"
FILE = Path(os.environ.get("EUCHRE_SCENARIOS") or CORPUS_FILE)
SEAT_LETTERS = "NESW"
TEAMS = ("NS", "EW")
CORPUS_PHASES = ("bid1", "bid2", "benny", "discard", "defend", "play", "hand_over")
PHASE_NAMES: dict[str, str] = dict(zip(PHASES, CORPUS_PHASES, strict=True))
EPISODES: dict[str, Episode] = {"game": "game", "hand": "deal"}
LONE_LEADS = {
    "left_of_dealer": "eldest",
    "left_of_maker": "left_of_maker",
    "left_of_dealer_else_left_of_maker": "eldest_else_left_of_maker",
}
SAME_NAME = (
    "stick_the_dealer",
    "stuck_dealer_any_suit",
    "throw_in_dealer",
    "discard_upcard",
    "points_to_win",
    "benny",
)


def load_scenarios(file: Path = FILE) -> list[dict[str, Any]]:
    """The scenarios in `file`, by default the one that EUCHRE_SCENARIOS names, else the corpus."""
    return json.loads(file.read_text())


def house_rules(options: dict[str, Any]) -> HouseRules:
    """A scenario's options as house rules (tests/data/README.md, "Options and house rules")."""
    options = dict(options)
    options.pop("episode", None)  # `episode_of` reads it
    if options.pop("hand_stops_early", False):
        raise ValueError("all five tricks are always played")
    rules: dict[str, Any] = {name: options.pop(name) for name in SAME_NAME if name in options}
    rules["lone_lead"] = LONE_LEADS[options.pop("going_alone_lead", "left_of_dealer")]
    exchange = options.pop("lone_partner_pickup", "none")
    rules["dealer_sits_out_exchange"] = {"none": False, "dealer_exchanges": True}[exchange]
    scope = options.pop("canadian_loner_scope", "order_up")
    rules["canadian_loner"] = scope if options.pop("canadian_loner", False) else "off"
    who = "against_loner" if options.pop("defend_alone_needs_lone_maker", True) else "always"
    rules["defend_alone"] = who if options.pop("defend_alone", False) else "never"
    first = options.pop("defend_poll_from", "left_of_dealer")
    rules["defend_poll_from"] = {"left_of_dealer": "eldest", "left_of_maker": "left_of_maker"}[first]
    dealer = {"same": "same_dealer", "left": "next_dealer"}[options.pop("no_ace_no_face_dealer", "same")]
    rules["no_ace_no_face"] = dealer if options.pop("no_ace_no_face", False) else "off"
    if options:
        raise ValueError(f"unknown rule options in a scenario: {options}")
    return HouseRules(**rules)


def chosen_cards(scenario: dict[str, Any]) -> FixedCards:
    """The deal of a scenario."""
    return FixedCards([scenario["hands"][letter] for letter in SEAT_LETTERS], scenario["upcard"], scenario["kitty"])


def episode_of(options: dict[str, Any]) -> Episode:
    """The kind of episode in a scenario's options, a game by default."""
    return EPISODES[options.get("episode", "game")]


def scores_before(scenario: dict[str, Any]) -> tuple[int, int]:
    """The scores before the deal of a scenario, by team."""
    scores = scenario.get("scores", {})
    return scores.get("NS", 0), scores.get("EW", 0)


def action_of(event: dict[str, Any]) -> int:
    """The action of an event."""
    do, alone = event["do"], " alone" if event.get("alone") else ""
    if do in ("discard", "play"):
        return parse_action(event["card"])
    if do == "call":
        return parse_action(f"name {SUIT_NAMES[SUIT_LETTERS.index(event['suit'])]}{alone}")
    return parse_action("pass" if do == "decline_defend" else do.replace("_", " ") + alone)


def names_another_phase(event: dict[str, Any], phase: str) -> bool:
    """Whether an event belongs to another phase than `phase`: then it has no action id, and counts as refused."""
    phases = {"discard": "DISCARD", "play": "PLAY", "decline_defend": "DEFEND"}
    return phases.get(event["do"], phase) != phase or (event["do"] == "pass" and phase == "DEFEND")


def game_is_over(table: Table | None) -> bool:
    """Whether a game has been won at `table`; the end of a single deal is no end of a game."""
    return table is not None and table.winner is not None


def phase_name(phase: str, table: Table | None) -> str:
    """The corpus's name of a phase of a deal at `table`; None if the deal had to be dealt again."""
    return "game_over" if phase == "OVER" and game_is_over(table) else PHASE_NAMES[phase]


def scenario_name(action: int, phase: str) -> str:
    """The corpus's name of an action."""
    name = phrase(action, phase)
    if name == "decline":
        return "decline_defend"
    if name.startswith("name "):
        suit, *alone = name.split()[1:]
        return "_".join(["call", SUIT_LETTERS[SUIT_NAMES.index(suit)], *alone])
    return name.replace(" ", "_")


@dataclass
class Position:
    """The position of a scenario's deal after its events; if they end the deal, the ended deal."""

    table: Table | None  # None when the deal had to be dealt again before anything could happen
    rules: HouseRules
    deal: Deal
    scores: tuple[int, int]

    @classmethod
    def after(cls, scenario: dict[str, Any]) -> "Position":
        """Deal the cards and carry out the events; illegal events must be refused."""
        rules, dealer = house_rules(scenario["rules"]), SEAT_LETTERS.index(scenario["dealer"])
        cards, scores = chosen_cards(scenario), scores_before(scenario)
        deals, packed = records(1, DEAL), row(rules.packed())
        lay_cards(row(deals), packed, 0, 0, dealer, cards)
        if must_be_redealt(row(deals), packed):
            assert not scenario["events"]
            with pytest.raises(ValueError, match="must be dealt again"):
                Table(rules, dealer=dealer, cards=cards, scores=scores)
            return cls(None, rules, row(deals), scores)
        one_deal = episode_of(scenario["rules"]) == "deal"
        table = Table(rules, dealer=dealer, cards=cards, scores=scores, one_deal=one_deal)
        for event in scenario["events"]:
            if table.last_deal is None or table.is_over:
                carry_out(table, event)
            else:  # the next deal has begun, so no action can reach the deal that is over
                assert event.get("illegal"), f"{event} comes after the deal"
        deal = table.deal if table.last_deal is None else table.last_deal
        return cls(table, rules, deal, table.scores)

    @property
    def phase(self) -> str:
        return PHASES[self.deal.phase]

    @property
    def is_over(self) -> bool:
        """Whether the deal is over."""
        return self.phase == "OVER"

    def view(self, seat: int) -> View:
        """The view of `seat`, decoded from its observation, so it holds nothing that the observation lacks."""
        views = records(1, VIEW)
        make_view(self.deal, np.array(self.scores, np.int64), row(self.rules.packed()), seat, row(views))
        decoded = decode(encode(row(views)))
        assert decoded.tobytes() == row(views).tobytes()
        return decoded

    def seen_by(self, letter: str) -> bytes:
        """The observation and the action mask of a seat."""
        view = self.view(SEAT_LETTERS.index(letter))
        return encode(view).tobytes() + action_mask(view).tobytes()

    def legal(self, seat: int) -> list[str]:
        """The names of the legal actions of `seat`."""
        return [scenario_name(action, self.phase) for action in actions_in(self.view(seat).legal)]

    def legal_now(self) -> list[str]:
        """The names of the legal actions of the seat to act."""
        return [] if self.deal.turn == NOBODY else self.legal(int(self.deal.turn))

    def points(self) -> tuple[int, int]:
        """Points of the two teams in this deal, none before it is over."""
        if self.table is None or self.table.last_result is None:
            return 0, 0
        ours, theirs = self.table.last_result.points
        return int(ours), int(theirs)

    def winners(self) -> list[str]:
        """The winners of the tricks completed."""
        return [SEAT_LETTERS[trick_winner(self.deal, trick)] for trick in range(self.deal.trick)]


def carry_out(table: Table, event: dict[str, Any]) -> None:
    """Carry out an event; an illegal event must be refused and change nothing."""
    seat, phase = SEAT_LETTERS.index(event["seat"]), table.phase
    if not event.get("illegal"):
        assert not names_another_phase(event, phase), f"{event} in {phase}"
        table.step(action_of(event), seat)
        return
    if names_another_phase(event, phase):
        return
    before = table.deal.tobytes(), table.scores
    with pytest.raises(IllegalActionError):
        table.step(action_of(event), seat)
    assert (table.deal.tobytes(), table.scores) == before, f"{event} changed something"


def seat_letter(seat: int) -> str | None:
    """The corpus's name of a seat, None for nobody."""
    return None if seat == NOBODY else SEAT_LETTERS[seat]


def suit_letter(suit: int) -> str | None:
    """The corpus's name of a suit, None for no suit."""
    return None if suit == NO_SUIT else SUIT_LETTERS[suit]


def by_team(values: Any) -> dict[str, int]:
    """Two numbers by the names of the teams."""
    return {team: int(value) for team, value in zip(TEAMS, values, strict=True)}


def letters_in(bits: int, letters: str) -> list[str]:
    """The letters at the places set in `bits`."""
    return [letter for place, letter in enumerate(letters) if int(bits) >> place & 1]


def unseen(view: View) -> list[int]:
    """The cards hidden from the owner of `view`: all but its hand, played cards, the upcard and its own discard."""
    known = {*cards_in(view.hand), int(view.upcard), int(view.discard), *view.played.flat}
    return [card for card in cards_in(PACK_WITH_BENNY if view.rules.benny else PACK) if card not in known]


def trumps_unseen(view: View) -> list[str]:
    """The trumps among the hidden cards."""
    return [CARD_NAMES[card] for card in unseen(view) if SUIT_OF[card, view.trump] == view.trump]


def voids(position: Position, expected: dict[str, Any], viewer: int) -> dict[str, list[str]]:
    """The known voids, as `viewer` sees them, of the seats expected and of every seat that sits out."""
    view, seen = position.view(viewer), {}
    for seat, letter in enumerate(SEAT_LETTERS):
        suits = letters_in(view.voids[relative(seat, viewer)], SUIT_LETTERS)
        if letter in expected or (suits and position.deal.sitting_out >> seat & 1):
            seen[letter] = suits
    return seen


def next_suit(view: View) -> str:
    """The other suit of the same colour as the card turned down."""
    assert view.num_passes >= 4
    return SUIT_LETTERS[3 - SUIT_OF[view.upcard, NO_SUIT]]


def dealer_after(p: Position) -> str | None:
    """The next dealer after the end of a deal; None after the end of the game."""
    assert p.is_over
    if game_is_over(p.table):
        return None
    dealer = next_dealer(p.deal, row(p.rules.packed()))
    if p.table is not None and not p.table.is_over and p.rules.no_ace_no_face == "off":
        assert p.table.deal.dealer == dealer
    return SEAT_LETTERS[dealer]


Fact = Callable[[Position, Any, int], Any]  # arguments: a position, the expected value, and the observer's seat

# The value of each key at a position, in the form of the corpus.
FACTS: dict[str, Fact] = {
    "legal": lambda p, _, __: p.legal_now(),
    "legal_includes": lambda p, expected, _: [name for name in expected if name in p.legal_now()],
    "illegal": lambda p, expected, _: [name for name in expected if name not in p.legal_now()],
    "legal_for": lambda p, expected, _: {letter: p.legal(SEAT_LETTERS.index(letter)) for letter in expected},
    "to_act": lambda p, _, __: seat_letter(p.deal.turn),
    "phase": lambda p, _, __: phase_name(p.phase, p.table),
    "trump": lambda p, _, observer: suit_letter(p.view(observer).trump),
    "maker": lambda p, _, __: seat_letter(p.deal.maker),
    "alone": lambda p, _, observer: bool(p.view(observer).alone),
    "lone_defender": lambda p, _, __: seat_letter(p.deal.lone_defender),
    "sitting_out": lambda p, _, __: letters_in(p.deal.sitting_out, SEAT_LETTERS),
    "upcard_taken": lambda p, _, observer: bool(p.view(observer).upcard_taken),
    "led_suit": lambda p, _, __: suit_letter(led_suit(p.deal)),
    "hand_sizes": lambda p, expected, _: {
        letter: len(cards_in(p.deal.hands[SEAT_LETTERS.index(letter)])) for letter in expected
    },
    "hands": lambda p, expected, _: {
        letter: card_names(p.deal.hands[SEAT_LETTERS.index(letter)]) for letter in expected
    },
    "trick_winner": lambda p, _, __: p.winners()[-1] if p.winners() else None,
    "trick_winners": lambda p, _, __: p.winners(),
    "tricks": lambda p, _, __: by_team(p.deal.tricks),
    "points": lambda p, _, __: by_team(p.points()),
    "scores": lambda p, _, __: by_team(p.scores),
    "game_over": lambda p, _, __: game_is_over(p.table),
    "game_winner": lambda p, _, __: None if p.table is None or p.table.winner is None else TEAMS[p.table.winner],
    "next_dealer": lambda p, _, __: dealer_after(p),
    "redealt": lambda p, _, __: p.is_over and p.deal.maker == NOBODY,
    "voids": lambda p, expected, observer: voids(p, expected, observer),
    "next_suit": lambda p, _, observer: next_suit(p.view(observer)),
    "unknown_cards": lambda p, _, observer: [CARD_NAMES[card] for card in unseen(p.view(observer))],
    "trumps_unseen": lambda p, _, observer: trumps_unseen(p.view(observer)),
}


def in_any_order(value: Any) -> Any:
    """The value with every list of names sorted, to compare lists as sets."""
    if isinstance(value, dict):
        return {key: in_any_order(part) for key, part in value.items()}
    return sorted(value) if isinstance(value, list) else value


def changed_world(scenario: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """The scenario with two cards swapped in the deal or one event replaced."""
    world = deepcopy(scenario)
    for key, value in change.items():
        if key == "swap":
            a, b = value
            other = {a: b, b: a}
            world["hands"] = {seat: [other.get(c, c) for c in hand] for seat, hand in world["hands"].items()}
            world["kitty"] = [other.get(card, card) for card in world["kitty"]]
            world["upcard"] = other.get(world["upcard"], world["upcard"])
        elif key == "replace_event":
            index, event = value
            world["events"][index] = event
        elif key != "observer":
            raise ValueError(f"unknown change of a world: {key!r}")
    return world
