"""Seeded games as digests of every state and observation: the same text in every process and mode.

As a program, it prints the digests of every rule set, for `test_compiled_agrees.py`.
"""

import hashlib
import json
import random

from euchre_env.deal import SEATS
from euchre_env.kernel import COMPILED
from euchre_env.observation import action_mask, encode
from euchre_env.table import Table
from euchre_env.tables import Tables
from support.rules import RULE_SETS
from support.tables import play_out

RULES = list(RULE_SETS)


def games_digest(name):
    """A digest of two games under the rule set `name`, as the seat to act sees them, in absolute and relative suits."""
    digest = hashlib.sha256()
    tables = Tables(2, RULE_SETS[name], 2**63 - 1, episode="game", num_episodes=2)
    while len(tables):
        for relative_suits in (False, True):
            parts = (*tables.observations(relative_suits=relative_suits), tables.hidden(relative_suits=relative_suits))
            digest.update(b"".join(part.tobytes() for part in parts))
        actions = tables.random_actions(5)
        for part in (tables.records, tables.views(), tables.decision_keys(2**63 - 1), tables.frames, actions):
            digest.update(part.tobytes())
        digest.update(tables.step(actions).tobytes())
    return digest.hexdigest()


def deals_digest(name):
    """A digest of three deals under the rule set `name`, as all four seats see them."""
    digest = hashlib.sha256()
    for seed in range(3):
        for table in play_out(Table(RULE_SETS[name], seed=seed), random.Random(seed)):
            for seat in SEATS:
                view = table.view(seat)
                digest.update(view.tobytes() + encode(view).tobytes() + action_mask(view).tobytes())
            digest.update(table.deal.tobytes() + str(table.scores).encode())
    return digest.hexdigest()


if __name__ == "__main__":
    print(json.dumps({"compiled": COMPILED, "digests": {r: [games_digest(r), deals_digest(r)] for r in RULES}}))
