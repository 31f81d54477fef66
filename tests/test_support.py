"""The rule set that tests share switches every house rule on, and reaches every situation of a deal."""

import random
from dataclasses import fields

from support.rules import EVERYTHING
from support.tables import choose

from euchre_env.actions import DEFEND_ALONE_ID, ORDER_UP_ID, PASS_ID
from euchre_env.deal import PHASES
from euchre_env.house_rules import HouseRules, differences
from euchre_env.table import Table


def test_everything_differs_from_the_defaults_in_every_house_rule():
    assert set(differences(HouseRules(), EVERYTHING)) == {rule.name for rule in fields(HouseRules)}


def test_random_play_under_everything_meets_every_phase_and_exception():
    seen, rng = set(), random.Random(1)
    for seed in range(100):
        table = Table(EVERYTHING, seed)
        while not table.is_over:
            legal, number = table.legal_actions(), table.deal_number
            seen.add(table.phase)
            if table.phase == "SECOND_ROUND" and PASS_ID not in legal:
                seen.add("a stuck dealer")
            if table.phase == "FIRST_ROUND" and ORDER_UP_ID not in legal:
                seen.add("a partner who may only call alone")
            action = choose(table, rng)
            if action == DEFEND_ALONE_ID:
                seen.add("a lone defender")
            table.step(action)
            if table.deal_number > number + 1:
                seen.add("a deal that is dealt again")
        seen.add(table.phase)
    assert seen - set(PHASES) == {
        "a stuck dealer",
        "a partner who may only call alone",
        "a lone defender",
        "a deal that is dealt again",
    }
    assert seen >= set(PHASES)
