"""How the best action of a puzzle is known: by every world of its view, or by thousands of worlds played out.

A proof of "every world" needs an ending of which all worlds can be listed: with all cards open, no other action is
worth more in any world, and each other action is worth `MIN_LOSS` points less on average. Such values let the seat see
all cards later on as well, so the means of two players who do not see them must agree.

A proof of "played out" is a gap. Worlds that agree with the view are weighted by how likely a network is to have bid
and played as the hidden seats have; each action is played on in the same worlds, by each of two players at all seats;
and under both, each of the best actions is worth more than each other one by `MIN_GAP` points and
`MIN_STANDARD_ERRORS` standard errors.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from euchre_agents import load
from euchre_agents.network import NetworkPlayer
from euchre_agents.search import Solver
from euchre_agents.search.any_player import answering_views
from euchre_agents.search.likelihoods import ProbabilityPolicy
from euchre_agents.search.values import WorldPoints, points_by_world
from euchre_env.actions import actions_in
from euchre_env.house_rules import HouseRules
from euchre_env.view import View
from euchre_env.worlds import count_worlds, numbered_worlds
from euchre_eval.puzzles import Puzzle

NUM_WORLDS = 20_000
PLAYERS = ("rules", "ppo:points")
"""The players that play the worlds out. They play every deal for points, whatever the score."""
WEIGHTED_BY = "ppo:points"
MIN_GAP = 0.1
"""The least points between the best actions and the others."""
MIN_STANDARD_ERRORS = 5.0
"""The least number of standard errors between them."""
MIN_LOSS = 0.1
"""What each other card of an ending loses at least, on average over its worlds."""
MAX_LISTED_WORLDS = 250_000
"""The most worlds of a view that are listed."""
WORLDS_AT_ONCE = 1000


@dataclass(frozen=True)
class Gap:
    """The points of one action less those of another, in the same worlds."""

    points: float
    se: float
    """Its standard error; 0 if the worlds are all there are."""

    @property
    def margin(self) -> float:
        """How many times as large as a puzzle needs it is; it is clear from 1 on."""
        return self.points / max(MIN_GAP, MIN_STANDARD_ERRORS * self.se)

    @property
    def is_clear(self) -> bool:
        """Whether it is as large as a puzzle needs."""
        return self.margin >= 1

    def __str__(self) -> str:
        errors = f", {self.points / self.se:.0f} standard errors" if self.se else ""
        return f"{self.points:+.3f}{errors}"


@dataclass(frozen=True)
class ActionMeans:
    """The mean points of every legal action under one player, and the gaps between any two."""

    points: dict[int, tuple[float, float]]
    """By action: the points for the team of the seat less those of the other team, and their standard error."""
    gaps: dict[tuple[int, int], Gap]
    """By two actions: the points of the first less those of the second."""

    def gap(self, best: Iterable[int]) -> Gap:
        """The least clear of the gaps between each of the actions `best` and each other action."""
        inside = set(best)
        return min(
            (gap for (one, other), gap in self.gaps.items() if one in inside and other not in inside),
            key=lambda gap: gap.margin,
        )


def mean_points(
    view: View, player: str, num_worlds: int = NUM_WORLDS, tick: Callable[[], object] = lambda: None
) -> ActionMeans:
    """What each legal action is worth if the player called `player` plays on at all seats, over weighted worlds.

    A view that has no more than `num_worlds` is played in each of its worlds once. The worlds are the same for every
    player and at every call.

    Args:
        view: a view whose owner is to act.
        player: a name that `load` knows.
        num_worlds: a positive number.
        tick: called at short intervals.

    Raises:
        ValueError: if the view's owner is not to act.
    """
    count, weighting, actions = int(count_worlds(view)[0]), _weighting_network(), actions_in(int(view["legal"]))
    parts = list[WorldPoints]()
    with answering_views(load(player, seed=0)) as policy:
        for number, size in enumerate([count] if count <= num_worlds else _parts_of(num_worlds)):
            parts.append(points_by_world(view, policy, size, number, weighting, num_drawn=size))
            tick()
    whole = WorldPoints(*map(np.concatenate, zip(*parts, strict=True)))
    means, gaps = whole.means(), dict[tuple[int, int], Gap]()
    for i, one in enumerate(actions):
        less = whole._replace(points=whole.points[:, i : i + 1] - whole.points).means()
        gaps |= {(one, other): Gap(float(less.mean[j]), float(less.se[j])) for j, other in enumerate(actions)}
    return ActionMeans({a: (float(means.mean[i]), float(means.se[i])) for i, a in enumerate(actions)}, gaps)


def _parts_of(num_worlds: int) -> list[int]:
    """The sizes of parts of `num_worlds` worlds that are played at once."""
    full, rest = divmod(num_worlds, WORLDS_AT_ONCE)
    return [WORLDS_AT_ONCE] * full + [rest] * (rest > 0)


def _weighting_network() -> ProbabilityPolicy:
    network = load(WEIGHTED_BY)
    assert isinstance(network, NetworkPlayer)
    return network


@dataclass(frozen=True)
class SolvedWorlds:
    """The open-hand values of the legal cards of one view, in every world that agrees with it."""

    num_worlds: int
    best: tuple[int, ...]
    """The cards that are worth as much as any other in every world; maybe none."""
    worse_in: int
    """In how many worlds the other cards are all worth less than the best; 0 if there are no such others."""
    lost: float
    """How much the next best card loses on average; 0 if there is none, or if none is best in every world."""


def solve_every_world(
    view: View, most: int = MAX_LISTED_WORLDS, tick: Callable[[], object] = lambda: None
) -> SolvedWorlds | None:
    """Solve every world of a view in the phase PLAY; None if it has more than `most`. `tick` as of `mean_points`."""
    count, actions = int(count_worlds(view)[0]), actions_in(int(view["legal"]))
    if count > most:
        return None
    solver, values = Solver([HouseRules.unpacked(view["rules"])]), np.empty((count, len(actions)), np.int64)
    for start in range(0, count, WORLDS_AT_ONCE):
        numbers = range(start, min(start + WORLDS_AT_ONCE, count))
        deals = numbered_worlds(view, numbers).deals()[0]
        values[numbers.start : numbers.stop] = solver.action_values(deals)[:, actions]
        tick()
    lost = values.max(axis=1, keepdims=True) - values
    is_best = (lost == 0).all(axis=0)
    best = tuple(action for action, always in zip(actions, is_best.tolist(), strict=True) if always)
    if not best or is_best.all():
        return SolvedWorlds(count, best, 0, 0.0)
    others = lost[:, ~is_best]
    return SolvedWorlds(count, best, int((others > 0).all(axis=1).sum()), float(others.mean(axis=0).min()))


@dataclass(frozen=True)
class Figures:
    """What the check of a puzzle found."""

    puzzle: Puzzle
    num_worlds: int
    """The worlds played out."""
    means: dict[str, ActionMeans]
    """By player."""
    solved: SolvedWorlds | None
    """None unless the proof is "every world", and the worlds are few enough."""

    @property
    def fault(self) -> str | None:
        """Why the puzzle does not hold; None if it does."""
        best = self.puzzle.best_actions
        if self.puzzle.proof == "every world":
            fault = self._fault_of_solved(set(best))
            if fault is not None:
                return fault
            gaps = {player: means.gap(best).points > 0 for player, means in self.means.items()}
        else:
            gaps = {player: means.gap(best).is_clear for player, means in self.means.items()}
        unclear = [f"{player} {self.means[player].gap(best)}" for player, is_clear in gaps.items() if not is_clear]
        return f"the gap is not clear: {'; '.join(unclear)}" if unclear else None

    def _fault_of_solved(self, best: set[int]) -> str | None:
        """Why the values of all worlds do not prove `best`; None if they do."""
        if self.solved is None:
            return f"its view has more than {MAX_LISTED_WORLDS} worlds"
        if not self.solved.best:
            return "no card is best in every world"
        if set(self.solved.best) != best:
            names = {action: said for said, action in self.puzzle.legal.items()}
            return f"best in every world is {' or '.join(names[action] for action in self.solved.best)}"
        if self.solved.lost < MIN_LOSS:
            return f"another card loses {self.solved.lost:.3f} points on average, less than {MIN_LOSS}"
        return None

    def as_json(self) -> dict[str, Any]:
        """The figures as values for `json.dumps`, with names of actions and rounded numbers."""
        names = {action: said for said, action in self.puzzle.legal.items()}
        values: dict[str, Any] = {"worlds": self.num_worlds, "weighted_by": WEIGHTED_BY}
        if self.solved is not None:
            values["solved"] = {
                "worlds": self.solved.num_worlds,
                "worlds_where_others_lose": self.solved.worse_in,
                "points_lost": round(self.solved.lost, 3),
            }
        for player, means in self.means.items():
            gap = means.gap(self.puzzle.best_actions)
            values[player] = {
                "points": {
                    names[action]: [round(number, 4) for number in pair] for action, pair in means.points.items()
                },
                "gap": [round(gap.points, 4), round(gap.se, 4)],
            }
        return values


def check_puzzle(puzzle: Puzzle, num_worlds: int = NUM_WORLDS, tick: Callable[[], object] = lambda: None) -> Figures:
    """Compute the figures of a puzzle anew, which takes up to a minute; `tick` as of `mean_points`."""
    view = puzzle.view
    means = {player: mean_points(view, player, num_worlds, tick) for player in PLAYERS}
    solved = solve_every_world(view, tick=tick) if puzzle.proof == "every world" else None
    return Figures(puzzle, min(int(count_worlds(view)[0]), num_worlds), means, solved)
