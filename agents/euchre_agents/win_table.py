"""Win probabilities of a game: how likely a team is to win from any score, if both sides play equally well.

The state of a game between two deals is what each team still needs (`euchre_env.view.points_needed`) and who deals
next. Scores that leave the same points needed go on alike, so scores past the target, which `win_by=2` allows, need no
states of their own. A deal that scores leads to a state nearer the end, and a deal without points changes the dealer at
most. So the table is solved backwards from the end, each state as a linear system of its two dealers. Only under
`win_by=2` do states lead to one another: the three of teams less than two points apart at the end of a game (`EVEN`),
which are one linear system. Nothing is iterated; the values are exact for the given shares of outcomes but for
rounding, below 1e-12 with the shipped counts.
"""

import functools
from math import comb

import numpy as np

from euchre_agents.outcomes import (
    NUM_OUTCOMES,
    THROWN_IN,
    OutcomeCounts,
    points_of_outcomes,
    read_outcome_counts,
)
from euchre_env.cards import ACES_AND_FACES, PACK, PACK_WITH_BENNY, num_members
from euchre_env.checks import array_kind, check_numbers, shortened
from euchre_env.deal import HAND_SIZE, SEATS, Rules
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.kernel import RecordHolder, Records, kernel
from euchre_env.view import points_needed

EVEN = ((1, 3), (2, 2), (3, 1))  # points needed of teams that need the lead of win_by=2 and nothing else
MAX_POINTS = 1000  # the most points of one deal that a question may name
LARGEST_CONDITION = 1e12  # of a linear system that counts as solvable


@kernel
def needed_after(needed_by_us: int, needed_by_them: int, net_points: int, rules: Rules) -> tuple[int, int]:
    """The points that we and they need after a deal in which we scored `net_points`, or they scored -`net_points`.

    The scores before it are the lowest that leave these points needed; others would go on alike.
    """
    target = max(rules.points_to_win, rules.win_by)
    ours = target - needed_by_us + (rules.win_by - 1 if needed_by_them == 1 else 0) + max(net_points, 0)
    theirs = target - needed_by_them + (rules.win_by - 1 if needed_by_us == 1 else 0) + max(-net_points, 0)
    return points_needed(ours, theirs, rules), points_needed(theirs, ours, rules)


@kernel
def value_after(values: np.ndarray, ours: int, theirs: int, net_points: int, we_deal_next: int, rules: Rules) -> float:
    """Our probability of winning once a deal has been scored; `values` as in `WinTable`."""
    ours, theirs = needed_after(ours, theirs, net_points, rules)
    if ours == 0 or theirs == 0:
        return 1.0 if ours == 0 else 0.0
    return values[ours, theirs, we_deal_next]


@kernel
def solve_backwards(values: np.ndarray, chances: np.ndarray, net_points: np.ndarray, rules: Rules) -> None:
    """Fill in the values that are nan, from the end of the game to its beginning.

    Args:
        values: as in `WinTable`, with the states of `EVEN` solved under `win_by=2`.
        chances: float64, shape (2, 2, k): by who deals, who deals next and points, the probability of such a deal.
        net_points: our points less theirs, int64, shape (k,).
        rules: the house rules.
    """
    target = max(rules.points_to_win, rules.win_by)
    stay, rest = np.zeros((2, 2)), np.zeros(2)
    for our_score in range(target - 1, -1, -1):
        for their_score in range(target - 1, -1, -1):
            ours, theirs = points_needed(our_score, their_score, rules), points_needed(their_score, our_score, rules)
            if not np.isnan(values[ours, theirs, 0]):
                continue
            stay[:] = 0
            rest[:] = 0
            for we_deal in range(2):
                for we_deal_next in range(2):
                    for i in range(len(net_points)):
                        chance = chances[we_deal, we_deal_next, i]
                        if net_points[i] == 0:
                            stay[we_deal, we_deal_next] += chance
                        elif chance > 0:
                            value = value_after(values, ours, theirs, net_points[i], we_deal_next, rules)
                            rest[we_deal] += chance * value
            # Cramer's rule for value = rest + stay @ value
            determinant = (1 - stay[0, 0]) * (1 - stay[1, 1]) - stay[0, 1] * stay[1, 0]
            values[ours, theirs, 0] = (rest[0] * (1 - stay[1, 1]) + stay[0, 1] * rest[1]) / determinant
            values[ours, theirs, 1] = (rest[1] * (1 - stay[0, 0]) + stay[1, 0] * rest[0]) / determinant


@kernel
def values_after_rows(
    values: np.ndarray,
    needed: np.ndarray,
    we_deal_next: np.ndarray,
    net_points: np.ndarray,
    rules: Rules,
    out: np.ndarray,
) -> None:
    """Write `value_after` of every row and all its points to `out`; the arrays as in `WinTable.probabilities_after`."""
    for i in range(len(needed)):
        for j in range(len(net_points)):
            dealer = int(we_deal_next[i, j])
            out[i, j] = value_after(values, needed[i, 0], needed[i, 1], net_points[j], dealer, rules)


class WinTable(RecordHolder):
    """Our probability of winning the game from every state, under one set of house rules.

    Args:
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        shares: the probability of each of the outcomes of `euchre_agents.outcomes` in any deal, float64, shape
            (NUM_OUTCOMES,), as `OutcomeCounts.shares` gives them.

    Raises:
        ValueError: if the rules or the shares are invalid, or a game with these shares may never end.
    """

    def __init__(self, rules: RulesLike, shares: np.ndarray) -> None:
        self.rules: HouseRules = parse_rules(rules)
        self._packed: Records = self.rules.packed()
        net_points, chances = chances_of(self.rules, _checked_shares(shares))
        largest = max(self.rules.points_to_win, self.rules.win_by) + self.rules.win_by - 1
        self.values: np.ndarray = np.full((largest + 1, largest + 1, 2), np.nan)
        """Float64, read-only: by the points that we need, the points that they need, and whether we deal next (0 or
        1). A value is nan where no scores of a game in progress leave these points."""
        if self.rules.win_by == 2:
            self._solve_even(net_points, chances)
        _check_solvable(np.eye(2) - chances[:, :, net_points == 0].sum(axis=2))
        solve_backwards(self.values, chances, net_points, self._packed[0])
        self.values.flags.writeable = False

    def _solve_even(self, net_points: np.ndarray, chances: np.ndarray) -> None:
        """Solve the states of `EVEN`, which lead to one another, as one linear system."""
        index = {needed: 2 * place for place, needed in enumerate(EVEN)}
        system, rest = np.eye(2 * len(EVEN)), np.zeros(2 * len(EVEN))
        for needed, row in index.items():
            for net, chance in zip(net_points.tolist(), chances.transpose(2, 0, 1), strict=True):
                after = needed_after(*needed, net, self._packed[0])
                if after in index:
                    system[row : row + 2, index[after] : index[after] + 2] -= chance
                elif after[0] == 0:
                    rest[row : row + 2] += chance.sum(axis=1)
        _check_solvable(system)
        solved = np.linalg.solve(system, rest)
        for (ours, theirs), row in index.items():
            self.values[ours, theirs] = solved[row : row + 2]

    def probabilities(self, needed: np.ndarray, we_deal_next: np.ndarray) -> np.ndarray:
        """Our probabilities of winning, between two deals.

        Args:
            needed: the points that we and they need, whole numbers, shape (n, 2), as the field `needed` of views.
            we_deal_next: whether our team deals the next deal, bool, shape (n,).

        Returns:
            Float64, shape (n,).

        Raises:
            ValueError: if an argument is invalid, or no scores of a game in progress leave these points.
        """
        checked = self._checked_needed(needed)
        return self.values[checked[:, 0], checked[:, 1], _checked_flags(we_deal_next, (len(checked),)).astype(np.int64)]

    def probabilities_after(
        self, needed: np.ndarray, we_deal_next: np.ndarray, net_points: np.ndarray | list[int]
    ) -> np.ndarray:
        """Our probabilities of winning after each possible result of the deal in progress, for a batch of deals.

        Args:
            needed: the points that we and they need before the deal is scored, whole numbers, shape (n, 2), as the
                field `needed` of views.
            we_deal_next: whether our team deals the next deal, bool, shape (n,); or of shape (n, k) if it depends on
                the result, as under `throw_in_dealer=same`.
            net_points: the possible results, whole numbers, shape (k,): our points, or the points of the other team
                with a minus; 0 if nobody scores.

        Returns:
            Float64, shape (n, k).

        Raises:
            ValueError: if an argument is invalid, or no scores of a game in progress leave these points.
        """
        checked = self._checked_needed(needed)
        points = check_numbers(net_points, "net_points")
        if points.ndim != 1 or (points < -MAX_POINTS).any() or (points > MAX_POINTS).any():
            bounds = f"from {-MAX_POINTS} to {MAX_POINTS}"
            raise ValueError(f"net_points must be a list of numbers {bounds}, not {shortened(net_points)}")
        shape = len(checked), len(points)
        if np.ndim(we_deal_next) == 1:
            flags = np.repeat(_checked_flags(we_deal_next, shape[:1])[:, np.newaxis], shape[1], axis=1)
        else:
            flags = _checked_flags(we_deal_next, shape)
        out = np.empty(shape)
        values_after_rows(self.values, checked, flags, points, self._packed[0], out)
        return out

    def _checked_needed(self, needed: np.ndarray) -> np.ndarray:
        """`needed` as int64, shape (n, 2), every row of them points that the table has."""
        checked = check_numbers(needed, "needed")
        if checked.ndim != 2 or checked.shape[1] != 2:
            raise ValueError(f"needed must be the points of both teams, shape (n, 2), not shape {checked.shape}")
        within = np.clip(checked, 0, len(self.values) - 1)
        is_unknown = (within != checked).any(axis=1) | np.isnan(self.values[within[:, 0], within[:, 1], 0])
        if is_unknown.any():
            ours, theirs = checked[is_unknown][0].tolist()
            raise ValueError(
                f"no scores of a game in progress leave the teams {ours} and {theirs} points to win with "
                f"{self.rules.points_to_win} and a lead of {self.rules.win_by}"
            )
        return checked


def win_table(rules: RulesLike) -> WinTable:
    """The win probabilities under any house rules between equal players, from the counts that are shipped.

    Raises:
        ValueError: if the rules are invalid.
    """
    return _win_table(parse_rules(rules))


@functools.lru_cache(maxsize=128)
def _win_table(rules: HouseRules) -> WinTable:
    return WinTable(rules, _shipped_counts().shares(rules))


@functools.cache
def _shipped_counts() -> OutcomeCounts:
    return read_outcome_counts()


def chances_of(rules: HouseRules, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The possible points of a deal, and the probability of each by who is to deal and who deals next.

    A deal that is dealt again by the next dealer (`no_ace_no_face`) passes the deal on before it scores.

    Returns:
        Our points less theirs, int64, shape (k,), and float64, shape (2, 2, k): [we deal, we deal next].
    """
    dealers_points = points_of_outcomes(rules)
    net_points = np.unique([dealers_points, -dealers_points])
    chances = np.zeros((2, 2, len(net_points)))
    for outcome, share in enumerate(shares):
        for we_deal in (0, 1):
            stays = outcome == THROWN_IN and rules.throw_in_dealer == "same"
            ours = dealers_points[outcome] if we_deal else -dealers_points[outcome]
            chances[we_deal, we_deal if stays else 1 - we_deal, np.searchsorted(net_points, ours)] += share
    if rules.no_ace_no_face == "next_dealer":
        again = redeal_probability(rules)
        chances = (chances + again * chances[::-1]) / (
            1 + again
        )  # 1 - p + p^2 - ... : passed on an even number of times
    return net_points, chances


def redeal_probability(rules: HouseRules) -> float:
    """The probability that some hand of a shuffled pack has no ace, face card or Benny.

    Two hands cannot: they would need ten nines and tens, and there are eight.

    >>> round(redeal_probability(HouseRules()), 6)
    0.00527
    """
    pack = PACK_WITH_BENNY if rules.benny else PACK
    low_hands = comb(num_members(pack & ~ACES_AND_FACES), HAND_SIZE)
    return len(SEATS) * low_hands / comb(num_members(pack), HAND_SIZE)


def _check_solvable(system: np.ndarray) -> None:
    if not np.linalg.cond(system) < LARGEST_CONDITION:
        raise ValueError("with these shares of outcomes a game may never end")


def _checked_shares(shares: np.ndarray) -> np.ndarray:
    """`shares` as float64, checked to be probabilities of all outcomes."""
    checked = np.asarray(shares)
    if checked.shape != (NUM_OUTCOMES,) or checked.dtype.kind != "f":
        raise ValueError(f"shares must be float64, shape ({NUM_OUTCOMES},), not {array_kind(shares)}")
    if not (checked >= 0).all() or abs(checked.sum() - 1) > 1e-9:
        raise ValueError(f"shares must be 0 or more and add up to 1, not {shortened(checked.tolist())}")
    return checked.astype(np.float64)


def _checked_flags(flags: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`flags` as a contiguous bool array, checked to have `shape`."""
    checked = np.asarray(flags)
    if checked.shape != shape or checked.dtype != np.bool_:
        raise ValueError(f"we_deal_next must be bool, shape {shape}, not {array_kind(flags)}")
    return np.ascontiguousarray(checked)
