"""Means and shares with their 95 % intervals: normal for the pairs of a duplicate match, Wilson for games won."""

from dataclasses import dataclass
from math import floor, isnan, log10, nan, sqrt

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
        decimals = 1 - floor(log10(spread)) if 0 < spread < 0.1 else 2
        return f"{self.mean:+z.{decimals}f} ± {spread:.{decimals}f}"


@dataclass(frozen=True)
class Share:
    """Games won out of `n`, as a share from 0 to 1, with its 95 % interval."""

    won: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.won:.1%} of {self.n} games won ({self.low:.1%} to {self.high:.1%})"


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


def share_of(won: int, n: int) -> Share:
    """The share of `n` games that were won, with Wilson's score interval, which stays within 0 and 1.

    >>> print(share_of(10, 10))
    100.0% of 10 games won (72.2% to 100.0%)

    Raises:
        ValueError: unless 0 <= won <= n and n > 0.
    Source: E. B. Wilson, J. Amer. Statist. Assoc. 22 (1927), 209-212.
    """
    if not 0 <= won <= n or n == 0:
        raise ValueError(f"a share needs 0 to n games won of n > 0, not {won} of {n}")
    share, z2_n = won / n, Z_95**2 / n
    centre = (share + z2_n / 2) / (1 + z2_n)
    half_width = Z_95 * sqrt(share * (1 - share) / n + z2_n / (4 * n)) / (1 + z2_n)
    return Share(share, min(share, max(centre - half_width, 0.0)), max(share, min(centre + half_width, 1.0)), n)
