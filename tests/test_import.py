"""The cost and the direction of imports: no compiler, no heavy library, and no import of a higher layer."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Each package may import itself and what stands before it.
LAYERS = {
    "euchre_env": ROOT / "euchre_env",
    "euchre_agents": ROOT / "agents" / "euchre_agents",
    "euchre_eval": ROOT / "eval" / "euchre_eval",
    "euchre_train": ROOT / "train" / "euchre_train",
}


def run_fresh(code):
    """Run `code` in an interpreter that has not imported this project yet."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.compiled
def test_importing_the_game_compiles_nothing():
    run_fresh(
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as compilations:\n"
        "    import euchre_env\n"
        "    from euchre_env import euchre_v0\n"
        "assert not compilations.buffer, compilations.buffer\n"
    )


@pytest.mark.compiled
def test_the_recorder_of_compilations_sees_one():
    run_fresh(
        "import numba\n"
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as compilations:\n"
        "    numba.njit(lambda x: x + 1)(1)\n"
        "assert compilations.buffer\n"
    )


@pytest.mark.parametrize("statement", ["import euchre_env", "from euchre_env import euchre_v0", "import euchre_agents"])
def test_importing_loads_no_heavy_library(statement):
    heavy = {"torch", "tensorboard", "PIL", "rich", "pygame"}
    run_fresh(f"{statement}\nimport sys\nloaded = {heavy} & set(sys.modules)\nassert not loaded, loaded\n")


def test_imports_run_one_way():
    names = list(LAYERS)
    for level, (package, folder) in enumerate(LAYERS.items()):
        forbidden = set(names[level + 1 :])
        for source in folder.rglob("*.py"):
            for node in ast.walk(ast.parse(source.read_text())):
                if isinstance(node, ast.Import):
                    imported = {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    imported = {(node.module or "").split(".")[0]}
                else:
                    continue
                assert not imported & forbidden, f"{source}:{node.lineno}: {package} imports {imported & forbidden}"


def test_the_game_names_no_layer_above_it():
    """No import, message or docstring names a higher layer, so that higher layers can change alone."""
    for source in LAYERS["euchre_env"].rglob("*.py"):
        text = source.read_text()
        assert not [name for name in LAYERS if name != "euchre_env" and name in text], source
