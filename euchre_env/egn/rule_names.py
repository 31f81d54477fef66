"""The rules of a game as the notation names them, and as house rules."""

from dataclasses import fields
from typing import Any

from euchre_env.checks import shortened
from euchre_env.egn.places import EgnError, Place
from euchre_env.house_rules import HouseRules

# The house rule that each rule of the notation is, with the notation's default.
NUMBERS = {
    "winning_score": ("points_to_win", 10),
    "loner_march_score": ("lone_march_points", 4),
    "loner_euchred_score": ("lone_euchred_points", 2),
}
CHOICES: dict[str, tuple[str, dict[Any, bool | str], bool | str]] = {
    "std": ("stick_the_dealer", {True: True, False: False}, True),
    "canadian": ("canadian_loner", {True: "order_up", False: "off"}, False),
    "loner_lead": ("lone_lead", {"LEFT_OF_DEALER": "eldest", "LEFT_OF_LONER": "left_of_maker"}, "LEFT_OF_DEALER"),
    "defend_alone": ("defend_alone", {True: "against_loner", False: "never"}, False),
    "joker": ("benny", {True: True, False: False}, False),
}
# The rules that we do not have, each with the one value that switches it off.
OTHERS: dict[str, bool | int] = {
    "min_rank": 9,
    "farmers": False,
    "partners_best": False,
    "go_under": False,
    "num_players": 4,
    "allow_no_trump": False,
    "fast_break": False,
    "four_trick_tokens": False,
}
# Left out where it is written: 1.4 forbids it beside `winning_score`, and 0, no limit, is its default.
NUM_DEALS = "num_deals"
RULE_NAMES = (*NUMBERS, *CHOICES, *OTHERS, NUM_DEALS)


def house_rules(place: Place) -> HouseRules:
    """The house rules of a `ruleset`; a rule that it lacks has the notation's default, not ours.

    Raises:
        EgnError: if a rule is unknown, has no such value, or is one that this project does not have.
    """
    members = place.members(RULE_NAMES)
    values: dict[str, Any] = {}
    for name, value in OTHERS.items():
        if name in members and _value(members[name], value) != value:
            members[name].refuse(f"this project does not have the rule {name}, which is {members[name].value} here")
    if NUM_DEALS in members and members[NUM_DEALS].number(0, 10**9) > 0:
        members[NUM_DEALS].refuse("this project does not have the rule num_deals, a fixed number of deals")
    for name, (rule, default) in NUMBERS.items():
        allowed = next(field.metadata["allowed"] for field in fields(HouseRules) if field.name == rule)
        if name == "winning_score" and name in members and members[name].value == 0:
            members[name].refuse(
                "without a score to win there must be num_deals, a rule that this project does not have"
            )
        values[rule] = members[name].number(allowed[0], allowed[-1]) if name in members else default
    for name, (rule, meanings, default) in CHOICES.items():
        value = _value(members[name], default) if name in members else default
        if value not in meanings:
            members[name].refuse(f"{shortened(value)} is none of {', '.join(map(repr, meanings))}")
        values[rule] = meanings[value]
    return HouseRules(**values)


def _value(place: Place, like: bool | int | str) -> bool | int | str:
    """The value at `place`, of the kind of `like`."""
    if isinstance(like, bool):
        return place.flag()
    return place.number(-(10**9), 10**9) if isinstance(like, int) else place.text()


def ruleset(rules: HouseRules) -> dict[str, bool | int | str]:
    """The `ruleset` of house rules, with every rule of version 1.4, in the order of its documentation.

    Raises:
        EgnError: if a house rule has a value that the notation cannot say; the message names it.
    """
    names: dict[str, bool | int | str] = {name: getattr(rules, rule) for name, (rule, _) in NUMBERS.items()}
    expressed = {rule for rule, _ in NUMBERS.values()}
    for name, (rule, meanings, _) in CHOICES.items():
        said = [value for value, meaning in meanings.items() if meaning == getattr(rules, rule)]
        if said:
            names[name] = said[0]
            expressed.add(rule)
    for field in fields(HouseRules):
        value = getattr(rules, field.name)
        if field.name not in expressed and value != field.default:
            raise EgnError("", f"the notation cannot say that the house rule {field.name!r} is {value!r}")
    names |= OTHERS
    return {name: names[name] for name in RULE_NAMES if name in names}
