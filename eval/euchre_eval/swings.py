"""Swings: the deals of a match whose two plays favoured one team most, with every action, so that they can be read.

A part of a match keeps the actions of few pairs, as arrays (`Kept`); `find_swings` makes texts of those that swung most
in the whole match. A renege ends a deal, so the text of such a play ends where the seat to act reneged.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euchre_env.counter_rng import derived_seed
from euchre_env.deal import NUM_TRICKS, SEATS
from euchre_env.deal_text import deal_text
from euchre_env.house_rules import HouseRules
from euchre_env.random_streams import EPISODE
from euchre_env.table import Table
from euchre_env.tables import Tables

NUM_SWINGS = 5  # for each team
MOST_ACTIONS = 2 * len(SEATS) + 1 + 2 + NUM_TRICKS * len(SEATS)  # bids, a discard, two asked to defend alone, cards
NO_ACTION = -1


@dataclass(frozen=True)
class Swing:
    """A deal that one team won in both plays together."""

    deal: int
    """The number of the deal."""
    margins: tuple[int, int]
    """The first team's points less the other's, in each play."""
    texts: tuple[str, str]
    """Each play as text for `parse_deal_text`, from the first bid to the last card or to the renege that ended it."""

    @property
    def margin(self) -> int:
        """The first team's points less the other's, in both plays together."""
        return sum(self.margins)


class Kept(NamedTuple):
    """The actions of some pairs of deals, in one seating or in both."""

    pairs: np.ndarray
    """The numbers of the deals, int64, shape (kept,)."""
    actions: np.ndarray
    """Action ids in the order of play, then `NO_ACTION`, int8, shape (seatings, kept, MOST_ACTIONS)."""


class ActionLog:
    """Every action of the deals that `tables` plays; its `watch` is for `playing.play`.

    Args:
        tables: single deals, none of them begun.
        deals: their numbers.
    """

    def __init__(self, tables: Tables, deals: range) -> None:
        self._tables, self._first = tables, deals.start
        self.actions = np.full((len(deals), MOST_ACTIONS), NO_ACTION, np.int8)
        """int8, shape (deals, MOST_ACTIONS), as in `Kept`."""

    def watch(self, actions: np.ndarray) -> None:
        """Note the actions of all rows; a renege is `NO_ACTION`."""
        self.actions[self._tables.episodes - self._first, self._tables.num_actions] = np.maximum(actions, NO_ACTION)


def most_swinging(margins: np.ndarray, number: int = NUM_SWINGS) -> np.ndarray:
    """The deals that favoured the first team most, then those that favoured the other most, at most `number` of each.

    >>> most_swinging(np.array([2, 0, -1, 8, 2, -8]), 2)
    array([3, 0, 5, 2])

    Args:
        margins: the first team's points less the other's, in both plays of each deal together, shape (deals,).
        number: how many to choose for each team; of equal ones the first.

    Returns:
        The numbers of the deals, int64, from the largest margin down for each team.
    """
    chosen = [np.argsort(-sign * margins, kind="stable")[:number] for sign in (1, -1)]
    return np.concatenate([best[sign * margins[best] > 0] for sign, best in zip((1, -1), chosen, strict=True)])


def keep_actions(pairs: range, seatings: Sequence[int], margins: np.ndarray, logs: Sequence[np.ndarray]) -> Kept:
    """What a part of a match keeps of its actions: those of the pairs that swung most, or, in one seating, of all.

    Args:
        pairs: the numbers of the deals.
        seatings: the seatings that were played.
        margins: the first team's points less the other's, int16, shape (seatings, pairs).
        logs: the actions in each seating, int8, shape (pairs, MOST_ACTIONS).
    """
    both = len(seatings) == 2
    chosen = most_swinging(margins.sum(axis=0, dtype=np.int64)) if both else np.arange(len(pairs))
    return Kept(pairs.start + chosen, np.stack([log[chosen] for log in logs]))


NOTHING = Kept(np.empty(0, np.int64), np.empty((0, 0, MOST_ACTIONS), np.int8))
"""What is kept of games."""


def find_swings(
    margins: np.ndarray,
    kept: Iterable[tuple[Sequence[int], Kept]],
    rules: HouseRules,
    seed: int,
    number: int = NUM_SWINGS,
) -> tuple[Swing, ...]:
    """The deals that favoured the first team most, then those that favoured the other most, at most `number` of each.

    Args:
        margins: the first team's points less the other's in each play, shape (2, deals).
        kept: the seatings of each part, and the actions that it kept.
        rules: the house rules.
        seed: the seed of the match.
        number: how many to find for each team, at most `NUM_SWINGS`.
    """
    chosen = most_swinging(margins.sum(axis=0, dtype=np.int64), number).tolist()
    actions = {
        (deal, seating): of_play
        for seatings, (pairs, of_seatings) in kept
        for seating, of_pairs in zip(seatings, of_seatings, strict=True)
        for deal, of_play in _those_in(chosen, pairs, of_pairs)
    }
    return tuple(
        Swing(
            deal,
            (int(margins[0, deal]), int(margins[1, deal])),
            (
                _text(rules, seed, deal, actions[deal, 0]),
                _text(rules, seed, deal, actions[deal, 1]),
            ),
        )
        for deal in chosen
    )


def _those_in(chosen: list[int], pairs: np.ndarray, actions: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The chosen ones of `pairs`, each with its actions."""
    for place in np.flatnonzero(np.isin(pairs, chosen)):
        yield int(pairs[place]), actions[place]


def dealt_table(rules: HouseRules, seed: int, deal: int) -> Table:
    """A table with deal number `deal` of a match, before its first bid: the cards that `Tables` deals too."""
    return Table(rules, derived_seed(seed, EPISODE, deal), dealer=deal % len(SEATS), one_deal=True)


def _text(rules: HouseRules, seed: int, deal: int, actions: np.ndarray) -> str:
    table = dealt_table(rules, seed, deal)
    for action in actions[actions != NO_ACTION].tolist():
        table.step(action)
    return deal_text(table)
