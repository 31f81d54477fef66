"""How the best action of a puzzle is known: by every world of its view, or by thousands of worlds played out.

A proof of "every world" needs an ending of which all worlds can be listed: with all cards open, no other action is
worth more in any world, and each other action is worth less in some. Such values let the seat see all cards later on
as well, so the means of two players who do not see them must agree.

A proof of "played out" is a gap. Worlds that agree with the view are weighed by how likely a network is to have bid and
played as the hidden seats have; each action is played on in the same worlds, by each of two players at all seats; and
under both, the best actions are worth more than the others by `MIN_GAP` points and `MIN_ERRORS` standard errors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from euchre_agents import load
from euchre_agents.network import NetworkPlayer
from euchre_agents.search import Solver
from euchre_agents.search.any_player import answering_views
from euchre_agents.search.drawn_worlds import draw_worlds
from euchre_agents.search.likelihoods import ProbabilityPolicy, weights_of_worlds
from euchre_agents.search.rollouts import rollout_points
from euchre_agents.search.weighted_means import weighted_means
from euchre_env.actions import actions_in
from euchre_env.house_rules import HouseRules
from euchre_env.view import View, batch_of
from euchre_env.worlds import count_worlds, numbered_worlds
from euchre_eval.puzzles import Puzzle

NUM_WORLDS = 20_000
PLAYERS = ("rules", "ppo:points")
"""The players that play the worlds out. They play every deal for points, whatever the score."""
WEIGHED_BY = "ppo:points"
MIN_GAP = 0.1
"""The least points between the best actions and the others."""
MIN_ERRORS = 5.0
"""The least number of standard errors between them."""
MAX_LISTED_WORLDS = 250_000
"""The most worlds of a view that are listed."""
WORLDS_AT_ONCE = 1000


@dataclass(frozen=True)
class Gap:
    """The lowest of the best actions against the highest of the others, in the same worlds."""

    points: float
    error: float
    """Its standard error; 0 if the worlds are all there are."""

    @property
    def is_clear(self) -> bool:
        """Whether it is as large as a puzzle needs."""
        return self.points >= MIN_GAP and self.points >= MIN_ERRORS * self.error

    def __str__(self) -> str:
        errors = f", {self.points / self.error:.0f} standard errors" if self.error else ""
        return f"{self.points:+.3f}{errors}"


@dataclass(frozen=True)
class Means:
    """The mean points of every legal action under one player, and their gaps."""

    points: dict[int, tuple[float, float]]
    """By action: the points for the team of the seat less those of the other team, and their standard error."""
    gaps: dict[tuple[int, int], Gap]
    """By two actions: the points of the first less those of the second."""

    def gap(self, best: Iterable[int]) -> Gap:
        """The least clear gap of the actions `best` over the others."""
        inside, outside = set(best), set(self.points) - set(best)
        lowest = min(inside, key=lambda action: self.points[action][0])
        highest = max(outside, key=lambda action: self.points[action][0])
        return self.gaps[lowest, highest]


def mean_points(view: View, player: str, num_worlds: int = NUM_WORLDS) -> Means:
    """What each legal action is worth if the player called `player` plays on at all seats, over weighed worlds.

    A view that has no more than `num_worlds` is played in each of its worlds once. The worlds are the same for every
    player and at every call.

    Raises:
        ValueError: if the view's owner is not to act.
    """
    weigher, actions = _weigher(), actions_in(int(view["legal"]))
    count = int(count_worlds(view)[0])
    sizes = [count] if count <= num_worlds else [WORLDS_AT_ONCE] * max(1, num_worlds // WORLDS_AT_ONCE)
    parts = list[_Part]()
    with answering_views(load(player, seed=0)) as asked:
        for number, size in enumerate(sizes):
            views, keys = batch_of(view), np.array([number], np.int64)
            worlds = draw_worlds(views, size, keys)
            points = rollout_points(views, worlds, keys, asked, solves_cards=False)
            parts.append(_Part(points[:, :, actions], weights_of_worlds(views, worlds, weigher), worlds.are_all))
    means, errors = _mean_of(parts)
    gaps = dict[tuple[int, int], Gap]()
    for i, one in enumerate(actions):
        less = [_Part(points[:, :, i : i + 1] - points, weights, are_all) for points, weights, are_all in parts]
        gaps |= {(one, other): Gap(*pair) for other, *pair in zip(actions, *_mean_of(less), strict=True)}
    return Means({a: (mean, error) for a, mean, error in zip(actions, means, errors, strict=True)}, gaps)


class _Part(NamedTuple):
    """The points of some worlds, their weights, and whether these are all; arrays as of `weighted_means`."""

    points: np.ndarray
    weights: np.ndarray
    are_all: np.ndarray


def _mean_of(parts: Sequence[_Part]) -> tuple[list[float], list[float]]:
    """The mean of the means of each part, and its standard error, by action."""
    found = [weighted_means(*part) for part in parts]
    means = np.mean([means[0] for means, _ in found], axis=0)
    errors = np.sqrt(np.sum([errors[0] ** 2 for _, errors in found], axis=0)) / len(parts)
    return means.tolist(), errors.tolist()


def _weigher() -> ProbabilityPolicy:
    network = load(WEIGHED_BY)
    assert isinstance(network, NetworkPlayer)
    return network


@dataclass(frozen=True)
class Endings:
    """The open-hand values of the legal cards of a view, in every world that agrees with it."""

    num_worlds: int
    best: tuple[int, ...]
    """The cards that are worth as much as any other in every world; maybe none."""
    worse_in: int
    """In how many worlds the other cards are all worth less than the best; 0 if there are no such others."""
    lost: float
    """How much the next best card loses on average."""


def solve_every_world(view: View, most: int = MAX_LISTED_WORLDS) -> Endings | None:
    """Solve every world of a view in the phase PLAY; None if it has more than `most`."""
    count, actions = int(count_worlds(view)[0]), actions_in(int(view["legal"]))
    if count > most:
        return None
    solver, values = Solver([HouseRules.unpacked(view["rules"])]), np.empty((count, len(actions)), np.int64)
    for start in range(0, count, WORLDS_AT_ONCE):
        numbers = range(start, min(start + WORLDS_AT_ONCE, count))
        deals = numbered_worlds(view, numbers).deals()[0]
        values[numbers.start : numbers.stop] = solver.action_values(deals)[:, actions]
    lost = values.max(axis=1, keepdims=True) - values
    is_best = (lost == 0).all(axis=0)
    best = tuple(action for action, always in zip(actions, is_best.tolist(), strict=True) if always)
    if not best or is_best.all():
        return Endings(count, best, 0, 0.0)
    others = lost[:, ~is_best]
    return Endings(count, best, int((others > 0).all(axis=1).sum()), float(others.mean(axis=0).min()))


@dataclass(frozen=True)
class Figures:
    """What the check of a puzzle found."""

    puzzle: Puzzle
    num_worlds: int
    """The worlds played out."""
    means: dict[str, Means]
    """By player."""
    endings: Endings | None
    """None unless the proof is "every world", and the worlds are few enough."""

    @property
    def fault(self) -> str | None:
        """Why the puzzle does not hold; None if it does."""
        best = self.puzzle.best_actions
        if self.puzzle.proof == "every world":
            if self.endings is None:
                return f"its view has more than {MAX_LISTED_WORLDS} worlds"
            if set(self.endings.best) != set(best) or self.endings.worse_in == 0:
                return "other actions are best in every world"
            gaps = {player: means.gap(best).points > 0 for player, means in self.means.items()}
        else:
            gaps = {player: means.gap(best).is_clear for player, means in self.means.items()}
        unclear = [f"{player} {self.means[player].gap(best)}" for player, is_clear in gaps.items() if not is_clear]
        return f"the gap is not clear: {'; '.join(unclear)}" if unclear else None

    def as_json(self) -> dict[str, Any]:
        """The figures as values for `json.dumps`, with names of actions and rounded numbers."""
        names = {action: said for said, action in self.puzzle.legal.items()}
        values: dict[str, Any] = {"worlds": self.num_worlds, "weighed_by": WEIGHED_BY}
        if self.endings is not None:
            values["solved"] = {
                "worlds": self.endings.num_worlds,
                "worlds_where_others_lose": self.endings.worse_in,
                "points_lost": round(self.endings.lost, 3),
            }
        for player, means in self.means.items():
            gap = means.gap(self.puzzle.best_actions)
            values[player] = {
                "points": {
                    names[action]: [round(number, 4) for number in pair] for action, pair in means.points.items()
                },
                "gap": [round(gap.points, 4), round(gap.error, 4)],
            }
        return values


def check_puzzle(puzzle: Puzzle, num_worlds: int = NUM_WORLDS) -> Figures:
    """Compute the figures of a puzzle anew, which takes up to a minute."""
    view = puzzle.view
    means = {player: mean_points(view, player, num_worlds) for player in PLAYERS}
    endings = solve_every_world(view) if puzzle.proof == "every world" else None
    return Figures(puzzle, min(int(count_worlds(view)[0]), num_worlds), means, endings)
