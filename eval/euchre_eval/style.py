"""Statistics of style: what each player calls, leads and plays, with 95 % intervals (docs/statistics.md).

`count_deals` counts what every seat did in deals that are over. `measure` makes the statistics from such counts, summed
by sample: a sample is a game, or the two plays of a game. A statistic is a count divided by another, so its interval is
that of a ratio of means over the samples; decisions in one game are not independent, games are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from euchre_env.cards import ACE, SUIT_OF, TRICK_POWER
from euchre_env.deal import NOBODY, NUM_TRICKS, SEATS
from euchre_env.house_rules import HouseRules
from euchre_eval.intervals import Z_95, share_interval

# Where in the auction a seat calls; round one and round two, from the eldest hand to the dealer.
PLACES = tuple(
    f"{when}.{seat}" for when in ("round_one", "round_two") for seat in ("eldest", "partner", "right", "dealer")
)
BENNY_UP = len(PLACES)
SCORES = ("ahead", "level", "behind", "near", "against", "both")
CALL_KINDS = (*PLACES, "benny", *(f"score.{score}" for score in SCORES))
CALL_COUNTS = ("chances", "calls", "made", "march", "euchred", "alone", "swept", "points")

LEAD_TIMES, LEAD_ROLES, LEAD_CARDS = ("opening", "later"), ("maker", "partner", "defender"), ("trump", "ace", "other")
POSITIONS, PLAYS = ("second", "third", "last"), ("follows_high", "follows_low", "trumps_in", "throws_off")
CHOICES = ("second", "third.partner_winning", "third.partner_losing", "last.partner_winning", "last.partner_losing")
DEALERS = ("own", "other")
ANY_DEAL = "deal.any.deals"

COLUMNS = (
    *(f"call.{kind}.{count}" for kind in CALL_KINDS for count in CALL_COUNTS),
    *(f"deal.{dealer}.{count}" for dealer in DEALERS for count in ("deals", "points")),
    ANY_DEAL,
    *(f"lead.{time}.{role}.{card}" for time in LEAD_TIMES for role in LEAD_ROLES for card in LEAD_CARDS),
    *(f"first_trick.{position}.{play}" for position in POSITIONS for play in PLAYS),
    *(f"takes.{choice}.{count}" for choice in CHOICES for count in ("choices", "taken")),
)
"""What `count_deals` counts, in the order of its columns."""
COLUMN = {name: number for number, name in enumerate(COLUMNS)}
OF_TEAMS = [COLUMN[f"deal.{dealer}.{count}"] for dealer in DEALERS for count in ("deals", "points")]
NEAR = 2  # points: a march, or the defenders' euchre, ends the game


class FinishedDeals(NamedTuple):
    """Deals that are over, none ended by a renege."""

    results: np.ndarray
    """Their results, dtype RESULT, shape (n,)."""
    deals: np.ndarray
    """Their records after the last card, dtype DEAL, shape (n,); those without a maker are not read."""


# Counting


def count_deals(ended: FinishedDeals, rules: HouseRules) -> np.ndarray:
    """What every seat did in each deal.

    Returns:
        int16, shape (n, 4, len(COLUMNS)), by deal and seat.
    """
    counts = np.zeros((len(ended.results), len(SEATS), len(COLUMNS)), np.int16)
    _count_calls(counts, ended.results, rules)
    _count_dealers(counts, ended.results)
    has_maker = np.flatnonzero(ended.results["maker"] != NOBODY)
    _count_leads(counts, has_maker, ended.deals[has_maker])
    four_play = has_maker[ended.deals["sitting_out"][has_maker] == 0]
    _count_first_tricks(counts, four_play, ended.deals[four_play])
    return counts


def count_players(ended: FinishedDeals, rules: HouseRules, owners: Sequence[int]) -> np.ndarray:
    """What every player did in each deal, at all of its seats.

    The deals of a team are counted once, also if both partners are one player; and so is every deal in `ANY_DEAL`.

    Args:
        ended: the deals.
        rules: the house rules of the games.
        owners: the number of the player at each seat, from 0.

    Returns:
        int16, shape (n, players, len(COLUMNS)).
    """
    of_seats = count_deals(ended, rules)
    counts = np.zeros((len(of_seats), max(owners) + 1, len(COLUMNS)), np.int16)
    for seat, owner in enumerate(owners):
        of_seat = of_seats[:, seat]
        if seat >= 2 and owners[seat - 2] == owner:
            of_seat[:, OF_TEAMS] = 0
        counts[:, owner] += of_seat
    counts[:, :, COLUMN[ANY_DEAL]] = 1
    return counts


def _net_points(results: np.ndarray) -> np.ndarray:
    """The points of each seat's team less those of the other in each deal, shape (n, 4)."""
    net = results["points"][:, 0] - results["points"][:, 1]
    return np.stack([net, -net, net, -net], axis=1)


def _count_calls(counts: np.ndarray, results: np.ndarray, rules: HouseRules) -> None:
    """Count the chances to call and the calls, by place in the auction and by score."""
    rows, net, scores = np.arange(len(results)), _net_points(results), _scores_before(results, rules)
    maker, num_passes = results["maker"], results["num_passes"]
    # The eldest hand speaks first, so a dealer who has made trump without a pass had turned up the Benny.
    benny_up = (maker == results["dealer"]) & (num_passes == 0)
    has_maker = maker != NOBODY
    for place in range(BENNY_UP + 1):
        if place == BENNY_UP:
            calls = chances = benny_up
            seats = results["dealer"]
        else:
            calls = has_maker & ~benny_up & (num_passes == place)
            chances = calls | (num_passes > place)
            seats = (results["dealer"] + 1 + place) & 3
        for kinds in (np.full(len(results), place), BENNY_UP + 1 + scores[rows, seats]):
            first = kinds * len(CALL_COUNTS)
            counts[rows[chances], seats[chances], first[chances] + CALL_COUNTS.index("chances")] += 1
            called, who, where = rows[calls], seats[calls], first[calls]
            tricks, alone = results["tricks"][called, who & 1], results["alone"][called]
            amounts = {
                "calls": np.ones(len(called), np.int64),
                "made": tricks >= 3,
                "march": tricks == NUM_TRICKS,
                "euchred": tricks < 3,
                "alone": alone,
                "swept": (alone == 1) & (tricks == NUM_TRICKS),
                "points": net[called, who],
            }
            for name, amount in amounts.items():
                counts[called, who, where + CALL_COUNTS.index(name)] += amount.astype(np.int16)


def _scores_before(results: np.ndarray, rules: HouseRules) -> np.ndarray:
    """The score before each deal as each seat sees it, an index into `SCORES`, shape (n, 4)."""
    teams = results["scores"] - results["points"]
    own, other = teams[:, [0, 1, 0, 1]], teams[:, [1, 0, 1, 0]]
    needed, other_needed = (
        np.maximum(rules.points_to_win, theirs + rules.win_by) - ours for ours, theirs in ((own, other), (other, own))
    )
    near, threatened = needed <= NEAR, other_needed <= NEAR
    far = np.select([own > other, own == other], [0, 1], 2)
    return np.select([near & threatened, near, threatened], [5, 3, 4], far)


def _count_dealers(counts: np.ndarray, results: np.ndarray) -> None:
    """Count the deals of the seat's own team and of the other, with the points of the seat's team."""
    rows, net = np.arange(len(results)), _net_points(results)
    for seat in SEATS:
        dealer = (results["dealer"] ^ seat) & 1
        first = COLUMN["deal.own.deals"] + 2 * dealer
        counts[rows, seat, first] += 1
        counts[rows, seat, first + 1] += net[:, seat].astype(np.int16)
    counts[:, :, COLUMN[ANY_DEAL]] = 1


def _count_leads(counts: np.ndarray, rows: np.ndarray, deals: np.ndarray) -> None:
    """Count the leads to all tricks but the last, where only one card is left."""
    every = np.arange(len(deals))
    for trick in range(NUM_TRICKS - 1):
        leaders = deals["leaders"][:, trick]
        cards = deals["played"][every, trick, leaders]
        kinds = np.where(SUIT_OF[cards, deals["trump"]] == deals["trump"], 0, np.where(cards % 6 == ACE, 1, 2))
        roles = np.select([leaders == deals["maker"], leaders == deals["maker"] ^ 2], [0, 1], 2)
        first = COLUMN["lead.opening.maker.trump"] if trick == 0 else COLUMN["lead.later.maker.trump"]
        counts[rows, leaders, first + roles * len(LEAD_CARDS) + kinds] += 1


def _count_first_tricks(counts: np.ndarray, rows: np.ndarray, deals: np.ndarray) -> None:
    """Count what the three others play to the first trick, in deals with four at the table."""
    every, trump, leaders = np.arange(len(deals)), deals["trump"], deals["leaders"][:, 0]
    cards = deals["played"][:, 0]
    led = SUIT_OF[cards[every, leaders], trump]
    winners, best = leaders.copy(), TRICK_POWER[trump, led, cards[every, leaders]]
    for position in range(1, len(SEATS)):
        seats = (leaders + position) & 3
        card = cards[every, seats]
        suit, power = SUIT_OF[card, trump], TRICK_POWER[trump, led, card]
        takes = power > best
        plays = np.select([(suit == led) & takes, suit == led, suit == trump], [0, 1, 2], 3)
        first = COLUMN["first_trick.second.follows_high"] + (position - 1) * len(PLAYS)
        counts[rows, seats, first + plays] += 1

        hands = deals["played"][every, :, seats]  # what was played later was in the hand
        follows = SUIT_OF[hands, trump[:, None]] == led[:, None]
        legal = follows | ~follows.any(axis=1, keepdims=True)
        would_take = TRICK_POWER[trump[:, None], led[:, None], hands] > best[:, None]
        has_choice = (legal & would_take).any(axis=1) & (legal & ~would_take).any(axis=1)
        partner_loses = winners != seats ^ 2
        choice = 0 * winners if position == 1 else 2 * position - 3 + partner_loses
        first_choice = COLUMN["takes.second.choices"] + 2 * choice
        counts[rows[has_choice], seats[has_choice], first_choice[has_choice]] += 1
        taken = has_choice & takes
        counts[rows[taken], seats[taken], first_choice[taken] + 1] += 1
        winners, best = np.where(takes, seats, winners), np.maximum(best, power)


# Measuring


@dataclass(frozen=True)
class Measured:
    """A share or a mean with its 95 % interval; nan where nothing can be said."""

    value: float
    low: float
    high: float
    se: float
    """The standard error; nan after a single sample, and where all samples are the same, which shows no spread."""
    of: int
    """How many chances, calls, deals, leads or plays it is a share or a mean of; both players' in a difference. A deal
    counts once for a player, whatever seats it has, and once for each of its teams in `deal.own` and `deal.other`."""


class Statistic(NamedTuple):
    """A statistic as the sum of numerators over the sum of denominators."""

    numerators: tuple[str, ...]
    denominators: tuple[str, ...]
    is_share: bool = True


def _statistics() -> Iterator[tuple[str, Statistic]]:
    every_place = CALL_KINDS[: BENNY_UP + 1]
    of_kind = {"all": every_place} | {kind: (kind,) for kind in CALL_KINDS}
    for kind, members in of_kind.items():

        def of(count: str, members: tuple[str, ...] = members) -> tuple[str, ...]:
            return tuple(f"call.{member}.{count}" for member in members)

        yield f"calls.{kind}", Statistic(of("calls"), of("chances"))
        for result in ("made", "march", "euchred", "alone"):
            yield f"{result}.{kind}", Statistic(of(result), of("calls"))
        yield f"swept.{kind}", Statistic(of("swept"), of("alone"))
        yield f"points.{kind}", Statistic(of("points"), of("calls"), is_share=False)
    for dealer in DEALERS:
        yield f"deal.{dealer}", Statistic((f"deal.{dealer}.points",), (f"deal.{dealer}.deals",), is_share=False)
    for family, kinds in (
        *((f"lead.{time}.{role}", LEAD_CARDS) for time in LEAD_TIMES for role in LEAD_ROLES),
        *((f"first_trick.{position}", PLAYS) for position in POSITIONS),
    ):
        for kind in kinds:
            yield f"{family}.{kind}", Statistic((f"{family}.{kind}",), tuple(f"{family}.{each}" for each in kinds))
    for choice in CHOICES:
        yield f"takes.{choice}", Statistic((f"takes.{choice}.taken",), (f"takes.{choice}.choices",))


STATISTICS: dict[str, Statistic] = dict(_statistics())
ADVANTAGE = "deal.advantage"
NAMES: tuple[str, ...] = (*STATISTICS, ADVANTAGE)
"""The names of all statistics; the dealer's advantage is half of `deal.own` less `deal.other`."""


class _Estimate(NamedTuple):
    """An estimate and the share of each sample in its error."""

    value: float
    errors: np.ndarray
    """float64, shape (samples,): the sum of their squares estimates the variance of the estimate."""
    of: int
    samples: int
    """How many samples have something to count."""

    @property
    def se(self) -> float:
        """The standard error; nan if it is unknown, because there is one sample or no spread."""
        variance = float(np.sum(np.square(self.errors)))
        return sqrt(variance) if variance > 0 else nan


def measure(counts: np.ndarray) -> dict[str, Measured]:
    """All statistics of one player, by name.

    Args:
        counts: what it did in each sample, integers, shape (samples, len(COLUMNS)).
    """
    return {name: _measured(estimate, _is_share(name)) for name, estimate in _estimates(counts).items()}


def differences(one: np.ndarray, other: np.ndarray) -> dict[str, Measured]:
    """All statistics of one player less those of another, by name.

    Args:
        one: what the first did in each sample, integers, shape (samples, len(COLUMNS)).
        other: what the second did in the same samples, for example with the same cards; their errors are paired.
    """
    pairs = zip(_estimates(one).items(), _estimates(other).values(), strict=True)
    return {name: _measured_difference(first, second, _is_share(name)) for (name, first), second in pairs}


def _is_share(name: str) -> bool:
    return name in STATISTICS and STATISTICS[name].is_share


def _estimates(counts: np.ndarray) -> dict[str, _Estimate]:
    found = {name: _ratio(counts, statistic) for name, statistic in STATISTICS.items()}
    own, other = found["deal.own"], found["deal.other"]
    value, errors = (own.value - other.value) / 2, (own.errors - other.errors) / 2
    deals = int(counts[:, COLUMN[ANY_DEAL]].sum(dtype=np.int64))
    return {**found, ADVANTAGE: _Estimate(value, errors, deals, min(own.samples, other.samples))}


def _ratio(counts: np.ndarray, statistic: Statistic) -> _Estimate:
    """A ratio of two sums over samples, and its errors to first order.

    Source: W. G. Cochran, Sampling Techniques, third edition, chapter 6 (ratio estimates).
    """
    parts = [[COLUMN[name] for name in names] for names in (statistic.numerators, statistic.denominators)]
    amounts, events = (counts[:, columns].sum(axis=1, dtype=np.int64) for columns in parts)
    number, total = len(counts), int(events.sum())
    if total == 0:
        return _Estimate(nan, np.full(number, nan), 0, 0)
    value = int(amounts.sum()) / total
    errors = (amounts - value * events) / total
    if number == 1:
        errors = np.full(1, nan)
    else:
        errors *= sqrt(number / (number - 1))
    return _Estimate(value, errors, total, int(np.count_nonzero(events)))


def _measured(estimate: _Estimate, is_share: bool) -> Measured:
    value, se = estimate.value, estimate.se
    if isnan(value):
        low, high = nan, nan
    elif is_share:
        low, high = share_interval(value, se, estimate.samples)
    else:
        low, high = value - Z_95 * se, value + Z_95 * se
    return Measured(value, low, high, se, estimate.of)


def _measured_difference(one: _Estimate, other: _Estimate, is_share: bool) -> Measured:
    """One estimate less another of the same samples.

    The errors are paired by sample. Where one of two shares shows no spread, its error is unknown and nothing can be
    paired; then the distances to the ends of both intervals are combined, as if the shares were independent. Source:
    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine
    17 (1998), 873-890, method 10. A difference of means is unknown in that case.
    """
    value, of = one.value - other.value, one.of + other.of
    if not (isnan(one.se) or isnan(other.se)):
        se = _Estimate(value, one.errors - other.errors, of, 0).se
        return Measured(value, value - Z_95 * se, value + Z_95 * se, se, of)
    if isnan(value) or not is_share:
        return Measured(value, nan, nan, nan, of)
    first, second = _measured(one, is_share), _measured(other, is_share)
    below = hypot(first.value - first.low, second.high - second.value)
    above = hypot(first.high - first.value, second.value - second.low)
    return Measured(value, value - below, value + above, nan, of)
