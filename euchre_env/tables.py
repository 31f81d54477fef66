"""Many tables in lockstep: the thin shell for training, evaluation and benchmarks over the kernels of `lockstep`.

The unit is the episode, a deal or a game. Episode k has a seed of its own, derived from the batch's seed and k alone,
so the batch size changes only the order in which episodes are played. Rows are tables; a finished row takes up the
next episode, or is dropped when there is none, and the rows that are left move together.
"""

from typing import Literal

import numpy as np

from euchre_env.actions import NUM_ACTIONS, IllegalActionError, actions_in
from euchre_env.checks import check_number, check_numbers
from euchre_env.counter_rng import MAX_NUMBER, check_seed
from euchre_env.deal import NOBODY, PHASES, Seat, legal_actions
from euchre_env.game import RESULT, TABLE, Episode
from euchre_env.house_rules import RulesLike, parse_rules
from euchre_env.kernel import HoldsRecords, Records, records, row
from euchre_env.lockstep import (
    choose_at_random,
    encode_hidden_rows,
    encode_rows,
    first_illegal,
    frame_rows,
    key_rows,
    legal_rows,
    start_rows,
    step_rows,
    view_rows,
)
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.state import HIDDEN_SIZE
from euchre_env.view import VIEW

ENDLESS = 2**63 - 1  # an episode number that nobody reaches
MAX_TABLES = 2**31 - 1


class Tables(HoldsRecords):
    """Episodes `first_episode`, `first_episode` + 1, ... of a seed on up to `num_tables` rows in lockstep.

    Args:
        num_tables: rows to play at once.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        seed: fixes every episode.
        episode: "deal" (one deal, dealer k mod 4 in episode k) or "game" (first dealer drawn from the episode's seed).
        num_episodes: how many episodes to play before rows are dropped; None deals anew for ever.
        first_episode: the number of the first episode.
        dealer: the (first) dealer of every episode, where it is to be the same.
        skip_forced: play moves without a choice at once, so that every decision is one.

    Raises:
        ValueError: if an argument is impossible.
    """

    def __init__(
        self,
        num_tables: int,
        rules: RulesLike = "standard",
        seed: int = 0,
        *,
        episode: Episode = "deal",
        num_episodes: int | None = None,
        first_episode: int = 0,
        dealer: Seat | None = None,
        skip_forced: bool = False,
    ) -> None:
        num_tables = check_number(num_tables, 1, MAX_TABLES, "num_tables")
        if num_episodes is not None:
            num_episodes = check_number(num_episodes, 0, MAX_NUMBER, "num_episodes")
        if episode not in ("deal", "game"):
            raise ValueError(f"episode must be 'deal' or 'game', not {episode!r}")
        self.rules = parse_rules(rules)
        self.seed = check_seed(seed)
        first_episode = check_number(first_episode, 0, MAX_NUMBER, "first_episode")
        self._rules = self.rules.packed()
        self._dealer = NOBODY if dealer is None else check_number(dealer, 0, 3, "dealer")
        self._skip_forced = skip_forced
        self._end_episode = ENDLESS if num_episodes is None else first_episode + num_episodes
        self._num_rows = num_tables if num_episodes is None else min(num_tables, num_episodes)
        self._next_episode = first_episode + self._num_rows
        self._tables = records(self._num_rows, TABLE)
        self._results = records(self._num_rows, RESULT)
        self._scratch_view = records(1, VIEW)
        one_deal = int(episode == "deal")
        start_rows(self._tables, self._rules, first_episode, self.seed, one_deal, self._dealer, skip_forced)

    def __len__(self) -> int:
        """How many rows are in play; 0 when every episode is over."""
        return self._num_rows

    @property
    def turns(self) -> np.ndarray:
        """The seat to act at each row, int64, shape (len(self),); a copy."""
        return self._live["deal"]["turn"].copy()

    @property
    def phases(self) -> np.ndarray:
        """The phase of each row as an index into `PHASES`, int64, shape (len(self),); a copy."""
        return self._live["deal"]["phase"].copy()

    @property
    def episodes(self) -> np.ndarray:
        """The episode number of each row, int64, shape (len(self),); a copy."""
        return self._live["episode"].copy()

    @property
    def num_actions(self) -> np.ndarray:
        """How many decisions each row's episode has seen, forced ones included, int64, shape (len(self),); a copy."""
        return self._live["num_actions"].copy()

    @property
    def records(self) -> np.ndarray:
        """The tables themselves, dtype TABLE, shape (len(self),); a copy."""
        return self._live.copy()

    def frames(self) -> np.ndarray:
        """The suit that relative suits call 0 at each row, int64, shape (len(self),)."""
        frames = np.empty(self._num_rows, np.int64)
        frame_rows(self._tables, frames)
        return frames

    def legal_actions(self, rows: np.ndarray | None = None) -> np.ndarray:
        """The legal actions of the seat to act at each of `rows` (all if None): bit a is set when action a is one.

        Returns:
            int64, shape (len(rows),).
        """
        rows = self._rows(rows)
        legal = np.empty(len(rows), np.int64)
        legal_rows(self._tables, rows, self._rules, legal)
        return legal

    def views(self, rows: np.ndarray | None = None) -> Records:
        """What the seat to act may know at each of `rows` (all if None), dtype VIEW, shape (len(rows),)."""
        rows = self._rows(rows)
        views = records(len(rows), VIEW)
        view_rows(self._tables, rows, self._rules, views)
        return views

    def observations(
        self,
        rows: np.ndarray | None = None,
        relative_suits: bool = False,
        out: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The observation and action mask of the seat to act at each of `rows` (all if None).

        Returns:
            int8 of shapes (len(rows), OBSERVATION_SIZE) and (len(rows), NUM_ACTIONS); `out` (as long or longer, cut to
            that length) if given, else fresh arrays.

        Raises:
            ValueError: if `rows` or the arrays of `out` do not fit.
        """
        rows = self._rows(rows)
        n = len(rows)
        if out is None:
            out = np.empty((n, OBSERVATION_SIZE), np.int8), np.empty((n, NUM_ACTIONS), np.int8)
        observations, masks = _fitting(out[0], n, OBSERVATION_SIZE), _fitting(out[1], n, NUM_ACTIONS)
        encode_rows(self._tables, rows, self._rules, relative_suits, self._scratch_view, observations, masks)
        return observations, masks

    def hidden(self, rows: np.ndarray | None = None, relative_suits: bool = False) -> np.ndarray:
        """The cards hidden from the seat to act at each of `rows`, as `encode_hidden` lays them out.

        Returns:
            int8, shape (len(rows), HIDDEN_SIZE).
        """
        rows = self._rows(rows)
        out = np.empty((len(rows), HIDDEN_SIZE), np.int8)
        encode_hidden_rows(self._tables, rows, relative_suits, out)
        return out

    def decision_keys(self, seed: int, rows: np.ndarray | None = None) -> np.ndarray:
        """A random number for each of `rows`, from `seed` (the player's), the episode and its moves so far.

        Returns:
            int64, shape (len(rows),), 0 to 2**31 - 1, whatever the batch size.
        """
        rows = self._rows(rows)
        keys = np.empty(len(rows), np.int64)
        key_rows(self._tables, rows, check_seed(seed), keys)
        return keys

    def random_actions(self, seed: int) -> np.ndarray:
        """A uniformly random legal action for every row, int64, shape (len(self),), whatever the batch size."""
        actions = np.empty(self._num_rows, np.int64)
        choose_at_random(self._tables, self._rules, check_seed(seed), actions)
        return actions

    def step(self, actions: np.ndarray, illegal: Literal["raise", "renege"] = "raise") -> np.ndarray:
        """Carry out one action on every row.

        Args:
            actions: absolute action ids, int64, shape (len(self),).
            illegal: "raise", or "renege" to score an illegal action (`RENEGE`, or any other) as one and `FORFEIT` as a
                lost game (docs/rules.md, "Reneging").

        Returns:
            The deals that ended, dtype RESULT, shape (number of them,), a copy; in no particular order.

        Raises:
            ValueError: if there is not one whole number per row, or `illegal` is neither; nothing has changed.
            IllegalActionError: if an action is not legal and `illegal` is "raise"; nothing has changed.
        """
        actions = check_numbers(actions, "actions")
        if illegal not in ("raise", "renege"):
            raise ValueError(f"illegal must be 'raise' or 'renege', not {illegal!r}")
        if actions.shape != (self._num_rows,):
            raise ValueError(f"step needs one action for each of {self._num_rows} rows, not shape {actions.shape}")
        if illegal == "raise":
            bad = first_illegal(self._tables, self._rules, actions)
            if bad >= 0:
                self._refuse(bad, int(actions[bad]))
        return self._step(actions, are_legal=illegal == "raise")

    def step_at_random(self, seed: int) -> np.ndarray:
        """`step` with `random_actions`, the fastest way to play on; returns what `step` does."""
        return self._step(self.random_actions(seed), are_legal=True)

    def _step(self, actions: np.ndarray, are_legal: bool) -> np.ndarray:
        self._num_rows, self._next_episode, num_results = step_rows(
            self._tables,
            self._rules,
            actions,
            are_legal,
            self._next_episode,
            self._end_episode,
            self.seed,
            self._dealer,
            self._skip_forced,
            self._results,
        )
        return self._results[:num_results].copy()

    @property
    def _live(self) -> np.ndarray:
        return self._tables[: self._num_rows]

    def _rows(self, rows: np.ndarray | None) -> np.ndarray:
        """`rows` as an array of row numbers, those of all rows if None; kernels do not look whether they exist."""
        if rows is None:
            return np.arange(self._num_rows)
        checked = check_numbers(rows, "rows")
        if checked.ndim != 1 or (checked.size > 0 and not 0 <= checked.min() <= checked.max() < self._num_rows):
            raise ValueError(f"rows must be a list of numbers from 0 to {self._num_rows - 1}, not {rows!r}")
        return checked

    def _refuse(self, index: int, action: int) -> None:
        deal = row(self._tables, index).deal
        legal = actions_in(legal_actions(deal, row(self._rules)))
        where = f"row {index}, episode {self._tables['episode'][index]}"
        raise IllegalActionError(action, int(deal.turn), PHASES[deal.phase], legal, where)


def _fitting(out: np.ndarray, length: int, size: int) -> np.ndarray:
    """The first `length` rows of `out`, which the caller gave to be written to."""
    if out.dtype != np.int8 or out.ndim != 2 or len(out) < length or out.shape[1] != size:
        raise ValueError(f"out must be int8, shape ({length} or more, {size}), not {out.dtype}, shape {out.shape}")
    return out[:length]
