"""Description of the machine and of the versions that a benchmark ran on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("euchre-env", "numba", "numpy", "pettingzoo", "rlcard", "open-spiel")


def describe() -> dict[str, str]:
    """The processor, the operating system, Python, and the versions of the packages compared."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version(name) for name in PACKAGES},
    }


def _processor() -> str:
    """The processor's model name on Linux, its architecture elsewhere."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
