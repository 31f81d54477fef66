"""A game as a record, its kernels, and `Table`, the thin shell for one game.

A table holds the deal in progress, the score, whose turn it is to deal and which numbered deal comes next. The kernels
here serve `Table` and `Tables` alike.
"""

import copy
from typing import Any

import numpy as np

from euchre_env.actions import NUM_ACTIONS, RELABELLED, IllegalActionError, actions_in
from euchre_env.cards import SUIT_NAMES
from euchre_env.checks import check_number, whole_number
from euchre_env.counter_rng import (
    DECISION,
    EPISODE_LANES,
    FIRST_DEALER,
    MAX_NUMBER,
    check_seed,
    random_below,
    stream_key,
)
from euchre_env.custom_deal import Cards, lay_cards
from euchre_env.deal import (
    DEAL,
    NOBODY,
    OVER,
    PHASES,
    SEATS,
    Deal,
    Rules,
    Seat,
    apply,
    deal_cards,
    is_legal,
    left_of,
    legal_actions,
    must_be_redealt,
    points,
    was_redealt,
    was_thrown_in,
)
from euchre_env.house_rules import (
    REDEAL_SAME_DEALER,
    THROW_IN_SAME,
    HouseRules,
    RulesLike,
    parse_rules,
)
from euchre_env.kernel import Record, Records, as_records, kernel, records, row
from euchre_env.observation import OBSERVATION_SIZE, observe
from euchre_env.state import STATE_SIZE, encode_state
from euchre_env.view import VIEW, View, frame_of, make_view, relabel_actions

TABLE = np.dtype(
    [
        ("episode", np.int64),  # which episode of the batch this is; 0 for a single table
        ("seed", np.int64),  # fixes every deal of the episode
        ("keys", np.int64, 2),  # where the episode's random numbers for decisions start
        ("one_deal", np.int64),  # 1 when the episode is a single deal, thrown in or not
        ("deal_number", np.int64),
        ("num_actions", np.int64),  # decisions taken since the episode began
        ("over", np.int64),
        ("scores", np.int64, 2),  # points of each team in the game
        ("deal", DEAL),
    ],
    align=True,
)

RESULT = np.dtype(
    [
        ("episode", np.int64),
        ("deal_number", np.int64),
        ("dealer", np.int64),
        ("num_passes", np.int64),
        ("trump", np.int64),  # NO_SUIT when thrown in
        ("maker", np.int64),  # NOBODY when thrown in
        ("alone", np.int64),
        ("lone_defender", np.int64),
        ("tricks", np.int64, 2),  # tricks won by each team
        ("points", np.int64, 2),  # points scored by each team in this deal
        ("scores", np.int64, 2),  # points of each team in the game after it
        ("reneged", np.int64),  # the seat whose renege ended the deal, else NOBODY
        ("over", np.int64),  # 1 when the episode ended with this deal
        ("winner", np.int64),  # the team that won the game, NO_TEAM before that and in single deals
    ],
    align=True,
)

NO_TEAM = 2
MAX_SCORE = 9999  # to start from; a game that goes on has hardly more than its target
RENEGE_POINTS = 2  # to the other team, whatever the house rules (rules.md, "Reneging")
ILLEGAL = -1  # what `try_action` answers to an action that is not legal


@kernel
def first_dealer(seed: int) -> Seat:
    """The seat that deals first in a game of `seed`, each with probability 1/4."""
    a, b = stream_key(seed, FIRST_DEALER, 0)
    return random_below(a, b, 0, 4)


@kernel
def start_table(table: Record, rules: Rules, episode: int, seed: int, dealer: Seat, number: int, one_deal: int) -> None:
    """A fresh episode: no score, and deal `number` of `seed` on the table."""
    table.episode = episode
    table.seed = seed
    table.keys[0], table.keys[1] = stream_key(seed, DECISION, EPISODE_LANES)
    table.one_deal = one_deal
    table.deal_number = number
    table.num_actions = 0
    table.over = 0
    table.scores[:] = 0
    start_deal(table, rules, dealer)


@kernel
def start_deal(table: Record, rules: Rules, dealer: Seat) -> None:
    """Deal the table's deal number, and the numbers after it for as long as a deal must be dealt again."""
    while True:
        deal_cards(table.deal, rules, table.seed, table.deal_number, dealer)
        if table.deal.phase != OVER:
            return
        table.deal_number += 1
        dealer = next_dealer(table.deal, rules)


@kernel
def next_dealer(deal: Deal, rules: Rules) -> Seat:
    """Who deals after `deal`, which is over."""
    same = (was_redealt(deal) and rules.no_ace_no_face == REDEAL_SAME_DEALER) or (
        was_thrown_in(deal) and rules.throw_in_dealer == THROW_IN_SAME
    )
    return deal.dealer if same else left_of(deal.dealer)


@kernel
def act(table: Record, rules: Rules, action: int) -> None:
    """Carry out a legal action of the seat to act."""
    apply(table.deal, rules, action)
    table.num_actions += 1


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
def settle(table: Record, rules: Rules, result: Record) -> None:
    """Score a deal that is over, write what it was to `result`, and deal the next unless that ends the episode."""
    points_0, points_1 = points(table.deal, rules)
    close_deal(table, rules, points_0, points_1, NOBODY, result)


@kernel
def renege(table: Record, rules: Rules, result: Record) -> None:
    """End the deal in progress because the seat to act reneged: two points to the other team, no others."""
    seat = table.deal.turn
    table.deal.phase = OVER
    table.deal.turn = NOBODY
    points_0 = RENEGE_POINTS if seat & 1 else 0
    close_deal(table, rules, points_0, RENEGE_POINTS - points_0, seat, result)


@kernel
def forfeit(table: Record, result: Record) -> None:
    """End the game in progress because the seat to act lost it; not for a single deal, which is no game."""
    seat = table.deal.turn
    table.deal.phase = OVER
    table.deal.turn = NOBODY
    table.over = 1
    write_result(table, 0, 0, seat, result)
    result.winner = 1 - (seat & 1)


@kernel
def close_deal(table: Record, rules: Rules, points_0: int, points_1: int, reneged: Seat, result: Record) -> None:
    """Add the points of a deal that is over to the score, and deal the next unless that ends the episode."""
    table.scores[0] += points_0
    table.scores[1] += points_1
    table.over = table.one_deal or game_winner(table.scores, rules) != NO_TEAM
    write_result(table, points_0, points_1, reneged, result)
    if table.over:
        if not table.one_deal:
            result.winner = game_winner(table.scores, rules)
    else:
        table.deal_number += 1
        left = left_of(table.deal.dealer)  # a reneged deal, ended however early, was not thrown in or dealt again
        start_deal(table, rules, next_dealer(table.deal, rules) if reneged == NOBODY else left)


@kernel
def game_winner(scores: np.ndarray, rules: Rules) -> int:
    """The team with `points_to_win` or more and a lead of `win_by`, else `NO_TEAM`; scores int64, shape (2,)."""
    leader = 0 if scores[0] > scores[1] else 1
    wins = scores[leader] >= rules.points_to_win and scores[leader] - scores[1 - leader] >= rules.win_by
    return leader if wins else NO_TEAM


@kernel
def write_result(table: Record, points_0: int, points_1: int, reneged: Seat, result: Record) -> None:
    """Fill `result` from the deal on the table; no winner yet."""
    deal = table.deal
    result.episode = table.episode
    result.deal_number = table.deal_number
    result.dealer = deal.dealer
    result.num_passes = deal.num_passes
    result.trump = deal.trump
    result.maker = deal.maker
    result.alone = deal.alone
    result.lone_defender = deal.lone_defender
    result.tricks = deal.tricks
    result.points[0] = points_0
    result.points[1] = points_1
    result.scores = table.scores
    result.reneged = reneged
    result.over = table.over
    result.winner = NO_TEAM


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


class Table:
    """One game, deal after deal, or with `one_deal` a single deal.

    Its owner sees everything, hands included; `view` gives what one seat may know.

    Args:
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        seed: fixes every deal (rules.md, "The deal").
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
        dealer = first_dealer(seed) if dealer is None else check_seat(dealer, "dealer")
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
        if seat is not None and check_seat(seat, "seat") != self.turn:
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
        view_at(self._tables, 0, self._rules, check_seat(seat, "seat"), views)
        return row(views)

    def observe(self, seat: Seat, relative_suits: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """The observation and the action mask of `seat` now; the mask is all zeros unless the seat is to act.

        Returns:
            int8 of shapes (OBSERVATION_SIZE,) and (NUM_ACTIONS,), fresh arrays.

        Raises:
            ValueError: if `seat` is no seat.
        """
        seat = check_seat(seat, "seat")
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


def check_seat(seat: object, name: str) -> Seat:
    """`seat` as a Python int.

    Raises:
        ValueError: if it is not a whole number from 0 to 3; `name` says in the message what it was to be.
    """
    number = whole_number(seat)
    if number is None or number not in SEATS:
        raise ValueError(f"{name} must be a seat from 0 to 3, not {seat!r}")
    return number
