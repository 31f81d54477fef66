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


# Shares of games, worked out by hand: the mean score of the pairs, and the normal interval of these scores.


def test_a_share_of_games_has_the_normal_interval_of_its_pairs():
    share = share_of(np.array([1, 0.5, 0.5, 0, 0.5, 0.5, 1, 1]))  # squared deviations from 5/8, in 64ths: 27 + 4 + 25
    assert (share.won, share.pairs) == (5 / 8, 8)
    assert share.se == pytest.approx(sqrt(56 / 64 / 7 / 8))  # = 1/8
    assert (share.low, share.high) == pytest.approx((0.625 - 0.24499550, 0.625 + 0.24499550))


def test_split_pairs_narrow_the_interval_that_single_games_would_have():
    """Of 20 games 10 are won, in 2 pairs that agree and 8 that split; single games would have se sqrt(1 / 4 / 19)."""
    share = share_of(np.array([1, 0] + 8 * [0.5]))
    assert share.won == 0.5
    assert share.se == pytest.approx(sqrt(2 * 0.25 / 9 / 10))
    assert share.se < sqrt(1 / 4 / 19)


@pytest.mark.parametrize(
    ("score", "low", "high", "text"),
    [
        # With a chance of 2.5 %, six pairs score alike if another score has a probability of 1 - 0.025 ** (1 / 6).
        (0, 0, 0.45926, "0.0% of games won (0.0% to 45.9%, 95%, 6 pairs of games)"),
        (0.5, 0.27037, 0.72963, "50.0% of games won (27.0% to 73.0%, 95%, 6 pairs of games)"),
        (1, 0.54074, 1, "100.0% of games won (54.1% to 100.0%, 95%, 6 pairs of games)"),
    ],
)
def test_pairs_that_all_score_alike_leave_room_for_others(score, low, high, text):
    share = share_of(np.full(6, score))
    assert (share.won, share.pairs) == (score, 6)
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-5)
    assert isnan(share.se)
    assert str(share) == text


def test_one_pair_of_games_says_next_to_nothing():
    share = share_of(np.array([1.0]))
    assert (share.won, share.pairs, share.high) == (1, 1, 1)
    assert share.low == pytest.approx(0.025)
    assert isnan(share.se)
    assert str(share) == "100.0% of games won (2.5% to 100.0%, 95%, 1 pair of games)"


def test_intervals_of_pairs_that_nearly_always_agree_hold_the_true_share():
    rng = np.random.default_rng(2)
    shares = [share_of(rng.choice([0.5, 1], size=10, p=[0.05, 0.95])) for _ in range(2000)]
    assert np.mean([share.low <= 0.975 <= share.high for share in shares]) > 0.95


def test_the_interval_of_a_share_is_cut_to_0_and_1():
    share = share_of(np.array([1, 1, 0.5]))  # mean 5/6, se 1/6
    assert share.high == 1
    assert share.low == pytest.approx(5 / 6 - 1.959964 / 6)
    mirrored = share_of(np.array([0, 0, 0.5]))
    assert (mirrored.low, mirrored.high) == pytest.approx((0, 1 - share.low))


def test_ninety_five_intervals_in_a_hundred_hold_the_true_share():
    rng = np.random.default_rng(1)
    shares = [share_of(rng.choice([0, 0.5, 1], size=400, p=[0.15, 0.45, 0.4])) for _ in range(2000)]
    held = np.mean([share.low <= 0.625 <= share.high for share in shares])
    assert abs(held - 0.95) < 3 * sqrt(0.95 * 0.05 / 2000)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "at least one pair"),
        ([1, 2], "0, 1/2 or 1, not 2"),
        ([0.5, 0.25], "0, 1/2 or 1, not 0.25"),
        ([-1, 1], "0, 1/2 or 1, not -1"),
        ([float("nan")], "0, 1/2 or 1, not nan"),
    ],
)
def test_scores_that_no_pair_has_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        share_of(np.array(scores))
