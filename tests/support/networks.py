"""Untrained networks for tests, and positions with a decision to make."""

import itertools

import numpy as np

from euchre_agents.network import NetworkPolicy
from euchre_agents.network_card import NetworkCard, inputs_of
from euchre_env.actions import ACTION_NAMES
from euchre_env.observation import FIELDS
from euchre_env.tables import Tables


def small_network(
    seed=0,
    *,
    fields=tuple(FIELDS),
    actions=ACTION_NAMES,
    hidden_sizes=(16, 24),
    scale=1.0,
    architecture="perceptron",
):
    """A network with normally distributed weights that reads `fields` and answers `actions`."""
    rng = np.random.default_rng(seed)
    card = NetworkCard(inputs_of(fields), tuple(actions), hidden_sizes, "standard", architecture)
    sizes = [card.num_inputs, *hidden_sizes, len(card.actions)]
    weights = tuple((scale * rng.normal(size=shape)).astype(np.float32) for shape in itertools.pairwise(sizes))
    return NetworkPolicy(card, weights, tuple((scale * rng.normal(size=n)).astype(np.float32) for n in sizes[1:]))


def some_decisions(count=300, seed=5):
    """Tables in the middle of random play."""
    tables = Tables(count, seed=seed)
    for _ in range(9):
        tables.step(tables.random_actions(seed))
    return tables
