"""Our trainer, one update a turn: its decisions, seconds, phases, and arithmetic beside the matrix rate of the machine.

It reads nothing of the trainer but its settings, weights and metrics, so that it measures an older checkout as well.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from turns import Answer, serve

from euchre_train.config import Config
from euchre_train.ppo import new_training, updates

PHASES = ("collect", "values", "learn")  # the metrics time/collect and so on: seconds of one process
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
MATMUL_SECONDS = 0.1

Shapes: TypeAlias = list[tuple[int, int]]  # (units, inputs) of the weights of a network, the first layer first


def network_shapes(model: nn.Module) -> list[Shapes]:
    """The shapes of the weights of each network, a child of `model`; biases and other vectors are left out."""
    networks: dict[str, Shapes] = {}
    for name, weights in model.named_parameters():
        if weights.ndim == 2:
            networks.setdefault(name.partition(".")[0], []).append((weights.shape[0], weights.shape[1]))
    return list(networks.values())


def products(networks: Sequence[Shapes]) -> Iterator[tuple[int, int, int]]:
    """The matrix products (a, b) @ (b, c) of forward and backward pass for one decision, as (a, b, c).

    A layer takes three: outputs, gradient of the weights, gradient of the inputs, which the first layer does without.
    """
    for shapes in networks:
        for i, (units, inputs) in enumerate(shapes):
            yield 1, inputs, units
            yield units, 1, inputs
            if i > 0:
                yield 1, units, inputs


def flops_per_decision(networks: Sequence[Shapes]) -> int:
    """Floating-point operations of forward and backward pass for one decision, every input counted, zeros too."""
    return sum(2 * a * b * c for a, b, c in products(networks))


def matmul_gflops(networks: Sequence[Shapes], rows: int, dtype: torch.dtype) -> float:
    """GFLOP/s of torch on the matrix products of a gradient step on `rows` decisions, and on nothing else."""
    factors: list[tuple[Tensor, Tensor]] = []
    for a, b, c in products(networks):
        left = torch.rand(rows if a == 1 else a, rows if b == 1 else b).to(dtype)
        factors.append((left, torch.rand(left.shape[1], c).to(dtype)))
    flops = sum(2 * left.shape[0] * left.shape[1] * right.shape[1] for left, right in factors)
    started, passes = time.perf_counter(), 0
    while time.perf_counter() - started < MATMUL_SECONDS:
        for left, right in factors:
            torch.mm(left, right)
        passes += 1
    return flops * passes / (time.perf_counter() - started) / 1e9


class Trainer:
    """Our trainer.

    Args:
        config: the settings.
        dtypes: the names of the number formats for which the matrix rate is measured.
    """

    def __init__(self, config: Config, dtypes: Sequence[str]) -> None:
        training = new_training(config)
        self._config, self._dtypes = config, list(dtypes)
        self._networks = network_shapes(training.model)
        self._updates = updates(training, config)

    def turn(self) -> Answer:
        """Run an update, then measure the matrix rate."""
        wall, cpu = time.perf_counter(), time.process_time()
        metrics = next(self._updates)
        answer = self.answer(metrics, time.perf_counter() - wall, time.process_time() - cpu)
        rows = self._config.minibatch_size
        return {**answer, "matmul": {name: matmul_gflops(self._networks, rows, DTYPES[name]) for name in self._dtypes}}

    def answer(self, metrics: Mapping[str, float], wall: float, cpu: float) -> Answer:
        """What an update has shown: decisions learnt from, its seconds, and those of the phases that it reports."""
        decisions = round(metrics["charts/SPS"] * wall)
        return {
            "decisions": decisions,
            "wall": wall,
            "cpu": cpu,
            "phases": {name: metrics[f"time/{name}"] for name in PHASES if f"time/{name}" in metrics},
            "learning_gflop": decisions * self._config.num_epochs * flops_per_decision(self._networks) / 1e9,
        }


def main(arguments: list[str] | None = None) -> int:
    """Run an update for each line of standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=128, help="units of the two layers of each network (default 128)")
    parser.add_argument("--deals", type=int, default=4096, help="deals of an update (default 4096)")
    parser.add_argument("--dtypes", nargs="*", default=["float32"], choices=DTYPES, help="of the matrix rates")
    parser.add_argument(
        "--precision",
        choices=DTYPES,
        help="of the trainer, which learns from all decisions; without it, it has no such choices",
    )
    options = parser.parse_args(arguments)
    sizes = (options.width, options.width)
    choices: dict[str, Any] = {}
    if options.precision is not None:
        choices = {"precision": options.precision, "sure_decisions": 1.0}
    config = Config(
        num_updates=10**6,  # more than a benchmark takes, so that the schedules stand still
        deals_per_update=options.deals,
        hidden_sizes=sizes,
        critic_hidden_sizes=sizes,
        **choices,
    )
    serve(Trainer(config, options.dtypes).turn)
    if torch.distributed.is_initialized():  # by `updates`, where several processes train together
        torch.distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
