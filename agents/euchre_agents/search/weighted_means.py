"""Means over worlds with weights, and their standard errors."""

import numpy as np


def weighted_means(points: np.ndarray, weights: np.ndarray, are_all: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The weighted mean over the worlds of each view, and its standard error.

    The error is that of a self-normalised mean, sqrt(sum of w**2 (x - mean)**2), times sqrt(n / (n - 1)) for the n
    worlds that have a weight, so that equal weights give the usual standard error.

    >>> means, errors = weighted_means(np.array([[[1], [3]]]), np.array([[0.5, 0.5]]), np.array([False]))
    >>> means.tolist(), errors.tolist()
    ([[2.0]], [[1.0]])

    Args:
        points: shape (V, N, A).
        weights: float64, shape (V, N), adding up to 1 for each view.
        are_all: whether the worlds are all there are, bool, shape (V,): then the error is 0.

    Returns:
        Two arrays, float64, shape (V, A); the error of a single world of several is nan.
    """
    means = np.einsum("vn,vna->va", weights, points)
    squares = np.einsum("vn,vna->va", weights**2, (points - means[:, np.newaxis]) ** 2)
    counts = np.count_nonzero(weights, axis=1)[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(squares * counts / (counts - 1))
    return means, np.where(are_all[:, np.newaxis], 0, errors)
