"""A linear layer over inputs of 0 and 1 that reads only the inputs that are 1.

Of the inputs of a euchre network about one in ten is 1, so adding rows of the weights takes a third of the time of a
matrix product. The layer computes in float32, also under `torch.autocast`.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding_bag

from euchre_env.kernel import kernel


class ActiveLinear(nn.Module):
    """A linear layer whose inputs are 0 or 1, initialised orthogonally with gain sqrt 2.

    Args:
        num_inputs: the number of inputs.
        num_outputs: the number of outputs.
    """

    def __init__(self, num_inputs: int, num_outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(num_inputs, num_outputs))
        """float32, (num_inputs, num_outputs), the transpose of `nn.Linear.weight`."""
        self.bias = nn.Parameter(torch.zeros(num_outputs))
        nn.init.orthogonal_(self.weight, 2**0.5)

    def forward(self, inputs: Tensor, counts: Tensor) -> Tensor:
        """The outputs, float32, (B, num_outputs), where the inputs `inputs[i, :counts[i]]` of row i are 1.

        Args:
            inputs: numbers of inputs, int16, (B, K); what follows the first `counts[i]` of a row is not read.
            counts: int64, (B,).
        """
        if inputs.device.type == "cpu":
            return _SumOfRows.apply(self.weight, self.bias, inputs, counts)
        return sum_by_embedding(self.weight, self.bias, inputs, counts)


def sum_by_embedding(weight: Tensor, bias: Tensor, inputs: Tensor, counts: Tensor) -> Tensor:
    """What `ActiveLinear.forward` returns, by an operation of torch that every device has."""
    is_counted = torch.arange(inputs.shape[1], device=inputs.device) < counts[:, None]
    padding = len(weight)
    padded = torch.cat([weight, weight.new_zeros(1, weight.shape[1])])
    numbers = torch.where(is_counted, inputs.long(), padding)
    return embedding_bag(numbers, padded, mode="sum", padding_idx=padding) + bias


class _SumOfRows(Function):
    """The sum of a bias and some rows of a weight matrix, on a CPU."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, inputs: Tensor, counts: Tensor) -> Tensor:
        out = bias.detach().repeat(len(counts), 1)  # a copy, also of a single row
        add_rows(inputs.numpy(), counts.numpy(), weight.detach().numpy(), out.numpy())
        ctx.save_for_backward(inputs, counts)
        ctx.num_inputs = len(weight)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:  # type: ignore[override]  # torch passes it by position
        inputs, counts = ctx.saved_tensors
        (gradient,) = gradients
        of_weight = gradient.new_zeros(ctx.num_inputs, gradient.shape[1])
        add_to_rows(inputs.numpy(), counts.numpy(), gradient.contiguous().numpy(), of_weight.numpy())
        return of_weight, gradient.sum(0), None, None


@kernel
def add_rows(inputs: np.ndarray, counts: np.ndarray, weight: np.ndarray, out: np.ndarray) -> None:
    """Add the rows `inputs[i, :counts[i]]` of `weight` to `out[i]`; weight is (num_inputs, units), out (B, units).

    Four rows are added in one pass over the units, which saves half of the memory traffic.
    """
    units = weight.shape[1]
    for i in range(len(counts)):
        k, count = 0, counts[i]
        while k + 4 <= count:
            a, b, c, d = inputs[i, k], inputs[i, k + 1], inputs[i, k + 2], inputs[i, k + 3]
            for j in range(units):
                out[i, j] += (weight[a, j] + weight[b, j]) + (weight[c, j] + weight[d, j])
            k += 4
        while k < count:
            for j in range(units):
                out[i, j] += weight[inputs[i, k], j]
            k += 1


@kernel
def add_to_rows(inputs: np.ndarray, counts: np.ndarray, gradient: np.ndarray, out: np.ndarray) -> None:
    """Add `gradient[i]`, (B, units), to each of the rows `inputs[i, :counts[i]]` of `out`, (num_inputs, units)."""
    units = gradient.shape[1]
    for i in range(len(counts)):
        for k in range(counts[i]):
            row = inputs[i, k]
            for j in range(units):
                out[row, j] += gradient[i, j]
