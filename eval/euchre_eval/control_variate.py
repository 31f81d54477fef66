"""Less noise in a match: a correction by a cheap match on the same deals, a control variate.

A duplicate match cancels the luck of the cards, but a deal still decides how much the play of two teams can differ. A
match between cheap players, the surrogates, often differs on the same deals. Its mean is known better, because it can
be played on many more deals. So a part of what the surrogates score on the deals of the match above their mean is luck
of these deals, and is subtracted.

With X the margins of the match and Y those of the surrogates on n deals, and y the mean of the surrogates on N others,
the corrected samples are Z = X - b (Y - y). For a number b that does not depend on the deals of Z and y, their mean has
the expectation of X, if the surrogates score as much on average on the n deals as on the N others. That is so if they
remember nothing from deal to deal, so they must be pure, or have a `reset`, which is called before each deal. Its
variance, Var(X - b Y) / n + b^2 Var(Y) / N, is least for b = N / (n + N) Cov(X, Y) / Var(Y).
Here b is estimated from other deals: the deals of the match are cut into `NUM_FOLDS` runs, and the b of one run comes
from the other runs (cross-fitting). If players of the match itself remember earlier deals, b is not quite independent
of its deals, and the mean has a bias, which is small where the match is long.

Source: A. B. Owen, Monte Carlo theory, methods and examples (2013), section 8.9, "Control variates".
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import nan, sqrt
from typing import Any

import numpy as np

from euchre_agents.policy import Player, abilities_of
from euchre_env.checks import check_number
from euchre_env.house_rules import RulesLike
from euchre_eval.intervals import Z_95, Mean, without_nan
from euchre_eval.match import MAX_PAIRS, MatchResult, play_match
from euchre_eval.playing import Progress
from euchre_eval.seated_players import Makers, check_names

NUM_FOLDS = 10


@dataclass(frozen=True)
class Correction:
    """The corrected mean of a match, and what the correction saved."""

    points_per_deal: Mean
    """The first team's points less the other's, per deal."""
    coefficient: float
    """The mean of the coefficients b."""
    correlation: float
    """The correlation of both matches, deal by deal; nan if one of them is the same on every deal."""
    saving: float
    """1 - Var(corrected) / Var(duplicate): the share of its deals that a corrected match can do without, and still has
    the interval of the uncorrected one."""


@dataclass(frozen=True)
class CorrectedMatch:
    """A match, its correction by the match of the surrogates, and what both cost."""

    match: MatchResult
    """The match of the players."""
    correction: Correction
    surrogates: MatchResult
    """The match of the surrogates, on the same deals and on more."""
    seconds: float
    """Seconds of CPU time of the match."""
    surrogate_seconds: float
    """Seconds of CPU time of the surrogates' match."""

    def as_json(self) -> dict[str, Any]:
        """The result as plain values for `json.dumps`; what cannot be told is null."""
        return {
            "match": self.match.as_json(),
            "correction": without_nan(asdict(self.correction)),
            "surrogates": self.surrogates.as_json(),
            "seconds": self.seconds,
            "surrogate_seconds": self.surrogate_seconds,
        }

    def __str__(self) -> str:
        points, saving = self.correction.points_per_deal, self.correction.saving
        names = " and ".join(self.surrogates.names_in_reports)
        how = f"coefficient {self.correction.coefficient:.3f}, correlation {self.correction.correlation:.3f}"
        cost = self.surrogate_seconds / self.seconds if self.seconds > 0 else nan
        return "\n".join(
            [
                str(self.match),
                f"corrected by {names} on {self.surrogates.pairs} deals x 2: {points} points per deal (95%), {how}",
                f"variance saved: {saving:.1%}; the surrogates cost {cost:.1%} of the match's CPU time",
            ]
        )


def corrected_match(
    players: Sequence[Player],
    surrogates: Sequence[Player],
    *,
    deals: int = 4000,
    more_deals: int | None = None,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    surrogate_names: Sequence[str] | None = None,
    allow_cheating: bool = False,
    workers: int | None = 1,
    makers: Makers | None = None,
    surrogate_makers: Makers | None = None,
    progress: Progress | None = None,
) -> CorrectedMatch:
    """Play a match, and one of surrogates on the same deals and on more, and correct the first by the second.

    Args:
        players: two players, or four, as in `play_match`.
        surrogates: two cheap players, or four, who differ on a deal as the players do; two of them may be players too.
            Each is pure or has a `reset`.
        deals: how many deals both matches play, each twice; at least 2 * `NUM_FOLDS`.
        more_deals: how many further deals the surrogates play; ten times `deals` if None.
        seed: fixes the deals and the players' keys and seeds, as in `play_match`.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: the players' names in the result.
        surrogate_names: the surrogates' names in the result.
        allow_cheating: whether players and surrogates may see all cards.
        workers: how many processes play, as in `play_match`.
        makers: as in `play_match`, for the players.
        surrogate_makers: as in `play_match`, for the surrogates.
        progress: called as deals end, first of the match, then of the surrogates.

    Raises:
        ValueError: if an argument is invalid, as in `play_match`, or a surrogate may remember earlier deals.
        TypeError: as `play_match` does.
    """
    for surrogate, name in zip(surrogates, check_names(surrogates, surrogate_names), strict=True):
        abilities = abilities_of(surrogate, name)
        if not (abilities.is_pure or abilities.reset):
            raise ValueError(
                f"surrogate {name!r} may remember earlier deals, and then the correction is biased; a surrogate must "
                "declare `stateless = True`, or have a method reset(seat, seed), called before each deal"
            )
    deals = check_number(deals, 2 * NUM_FOLDS, MAX_PAIRS, "deals")
    more_deals = check_number(10 * deals if more_deals is None else more_deals, 2, MAX_PAIRS - deals, "more_deals")
    play = partial(
        play_match, seed=seed, rules=rules, allow_cheating=allow_cheating, workers=workers, progress=progress
    )
    started = _cpu_seconds()
    match = play(*players, deals=deals, names=names, makers=makers)
    between = _cpu_seconds()
    of_surrogates = play(*surrogates, deals=deals + more_deals, names=surrogate_names, makers=surrogate_makers)
    ended = _cpu_seconds()
    correction = corrected_mean(match.margins, of_surrogates.margins[:deals], of_surrogates.margins[deals:])
    return CorrectedMatch(match, correction, of_surrogates, between - started, ended - between)


def corrected_mean(margins: np.ndarray, surrogates: np.ndarray, more: np.ndarray) -> Correction:
    """The mean of a match, corrected by that of its surrogates.

    Args:
        margins: the match's points on each deal, float, shape (n,), n at least 2 * `NUM_FOLDS`.
        surrogates: the surrogates' points on the same deals, float, shape (n,).
        more: the surrogates' points on other deals, float, shape (N,), N at least 2.

    Raises:
        ValueError: if the shapes are others.
    """
    number, is_vector = len(margins), margins.ndim == surrogates.ndim == more.ndim == 1
    if not is_vector or len(surrogates) != number or number < 2 * NUM_FOLDS or len(more) < 2:
        shapes = f"{margins.shape}, {surrogates.shape} and {more.shape}"
        raise ValueError(f"the margins must have shapes (n,), (n,) and (N,), n from {2 * NUM_FOLDS} on, not {shapes}")
    coefficients = fold_coefficients(margins, surrogates) * len(more) / (number + len(more))
    corrected = margins - coefficients * (surrogates - np.mean(more))
    coefficient = float(np.mean(coefficients))
    se = sqrt(np.var(corrected, ddof=1) / number + coefficient**2 * np.var(more, ddof=1) / len(more))
    mean, plain = float(np.mean(corrected)), float(np.var(margins, ddof=1)) / number
    has_both = np.ptp(margins) > 0 and np.ptp(surrogates) > 0
    return Correction(
        points_per_deal=Mean(mean, mean - Z_95 * se, mean + Z_95 * se, se),
        coefficient=coefficient,
        correlation=float(np.corrcoef(margins, surrogates)[0, 1]) if has_both else nan,
        saving=1 - se**2 / plain if plain > 0 else 0.0,
    )


def fold_coefficients(margins: np.ndarray, surrogates: np.ndarray) -> np.ndarray:
    """Cov(X, Y) / Var(Y) for each deal, from the deals outside its fold; 0 where Y is the same on all of these."""
    coefficients = np.zeros(len(margins))
    for fold in np.array_split(np.arange(len(margins)), NUM_FOLDS):
        x, y = np.delete(margins, fold), np.delete(surrogates, fold)
        variance = np.var(y)
        if variance > 0:
            coefficients[fold] = np.mean((x - x.mean()) * (y - y.mean())) / variance
    return coefficients


def _cpu_seconds() -> float:
    """The CPU time of this process and of those that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
