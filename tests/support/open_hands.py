"""A plain minimax over every action with the kernels of the game, to check the solver against."""

import numpy as np

from euchre_env.actions import NUM_ACTIONS
from euchre_env.deal import DEAL, OVER, Rules, apply, legal_actions, points
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import Records, as_records, kernel, records

NOT_LEGAL = -100


@kernel
def minimax(deals: Records, depth: int, rules: Rules, alpha: int, beta: int, prunes: bool) -> int:
    """The points of team 0 less those of team 1 that `deals[depth]` comes to; the records below are scratch.

    A value outside of `alpha` to `beta` is a bound if `prunes`.
    """
    deal = deals[depth]
    if deal.phase == OVER:
        both = points(deal, rules)
        return both[0] - both[1]
    legal, team, best = legal_actions(deal, rules), deal.turn & 1, 100 if deal.turn & 1 else -100
    for action in range(NUM_ACTIONS):
        if legal >> action & 1:
            deals[depth + 1] = deal
            apply(deals[depth + 1], rules, action)
            value = minimax(deals, depth + 1, rules, alpha, beta, prunes)
            if team == 0:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if prunes and alpha >= beta:
                return best
    return best


@kernel
def minimax_rows(
    positions: Records, rules: Records, rows: np.ndarray, deals: Records, prunes: bool, values: np.ndarray
) -> None:
    """Write the value of each action for the team of the seat to act to `values`, -100 where it is not legal."""
    for i in range(len(positions)):
        own_rules = rules[rows[i]]
        legal, sign = legal_actions(positions[i], own_rules), 1 - 2 * (positions[i].turn & 1)
        for action in range(NUM_ACTIONS):
            values[i, action] = NOT_LEGAL
            if legal >> action & 1:
                deals[0] = positions[i]
                apply(deals[0], own_rules, action)
                values[i, action] = sign * minimax(deals, 0, own_rules, -100, 100, prunes)


def minimax_values(
    positions: np.ndarray, rule_sets: tuple[HouseRules, ...], rows: np.ndarray, prunes: bool = False
) -> np.ndarray:
    """The value of each action of each deal by minimax: int64, shape (n, NUM_ACTIONS).

    `prunes` skips actions that cannot change a value; without it every line of play is followed to its end.
    """
    rules = as_records(np.concatenate([rules.packed() for rules in rule_sets]))
    values = np.empty((len(positions), NUM_ACTIONS), np.int64)
    aligned = records(len(positions), DEAL)
    aligned[:] = positions
    minimax_rows(aligned, rules, rows, records(40, DEAL), prunes, values)
    return values
