"""Advantages and returns: closed forms of generalised advantage estimation."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_train.rollout import advantages_and_returns


def interleaved_streams(seed: int, num_streams: int = 8, length: int = 200):
    """Values, streams and rewards as in lockstep play: the decisions of the streams in mixed order."""
    rng = np.random.default_rng(seed)
    streams = rng.integers(num_streams, size=length)
    return rng.normal(size=length).astype(np.float32), streams, rng.normal(size=num_streams).astype(np.float32)


def test_with_lambda_one_the_return_is_the_reward_at_the_end_of_the_stream():
    values, streams, rewards = interleaved_streams(1)
    advantages, returns = advantages_and_returns(values, streams, rewards, 1.0)
    np.testing.assert_allclose(returns, rewards[streams], atol=1e-5)
    np.testing.assert_allclose(advantages, rewards[streams] - values, atol=1e-5)


def test_with_lambda_zero_a_return_is_the_same_seats_next_value():
    values, streams, rewards = interleaved_streams(2)
    _, returns = advantages_and_returns(values, streams, rewards, 0.0)
    for stream in range(len(rewards)):
        own = np.flatnonzero(streams == stream)
        np.testing.assert_allclose(returns[own], [*values[own[1:]], rewards[stream]], atol=1e-5)


@pytest.mark.parametrize("gae_lambda", [0.3, 0.95])
def test_the_advantage_is_the_lambda_weighted_sum_of_temporal_differences(gae_lambda):
    values, streams, rewards = interleaved_streams(3)
    advantages, _ = advantages_and_returns(values, streams, rewards, gae_lambda)
    for stream in range(len(rewards)):
        own = np.flatnonzero(streams == stream)
        differences = np.array([*values[own[1:]], rewards[stream]]) - values[own]
        for place, row in enumerate(own):
            rest = differences[place:]
            assert advantages[row] == pytest.approx(np.sum(rest * gae_lambda ** np.arange(len(rest))), abs=1e-4)


def test_a_stream_is_not_paid_for_what_another_earns():
    values, streams, rewards = interleaved_streams(4)
    before, _ = advantages_and_returns(values, streams, rewards, 0.95)
    rewards[3] += 10
    after, _ = advantages_and_returns(values, streams, rewards, 0.95)
    np.testing.assert_array_equal(before[streams != 3], after[streams != 3])
    assert np.all(after[streams == 3] > before[streams == 3])
