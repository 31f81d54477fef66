"""Means and shares of independent samples, such as the pairs of a duplicate match, with their 95 % intervals."""

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
    """The share of games won in duplicate pairs, from 0 to 1, and its 95 % interval."""

    won: float
    """The mean score of the pairs; a pair scores 1 if both of its games are won, 1/2 if one is, and 0 if none is."""
    low: float
    high: float
    se: float
    """The standard error of the share; nan if all pairs score alike, which shows no spread."""
    pairs: int
    """The number of pairs: a pair is one game played twice with the teams swapped, and one sample."""

    def __str__(self) -> str:
        """The share and its interval in per cent.

        They have two significant digits of half the interval if that is below ten points, else one decimal; one decimal
        if all pairs score alike.

        >>> print(Share(0.72355, 0.71484, 0.73226, 0.004444, 5000))
        72.36% of games won (71.48% to 73.23%, 95%, 5000 pairs of games)
        """
        decimals = _decimals(100 * Z_95 * self.se, below=10, above=1)
        won, low, high = (f"{share:.{decimals}%}" for share in (self.won, self.low, self.high))
        return f"{won} of games won ({low} to {high}, 95%, {self.pairs} pair{'s' * (self.pairs != 1)} of games)"


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


def share_interval(share: float, se: float, samples: int) -> tuple[float, float]:
    """The ends of the 95 % interval of a share, the mean of independent samples that go from 0 to 1.

    The interval is the normal one, cut to 0 to 1, unless all samples are the same and so show no spread. If a sample is
    another one with a probability of p, all are the same with a probability of (1 - p) ** samples. The interval then
    holds the means for which that is 2.5 % or more; for a share of 0 or 1 it is the exact one of C. J. Clopper and
    E. S. Pearson (Biometrika 26, 1934).

    >>> share_interval(0.5, 0.1, 25), share_interval(1.0, nan, 5)
    ((0.3040036015459946, 0.6959963984540054), (0.4781762498950185, 1.0))

    Args:
        share: the mean of the samples.
        se: its standard error; 0 or nan if all samples are the same.
        samples: the number of samples, from 1 on.
    """
    if se > 0:
        return max(0.0, share - Z_95 * se), min(1.0, share + Z_95 * se)
    other = 1 - 0.025 ** (1 / samples)
    return share * (1 - other), share + (1 - share) * other


def mean_score(scores: np.ndarray) -> Mean:
    """The mean of independent scores from 0 to 1, shape (n,), with the interval of a share; see `share_interval`.

    Raises:
        ValueError: if there are no scores.
    """
    mean = mean_of(scores)
    low, high = share_interval(mean.mean, mean.se, len(scores))
    return Mean(mean.mean, low, high, mean.se if mean.se > 0 else nan)


def share_of(scores: np.ndarray) -> Share:
    """The share of games won in independent duplicate pairs, with its interval, that of `share_interval`.

    A game and its second play share their cards, so the two are one sample, and the interval is that of the pairs.

    >>> print(share_of(np.array([1.0, 0.5, 1.0, 0.0]))), print(share_of(np.ones(5)))
    62.5% of games won (15.6% to 100.0%, 95%, 4 pairs of games)
    100.0% of games won (47.8% to 100.0%, 95%, 5 pairs of games)
    (None, None)

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
    mean = mean_score(scores)
    return Share(mean.mean, mean.low, mean.high, mean.se, len(scores))


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
