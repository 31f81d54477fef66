"""Tiny training runs: their settings, their command line, and the weights that they end with."""

import dataclasses
import json
from typing import Any

import numpy as np
import torch

from euchre_agents.network_card import NetworkCard, inputs_of
from euchre_env.actions import ACTION_NAMES
from euchre_env.house_rules import HouseRules
from euchre_env.observation import FIELDS
from euchre_train import rollout
from euchre_train.architectures import Perceptron
from euchre_train.config import Config
from euchre_train.ppo import Training, estimate_values
from euchre_train.rewards import points
from euchre_train.rollout import Rollout, advantages_and_returns, collect
from euchre_train.sampler import Sampler
from euchre_train.saved_networks import CHECKPOINT_FILE

STANDARD = [HouseRules()]


def tiny(**changes: Any) -> Config:
    """The settings of a run of some seconds, the same on every machine."""
    settings: dict[str, Any] = {
        "num_updates": 3,
        "deals_per_update": 64,
        "minibatch_size": 128,
        "hidden_sizes": (16,),
        "critic_hidden_sizes": (16,),
        "eval_deals": 20,
        "precision": "float32",
    }
    return Config(**(settings | changes))


def arguments_for(config: Config) -> list[str]:
    """The command line that trains under these settings, in as many processes as there are."""
    values = dataclasses.asdict(config)
    del values["num_processes"]
    return [f"--set={key}={json.dumps(value)}" for key, value in values.items()]


def weights_of(folder):
    """The weights of actor and critic in the checkpoint of a run, by name."""
    return torch.load(folder / CHECKPOINT_FILE, weights_only=True)["model"]


def assert_same_weights(one, other):
    """Check that two networks have the same weights, to the last bit."""
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def play_update(players, config, *, update=0, seed=1, deals=None, rule_sets=STANDARD, reward=points) -> Rollout:
    """`collect` with the learner's sampler and the frozen players, by their number in `rollout`."""
    players = players if isinstance(players, dict) else {rollout.LEARNER: players}
    return collect(players, config, rule_sets, reward, update, deals or range(config.deals_per_update), seed)


def first_batch(training: Training, config: Config, **more: Any):
    """The decisions, inputs, advantages and returns of the first update."""
    batch = play_update(training.model.sampler(), config, **more)
    inputs = training.model.encode(batch.observations, batch.hidden)
    values = estimate_values(training.model, inputs)
    return batch, inputs, *advantages_and_returns(values, batch.streams, batch.rewards, config.gae_lambda)


def small_sampler(seed=0, *, actions=ACTION_NAMES, hidden_sizes=(16, 24), scale=1.0):
    """The sampler and the card of a perceptron with normally distributed weights that reads every field."""
    card = NetworkCard(inputs_of(FIELDS), tuple(actions), hidden_sizes, "standard")
    module = Perceptron(card.num_inputs, hidden_sizes, len(card.actions), 1.0)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(scale * torch.randn(weights.shape, generator=generator))
    return Sampler(card, module), card, module


def tensors_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """The weights of a module by name, as arrays."""
    return {name: weights.detach().numpy() for name, weights in module.state_dict().items()}
