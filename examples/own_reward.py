"""A reward of your own: to win deals, by however little, and not points.

    python examples/own_reward.py runs/deals_won

What follows the folder goes to euchre-train, such as `--set num_updates=10`; without it the training takes a few
minutes. From the folder of this file, the same training is

    euchre-train --set reward=own_reward:deals_won --run runs/deals_won

Four points for a march alone are no more than one point here, so the agent has no reason left to go alone.
"""

import sys
from collections.abc import Sequence

import numpy as np

from euchre_agents import Player, act_rows, load
from euchre_env import HouseRules, Tables
from euchre_train import cli


def deals_won(results: np.ndarray, rules: Sequence[HouseRules]) -> np.ndarray:
    """The reward of each seat in n deals: 1 for the team that scores, -1 for the other, 0 in a deal thrown in.

    Args:
        results: how the deals ended, dtype RESULT, shape (n,).
        rules: the house rules of each deal, which do not matter here.

    Returns:
        Shape (n, 4).
    """
    won = np.sign(results["points"][:, 0] - results["points"][:, 1])
    return np.stack([won, -won, won, -won], axis=1)


def share_alone(player: Player, num_deals: int = 2000) -> float:
    """The share of deals between four copies of a stateless player in which the maker goes alone."""
    tables, ended = Tables(num_deals, seed=1, num_episodes=num_deals), []
    while len(tables):
        ended.append(tables.step(act_rows(player, tables, np.arange(len(tables)))))
    return float(np.concatenate(ended)["alone"].mean())


def main(folder: str = "runs/deals_won", *arguments: str) -> float:
    """Train with this reward in `folder`, and count how often the agent goes alone."""
    changes = ["--set=reward=own_reward:deals_won", "--set=num_updates=90"]
    status = cli.main(["--run", folder, *changes, *arguments])
    if status:
        sys.exit(status)
    return share_alone(load(folder))


if __name__ == "__main__":
    share = main(*sys.argv[1:])
    print(f"goes alone in {share:.1%} of the deals, and the shipped agent in {share_alone(load('ppo')):.1%}")
