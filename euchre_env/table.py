"""`Table`: one game for Python code, over the same kernels as `Tables`."""

import copy
import html
import importlib
from typing import Any

import numpy as np

from euchre_env.actions import NUM_ACTIONS, IllegalActionError, actions_in
from euchre_env.cards import SUIT_NAMES, Suit
from euchre_env.checks import check_number, shortened, whole_number
from euchre_env.counter_rng import MAX_NUMBER, check_seed
from euchre_env.custom_deal import FixedCards, lay_cards
from euchre_env.deal import NOBODY, PHASES, Deal, Seat, is_legal, legal_actions, must_be_redealt
from euchre_env.game import GAME, NO_TEAM, RESULT, act, clear_game, first_dealer, game_winner, settle, start_deal
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.kernel import Record, RecordHolder, Records, as_records, kernel, records, row
from euchre_env.observation import OBSERVATION_SIZE, observe
from euchre_env.relative_suits import RELABELLED, frame_of, relabel_legal
from euchre_env.state import HIDDEN_SIZE, STATE_SIZE, encode_hidden, encode_state
from euchre_env.view import VIEW, View, make_view

MAX_SCORE = 9999  # the highest score to start from; in play, scores are hardly above the target
ILLEGAL = -1  # the answer of `try_action` to an action that is not legal

# A call from Python passes whole arrays, here of one game and one set of rules: a single record costs five times more.


@kernel
def try_action(games: Records, rules: Records, relative_suits: bool, action: int) -> int:
    """Act if the action is legal and return the seat to act next, `NOBODY` at the end of the deal, or `ILLEGAL`."""
    game = games[0]
    if relative_suits:
        action = RELABELLED[frame_of(game.deal), action]
    if not is_legal(game.deal, rules[0], action):
        return ILLEGAL
    act(game, rules[0], action)
    return game.deal.turn


@kernel
def deal_first(games: Records, rules: Records, dealer: Seat) -> None:
    """`start_deal` for a call from Python."""
    start_deal(games[0], rules[0], dealer)


@kernel
def settle_first(games: Records, rules: Records, results: Records) -> None:
    """`settle` for a call from Python."""
    settle(games[0], rules[0], results[0])


@kernel
def legal_first(games: Records, rules: Records, relative_suits: bool) -> int:
    """`legal_actions` for a call from Python."""
    deal = games[0].deal
    legal = legal_actions(deal, rules[0])
    return relabel_legal(legal, frame_of(deal)) if relative_suits else legal


@kernel
def view_first(games: Records, rules: Records, seat: Seat, views: Records) -> None:
    """`make_view` for a call from Python; writes the view of `seat` to views[0]."""
    make_view(games[0].deal, games[0].scores, rules[0], seat, views[0])


@kernel
def observe_first(
    games: Records,
    rules: Records,
    seat: Seat,
    relative_suits: bool,
    views: Records,
    observation: np.ndarray,
    mask: np.ndarray,
) -> None:
    """`observe` for a call from Python; views[0] is scratch."""
    game = games[0]
    observe(game.deal, game.scores, rules[0], seat, relative_suits, views[0], observation, mask)


@kernel
def state_first(games: Records, observation: np.ndarray, out: np.ndarray) -> None:
    """`encode_state` for a call from Python."""
    encode_state(games[0].deal, observation, out)


@kernel
def hidden_first(games: Records, seat: Seat, relative_suits: bool, out: np.ndarray) -> None:
    """`encode_hidden` for a call from Python."""
    deal = games[0].deal
    encode_hidden(deal, seat, frame_of(deal) if relative_suits else 0, out)


class Table(RecordHolder):
    """One game, deal after deal, or with `one_deal` a single deal.

    A table shows all cards; `view` returns the information of one seat. `Tables` plays many games at once and uses the
    same names, in the plural for values of every row.

    Args:
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        seed: fixes every deal (docs/rules.md, "The deal").
        dealer: the first dealer; drawn from the seed if None.
        deal_number: the number of the first deal.
        scores: the points of teams 0 and 1 at the start.
        cards: fixes some or all cards of the first deal.
        one_deal: whether the table is over after its first deal.

    Raises:
        ValueError: if a value is invalid, or the cards given must be dealt again under `no_ace_no_face`.
    """

    def __init__(
        self,
        rules: RulesLike = "standard",
        seed: int = 0,
        *,
        dealer: Seat | None = None,
        deal_number: int = 0,
        scores: tuple[int, int] = (0, 0),
        cards: FixedCards | None = None,
        one_deal: bool = False,
    ) -> None:
        self.rules: HouseRules = parse_rules(rules)
        self.last_deal: Deal | None = None
        """The deal that ended last, with all its tricks; None before that."""
        self.last_result: Record | None = None
        """The result of the deal that ended last, a record of dtype RESULT; None before that."""
        self._rules = self.rules.packed()
        self._games = records(1, GAME)
        self._scratch_view = records(1, VIEW)
        seed, deal_number = check_seed(seed), check_number(deal_number, 0, MAX_NUMBER, "deal_number")
        dealer = first_dealer(seed) if dealer is None else check_number(dealer, 0, 3, "dealer")
        clear_game(self._games[0], seed, deal_number, int(bool(one_deal)))
        self._games["scores"][0] = self._check_scores(scores)
        if cards is None:
            deal_first(self._games, self._rules, dealer)
            return
        lay_cards(self.deal, row(self._rules), seed, deal_number, dealer, cards)
        if must_be_redealt(self.deal, row(self._rules)):
            raise ValueError(f"these cards must be dealt again under no_ace_no_face: {cards}")

    @property
    def deal(self) -> Deal:
        """The deal in progress as a live record of dtype DEAL; the last one when the table is over."""
        return row(self._games).deal

    @property
    def record(self) -> Record:
        """The game as a record of dtype GAME; a copy, which `Tables(positions=...)` can start from."""
        return row(as_records(self._games.copy()))

    @property
    def seed(self) -> int:
        """The seed of the game."""
        return int(self._games["seed"][0])

    @property
    def deal_number(self) -> int:
        """The number of the deal in progress."""
        return int(self._games["deal_number"][0])

    @property
    def num_actions(self) -> int:
        """The number of actions since the game began."""
        return int(self._games["num_actions"][0])

    @property
    def scores(self) -> tuple[int, int]:
        """Points of team 0 (seats 0, 2) and team 1 (seats 1, 3) in the game."""
        ours, theirs = self._games["scores"][0]
        return int(ours), int(theirs)

    @property
    def turn(self) -> Seat | None:
        """The seat to act; None when the table is over."""
        turn = int(self._games["deal"]["turn"][0])
        return None if turn == NOBODY else turn

    @property
    def phase(self) -> str:
        """The name of the phase, one of `PHASES`."""
        return PHASES[int(self._games["deal"]["phase"][0])]

    @property
    def frame(self) -> Suit:
        """The suit that relative suits call 0 now."""
        return int(frame_of(self.deal))

    @property
    def is_one_deal(self) -> bool:
        """Whether the table is over after its first deal."""
        return bool(self._games["one_deal"][0])

    @property
    def is_over(self) -> bool:
        """Whether the game, or the single deal, has ended."""
        return bool(self._games["over"][0])

    @property
    def winner(self) -> int | None:
        """The team that won the game; None before that, and in a single deal."""
        if self.last_result is None or self.last_result.winner == NO_TEAM:
            return None
        return int(self.last_result.winner)

    def legal_actions(self, relative_suits: bool = False) -> list[int]:
        """The legal action ids of the seat to act, in ascending order; empty when the table is over."""
        return actions_in(legal_first(self._games, self._rules, bool(relative_suits)))

    def step(self, action: int, seat: Seat | None = None, relative_suits: bool = False) -> int:
        """Carry out `action` for the seat to act; the end of a deal scores it and deals the next.

        With `relative_suits`, suits are relative to `frame`, in `action` and in an error's attributes and text.

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
            answer = try_action(self._games, self._rules, bool(relative_suits), number)
        if answer == ILLEGAL:
            raise self._illegal(action, self.turn if seat is None else seat, relative_suits)
        if answer == NOBODY:
            self._finish_deal()
        return answer

    def _finish_deal(self) -> None:
        self.last_deal = row(as_records(self._games["deal"].copy()))
        results = records(1, RESULT)
        settle_first(self._games, self._rules, results)
        self.last_result = row(results)

    def view(self, seat: Seat | None = None) -> View:
        """The view of `seat` (the seat to act if None), a fresh record of dtype VIEW.

        Raises:
            ValueError: if `seat` is no seat, or is None when the table is over.
        """
        views = records(1, VIEW)
        view_first(self._games, self._rules, self._seat(seat), views)
        return row(views)

    def observation(self, seat: Seat | None = None, relative_suits: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The observation and the action mask of `seat` (the seat to act if None) now.

        Returns:
            int8 of shapes (OBSERVATION_SIZE,) and (NUM_ACTIONS,), fresh arrays; the mask is all zeros unless the seat
            is to act.

        Raises:
            ValueError: if `seat` is no seat, or is None when the table is over.
        """
        seat, relative_suits = self._seat(seat), bool(relative_suits)
        observation, mask = np.empty(OBSERVATION_SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
        observe_first(self._games, self._rules, seat, relative_suits, self._scratch_view, observation, mask)
        return observation, mask

    def state(self) -> np.ndarray:
        """The whole position, all cards open, int8, shape (STATE_SIZE,), laid out as `STATE_FIELDS`; a fresh array."""
        state = np.empty(STATE_SIZE, np.int8)
        state_first(self._games, self.observation(0)[0], state)
        return state

    def hidden(self, seat: Seat | None = None, relative_suits: bool = False) -> np.ndarray:
        """The cards hidden from `seat` (the seat to act if None), laid out as `HIDDEN_FIELDS`.

        Returns:
            int8, shape (HIDDEN_SIZE,), a fresh array.

        Raises:
            ValueError: if `seat` is no seat, or is None when the table is over.
        """
        out = np.empty(HIDDEN_SIZE, np.int8)
        hidden_first(self._games, self._seat(seat), bool(relative_suits), out)
        return out

    def clone(self) -> "Table":
        """An independent table in the same position."""
        return copy.deepcopy(self)

    def _repr_png_(self) -> bytes | None:
        """The picture of the table for a notebook, a PNG file; None without Pillow."""
        try:
            return _drawing().picture_png(self)
        except ImportError:
            return None

    def _repr_html_(self) -> str | None:
        """The text of the table for a notebook without Pillow; None with Pillow, which draws `_repr_png_`."""
        drawing = _drawing()
        try:
            drawing.check_pillow()
        except ImportError:
            return f"<pre>{html.escape(drawing.render_text(self))}</pre>"
        return None

    def _seat(self, seat: Seat | None) -> Seat:
        if seat is not None:
            return check_number(seat, 0, 3, "seat")
        if self.turn is None:
            raise ValueError("the table is over and no seat is to act; name the seat, from 0 to 3")
        return self.turn

    def _illegal(self, action: Any, seat: Seat | None, relative_suits: bool, reason: str = "") -> IllegalActionError:
        if relative_suits:
            reason = ", ".join(filter(None, [reason, f"in relative suits: clubs stand for {SUIT_NAMES[self.frame]}"]))
        legal = self.legal_actions(relative_suits)
        return IllegalActionError(action, NOBODY if seat is None else seat, self.phase, legal, reason)

    def _check_scores(self, scores: tuple[int, int]) -> np.ndarray:
        is_list = isinstance(scores, tuple | list) or (isinstance(scores, np.ndarray) and scores.ndim == 1)
        if not is_list or len(scores) != 2:
            raise ValueError(f"scores are the points of the two teams, not {shortened(scores)}")
        checked = np.array([check_number(score, 0, MAX_SCORE, "a score") for score in scores], np.int64)
        if game_winner(checked, row(self._rules)) != NO_TEAM:
            raise ValueError(f"scores {tuple(checked.tolist())} already end a game under rules {str(self.rules)!r}")
        return checked


def _drawing() -> Any:
    """The package that draws tables, imported only when a notebook asks: it imports this module."""
    return importlib.import_module("euchre_env.drawing")
