"""Compiled code is kept between runs, and never outlives the rule it was compiled from."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import euchre_env
import euchre_eval
from euchre_env import deal, game
from euchre_env.kernel_cache import CacheFile, KernelCache, folder_stamp, source_stamp

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
    """A copy of the package that nothing has been compiled in."""
    source = Path(euchre_env.__file__).parent
    copied = tmp_path / "euchre_env"
    shutil.copytree(source, copied, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


def run(package, program=PROGRAM, **environment):
    """The cards that may be played, and how often that was compiled and how often found on disk."""
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
    """Two processes that compile at the same time: each has read the index before the other wrote it."""
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
def test_a_disk_that_takes_nothing_more_is_no_reason_to_stop(package):
    full = """
from euchre_env import kernel
def full(*_):
    raise OSError(28, "No space left on device")
kernel.CacheFile.save = full
"""
    assert run(package, full + PROGRAM) == (["JC"], 1, 0)
    assert run(package) == (["JC"], 1, 0)


def test_a_damaged_cache_file_is_as_good_as_none(tmp_path):
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
    assert source_stamp(somebodys_kernel) == before
