"""Weights of worlds and their resampling, and standard errors of weighted means that hold where weights are uneven."""

import numpy as np
import pytest
from support.networks import small_network

from euchre_agents.search.drawn_worlds import draw_worlds
from euchre_agents.search.likelihoods import log_likelihoods
from euchre_agents.search.weighted_means import effective_worlds, normalised, weighted_means
from euchre_agents.search.weighted_worlds import draw_weighted_worlds, num_weighted, resample
from euchre_env.kernel import as_records
from euchre_env.tables import Tables
from euchre_env.worlds import count_worlds

NUM_WORLDS, NUM_TRIALS = 64, 2000
SPREAD = 1.9  # of the logarithms of weights: 64 worlds are worth 9 equally likely ones, as those of `ppo` in the play


def draw(num_worlds, rng):
    """Logarithms of weights, and points from -1 to 2 that go with them, of `NUM_TRIALS` decisions."""
    likely, other = rng.normal(size=(2, NUM_TRIALS, num_worlds))
    return SPREAD * likely, np.digitize(0.3 * likely + 0.95 * other, [-1, 0.3, 1.2]) - 1


def true_mean():
    """The mean of these points over very many worlds: a weight of exp(a u) shifts the normal number u by a."""
    likely, other = np.random.default_rng(9).normal(size=(2, 2_000_000))
    return (np.digitize(0.3 * (likely + SPREAD) + 0.95 * other, [-1, 0.3, 1.2]) - 1).mean()


# Standard errors


def test_equal_weights_give_the_mean_and_the_usual_standard_error():
    points = np.random.default_rng(0).normal(size=(2, 8, 3))
    chances = np.repeat([[1.0], [0.0]], 8, axis=1)
    mean, se = weighted_means(points, np.full((2, 8), 1 / 8), chances)
    np.testing.assert_allclose(mean, points.mean(axis=1))
    np.testing.assert_allclose(se[0], points[0].std(axis=0, ddof=1) / 8**0.5)
    assert se[1].tolist() == [0, 0, 0]


def test_the_error_is_that_of_leaving_out_one_world_after_the_other():
    rng = np.random.default_rng(1)
    points, weights = rng.normal(size=9), normalised(rng.normal(size=9))
    without = np.array([np.average(np.delete(points, i), weights=np.delete(weights, i)) for i in range(9)])
    expected = (8 / 9 * np.sum((without - np.average(points, weights=weights)) ** 2)) ** 0.5
    _, se = weighted_means(points.reshape(1, 9, 1), weights.reshape(1, 9), np.ones((1, 9)))
    assert se[0, 0] == pytest.approx(expected)


def test_a_single_world_of_several_has_no_error_and_the_only_one_has_0():
    points, weights = np.full((2, 3, 1), 2), np.array([[1.0, 0, 0], [1.0, 0, 0]])
    mean, se = weighted_means(points, weights, np.array([[1.0, 1, 1], [0, 0, 0]]))
    assert mean.tolist() == [[2], [2]]
    assert np.isnan(se[0, 0])
    assert se[1, 0] == 0


def test_a_mean_is_within_two_standard_errors_where_weights_are_uneven():
    log_weights, points = draw(num_weighted(NUM_WORLDS), np.random.default_rng(2))
    offsets, kept_points, kept_weights = np.random.default_rng(3).random(NUM_TRIALS), [], []
    for own, values, offset in zip(normalised(log_weights), points, offsets, strict=True):
        places, weights, _ = resample(own, NUM_WORLDS, offset)
        kept_points.append(values[places])
        kept_weights.append(weights)
    chances = np.ones((NUM_TRIALS, NUM_WORLDS))
    (mean,), (se,) = (
        each.T for each in weighted_means(np.array(kept_points)[:, :, np.newaxis], np.array(kept_weights), chances)
    )
    errors = mean - true_mean()
    assert (np.abs(errors) > 2 * se).mean() < 0.08
    assert (se**2).mean() ** 0.5 == pytest.approx((errors**2).mean() ** 0.5, rel=0.1)


def test_the_error_without_resampling_is_not_too_small_either():
    log_weights, points = draw(NUM_WORLDS, np.random.default_rng(4))
    weights, chances = normalised(log_weights), np.ones((NUM_TRIALS, NUM_WORLDS))
    effective = effective_worlds(weights, chances)
    assert 7 < np.median(effective) < 11
    mean, se = weighted_means(points[:, :, np.newaxis], weights, chances)
    errors = mean[:, 0] - true_mean()
    assert (se**2).mean() ** 0.5 == pytest.approx((errors**2).mean() ** 0.5, rel=0.15)


def test_weights_are_worth_as_many_equal_ones():
    weights, chances = np.array([[0.25] * 4, [0.5, 0.5, 0, 0], [1.0, 0, 0, 0]]), np.ones((3, 4))
    assert effective_worlds(weights, chances).tolist() == [4, 2, 1]
    assert effective_worlds(weights, 0 * chances).tolist() == [np.inf] * 3


# Resampling


@pytest.mark.parametrize("number", [1, 5, 16, 39])
def test_resampling_keeps_heavy_worlds_and_a_fair_share_of_others(number):
    weights = normalised(1.5 * np.random.default_rng(number).normal(size=40))
    sums, counts, offsets = np.zeros(40), np.zeros(40), (np.arange(4000) + 0.5) / 4000
    for offset in offsets:
        kept, new, chances = resample(weights, number, offset)
        assert len(np.unique(kept)) == number
        assert new.sum() == pytest.approx(1)
        assert np.array_equal(new[chances == 0], weights[kept][chances == 0])
        assert np.unique(np.round(new[chances > 0], 12)).size <= 1
        sums[kept] += new
        counts[kept] += 1
        np.testing.assert_allclose(chances, 1 - np.minimum(weights[kept] / new, 1), atol=1e-12)
    np.testing.assert_allclose(sums / 4000, weights, atol=1e-3)  # on average, every world has its weight
    heavy = counts == 4000
    assert (weights[heavy] >= weights[~heavy].max()).all()


def test_no_more_worlds_than_wanted_are_all_kept():
    weights = np.array([0.5, 0.25, 0.25])
    for number in (3, 4):
        kept, new, chances = resample(weights, number, 0.3)
        assert (kept.tolist(), new.tolist(), chances.tolist()) == ([0, 1, 2], weights.tolist(), [0, 0, 0])


# Worlds of views


@pytest.fixture(scope="module")
def decisions():
    """Views and keys of random play."""
    tables, views, keys = Tables(4, "standard", seed=3, num_episodes=4), [], []
    while len(tables):
        views.append(tables.views())
        keys.append(tables.decision_keys(1))
        tables.step(tables.random_actions(2))
    return as_records(np.concatenate(views)), np.concatenate(keys)


@pytest.mark.compiled  # thousands of worlds
def test_the_worlds_kept_are_some_of_those_weighted(decisions):
    views, keys = decisions
    network = small_network()
    worlds, log_weights, chances = draw_weighted_worlds(views, 5, keys, network)
    drawn = draw_worlds(views, num_weighted(5), keys)
    likelihoods, counts = log_likelihoods(views, drawn, network), count_worlds(views)
    assert set(worlds.are_all.tolist()) == {True, False}
    for i in range(len(views)):
        count = min(int(counts[i]), 5)
        assert (worlds.counts[i], worlds.are_all[i]) == (count, counts[i] <= 5)
        all_worlds = [each.tobytes() for each in drawn.hidden[i, : drawn.counts[i]]]
        places = [all_worlds.index(each.tobytes()) for each in worlds.hidden[i, :count]]
        assert np.isneginf(log_weights[i, count:]).all()
        least = (likelihoods[i, places] - log_weights[i, :count]).max()
        assert least < 1e-9  # a weight rises or stays
        total = np.logaddexp.reduce(likelihoods[i, : drawn.counts[i]])
        assert np.logaddexp.reduce(log_weights[i, :count]) == pytest.approx(total)
        is_listed = counts[i] <= num_weighted(5)
        assert (chances[i, :count] < 1).all() if is_listed else (chances[i, :count] == 1).all()


@pytest.mark.compiled  # thousands of worlds
def test_the_worlds_of_a_view_do_not_depend_on_the_batch(decisions):
    views, keys = decisions
    network = small_network()
    expected = draw_weighted_worlds(views, 5, keys, network)
    for i in range(0, len(views), 3):
        alone = draw_weighted_worlds(as_records(views[i : i + 1]), 5, keys[i : i + 1], network)
        assert np.array_equal(alone.worlds.hidden[0], expected.worlds.hidden[i])
        assert np.array_equal(alone.log_weights[0], expected.log_weights[i])
    others = draw_weighted_worlds(views, 5, keys + 1, network)
    assert not np.array_equal(others.worlds.hidden, expected.worlds.hidden)
