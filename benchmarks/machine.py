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
    """Whether the processor multiplies bfloat16 matrices, as Linux says; elsewhere False."""
    return bool({"avx512_bf16", "amx_bf16", "bf16"} & set(" ".join(_cpuinfo("flags", "Features")).split()))


def _processor() -> str:
    """The processor's model name on Linux, its architecture elsewhere."""
    return next(iter(_cpuinfo("model name")), "") or platform.processor() or platform.machine()


def _cpuinfo(*names: str) -> list[str]:
    """The values of the lines of `CPUINFO` with one of these names; none where there is no such file."""
    lines = [line.partition(":") for line in CPUINFO.read_text().splitlines()] if CPUINFO.exists() else []
    return [value.strip() for name, _, value in lines if name.strip() in names]
