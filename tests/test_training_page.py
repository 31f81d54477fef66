"""train/README.md is true: its tables are complete, its settings exist, and its examples work."""

import re
import shlex
from itertools import pairwise

import numpy as np
import pytest
from support.paths import ROOT

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import play_update, small_sampler, tiny

from euchre_train.config import Config, load_config
from euchre_train.ppo import evaluate, new_training, updates

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


def test_the_table_of_metrics_has_every_metric():
    config = tiny(num_updates=1, eval_deals=2)
    training = new_training(config)
    (metrics,) = updates(training, config)
    found = {*metrics, *evaluate(training.model, config)}
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


def test_the_commands_set_settings_to_values_that_they_can_have(monkeypatch):
    monkeypatch.chdir(ROOT)
    lines = [line for block in blocks("sh") for line in block.replace("\\\n", "").splitlines()]
    commands = [shlex.split(line) for line in lines]
    given = [[word for before, word in pairwise(words) if before == "--set"] for words in commands]
    assert sum(map(len, given)) >= 6
    for words, changes in zip(commands, given, strict=True):
        file = words[words.index("--config") + 1] if "--config" in words else None
        load_config(file, changes)


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
