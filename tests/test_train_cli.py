"""The command `euchre-train`: its help, its version, and its errors."""

import subprocess
import sys

import pytest
from support.command_lines import interrupted_when_importing

from euchre_env import __version__
from euchre_train.cli import main
from euchre_train.settings_help import settings


@pytest.fixture
def run(capsys):
    """Run the command and return its exit status, its stdout and its stderr."""

    def run(arguments):
        status = main(arguments.split())
        return status, *capsys.readouterr()

    return run


def test_help_lists_every_setting_with_its_meaning_and_default(run, monkeypatch):
    config = pytest.importorskip("euchre_train.config", reason="training needs the extra [train]")
    defaults = vars(config.Config())
    assert [name for name, _, _ in settings()] == list(defaults)
    monkeypatch.setenv("COLUMNS", "100")
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    words = " ".join(out.split())
    for name, default, meaning in settings():
        assert f"{name}={default} {meaning}" in words
        assert getattr(config.load_config(None, [f"{name}={default}"]), name) == defaults[name]
    assert "seed=1 Fixes the deals, the initial weights and every random choice." in words
    assert "hidden_sizes=[128, 128] Units of each hidden layer" in words
    assert max(map(len, out.splitlines())) <= 100


def test_a_default_as_printed_can_be_given_to_set():
    config = pytest.importorskip("euchre_train.config", reason="training needs the extra [train]")
    assert config.load_config(None, [f"{name}={default}" for name, default, _ in settings()]) == config.Config()


@pytest.mark.parametrize("arguments", ["--help", "--version"])
def test_help_and_version_need_no_extra(arguments):
    code = (
        "import sys\n"
        "for name in ('torch', 'yaml', 'tensorboard', 'numba', 'numpy', 'rich', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        "from euchre_train.cli import main\n"
        f"sys.exit(main([{arguments!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_version_is_printed(run):
    assert run("--version") == (0, f"euchre-env {__version__}\n", "")


@pytest.mark.parametrize("arguments", ["--res x", "--conf a.yaml", "--vers", "--colour red", "surplus", "--set"])
def test_a_mistake_is_one_line_and_abbreviations_are_mistakes(run, arguments):
    status, out, err = run(arguments)
    assert (status, out) == (2, "")
    assert err.startswith("euchre-train: ")
    assert arguments.split()[0] in err
    assert err.count("\n") == 1


def test_ctrl_c_before_the_training_starts_is_one_line(tmp_path):
    pytest.importorskip("torch", reason="training needs the extra [train]")
    code = interrupted_when_importing("torch", "euchre_train", ["--run", str(tmp_path / "run")])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "euchre-train: interrupted\n")
    assert not (tmp_path / "run").exists()
