"""Description of the machine and of the versions that a benchmark ran on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("euchre-env", "numba", "numpy", "pettingzoo", "rlcard", "open-spiel", "torch")
CPUINFO = Path("/proc/cpuinfo")


def describe() -> dict[str, str]:
    """The processor, the operating system, Python, and the versions of the packages compared."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version(name) for name in PACKAGES},
    }


def has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 matrices, by the rule by which the trainer chooses its precision."""
    from euchre_train.parallel import is_bfloat16_fast  # imports torch

    return is_bfloat16_fast("cpu")


def _processor() -> str:
    """The processor's model name on Linux, its architecture elsewhere."""
    lines = [line.partition(":") for line in CPUINFO.read_text().splitlines()] if CPUINFO.exists() else []
    names = [value.strip() for name, _, value in lines if name.strip() == "model name"]
    return next(iter(names), "") or platform.processor() or platform.machine()
