"""Kernels of a multilayer perceptron that plays: forward pass, masked softmax, best and sampled actions.

Layers are summed in a fixed order, one row of weights after another, so a decision is the same to the last bit on every
machine and for every batch size.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from euchre_agents.encoder import active_rows, encode_inputs
from euchre_env.counter_rng import random_below, random_member
from euchre_env.kernel import Records, kernel
from euchre_env.observation import encode_legal
from euchre_env.relative_suits import RELABELLED, frame_of, relabel_legal, relabel_view
from euchre_env.view import View

Layers: TypeAlias = tuple[np.ndarray, ...]  # one array per layer


class Network(NamedTuple):
    """A network and what connects it to the environment."""

    row_of: np.ndarray
    """The row of the first matrix for each place of the input vector, int16, (VECTOR_SIZE,); -1 where it reads none."""
    outputs: np.ndarray
    """The action id of each output, int64."""
    weights: Layers
    """One float32 matrix per layer, (inputs, outputs)."""
    biases: Layers
    """One float32 vector per layer."""
    residual: bool
    """Whether hidden layers after the first are added to the layer before."""


class Scratch(NamedTuple):
    """Arrays that the kernels overwrite."""

    relative: Records
    """One record of dtype VIEW."""
    vector: np.ndarray
    """int8, (VECTOR_SIZE,)."""
    active: np.ndarray
    """int16, (MOST_ACTIVE,)."""
    mask: np.ndarray
    """int8, (NUM_ACTIONS,)."""
    units: np.ndarray
    """float32, (2, units of the widest layer)."""
    logits: np.ndarray
    """float32, one for each output."""


@kernel
def forward(active: np.ndarray, count: int, network: Network, units: np.ndarray, outputs: np.ndarray) -> None:
    """Write the outputs of a network, float32, to `outputs`, for the inputs `active[:count]`, which are 1.

    Hidden units are rectified. In a residual network the units of each hidden layer after the first are added to those
    of the layer before, which is as wide. `units` is as in `Scratch`.
    """
    weights, biases = network.weights, network.biases
    last, size = len(weights) - 1, len(biases[0])
    units[0, :size] = biases[0]
    add_rows(units[0, :size], weights[0], active[:count], np.ones(count, np.float32))
    positive, factors = np.empty(units.shape[1], np.int64), np.empty(units.shape[1], np.float32)
    now = 0
    for layer in range(1, last + 1):
        before, now = now, 1 - now
        previous, size = size, len(biases[layer])
        count = 0
        for i in range(previous):
            if units[before, i] > 0:  # rectified: other units add nothing
                positive[count], factors[count] = i, units[before, i]
                count += 1
        units[now, :size] = biases[layer]
        add_rows(units[now, :size], weights[layer], positive[:count], factors[:count])
        if network.residual and layer < last:
            for j in range(size):
                units[now, j] = max(units[now, j], np.float32(0)) + max(units[before, j], np.float32(0))
    outputs[:] = units[now, :size]


@kernel
def add_rows(totals: np.ndarray, matrix: np.ndarray, rows: np.ndarray, factors: np.ndarray) -> None:
    """Add `factors[i]` times row `rows[i]` of a matrix to `totals`, float32, for one i after the other.

    Four rows at a time, each total is read and written once in place of four times; the order of its sums is the same.
    """
    whole = len(rows) // 4 * 4
    for i in range(0, whole, 4):
        first, second, third, fourth = matrix[rows[i]], matrix[rows[i + 1]], matrix[rows[i + 2]], matrix[rows[i + 3]]
        a, b, c, d = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
        for j in range(len(totals)):
            totals[j] = totals[j] + a * first[j] + b * second[j] + c * third[j] + d * fourth[j]
    for i in range(whole, len(rows)):
        for j in range(len(totals)):
            totals[j] += factors[i] * matrix[rows[i], j]


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
def logits_of_view(view: View, network: Network, scratch: Scratch) -> int:
    """Write the logits at `view` to `scratch`, with the view in relative suits, and return the frame of these suits."""
    relative = scratch.relative
    relative[0] = view
    frame = frame_of(relative[0])
    relabel_view(relative[0], frame)
    encode_inputs(relative[0], scratch.vector)
    count = active_rows(scratch.vector, network.row_of, scratch.active)
    forward(scratch.active, count, network, scratch.units, scratch.logits)
    return frame


@kernel
def probabilities_of_views(views: Records, network: Network, scratch: Scratch, probabilities: np.ndarray) -> None:
    """Write the probability of every action at each of `views`, in its suits, float32, (N, NUM_ACTIONS)."""
    in_frame = np.empty(probabilities.shape[1], np.float32)
    for i in range(len(views)):
        frame = logits_of_view(views[i], network, scratch)
        encode_legal(scratch.relative[0].legal, scratch.mask)
        masked_softmax(scratch.logits, network.outputs, scratch.mask, in_frame)
        for action in range(len(in_frame)):
            probabilities[i, RELABELLED[frame, action]] = in_frame[action]


@kernel
def probabilities_of_logits(
    logits: np.ndarray, outputs: np.ndarray, masks: np.ndarray, frames: np.ndarray, probabilities: np.ndarray
) -> None:
    """Write the probability of every action for each row of logits, with suits relabelled from its frame.

    Args:
        logits: float32, (N, outputs).
        outputs: the action id of each output, int64.
        masks: int8, (N, NUM_ACTIONS), in relative suits.
        frames: int64, (N,).
        probabilities: float32, (N, NUM_ACTIONS), in absolute suits.
    """
    in_frame = np.empty(probabilities.shape[1], np.float32)
    for i in range(len(frames)):
        masked_softmax(logits[i], outputs, masks[i], in_frame)
        for action in range(len(in_frame)):
            probabilities[i, RELABELLED[frames[i], action]] = in_frame[action]


@kernel
def last_hidden_units(network: Network, units: np.ndarray) -> np.ndarray:
    """The units of the last hidden layer after `forward`, before they are rectified: a part of its argument `units`."""
    last = len(network.weights) - 1
    return units[(last - 1) & 1, : len(network.biases[last - 1])]


@kernel
def best_output(legal: int, logits: np.ndarray, outputs: np.ndarray) -> int:
    """The output of a legal action with the highest logit, the first of equals; -1 if no legal action is an output."""
    best = -1
    for j in range(len(outputs)):
        if legal >> outputs[j] & 1 and (best < 0 or logits[j] > logits[best]):
            best = j
    return best


@kernel
def best_of_views(views: Records, keys: np.ndarray, network: Network, scratch: Scratch, actions: np.ndarray) -> None:
    """Write to `actions`, int64, (N,), the legal action with the highest logit at each of `views`, the first of equals.

    If no legal action is an output, the action is drawn with the view's key.
    """
    for i in range(len(views)):
        frame = logits_of_view(views[i], network, scratch)
        best = best_output(scratch.relative[0].legal, scratch.logits, network.outputs)
        actions[i] = RELABELLED[frame, network.outputs[best]] if best >= 0 else random_member(views[i].legal, keys[i])


@kernel
def sample_from_logits(
    logits: np.ndarray,
    outputs: np.ndarray,
    masks: np.ndarray,
    keys: np.ndarray,
    exploration: np.ndarray,
    actions: np.ndarray,
    log_probs: np.ndarray,
) -> None:
    """Draw an action for every row of logits, float32, (N, outputs), each mask with a legal action.

    With probability `exploration[i]` the action is uniformly random, else drawn from the softmax of the logits. The
    actions, int64, and the log-probabilities with which they were drawn, float32, both (N,), go to the last two arrays.
    """
    probabilities = np.empty(masks.shape[1], np.float32)
    for i in range(len(keys)):
        masked_softmax(logits[i], outputs, masks[i], probabilities)
        actions[i], probability = draw(probabilities, masks[i], exploration[i], keys[i])
        log_probs[i] = np.log(probability)


@kernel
def draw_of_views(views: Records, probabilities: np.ndarray, keys: np.ndarray, actions: np.ndarray) -> None:
    """Draw an action at each of `views` with its key, as `sample_from_logits` does without exploration.

    Args:
        views: dtype VIEW, (N,), each with a legal action.
        probabilities: of every action in the suits of the view, float32, (N, NUM_ACTIONS).
        keys: int64, (N,).
        actions: the actions in the suits of the view are written here, int64, (N,).
    """
    in_frame, mask = np.empty(probabilities.shape[1], np.float32), np.empty(probabilities.shape[1], np.int8)
    for i in range(len(views)):
        frame = frame_of(views[i])
        for action in range(len(in_frame)):
            in_frame[action] = probabilities[i, RELABELLED[frame, action]]
        encode_legal(relabel_legal(views[i].legal, frame), mask)
        chosen, _ = draw(in_frame, mask, 0.0, keys[i])
        actions[i] = RELABELLED[frame, chosen]


@kernel
def draw(probabilities: np.ndarray, mask: np.ndarray, exploration: float, key: int) -> tuple[int, float]:
    """Draw one of the actions that `mask` allows with `key`.

    With probability `exploration` it is uniformly random, else drawn from `probabilities`, float32, (NUM_ACTIONS,).

    Returns:
        The action, and the probability with which it was drawn.
    """
    uniform = exploration / num_allowed(mask)
    threshold = random_below(key, 0, 0, 1 << 24) / (1 << 24)
    cumulated, chosen, drawn_with = 0.0, -1, 0.0
    for action in range(len(probabilities)):
        if mask[action]:
            probability = (1 - exploration) * probabilities[action] + uniform
            if probability > 0:
                chosen, drawn_with = action, probability  # the last if rounding leaves the sum below the threshold
                cumulated += probability
                if threshold < cumulated:
                    break
    return chosen, drawn_with
