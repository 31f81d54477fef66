"""`Tables`: many games in lockstep for training, evaluation and benchmarks, over the kernels of `lockstep`.

The unit is the episode, a deal or a game. Episode k has a seed of its own, derived from the batch's seed and k alone,
so the batch size changes only the order in which episodes are played. A row is a table; a finished row starts the next
episode. If there is no next episode, the row is dropped, and the last row takes its place.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from euchre_env.actions import NUM_ACTIONS, IllegalActionError, actions_in
from euchre_env.checks import array_kind, check_number, check_numbers, shortened
from euchre_env.counter_rng import MAX_NUMBER, check_seed
from euchre_env.deal import NOBODY, PHASES, Seat, legal_actions
from euchre_env.game import GAME, RESULT, Episode
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.kernel import RecordHolder, Records, as_records, records, row
from euchre_env.lockstep import (
    BATCH,
    choose_at_random,
    frame_rows,
    hidden_rows,
    key_rows,
    legal_rows,
    observe_rows,
    start_rows,
    state_rows,
    step_at_random,
    step_if_legal,
    step_rows,
    view_rows,
)
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.positions import Positions, read_positions
from euchre_env.state import HIDDEN_SIZE, STATE_SIZE
from euchre_env.view import VIEW

ENDLESS = 2**63 - 1  # an episode number that is never reached
MAX_TABLES = 2**31 - 1
EVERY_ROW = np.empty(0, np.int64)  # means all rows, in order, to the kernels of `lockstep`


class Tables(RecordHolder):
    """Episodes `first_episode`, `first_episode` + 1, ... of a seed, on up to `num_tables` rows in lockstep.

    Args:
        num_tables: rows to play at once; with `positions`, None means a row for each position.
        rules: a preset's name, text for `parse_rules`, `HouseRules`, or a list of these: episode k plays
            `rules[k % len(rules)]`. If None, "standard", or the rules in the deal texts of `positions`.
        seed: fixes every episode.
        episode: "deal" (one deal, dealer k mod 4 in episode k) or "game" (first dealer drawn from the episode's seed).
        num_episodes: the number of episodes to play before rows are dropped; None for endless episodes.
        first_episode: the number of the first episode.
        dealer: the same (first) dealer for every episode; None for the dealers described under `episode`.
        skip_forced: play forced moves automatically, so that every decision offered has at least two legal actions. A
            position with only forced moves left is offered at its last move, which ends the deal.
        positions: deal texts, or game records (dtype GAME, shape (n,)), to start from instead of fresh deals: episode k
            starts from position k, with random numbers that depend on the seed and k alone, and ends with its deal.

    Raises:
        ValueError: if an argument is invalid.
    """

    def __init__(
        self,
        num_tables: int | None = None,
        rules: RulesLike | Sequence[RulesLike] | None = None,
        seed: int = 0,
        *,
        episode: Episode = "deal",
        num_episodes: int | None = None,
        first_episode: int = 0,
        dealer: Seat | None = None,
        skip_forced: bool = False,
        positions: Positions | None = None,
    ) -> None:
        if episode not in ("deal", "game"):
            raise ValueError(f"episode must be 'deal' or 'game', not {shortened(episode)}")
        if positions is None:
            rule_sets = _rule_sets("standard" if rules is None else rules)
            self._positions = records(0, GAME)
        else:
            if episode != "deal" or num_episodes is not None or first_episode != 0 or dealer is not None:
                raise ValueError("positions fix the episodes: leave out episode, num_episodes, first_episode, dealer")
            given = None if rules is None else _rule_sets(rules)
            self._positions, rule_sets = read_positions(positions, given)
            num_episodes = len(self._positions)
            num_tables = max(num_episodes, 1) if num_tables is None else num_tables
        num_tables = check_number(num_tables, 1, MAX_TABLES, "num_tables")
        if num_episodes is not None:
            num_episodes = check_number(num_episodes, 0, MAX_NUMBER, "num_episodes")
        first_episode = check_number(first_episode, 0, MAX_NUMBER, "first_episode")
        self.rule_sets: tuple[HouseRules, ...] = rule_sets
        """The house rules; `rule_sets[rules_indices[i]]` are those of row i."""
        self.seed = check_seed(seed)
        self._rules = as_records(np.concatenate([rules.packed() for rules in rule_sets]))
        self._batch = records(1, BATCH)
        batch = row(self._batch)
        batch.num_rows = num_tables if num_episodes is None else min(num_tables, num_episodes)
        batch.next_episode = first_episode
        batch.end_episode = ENDLESS if num_episodes is None else min(first_episode + num_episodes, ENDLESS)
        batch.seed = self.seed
        batch.one_deal = episode == "deal"
        batch.dealer = NOBODY if dealer is None else check_number(dealer, 0, 3, "dealer")
        batch.skip_forced = bool(skip_forced)
        self._games = records(int(batch.num_rows), GAME)
        self._results = records(int(batch.num_rows), RESULT)
        self._scratch_view = records(1, VIEW)
        self._num_rows = len(self._games)
        start_rows(self._games, self._rules, self._positions, self._batch)

    def __len__(self) -> int:
        """The number of rows in play; 0 when every episode is over."""
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
    def rules_indices(self) -> np.ndarray:
        """The index of each row's rules in `rule_sets`, int64, shape (len(self),); a copy."""
        return self._live["rules_index"].copy()

    @property
    def deal_numbers(self) -> np.ndarray:
        """The number of the deal in progress at each row, int64, shape (len(self),); a copy."""
        return self._live["deal_number"].copy()

    @property
    def scores(self) -> np.ndarray:
        """Points of teams 0 and 1 in the game at each row, int64, shape (len(self), 2); a copy."""
        return self._live["scores"].copy()

    @property
    def num_actions(self) -> np.ndarray:
        """The number of actions in each row's episode, with forced moves, int64, shape (len(self),); a copy."""
        return self._live["num_actions"].copy()

    @property
    def records(self) -> np.ndarray:
        """The games as records, dtype GAME, shape (len(self),); a copy, which `positions` can start from.

        Under several rule sets pass `rules=[tables.rule_sets[i] for i in tables.rules_indices]` with them: position k
        is played under `rules[k % len(rules)]`, whatever its `rules_index`.
        """
        return self._live.copy()

    @property
    def frames(self) -> np.ndarray:
        """The suit that relative suits call 0 at each row, int64, shape (len(self),)."""
        frames = np.empty(self._num_rows, np.int64)
        frame_rows(self._games, EVERY_ROW, frames)
        return frames

    def legal_actions(self, rows: np.ndarray | None = None) -> np.ndarray:
        """The legal actions of the seat to act at each of `rows` (all if None): bit a is set when action a is legal.

        Returns:
            int64, shape (len(rows),).
        """
        rows, n = self._rows(rows)
        legal = np.empty(n, np.int64)
        legal_rows(self._games, rows, self._rules, legal)
        return legal

    def views(self, rows: np.ndarray | None = None) -> Records:
        """The view of the seat to act at each of `rows` (all if None), dtype VIEW, shape (len(rows),)."""
        rows, n = self._rows(rows)
        views = records(n, VIEW)
        view_rows(self._games, rows, self._rules, views)
        return views

    def deals(self, rows: np.ndarray | None = None) -> Records:
        """The deals in progress at `rows` (all if None), all cards open, dtype DEAL, shape (len(rows),); a copy."""
        return self._live["deal"].copy() if rows is None else self._games["deal"][self._rows(rows)[0]]

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
        rows, n = self._rows(rows)
        if out is None:
            out = np.empty((n, OBSERVATION_SIZE), np.int8), np.empty((n, NUM_ACTIONS), np.int8)
        elif not isinstance(out, tuple | list) or len(out) != 2:
            raise ValueError(f"out must be two arrays, for observations and masks, not {type(out).__name__}")
        observations, masks = _fitting(out[0], n, OBSERVATION_SIZE), _fitting(out[1], n, NUM_ACTIONS)
        relative_suits = bool(relative_suits)
        observe_rows(self._games, rows, self._rules, relative_suits, self._scratch_view, observations, masks)
        return observations, masks

    def states(self, rows: np.ndarray | None = None) -> np.ndarray:
        """The whole position of each of `rows` (all if None), all cards open, laid out as `STATE_FIELDS`.

        Returns:
            int8, shape (len(rows), STATE_SIZE).
        """
        rows, n = self._rows(rows)
        out = np.empty((n, STATE_SIZE), np.int8)
        state_rows(self._games, rows, self._rules, self._scratch_view, out)
        return out

    def hidden(self, rows: np.ndarray | None = None, relative_suits: bool = False) -> np.ndarray:
        """The cards hidden from the seat to act at each of `rows` (all if None), laid out as `HIDDEN_FIELDS`.

        Returns:
            int8, shape (len(rows), HIDDEN_SIZE).
        """
        rows, n = self._rows(rows)
        out = np.empty((n, HIDDEN_SIZE), np.int8)
        hidden_rows(self._games, rows, bool(relative_suits), out)
        return out

    def decision_keys(self, seed: int, rows: np.ndarray | None = None) -> np.ndarray:
        """A random number for each of `rows` (all if None), from `seed` (the player's), the episode and its actions.

        Returns:
            int64, shape (len(rows),), 0 to 2**31 - 1, independent of the batch size.
        """
        rows, n = self._rows(rows)
        keys = np.empty(n, np.int64)
        key_rows(self._games, rows, check_seed(seed), keys)
        return keys

    def random_actions(self, seed: int, rows: np.ndarray | None = None) -> np.ndarray:
        """A uniformly random legal action for each of `rows` (all if None), independent of the batch size.

        Returns:
            Absolute action ids, int64, shape (len(rows),).
        """
        rows, n = self._rows(rows)
        actions = np.empty(n, np.int64)
        choose_at_random(self._games, rows, self._rules, check_seed(seed), actions)
        return actions

    def step(
        self, actions: np.ndarray, illegal: Literal["raise", "renege"] = "raise", *, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Carry out one action on each of `rows` (all if None).

        A row that is not named keeps its game and its random numbers. With endless episodes no row ever moves;
        otherwise a row whose episode was the last to start is dropped, and the last row takes its place.

        Args:
            actions: absolute action ids, int64, shape (len(rows),).
            illegal: "raise", or "renege" to score an illegal action (`RENEGE`, or any other) as one and `FORFEIT` as a
                lost game (docs/rules.md, "Reneging").
            rows: row numbers, int64, strictly rising.

        Returns:
            The results of the deals that ended, dtype RESULT, shape (n,), a copy; in no particular order.

        Raises:
            ValueError: if there is not one whole number per row, the rows do not rise, or `illegal` is neither; nothing
                has changed.
            IllegalActionError: if an action is not legal and `illegal` is "raise"; nothing has changed.
        """
        actions = check_numbers(actions, "actions")
        checked, n = self._rows(rows)
        if illegal not in ("raise", "renege"):
            raise ValueError(f"illegal must be 'raise' or 'renege', not {shortened(illegal)}")
        if rows is not None and not (checked[1:] > checked[:-1]).all():
            raise ValueError(f"step needs rows in strictly rising order, not {shortened(checked.tolist())}")
        if actions.shape != (n,):
            raise ValueError(f"step needs one action for each of {n} rows, not shape {actions.shape}")
        state = self._games, self._rules, self._positions, self._batch
        if illegal == "renege":
            return self._ended(step_rows(*state, checked, actions, False, self._results))
        answer = step_if_legal(*state, checked, actions, self._results)
        if answer < 0:
            bad = -1 - answer
            self._refuse(bad if rows is None else int(checked[bad]), int(actions[bad]))
        return self._ended(answer)

    def step_at_random(self, seed: int) -> np.ndarray:
        """`step` with `random_actions` on every row, the fastest random play; returns the same as `step`."""
        state = self._games, self._rules, self._positions, self._batch
        return self._ended(step_at_random(*state, EVERY_ROW, check_seed(seed), self._results))

    def _ended(self, num_results: int) -> np.ndarray:
        """The results of the step just made; updates the number of rows."""
        if num_results > 0:  # only the end of a deal drops rows
            self._num_rows = int(self._batch["num_rows"][0])
        return self._results[:num_results].copy()

    @property
    def _live(self) -> np.ndarray:
        return self._games[: self._num_rows]

    def _rows(self, rows: np.ndarray | None) -> tuple[np.ndarray, int]:
        """Row numbers, checked for kernels, which do not check them, and the number of rows."""
        if rows is None:
            return EVERY_ROW, self._num_rows
        checked = check_numbers(rows, "rows")
        if checked.ndim != 1 or (checked.size > 0 and not 0 <= checked.min() <= checked.max() < self._num_rows):
            allowed = f"a list of numbers from 0 to {self._num_rows - 1}" if self._num_rows else "empty: no row is left"
            raise ValueError(f"rows must be {allowed}, not {shortened(rows)}")
        return checked, len(checked)

    def _refuse(self, index: int, action: int) -> None:
        game = row(self._games, index)
        legal = actions_in(legal_actions(game.deal, row(self._rules, int(game.rules_index))))
        where = f"row {index}, episode {game.episode}"
        raise IllegalActionError(action, int(game.deal.turn), PHASES[game.deal.phase], legal, where)


def _rule_sets(rules: RulesLike | Sequence[RulesLike]) -> tuple[HouseRules, ...]:
    if isinstance(rules, str | HouseRules):
        return (parse_rules(rules),)
    if not isinstance(rules, Sequence) or len(rules) == 0:
        raise ValueError(f"rules are HouseRules, text such as 'pagat', or a list of these, not {shortened(rules)}")
    return tuple(parse_rules(each) for each in rules)


def _fitting(out: object, length: int, size: int) -> np.ndarray:
    """The first `length` rows of `out`, checked as an array to write to."""
    if (
        not isinstance(out, np.ndarray)
        or (out.dtype, out.ndim, out.shape[-1:]) != (np.int8, 2, (size,))
        or len(out) < length
        or not out.flags.writeable
    ):
        raise ValueError(f"out must be int8, shape ({length} or more, {size}), writeable, not {array_kind(out)}")
    return out[:length]
