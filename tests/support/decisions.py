"""The decisions of a network at numbered positions of seeded deals, by name, to compare across versions.

As a program, with folders of networks as arguments, it prints the decisions as JSON.
"""

import json
import sys

import numpy as np

from euchre_agents.network import load_network
from euchre_env.actions import ACTION_NAMES, PASS_ID
from euchre_env.deal import PHASES
from euchre_env.observation import FIELDS, decode, encode
from euchre_env.tables import Tables

RULES = ("standard", "midwest", "british,defend_alone=always", "british,defend_alone=always")


def decisions(folders, num_positions):
    """The phase of each position, and for each network's folder the name of the action it chooses there."""
    networks = [load_network(folder) for folder in folders]
    tables = Tables(400, RULES, seed=5)
    phases, chosen = [], [[] for _ in networks]
    while len(phases) < num_positions:
        views, keys = tables.views(), tables.decision_keys(1)
        phases += [PHASES[phase] for phase in views["phase"]]
        assert all(decode(encode(view)) == view for view in views.view(np.recarray)[:20])
        for network, names in zip(networks, chosen, strict=True):
            names += [ACTION_NAMES[action] for action in network.act_views(views, keys)]
        passes = (views["legal"] >> PASS_ID & 1 == 1) & (keys % 4 > 0)  # random players hardly ever all pass
        tables.step(np.where(passes, PASS_ID, tables.random_actions(2)))
    return {"phases": phases, "chosen": chosen}


if __name__ == "__main__":
    layout = {name: field.first for name, field in FIELDS.items()}
    print(json.dumps(decisions(sys.argv[2:], int(sys.argv[1])) | {"actions": ACTION_NAMES, "layout": layout}))
