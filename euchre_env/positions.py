"""Positions to play on from: game records or deal texts, validated for kernels, which do not check them.

A record is valid if its own actions reproduce it: its cards are dealt again, its auction and tricks are replayed under
its rules, and every field of the resulting deal must equal the record's.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from euchre_env.actions import (
    DEFEND_ALONE_ID,
    FIRST_NAME_ALONE_ID,
    FIRST_NAME_ID,
    ORDER_UP_ALONE_ID,
    ORDER_UP_ID,
    PASS_ID,
)
from euchre_env.cards import BENNY, NO_CARD, PACK, PACK_WITH_BENNY, num_members
from euchre_env.checks import shortened
from euchre_env.counter_rng import MAX_NUMBER, MAX_SEED
from euchre_env.deal import (
    DEAL,
    HAND_SIZE,
    NOBODY,
    NUM_TRICKS,
    OVER,
    SEATS,
    Deal,
    Rules,
    apply,
    clear,
    dealt_hand,
    is_legal,
    open_auction,
)
from euchre_env.deal_text import parse_deal_text
from euchre_env.game import GAME, NO_TEAM, game_winner
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Record, Records, as_records, kernel, records
from euchre_env.table import MAX_SCORE

Positions: TypeAlias = np.ndarray | Sequence[str] | Sequence[Record]  # dtype GAME, shape (n,), or deal texts


def read_positions(
    positions: Positions, rule_sets: tuple[HouseRules, ...] | None
) -> tuple[Records, tuple[HouseRules, ...]]:
    """Positions as game records, and the rule sets that their `rules_index` selects.

    Args:
        positions: game records (dtype GAME, an array of shape (n,) or a list) or deal texts, each with a seat to act.
        rule_sets: position k of game records is played under `rule_sets[k % len(rule_sets)]`, "standard" if None; must
            be None for deal texts, which name their own rules.

    Returns:
        A fresh array, dtype GAME, shape (n,), and the rule sets.

    Raises:
        ValueError: if a position is invalid, or its deal is over; the message names the position.
    """
    if isinstance(positions, Sequence) and len(positions) > 0 and all(map(_is_record, positions)):
        positions = np.array(positions, GAME)
    if isinstance(positions, np.ndarray) and positions.dtype == GAME:
        sets = (HouseRules(),) if rule_sets is None else rule_sets
        if positions.ndim != 1:
            raise ValueError(f"positions must be game records of shape (n,), not {positions.shape}")
        games = as_records(np.array(positions, GAME, order="C"))
        games["rules_index"] = np.arange(len(games)) % len(sets)
        _check_games(games, sets)
        return games, sets
    if not isinstance(positions, Sequence) or isinstance(positions, str):
        what = positions.dtype if isinstance(positions, np.ndarray) else type(positions)
        raise ValueError(
            f"positions must be a list of deal texts or an array of dtype GAME, shape (n,), not {shortened(what)}"
        )
    for k, text in enumerate(positions):
        if not isinstance(text, str):
            raise ValueError(
                f"position {k} must be a deal text, or all must be records of dtype GAME, not {shortened(text)}"
            )
    if len(positions) > 0 and rule_sets is not None:
        raise ValueError("deal texts name their own rules; leave out `rules`")
    return _read_texts(positions, rule_sets or (HouseRules(),))  # type: ignore[arg-type]  # all of them are texts


def _is_record(position: object) -> bool:
    return isinstance(position, np.void) and position.dtype == GAME


def _read_texts(texts: Sequence[str], if_empty: tuple[HouseRules, ...]) -> tuple[Records, tuple[HouseRules, ...]]:
    games = records(len(texts), GAME)
    index_of: dict[HouseRules, int] = {}
    for k, text in enumerate(texts):
        try:
            table = parse_deal_text(text)
        except ValueError as error:
            raise ValueError(f"position {k}: {error}") from error
        if table.is_over or table.last_deal is not None:
            raise ValueError(f"position {k} has no seat to act: its deal is over")
        games[k] = table.record
        games["rules_index"][k] = index_of.setdefault(table.rules, len(index_of))
    return games, tuple(index_of) or if_empty


def _check_games(games: Records, rule_sets: tuple[HouseRules, ...]) -> None:
    """Refuse records that are not games in progress."""
    if len(games) == 0:
        return

    def refuse(is_wrong: np.ndarray, reason: str) -> None:
        if is_wrong.any():
            index = int(is_wrong.argmax())
            rules = rule_sets[int(games["rules_index"][index])]
            raise ValueError(f"position {index} is not a deal in progress under rules {str(rules)!r}: {reason}")

    refuse((games["over"] != 0) | (games["deal"]["phase"] == OVER), "its deal is over")
    for name, highest in HIGHEST.items():
        is_wrong = (games[name] < 0) | (games[name] > highest)
        refuse(is_wrong.reshape(len(games), -1).any(axis=1), f"field {name!r} must be from 0 to {highest}")
    rules = as_records(np.concatenate([each.packed() for each in rule_sets]))
    replayed, faults = records(len(games), DEAL), np.zeros(len(games), np.int64)
    replay_rows(games, rules, replayed, faults)
    for fault, reason in FAULTS.items():
        refuse(faults == fault, reason)
    for name in DEAL.names or ():
        is_wrong = replayed[name] != games["deal"][name]
        is_wrong = is_wrong.reshape(len(games), -1).any(axis=1)
        refuse(is_wrong, f"its bids and tricks do not lead to what field {name!r} of its deal says")


# The fields of a game that neither its deal nor the batch determines, with the highest value of each.
HIGHEST = {"seed": MAX_SEED, "deal_number": 2 * MAX_NUMBER - 1, "num_actions": 2 * MAX_NUMBER - 1, "scores": MAX_SCORE}

NO_DEALER_OR_UPCARD, NOT_THE_PACK, SCORES_END_GAME = 1, 2, 3
FAULTS = {
    NO_DEALER_OR_UPCARD: "its dealer is not a seat, or its upcard not a card",
    NOT_THE_PACK: "its hands, upcard and kitty are not the cards of the pack, each once, five to a hand",
    SCORES_END_GAME: "its scores already end a game",
}


@kernel
def replay_rows(games: Records, rules: Records, replayed: Records, faults: np.ndarray) -> None:
    """Replay the actions of each game's deal on the cards it was dealt; write 0 or a fault to `faults`."""
    for i in range(len(games)):
        game = games[i]
        own_rules = rules[game.rules_index]
        if game_winner(game.scores, own_rules) != NO_TEAM:
            faults[i] = SCORES_END_GAME
        else:
            faults[i] = replay(game.deal, own_rules, replayed[i])


@kernel
def replay(deal: Deal, rules: Rules, replayed: Deal) -> int:
    """Replay the actions of `deal` on the cards it was dealt, and return 0 or a fault.

    It stops at the first action that is not legal. As every action leaves its mark in some field, `replayed` is then
    another deal. An action id made of a wrong value is not legal, so nothing else needs a check.
    """
    if not 0 <= deal.dealer < NOBODY or not 0 <= deal.upcard < NO_CARD:
        return NO_DEALER_OR_UPCARD
    if not 0 <= deal.kitty <= PACK_WITH_BENNY:
        return NOT_THE_PACK
    clear(replayed, deal.dealer)
    replayed.upcard = deal.upcard
    replayed.kitty = deal.kitty
    dealt, num_dealt = deal.kitty | 1 << deal.upcard, num_members(deal.kitty) + 1
    for seat in SEATS:
        replayed.hands[seat] = dealt_hand(deal, seat)
        if not 0 <= replayed.hands[seat] <= PACK_WITH_BENNY or num_members(replayed.hands[seat]) != HAND_SIZE:
            return NOT_THE_PACK
        dealt |= replayed.hands[seat]
        num_dealt += HAND_SIZE
    pack = PACK_WITH_BENNY if rules.benny else PACK
    if dealt != pack or num_dealt != num_members(pack):
        return NOT_THE_PACK
    open_auction(replayed, rules)
    if replay_auction(deal, rules, replayed):
        replay_tricks(deal, rules, replayed)
    return 0


@kernel
def replay_auction(deal: Deal, rules: Rules, replayed: Deal) -> bool:
    """Replay the actions before the first lead, and return whether all of them were legal."""
    for _ in range(deal.num_passes):
        if not try_one(replayed, rules, PASS_ID):
            return False
    if deal.maker == NOBODY:
        return True
    if deal.num_passes >= 4 or deal.upcard == BENNY:
        call = (FIRST_NAME_ALONE_ID if deal.alone else FIRST_NAME_ID) + deal.trump
    else:
        call = ORDER_UP_ALONE_ID if deal.alone else ORDER_UP_ID
    if not try_one(replayed, rules, call):
        return False
    if deal.discard != NO_CARD and not try_one(replayed, rules, deal.discard):
        return False
    for _ in range(deal.num_declined):
        if not try_one(replayed, rules, PASS_ID):
            return False
    return deal.lone_defender == NOBODY or try_one(replayed, rules, DEFEND_ALONE_ID)


@kernel
def replay_tricks(deal: Deal, rules: Rules, replayed: Deal) -> None:
    """Replay the cards played, in turn, up to the first card that is missing or not legal."""
    for _ in range(NUM_TRICKS * len(SEATS)):
        if replayed.phase == OVER:
            return
        card = deal.played[replayed.trick, replayed.turn]
        if card == NO_CARD or not try_one(replayed, rules, card):
            return


@kernel
def try_one(deal: Deal, rules: Rules, action: int) -> bool:
    """Carry out `action` if it is legal, and return whether it was."""
    if not is_legal(deal, rules, action):
        return False
    apply(deal, rules, action)
    return True
