"""Several processes that train one network: each plays a part of the deals, and gradients are averaged.

`torchrun --nproc-per-node 2 -m euchre_train.cli ...` starts such processes; without it there is one process, and every
function here leaves its argument as it is.
"""

import contextlib
import dataclasses
import os
import sys
from collections.abc import Iterable
from typing import NoReturn

import torch
import torch.distributed as dist
from torch import Tensor, nn

from euchre_train.config import Config


class Processes:
    """The processes of a training run, as seen by one of them; a context manager that leaves the group at its end.

    Args:
        device: "cpu" or "cuda": the backend is gloo or NCCL.

    Raises:
        ValueError: if the device is "cuda" and there is no GPU.
    """

    def __init__(self, device: str = "cpu") -> None:
        self.size = int(os.environ.get("WORLD_SIZE", "1"))
        """The number of processes."""
        self.rank = int(os.environ.get("RANK", "0"))
        """The number of this process, from 0."""
        if device == "cuda" and not torch.cuda.is_available():
            raise ValueError("the setting device is 'cuda', but PyTorch finds no GPU here")
        local = int(os.environ.get("LOCAL_RANK", "0"))
        self.device = torch.device("cuda", local) if device == "cuda" else torch.device(device)
        """The device of this process."""
        if self.size > 1:
            dist.init_process_group("nccl" if device == "cuda" else "gloo")
        self.num_fast = int(self.sum([is_bfloat16_fast(device)])[0])
        """The number of processes whose device multiplies matrices of bfloat16 in hardware."""

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if self.size > 1:
            if error is None:
                dist.barrier()  # so that no process leaves while another still uses the group
            dist.destroy_process_group()

    @property
    def is_first(self) -> bool:
        """Whether this process writes files and prints."""
        return self.rank == 0

    def share(self, total: int) -> range:
        """The part of `range(total)` that belongs to this process; the parts differ by at most 1 in length."""
        return range(total * self.rank // self.size, total * (self.rank + 1) // self.size)

    def sum(self, values: Iterable[float]) -> list[float]:
        """The sums of `values` over all processes."""
        numbers = torch.tensor(list(values), dtype=torch.float64)
        if self.size > 1:
            numbers = numbers.to(self.device)
            dist.all_reduce(numbers)
        return numbers.tolist()

    def any(self, condition: bool) -> bool:
        """Whether `condition` holds in some process."""
        return self.sum([condition])[0] > 0

    def add_gradients(self, module: nn.Module) -> None:
        """Replace the gradients of `module` by their sums over all processes."""
        if self.size == 1:
            return
        gradients: list[Tensor] = [p.grad for p in module.parameters() if p.grad is not None]
        together = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(together)
        for gradient, part in zip(gradients, together.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))


def resolve(config: Config, processes: Processes) -> Config:
    """Settle the settings that depend on the machines: the precision, and the number of processes.

    The precision is the same in all processes, also on machines that differ.

    Raises:
        ValueError: if the settings ask for another number of processes than there are.
    """
    if config.num_processes not in (1, processes.size):
        raise ValueError(f"num_processes is {config.num_processes}, but torchrun has started {processes.size}")
    precision = config.precision
    if precision == "auto":
        precision = "bfloat16" if processes.num_fast == processes.size else "float32"
    return dataclasses.replace(config, precision=precision, num_processes=processes.size)


def is_bfloat16_fast(device: str) -> bool:
    """Whether the device multiplies matrices of bfloat16 in hardware."""
    if device == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()  # not in PyTorch 2.5
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def leave(status: int) -> NoReturn:
    """End this process with an exit status; one of several ends without the clean-up of Python.

    In a few of a hundred runs PyTorch 2.13 aborts while it destroys the threads of a process group, when all work is
    done and saved.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):  # closed, or a full disk
                stream.flush()
        os._exit(status)
    sys.exit(status)
