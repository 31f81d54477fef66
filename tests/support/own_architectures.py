"""Architectures as users write them: one that torch plays, and one that brings its own player."""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import dropout

from euchre_agents.encoder import InputEncoder
from euchre_agents.network import NetworkPlayer
from euchre_env.actions import NUM_ACTIONS
from euchre_env.relative_suits import RELABELLED
from euchre_train.architectures import Architecture
from euchre_train.layers import ActiveLinear


class Gated(nn.Module):
    """One hidden layer of tanh units, each multiplied by a gate."""

    def __init__(self, num_inputs, hidden_sizes, num_outputs, last_gain):
        super().__init__()
        (size,) = hidden_sizes
        self.units, self.gates = ActiveLinear(num_inputs, size), ActiveLinear(num_inputs, size)
        self.last = nn.Linear(size, num_outputs)
        nn.init.orthogonal_(self.last.weight, last_gain)

    def forward(self, inputs, counts):
        return self.last(torch.tanh(self.units(inputs, counts)) * torch.sigmoid(self.gates(inputs, counts)))


class Forgetful(Gated):
    """A gated layer of whose inputs to the last layer half are left out at random in training."""

    def forward(self, inputs, counts):
        units = torch.tanh(self.units(inputs, counts)) * torch.sigmoid(self.gates(inputs, counts))
        return self.last(dropout(units, 0.5, self.training))


class Linear(nn.Module):
    """No hidden layer at all; the hidden sizes are not used."""

    def __init__(self, num_inputs, hidden_sizes, num_outputs, last_gain):
        super().__init__()
        self.only = ActiveLinear(num_inputs, num_outputs)

    def forward(self, inputs, counts):
        return self.only(inputs, counts)


class LinearPlayer(NetworkPlayer):
    """Plays a `Linear` network with NumPy; its card answers every action in order."""

    stateless = True

    def __init__(self, card, tensors, name):
        super().__init__(card, name)
        self._tensors, self._encoder = dict(tensors), InputEncoder(card.places())

    def act_views(self, views, keys):
        return self.probabilities(views).argmax(axis=1)

    def probabilities(self, views):
        inputs, counts, frames, masks = self._encoder.of_views(views)
        out = np.zeros((len(views), NUM_ACTIONS), np.float32)
        for i in range(len(views)):
            logits = self._tensors["only.weight"][inputs[i, : counts[i]]].sum(axis=0) + self._tensors["only.bias"]
            shares = np.where(masks[i], np.exp(logits - logits[masks[i] == 1].max()), 0)
            out[i, RELABELLED[frames[i]]] = shares / shares.sum()
        return out

    def tensors(self):
        return self._tensors


GATED = Architecture(Gated)
FORGETFUL = Architecture(Forgetful)
LINEAR = Architecture(Linear, LinearPlayer)
NO_ARCHITECTURE = "a text"
