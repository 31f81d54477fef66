"""Rewards: the payment to each team at the end of a deal."""

from typing import Literal, TypeAlias

from euchre_env.game import NO_TEAM
from euchre_env.kernel import Record

Reward: TypeAlias = Literal["points", "win"]


def team_rewards(result: Record, reward: Reward) -> tuple[float, float]:
    """The reward of each seat of team 0 and of team 1 for a deal that ended; they sum to 0.

    Args:
        result: the deal's result, a record of dtype RESULT.
        reward: "points" for the own team's points minus the other's, "win" for +1 or -1 when the deal ends the game.
    """
    if reward == "win":
        net = 0.0 if result.winner == NO_TEAM else 1.0 if result.winner == 0 else -1.0
    else:
        net = float(result.points[0] - result.points[1])
    return net, 0.0 - net  # not -net, which would be -0.0
