"""`MatchPlayer`: one place in a match. Copies its policy, asks it for decisions, and counts its reneges."""

import copy
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from euchre_agents.asking import act_rows
from euchre_agents.policy import Abilities, Player, abilities_of, describe_error, read_attribute
from euchre_env.actions import NUM_ACTIONS, IllegalActionError, actions_in
from euchre_env.counter_rng import derived_seed
from euchre_env.deal import PHASES, Seat
from euchre_env.kernel import Records
from euchre_env.lockstep import FORFEIT, RENEGE
from euchre_env.random_streams import SEATING
from euchre_env.tables import ENDLESS, Tables

Late: TypeAlias = Literal["renege", "forfeit"]
Clock: TypeAlias = Callable[[], float]


@dataclass(frozen=True)
class Limit:
    """The time limit for one decision, and the penalty for a late answer.

    Raises:
        ValueError: if a value is invalid.
    """

    seconds: float = inf
    late: Late = "renege"
    """The penalty: "renege", or "forfeit" of the whole game; in a single deal both cost the same."""
    clock: Clock = time.perf_counter
    """A function that returns the time in seconds."""

    def __post_init__(self) -> None:
        is_number = isinstance(self.seconds, int | float) and not isinstance(self.seconds, bool)
        if not is_number or not self.seconds > 0:
            raise ValueError(f"the time limit must be more than 0 seconds, not {self.seconds!r}")
        if self.late not in ("renege", "forfeit"):
            raise ValueError(f"late must be 'renege' or 'forfeit', not {self.late!r}")


NO_LIMIT = Limit()


class Reneges(NamedTuple):
    """The reneges of a player, late answers included."""

    number: int = 0
    first_episode: int = ENDLESS
    """The number of the earliest episode in which it reneged."""
    first: str | None = None
    """A description of its renege in that episode; None without a renege."""

    @classmethod
    def of_all(cls, parts: Iterable["Reneges"]) -> "Reneges":
        """The reneges in all parts of a match; of several parts with the earliest episode, the first one describes it.

        >>> Reneges.of_all([Reneges(2, 7, "late"), Reneges(), Reneges(1, 3, "illegal")])
        Reneges(number=3, first_episode=3, first='illegal')
        """
        parts = list(parts)
        earliest = min(parts, key=lambda part: part.first_episode, default=cls())
        return cls(sum(part.number for part in parts), earliest.first_episode, earliest.first)


class MatchPlayer:
    """The player at one place of a match: its policy, its time limit, and its number of reneges.

    A pure policy (`Abilities.is_pure`) answers itself. For any other, `prepare` makes a copy of the policy's original
    state, by its `fresh()` or else by `copy.deepcopy`, and the copy answers until the next `prepare`, which drops it.

    Args:
        policy: the player.
        name: its name in reports and messages.
        seed: the seed of its random numbers in this match.
        limit: the time limit for one decision; none by default.
        allow_cheating: whether the policy may see all cards (`sees_all`).

    Raises:
        TypeError: if the policy has no method `act`.
        ValueError: if the policy sees all cards and `allow_cheating` is false, or its abilities contradict each other
            or cannot be read.
    """

    def __init__(
        self, policy: Player, name: str, seed: int, limit: Limit = NO_LIMIT, *, allow_cheating: bool = False
    ) -> None:
        self.abilities: Abilities = abilities_of(policy, name)
        if self.abilities.sees_all and not allow_cheating:
            raise ValueError(
                f"player {name!r} sees all cards, which is refused unless it is allowed (allow_cheating=True, or "
                "--allow-cheating where the command has it)"
            )
        self.policy: Any = policy
        """The original policy."""
        self.name, self.seed, self.limit = name, seed, limit
        self.reneges = Reneges()
        """Its reneges since the last `take_reneges`."""
        self._allow_cheating = allow_cheating
        self._asked: Any = policy if self.abilities.is_pure else None
        self._reset_seed = seed
        self._reset_fault: str | None = None

    @property
    def is_batched(self) -> bool:
        """Whether the player may answer for many tables at once: it is pure and has no time limit."""
        return self.abilities.is_pure and self.limit.seconds == inf

    @property
    def asked(self) -> Any:
        """The object that answers: the policy itself if it is pure, else its copy.

        Raises:
            RuntimeError: if the policy must be copied and `prepare` has not been called.
        """
        if self._asked is None:
            raise RuntimeError(f"player {self.name!r} has no copy to ask yet: call prepare() before it plays")
        return self._asked

    def prepare(self, seating: int = 0) -> None:
        """Start one seating of a match: copy a policy that is not pure, and compile kernels if there is a time limit.

        Args:
            seating: the number of the seating; the seeds given to `reset` depend on it.

        Raises:
            ValueError: if the policy must be copied and cannot be.
        """
        self._reset_seed = derived_seed(self.seed, SEATING, seating)
        self._reset_fault = None
        if not self.abilities.is_pure:
            self._asked = self._copy()
            if self.abilities.limit_time and self.limit.seconds < inf:
                self._asked.limit_time(self.limit.seconds)
        if self.limit.seconds < inf:
            stand_in = _FirstAction()
            act_rows(stand_in, Tables(1), np.array([0]), 0, abilities=self.abilities, allow_cheating=True)
            if self.abilities.is_pure:
                self._ask(Tables(1), np.array([0]))

    def release(self) -> None:
        """Call the `close()` of the copy that answers, if it has one, after its last play; a failure is a warning."""
        if self.abilities.close and not self.abilities.is_pure and self._asked is not None:
            try:
                self._asked.close()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                warnings.warn(f"player {self.name!r}: close() failed: {describe_error(error)}", RuntimeWarning, 2)

    def _copy(self) -> Any:
        """A copy of the policy's original state.

        Raises:
            ValueError: if copying fails, or the copy is not a new object with the same abilities.
        """
        how = "fresh()" if self.abilities.fresh else "copy.deepcopy"
        needs = f"player {self.name!r} needs a copy for each seat and play"
        try:
            made = self.policy.fresh() if self.abilities.fresh else copy.deepcopy(self.policy)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            advice = "" if self.abilities.fresh else "; a method fresh() may make the copies instead"
            raise ValueError(f"{needs}, but {how} failed: {describe_error(error)}{advice}") from error
        try:
            is_alike = _abilities_used(abilities_of(made, self.name)) == _abilities_used(self.abilities)
        except TypeError:
            is_alike = False
        if not is_alike:
            raise ValueError(f"{needs}, but {how} returned a {type(made).__name__} with other abilities")
        if made is self.policy or made is self._asked:
            raise ValueError(f"{needs}, but {how} returned the same object again")
        return made

    def take_reneges(self) -> Reneges:
        """The reneges since the last call, or since the player was made."""
        taken, self.reneges = self.reneges, Reneges()
        return taken

    def start_deal(self, seat: Seat, tables: Tables) -> None:
        """Call the policy's `reset`, if it has one, for the deal that begins on the one table of `tables`.

        A reset that fails makes the player's first answer in that deal a renege.
        """
        self._reset_fault = None
        if self.abilities.reset:
            asked, seed = self.asked, int(tables.decision_keys(self._reset_seed)[0])
            try:
                asked.reset(seat, seed)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._reset_fault = describe_error(error)

    def answer(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """The player's actions for the seats to act at `rows`, a single row unless the player is batched.

        An exception of the policy is a renege, except KeyboardInterrupt, which passes through.

        Returns:
            Absolute action ids, all of them legal, int64, shape (len(rows),); `RENEGE`, or `FORFEIT`, in place of an
            exception, an answer that is not a legal action, or a late one.
        """
        started = self.limit.clock()
        actions, fault = (np.array([RENEGE]), self._reset_fault) if self._reset_fault else self._ask(tables, rows)
        if fault is not None and len(rows) > 1:
            return np.concatenate([self.answer(tables, one) for one in rows[:, np.newaxis]])
        seconds = self.limit.clock() - started
        if seconds > self.limit.seconds:
            actions = np.array([FORFEIT if self.limit.late == "forfeit" else RENEGE])
            fault = f"late: {seconds:.3g} s for one decision, {self.limit.seconds:.3g} s allowed"
        if fault is not None:
            self._note(tables, int(rows[0]), fault)
            return actions
        return self._legal_or_renege(actions, tables, rows)

    def _ask(self, tables: Tables, rows: np.ndarray) -> tuple[np.ndarray, str | None]:
        """The policy's answers at `rows`; or, if it fails, one `RENEGE` and a description of the fault."""
        asked = self.asked
        try:
            actions = act_rows(
                asked,
                tables,
                rows,
                self.seed,
                abilities=self.abilities,
                allow_cheating=self._allow_cheating,
            )
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return np.array([RENEGE]), describe_error(error)
        return actions, None

    def _legal_or_renege(self, actions: np.ndarray, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """`actions` with `RENEGE` in place of those that are not legal, which are counted."""
        legal = tables.legal_actions(rows)
        if not (actions & ~63).any() and (legal >> actions & 1).all():  # nearly always, and quick to see
            return actions
        is_action = (actions >= 0) & (actions < NUM_ACTIONS)
        is_legal = is_action & (legal >> np.where(is_action, actions, 0) & 1 == 1)
        illegal = np.flatnonzero(~is_legal)
        first = int(illegal[np.argmin(tables.episodes[rows[illegal]])])
        seat, phase = int(tables.turns[rows[first]]), PHASES[tables.phases[rows[first]]]
        error = IllegalActionError(int(actions[first]), seat, phase, actions_in(int(legal[first])))
        self._note(tables, int(rows[first]), str(error), len(illegal))
        return np.where(is_legal, actions, RENEGE)

    def _note(self, tables: Tables, row: int, fault: str, number: int = 1) -> None:
        """Count `number` reneges, the earliest of them at `row`."""
        episode = int(tables.episodes[row])
        described = f"episode {episode} of seed {tables.seed}: {fault}"
        self.reneges = Reneges.of_all([self.reneges, Reneges(number, episode, described)])


def _abilities_used(abilities: Abilities) -> Abilities:
    """The abilities that a match uses of a copy."""
    return replace(abilities, fresh=False, explain=False)


class _FirstAction:
    """A player of action 0 with every optional method, to compile the kernels behind each method."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        return 0

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        return np.zeros(len(observations), np.int64)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        return np.zeros(len(views), np.int64)

    def act_deals(self, deals: Records, keys: np.ndarray) -> np.ndarray:
        return np.zeros(len(deals), np.int64)


@contextmanager
def prepared_players(players: Sequence[MatchPlayer], seating: int = 0) -> Generator[None]:
    """Prepare every player for one seating, in which a player that is not pure has a copy of its own, and release all.

    Raises:
        ValueError: if a policy must be copied and cannot be, or two copies are the same object.
    """
    try:
        for player in players:
            player.prepare(seating)
        copies: dict[int, MatchPlayer] = {}
        for player in players:
            if not player.abilities.is_pure and copies.setdefault(id(player.asked), player) is not player:
                needs = "needs a copy for each seat and play, but two copies are the same"
                raise ValueError(f"player {player.name!r} {needs}")
        yield
    finally:
        for player in players:
            player.release()


def name_of(player: Player) -> str:
    """The default name of a player in reports: its `name` if that is text, else its class.

    Raises:
        ValueError: if reading its `name` fails.
    """
    class_name = type(player).__name__
    name = read_attribute(player, "name", class_name)
    return name if isinstance(name, str) and name else class_name


def name_in_reports(name: str, sees_all: bool) -> str:
    """The name of a player in a report, with a mark if it sees all cards.

    >>> name_in_reports("oracle", True), name_in_reports("rules", False)
    ('oracle (sees all cards)', 'rules')
    """
    return f"{name} (sees all cards)" if sees_all else name
