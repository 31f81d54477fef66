"""The correction of a match by a cheap match on the same deals: unbiased, with an interval that holds, and a saving."""

import itertools
import json

import numpy as np
import pytest
from support.players import LowestLegal

from euchre_agents import load
from euchre_eval import play_match
from euchre_eval.cli import main
from euchre_eval.control_variate import NUM_FOLDS, corrected_match, corrected_mean, fold_coefficients
from euchre_eval.intervals import mean_of


def drawn(rng, number, correlation):
    """Margins of a match and of its surrogates on `number` deals, with means 0.3 and -0.5 and skewed like points."""
    common, own = rng.exponential(size=(2, number)) - 1
    surrogates = np.round(2 * common)
    return 0.3 + correlation * common + np.sqrt(1 - correlation**2) * own, surrogates - 0.5


def test_the_corrected_mean_is_unbiased_and_its_interval_holds():
    rng = np.random.default_rng(0)
    corrections = []
    for _ in range(4000):
        margins, surrogates = drawn(rng, 40, 0.8)
        corrections.append(corrected_mean(margins, surrogates, drawn(rng, 200, 0.8)[1]).points_per_deal)
    means = np.array([mean.mean for mean in corrections])
    assert abs(means.mean() - 0.3) < 4 * means.std() / np.sqrt(len(means))
    held = np.mean([mean.low <= 0.3 <= mean.high for mean in corrections])
    assert 0.92 < held < 0.97


def test_a_fixed_coefficient_moves_no_mean_over_all_choices_of_deals(monkeypatch):
    margins, surrogates = drawn(np.random.default_rng(1), NUM_FOLDS * 2 + 3, 0.5)
    monkeypatch.setattr("euchre_eval.control_variate.fold_coefficients", lambda x, y: np.full(len(x), 0.7))
    means = []
    for others in itertools.combinations(range(len(margins)), 3):
        chosen = np.setdiff1d(np.arange(len(margins)), others)
        means.append(corrected_mean(margins[chosen], surrogates[chosen], surrogates[list(others)]).points_per_deal.mean)
    assert np.mean(means) == pytest.approx(margins.mean(), abs=1e-12)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_the_saving_is_that_of_the_correlation(correlation):
    rng = np.random.default_rng(2)
    margins, surrogates = drawn(rng, 20_000, correlation)
    correction = corrected_mean(margins, surrogates, drawn(rng, 60_000, correlation)[1])
    assert correction.correlation == pytest.approx(correlation, abs=0.05)
    assert correction.saving == pytest.approx(0.75 * correction.correlation**2, abs=0.02)  # N / (n + N) = 3/4


def test_the_coefficient_of_a_deal_comes_from_other_deals():
    margins, surrogates = drawn(np.random.default_rng(3), 100, 0.8)
    changed = margins.copy()
    changed[:10] += 1000.0  # the first fold
    before, after = (fold_coefficients(each, surrogates) for each in (margins, changed))
    assert np.array_equal(before[:10], after[:10])
    assert (before[10:] != after[10:]).all()
    assert len(set(before.tolist())) == NUM_FOLDS


@pytest.mark.parametrize("same", ["margins", "surrogates"])
def test_a_match_that_is_the_same_on_every_deal_is_left_as_it_is(same):
    margins, surrogates = drawn(np.random.default_rng(4), 50, 0.5)
    if same == "margins":
        margins[:] = 1.0
    else:
        surrogates[:] = 1.0
    correction = corrected_mean(margins, surrogates, surrogates)
    assert correction.points_per_deal.mean == pytest.approx(margins.mean())
    assert correction.saving == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(correction.correlation)


@pytest.mark.parametrize("shapes", [((19,), (19,), (50,)), ((30,), (29,), (50,)), ((30,), (30,), (1,)), ((30, 1),) * 3])
def test_margins_of_other_shapes_are_refused(shapes):
    with pytest.raises(ValueError, match=r"the margins must have shapes \(n,\), \(n,\) and \(N,\)"):
        corrected_mean(*(np.zeros(shape) for shape in shapes))


@pytest.mark.compiled
def test_a_match_is_corrected_on_its_own_deals():
    players, surrogates = [load("rules"), load("random", seed=1)], [load("easy", seed=2), load("random", seed=1)]
    result = corrected_match(players, surrogates, deals=300, more_deals=900, seed=5, rules="pagat")
    match = play_match(*players, deals=300, seed=5, rules="pagat")
    assert result.match == match
    assert np.array_equal(result.match.margins, match.margins)
    margins = play_match(*surrogates, deals=1200, seed=5, rules="pagat").margins
    assert result.correction == corrected_mean(match.margins, margins[:300], margins[300:])
    assert result.correction.correlation > 0.5
    assert result.correction.saving > 0.2
    assert result.correction.points_per_deal.se < mean_of(match.margins).se
    assert result.seconds > 0
    assert result.surrogate_seconds > 0


@pytest.mark.compiled
def test_the_command_prints_both_means_and_the_saving(capsys):
    arguments = ["control-variate", "rules", "random", "--surrogates", "easy", "random", "--deals", "200"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("rules against random: ")
    assert lines[1].startswith("corrected by easy and random on 2200 deals x 2: ")
    assert lines[2].startswith("variance saved: ")
    assert main([*arguments, "--more-deals", "100", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["match"]["pairs"], report["surrogates"]["pairs"]) == (200, 300)
    assert report["correction"]["points_per_deal"]["se"] > 0


def test_surrogates_that_may_remember_earlier_deals_are_refused():
    class Resets(LowestLegal):
        """Declares that it forgets a deal before the next one."""

        def reset(self, seat, seed):
            pass

    players = [load("rules"), load("random", seed=1)]
    with pytest.raises(ValueError, match="surrogate 'memory' may remember earlier deals, and then the correction is b"):
        corrected_match(players, [load("easy", seed=2), LowestLegal()], deals=20, surrogate_names=["easy", "memory"])
    result = corrected_match(players, [load("easy", seed=2), Resets()], deals=20, more_deals=2)
    assert result.surrogates.pairs == 22


@pytest.mark.compiled
def test_surrogates_that_see_all_cards_are_marked():
    players, surrogates = [load("rules"), load("easy", seed=2)], [load("oracle"), load("easy", seed=2)]
    result = corrected_match(players, surrogates, deals=20, more_deals=2, allow_cheating=True)
    assert str(result).splitlines()[1].startswith("corrected by oracle (sees all cards) and easy on 22 deals x 2: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rules random --surrogates easy", "a match takes two players, or four"),
        ("rules --surrogates easy random", "a match takes two players, or four"),
        ("rules random --surrogates easy random --deals 19", "deals must be a whole number from 20"),
        ("rules random --surrogates easy random --more-deals 1", "more_deals must be a whole number from 2"),
        ("rules random --surrogates easy nobody", "unknown player 'nobody'"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments, message, capsys):
    assert main(["control-variate", *arguments.split()]) == 2
    assert message in capsys.readouterr().err
