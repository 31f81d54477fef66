"""The values of a critic: the points that a trained agent's critic expects of each bid, over the worlds of a view.

    python examples/critic_values.py runs/mine [SEED]

A critic on all hands values a world: a view with the hidden cards filled in. So a seat that sees only its own cards
draws worlds of its view, tries each bid in every world, and asks the critic about the position that follows;
no torch is needed. That is the simplest search there is, and the first step of a better one.
"""

import sys

import numpy as np

from euchre_agents import Critic, load_critic
from euchre_env import Table, Tables, action_name
from euchre_env.actions import actions_in
from euchre_env.cards import card_name, card_names
from euchre_env.worlds import Worlds, sample_worlds
from euchre_eval.intervals import Mean, mean_of


def points_after(action: int, worlds: Worlds, critic: Critic) -> np.ndarray:
    """The points that the critic expects for the viewer's team after `action` in each world, float64, (n,)."""
    tables = Tables(positions=worlds.games(), rules=worlds.rules, skip_forced=True)  # the viewer's team is team 0
    points = np.empty(len(tables))
    ended = tables.step(np.full(len(tables), action))
    points[ended["episode"]] = ended["points"][:, 0] - ended["points"][:, 1]
    if len(tables):
        sign = np.where(tables.turns % 2 == 0, 1, -1)  # a value belongs to the team of the seat to act
        points[tables.episodes] = sign * critic.values_of_rows(tables)
    return points


def main(folder: str, seed: int = 1, num_worlds: int = 500) -> dict[str, Mean]:
    """The points of each bid of the first seat to act in deal 0 of `seed`, by the name of the bid."""
    critic, view = load_critic(folder), Table("standard", seed).view()
    worlds = sample_worlds(view, num_worlds, keys=seed)
    print(f"{' '.join(card_names(view.hand))}, and {card_name(view.upcard)} is turned up")
    print(f"  {'now':16} {mean_of(critic.values_of_views(view, worlds.deals()[0]))} {critic.unit}")
    points = {action_name(bid): mean_of(points_after(bid, worlds, critic)) for bid in actions_in(view.legal)}
    for bid, mean in points.items():
        print(f"  {bid:16} {mean} {critic.unit}")
    return points


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
