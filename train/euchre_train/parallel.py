"""Several processes that train one network: each plays a part of the deals, and gradients are averaged.

`torchrun --nproc-per-node 2 -m euchre_train.cli ...` starts such processes; without it there is one process, and every
function here leaves its argument as it is.
"""

import contextlib
import dataclasses
import os
import sys
import time
from collections.abc import Generator, Iterable, Mapping
from typing import NoReturn

import torch
import torch.distributed as dist
from torch import Tensor, nn

from euchre_eval.command_line import describe
from euchre_train.config import Config

TIME_TO_REPORT = 30.0  # seconds; torchrun ends the other processes as soon as the first has ended


class Processes:
    """The processes of a training run, as seen by one of them; a context manager that leaves the group at its end.

    Args:
        device: "cpu" or "cuda": the backend is gloo or NCCL.
        is_alone: whether this is the only process, even if torchrun has started it with others.

    Raises:
        ValueError: if the device is "cuda" and there are fewer GPUs than processes on this machine, or on another one.
    """

    def __init__(self, device: str = "cpu", is_alone: bool = False) -> None:
        launched: Mapping[str, str] = {} if is_alone else os.environ
        self.size = int(launched.get("WORLD_SIZE", "1"))
        """The number of processes."""
        self.rank = int(launched.get("RANK", "0"))
        """The number of this process, from 0."""
        self._num_blocks = 0  # that have been run together
        if self.size > 1:
            met = next(dist.rendezvous("env://"))  # pyright: ignore[reportPrivateImportUsage]  # in its __all__
            self.store = met[0]
            """Where the processes leave texts for each other; only if there are several."""
        with self.failing_together():
            _check_gpus(device, int(launched.get("LOCAL_WORLD_SIZE", "1")))
        local = int(launched.get("LOCAL_RANK", "0"))
        self.device = torch.device("cuda", local) if device == "cuda" else torch.device(device)
        """The device of this process."""
        if self.size > 1:
            dist.init_process_group(
                "nccl" if device == "cuda" else "gloo",
                store=self.store,
                rank=self.rank,
                world_size=self.size,
            )
        self.num_with_bfloat16 = int(self.sum([is_bfloat16_fast(device)])[0])
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

    @contextlib.contextmanager
    def failing_together(self) -> Generator[None]:
        """Run a block in every process; if it fails in one, all of them end, and the first reports the failure.

        Raises:
            ValueError: in the first process, if the block has failed in another; the message names that process.
            SystemExit: in another process, if the block has failed anywhere.
        """
        if self.size == 1:
            yield
            return
        failure: Exception | None = None
        try:
            yield
        except Exception as error:
            failure = error
        report = self._first_report("" if failure is None else _report_of(failure))
        if not report:
            return
        if not self.is_first:
            self.wait_for_report_of_first()
        if failure is not None:
            raise failure
        raise ValueError(report)

    def _first_report(self, own: str) -> str:
        """The report of the lowest process that has one, by name if it is not the first; empty if none has."""
        self._num_blocks += 1
        key = f"block {self._num_blocks}, process "
        self.store.set(f"{key}{self.rank}", own)
        if self.is_first:
            reports = [self.store.get(f"{key}{rank}").decode() for rank in range(self.size)]
            failed = [rank for rank, report in enumerate(reports) if report]
            found = reports[failed[0]] if failed else ""
            if failed and failed[0] > 0:
                found += f" (in process {failed[0]}, counted from 0)"
            self.store.set(f"{key}any", found)
        return self.store.get(f"{key}any").decode()

    def wait_for_report_of_first(self, status: int = 2) -> NoReturn:
        """End this process, which is not the first, after a failure of all, once the first has reported it."""
        time.sleep(TIME_TO_REPORT)
        raise SystemExit(status)

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

    def send_to_all(self, data: bytes) -> bytes:
        """The bytes that the first process passes, in every process; what the others pass is not used."""
        if self.size == 1:
            return data
        length = torch.tensor(len(data), device=self.device)
        dist.broadcast(length, 0)
        numbers = torch.empty(int(length), dtype=torch.uint8, device=self.device)
        if self.is_first:
            numbers.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        dist.broadcast(numbers, 0)
        return numbers.cpu().numpy().tobytes()

    def any(self, condition: bool) -> bool:
        """Whether `condition` holds in some process."""
        return self.sum([condition])[0] > 0

    def all_reduce(self, module: nn.Module, metrics: Mapping[str, float]) -> dict[str, float]:
        """Replace the gradients of `module` by their sums over all processes, and return the sums of the metrics.

        All go in one message: between processes that share cores, every message costs milliseconds.
        """
        if self.size == 1:
            return dict(metrics)
        gradients: list[Tensor] = [p.grad for p in module.parameters() if p.grad is not None]
        numbers = torch.tensor(list(metrics.values()), dtype=torch.float32, device=self.device)
        together = torch.cat([*(gradient.flatten() for gradient in gradients), numbers])
        dist.all_reduce(together)
        *sums, numbers = together.split([*(gradient.numel() for gradient in gradients), len(metrics)])
        for gradient, part in zip(gradients, sums, strict=True):
            gradient.copy_(part.view_as(gradient))
        return dict(zip(metrics, numbers.tolist(), strict=True))


def alone(device: str = "cpu") -> Processes:
    """The single process of a training that no other shares: what functions of training take if they are given none.

    Raises:
        ValueError: if the device is "cuda" and there is no GPU.
    """
    return Processes(device, is_alone=True)


def _check_gpus(device: str, wanted: int) -> None:
    """Check that each of the processes on this machine can have a GPU of its own, if the device is "cuda"."""
    if device != "cuda":
        return
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found == 0:
        raise ValueError("the setting device is 'cuda', but PyTorch finds no GPU here")
    if found < wanted:
        raise ValueError(
            f"the setting device is 'cuda', one GPU for each process, but PyTorch finds {found} here "
            f"for {wanted} processes (torchrun --nproc-per-node)"
        )


def _report_of(failure: Exception) -> str:
    """The message of a failure, never empty, in characters that UTF-8 can encode."""
    message = describe(failure) if isinstance(failure, OSError) else str(failure)
    return (message or type(failure).__name__).encode(errors="backslashreplace").decode()


def resolve(config: Config, processes: Processes, asked_for: bool = False) -> Config:
    """Settle the settings that depend on the machines: the precision, and the number of processes.

    The precision is the same in all processes, also on machines that differ. The number of processes is that which
    torchrun has started: in a file of settings it says how many another run had.

    Args:
        config: the settings.
        processes: the processes that there are.
        asked_for: whether the user has asked for just this number of processes (`--set num_processes=...`).

    Raises:
        ValueError: if another number of processes was asked for than there are, or one is left without a deal.
    """
    if asked_for and config.num_processes != processes.size:
        found = "this is a single one" if processes.size == 1 else f"torchrun has started {processes.size}"
        raise ValueError(
            f"num_processes={config.num_processes} asks for so many processes, but {found}; "
            "torchrun --nproc-per-node says how many to start"
        )
    check_sizes(config, processes.size)
    precision = config.precision
    if precision == "auto":
        precision = "bfloat16" if processes.num_with_bfloat16 == processes.size else "float32"
    return dataclasses.replace(config, precision=precision, num_processes=processes.size)


def check_sizes(config: Config, num_processes: int) -> None:
    """Check that every process has a deal to play in each update.

    Raises:
        ValueError: if there are fewer deals than processes; the message names both settings.
    """
    if config.deals_per_update < num_processes:
        raise ValueError(
            f"deals_per_update is {config.deals_per_update}, and there are {num_processes} processes, each of which "
            "needs a deal: raise deals_per_update, or start fewer processes (torchrun --nproc-per-node)"
        )


def is_bfloat16_fast(device: str) -> bool:
    """Whether the device multiplies matrices of bfloat16 in hardware."""
    if device == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    capabilities = getattr(torch.cpu, "get_capabilities", dict)()  # not in PyTorch 2.5
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def exit_process(status: int) -> NoReturn:
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
