"""Means, and shares of games won, with the normal 95 % interval of the pairs of a duplicate match."""

from dataclasses import dataclass
from math import floor, isnan, log10, nan, sqrt
from typing import Any

import numpy as np

Z_95 = 1.959963984540054  # the normal distribution holds 95 % within this many standard deviations


@dataclass(frozen=True)
class Mean:
    """A mean and its 95 % interval; after a single sample, the interval and the standard error are nan."""

    mean: float
    low: float
    high: float
    se: float
    """The standard error of the mean."""

    def __str__(self) -> str:
        """The mean and half its interval, with two significant digits below 0.1 and two decimals above.

        >>> print(Mean(0.25781, 0.2512, 0.2644, 0.00338)), print(Mean(2.0, 0.87, 3.13, 0.577))
        +0.2578 ± 0.0066
        +2.00 ± 1.13
        (None, None)
        """
        if isnan(self.se):
            return f"{self.mean:+z.2f} ± unknown"
        spread = Z_95 * self.se
        decimals = _decimals(spread, below=0.1, above=2)
        return f"{self.mean:+z.{decimals}f} ± {spread:.{decimals}f}"


@dataclass(frozen=True)
class Share:
    """The share of games won in duplicate pairs, from 0 to 1, and its 95 % interval.

    After a single pair, the interval and the standard error are nan.
    """

    won: float
    """The mean score of the pairs; a pair scores 1 if both of its games are won, 1/2 if one is, and 0 if none is."""
    low: float
    high: float
    se: float
    """The standard error of the share."""
    pairs: int
    """The number of pairs: a pair is one game played twice with the teams swapped, and one sample."""

    def __str__(self) -> str:
        """The share and its interval in per cent.

        They have two significant digits of half the interval if that is below ten points, else one decimal.

        >>> print(Share(0.72355, 0.71484, 0.73226, 0.004444, 5000))
        72.36% of games won (71.48% to 73.23%, 95%, 5000 pairs of games)
        """
        if isnan(self.se):
            return f"{self.won:.1%} of games won (interval unknown, 1 pair of games)"
        decimals = _decimals(100 * Z_95 * self.se, below=10, above=1)
        won, low, high = (f"{share:.{decimals}%}" for share in (self.won, self.low, self.high))
        return f"{won} of games won ({low} to {high}, 95%, {self.pairs} pairs of games)"


def mean_of(samples: np.ndarray) -> Mean:
    """The mean of independent samples, shape (n,), with its normal interval.

    >>> print(mean_of(np.array([1.0, 2.0, 3.0])))
    +2.00 ± 1.13

    Raises:
        ValueError: if there are no samples.
    """
    if len(samples) == 0:
        raise ValueError("a mean needs at least one sample")
    mean = float(np.mean(samples))
    se = float(np.std(samples, ddof=1)) / sqrt(len(samples)) if len(samples) > 1 else nan
    return Mean(mean, mean - Z_95 * se, mean + Z_95 * se, se)


def share_of(scores: np.ndarray) -> Share:
    """The share of games won in independent duplicate pairs, with its normal interval, cut to 0 to 1.

    A game and its second play share their cards, so the two are one sample, and the interval is that of the pairs.

    >>> print(share_of(np.array([1.0, 0.5, 1.0, 0.0])))
    62.5% of games won (15.6% to 100.0%, 95%, 4 pairs of games)

    Args:
        scores: the score of each pair, 0, 1/2 or 1, shape (pairs,).

    Raises:
        ValueError: if there are no pairs, or a score is another number.
    """
    if len(scores) == 0:
        raise ValueError("a share of games needs at least one pair")
    if not np.isin(scores, (0, 0.5, 1)).all():
        wrong = scores[~np.isin(scores, (0, 0.5, 1))][0]
        raise ValueError(f"a pair of games scores 0, 1/2 or 1, not {wrong}")
    mean = mean_of(scores)
    low, high = (float(np.clip(end, 0, 1)) for end in (mean.low, mean.high))  # nan stays nan
    return Share(mean.mean, low, high, mean.se, len(scores))


def without_nan(values: Any) -> Any:
    """`values` for `json.dumps`: dictionaries, and lists or tuples as lists, with None in place of nan.

    >>> without_nan({"mean": 0.5, "ends": (nan, 1.0)})
    {'mean': 0.5, 'ends': [None, 1.0]}
    """
    if isinstance(values, dict):
        return {key: without_nan(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [without_nan(value) for value in values]
    return None if isinstance(values, float) and isnan(values) else values


def _decimals(spread: float, below: float, above: int) -> int:
    """The decimals that show two significant digits of `spread` from 0 to `below`, else the decimals `above`."""
    return 1 - floor(log10(spread)) if 0 < spread < below else above
