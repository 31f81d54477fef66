"""The class of house rules: defaults, presets, refused values, and conversion to text and records.

The effect of a rule on the game is tested with that part of the game.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.tables import ANY_RULES, HOUSE_RULES

from euchre_env.house_rules import PRESETS, HouseRules, changed, parse_rules
from euchre_env.kernel import row

# docs/rules.md, "House rules": the default, then every other value that may be chosen.
TABLE: dict[str, tuple[Any, ...]] = {
    "stick_the_dealer": (False, True),
    "stuck_dealer_any_suit": (False, True),
    "points_to_win": (10, *range(1, 100)),
    "win_by": (1, 2),
    "lone_lead": ("eldest", "left_of_maker", "eldest_else_left_of_maker"),
    "canadian_loner": ("off", "order_up", "any_call"),
    "dealer_sits_out_exchange": (False, True),
    "discard_upcard": (True, False),
    "defend_alone": ("never", "against_loner", "always"),
    "defend_poll_from": ("eldest", "left_of_maker"),
    "no_ace_no_face": ("off", "same_dealer", "next_dealer"),
    "throw_in_dealer": ("left", "same"),
    "benny": (False, True),
    "march_points": (2, *range(21)),
    "lone_march_points": (4, *range(21)),
    "euchre_points": (2, *range(21)),
    "lone_euchred_points": (2, *range(21)),
    "lone_defender_points": (4, *range(21)),
    "super_euchre": (False, True),
}
PRESET_TABLE: dict[str, dict[str, Any]] = {
    "standard": {},
    "pagat": {"lone_lead": "left_of_maker"},
    "midwest": {"stick_the_dealer": True},
    "printed": {"lone_lead": "eldest_else_left_of_maker"},
    "tournament": {"defend_alone": "against_loner"},
    "canadian": {"stick_the_dealer": True, "canadian_loner": "order_up"},
    "british": {"benny": True},
}


def test_these_are_the_house_rules():
    assert list(HOUSE_RULES) == list(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_default_of(name):
    assert getattr(HouseRules(), name) == TABLE[name][0]


def test_these_are_the_presets():
    assert {name: HouseRules(**values) for name, values in PRESET_TABLE.items()} == PRESETS


@pytest.mark.parametrize("name", TABLE)
def test_every_value_is_accepted_and_travels_as_text_and_as_record(name):
    for value in TABLE[name]:
        rules = HouseRules(**{name: value})
        assert getattr(rules, name) == value
        assert type(getattr(rules, name)) is type(value)
        assert parse_rules(str(rules)) == rules
        assert HouseRules.unpacked(row(rules.packed())) == rules


WRONG: dict[type, tuple[Any, ...]] = {
    bool: (0, 1, "true", None),
    int: (True, 2.0, "2", None, -1, 100),
    str: ("", "Eldest", 0, True, None),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_value_outside_the_table_is_refused_by_name(name):
    for value in WRONG[type(TABLE[name][0])]:
        with pytest.raises(ValueError, match=rf"house rule '{name}' is .+, not {value!r}"):
            HouseRules(**{name: value})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"points_to_win": 0}, "house rule 'points_to_win' is a whole number from 1 to 99, not 0"),
        ({"march_points": 21}, "house rule 'march_points' is a whole number from 0 to 20, not 21"),
        ({"win_by": 3}, "house rule 'win_by' is one of 1, 2, not 3"),
        ({"benny": "yes"}, "house rule 'benny' is one of False, True, not 'yes'"),
        ({"lone_lead": "maker"}, "'eldest', 'left_of_maker', 'eldest_else_left_of_maker', not 'maker'"),
    ],
)
def test_the_message_says_what_is_allowed(values, message):
    with pytest.raises(ValueError, match=message):
        HouseRules(**values)


@given(ANY_RULES)
def test_rules_travel_as_text_and_as_record(rules):
    assert parse_rules(str(rules)) == rules
    assert HouseRules.unpacked(row(rules.packed())) == rules
    assert parse_rules(rules) is rules


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_written_by_its_name(preset):
    assert str(PRESETS[preset]) == preset


def test_text_names_the_nearest_preset():
    assert str(HouseRules(stick_the_dealer=True, canadian_loner="any_call")) == "midwest,canadian_loner=any_call"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("pagat", HouseRules(lone_lead="left_of_maker")),
        (" pagat , stick_the_dealer = True ", HouseRules(lone_lead="left_of_maker", stick_the_dealer=True)),
        ("standard,points_to_win=5,win_by=2", HouseRules(points_to_win=5, win_by=2)),
        ("midwest,stick_the_dealer=false", HouseRules()),
    ],
)
def test_text_is_read(text, rules):
    assert parse_rules(text) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pagatt", "unknown rules 'pagatt'; did you mean 'pagat'"),
        ("", "unknown rules ''"),
        ("march_points=1", "rules begin with a preset, as in 'standard,march_points=1', not with 'march_points=1'"),
        ("pagat,stick_teh_dealer=true", "unknown house rule 'stick_teh_dealer'; did you mean 'stick_the_dealer'"),
        ("pagat,stick_the_dealer", "'stick_the_dealer' in rules .+ is not of the form house_rule=value"),
        ("pagat,stick_the_dealer=1", "house rule 'stick_the_dealer' is one of False, True, not 1"),
        ("pagat,points_to_win=ten", "house rule 'points_to_win' is a whole number from 1 to 99, not 'ten'"),
        ("pagat,points_to_win=-5", "not '-5'"),
        ("pagat,win_by=2,win_by=1", "rules 'pagat,win_by=2,win_by=1' have 'win_by' twice"),
        (10, "rules are HouseRules or text"),
        (None, "rules are HouseRules or text"),
    ],
)
def test_text_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_rules(text)


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="unknown house rule 'bennie'; did you mean 'benny'"):
        changed(HouseRules(), {"bennie": True})


def test_an_option_that_never_comes_into_play_is_accepted():
    assert HouseRules(stuck_dealer_any_suit=True, stick_the_dealer=False).stuck_dealer_any_suit


def test_a_whole_number_of_numpy_is_kept_as_one_of_python():
    rules = HouseRules(points_to_win=np.int64(7))  # type: ignore[arg-type]  # that it is taken is the point
    assert rules == HouseRules(points_to_win=7)
    assert type(rules.points_to_win) is int


def test_rules_cannot_be_changed_and_can_be_compared():
    with pytest.raises(AttributeError):
        HouseRules().benny = True  # type: ignore[misc]  # that it is refused is the point
    assert len({HouseRules(), HouseRules(benny=False), HouseRules(benny=True)}) == 2
