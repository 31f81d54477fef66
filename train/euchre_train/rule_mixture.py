"""The house rules of the deals of a training run: fixed sets, and random ones.

The setting `rules` lists texts for `parse_rules`, and "random" for a set drawn anew in every update. Each deal is
played under one of them, all equally often; a text that stands in the list several times is played more often.
"""

from collections.abc import Sequence

import numpy as np

from euchre_env.counter_rng import derived_seed
from euchre_env.house_rules import HouseRules, largest_scores, parse_rules
from euchre_env.random_rules import random_rules
from euchre_env.random_streams import RULE_SETS

RANDOM = "random"
SETS_PER_UPDATE = 255
"""House rules in one update. An odd number: deal k has the rules k mod 255 and the dealer k mod 4."""


def rules_of_update(rules: Sequence[str], update: int, seed: int) -> list[HouseRules]:
    """The house rules of an update, in random order; deal k plays under number k modulo the length of the list.

    Args:
        rules: texts for `parse_rules`, or "random".
        update: the number of the update.
        seed: of the training run.

    Raises:
        ValueError: if a text is not known.
    """
    if len(rules) == 1 and rules[0] != RANDOM:
        return [parse_rules(rules[0])]
    rng = np.random.default_rng(derived_seed(seed, RULE_SETS, update))
    texts = rng.permutation([rules[i % len(rules)] for i in range(SETS_PER_UPDATE)])
    return [random_rules(rng) if text == RANDOM else parse_rules(str(text)) for text in texts]


def largest_score(rules: HouseRules) -> int:
    """The most points that a team can score in a deal under `rules`, at least 1; rewards are scaled by it.

    >>> largest_score(HouseRules()), largest_score(HouseRules(lone_march_points=2))
    (4, 2)
    """
    return int(largest_scores(rules.packed())[0])
