"""Tables in tests: deals in short notation, actions by name, random play, and random house rules for Hypothesis."""

from dataclasses import fields

import numpy as np
from hypothesis import strategies as st

from euchre_env.actions import ACTION_NAMES, PASS_ID, actions_in, parse_action
from euchre_env.custom_deal import FixedCards
from euchre_env.deal import PHASES
from euchre_env.house_rules import PRESETS, HouseRules, RulesLike
from euchre_env.table import Table

HOUSE_RULES = {rule.name: rule.metadata["allowed"] for rule in fields(HouseRules)}
SEEDS = st.integers(0, 2**63 - 1)
ANY_RULES = st.sampled_from(list(PRESETS.values())) | st.builds(
    HouseRules, **{name: st.sampled_from(allowed) for name, allowed in HOUSE_RULES.items()}
)


def table_with(hands=("", "", "", ""), upcard=None, kitty=None, rules: RulesLike = "standard", dealer=0, **more):
    """A table whose first deal has these cards, parts such as "JC AS KS AH TD"; an empty part is dealt at random."""
    cards = FixedCards([hand.split() for hand in hands], upcard, kitty.split() if kitty else None)
    return Table(rules, dealer=dealer, cards=cards, **more)


def play(game, actions):
    """Carry out actions by name, joined by commas: `play(table, "pass, order up, discard 9H")`.

    `game` is a table or an environment; it is returned.
    """
    for name in actions.split(","):
        game.step(parse_action(name))
    return game


def legal_names(game):
    """The names of the legal actions of a table or a raw environment, as a set."""
    return {ACTION_NAMES[action] for action in game.legal_actions()}


def pick(legal, rng):
    """A random legal action; a legal pass is chosen half of the time, so that long auctions occur.

    `rng` is a `random.Random` or a NumPy generator.
    """
    return PASS_ID if PASS_ID in legal and rng.random() < 0.5 else int(rng.choice(legal))


def choose(table, rng):
    """A random action for the seat to act, as `pick` chooses it."""
    return pick(table.legal_actions(), rng)


def play_out(table, rng):
    """Play until the deal in progress has ended, yielding `table` at each decision and after the last."""
    last_deal = table.last_deal
    yield table
    while table.last_deal is last_deal:
        table.step(choose(table, rng))
        yield table


def assert_row_is_table(tables, index, table, actions_before=0):
    """Assert that row `index` of a `Tables` and a `Table` show the same position by every name that both have.

    `actions_before` is how many actions the table had seen when the row's episode began.
    """
    rows = np.array([index])
    seat = table.turn
    for relative_suits in (False, True):
        mine = tables.observations(rows, relative_suits)
        for part, whole in zip(table.observation(relative_suits=relative_suits), mine, strict=True):
            assert np.array_equal(part, whole[0])
        assert np.array_equal(table.hidden(relative_suits=relative_suits), tables.hidden(rows, relative_suits)[0])
    assert table.view(seat).tobytes() == table.view().tobytes() == tables.views(rows)[0].tobytes()
    assert table.legal_actions() == actions_in(int(tables.legal_actions(rows)[0]))
    assert np.array_equal(table.state(), tables.states(rows)[0])
    assert table.deal.tobytes() == tables.deals(rows)[0].tobytes()
    assert (seat, table.phase) == (tables.turns[index], PHASES[tables.phases[index]])
    assert (table.frame, table.scores) == (tables.frames[index], tuple(tables.scores[index]))
    assert table.num_actions - actions_before == tables.num_actions[index]
    assert table.deal_number == tables.deal_numbers[index]
    assert table.rules == tables.rule_sets[tables.rules_indices[index]]
