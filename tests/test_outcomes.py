"""The outcomes of a deal: their points under any house rules, and the counts that are shipped."""

import json
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from support.players import Answers, HighestLegal, LowestLegal
from support.rules import EVERY_RULE, EVERYTHING

from euchre_agents import RandomPolicy, load
from euchre_agents.outcomes import (
    KINDS,
    NUM_OUTCOMES,
    SHIPPED_COUNTS,
    THROWN_IN,
    OutcomeCounts,
    nearest_preset,
    outcomes_of,
    points_of_outcomes,
    read_outcome_counts,
)
from euchre_env.house_rules import PRESETS, HouseRules, parse_rules
from euchre_env.random_streams import training_seed
from euchre_env.tables import Tables
from euchre_eval.outcome_counts import count_outcomes

# The points of the dealer's team less the other's where it made trump, in the order of `KINDS`, by docs/rules.md.
POINTS = {
    "standard": [1, 2, 4, -2, -2, -4, -2, -2, -4],
    "standard,super_euchre=true": [1, 2, 4, -2, -2, -4, -4, -4, -4],
    "standard,march_points=3,lone_march_points=5,euchre_points=6,lone_euchred_points=1,lone_defender_points=7": [
        *[1, 3, 5, -6, -1, -7],
        *[-6, -1, -7],
    ],
    "pagat,super_euchre=true,euchre_points=0,lone_euchred_points=6,lone_defender_points=0": [
        *[1, 2, 4, 0, -6, 0],
        *[-4, -6, -4],
    ],
}


@pytest.mark.parametrize("rules", POINTS)
def test_outcomes_score_by_the_house_rules(rules):
    points = points_of_outcomes(parse_rules(rules)).tolist()
    assert points == POINTS[rules] + [-each for each in POINTS[rules]] + [0]


def random_results(rules, num_deals):
    """The results of random play of single deals."""
    tables, found = Tables(512, rules, seed=5, num_episodes=num_deals), []
    while len(tables):
        found.append(tables.step_at_random(seed=1))
    return np.concatenate(found)


@pytest.mark.compiled
def test_the_points_of_every_deal_are_those_of_its_outcome():
    seen = np.zeros(NUM_OUTCOMES, np.int64)
    for rules in [*EVERY_RULE, EVERYTHING]:
        results = random_results(rules, 4000)
        outcomes, dealers = outcomes_of(results), results["dealer"] & 1
        scored = results["points"][np.arange(len(results)), dealers]
        scored -= results["points"][np.arange(len(results)), 1 - dealers]
        assert np.array_equal(points_of_outcomes(rules)[outcomes], scored), str(rules)
        by_dealers = (results["maker"] - results["dealer"]) % 2 == 0
        assert np.array_equal(outcomes < len(KINDS), by_dealers)
        seen += np.bincount(outcomes, minlength=NUM_OUTCOMES)
    assert seen[:THROWN_IN].all(), "every outcome with a maker is tested"
    assert seen[THROWN_IN] == 0, "random players make trump before the eighth pass"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_nearest_to_itself(preset):
    assert nearest_preset(PRESETS[preset]) == preset


@pytest.mark.parametrize(
    ("rules", "preset"),
    [
        ("british,stick_the_dealer=true", "british"),
        ("standard,canadian_loner=any_call", "canadian"),
        ("british,canadian_loner=order_up", "canadian"),
        ("midwest,defend_alone=always", "tournament"),
        ("midwest,lone_lead=left_of_maker", "midwest"),
        ("tournament,lone_lead=left_of_maker", "tournament"),
        ("pagat,points_to_win=5,march_points=3,super_euchre=true,no_ace_no_face=same_dealer", "pagat"),
    ],
)
def test_other_rules_take_the_preset_whose_deals_come_out_most_alike(rules, preset):
    assert nearest_preset(parse_rules(rules)) == preset


SOME_COUNTS = OutcomeCounts(
    player="somebody",
    deals=100,
    seed=3,
    version="0.1.0",
    commit=None,
    counts=dict.fromkeys(PRESETS, (60, *[2] * (THROWN_IN - 2), 4, 4)),  # 100 deals, 4 of them thrown in
)


def test_shares_are_counts_over_their_sum():
    shares = SOME_COUNTS.shares(HouseRules())
    assert shares[0] == 60 / 100
    assert shares[THROWN_IN] == 4 / 100
    assert shares.sum() == pytest.approx(1)


def test_no_deal_is_thrown_in_by_a_dealer_who_is_stuck():
    shares = SOME_COUNTS.shares(parse_rules("british,stick_the_dealer=true"))
    assert shares[THROWN_IN] == 0
    assert shares[0] == 60 / 96
    assert shares.sum() == pytest.approx(1)


def test_counts_survive_being_written_and_read(tmp_path):
    different = {name: tuple(range(i, i + NUM_OUTCOMES)) for i, name in enumerate(PRESETS)}
    counts = replace(SOME_COUNTS, counts=different)
    (tmp_path / "counts.json").write_text(json.dumps(counts.as_json()))
    assert read_outcome_counts(tmp_path / "counts.json") == counts


def change(values, *path, to):
    """Set the value at `path` in nested dictionaries, or delete it if `to` is None."""
    for key in path[:-1]:
        values = values[key]
    if to is None:
        del values[path[-1]]
    else:
        values[path[-1]] = to


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (["format"], 2, "no format 1"),
        (["player"], None, "it holds"),
        (["counts", "british"], None, "not every preset"),
        (["counts", "dutch"], {"thrown in": 1}, "dealer's team"),
        (["counts", "pagat", "other team", "march"], None, "pagat has other outcomes than point, march"),
        (["counts", "pagat", "other team", "moon"], 1, "pagat has other outcomes than point, march"),
        (["counts", "pagat", "nobody"], 1, "pagat has other outcomes than point, march"),
        (["counts", "pagat", "other team", "march"], -1, "pagat needs 19 numbers of deals"),
        (["counts", "pagat", "other team", "march"], 1.5, "pagat needs 19 numbers of deals"),
        (["counts", "pagat", "thrown in"], True, "pagat needs 19 numbers of deals"),
    ],
)
def test_a_file_that_does_not_hold_counts_is_refused(tmp_path, path, to, message):
    values = SOME_COUNTS.as_json()
    change(values, *path, to=to)
    file = tmp_path / "counts.json"
    file.write_text(json.dumps(values))
    with pytest.raises(ValueError, match=f"{file} does not hold counts of outcomes: .*{message}"):
        read_outcome_counts(file)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"missing\.json cannot be read: No such file"):
        read_outcome_counts(tmp_path / "missing.json")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(ValueError, match=r"list\.json does not hold counts of outcomes: it has no format 1"):
        read_outcome_counts(tmp_path / "list.json")


def test_counts_without_any_maker_are_refused():
    with pytest.raises(ValueError, match="standard needs 19 numbers of deals, some with a maker"):
        replace(SOME_COUNTS, counts=dict.fromkeys(PRESETS, (*[0] * THROWN_IN, 7)))


# Counting


def counted(player, num_deals, rules="standard", **more):
    """The outcomes that occurred, with their numbers."""
    counts = count_outcomes(player, deals=num_deals, seed=0, rules=rules, **more)
    return {outcome: int(counts[outcome]) for outcome in np.flatnonzero(counts).tolist()}


@pytest.mark.compiled
def test_passers_throw_every_deal_in():
    assert counted(LowestLegal(), 6) == {THROWN_IN: 6}


@pytest.mark.compiled
def test_players_that_go_alone_at_once_make_trump_for_the_other_team():
    """The eldest hand goes alone in every deal, and there are no points and no euchres of two makers."""
    found = counted(HighestLegal(), 300)
    first = len(KINDS)
    kinds = list(KINDS)
    assert set(found) <= {
        first + kinds.index(kind) for kind in ("point", "lone march", "lone euchre", "lone super euchre")
    }
    assert sum(found.values()) == 300
    assert len(found) >= 3


@pytest.mark.compiled
def test_a_reneged_deal_is_not_counted():
    def raises(observation, action_mask):
        raise RuntimeError("out of ideas")

    assert counted(Answers(raises), 5) == {}


@pytest.mark.compiled
def test_counts_do_not_depend_on_the_batch_size():
    sizes = (1, 7, 1000)
    one, seven, all_at_once = (counted(RandomPolicy(seed=0), 50, "british", batch_size=size) for size in sizes)
    assert one == seven == all_at_once


@pytest.mark.compiled
def test_counting_reports_its_progress():
    told = []
    counted(LowestLegal(), 3, progress=lambda *what: told.append(what))
    assert told == [("deals", 1, 3), ("deals", 2, 3), ("deals", 3, 3)]


@pytest.mark.parametrize("arguments", [{"deals": 0}, {"deals": True}, {"seed": -1}, {"batch_size": 0}, {"rules": "x"}])
def test_an_impossible_argument_is_refused(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        count_outcomes(LowestLegal(), **({"deals": 1, "seed": 0} | arguments))


# The counts that are shipped


def test_the_shipped_counts_are_of_many_deals_at_a_known_commit():
    counts = read_outcome_counts(SHIPPED_COUNTS)
    assert counts.deals >= 100_000
    assert counts.commit is not None
    assert not counts.commit.endswith("-dirty")
    assert {sum(counts.counts[preset]) for preset in PRESETS} == {counts.deals}


@pytest.mark.compiled
@pytest.mark.parametrize("preset", ["standard", "tournament", "british"])
def test_the_shipped_counts_are_those_of_the_player_they_name(preset):
    """Fresh deals of the player agree within four standard errors in every outcome."""
    shipped, num_deals = read_outcome_counts(SHIPPED_COUNTS), 4000
    player = load(shipped.player)
    counted = count_outcomes(player, deals=num_deals, seed=training_seed(99), rules=preset) / num_deals
    for share, expected in zip(counted, shipped.shares(PRESETS[preset]), strict=True):
        assert abs(share - expected) <= 4 * sqrt(expected * (1 - expected) / num_deals) + 2 / num_deals
