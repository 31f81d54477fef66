"""The first layer of networks: it equals a dense linear layer over inputs of 0 and 1, forward and backward."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_train.layers import ActiveLinear, sum_by_embedding

NUM_INPUTS, NUM_OUTPUTS, WIDTH = 90, 17, 23


def some_inputs(counts):
    """Numbers of inputs for rows with `counts` inputs of 1, and the same inputs as 0 and 1."""
    rng = np.random.default_rng(2)
    numbers = np.full((len(counts), WIDTH), -999, np.int16)  # what is not counted is not read
    dense = np.zeros((len(counts), NUM_INPUTS), np.float32)
    for row, count in enumerate(counts):
        numbers[row, :count] = rng.choice(NUM_INPUTS, size=count, replace=False)
        dense[row, numbers[row, :count]] = 1
    return torch.from_numpy(numbers), torch.tensor(counts, dtype=torch.int64), torch.from_numpy(dense)


def on_a_cpu(layer, numbers, counts):
    return layer(numbers, counts)


def elsewhere(layer, numbers, counts):
    return sum_by_embedding(layer.weight, layer.bias, numbers, counts)


@pytest.mark.parametrize("compute", [on_a_cpu, elsewhere])
@pytest.mark.parametrize("counts", [[*range(WIDTH + 1)] * 3, [0, 0, 0], [4], []], ids=str)
def test_outputs_and_gradients_are_those_of_a_dense_layer(compute, counts):
    torch.manual_seed(1)
    layer = ActiveLinear(NUM_INPUTS, NUM_OUTPUTS)
    dense_layer = torch.nn.Linear(NUM_INPUTS, NUM_OUTPUTS)
    with torch.no_grad():
        layer.bias.normal_()
        dense_layer.weight.copy_(layer.weight.T)
        dense_layer.bias.copy_(layer.bias)
    numbers, counts, dense = some_inputs(counts)
    outputs, expected = compute(layer, numbers, counts), dense_layer(dense)
    assert outputs.dtype == torch.float32
    torch.testing.assert_close(outputs, expected)
    pull = torch.randn(expected.shape)
    outputs.backward(pull)
    expected.backward(pull)
    assert layer.weight.grad is not None
    assert dense_layer.weight.grad is not None
    torch.testing.assert_close(layer.weight.grad, dense_layer.weight.grad.T)
    torch.testing.assert_close(layer.bias.grad, dense_layer.bias.grad)


@pytest.mark.parametrize("compute", [on_a_cpu, elsewhere])
def test_it_computes_in_float32_under_autocast(compute):
    layer = ActiveLinear(NUM_INPUTS, NUM_OUTPUTS)
    numbers, counts, _ = some_inputs([5] * 8)
    expected = compute(layer, numbers, counts)
    with torch.autocast("cpu", torch.bfloat16):
        outputs = compute(layer, numbers, counts)
        assert torch.equal(outputs, expected)
        torch.nn.Linear(NUM_OUTPUTS, 3)(outputs).float().sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.dtype == torch.float32


def test_its_initial_weights_are_orthogonal_with_gain_root_2():
    weight = ActiveLinear(NUM_INPUTS, NUM_OUTPUTS).weight
    torch.testing.assert_close(weight.T @ weight, 2 * torch.eye(NUM_OUTPUTS), atol=1e-5, rtol=0)
