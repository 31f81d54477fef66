"""What the tests of the rules share: deals written shortly, random play and random house rules."""

from dataclasses import fields
from pathlib import Path

from hypothesis import strategies as st

from euchre_env.actions import ACTION_NAMES, PASS_ID, parse_action
from euchre_env.custom_deal import FixedCards
from euchre_env.house_rules import PRESETS, HouseRules, RulesLike
from euchre_env.table import Table

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

HOUSE_RULES = {rule.name: rule.metadata["allowed"] for rule in fields(HouseRules)}
SEEDS = st.integers(0, 2**63 - 1)
ANY_RULES = st.sampled_from(list(PRESETS.values())) | st.builds(
    HouseRules, **{name: st.sampled_from(allowed) for name, allowed in HOUSE_RULES.items()}
)


def table_with(hands=("", "", "", ""), upcard=None, kitty=None, rules: RulesLike = "standard", dealer=0, **more):
    """A table whose first deal has these cards, each part a string such as "JC AS KS AH TD"; "" is dealt at random."""
    cards = FixedCards([hand.split() for hand in hands], upcard, kitty.split() if kitty else None)
    return Table(rules, dealer=dealer, cards=cards, **more)


def play(table, actions):
    """Carry out actions by name, joined by commas: `play(table, "pass, order up, discard 9H")`; the table back."""
    for name in actions.split(","):
        table.step(parse_action(name))
    return table


def legal_names(table):
    """The names of the legal actions, as a set."""
    return {ACTION_NAMES[action] for action in table.legal_actions()}


def choose(table, rng):
    """A random legal action, pass every other time where it is legal, so that all of an auction is met."""
    legal = table.legal_actions()
    return PASS_ID if PASS_ID in legal and rng.random() < 0.5 else rng.choice(legal)


def play_out(table, rng):
    """Play until the deal in progress has ended, giving `table` back at each decision and after the last."""
    last_deal = table.last_deal
    yield table
    while table.last_deal is last_deal:
        table.step(choose(table, rng))
        yield table
