"""A command reports a missing extra in one line."""

import json
import subprocess
import sys

import pytest


def run_without(module, command, arguments):
    """Run `command` in an interpreter in which `module` cannot be imported."""
    code = f"import sys\nsys.modules[{module!r}] = None\nfrom {command}.cli import main\nsys.exit(main({arguments}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("module", ["torch", "tensorboard", "yaml"])
def test_training_without_its_extra_names_it(module, tmp_path):
    done = run_without(module, "euchre_train", ["--run", str(tmp_path / "run")])
    assert (done.returncode, done.stdout) == (1, "")
    assert 'pip install "euchre-env[train]"' in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_what_training_can_be_asked_is_told_without_its_extra():
    done = run_without("torch", "euchre_train", ["--help"])
    assert done.returncode == 0, done.stderr
    assert "--resume" in done.stdout


@pytest.fixture
def run_folder(tmp_path):
    """A run folder with the metrics of one update."""
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"update": 1, "charts/deals": 64, "losses/entropy": 1.1}) + "\n")
    return tmp_path


def test_drawing_curves_without_its_extra_names_it(run_folder):
    done = run_without("matplotlib", "euchre_train", ["plot", str(run_folder)])
    message = 'matplotlib is not installed; `pip install "euchre-env[plots]"` installs what a picture needs'
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"euchre-train: {message}\n")
    assert not (run_folder / "curves.png").exists()


def test_curves_are_drawn_without_the_extra_of_training(run_folder):
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    done = run_without("torch", "euchre_train", ["plot", str(run_folder)])
    assert done.returncode == 0, done.stderr
    assert (run_folder / "curves.png").stat().st_size > 10_000


def test_a_report_without_its_extra_names_it(tmp_path):
    done = run_without("jinja2", "euchre_eval", ["report", "match.json", str(tmp_path / "match.html")])
    message = 'jinja2 is not installed; `pip install "euchre-env[eval]"` installs what a report needs'
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"euchre-eval: {message}\n")
