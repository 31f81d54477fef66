"""The distribution: the files of a wheel, and play without torch from a read-only folder."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from support.paths import ROOT
from support.permissions import obey_permissions

PACKAGES = {"euchre_env", "euchre_agents", "euchre_eval", "euchre_train"}

PLAY = """
import sys

sys.path.insert(0, sys.argv[1])
for name in ("torch", "tensorboard", "rich", "PIL"):
    sys.modules[name] = None  # importing it raises ImportError

import euchre_agents
import euchre_env
import euchre_eval
from euchre_agents import load
from euchre_env import euchre_v0
from euchre_eval.match import play_match

for package in (euchre_env, euchre_agents, euchre_eval):
    assert package.__file__.startswith(sys.argv[1]), package.__file__
    try:
        open(package.__path__[0] + "/probe", "w")
    except OSError:
        continue
    raise AssertionError(f"{package} can be written to; this test proves nothing")

agent, bot = load("ppo"), load("rules", seed=0)
players = {"player_0": agent, "player_1": bot, "player_2": agent, "player_3": bot}
env = euchre_v0.env(relative_suits=True)
env.reset(seed=1)
for name in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else players[name].act(observation["observation"], observation["action_mask"]))
assert max(env.unwrapped.score) >= 10, env.unwrapped.score
assert play_match(agent, bot, deals=20).reneges == (0, 0, 0, 0)
"""


@pytest.fixture(scope="module")
def project():
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel built from a copy of the checkout, which stays unchanged, with the installed backend."""
    pytest.importorskip("hatchling", reason="builds with the installed backend, so that no network is needed")
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("euchre_env", "agents", "eval", "train"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source]
    done = subprocess.run(build, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_wheel_claims_four_names_and_no_other(wheel, project):
    names = {name.split("/")[0] for name in wheel.namelist()}
    assert names == PACKAGES | {f"euchre_env-{project['version']}.dist-info"}


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_wheel_says_that_it_is_typed(wheel, package):
    assert f"{package}/py.typed" in wheel.namelist()


def test_wheel_carries_the_weights(wheel):
    assert any(re.fullmatch(r"euchre_agents/weights/.+\.safetensors", name) for name in wheel.namelist())


def test_wheel_carries_the_counts_of_outcomes(wheel):
    assert "euchre_agents/outcome_counts.json" in wheel.namelist()


def test_wheel_carries_the_puzzles(wheel):
    assert "euchre_eval/puzzles.json" in wheel.namelist()


def test_wheel_carries_the_templates_of_reports(wheel):
    folder = ROOT / "eval/euchre_eval/templates"
    assert {f"euchre_eval/templates/{each.name}" for each in folder.iterdir()} <= set(wheel.namelist())


def test_base_install_needs_no_torch(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    requirements = map(Requirement, message_from_bytes(wheel.read(name)).get_all("Requires-Dist", []))
    base = {requirement.name for requirement in requirements if requirement.marker is None}
    assert base == {"gymnasium", "numba", "numpy", "pettingzoo", "safetensors"}


@pytest.mark.compiled
def test_wheel_plays_a_game_without_torch_from_a_read_only_folder(wheel, tmp_path):
    site, home = tmp_path / "site", tmp_path / "home"
    wheel.extractall(site)
    home.mkdir()
    folders = [home, site, *(path for path in site.rglob("*") if path.is_dir())]
    files = sorted(site.rglob("*"))
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", PLAY, str(site)],
            cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": str(home)},
            preexec_fn=obey_permissions,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert sorted(site.rglob("*")) == files
    assert not list(home.iterdir())


def test_the_floors_tested_are_the_floors_declared(project):
    (line,) = re.findall(r"^FLOORS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    tested = {name: Version(version) for name, version in (pin.split("==") for pin in line.split())}
    assert tested == {requirement.name: floor(requirement) for requirement in map(Requirement, project["dependencies"])}


def floor(requirement):
    """The lowest version that `requirement` admits."""
    return next(Version(clause.version) for clause in requirement.specifier if clause.operator == ">=")


def test_the_peer_in_training_is_pinned_and_has_the_torch_of_this_project():
    pins, peer = (
        [line for line in (ROOT / file).read_text().splitlines() if line[:1] not in ("", "#")]
        for file in ("constraints.txt", "requirements/masked_ppo.txt")
    )
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in peer)
    (torch,) = (line for line in pins if line.startswith("torch=="))
    assert peer[0] == torch


def test_every_requirement_is_pinned(project):
    pins = [
        Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if line[:1] not in ("", "#")
    ]
    # A local version, such as torch's +cpu, cannot be installed elsewhere.
    assert not [pin for pin in pins if not re.fullmatch(r"==[\w.]+", str(pin.specifier))]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {canonicalize_name(Requirement(line).name) for group in groups for line in group} - {project["name"]}
    assert wanted <= {canonicalize_name(pin.name) for pin in pins}
