"""Kernels of a multilayer perceptron that plays: forward pass, masked softmax, best and sampled actions.

Two index arrays connect a network to the environment: `places`, the place in an observation of each input, and
`outputs`, the action id of each output. Layers are summed in a fixed order, one row of weights after another, so a
decision is the same to the last bit on every machine and for every batch size.
"""

from typing import TypeAlias

import numpy as np

from euchre_env.counter_rng import random_below, random_member
from euchre_env.kernel import Records, kernel
from euchre_env.observation import encode_legal, encode_view
from euchre_env.relative_suits import RELABELLED, frame_of, relabel_view
from euchre_env.view import View

Layers: TypeAlias = tuple[np.ndarray, ...]  # one array per layer


@kernel
def forward(
    observation: np.ndarray,
    places: np.ndarray,
    weights: Layers,
    biases: Layers,
    units: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Write the logits of one observation, float32, shape (outputs,), to `logits`; `units` (2, widest) is scratch."""
    num_layers, size = len(weights), len(biases[0])
    units[0, :size] = biases[0]
    for i in range(len(places)):
        if observation[places[i]]:
            for j in range(size):
                units[0, j] += weights[0][i, j]
    now = 0
    for layer in range(1, num_layers):
        before, now = now, 1 - now
        previous, size = size, len(biases[layer])
        units[now, :size] = biases[layer]
        for i in range(previous):
            unit = units[before, i]
            if unit > 0:  # ReLU: other units add nothing
                for j in range(size):
                    units[now, j] += unit * weights[layer][i, j]
    logits[:] = units[now, :size]


@kernel
def masked_softmax(logits: np.ndarray, outputs: np.ndarray, mask: np.ndarray, probabilities: np.ndarray) -> None:
    """Write the probability of every action, float32, shape (NUM_ACTIONS,), to `probabilities`.

    An action outside the mask gets exactly 0. An action that is no output gets 0 too, unless the mask allows no output:
    then all allowed actions are equally likely. They are equally likely too if a logit is infinite or NaN.
    """
    highest = np.float32(-np.inf)
    for i in range(len(outputs)):
        if mask[outputs[i]]:
            highest = max(highest, logits[i])
    probabilities[:] = 0
    total = np.float32(0)
    for i in range(len(outputs)):
        if mask[outputs[i]]:
            probability = np.exp(logits[i] - highest)
            probabilities[outputs[i]] = probability
            total += probability
    if total > 0:
        for i in range(len(outputs)):
            probabilities[outputs[i]] /= total
        return
    share = np.float32(1 / num_allowed(mask))
    for action in range(len(mask)):
        probabilities[action] = share if mask[action] else np.float32(0)


@kernel
def num_allowed(mask: np.ndarray) -> int:
    """The number of actions that a mask allows."""
    number = 0
    for action in range(len(mask)):
        if mask[action]:
            number += 1
    return number


@kernel
def logits_of_view(
    view: View,
    places: np.ndarray,
    weights: Layers,
    biases: Layers,
    scratch: tuple[Records, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> int:
    """Write the logits at `view` to `scratch`, with the view in relative suits, and return the frame of these suits.

    `scratch` is as in `probabilities_of_views`.
    """
    relative, observation, _, units, logits = scratch
    relative[0] = view
    frame = frame_of(relative[0])
    relabel_view(relative[0], frame)
    encode_view(relative[0], observation)
    forward(observation, places, weights, biases, units, logits)
    return frame


@kernel
def probabilities_of_views(
    views: Records,
    places: np.ndarray,
    outputs: np.ndarray,
    weights: Layers,
    biases: Layers,
    scratch: tuple[Records, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    probabilities: np.ndarray,
) -> None:
    """Write the probability of every action at each of `views`, in its suits, float32, (N, NUM_ACTIONS).

    `scratch` holds a view, an observation, a mask, units and logits; they are overwritten.
    """
    relative, _, mask, _, logits = scratch
    in_frame = np.empty(probabilities.shape[1], np.float32)
    for i in range(len(views)):
        frame = logits_of_view(views[i], places, weights, biases, scratch)
        encode_legal(relative[0].legal, mask)
        masked_softmax(logits, outputs, mask, in_frame)
        for action in range(len(in_frame)):
            probabilities[i, RELABELLED[frame, action]] = in_frame[action]


@kernel
def best_of_views(
    views: Records,
    keys: np.ndarray,
    places: np.ndarray,
    outputs: np.ndarray,
    weights: Layers,
    biases: Layers,
    scratch: tuple[Records, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    actions: np.ndarray,
) -> None:
    """Write to `actions`, int64, (N,), the legal action with the highest logit at each of `views`, the first of equals.

    If no legal action is an output, the action is drawn with the view's key. `scratch` is as in
    `probabilities_of_views`.
    """
    relative, _, _, _, logits = scratch
    for i in range(len(views)):
        frame = logits_of_view(views[i], places, weights, biases, scratch)
        legal, best = relative[0].legal, -1
        for j in range(len(outputs)):
            if legal >> outputs[j] & 1 and (best < 0 or logits[j] > logits[best]):
                best = j
        actions[i] = RELABELLED[frame, outputs[best]] if best >= 0 else random_member(views[i].legal, keys[i])


@kernel
def sample_rows(
    observations: np.ndarray,
    masks: np.ndarray,
    keys: np.ndarray,
    exploration: np.ndarray,
    places: np.ndarray,
    outputs: np.ndarray,
    weights: Layers,
    biases: Layers,
    scratch: tuple[Records, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    actions: np.ndarray,
    log_probs: np.ndarray,
) -> None:
    """Draw an action for every row of observations in relative suits, each mask with a legal action.

    With probability `exploration[i]` the action is uniformly random, else drawn from the network's probabilities. The
    actions, int64, and the log-probabilities with which they were drawn, float32, both (N,), go to the last two arrays.
    `scratch` is as in `probabilities_of_views`.
    """
    _, _, _, units, logits = scratch
    probabilities = np.empty(masks.shape[1], np.float32)
    for i in range(len(keys)):
        forward(observations[i], places, weights, biases, units, logits)
        masked_softmax(logits, outputs, masks[i], probabilities)
        uniform = exploration[i] / num_allowed(masks[i])
        threshold = random_below(keys[i], 0, 0, 1 << 24) / (1 << 24)
        cumulated, chosen = 0.0, -1
        for action in range(len(probabilities)):
            if masks[i, action]:
                probability = (1 - exploration[i]) * probabilities[action] + uniform
                if probability > 0:
                    chosen = action  # the last of them if rounding leaves the sum below the threshold
                    log_probs[i] = np.log(probability)
                    cumulated += probability
                    if threshold < cumulated:
                        break
        actions[i] = chosen
