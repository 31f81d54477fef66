"""Bradley-Terry ratings of players from the deals that each two of them played in duplicate.

The model (R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952): player i
beats player j in a deal with the odds exp(s_i - s_j). A drawn deal counts as half a win for each. Ratings are in points
of Elo's scale: 400 points are odds of 10 to 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, exp, lgamma, log, sqrt

import numpy as np

ELO = 400 / log(10)  # rating points for odds of e to 1
PRIOR = 0.5  # wins that each player is given against each other one, so that a player who wins nothing has a rating
NUM_SAMPLES = 1000  # of the bootstrap
BLOCK = 10**6  # deals drawn at once, to bound the memory
MOST_STEPS = 100
DEALS_PER_MATCH = 25  # that a test of fit needs in the shortest match, for each of the matches

Scores = Mapping[tuple[int, int], np.ndarray]
"""For players i < j: the score of i in each deal against j, 1, 1/2 or 0, shape (deals,); deal k has the same cards for
all pairs of players."""


@dataclass(frozen=True)
class Rating:
    """The rating of a player with its 95 % interval, relative to the player whose rating is 0."""

    player: int
    """The number of the player."""
    rating: float
    low: float
    high: float


def strengths(wins: np.ndarray) -> np.ndarray:
    """The maximum-likelihood strengths of players under the Bradley-Terry model, with mean 0.

    Newton's method on the log-likelihood, which is concave; its maximum is finite and unique because each player has
    won something against each other one (L. R. Ford, American Mathematical Monthly 64, 1957).

    >>> strengths(np.array([[0.0, 30.0], [10.0, 0.0]])).round(6)  # half the logarithm of 3 to 1
    array([ 0.549306, -0.549306])

    Args:
        wins: `wins[..., i, j]`: how often i has beaten j, all above 0 off the diagonal, float64, shape (..., players,
            players).

    Returns:
        float64, shape (..., players).

    Raises:
        ArithmeticError: if the steps do not come to an end.
    """
    size = wins.shape[-1]
    off_diagonal = ~np.eye(size, dtype=bool)
    wins = np.where(off_diagonal, wins, 0.0)
    played = wins + np.swapaxes(wins, -1, -2)
    found = np.zeros(wins.shape[:-1])
    for _ in range(MOST_STEPS):
        expected = played / (1 + np.exp(found[..., None, :] - found[..., :, None]))
        gradient = (wins - expected).sum(axis=-1)
        weights = expected * np.swapaxes(expected, -1, -2) / np.where(off_diagonal, played, 1.0)
        # The Hessian is singular along equal changes of all strengths; the ones keep their sum at 0.
        curvature = np.eye(size) * weights.sum(axis=-1)[..., None] - weights + 1.0
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        found += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-10:
            return found - found.mean(axis=-1, keepdims=True)
    raise ArithmeticError(f"the ratings of {size} players are not found after {MOST_STEPS} steps")


def win_counts(scores: Scores, num_players: int) -> np.ndarray:
    """How often each player has beaten each other one, with the prior, float64, shape (num_players, num_players)."""
    wins = np.full((num_players, num_players), PRIOR)
    for (one, other), each in scores.items():
        wins[one, other] += each.sum()
        wins[other, one] += len(each) - each.sum()
    return wins


def resampled_win_counts(scores: Scores, num_players: int, seed: int, num_samples: int = NUM_SAMPLES) -> np.ndarray:
    """`win_counts` of samples of the deals, drawn with replacement: the bootstrap over deals.

    A deal is drawn with all matches that played it, because its cards are the same in all of them. Deals that the same
    matches played are drawn from each other, so every match keeps its length.

    Args:
        scores: the scores.
        num_players: the number of players.
        seed: fixes the samples.
        num_samples: how many samples to draw.

    Returns:
        float64, shape (num_samples, num_players, num_players).
    """
    generator = np.random.default_rng(seed)
    wins = np.full((num_samples, num_players, num_players), PRIOR)
    lengths = {pair: len(each) for pair, each in scores.items()}
    ends = sorted(set(lengths.values()))
    for start, end in zip([0, *ends], ends, strict=False):
        pairs = [pair for pair, length in lengths.items() if length >= end]
        columns = np.column_stack([scores[pair][start:end] for pair in pairs])
        number = end - start
        at_once = max(BLOCK // number, 1)
        for first in range(0, num_samples, at_once):
            size = min(at_once, num_samples - first)
            drawn = generator.integers(number, size=(size, number)) + number * np.arange(size)[:, None]
            times = np.bincount(drawn.ravel(), minlength=size * number).reshape(size, number)
            won = times @ columns  # exact: halves and whole numbers
            for place, (one, other) in enumerate(pairs):
                wins[first : first + size, one, other] += won[:, place]
                wins[first : first + size, other, one] += number - won[:, place]
    return wins


def rate(scores: Scores, num_players: int, anchor: int, seed: int) -> list[Rating]:
    """The ratings of all players, the best first, with 95 % intervals of the bootstrap (its percentiles).

    Args:
        scores: the scores of each two players, of at least one deal each.
        num_players: the number of players.
        anchor: the number of the player whose rating is 0.
        seed: fixes the bootstrap.
    """
    found = ELO * strengths(win_counts(scores, num_players))
    samples = ELO * strengths(resampled_win_counts(scores, num_players, seed))
    found, samples = found - found[anchor], samples - samples[:, [anchor]]
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    ratings = [Rating(player, *map(float, (found[player], low[player], high[player]))) for player in range(num_players)]
    return sorted(ratings, key=lambda rating: (-rating.rating, rating.player))


def expected_share(difference: float) -> float:
    """The share of deals that a player wins, drawn ones as halves, against one rated `difference` points lower.

    >>> round(expected_share(400), 4), expected_share(0)
    (0.9091, 0.5)
    """
    return 1 / (1 + 10 ** (-difference / 400))


@dataclass(frozen=True)
class Fit:
    """A chi-square test of whether the Bradley-Terry model explains the results."""

    chi_square: float
    degrees: int
    """Degrees of freedom: the number of matches less that of the ratings, of which the one at 0 is not free."""
    probability: float
    """How often chance alone makes `chi_square` as large or larger if the model holds."""

    @property
    def is_rejected(self) -> bool:
        """Whether the model does not fit, at a level of 5 %."""
        return self.probability < 0.05


def goodness_of_fit(scores: Scores, num_players: int) -> Fit | None:
    """Test whether ratings explain the share of deals that each player won against each other one.

    A residual is the share of deals won in a match less the expected share. The statistic is the sum of the squared
    residuals, weighed by the inverse of their covariance matrix (a deal has the same cards in all matches, so matches
    are not independent), less the part that other ratings would explain. If the model holds and the matches are long,
    it has a chi-square distribution: it is the minimum chi-square, one Newton step from a consistent estimate. Source:
    T. S. Ferguson, A Course in Large Sample Theory (1996), chapters 23 and 24.

    Args:
        scores: the scores of each two players.
        num_players: the number of players.

    Returns:
        None if there is nothing to test: ratings of two players fit any result, and matches with fewer deals than
        `DEALS_PER_MATCH` times the number of matches say too little about the covariances.
    """
    pairs = sorted(scores)
    degrees = len(pairs) - num_players + 1
    if degrees < 1 or min(len(scores[pair]) for pair in pairs) < DEALS_PER_MATCH * len(pairs):
        return None
    wins = win_counts(scores, num_players)
    found = strengths(wins)
    first, second = np.array(pairs).T
    expected = 1 / (1 + np.exp(found[second] - found[first]))
    residuals = wins[first, second] / (wins[first, second] + wins[second, first]) - expected
    slopes = np.zeros((len(pairs), num_players))
    slopes[np.arange(len(pairs)), first] = expected * (1 - expected)
    slopes[np.arange(len(pairs)), second] = -expected * (1 - expected)
    weights = np.linalg.inv(_covariances([scores[pair] for pair in pairs]))
    gradient = slopes.T @ weights @ residuals
    # The pseudoinverse, because equal changes of all strengths explain nothing.
    explained = gradient @ np.linalg.pinv(slopes.T @ weights @ slopes) @ gradient
    chi_square = max(float(residuals @ weights @ residuals - explained), 0.0)
    return Fit(chi_square, degrees, chi_square_tail(chi_square, degrees))


def _covariances(scores: Sequence[np.ndarray]) -> np.ndarray:
    """The covariances of the shares of deals won, with the prior of `win_counts`, shape (matches, matches)."""
    covariances = np.empty((len(scores), len(scores)))
    for row, one in enumerate(scores):
        for column, other in enumerate(scores[: row + 1]):
            common = min(len(one), len(other))  # deal k is the same in all matches
            sum_of_products = float((one[:common] - one.mean()) @ (other[:common] - other.mean()))
            if row == column:
                sum_of_products += PRIOR / 2  # half a win and half a loss, each 1/2 from the middle
            covariances[row, column] = covariances[column, row] = sum_of_products / (len(one) * len(other))
    return covariances


def chi_square_tail(value: float, degrees: int) -> float:
    """The probability that a chi-square variable with some degrees of freedom exceeds `value`, which is 0 or more.

    Source: M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, formulas 26.4.4 and 26.4.5.

    >>> round(chi_square_tail(3.841459, 1), 6), round(chi_square_tail(32.670573, 21), 6)
    (0.05, 0.05)
    """
    half = value / 2
    tail, order = (exp(-half), 1.0) if degrees % 2 == 0 else (erfc(sqrt(half)), 0.5)
    while half > 0 and order < degrees / 2:
        tail += exp(order * log(half) - half - lgamma(order + 1))
        order += 1
    return min(tail, 1.0)


def cycles(beats: Sequence[Sequence[bool]]) -> list[tuple[int, int, int]]:
    """The triples of players of whom each beats the next and the last beats the first, the lowest number first.

    M. G. Kendall and B. Babington Smith (Biometrika 31, 1940) call them circular triads.

    >>> cycles([[False, True, False], [False, False, True], [True, False, False]])
    [(0, 1, 2)]
    """
    players = range(len(beats))
    return [
        (one, two, three)
        for one in players
        for two in players
        for three in players
        if one < min(two, three) and beats[one][two] and beats[two][three] and beats[three][one]
    ]
