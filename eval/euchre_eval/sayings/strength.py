"""Sayings about players: how much the levels differ, and what a partner is worth."""

from functools import cache
from typing import cast

from euchre_agents import load
from euchre_eval.sayings.calling import sign_of
from euchre_eval.sayings.forcing import duplicate
from euchre_eval.sayings.saying import Figures, Samples, Saying, Setting, Table, ViewsPlayer
from euchre_eval.workers import Tick

MATCHES = (
    ("ppo", "rules"),
    ("ppo", "rules_tuned"),
    ("rules_tuned", "rules"),
    ("tips", "rules"),
    ("rules", "easy"),
    ("easy", "random"),
)
LEVELS = Table(
    "Two against two, every deal twice",
    tuple(f"`{first}` against `{second}`" for first, second in MATCHES),
    ("points per deal",),
    ("points",),
)
PARTNERS = ("ppo", "rules", "tips", "easy", "random")
PARTNER = Table(
    "`rules` with a partner, against `rules` and `rules`, every deal twice",
    tuple(f"`{name}`" for name in PARTNERS),
    ("points per deal",),
    ("points",),
)


@cache
def _player(name: str) -> ViewsPlayer:
    return cast(ViewsPlayer, load(name, seed=1))


def _measure_strength(deals: range, setting: Setting, tick: Tick) -> Samples:
    samples: Samples = {}
    for row, (first, second) in enumerate(MATCHES):
        samples[LEVELS.place(row, 0)] = duplicate(deals, _player(first), _player(second), setting, tick)
    for row, name in enumerate(PARTNERS):
        rules = _player("rules")
        samples[PARTNER.place(row, 0)] = duplicate(deals, rules, rules, setting, tick, partner=_player(name))
    return samples


def _judge_strength(figures: Figures) -> str:
    words = [
        f"`{name}` as a partner: {figure.mean}"
        for row, name in enumerate(PARTNERS)
        if (figure := figures.get(PARTNER.place(row, 0))) is not None and sign_of(figure)
    ]
    return f"Beside `rules`, {'; '.join(words)} points per deal." if words else "No difference beyond chance."


STRENGTH = Saying(
    "strength",
    "How much do the players differ, and the partners?",
    "Hard plays better than normal, and normal better than easy; and it matters who sits opposite.",
    "Duplicate matches: every deal is played twice with the teams swapped.",
    (LEVELS, PARTNER),
    _measure_strength,
    _judge_strength,
    deals=5_000,
    players=("ppo",),
)
