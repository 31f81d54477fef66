"""Straight lines fitted to samples, with intervals of a bootstrap over the samples."""

from collections.abc import Callable

import numpy as np

from euchre_eval.intervals import Z_95, Mean
from euchre_eval.sayings.saying import Figure

RESAMPLES = 200
SEED = 1  # of the resampling


def line(samples: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The coefficients of the weighted least-squares fit of the last column by the others, a constant first.

    >>> line(np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]), np.ones(3)).round(6).tolist()
    [1.0, 2.0]

    Args:
        samples: float64, shape (n, k + 1).
        weights: shape (n,).

    Returns:
        float64, shape (k + 1,).
    """
    inputs = np.column_stack([np.ones(len(samples)), samples[:, :-1]])
    weighted = inputs * weights[:, np.newaxis]
    return np.linalg.lstsq(weighted.T @ inputs, weighted.T @ samples[:, -1], rcond=None)[0]


def fitted(samples: np.ndarray, statistic: Callable[[np.ndarray, np.ndarray], float]) -> Figure:
    """A statistic of samples with a normal interval, its standard error that of a bootstrap over the samples.

    Args:
        samples: shape (n, k).
        statistic: a function of the samples and of a weight for each: how often it is in a resample.
    """
    rng, number = np.random.default_rng(SEED), len(samples)
    value = statistic(samples, np.ones(number))
    chances = np.full(number, 1 / number)
    resampled = [statistic(samples, rng.multinomial(number, chances).astype(float)) for _ in range(RESAMPLES)]
    error = float(np.std(resampled, ddof=1))
    return Figure(Mean(value, value - Z_95 * error, value + Z_95 * error, error), number)


def zero_of_line(samples: np.ndarray, weights: np.ndarray) -> float:
    """Where the line through two columns is 0."""
    constant, slope = line(samples, weights)
    return float(-constant / slope)
