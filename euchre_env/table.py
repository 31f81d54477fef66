"""`Table`, the thin shell for one game, and the calls it makes from Python into the kernels."""

import copy
from typing import Any

import numpy as np

from euchre_env.actions import NUM_ACTIONS, RELABELLED, IllegalActionError, actions_in
from euchre_env.cards import SUIT_NAMES
from euchre_env.checks import check_number, whole_number
from euchre_env.counter_rng import MAX_NUMBER, check_seed
from euchre_env.custom_deal import Cards, lay_cards
from euchre_env.deal import NOBODY, PHASES, Deal, Seat, is_legal, legal_actions, must_be_redealt
from euchre_env.game import NO_TEAM, RESULT, TABLE, act, first_dealer, game_winner, settle, start_table
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.kernel import HoldsRecords, Record, Records, as_records, kernel, records, row
from euchre_env.observation import OBSERVATION_SIZE, observe
from euchre_env.state import STATE_SIZE, encode_state
from euchre_env.view import VIEW, View, frame_of, make_view, relabel_actions

MAX_SCORE = 9999  # to start from; a game that goes on has hardly more than its target
ILLEGAL = -1  # what `try_action` answers to an action that is not legal


@kernel
def try_action(tables: Records, index: int, rules: Records, relative_suits: bool, action: int) -> int:
    """Act if the action is legal: the seat to act next, `NOBODY` when that ends the deal, or `ILLEGAL`."""
    table = tables[index]
    if relative_suits:
        action = RELABELLED[frame_of(table.deal), action]
    if not is_legal(table.deal, rules[0], action):
        return ILLEGAL
    act(table, rules[0], action)
    return table.deal.turn


@kernel
def settle_at(tables: Records, index: int, rules: Records, results: Records) -> None:
    """`settle` for a call from Python."""
    settle(tables[index], rules[0], results[0])


@kernel
def legal_at(tables: Records, index: int, rules: Records, relative_suits: bool) -> int:
    """`legal_actions` for a call from Python."""
    deal = tables[index].deal
    legal = legal_actions(deal, rules[0])
    return relabel_actions(legal, frame_of(deal)) if relative_suits else legal


@kernel
def view_at(tables: Records, index: int, rules: Records, seat: Seat, views: Records) -> None:
    """`make_view` for a call from Python: what `seat` may know, into views[0]."""
    table = tables[index]
    make_view(table.deal, table.scores, rules[0], seat, views[0])


@kernel
def observe_at(
    tables: Records,
    index: int,
    rules: Records,
    seat: Seat,
    relative_suits: bool,
    views: Records,
    observation: np.ndarray,
    mask: np.ndarray,
) -> None:
    """`observe` for a call from Python; views[0] is scratch."""
    table = tables[index]
    observe(table.deal, table.scores, rules[0], seat, relative_suits, views[0], observation, mask)


@kernel
def state_at(tables: Records, index: int, observation: np.ndarray, out: np.ndarray) -> None:
    """`encode_state` for a call from Python."""
    encode_state(tables[index].deal, observation, out)


class Table(HoldsRecords):
    """One game, deal after deal, or with `one_deal` a single deal.

    Its owner sees everything, hands included; `view` gives what one seat may know.

    Args:
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        seed: fixes every deal (docs/rules.md, "The deal").
        dealer: the first dealer; drawn from the seed if None.
        deal_number: which numbered deal of the seed comes first.
        scores: the points of teams 0 and 1 at the start.
        cards: fixes some or all cards of the first deal.
        one_deal: whether the table is over after its first deal.

    Raises:
        ValueError: if a value is impossible, or the cards given must be dealt again under `no_ace_no_face`.
    """

    def __init__(
        self,
        rules: RulesLike = "standard",
        seed: int = 0,
        *,
        dealer: Seat | None = None,
        deal_number: int = 0,
        scores: tuple[int, int] = (0, 0),
        cards: Cards | None = None,
        one_deal: bool = False,
    ) -> None:
        self.rules: HouseRules = parse_rules(rules)
        self.last_deal: Deal | None = None
        """The deal that ended last, with all its tricks; None before that."""
        self.last_result: Record | None = None
        """What that deal came to, a record of dtype RESULT."""
        self._rules = self.rules.packed()
        self._tables = records(1, TABLE)
        self._scratch_view = records(1, VIEW)
        seed, deal_number = check_seed(seed), check_number(deal_number, 0, MAX_NUMBER, "deal_number")
        dealer = first_dealer(seed) if dealer is None else check_number(dealer, 0, 3, "dealer")
        table, packed = row(self._tables), row(self._rules)
        start_table(self._tables[0], self._rules[0], 0, seed, dealer, deal_number, int(bool(one_deal)))
        table.scores[:] = self._check_scores(scores)
        if cards is not None:
            table.deal_number = deal_number
            lay_cards(table.deal, packed, seed, deal_number, dealer, cards)
            if must_be_redealt(table.deal, packed):
                raise ValueError(f"these cards must be dealt again under no_ace_no_face: {cards}")

    @property
    def deal(self) -> Deal:
        """The deal in progress as a live record of dtype DEAL; the last one when the table is over."""
        return row(self._tables).deal

    @property
    def seed(self) -> int:
        """The seed of the game."""
        return int(self._tables["seed"][0])

    @property
    def deal_number(self) -> int:
        """The number of the deal in progress."""
        return int(self._tables["deal_number"][0])

    @property
    def scores(self) -> tuple[int, int]:
        """Points of team 0 (seats 0, 2) and team 1 (seats 1, 3) in the game."""
        ours, theirs = self._tables["scores"][0]
        return int(ours), int(theirs)

    @property
    def turn(self) -> Seat | None:
        """The seat to act; None when the table is over."""
        turn = int(self._tables["deal"]["turn"][0])
        return None if turn == NOBODY else turn

    @property
    def phase(self) -> str:
        """The name of the phase, one of `PHASES`."""
        return PHASES[int(self._tables["deal"]["phase"][0])]

    @property
    def is_one_deal(self) -> bool:
        """Whether the table is over after its first deal."""
        return bool(self._tables["one_deal"][0])

    @property
    def is_over(self) -> bool:
        """Whether the game, or the single deal, has ended."""
        return bool(self._tables["over"][0])

    @property
    def winner(self) -> int | None:
        """The team that won the game; None before that, and in a single deal."""
        if self.last_result is None or self.last_result.winner == NO_TEAM:
            return None
        return int(self.last_result.winner)

    def legal_actions(self, relative_suits: bool = False) -> list[int]:
        """The legal action ids of the seat to act, in ascending order; empty when the table is over."""
        return actions_in(legal_at(self._tables, 0, self._rules, relative_suits))

    def apply(self, action: int, seat: Seat | None = None, relative_suits: bool = False) -> int:
        """Carry out `action` for the seat to act; the end of a deal scores it and deals the next.

        With `relative_suits`, suits count from that of `frame_of`, in `action` and in an error's attributes and text.

        Returns:
            The seat to act next, `NOBODY` when the action ended a deal.

        Raises:
            IllegalActionError: if the action is not legal, or `seat` is given and is not to act; nothing has changed.
            ValueError: if `seat` is given and is no seat.
        """
        if seat is not None and check_number(seat, 0, 3, "seat") != self.turn:
            reason = "it is over" if self.turn is None else f"seat {self.turn} is to act"
            raise self._illegal(action, seat, relative_suits, reason)
        number = whole_number(action)
        answer = ILLEGAL
        if number is not None and 0 <= number < NUM_ACTIONS:
            answer = try_action(self._tables, 0, self._rules, relative_suits, number)
        if answer == ILLEGAL:
            raise self._illegal(action, self.turn if seat is None else seat, relative_suits)
        if answer == NOBODY:
            self._finish_deal()
        return answer

    def _finish_deal(self) -> None:
        self.last_deal = row(as_records(self._tables["deal"].copy()))
        results = records(1, RESULT)
        settle_at(self._tables, 0, self._rules, results)
        self.last_result = row(results)

    def view(self, seat: Seat) -> View:
        """What `seat` may know now, as a fresh record of dtype VIEW.

        Raises:
            ValueError: if `seat` is no seat.
        """
        views = records(1, VIEW)
        view_at(self._tables, 0, self._rules, check_number(seat, 0, 3, "seat"), views)
        return row(views)

    def observe(self, seat: Seat, relative_suits: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The observation and the action mask of `seat` now; the mask is all zeros unless the seat is to act.

        Returns:
            int8 of shapes (OBSERVATION_SIZE,) and (NUM_ACTIONS,), fresh arrays.

        Raises:
            ValueError: if `seat` is no seat.
        """
        seat = check_number(seat, 0, 3, "seat")
        observation, mask = np.empty(OBSERVATION_SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
        observe_at(self._tables, 0, self._rules, seat, relative_suits, self._scratch_view, observation, mask)
        return observation, mask

    def state(self) -> np.ndarray:
        """The whole position, all cards open, int8, shape (STATE_SIZE,), laid out as `STATE_FIELDS`; a fresh array."""
        state = np.empty(STATE_SIZE, np.int8)
        state_at(self._tables, 0, self.observe(0)[0], state)
        return state

    def clone(self) -> "Table":
        """An independent table in the same position."""
        return copy.deepcopy(self)

    def _illegal(self, action: Any, seat: Seat | None, relative_suits: bool, reason: str = "") -> IllegalActionError:
        if relative_suits:
            frame = SUIT_NAMES[frame_of(self.deal)]
            reason = ", ".join(filter(None, [reason, f"in relative suits: clubs stand for {frame}"]))
        legal = self.legal_actions(relative_suits)
        return IllegalActionError(action, NOBODY if seat is None else seat, self.phase, legal, reason)

    def _check_scores(self, scores: tuple[int, int]) -> np.ndarray:
        if np.shape(scores) != (2,):
            raise ValueError(f"scores are the points of the two teams, not {scores!r}")
        checked = np.array([check_number(score, 0, MAX_SCORE, "a score") for score in scores], np.int64)
        if game_winner(checked, row(self._rules)) != NO_TEAM:
            raise ValueError(f"scores {tuple(scores)!r} already end a game under rules {str(self.rules)!r}")
        return checked
