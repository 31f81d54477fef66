"""The README and the pages of docs/ are true: their blocks run, and their commands exist."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from euchre_env import render_text
from euchre_env.deal_text import parse_deal_text

ROOT = Path(__file__).parents[1]
DOCS = ("environment", "results", "open_hands", "statistics", "matches", "records")
PAGES = ("README", *(f"docs/{page}" for page in DOCS))
README, ENVIRONMENT, RESULTS, OPEN_HANDS, STATISTICS, MATCHES, RECORDS = (
    (ROOT / f"{page}.md").read_text(encoding="utf-8") for page in PAGES
)
WITH_COMMANDS = README + OPEN_HANDS + STATISTICS + MATCHES + RECORDS
WITH_CODE = WITH_COMMANDS + ENVIRONMENT
PYTHON_BLOCKS = re.findall(r"^```python\n(.*?)^```", WITH_CODE, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", WITH_COMMANDS, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
SHIPPED = str(ROOT / "agents" / "euchre_agents" / "weights")
RUNS = {"runs/mine": SHIPPED, "runs/one": SHIPPED, "runs/two": str(ROOT / "tests" / "data" / "ppo_0_1")}
FEW = {"--deals": "20", "--games": "2"}  # enough to see a command work


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A working directory with the configs, the examples and the policy of the README, like a reader's."""
    for folder in ("configs", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (policy,) = (block for block in PYTHON_BLOCKS if "class Cautious" in block)
    (tmp_path / "my_policy.py").write_text(policy)
    monkeypatch.chdir(tmp_path)


def test_there_are_blocks_and_commands_to_run():
    assert len(PYTHON_BLOCKS) >= 5
    assert len(COMMANDS) >= 6


@pytest.mark.compiled  # one block plays 10,000 deals
@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=lambda block: block.strip().splitlines()[-1])
def test_every_python_block_runs(block, elsewhere):
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})


def test_the_python_blocks_pass_the_type_checker(tmp_path):
    """The checker runs as for a reader: pyright's mode "standard", with the packages of this project."""
    pyright = shutil.which("pyright", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if pyright is None:
        pytest.skip("pyright is not installed (extra [dev])")
    for number, block in enumerate(PYTHON_BLOCKS):
        (tmp_path / f"block_{number}.py").write_text(block)
    packages = [str(ROOT / folder) for folder in (".", "agents", "eval", "train")]
    config = {"typeCheckingMode": "standard", "pythonVersion": "3.11", "extraPaths": packages}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    command = [pyright, "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    found = [
        f"{Path(fault['file']).name}, line {fault['range']['start']['line'] + 1}: {fault['message']}"
        for fault in report["generalDiagnostics"]
    ]
    assert found == []
    assert report["summary"]["filesAnalyzed"] == len(PYTHON_BLOCKS)


@pytest.mark.compiled
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command, elsewhere, capsys):
    program, *arguments = shlex.split(command)
    if program == "make":
        assert re.search(rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    few = [FEW.get(before, argument) for before, argument in zip(["", *arguments], arguments, strict=False)]
    if program == "euchre-train":
        pytest.importorskip("torch", reason="training needs the extra [train]")
        from euchre_train.cli import main

        few += ["--set=num_updates=2", "--set=deals_per_update=64", "--set=eval_deals=20"]
    else:
        from euchre_eval.cli import main

        few = [RUNS.get(argument, argument) for argument in few]
    assert main(few) == 0
    assert capsys.readouterr().out


def test_the_rendered_deal_is_what_the_code_renders():
    position, rendered = re.findall(r"<!-- deal: (.*?) -->\n```text\n(.*?)\n```", ENVIRONMENT, re.DOTALL)[0]
    assert rendered == render_text(parse_deal_text(position)).rstrip()


def test_no_figure_is_left_to_be_filled_in():
    pages = README + ENVIRONMENT + RESULTS + OPEN_HANDS
    assert re.findall(r"\b(?:SPEED_\w+|\w+_SECONDS|\w+_LINE)\b", pages) == []


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 200


def test_the_readme_names_every_folder():
    for folder in ("euchre_env", "agents", "eval", "train", "configs", "benchmarks", "tests", "docs"):
        assert f"`{folder}/`" in README
        assert (ROOT / folder).is_dir()
