"""`act_rows`: ask any policy for the decisions at many tables, by the fastest method that it has."""

from typing import Any

import numpy as np

from euchre_agents.policy import Abilities, Player, abilities_of
from euchre_env.checks import shortened, whole_number
from euchre_env.relative_suits import relabel_actions
from euchre_env.tables import Tables


def act_rows(
    policy: Player,
    tables: Tables,
    rows: np.ndarray,
    seed: int | None = None,
    *,
    abilities: Abilities | None = None,
    allow_cheating: bool = False,
) -> np.ndarray:
    """The actions of `policy` for the seats to act at `rows` of `tables`, as one batch if it answers batches.

    Args:
        policy: any player; a player with `act_views` gets views, one with `act_batch` all observations in one call.
        tables: the games.
        rows: the rows of the decisions, int64, shape (n,).
        seed: the seed of the random numbers of a player with `act_views` or `act_deals`; if None the player's `seed`,
            or 0 if it has none.
        abilities: the abilities of the policy; read from the policy if None.
        allow_cheating: whether a player may be shown all cards (`sees_all`).

    Returns:
        Absolute action ids, int64, shape (n,). `Tables.step` checks whether they are legal; a number that is no action
        id is returned unchanged.

    Raises:
        TypeError: if an answer is not a whole number.
        ValueError: if there is not one answer for each of `rows`, an answer does not fit 64 bits, or the player sees
            all cards and that is not allowed.

    Exceptions of the policy pass through.
    """
    player: Any = policy
    if abilities is None:
        abilities = abilities_of(policy, type(policy).__name__)
    if abilities.sees_all and not allow_cheating:
        raise ValueError(f"player {type(policy).__name__} sees all cards, which needs allow_cheating=True")
    if abilities.act_deals or abilities.act_views:
        keys = tables.decision_keys(getattr(player, "seed", 0) if seed is None else seed, rows)
        if abilities.act_deals:
            return _action_ids(player.act_deals(tables.deals(rows), keys), len(rows))
        return _action_ids(player.act_views(tables.views(rows), keys), len(rows))
    observations, masks = tables.observations(rows, abilities.relative_suits)
    if abilities.act_batch:
        answers = player.act_batch(observations, masks)
    else:
        answers = [player.act(observation, mask) for observation, mask in zip(observations, masks, strict=True)]
    actions = _action_ids(answers, len(rows))
    return relabel_actions(actions, tables.frames[np.asarray(rows, np.int64)]) if abilities.relative_suits else actions


def _action_ids(answers: Any, num_rows: int) -> np.ndarray:
    """`answers` as int64, shape (num_rows,)."""
    if isinstance(answers, np.ndarray) and answers.dtype.kind == "i":
        numbers = answers.astype(np.int64, copy=False)
    else:
        values = list(answers)
        found = [whole_number(value) for value in values]
        for number, value in zip(found, values, strict=True):
            if number is None:
                raise TypeError(f"an action must be a whole number, not {shortened(value)}")
            if not -(2**63) <= number < 2**63:
                raise ValueError(f"{shortened(number)} is no action id")
        numbers = np.array(found, np.int64)
    if numbers.shape != (num_rows,):
        raise ValueError(f"{num_rows} decisions need answers of shape ({num_rows},), not {numbers.shape}")
    return numbers
