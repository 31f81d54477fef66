"""What networks read: the deal, facts derived from it, the house rules that bear on it, and never the score."""

from dataclasses import fields

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import tiny

from euchre_agents.encoder import INPUT_FIELDS, InputEncoder
from euchre_env.actions import parse_action
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import as_records
from euchre_env.random_rules import NOT_OF_A_DEAL
from euchre_env.table import Table
from euchre_train.model import FIELDS_OF_GROUP, ActorCritic

EVERYTHING = ("deal", "derived", "rules")


def other_value(rule):
    """The house rules with another value of one rule, the largest that the inputs tell apart."""
    allowed, default = rule.metadata["allowed"], rule.default
    value = 6 if isinstance(allowed, range) else next(value for value in allowed if value != default)
    return HouseRules(**{rule.name: value})  # type: ignore[arg-type]  # an allowed value of the rule


def inputs_of(encoder, rules, scores=(0, 0)):
    """The inputs of a network that are 1 at the first three bids and at the dealer's discard."""
    table, found = Table(rules, seed=3, scores=scores), []
    for name in ("pass", "pass", "order up", None):
        inputs, counts, _, _ = encoder.of_views(as_records(np.array([table.view()])))
        found.append(inputs[0, : counts[0]].tolist())
        if name is not None:
            table.step(parse_action(name))
    return found


@pytest.fixture(scope="module")
def encoder():
    return InputEncoder(ActorCritic(tiny(inputs=EVERYTHING)).card.places())


def test_no_two_groups_share_a_field_and_none_has_the_score():
    names = [name for group in EVERYTHING for name in FIELDS_OF_GROUP[group]]
    assert set(FIELDS_OF_GROUP) == set(EVERYTHING)
    assert len(set(names)) == len(names)
    assert not [name for name in names if name.startswith("needed")]
    assert not [name for name in names if name.rpartition(".")[2] in NOT_OF_A_DEAL]
    unread = set(INPUT_FIELDS) - set(names)
    replaced = {f"rules.{rule.name}" for rule in fields(HouseRules) if f"derived.rules.{rule.name}" in names}
    assert unread == {"needed", "needed_binary", *(f"rules.{name}" for name in NOT_OF_A_DEAL), *replaced}


def test_a_network_reads_the_fields_of_its_groups_in_their_order():
    card = ActorCritic(tiny(inputs=("rules", "deal"))).card
    assert list(card.inputs) == [*FIELDS_OF_GROUP["rules"], *FIELDS_OF_GROUP["deal"]]
    assert all(card.inputs[name] == INPUT_FIELDS[name].places for name in card.inputs)


@pytest.mark.parametrize("rule", fields(HouseRules), ids=lambda rule: rule.name)
def test_a_rule_is_read_if_it_bears_on_a_deal(encoder, rule):
    usual, changed = inputs_of(encoder, HouseRules()), inputs_of(encoder, other_value(rule))
    assert (changed == usual) == (rule.name in NOT_OF_A_DEAL)


def test_the_score_is_not_read(encoder):
    assert inputs_of(encoder, "standard", (9, 3)) == inputs_of(encoder, "standard")


def test_without_the_group_rules_only_the_deal_is_read():
    encoder = InputEncoder(ActorCritic(tiny(inputs=("deal", "derived"))).card.places())
    for rule in fields(HouseRules):
        if rule.name not in ("benny", "no_ace_no_face"):  # with which the deal itself is another
            assert inputs_of(encoder, other_value(rule)) == inputs_of(encoder, HouseRules()), rule.name
