"""The arithmetic of a network that plays, as kernels: forward pass, masked softmax, sampling, and the suits it sees.

The forward pass adds in a fixed order, one row after another, so a decision is the same to the last bit whatever the
machine and however many decisions are asked for at once.
"""

from typing import TypeAlias

import numpy as np

from euchre_env.actions import RELABELLED
from euchre_env.counter_rng import random_below
from euchre_env.kernel import Records, kernel
from euchre_env.observation import decode_view, encode_view, frame_of_observation
from euchre_env.view import relabel_view

Layers: TypeAlias = tuple[np.ndarray, ...]  # one array per layer


@kernel
def forward(observation: np.ndarray, weights: Layers, biases: Layers, units: np.ndarray, logits: np.ndarray) -> None:
    """The logits of one observation, float32, shape (NUM_ACTIONS,), into `logits`; `units` (2, widest) is scratch."""
    num_layers, size = len(weights), len(biases[0])
    units[0, :size] = biases[0]
    for i in range(len(weights[0])):
        if observation[i]:
            for j in range(size):
                units[0, j] += weights[0][i, j]
    now = 0
    for layer in range(1, num_layers):
        before, now = now, 1 - now
        previous, size = size, len(biases[layer])
        units[now, :size] = biases[layer]
        for i in range(previous):
            unit = units[before, i]
            if unit > 0:  # the rectifier; what it cuts adds nothing
                for j in range(size):
                    units[now, j] += unit * weights[layer][i, j]
    logits[:] = units[now, :size]


@kernel
def masked_softmax(logits: np.ndarray, mask: np.ndarray) -> None:
    """Turn logits into probabilities in place, float32; an action outside the mask gets exactly 0."""
    highest = -np.inf
    for action in range(len(mask)):
        if mask[action] and logits[action] > highest:
            highest = logits[action]
    total = np.float32(0)
    for action in range(len(mask)):
        logits[action] = np.exp(logits[action] - highest) if mask[action] else np.float32(0)
        total += logits[action]
    for action in range(len(mask)):
        logits[action] /= total


@kernel
def probability_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    weights: Layers,
    biases: Layers,
    units: np.ndarray,
    probabilities: np.ndarray,
) -> None:
    """The probability of every action for every row, float32, shape (N, NUM_ACTIONS), into `probabilities`."""
    for i in range(len(observations)):
        forward(observations[i], weights, biases, units, probabilities[i])
        masked_softmax(probabilities[i], masks[i])


@kernel
def best_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    weights: Layers,
    biases: Layers,
    units: np.ndarray,
    actions: np.ndarray,
) -> None:
    """For every row the legal action with the highest logit, the first of equals, int64, shape (N,), into `actions`."""
    logits = np.empty(masks.shape[1], np.float32)
    for i in range(len(observations)):
        forward(observations[i], weights, biases, units, logits)
        best = -1
        for action in range(len(logits)):
            if masks[i, action] and (best < 0 or logits[action] > logits[best]):
                best = action
        actions[i] = best


@kernel
def sample_rows(probabilities: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
    """An action for every row, drawn with its probabilities by its random key, int64, shape (N,), into `actions`."""
    for i in range(len(keys)):
        threshold = random_below(keys[i], 0, 0, 1 << 24) / (1 << 24)
        cumulated = 0.0
        for action in range(probabilities.shape[1]):
            if probabilities[i, action] > 0:
                actions[i] = action  # the last of them if rounding leaves the sum below the threshold
                cumulated += probabilities[i, action]
                if threshold < cumulated:
                    break


@kernel
def to_relative_suits(observations: np.ndarray, masks: np.ndarray, views: Records, frames: np.ndarray) -> None:
    """Rename the suits of every observation and mask so that trump (or the upcard's suit) is 0, in place.

    `frames`, int64, shape (N,), tells by which suit each was renamed: 0 where its suits were relative already. views[0]
    is scratch.
    """
    for i in range(len(observations)):
        frames[i] = frame_of_observation(observations[i])
        if frames[i]:
            decode_view(observations[i], views[0])
            relabel_view(views[0], frames[i])
            encode_view(views[0], observations[i])
            masks[i] = masks[i][RELABELLED[frames[i]]]


@kernel
def to_frames(probabilities: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """The probabilities, float32, shape (N, NUM_ACTIONS), with the suits of each row renamed by `suit ^ frame`."""
    renamed = np.empty_like(probabilities)
    for i in range(len(frames)):
        for action in range(probabilities.shape[1]):
            renamed[i, RELABELLED[frames[i], action]] = probabilities[i, action]
    return renamed
