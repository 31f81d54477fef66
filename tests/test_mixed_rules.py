"""One batch under many rule sets: every episode is the same as in a batch of its rules alone."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from support.rules import EVERY_RULE

from euchre_env.actions import IllegalActionError
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.lockstep import RENEGE
from euchre_env.tables import Tables

NUM_RULES = len(EVERY_RULE)
FIRST = 3  # so that `k mod n` is told from the position in the batch


def course(tables, reneging=False):
    """The course of each episode: the observations and actions of each decision, and the results of its deals."""
    events = defaultdict(list)
    while len(tables):
        episodes, actions, keys = tables.episodes.tolist(), tables.random_actions(1), tables.decision_keys(2)
        if reneging:
            actions[keys % 16 == 0] = RENEGE
        seen = [
            *tables.observations(),
            *tables.observations(relative_suits=True),
            tables.views(),
            tables.legal_actions(),
            tables.states(),
            tables.hidden(),
            tables.deals(),
            tables.frames,
            tables.scores,
            actions,
            keys,
        ]
        for row, episode in enumerate(episodes):
            events[episode].append([part[row].tobytes() for part in seen])
        for result in tables.step(actions, "renege" if reneging else "raise"):
            events[int(result["episode"])].append(result.tobytes())
    return events


@pytest.mark.compiled
@pytest.mark.parametrize("size", [1, 6, 1000])
@pytest.mark.parametrize(
    ("episode", "skip_forced", "reneging"),
    [("deal", False, False), ("deal", True, True), ("game", False, True), ("game", True, False)],
)
def test_every_episode_goes_as_it_would_under_its_rules_alone(episode, skip_forced, reneging, size):
    number = 4 * NUM_RULES + 1 if episode == "deal" else NUM_RULES + 1
    fixed: Any = {
        "seed": 5,
        "episode": episode,
        "num_episodes": number,
        "first_episode": FIRST,
        "skip_forced": skip_forced,
    }
    mixed = course(Tables(size, EVERY_RULE, **fixed), reneging)
    assert sorted(mixed) == list(range(FIRST, FIRST + number))
    for index, rules in enumerate(EVERY_RULE):
        alone = course(Tables(50, rules, **fixed), reneging)
        for k in range(FIRST, FIRST + number):
            if k % NUM_RULES == index:
                assert mixed[k] == alone[k], (rules, k)


@pytest.mark.compiled
def test_rule_sets_make_a_difference_that_the_comparison_would_see():
    courses = [course(Tables(50, rules, seed=5, num_episodes=40)) for rules in EVERY_RULE]
    assert all(one != other for i, one in enumerate(courses) for other in courses[:i])


def test_rows_say_which_rule_set_they_are_played_under():
    tables = Tables(5, ["pagat", HouseRules(benny=True), "midwest,win_by=2"], seed=1, num_episodes=40, first_episode=2)
    expected = tuple(map(parse_rules, ("pagat", "british", "midwest,win_by=2")))
    assert tables.rule_sets == expected
    while len(tables):
        assert tables.rules_indices.tolist() == (tables.episodes % 3).tolist()
        for view, index in zip(tables.views(), tables.rules_indices, strict=True):
            assert HouseRules.unpacked(view["rules"]) == expected[index]
        tables.step_at_random(0)


def test_one_rule_set_is_a_list_of_one():
    assert course(Tables(3, "pagat", seed=2, num_episodes=9)) == course(Tables(3, ["pagat"], seed=2, num_episodes=9))


def test_legality_depends_on_the_rules_of_the_row():
    tables = Tables(2, ["standard", "canadian"], dealer=2)
    tables.step(np.array([25, 25]))
    assert tables.turns.tolist() == [0, 0]  # the dealer's partner, who in Canada may order up alone only
    with pytest.raises(IllegalActionError, match=r"row 1, episode 1\); legal: pass, order up alone"):
        tables.step(np.array([26, 26]))
    assert tables.step(np.array([26, 26]), "renege")["episode"].tolist() == [1]


def test_no_rules_are_the_standard_ones():
    assert Tables(1, None).rule_sets == (HouseRules(),)


@pytest.mark.parametrize("rules", [[], (), 7, {"benny": True}, np.array(["pagat"]), ["pagat", None], [["pagat"]]])
def test_other_lists_of_rules_are_refused(rules):
    with pytest.raises(ValueError, match="rules are HouseRules"):
        Tables(1, rules)
