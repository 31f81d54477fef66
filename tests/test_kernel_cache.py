"""Compiled code is kept between runs, and is compiled again after any edit of its sources."""

import importlib.metadata
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.paths import ROOT

import euchre_env
import euchre_eval
from euchre_env import deal, game
from euchre_env.kernel_cache import CacheFile, KernelCache, folder_stamp, imported_packages, source_stamp, stamp_of

# Which of JC and 9H may be played to a spade lead with spades trump, and how often that was compiled or found on disk.
PROGRAM = """
import json
from euchre_env import deal
from euchre_env.cards import SPADES, card_names, parse_card
hand = 1 << parse_card("JC") | 1 << parse_card("9H")
legal = card_names(deal.legal_plays(hand, SPADES, SPADES))
stats = deal.legal_plays.stats
print(json.dumps([deal.__file__, legal, sum(stats.cache_misses.values()), sum(stats.cache_hits.values())]))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package without compiled code."""
    source = Path(euchre_env.__file__).parent
    copied = tmp_path / "euchre_env"
    shutil.copytree(source, copied, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


def run(package, program=PROGRAM, **environment):
    """The cards that may be played, and the numbers of compilations and of loads from disk."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=package.parent,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    file, legal, num_compiled, num_found = json.loads(done.stdout)
    assert Path(file).parent == package
    return legal, num_compiled, num_found


def make_the_queen_of_the_colour_the_left_bower(package):
    source = (package / "cards.py").read_text()
    edited = source.replace("return (3 - trump) * 6 + JACK", "return (3 - trump) * 6 + QUEEN")
    assert edited != source
    (package / "cards.py").write_text(edited)


@pytest.mark.compiled
def test_an_edited_rule_is_never_answered_by_an_old_kernel(package):
    assert run(package) == (["JC"], 1, 0)
    assert run(package) == (["JC"], 0, 1)  # unedited, nothing is compiled
    make_the_queen_of_the_colour_the_left_bower(package)  # in another file than the kernel's
    assert run(package) == (["JC", "9H"], 1, 0)
    assert run(package) == (["JC", "9H"], 0, 1)
    assert len(list(package.glob("__pycache__/deal.legal_plays-*.nbc"))) == 1  # and the old code is gone


@pytest.mark.compiled
def test_where_nothing_can_be_written_every_run_compiles(package, tmp_path):
    in_the_way = tmp_path / "file"  # a folder below a file cannot be made, whoever runs this
    in_the_way.touch()
    (package / "__pycache__").symlink_to(in_the_way)
    nowhere = {name: str(in_the_way / "cache") for name in ("HOME", "XDG_CACHE_HOME")}
    assert run(package, **nowhere) == (["JC"], 1, 0)
    make_the_queen_of_the_colour_the_left_bower(package)
    assert run(package, **nowhere) == (["JC", "9H"], 1, 0)


def test_code_of_another_signature_or_source_is_never_loaded(tmp_path, monkeypatch):
    """Two processes compile at the same time: each has read the index before the other wrote it."""
    writers = [CacheFile(str(tmp_path), "deal.apply", stamp) for stamp in ("old source", "new source", "new source")]
    for writer, signature, code in zip(writers, ("one", "one", "two"), ("old", "new", "other"), strict=True):
        with monkeypatch.context() as blind:
            blind.setattr(writer, "_load_index", dict)
            writer.save(signature, code)
    reader = CacheFile(str(tmp_path), "deal.apply", "new source")
    assert reader.load("one") in ("new", None)
    assert reader.load("two") == "other"
    assert CacheFile(str(tmp_path), "deal.apply", "old source").load("one") is None


@pytest.mark.compiled
def test_a_full_disk_does_not_stop_the_process(package):
    full = """
from euchre_env import kernel_cache
def full(*_):
    raise OSError(28, "No space left on device")
kernel_cache.CacheFile.save = full
"""
    assert run(package, full + PROGRAM) == (["JC"], 1, 0)
    assert run(package) == (["JC"], 1, 0)


def test_a_damaged_cache_file_counts_as_missing(tmp_path):
    writer = CacheFile(str(tmp_path), "deal.apply", "source")
    writer.save("one", "code")
    for suffix, kept in (("nbc", 3), ("nbi", 0), ("nbi", 7)):
        (file,) = tmp_path.glob(f"*.{suffix}")
        file.write_bytes(file.read_bytes()[:kept])
        assert CacheFile(str(tmp_path), "deal.apply", "source").load("one") is None
        writer.save("one", "code")
        assert CacheFile(str(tmp_path), "deal.apply", "source").load("one") == "code"


def test_a_kernel_is_stamped_with_every_source_of_its_package(package):
    one, other = (getattr(function, "py_func", function) for function in (deal.apply, game.act))
    assert source_stamp(one) == source_stamp(other)
    assert KernelCache(one).cache_path
    original = Path(euchre_env.__file__).parent
    folder_stamp.cache_clear()
    assert folder_stamp(package) == folder_stamp(original)
    make_the_queen_of_the_colour_the_left_bower(package)
    folder_stamp.cache_clear()
    assert folder_stamp(package) != folder_stamp(original)


def test_a_stamp_does_not_depend_on_what_is_imported_already(monkeypatch):
    def somebodys_kernel():
        """May call kernels of every layer."""

    before = source_stamp(somebodys_kernel)
    monkeypatch.delitem(sys.modules, euchre_eval.__name__)
    stamp_of.cache_clear()
    assert source_stamp(somebodys_kernel) == before


@pytest.mark.parametrize(
    ("line", "packages"),
    [
        ("import euchre_env", {"euchre_env"}),
        ("from euchre_env.deal import points", {"euchre_env"}),
        ("    from euchre_agents import load", {"euchre_agents"}),
        ("import os, euchre_eval.match as match; import euchre_env", {"euchre_eval", "euchre_env"}),
        ("import numpy  # not euchre_train", set()),
        ("# import euchre_train", set()),
        ("name = 'euchre_train'", set()),
    ],
)
def test_packages_that_a_source_imports_are_found(line, packages):
    assert imported_packages(f"import os\n{line}\nx = 1\n".encode()) == packages


# Prints the stamps of kernels of two layers, and of a user's: a single file, and a package.
STAMPS = """
import json
from euchre_agents.rule_bot.bidding import hand_count
from euchre_env import deal
from euchre_env.kernel_cache import source_stamp
import usersfile
from userspackage import inner
functions = {"euchre_env": deal.points, "euchre_agents": hand_count, "file": usersfile.f, "package": inner.f}
print(json.dumps({name: source_stamp(getattr(f, "py_func", f)).hex() for name, f in functions.items()}))
"""
FOLDERS = {
    "euchre_env": ROOT / "euchre_env",
    "euchre_agents": ROOT / "agents" / "euchre_agents",
    "euchre_train": ROOT / "train" / "euchre_train",
}


@pytest.fixture
def packages(tmp_path):
    """Copies of three layers, and a user's module and package with a kernel each that imports the agents."""
    for name, folder in FOLDERS.items():
        shutil.copytree(folder, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    users = "import os, euchre_agents\nfrom euchre_env.kernel import kernel\n@kernel\ndef f(x):\n    return x\n"
    (tmp_path / "usersfile.py").write_text(users)
    (tmp_path / "userspackage").mkdir()
    (tmp_path / "userspackage" / "__init__.py").write_text("import euchre_agents\n")
    (tmp_path / "userspackage" / "inner.py").write_text(users.replace("import os, euchre_agents\n", ""))
    return tmp_path


def stamps(folder):
    """The stamps that `STAMPS` prints, of the packages in `folder`."""
    done = subprocess.run(
        [sys.executable, "-c", STAMPS],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_edit_reaches_the_kernels_of_its_layer_and_those_above(packages):
    before = stamps(packages)
    assert len(set(before.values())) == 3
    assert before["file"] == before["euchre_agents"]  # its own source is in the stamp that Numba takes of it
    reached = {
        "euchre_train": set(),
        "euchre_agents": {"euchre_agents", "file", "package"},
        "euchre_env": {"euchre_env", "euchre_agents", "file", "package"},
        "userspackage": {"package"},
    }
    for name, expected in reached.items():
        source = packages / name / "__init__.py"
        original = source.read_text()
        source.write_text(original + "# edited\n")
        after = stamps(packages)
        assert {key for key in before if after[key] != before[key]} == expected, name
        source.write_text(original)
    assert stamps(packages) == before


# Loads a module of Numba from a source in which a name is another, as a release might have it.
RENAMED = """
import importlib.abc, importlib.util, json, re, sys, warnings
from pathlib import Path
module, old, new, folder = sys.argv[1:]
numba = Path(importlib.util.find_spec("numba").origin).parent
source = (numba / Path(*module.split(".")[1:])).with_suffix(".py").read_text()
renamed = re.sub(rf"\\b{old}\\b", new, source)
assert renamed != source
(Path(folder) / "renamed.py").write_text(renamed)
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == module:
            return importlib.util.spec_from_file_location(name, Path(folder) / "renamed.py")
sys.meta_path.insert(0, Finder())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from euchre_env import deal
    from euchre_env.cards import SPADES, card_names, parse_card
    from euchre_env.euchre_v0 import raw_env
    hand = 1 << parse_card("JC") | 1 << parse_card("9H")
    legal = card_names(deal.legal_plays(hand, SPADES, SPADES))
ours = [[warning.category.__name__, str(warning.message)] for warning in caught if "euchre_env" in str(warning.message)]
print(json.dumps([legal, len(deal.legal_plays.signatures), ours]))
"""
RENAMES = [
    ("numba.core.caching", "IndexDataCacheFile", "CacheFile"),
    ("numba.core.caching", "_load_index", "_read_index"),
    ("numba.core.caching", "_data_name", "_name_of_data"),
    ("numba.core.caching", "_index_name", "_name_of_index"),
    ("numba.core.caching", "_cache_file", "_files"),
    ("numba.core.caching", "_impl", "_implementation"),
    ("numba.core.dispatcher", "_cache", "_kept"),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("module", "old", "new"), RENAMES, ids=[old for _, old, _ in RENAMES])
def test_rules_work_and_warn_once_where_numba_has_other_names(module, old, new, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RENAMED, module, old, new, str(tmp_path)],
        env={key: value for key, value in os.environ.items() if not key.startswith("NUMBA")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    legal, num_compiled, ours = json.loads(done.stdout)
    assert (legal, num_compiled) == (["JC"], 1)
    ((category, message),) = ours
    assert category == "RuntimeWarning"
    assert "does not fit its cache" in message
    assert old in message or old == "_cache_file"  # which Numba would go on using, so that nothing is missing


ANNOUNCEMENT = "euchre_env: compiling the rules; the machine code is kept for the next time"
NOTHING_IS_KEPT = "euchre_env: compiling the rules; no folder can keep the machine code"


def on_a_terminal(package, **environment):
    """The output of the program on stderr if stderr is a terminal."""
    ours, theirs = pty.openpty()
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON"))}
    program = PROGRAM + "deal.left_of(1), deal.partner_of(1)\n"  # two more kernels to compile
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=package.parent,
            env=inherited | environment,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            check=True,
        )
        os.write(theirs, b"end")
        os.close(theirs)
        written = b""
        while not written.endswith(b"end"):
            written += terminal.read(1024)
    return written.removesuffix(b"end").decode().splitlines()


@pytest.mark.compiled
def test_a_compilation_is_announced_once_on_a_terminal(package):
    assert on_a_terminal(package) == [ANNOUNCEMENT]
    assert on_a_terminal(package) == []  # from the cache


@pytest.mark.compiled
def test_the_announcement_says_so_where_no_folder_can_be_written(package, tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    (package / "__pycache__").symlink_to(in_the_way)
    nowhere = {name: str(in_the_way / "cache") for name in ("HOME", "XDG_CACHE_HOME")}
    assert on_a_terminal(package, **nowhere) == [NOTHING_IS_KEPT]


@pytest.mark.compiled
def test_a_compilation_is_announced_nowhere_but_on_a_terminal(package):
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON"))}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=package.parent, env=inherited, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[2] == 1  # it was compiled
    assert done.stderr == ""
    with_no_stderr = "import sys; sys.stderr = None\n" + PROGRAM
    shutil.rmtree(package / "__pycache__")
    assert run(package, with_no_stderr) == (["JC"], 1, 0)


def test_the_bound_on_numba_is_the_release_that_the_tests_run_on():
    (bound,) = re.findall(r'"numba>=0\.61,<0\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    (pinned,) = re.findall(r"^numba==0\.(\d+)\.", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert int(bound) == int(pinned) + 1
    installed = importlib.metadata.version("numba").split(".")
    assert (0, 61) <= (int(installed[0]), int(installed[1])) < (0, int(bound))
    assert f"numba\n0.61 to 0.{pinned}" in (ROOT / "euchre_env" / "kernel_cache.py").read_text()
