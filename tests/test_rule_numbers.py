"""The numbers of the rule-based player: each does what it says, and those of `rules` choose as they always did."""

import hashlib
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from support.paths import ROOT
from support.rule_bot_choices import view_in_trick
from support.rules import RULE_SETS
from support.tables import play, table_with

from euchre_agents import RuleBot, load
from euchre_agents.rule_bot import RuleNumbers
from euchre_agents.rule_bot.bidding import call_count
from euchre_agents.rule_bot.numbers import PLACES, RULES, TRUMPS, TUNED
from euchre_env.actions import ACTION_NAMES
from euchre_env.cards import SPADES
from euchre_env.kernel import row
from euchre_env.tables import Tables
from euchre_env.view import ME

FOUR_PASSES = "pass,pass,pass,pass"


def test_the_choices_of_the_baseline_have_not_moved():
    """The digest was taken before the numbers became arguments."""
    digest, bot = hashlib.sha256(), RuleBot(seed=0)
    for rules in RULE_SETS.values():
        tables = Tables(40, rules, seed=11, num_episodes=40)
        while len(tables):
            chosen = bot.act_views(tables.views(), tables.decision_keys(0))
            digest.update(chosen.tobytes())
            at_random = tables.random_actions(3)
            tables.step(np.where(tables.decision_keys(7) % 3 > 0, chosen, at_random))
    assert digest.hexdigest() == "c075f4c17e857b9c99ea807e8813b9ec06af9175158e12c9966e23431c335754"


def changed(name, value, place=None):
    """The numbers of the baseline with another value, at a place of a tuple if one is given."""
    if place is None:
        return replace(RULES, **{name: value})
    values = list(getattr(RULES, name))
    values[place] = value
    return replace(RULES, **{name: tuple(values)})


def choice(table, numbers):
    bot = RuleBot(numbers=numbers)
    first = bot.explain(table.view())[0]
    return ACTION_NAMES[first.action], first.reason


def bidding(place, hand, upcard="9S", second_round=False):
    """A table at which the seat at a place of the order of bidding is about to bid with `hand`."""
    seat = (place + 1) % 4  # seat 0 deals
    hands = [""] * 4
    hands[seat] = hand
    table = table_with(hands, upcard=upcard, dealer=0)
    passes = ["pass"] * (place + 4 * second_round)
    return play(table, ",".join(passes)) if passes else table


@pytest.mark.parametrize("place", range(4), ids=PLACES)
def test_each_seat_has_its_threshold_in_each_round(place):
    first = bidding(place, "JS AS AH TH 9D")
    second = bidding(place, "JS AS AH TH 9D", upcard="9H", second_round=True)
    for table, name, call in ((first, "call_at_first", "order up"), (second, "call_at_second", "name spades")):
        count = call_count(table.view(), SPADES, row(RULES.packed()))
        for other in range(4):
            at, above = (choice(table, changed(name, count + more, other))[0] for more in (0, 1))
            assert (at, above) == ((call, "pass") if other == place else (choice(table, RULES)[0],) * 2)


@pytest.mark.parametrize("place", range(4), ids=PLACES)
def test_each_seat_has_its_bonus_for_next(place):
    table = bidding(place, "JC QC TC JS 9D", upcard="9S", second_round=True)
    counted = [call_count(table.view(), suit, row(changed("next_bonus", 70, place).packed())) for suit in range(3)]
    without = [call_count(table.view(), suit, row(changed("next_bonus", 0, place).packed())) for suit in range(3)]
    assert np.subtract(counted, without).tolist() == [70, 0, 0]  # clubs have the colour of the spade turned down


@pytest.mark.parametrize(("name", "place", "sign"), [("partner", 1, 1), ("opponent", 0, -1), ("opponent", 2, -1)])
def test_the_share_of_the_upcard_is_added_or_subtracted(name, place, sign):
    table = bidding(place, "JC 9H TH 9D TD", upcard="KS")
    counts = [
        call_count(table.view(), SPADES, row(replace(RULES, **{f"upcard_to_{name}": share}).packed()))
        for share in (0, 100)
    ]
    assert counts == [250, 250 + sign * 170]


def test_cards_and_voids_count_what_the_numbers_say():
    values = (1, 2, 3, 4, 5, 6, 7, 8)
    numbers = row(RuleNumbers(trumps=values, other_ace=1000, void=10_000).packed())
    cards = dict(zip(TRUMPS, ["9S", "TS", "QS", "KS", "AS", "JC", "JS"], strict=False))
    for place, card in enumerate(cards.values()):
        table = bidding(0, f"{card} AH TH AD 9C", upcard="9H", second_round=True)
        assert call_count(table.view(), SPADES, numbers) == values[place] + 2000
    table = bidding(0, "9S TS TH QH KH", upcard="9H", second_round=True)
    assert call_count(table.view(), SPADES, numbers) == 1 + 2 + 2 * 10_000


def test_a_lone_hand_may_have_losers_and_needs_trumps():
    three, loser = bidding(0, "JS AS KS AH AD"), bidding(0, "JS AS KS AH 9D")
    assert choice(three, RULES)[0] == "order up alone"
    assert choice(loser, RULES)[0] == "order up"
    call, reason = choice(loser, changed("lone_losers", 1))
    assert call == "order up alone"
    assert "three trumps or more, and at most one that are no aces beside them" in reason
    assert choice(three, changed("lone_trumps", 4))[0] == "order up"


def test_the_maker_leads_trump_from_the_number_on():
    view = view_in_trick("JS 9S AH KH AD", maker=ME)
    for number, card in ((2, "JS"), (3, "AD")):
        first = RuleBot(numbers=changed("lead_trumps", number)).explain(view)[0]
        assert ACTION_NAMES[first.action] == card


def test_wrong_numbers_are_refused_by_name():
    with pytest.raises(ValueError, match=r"call_at_first must be 4 whole numbers, not \(600, 600\)"):
        RuleNumbers(call_at_first=(600, 600))
    with pytest.raises(ValueError, match=r"void must be a whole number, not 0\.5"):
        RuleNumbers(void=0.5)  # type: ignore[arg-type]  # what is tested


def test_a_player_with_other_numbers_survives_pickling():
    numbers = changed("call_at_first", 100, 0)
    bot = pickle.loads(pickle.dumps(RuleBot(seed=1, numbers=numbers, name="mine")))
    assert (bot.name, bot.numbers) == ("mine", numbers)
    view = bidding(0, "QS TS QH KH AD").view()
    assert ACTION_NAMES[bot.explain(view)[0].action] == "order up"


def test_the_tuned_numbers_are_those_that_the_sweep_found():
    record = json.loads((ROOT / "docs" / "rules_tuned.json").read_text())
    found = {name: tuple(given) if isinstance(given, list) else given for name, given in record["numbers"].items()}
    assert RuleNumbers(**found) == TUNED == load("rules_tuned", seed=1).numbers  # type: ignore[attr-defined]
