"""House rules: a frozen dataclass with one field for each point on which euchre tables differ, and the presets.

The meaning, default and source of each: docs/rules.md, "House rules".
"""

import dataclasses
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from euchre_env.checks import did_you_mean, parse_digits, shortened
from euchre_env.kernel import Record, Records, records

Allowed: TypeAlias = tuple[Any, ...] | range


def _flag() -> bool:
    return field(default=False, metadata={"allowed": (False, True)})


def _choice(*allowed: Any) -> Any:
    return field(default=allowed[0], metadata={"allowed": allowed})


def _number(default: int, lowest: int, highest: int) -> int:
    return field(default=default, metadata={"allowed": range(lowest, highest + 1)})


def _is_allowed(value: object, allowed: Allowed) -> bool:
    """Whether `value` is one of `allowed`; True is not 1, and 10.0 is not 10."""
    kind = type(allowed[0])
    return (type(value) is kind or (kind is int and isinstance(value, np.integer))) and value in allowed


def _listed(allowed: Allowed) -> str:
    if isinstance(allowed, range):
        return f"a whole number from {allowed[0]} to {allowed[-1]}"
    return "one of " + ", ".join(repr(value) for value in allowed)


@dataclass(frozen=True)
class HouseRules:
    """The rules of one table.

    Raises:
        ValueError: if a value is not allowed; the message names the rule, what came and what is allowed.
    """

    stick_the_dealer: bool = _flag()
    """The dealer must name a suit in round two ("screw the dealer")."""
    stuck_dealer_any_suit: bool = _flag()
    """The stuck dealer may also name the turned-down suit."""
    points_to_win: int = _number(10, 1, 99)
    """A team with this many points or more may win the game; 5, 7, 10 and 11 are common."""
    win_by: int = _choice(1, 2)
    """The winner must lead by this much; 2 is an older variant."""
    lone_lead: str = _choice("eldest", "left_of_maker", "eldest_else_left_of_maker")
    """Who leads when the maker is alone: the first active seat left of the dealer; the first active seat left of the
    maker (pagat.com); or as `eldest`, unless the eldest hand is the maker's partner, then as `left_of_maker` (printed
    rule books)."""
    canadian_loner: str = _choice("off", "order_up", "any_call")
    """The dealer's partner may order up, or make trump at all, only by going alone."""
    dealer_sits_out_exchange: bool = _flag()
    """When the dealer's partner orders up alone, the dealer still takes the upcard and discards before sitting out."""
    discard_upcard: bool = _choice(True, False)
    """The dealer may discard the card just picked up."""
    defend_alone: str = _choice("never", "against_loner", "always")
    """A defender may sit its partner out: never, against a lone maker only, or against any maker."""
    defend_poll_from: str = _choice("eldest", "left_of_maker")
    """Which defender is asked first: the first one left of the dealer, or left of the maker."""
    no_ace_no_face: str = _choice("off", "same_dealer", "next_dealer")
    """A deal in which some hand has no ace, king, queen, jack or Benny is dealt again: by the same dealer, or by the
    next."""
    throw_in_dealer: str = _choice("left", "same")
    """Who deals after a thrown-in deal."""
    benny: bool = _flag()
    """British euchre: the two of spades is a 25th card and the highest trump of all."""
    march_points: int = _number(2, 0, 20)
    """The makers' points for all five tricks with both partners playing."""
    lone_march_points: int = _number(4, 0, 20)
    """The makers' points for all five tricks alone."""
    euchre_points: int = _number(2, 0, 20)
    """The defenders' points when makers who both play are euchred."""
    lone_euchred_points: int = _number(2, 0, 20)
    """The defenders' points when a lone maker is euchred."""
    lone_defender_points: int = _number(4, 0, 20)
    """The defenders' points when a lone defender euchres the makers, alone or not; replaces the two entries above."""
    super_euchre: bool = _flag()
    """Makers who take no trick at all cost 4 points, or what they would cost anyway if that is more."""

    def __post_init__(self) -> None:
        for rule in fields(self):
            value, allowed = getattr(self, rule.name), rule.metadata["allowed"]
            if not _is_allowed(value, allowed):
                raise ValueError(f"house rule {rule.name!r} is {_listed(allowed)}, not {shortened(value)}")
            if isinstance(value, np.integer):
                object.__setattr__(self, rule.name, int(value))

    def packed(self) -> Any:
        """The rules as a record array of one, for the kernels: choices by their position among the allowed values."""
        array = records(1, RULES)
        for rule in fields(self):
            value, allowed = getattr(self, rule.name), rule.metadata["allowed"]
            array[rule.name] = allowed.index(value) if isinstance(value, str) else int(value)
        return array

    def __deepcopy__(self, memo: dict[int, Any]) -> "HouseRules":
        return self  # immutable, so no copy is needed; a table is copied five times faster

    @classmethod
    def unpacked(cls, record: Record) -> "HouseRules":
        """The rules that `packed` made `record` from."""
        values: dict[str, Any] = {}
        for rule in fields(cls):
            value, allowed = int(record[rule.name]), rule.metadata["allowed"]
            if isinstance(rule.default, str):
                values[rule.name] = allowed[value]
            else:
                values[rule.name] = bool(value) if isinstance(rule.default, bool) else value
        return cls(**values)

    def __str__(self) -> str:
        """The shortest text that `parse_rules` reads back: a preset and what differs from it."""
        texts = (
            ",".join([name, *(f"{key}={value_text(value)}" for key, value in differences(preset, self).items())])
            for name, preset in PRESETS.items()
        )
        return min(texts, key=lambda text: text.count(","))


# Every house rule as an int64, in the order of the dataclass: flags as 0 and 1, choices by position.
RULES = np.dtype([(rule.name, np.int64) for rule in fields(HouseRules)], align=True)


def _code(rule: str, choice: str) -> int:
    """The number of `choice` in a record of dtype RULES: its position among the rule's choices."""
    return next(field.metadata["allowed"].index(choice) for field in fields(HouseRules) if field.name == rule)


# The choices that kernels compare with, as numbers in records.
LEAD_LEFT_OF_MAKER = _code("lone_lead", "left_of_maker")
LEAD_ELDEST_ELSE_LEFT_OF_MAKER = _code("lone_lead", "eldest_else_left_of_maker")
CANADIAN_OFF = _code("canadian_loner", "off")
CANADIAN_ANY_CALL = _code("canadian_loner", "any_call")
DEFEND_NEVER = _code("defend_alone", "never")
DEFEND_AGAINST_LONER = _code("defend_alone", "against_loner")
POLL_FROM_LEFT_OF_MAKER = _code("defend_poll_from", "left_of_maker")
REDEAL_OFF = _code("no_ace_no_face", "off")
REDEAL_SAME_DEALER = _code("no_ace_no_face", "same_dealer")
THROW_IN_SAME = _code("throw_in_dealer", "same")

PRESETS = {
    "standard": HouseRules(),
    "pagat": HouseRules(lone_lead="left_of_maker"),
    "midwest": HouseRules(stick_the_dealer=True),
    "printed": HouseRules(lone_lead="eldest_else_left_of_maker"),
    "tournament": HouseRules(defend_alone="against_loner"),
    "canadian": HouseRules(stick_the_dealer=True, canadian_loner="order_up"),
    "british": HouseRules(benny=True),
}

RulesLike: TypeAlias = HouseRules | str


def parse_rules(rules: RulesLike) -> HouseRules:
    """Parse text, a preset's name and changes to it, as house rules; `HouseRules` are returned unchanged.

    >>> parse_rules("pagat,stick_the_dealer=true").lone_lead
    'left_of_maker'

    Raises:
        ValueError: if the preset, a rule or a value is unknown, or a rule is given twice.
    """
    if isinstance(rules, HouseRules):
        return rules
    if not isinstance(rules, str):
        raise ValueError(f"rules are HouseRules or text such as 'pagat,stick_the_dealer=true', not {shortened(rules)}")
    name, *changes = (part.strip() for part in rules.split(","))
    if "=" in name:
        preset = next(iter(PRESETS))
        raise ValueError(f"rules begin with a preset, as in '{preset},{name}', not with {shortened(name)}")
    if name not in PRESETS:
        raise ValueError(f"unknown rules {shortened(name)}{did_you_mean(name, PRESETS)}; presets: {', '.join(PRESETS)}")
    values: dict[str, Any] = {}
    for change in changes:
        key, equals, text = (part.strip() for part in change.partition("="))
        if not equals:
            raise ValueError(f"{shortened(change)} in rules {shortened(rules)} is not of the form house_rule=value")
        if key in values:
            raise ValueError(f"rules {shortened(rules)} have {shortened(key)} twice")
        values[key] = _value(text)
    return changed(PRESETS[name], values)


def changed(rules: HouseRules, changes: dict[str, Any]) -> HouseRules:
    """`rules` with some values changed.

    Raises:
        ValueError: if a rule is unknown or a value not allowed.
    """
    for key in changes:
        if key not in RULES.fields:  # type: ignore[operator]  # RULES has named fields
            names = list(RULES.names or ())
            raise ValueError(
                f"unknown house rule {shortened(key)}{did_you_mean(key, names)}; house rules: {', '.join(names)}"
            )
    return dataclasses.replace(rules, **changes)


def differences(preset: HouseRules, rules: HouseRules) -> dict[str, Any]:
    """The house rules in which `rules` differ from `preset`, with the values they have in `rules`."""
    return {
        rule.name: getattr(rules, rule.name)
        for rule in fields(rules)
        if getattr(preset, rule.name) != getattr(rules, rule.name)
    }


def value_text(value: object) -> str:
    """The value of a house rule as `parse_rules` reads it.

    >>> value_text(True), value_text(10)
    ('true', '10')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(text: str) -> bool | int | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    number = parse_digits(text)
    return text if number is None else number


def largest_scores(rules: Records) -> np.ndarray:
    """The most points that a team can score in a deal under each of `rules`, dtype RULES, (n,): int64, (n,).

    >>> largest_scores(HouseRules().packed()), largest_scores(HouseRules(lone_march_points=2).packed())
    (array([4]), array([2]))

    Source: docs/rules.md, "Score".
    """
    scores = [np.ones(len(rules), np.int64)]  # for three or four tricks
    scores += [rules[name] for name in ("march_points", "lone_march_points", "euchre_points", "lone_euchred_points")]
    scores.append(np.where(rules["defend_alone"] != DEFEND_NEVER, rules["lone_defender_points"], 0))
    scores.append(np.where(rules["super_euchre"], 4, 0))
    return np.maximum.reduce(scores)
