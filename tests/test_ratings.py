"""Bradley-Terry ratings: closed forms, and intervals that hold the truth as often as they should."""

from math import log
from statistics import NormalDist

import numpy as np
import pytest

from euchre_eval.ratings import (
    DEALS_PER_MATCH,
    ELO,
    PRIOR,
    chi_square_tail,
    cycles,
    expected_share,
    goodness_of_fit,
    rate,
    resampled_win_counts,
    strengths,
    win_counts,
)


def test_two_players_differ_by_the_logarithm_of_their_odds():
    wins = np.array([[0.0, 300.0], [100.0, 0.0]])
    one, other = strengths(wins)
    assert one - other == pytest.approx(log(3))
    assert ELO * (one - other) == pytest.approx(190.8485, abs=1e-3)  # 400 * log10(3)


def test_strengths_that_made_the_shares_are_found_again():
    """Shares that follow the model exactly have their own strengths as the best ones."""
    true = np.array([0.7, 0.1, -0.2, -0.6])
    wins = 50 / (1 + np.exp(true[None, :] - true[:, None]))
    assert strengths(wins) == pytest.approx(true)
    assert strengths(np.stack([wins, wins.T])) == pytest.approx(np.stack([true, -true]))


def test_three_players_satisfy_the_equations_of_the_maximum():
    """At the maximum, each player's wins are those that the model expects (Bradley and Terry 1952, equation 12)."""
    wins = np.array([[0, 17, 29], [12, 0, 8], [3, 40, 0]], float)
    found = strengths(wins)
    share = 1 / (1 + np.exp(found[None, :] - found[:, None]))
    expected = ((wins + wins.T) * share).sum(axis=1) - np.diag((wins + wins.T) * share)
    assert expected == pytest.approx(wins.sum(axis=1))
    assert found.sum() == pytest.approx(0)


def test_a_player_that_loses_every_deal_has_a_rating_all_the_same():
    worst, best = rate({(0, 1): np.zeros(1000)}, 2, anchor=0, seed=0)[::-1]
    assert (worst.player, worst.rating) == (0, 0)
    assert best.rating == pytest.approx(ELO * log((1000 + PRIOR) / PRIOR))


def test_drawn_deals_count_as_half_a_win_for_each():
    wins = win_counts({(0, 1): np.array([1, 0.5, 0.5, 0, 1])}, 2) - PRIOR
    assert wins[0, 1] == 3
    assert wins[1, 0] == 2


def test_ratings_are_sorted_and_relative_to_the_anchor():
    scores = {(0, 1): np.array([1, 1, 0]), (0, 2): np.array([1, 1, 1]), (1, 2): np.array([1, 0, 1])}
    by_first, by_last = rate(scores, 3, anchor=0, seed=4), rate(scores, 3, anchor=2, seed=4)
    assert [each.player for each in by_first] == [each.player for each in by_last] == [0, 1, 2]
    assert by_first[0].rating == by_first[0].low == by_first[0].high == by_last[2].rating == 0
    assert by_last[0].rating == pytest.approx(-by_first[2].rating)
    assert all(each.low <= each.rating <= each.high for each in by_last)


def test_a_sample_draws_one_deal_for_all_matches_that_played_it():
    """With the same scores in two matches, every sample counts the same wins in both."""
    scores = np.random.default_rng(0).integers(0, 3, size=200) / 2
    wins = resampled_win_counts({(0, 1): scores, (0, 2): scores, (1, 2): 1 - scores[:50]}, 3, seed=0, num_samples=70)
    assert np.array_equal(wins[:, 0, 1], wins[:, 0, 2])
    assert len(set(wins[:, 0, 1])) > 20
    assert (wins[:, 0, 1] + wins[:, 1, 0] == 200 + 2 * PRIOR).all()
    assert (wins[:, 1, 2] + wins[:, 2, 1] == 50 + 2 * PRIOR).all()  # the shorter match keeps its length


def test_samples_depend_on_the_seed_and_not_on_how_many_are_drawn_at_once(monkeypatch):
    scores = {(0, 1): np.random.default_rng(0).integers(0, 3, size=99) / 2}
    at_once = resampled_win_counts(scores, 2, seed=3, num_samples=20)
    assert not np.array_equal(at_once, resampled_win_counts(scores, 2, seed=4, num_samples=20))
    monkeypatch.setattr("euchre_eval.ratings.BLOCK", 250)
    assert np.array_equal(at_once, resampled_win_counts(scores, 2, seed=3, num_samples=20))


def test_intervals_hold_the_truth_in_about_95_of_100_tournaments():
    generator, held, number = np.random.default_rng(11), 0, 200
    for seed in range(number):
        scores = {(0, 1): (generator.random(400) < expected_share(60)).astype(float)}
        low, high = next((each.low, each.high) for each in rate(scores, 2, anchor=1, seed=seed) if each.player == 0)
        held += low <= 60 <= high
    assert 0.95 - 3 * (0.95 * 0.05 / number) ** 0.5 < held / number < 1


def test_a_cycle_is_found_once_and_an_order_has_none():
    order = [[one < other for other in range(5)] for one in range(5)]
    assert cycles(order) == []
    order[0][4], order[4][0] = False, True
    assert cycles(order) == [(0, 1, 4), (0, 2, 4), (0, 3, 4)]


# The test of fit

TRUE = np.array([150.0, 60.0, 0.0, -40.0, -170.0])  # ratings


def drawn_scores(generator, deals, shift=0.0):
    """Scores of five players of the model on the same cards: a shared part of the luck makes matches depend on others.

    Player 0 does better against player 4 than the model says by `shift` rating points, and worse against player 1.
    """
    numbers = dict[tuple[int, int], int]()
    for one in range(5):
        for other in range(one + 1, 5):
            numbers[one, other] = deals if 3 not in (one, other) else deals // 2
    luck, scores = generator.normal(size=deals), {}
    for (one, other), number in numbers.items():
        extra = shift * (((one, other) == (0, 4)) - ((one, other) == (0, 1)))
        quantile = NormalDist().inv_cdf(expected_share(float(TRUE[one] - TRUE[other]) + extra))
        own = 0.6 * luck[:number] + 0.8 * generator.normal(size=number)
        scores[one, other] = (own < quantile).astype(float)
    return scores


def test_the_model_is_rejected_in_about_5_of_100_tournaments_where_it_holds():
    generator, number = np.random.default_rng(3), 200
    fits = [goodness_of_fit(drawn_scores(generator, 2000), 5) for _ in range(number)]
    chi_squares = [fit.chi_square for fit in fits if fit is not None]
    assert {fit.degrees for fit in fits if fit is not None} == {10 - 5 + 1}
    assert np.mean(chi_squares) == pytest.approx(6, abs=4 * (12 / number) ** 0.5)
    rejected = np.mean([fit.is_rejected for fit in fits if fit is not None])
    assert abs(rejected - 0.05) < 3 * (0.05 * 0.95 / number) ** 0.5


def test_the_model_is_rejected_where_it_does_not_hold():
    fit = goodness_of_fit(drawn_scores(np.random.default_rng(4), 8000, shift=40.0), 5)
    assert fit is not None
    assert fit.probability < 1e-4
    assert fit.is_rejected


def test_shares_that_follow_the_model_exactly_leave_nothing_to_explain():
    """A beats B and B beats C with odds of 2 to 1, so A beats C with 4 to 1; the prior moves the shares a little."""
    scores = {(0, 1): np.repeat([1.0, 0.0], [2000, 1000]), (1, 2): np.tile([1.0, 0.0, 1.0], 1000)}
    fit = goodness_of_fit({**scores, (0, 2): np.tile([1.0, 1.0, 0.0, 1.0, 1.0], 600)}, 3)
    assert fit is not None
    assert (fit.degrees, fit.is_rejected) == (1, False)
    assert fit.chi_square < 0.01


def test_two_players_and_short_matches_leave_nothing_to_test():
    assert goodness_of_fit({(0, 1): np.tile([1.0, 0.0], 500)}, 2) is None
    number = 3 * DEALS_PER_MATCH
    three = {pair: np.tile([1.0, 0.0], number) for pair in ((0, 1), (0, 2), (1, 2))}
    assert goodness_of_fit(three, 3) is not None
    assert goodness_of_fit({**three, (1, 2): np.ones(number - 1)}, 3) is None


def test_a_player_that_always_wins_can_be_tested():
    scores = {(0, 1): np.ones(1000), (0, 2): np.ones(1000), (1, 2): np.tile([1.0, 0.0], 500)}
    fit = goodness_of_fit(scores, 3)
    assert fit is not None
    assert not fit.is_rejected


@pytest.mark.parametrize(
    ("value", "degrees", "tail"),
    [  # published quantiles, for example Abramowitz and Stegun, table 26.8
        (2.70554, 1, 0.1),
        (5.99146, 2, 0.05),
        (11.3449, 3, 0.01),
        (18.3070, 10, 0.05),
        (32.6706, 21, 0.05),
        (10.2829, 21, 0.975),
        (0.0, 1, 1.0),
        (0.0, 4, 1.0),
    ],
)
def test_tails_of_chi_square_are_the_published_ones(value, degrees, tail):
    assert chi_square_tail(value, degrees) == pytest.approx(tail, abs=1e-5)
