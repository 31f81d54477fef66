"""Untrained networks, critics and outcome heads for tests, and positions with a decision to make."""

import itertools
from collections.abc import Sequence

import numpy as np

from euchre_agents.critic import NetworkCritic
from euchre_agents.encoder import INPUT_FIELDS
from euchre_agents.network import NetworkPolicy
from euchre_agents.network_card import CriticCard, HeadCard, NetworkCard, inputs_of
from euchre_agents.outcome_head import OutcomeHead, digest_of, shapes_of
from euchre_agents.outcomes import OUTCOME_NAMES
from euchre_env.actions import ACTION_NAMES
from euchre_env.house_rules import RulesLike
from euchre_env.observation import FIELDS
from euchre_env.state import HIDDEN_FIELDS
from euchre_env.tables import Tables

HIDDEN_CARDS = {name: field.places for name, field in HIDDEN_FIELDS.items()}


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


def small_critic(seed=0, *, hidden_cards=HIDDEN_CARDS, reward="points", architecture="perceptron", sizes=(16, 16)):
    """A critic with normally distributed weights."""
    rng = np.random.default_rng(seed)
    card = CriticCard(inputs_of(INPUT_FIELDS), hidden_cards, sizes, "standard", reward, 2.0, architecture)
    layers = [card.num_inputs, *sizes, 1]
    weights = tuple(rng.normal(size=shape).astype(np.float32) for shape in itertools.pairwise(layers))
    return NetworkCritic(card, weights, tuple(rng.normal(size=size).astype(np.float32) for size in layers[1:]))


def head_card(network, num_hidden):
    """The card of a head of `network`."""
    card = network.card
    return HeadCard(card.actions, OUTCOME_NAMES, card.hidden_sizes[-1], num_hidden, digest_of(network), 1000, 1)


def small_head(network, seed=0, *, num_hidden=8, scale=0.3):
    """An outcome head of `network` with normally distributed weights, which float16 holds."""
    card, rng = head_card(network, num_hidden), np.random.default_rng(seed)
    tensors = {name: (scale * rng.normal(size=shape)).astype(np.float16) for name, shape in shapes_of(card).items()}
    return OutcomeHead(card, tensors)


def network_that_prefers(*actions):
    """A network that prefers these actions, by name, in this order, whatever the position is."""
    network = small_network(scale=0, hidden_sizes=(4,))
    for place, action in enumerate(actions):
        network.biases[-1][ACTION_NAMES.index(action)] = len(actions) - place
    return network


def fixed_head(network, shares, otherwise):
    """An outcome head of `network` that gives the same distribution in every position.

    `shares` has it for some actions by name, `otherwise` for all others: the probability of some outcomes by name.
    """
    head = small_head(network, num_hidden=1, scale=0)
    for place, action in enumerate(network.card.actions):
        logits = head.weights.biases[place]
        logits[:] = -200  # a probability of 0 in float32
        for outcome, share in shares.get(action, otherwise).items():
            logits[OUTCOME_NAMES.index(outcome)] = np.log(share)
    return head


def some_games(rules: RulesLike | Sequence[RulesLike] = "standard", count=400, seed=5, steps=260):
    """Tables in the middle of random games, at all scores."""
    tables = Tables(count, rules, seed, episode="game", skip_forced=True)
    for _ in range(steps):
        tables.step_at_random(seed)
    return tables


def some_decisions(count=300, seed=5):
    """Tables in the middle of random play."""
    tables = Tables(count, seed=seed)
    for _ in range(9):
        tables.step(tables.random_actions(seed))
    return tables
