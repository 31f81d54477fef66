"""One player in a match: how it is asked, what counts as a renege, and what the report keeps of it."""

import contextlib
import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeAlias

import numpy as np

from euchre_agents.asking import act_rows
from euchre_agents.policy import Policy
from euchre_agents.view_policy import ViewPolicy
from euchre_env.actions import NUM_ACTIONS, IllegalActionError, actions_in
from euchre_env.deal import PHASES, Seat
from euchre_env.lockstep import FORFEIT, RENEGE
from euchre_env.tables import ENDLESS, Tables

Late: TypeAlias = Literal["renege", "forfeit"]
Clock: TypeAlias = Callable[[], float]


@dataclass(frozen=True)
class Limit:
    """How long a player may take over one decision, and what a late answer costs.

    Raises:
        ValueError: if a value is impossible.
    """

    seconds: float = inf
    late: Late = "renege"
    """"renege", or "forfeit": the whole game; in a single deal, which is no game, the same."""
    clock: Clock = time.perf_counter
    """What tells the time, in seconds."""

    def __post_init__(self) -> None:
        is_number = isinstance(self.seconds, int | float) and not isinstance(self.seconds, bool)
        if not is_number or not self.seconds > 0:
            raise ValueError(f"the time limit must be more than 0 seconds, not {self.seconds!r}")
        if self.late not in ("renege", "forfeit"):
            raise ValueError(f"late must be 'renege' or 'forfeit', not {self.late!r}")


NO_LIMIT = Limit()
FAULTS = (Exception, SystemExit)  # of the player's own: a player that wants to leave ends its deal, not the match


class MatchPlayer:
    """A policy that sits down at one of the four places of a match.

    Args:
        policy: the player.
        name: what reports call it.
        seed: of its random numbers in this match.
        limit: how long it may take over a decision; by default as long as it likes.

    Raises:
        TypeError: if the policy has no method `act`.
    """

    def __init__(self, policy: Policy, name: str, seed: int, limit: Limit = NO_LIMIT) -> None:
        if not isinstance(policy, Policy):
            raise TypeError(f"player {name!r} has no method act(observation, action_mask)")
        self.policy: Any = policy
        self.name, self.seed, self.limit = name, seed, limit
        self.num_reneges = 0
        self.first_renege: str | None = None
        """What its renege in the earliest episode was; None while there is none."""
        self._first_episode = ENDLESS
        self._failed_reset: BaseException | None = None

    @property
    def is_stateless(self) -> bool:
        """Whether it answers batches and carries nothing from one decision to the next, as far as it says."""
        batches = isinstance(self.policy, ViewPolicy) or hasattr(self.policy, "act_batch")
        return batches and not hasattr(self.policy, "reset")

    def prepare(self) -> None:
        """Make ready to be asked one decision at a time: with a memory of its own, and with kernels compiled.

        Raises:
            ValueError: if the policy may keep something between decisions and cannot be copied.
        """
        tables = Tables(1)
        tables.observations()
        if self.is_stateless:
            with contextlib.suppress(*FAULTS):  # it fails again where it counts
                act_rows(self.policy, tables, np.array([0]), self.seed)
            return
        try:
            self.policy = copy.deepcopy(self.policy)
        except Exception as error:
            raise ValueError(f"player {self.name!r} cannot be copied, one for each place: {error}") from error

    def start_deal(self, seat: Seat, tables: Tables) -> None:
        """Tell the policy, if it wants to know, that a deal begins on the one table of `tables` with it at `seat`.

        A reset that fails makes its first answer in that deal a renege.
        """
        self._failed_reset = None
        if hasattr(self.policy, "reset"):
            try:
                self.policy.reset(seat, int(tables.decision_keys(self.seed)[0]))
            except FAULTS as error:
                self._failed_reset = error

    def answer(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """The player's actions for the seats to act at `rows`, of which there is one when there is a time limit.

        Returns:
            Absolute action ids, all of them legal, int64, shape (len(rows),); `RENEGE`, or `FORFEIT`, in place of an
            exception, an answer that is not a legal action, or a late one.
        """
        started = self.limit.clock()
        try:
            if self._failed_reset is not None:
                raise self._failed_reset
            actions, fault = act_rows(self.policy, tables, rows, self.seed), None
        except FAULTS as error:
            if len(rows) > 1:
                return np.concatenate([self.answer(tables, one) for one in rows[:, np.newaxis]])
            actions, fault = np.array([RENEGE]), f"{type(error).__name__}: {error}"
        seconds = self.limit.clock() - started
        if seconds > self.limit.seconds:
            actions = np.array([FORFEIT if self.limit.late == "forfeit" else RENEGE])
            fault = f"late: {seconds:.3g} s for one decision, {self.limit.seconds:.3g} s allowed"
        if fault is not None:
            self._note(tables, int(rows[0]), fault)
            return actions
        return self._legal_or_renege(actions, tables, rows)

    def _legal_or_renege(self, actions: np.ndarray, tables: Tables, rows: np.ndarray) -> np.ndarray:
        legal = tables.legal_actions(rows)
        is_action = (actions >= 0) & (actions < NUM_ACTIONS)
        is_legal = is_action & (legal >> np.where(is_action, actions, 0) & 1 == 1)
        illegal = np.flatnonzero(~is_legal)
        if len(illegal):
            first = int(illegal[np.argmin(tables.episodes[rows[illegal]])])
            seat, phase = int(tables.turns[rows[first]]), PHASES[tables.phases[rows[first]]]
            error = IllegalActionError(int(actions[first]), seat, phase, actions_in(int(legal[first])))
            self._note(tables, int(rows[first]), str(error), len(illegal))
        return np.where(is_legal, actions, RENEGE)

    def _note(self, tables: Tables, row: int, fault: str, number: int = 1) -> None:
        """Count `number` reneges, the first of them at `row`; of all, that of the earliest episode is remembered."""
        self.num_reneges += number
        episode = int(tables.episodes[row])
        if episode < self._first_episode:
            self._first_episode = episode
            self.first_renege = f"episode {episode} of seed {tables.seed}: {fault}"


def prepare_players(players: Sequence[MatchPlayer], batch_size: int) -> int:
    """How many tables the players can play at: `batch_size`, or one, and then they are made ready for it.

    Raises:
        ValueError: if a player must be copied and cannot be.
    """
    if all(player.is_stateless and player.limit.seconds == inf for player in players):
        return batch_size
    for player in players:
        player.prepare()
    return 1
