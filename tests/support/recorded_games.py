"""Games for the tests of Euchre Game Notation: played at random, and built deal by deal."""

import copy
import random
from collections.abc import Callable
from typing import Any

from euchre_env.deal import NOBODY, Deal
from euchre_env.egn import RecordedGame, record_game
from euchre_env.house_rules import PRESETS, RulesLike
from euchre_env.table import Table
from support.tables import choose

MAPPED = [preset for preset in PRESETS if preset != "printed"]  # the notation cannot say who leads under `printed`

# A whole deal, all cards known: seat 2 orders up, the dealer, seat 0, takes the nine of spades and discards a heart.
HANDS = [
    ["Jh", "Ah", "Ts", "Qs", "As"],
    ["9c", "Qc", "Ac", "9h", "Qh"],
    ["Kc", "Td", "Jd", "Kd", "Js"],
    ["Tc", "Jc", "Qd", "Th", "Ks"],
]
TRICKS = [
    ["Ac", "Kc", "Tc", "9s"],
    ["As", "9h", "Js", "Ks"],
    ["Kd", "Qd", "Ts", "9c"],
    ["Qs", "Qc", "Td", "Jc"],
    ["Th", "Jh", "Qh", "Jd"],
]


def bidding(*calls: str, **more: Any) -> dict[str, Any]:
    """A phase of bidding as JSON."""
    return {"phaseNumber": 0, "type": "EUCHRE_BIDDING", "calls": list(calls), **more}


def tricks(*played: str, **more: Any) -> dict[str, Any]:
    """A phase of tricks as JSON, each trick such as "Ac Kc Tc 9s"."""
    return {"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": [trick.split() for trick in played], **more}


def deal_of(
    *phases: dict[str, Any], dealer: int = 0, upcard: str = "9s", hands: Any = None, **more: Any
) -> dict[str, Any]:
    """A deal as JSON."""
    state = {"dealer": dealer, "upCard": upcard} | ({} if hands is None else {"playerCards": hands})
    return {"dealNumber": 0, "initialState": state, "phases": list(phases), **more}


def game_of(*deals: Any, rules: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    """A game as JSON."""
    return {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {
            "players": ["a", "b", "c", "d"],
            "initialScore": [0, 0],
            "ruleset": {"std": False} if rules is None else rules,
            **metadata,
        },
        "deals": list(deals),
    }


def whole_deal() -> dict[str, Any]:
    """The deal above as JSON."""
    return copy.deepcopy(
        deal_of(
            bidding("Pass", "Order", isAlone=False, discard="Ah"),
            {"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": TRICKS},
            hands=HANDS,
        )
    )


def played_at_random(rules: RulesLike, seed: int, picks: Callable[[Table, random.Random], int] = choose) -> list[Deal]:
    """The deals of a game of random actions."""
    rng, table, deals = random.Random(seed), Table(rules, seed), list[Deal]()
    while not table.is_over:
        if table.step(picks(table, rng)) == NOBODY:
            assert table.last_deal is not None
            deals.append(table.last_deal)
    return deals


def random_game(rules: RulesLike, seed: int) -> RecordedGame:
    """The record of a game of random actions."""
    return record_game(played_at_random(rules, seed), rules)
