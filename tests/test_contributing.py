"""CONTRIBUTING.md is true: its list of modules agrees with the sources, and its worked examples work.

The examples are applied to a copy of the sources and run there; only the kernels that they change are compiled.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.paths import ROOT

from euchre_agents import abilities_of, load
from euchre_env.cards import NUM_CARDS, effective_suit
from euchre_env.deal_text import deal_text
from euchre_env.table import Table
from euchre_eval import play_match

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FOLDERS = {"euchre_env": ".", "euchre_agents": "agents", "euchre_eval": "eval", "euchre_train": "train"}
BLOCK = re.compile(
    r"(?:^`(?P<file>[\w./-]+)`:\n\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
BLOCKS = list(BLOCK.finditer(PAGE))
DIFFS = [block["text"] for block in BLOCKS if block["language"] == "diff"]
FILES = {block["file"]: block["text"] for block in BLOCKS if block["file"] is not None}


# The list of modules


class Line(NamedTuple):
    """A line of the list: a module, and the modules further down that it imports when they are needed."""

    module: str
    later: tuple[str, ...] = ()


def listed_modules():
    """The lines of the list, from the top."""
    (text,) = (block["text"] for block in BLOCKS if block["text"].startswith("euchre_env: "))
    package, lines = "", []
    for line in text.splitlines():
        if found := re.match(r"(\w+): ", line):
            package = found[1]
        elif found := re.match(r" {4}([\w.]+) {2,}\w.*?(?: \(later: (.+)\))?$", line):
            later = tuple(full_name(package, name) for name in (found[2] or "").split(", ") if name)
            lines.append(Line(full_name(package, found[1]), later))
    return lines


def full_name(package, name):
    """The name by which Python imports a module of the list."""
    return package if name == "__init__" else f"{package}.{name}"


def source_files():
    """The path of every module, by the name by which Python imports it."""
    paths = {}
    for package, folder in FOLDERS.items():
        for path in sorted((ROOT / folder / package).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            paths[".".join(parts).removesuffix(".__init__")] = path
    return paths


SOURCES = source_files()


def module_of(name):
    """The module of this project that `name` is or belongs to; None if there is none."""
    while name and name not in SOURCES:
        name = name.rpartition(".")[0]
    return name or None


def imported_by(tree, inside_functions=False):
    """The modules of this project that a syntax tree imports, each with whether it does so inside a function."""
    for node in ast.iter_child_nodes(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
            names = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        yield from ((module, inside_functions) for module in map(module_of, names) if module is not None)
        yield from imported_by(node, inside_functions or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def all_imports():
    """For each module, the modules it imports: those imported at once, and those imported inside a function only."""
    found = {}
    for name, path in SOURCES.items():
        imports = set(imported_by(ast.parse(path.read_text(encoding="utf-8"))))
        at_once = {module for module, inside in imports if not inside}
        found[name] = at_once, {module for module, _ in imports} - at_once
    return found


def faults(lines, imports):
    """The faults of a list of modules, given the imports of each module."""
    order = {line.module: place for place, line in enumerate(lines)}
    found = [f"{name} is missing" for name in imports if name not in order]
    found += [f"there is no {line.module}" for line in lines if line.module not in imports]
    found += [f"{line.module} stands twice" for place, line in enumerate(lines) if order[line.module] != place]
    for place, line in enumerate(lines):
        at_once, inside = imports.get(line.module, (set(), set()))
        below = {name for name in inside if order.get(name, -1) >= place}
        found += [f"{line.module} imports {name}" for name in sorted(at_once) if order.get(name, -1) >= place]
        found += [f"{line.module} imports {name} later" for name in sorted(below - set(line.later))]
        found += [f"{line.module} does not import {name} later" for name in sorted(set(line.later) - below)]
    return found


def test_every_module_is_listed_below_what_it_imports():
    assert faults(listed_modules(), all_imports()) == []


IMPORTS = {"cards": (set(), {"deal"}), "deal": ({"cards"}, set()), "table": ({"cards", "deal"}, set())}
CARDS, DEAL, TABLE = Line("cards", ("deal",)), Line("deal"), Line("table")


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([CARDS, DEAL], "table is missing"),
        ([CARDS, DEAL, TABLE, Line("hands")], "there is no hands"),
        ([CARDS, DEAL, TABLE, TABLE], "table stands twice"),
        ([CARDS, TABLE, DEAL], "table imports deal"),
        ([Line("cards"), DEAL, TABLE], "cards imports deal later"),
        ([CARDS, DEAL, Line("table", ("cards",))], "table does not import cards later"),
    ],
)
def test_a_list_that_is_wrong_is_found(lines, fault):
    assert faults([CARDS, DEAL, TABLE], IMPORTS) == []
    assert fault in faults(lines, IMPORTS)


def test_imports_inside_functions_and_by_name_are_seen():
    tree = ast.parse(
        "import importlib\nfrom euchre_env import game\n"
        "def draw():\n    from euchre_env.deal import DEAL\n    importlib.import_module('euchre_env.drawing')\n"
    )
    assert set(imported_by(tree)) == {
        ("euchre_env.game", False),
        ("euchre_env.deal", True),
        ("euchre_env.drawing", True),
    }


# The names that the page uses


def quoted(pattern):
    """Everything outside blocks that the page sets as code and that is of a form."""
    return sorted({name for name in re.findall(r"`([^`\n]+)`", BLOCK.sub("", PAGE)) if re.fullmatch(pattern, name)})


@pytest.mark.parametrize("path", quoted(r"[\w./-]+(/|\.(py|md|toml|txt))"))
def test_every_file_that_is_named_exists(path):
    by_an_example = any(file == path or file.startswith(path) for file in FILES) or path == "my_players/__init__.py"
    assert by_an_example or (ROOT / path).exists() or any(file.name == path for file in SOURCES.values())


SUFFIXES = ("json", "md", "py", "safetensors", "toml", "txt", "yaml")


@pytest.mark.parametrize("name", quoted(rf"(?!my_)[a-z_]+\.(?!(?:{'|'.join(SUFFIXES)})$)[A-Za-z_]+"))
def test_every_function_and_constant_that_is_named_exists(name):
    module, _, attribute = name.rpartition(".")
    trees = [ast.parse(path.read_text("utf-8")) for found, path in SOURCES.items() if found.endswith(f".{module}")]
    defined = set()
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    assert attribute in defined or any(found.endswith(f".{name}") for found in SOURCES)


@pytest.mark.parametrize("target", [target for text in quoted(r"make( [a-z]+)+") for target in text.split()[1:]])
def test_every_command_of_make_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


# The worked examples


@pytest.fixture(scope="module")
def modified(tmp_path_factory):
    """A copy of the sources with every diff applied and every file of the examples added."""
    copy = tmp_path_factory.mktemp("modified")
    for name in ("euchre_env", "agents", "eval", "docs", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    outside = {"GIT_CEILING_DIRECTORIES": str(copy.parent)}  # in a repository, git would skip what it does not track
    for diff in DIFFS:
        command = ["git", "apply", "-p0", "--whitespace=error", "-"]
        done = subprocess.run(command, cwd=copy, env=os.environ | outside, input=diff, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stderr}\n{diff}"
    for file in FILES:
        if (ROOT / Path(file).parts[0]).is_dir():
            (copy / file).write_text(FILES[file])
    return copy


def run(sources, *arguments, compiled=False):
    """The output of Python with the packages of `sources`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON", "COV"))}
    environment["PYTHONPATH"] = os.pathsep.join(str(sources / folder) for folder in (".", "agents", "eval"))
    environment |= {} if compiled else {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


DECISIONS = """
import json
import numpy as np
from euchre_agents import act_rows, load
from euchre_env.house_rules import PRESETS
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.tables import Tables

agent, tables, decisions = load("ppo"), Tables(12, rules=list(PRESETS.values()), seed=3), []
for _ in range(25):
    actions = act_rows(agent, tables, np.arange(len(tables)))
    decisions.append(actions.tolist())
    tables.step(actions)
print(json.dumps([OBSERVATION_SIZE, decisions]))
"""


def test_the_shipped_agent_decides_as_before_after_the_rule_and_the_field(modified):
    size, decisions = json.loads(run(ROOT, "-c", DECISIONS))
    longer, same = json.loads(run(modified, "-c", DECISIONS))
    assert longer == size + 5 + NUM_CARDS  # five binary digits of the rule, and the field
    assert same == decisions
    assert len({action for actions in decisions for action in actions}) > 20


def test_the_new_rule_passes_its_own_test_and_those_of_all_rules(modified):
    (modified / "docs" / "reference.md").write_text(run(modified, "-m", "euchre_env.reference"), encoding="utf-8")
    assert "`lone_points`" in (modified / "docs" / "reference.md").read_text(encoding="utf-8")
    names = ("lone_points", "house_rules", "house_rules_index", "rules_document", "reference_page")
    files = [f"tests/test_{name}.py" for name in names]
    assert " passed" in run(modified, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files)


UNSEEN = """
import random
from euchre_env import FIELDS, Table, decode
from euchre_env.deal import SEATS
from euchre_env.relative_suits import relabel_cards

rng, decisions = random.Random(5), 0
for seed, rules in enumerate(["standard", "british", "canadian,lone_points=4"] * 2):
    table = Table(rules, seed=seed)
    while table.last_deal is None:
        deal, taken = table.deal, table.deal.upcard_taken
        for seat in SEATS:
            hidden = int(deal.kitty) | sum(int(deal.hands[other]) for other in SEATS if other != seat)
            if taken and deal.dealer != seat and deal.discard < 25:
                hidden |= 1 << int(deal.discard)
            hidden &= ~(1 << int(deal.upcard))  # all have seen it, wherever it is
            for relative_suits in (False, True):
                observation, _ = table.observation(seat, relative_suits)
                unseen = sum(1 << int(card) for card in observation[FIELDS["unseen"].slice].nonzero()[0])
                assert unseen == relabel_cards(hidden, table.frame if relative_suits else 0)
                decode(observation)
        table.step(rng.choice(table.legal_actions()))
        decisions += 1
print(decisions)
"""


def test_the_new_field_holds_the_cards_that_a_seat_has_not_seen(modified):
    assert int(run(modified, "-c", UNSEEN)) > 100


COMPILED = """
from euchre_env import encode
from euchre_env.deal import DEAL, points
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import records
from euchre_env.observation import FIELDS
from euchre_env.view import VIEW

deals = records(1, DEAL)
deals["maker"], deals["alone"], deals["tricks"] = 1, 1, (2, 3)
print(points(deals[0], parse_rules("standard,lone_points=3").packed()[0]))
views = records(1, VIEW)
views["hand"] = 1
print(encode(views[0])[FIELDS["unseen"].slice].sum())
"""


@pytest.mark.compiled
def test_the_changed_kernels_compile(modified):
    assert run(modified, "-c", COMPILED, compiled=True).split("\n") == ["(0, 3)", "23", ""]


def test_the_new_command_shows_a_deal_as_text_and_as_json(modified):
    command = ("-m", "euchre_eval.cli", "deal", "--seed=7", "--number=3", "--rules=pagat")
    report = json.loads(run(modified, *command, "--json"))
    assert report == {"deal": deal_text(Table("pagat", 7, deal_number=3))}
    assert "seat 0" in run(modified, *command)
    assert "a numbered deal of a seed" in run(modified, "-m", "euchre_eval.cli", "--help")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder in which the package of players is installed."""
    pytest.importorskip("hatchling", reason="builds with the installed backend, so that no network is needed")
    project, site = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("site")
    (project / "my_players").mkdir()
    (project / "my_players" / "__init__.py").touch()
    for file in ("pyproject.toml", "my_players/counting.py", "my_players/gated.py"):
        (project / file).write_text(FILES[file])
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", project, project]
    done = subprocess.run(build, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = project.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    return site


def test_the_installed_player_calls_with_three_trumps_and_else_passes(installed, monkeypatch):
    monkeypatch.syspath_prepend(installed)
    player, num_calls = load("counting", seed=1), 0
    assert type(player).__name__ == type(load("my_players.counting:CountingPlayer")).__name__ == "CountingPlayer"
    for seed in range(12):
        table = Table(seed=seed, one_deal=True)
        hands = [[card for card in range(NUM_CARDS) if hand >> card & 1] for hand in table.deal.hands.tolist()]
        while (seat := table.turn) is not None and table.phase in ("FIRST_ROUND", "SECOND_ROUND"):
            table.step(player.act(*table.observation()))
            called = table.deal.maker == seat
            first_round = table.deal.num_passes < 4 or (table.deal.num_passes == 4 and not called)
            suits = [int(table.deal.trump)] if called else [int(table.deal.upcard) // 6] if first_round else []
            counts = [sum(effective_suit(card, suit) == suit for card in hands[seat]) for suit in suits]
            assert all((count >= 3) == called for count in counts)
            num_calls += called
    assert num_calls > 3
    assert play_match(player, load("random", seed=2), deals=5).reneges == (0, 0, 0, 0)


@pytest.mark.compiled
def test_the_installed_architecture_is_trained_saved_and_loaded(installed, monkeypatch, tmp_path):
    torch = pytest.importorskip("torch", reason="training needs the extra [train]")
    from euchre_train.config import Config
    from euchre_train.run_folder import start_run
    from euchre_train.running import train

    monkeypatch.syspath_prepend(installed)
    sizes: dict[str, Any] = {
        "hidden_sizes": (16,),
        "critic_hidden_sizes": (16,),
        "deals_per_update": 64,
        "eval_deals": 5,
    }
    run, training = start_run(tmp_path / "run", Config(architecture="my_players.gated:GATED", num_updates=1, **sizes))
    before = {name: weights.clone() for name, weights in training.model.named_parameters()}
    assert train(run, training) == 0
    assert type(training.model.actor).__name__ == type(training.model.critic).__name__ == "Gated"
    assert all(not torch.equal(weights, before[name]) for name, weights in training.model.named_parameters())
    player = load(str(run.path))
    assert abilities_of(player, "gated").is_pure
    assert play_match(player, player, deals=3).points_per_deal.mean == 0


def test_every_example_is_one_that_is_tested():
    assert len(DIFFS) == 4
    assert set(FILES) == {
        "my_players/gated.py",
        "my_players/counting.py",
        "pyproject.toml",
        "eval/euchre_eval/commands/deal.py",
        "tests/test_lone_points.py",
    }
