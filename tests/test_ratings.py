"""Bradley-Terry ratings: closed forms, and intervals that hold the truth as often as they should."""

from math import log

import numpy as np
import pytest

from euchre_eval.ratings import ELO, PRIOR, circles, expected_share, rate, resampled_win_counts, strengths, win_counts


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


def test_a_circle_is_found_once_and_an_order_has_none():
    order = [[one < other for other in range(5)] for one in range(5)]
    assert circles(order) == []
    order[0][4], order[4][0] = False, True
    assert circles(order) == [(0, 1, 4), (0, 2, 4), (0, 3, 4)]
