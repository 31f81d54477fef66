"""Import time in a fresh interpreter, beside the import time of PettingZoo."""

import subprocess
import sys

MODULES = ("euchre_env", "pettingzoo")
CODE = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"


def import_seconds(rounds: int) -> dict[str, list[float]]:
    """The CPU time of importing each module, by module and round; the modules take turns."""
    for module in MODULES:
        _import_seconds(module)  # warm-up: compiles the sources to bytecode and reads them from disk
    measured: dict[str, list[float]] = {module: [] for module in MODULES}
    for _ in range(rounds):
        for module in MODULES:
            measured[module].append(_import_seconds(module))
    return measured


def _import_seconds(module: str) -> float:
    done = subprocess.run([sys.executable, "-c", CODE.format(module)], capture_output=True, text=True, check=True)
    return float(done.stdout)
