"""Means over worlds with weights, and their standard errors."""

from typing import NamedTuple

import numpy as np


class Means(NamedTuple):
    """The means of V views over their worlds."""

    mean: np.ndarray
    """float64, shape (V, A)."""
    se: np.ndarray
    """Their standard errors, of the same shape; nan for a single world of several."""


def weighted_means(points: np.ndarray, weights: np.ndarray, chances: np.ndarray) -> Means:
    """The weighted mean over the worlds of each view, and its standard error.

    The error is that of the jackknife: if world i is left out, the mean moves by d_i = w_i (mean - x_i) / (1 - w_i),
    and the variance of the mean is (n - 1) / n times the sum of d_i**2 over the n worlds that have a weight. Equal
    weights give the usual standard error. Where few worlds have most of the weight it comes out larger than
    sqrt(sum of w_i**2 (x_i - mean)**2), which is far too small there: the mean follows the heavy worlds.

    >>> means = weighted_means(np.array([[[1], [3]]]), np.array([[0.5, 0.5]]), np.ones((1, 2)))
    >>> means.mean.tolist(), means.se.tolist()
    ([[2.0]], [[1.0]])

    Args:
        points: shape (V, N, A).
        weights: float64, shape (V, N), adding up to 1 for each view.
        chances: how much of the term of each world is by chance, float64, shape (V, N): 1 if its points or the world
            were drawn at random, 0 if every other draw has them too.
    """
    mean = np.einsum("vn,vna->va", weights, points)
    by_chance = chances > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(by_chance, weights / (1 - weights), 0)
        squares = np.einsum("vn,vna->va", shares**2 * chances, (points - mean[:, np.newaxis]) ** 2)
        counts = np.count_nonzero(weights, axis=1)[:, np.newaxis]
        se = np.sqrt(squares * (1 - 1 / counts))
    return Means(mean, se)


def normalised(log_weights: np.ndarray) -> np.ndarray:
    """Weights that add up to 1 in each row, from their logarithms; minus infinity gives 0.

    >>> normalised(np.array([[0.0, 0.0, -np.inf]])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def effective_worlds(weights: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """How many equally likely worlds would be worth as much as these: 1 / (sum of w_i**2), float64, shape (V,).

    Worlds that are there without chance do not count against it; infinity if all are. Arguments as of `weighted_means`.
    """
    with np.errstate(divide="ignore"):
        return 1 / (weights**2 * chances).sum(axis=1)
