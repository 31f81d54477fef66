"""Means, shares and their intervals, against published values and worked examples."""

from math import isnan, sqrt

import numpy as np
import pytest

from euchre_eval.intervals import mean_of, share_of


def test_the_mean_of_samples_has_a_normal_interval():
    mean = mean_of(np.array([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]))  # sum of squared deviations 32
    assert mean.mean == 5
    assert mean.se == pytest.approx(sqrt(32 / 7 / 8))
    assert (mean.low, mean.high) == pytest.approx((5 - 1.959964 * mean.se, 5 + 1.959964 * mean.se))


def test_ninety_five_intervals_in_a_hundred_hold_the_true_mean():
    rng = np.random.default_rng(0)
    intervals = [mean_of(rng.choice([-2.0, 0.0, 1.0], size=400, p=[0.2, 0.4, 0.4])) for _ in range(2000)]
    share = np.mean([interval.low <= 0 <= interval.high for interval in intervals])
    assert abs(share - 0.95) < 3 * sqrt(0.95 * 0.05 / 2000)


def test_one_sample_leaves_the_spread_unknown():
    mean = mean_of(np.array([1.5]))
    assert mean.mean == 1.5
    assert isnan(mean.se)
    assert str(mean) == "+1.50 ± unknown"


def test_a_mean_that_rounds_to_nothing_has_no_minus():
    assert str(mean_of(np.array([-0.001, -0.001]))) == "+0.00 ± 0.00"


def test_no_samples_have_no_mean():
    with pytest.raises(ValueError, match="at least one sample"):
        mean_of(np.array([]))


@pytest.mark.parametrize(
    ("won", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_shares_have_wilsons_interval(won, n, low, high):
    # Published values: R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    share = share_of(won, n)
    assert (share.won, share.n) == (won / n, n)
    assert (share.low, share.high) == pytest.approx((low, high), abs=5e-5)
    mirrored = share_of(n - won, n)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - share.high, 1 - share.low))


@pytest.mark.parametrize("n", [1, 3, 10, 1000])
def test_the_interval_of_a_share_holds_it_and_stays_a_share(n):
    for won in range(n + 1):
        share = share_of(won, n)
        assert 0 <= share.low <= share.won <= share.high <= 1


@pytest.mark.parametrize(("won", "n"), [(0, 0), (-1, 5), (6, 5)])
def test_an_impossible_share_is_refused(won, n):
    with pytest.raises(ValueError, match=f"not {won} of {n}"):
        share_of(won, n)
