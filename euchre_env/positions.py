"""Positions to play on from: game records or deal texts, checked before kernels trust them."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from euchre_env.cards import NO_CARD, NO_SUIT, PACK, PACK_WITH_BENNY, num_members
from euchre_env.checks import shortened
from euchre_env.deal import (
    BIDDING_PHASES,
    HAND_SIZE,
    NOBODY,
    NUM_TRICKS,
    OVER,
    PLAY,
    SEATS,
    Deal,
    Rules,
    legal_actions,
)
from euchre_env.deal_text import parse_deal_text
from euchre_env.game import GAME
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records, as_records, kernel, records

Positions: TypeAlias = np.ndarray | Sequence[str]  # dtype GAME, shape (n,), or deal texts


def read_positions(
    positions: Positions, rule_sets: tuple[HouseRules, ...] | None
) -> tuple[Records, tuple[HouseRules, ...]]:
    """The positions as game records, and the rule sets that their `rules_index` counts.

    Args:
        positions: game records (dtype GAME, shape (n,)) or deal texts, each with a seat to act.
        rule_sets: position k of game records is played under `rule_sets[k % len(rule_sets)]`, "standard" if None; deal
            texts name their own rules, and then this must be None.

    Returns:
        A fresh array, dtype GAME, shape (n,), and the rule sets.

    Raises:
        ValueError: if a position is none, or its deal is over; the message says which.
    """
    if isinstance(positions, np.ndarray) and positions.dtype == GAME:
        sets = (HouseRules(),) if rule_sets is None else rule_sets
        games = as_records(np.array(positions, GAME, order="C"))
        if games.ndim != 1:
            raise ValueError(f"positions must be game records of shape (n,), not {positions.shape}")
        games["rules_index"] = np.arange(len(games)) % len(sets)
        _check_games(games, sets)
        return games, sets
    if isinstance(positions, str | np.ndarray) or not all(isinstance(text, str) for text in positions):
        raise ValueError(
            f"positions must be a list of deal texts or an array of dtype GAME, shape (n,), not {shortened(positions)}"
        )
    if rule_sets is not None:
        raise ValueError("deal texts name their own rules; leave out `rules`")
    return _read_texts(positions)


def _read_texts(texts: Sequence[str]) -> tuple[Records, tuple[HouseRules, ...]]:
    games = records(len(texts), GAME)
    index_of: dict[HouseRules, int] = {}
    for i, text in enumerate(texts):
        try:
            table = parse_deal_text(text)
        except ValueError as error:
            raise ValueError(f"position {i}: {error}") from error
        if table.is_over or table.last_deal is not None:
            raise ValueError(f"position {i} has no seat to act: its deal is over")
        games[i] = table.record
        games["rules_index"][i] = index_of.setdefault(table.rules, len(index_of))
    return games, tuple(index_of) or (HouseRules(),)


def _check_games(games: Records, rule_sets: tuple[HouseRules, ...]) -> None:
    """Refuse records with which a kernel would read beyond an array or play cards that are not there."""
    rules = as_records(np.concatenate([each.packed() for each in rule_sets]))
    index, fault = first_faulty(games, rules)
    if fault:
        raise ValueError(f"position {index} is not a deal in progress: {FAULTS[fault]}")


FAULTS = {
    (OVER_ALREADY := 1): "its deal is over",
    (BEYOND_BOUNDS := 2): "a field of its deal holds a value that it never takes",
    (NO_MAKER := 3): "it is past the bidding without a maker or trump, or in play without a leader",
    (TURN_SITS_OUT := 4): "the seat to act sits out",
    (NOT_THE_PACK := 5): "its cards are not those of the pack, each once",
    (HAND_OF_WRONG_SIZE := 6): "a hand does not have the cards that it should have left",
    (TRICK_OF_WRONG_SIZE := 7): "the trick in progress does not have num_played cards",
    (NOTHING_IS_LEGAL := 8): "the seat to act has no legal action",
}


@kernel
def first_faulty(games: Records, rules: Records) -> tuple[int, int]:
    """The first of `games` that is not a deal in progress, and its fault, a key of `FAULTS`; (-1, 0) if all are."""
    for i in range(len(games)):
        fault = fault_of(games[i].deal, rules[games[i].rules_index])
        if fault:
            return i, fault
    return -1, 0


@kernel
def fault_of(deal: Deal, rules: Rules) -> int:
    """What is wrong with a deal as a position to play on from, a key of `FAULTS`; 0 if nothing is."""
    if deal.phase == OVER:
        return OVER_ALREADY
    if not is_within_bounds(deal):
        return BEYOND_BOUNDS
    has_trump = deal.maker != NOBODY and deal.trump != NO_SUIT
    if deal.phase in BIDDING_PHASES:
        if deal.maker != NOBODY or deal.trump != NO_SUIT:
            return NO_MAKER
    elif not has_trump or (deal.phase == PLAY and deal.leaders[deal.trick] == NOBODY):
        return NO_MAKER
    if deal.sitting_out >> deal.turn & 1:
        return TURN_SITS_OUT
    return fault_of_cards(deal, rules)


@kernel
def is_within_bounds(deal: Deal) -> bool:
    """Whether every field of a deal in progress has a value that indexes no array beyond its end."""
    scalars = (
        (deal.phase, OVER - 1),
        (deal.turn, 3),
        (deal.dealer, 3),
        (deal.upcard, NO_CARD - 1),
        (deal.num_passes, 7),
        (deal.trump, NO_SUIT),
        (deal.maker, NOBODY),
        (deal.alone, 1),
        (deal.upcard_taken, 1),
        (deal.discard, NO_CARD),
        (deal.num_declined, 2),
        (deal.lone_defender, NOBODY),
        (deal.sitting_out, 0b1111),
        (deal.trick, NUM_TRICKS - 1),
        (deal.num_played, 3),
        (deal.kitty, PACK_WITH_BENNY),
        (deal.tricks[0], NUM_TRICKS),
        (deal.tricks[1], NUM_TRICKS),
    )
    for value, highest in scalars:
        if not 0 <= value <= highest:
            return False
    for seat in SEATS:
        if not 0 <= deal.hands[seat] <= PACK_WITH_BENNY or not 0 <= deal.voids[seat] <= 0b1111:
            return False
    for trick in range(NUM_TRICKS):
        if not 0 <= deal.leaders[trick] <= NOBODY:
            return False
        for seat in SEATS:
            if not 0 <= deal.played[trick, seat] <= NO_CARD:
                return False
    return True


@kernel
def fault_of_cards(deal: Deal, rules: Rules) -> int:
    """What is wrong with where the cards of a deal lie, a key of `FAULTS`; 0 if nothing is."""
    cards, num_cards = deal.kitty, num_members(deal.kitty)
    if deal.discard != NO_CARD:
        cards, num_cards = cards | 1 << deal.discard, num_cards + 1
    if not deal.upcard_taken:
        cards, num_cards = cards | 1 << deal.upcard, num_cards + 1
    for seat in SEATS:
        num_played = 0
        for trick in range(NUM_TRICKS):
            if deal.played[trick, seat] != NO_CARD:
                cards |= 1 << deal.played[trick, seat]
                num_played += 1
        cards |= deal.hands[seat]
        holds_upcard = seat == deal.dealer and deal.upcard_taken and deal.discard == NO_CARD
        if num_members(deal.hands[seat]) + num_played != HAND_SIZE + (1 if holds_upcard else 0):
            return HAND_OF_WRONG_SIZE
        num_cards += num_members(deal.hands[seat]) + num_played
    pack = PACK_WITH_BENNY if rules.benny else PACK
    if cards != pack or num_cards != num_members(pack):
        return NOT_THE_PACK
    in_trick = 0
    for seat in SEATS:
        in_trick += 1 if deal.played[deal.trick, seat] != NO_CARD else 0
    if in_trick != deal.num_played:
        return TRICK_OF_WRONG_SIZE
    return 0 if legal_actions(deal, rules) else NOTHING_IS_LEGAL
