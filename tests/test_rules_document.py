"""docs/rules.md agrees with the code about house rules, presets and reference figures."""

import re
from dataclasses import fields

import pytest
from support.paths import ROOT

from euchre_env.house_rules import PRESETS, HouseRules, differences, value_text
from euchre_eval.game_statistics import REFERENCE

RULES_PAGE = (ROOT / "docs/rules.md").read_text()


def table_rows(heading):
    """The cells of the first table below a heading, without its header."""
    section = re.split(rf"^#+ {heading}$", RULES_PAGE, flags=re.MULTILINE)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()[2:]]


def values(rule):
    """The values of a house rule as the page writes them, the default first."""
    allowed = rule.metadata["allowed"]
    if isinstance(allowed, range):
        return f"{rule.default}; whole numbers {allowed[0]} to {allowed[-1]}"
    return ", ".join(f"`{value_text(value)}`" for value in allowed)


def test_every_house_rule_is_listed_with_its_values():
    listed = [(name, allowed) for name, allowed, _, _ in table_rows("House rules")]
    assert listed == [(f"`{rule.name}`", values(rule)) for rule in fields(HouseRules)]


def test_every_house_rule_has_a_meaning_and_a_source():
    for name, _, meaning, source in table_rows("House rules"):
        assert meaning.endswith("."), name
        assert source, name


def test_every_preset_is_listed_with_its_changes():
    changes = {name: differences(PRESETS["standard"], rules) for name, rules in PRESETS.items()}
    assert table_rows("Presets") == [
        [f"`{name}`", ", ".join(f"`{rule}={value_text(value)}`" for rule, value in changed.items()) or "none"]
        for name, changed in changes.items()
    ]


@pytest.mark.parametrize("column", range(len(REFERENCE)))
def test_the_reference_figures_are_those_of_the_code(column):
    reference = list(REFERENCE.values())[column]
    deals, *shares, median, p90 = (row[1 + column] for row in table_rows("Reference table"))
    assert deals == f"{reference.deals:,}"
    assert shares == [
        f"{share:.1%}"
        for share in (
            reference.named_round_one, reference.named_round_two, reference.thrown_in, reference.makers_3_or_4,
            reference.makers_5, reference.euchred, reference.alone, reference.alone_swept,
        )
    ]  # fmt: skip
    assert (median, p90) == (str(reference.deals_per_game_median), str(reference.deals_per_game_p90))
