"""train/README.md is true: its tables are complete, its settings exist, and its examples work."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support.paths import ROOT

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import play_update, small_sampler, tiny

from euchre_train.config import Config, load_config
from euchre_train.metrics_file import METRICS_FILE, read_metrics
from euchre_train.parallel import Processes, resolve
from euchre_train.run_folder import resume_run, start_run
from euchre_train.running import train
from euchre_train.starting import first_training

PAGE = (ROOT / "train" / "README.md").read_text(encoding="utf-8")
LINES = PAGE.splitlines()
pytestmark = pytest.mark.compiled  # training takes too long without the compiler


def first_column(heading):
    """The first column of the table whose heading begins so."""
    start = LINES.index(next(line for line in LINES if line.startswith(heading))) + 2
    rows = LINES[start : start + next(i for i, line in enumerate(LINES[start:]) if not line.startswith("|"))]
    return [row.split("|")[1].strip() for row in rows]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_table_of_files_has_every_module():
    modules = {path.name for path in (ROOT / "train" / "euchre_train").glob("*.py")}
    assert sorted(first_column("| file |")) == sorted(f"`{name}`" for name in modules - {"__init__.py"})


def test_the_table_of_metrics_has_every_metric(tmp_path):
    run, training = start_run(tmp_path / "run", tiny(num_updates=2, eval_deals=2, checkpoint_every=1))
    assert train(run, training) == 0
    found = set(read_metrics(run.path / METRICS_FILE)[-1]) - {"update"}
    listed = set()
    for cell in first_column("| metric |"):
        name, *suffixes = re.findall(r"`([^`]+)`", cell)
        listed |= {name, *(name.rpartition("_")[0] + suffix for suffix in suffixes)}
    assert listed == found


def test_every_setting_that_is_named_exists():
    page = PAGE.partition("## Curves")[0]
    named = set(re.findall(r"`([a-z_]+)=[^`]+`", page)) | set(re.findall(r"^([a-z_]+): ", page, re.MULTILINE))
    assert named <= set(vars(Config()))
    assert len(named) >= 8


@pytest.mark.parametrize("block", blocks("yaml"))
def test_the_settings_of_an_example_are_settings(block, tmp_path):
    (tmp_path / "example.yaml").write_text(block)
    assert load_config(tmp_path / "example.yaml") != Config()


def test_the_commands_train_under_settings_that_they_can_have(tmp_path, monkeypatch):
    """Each is tried up to its run folder, in as many processes as it starts, where a run with the defaults is there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    start_run(tmp_path / "runs" / "mine", resolve(Config(), Processes()))[0].close()
    run, training = resume_run(tmp_path / "runs" / "mine")
    with run:
        run.save(training)
    lines = [line for block in blocks("sh") for line in block.replace("\\\n", "").splitlines()]
    commands = [shlex.split(line) for line in lines]
    given = [[word for before, word in pairwise(words) if before == "--set"] for words in commands]
    assert sum(map(len, given)) >= 6
    trainings = [(words, changes) for words, changes in zip(commands, given, strict=True) if "--run" in words]
    assert len(trainings) >= 6
    for words, changes in trainings:
        file = words[words.index("--config") + 1] if "--config" in words else None
        source = Path(words[words.index("--from") + 1]) if "--from" in words else None
        processes = Processes()
        for option in ("--nnodes", "--nproc-per-node"):
            processes.size *= int(words[words.index(option) + 1]) if option in words else 1
        config = resolve(load_config(file, changes, start_from=source), processes, "num_processes" in str(changes))
        assert config.num_processes == processes.size
        if config.start_from:
            assert first_training(config).update == config.start_update > 0


def test_the_reward_of_the_example_pays_points_and_tricks():
    (block,) = (block for block in blocks("python") if "def tricks_too" in block)
    names: dict[str, object] = {}
    exec(compile(block, "train/README.md", "exec"), names)
    seen = []

    def reward(results, rules):
        seen.append(results)
        return names["tricks_too"](results, rules)  # type: ignore[operator]  # the function of the example

    batch = play_update(small_sampler()[0], tiny(), reward=reward)
    paid = batch.rewards.reshape(-1, 4)
    for result in seen[0]:
        net, tricks = (int(result[name][0] - result[name][1]) for name in ("points", "tricks"))
        np.testing.assert_allclose(
            paid[result["episode"]], np.array([1, -1, 1, -1]) * (net + tricks / 10) / 2, rtol=1e-6
        )
