"""The cache of compiled kernels on disk, which an edit of any source makes invalid.

Why there is a cache: a process that plays a few deals needs some fifty kernels, which compile in about 8.5 s and load
from this cache in 0.17 s (the ten lines of the README, CPU time of one 2.8 GHz core).

Why it is not Numba's own, `njit(cache=True)`: that cache checks the source file of the function alone, so after an edit
in a module that the function calls, the old rule still runs (Numba issues #1833, #8851, #9483; #9304 asks for a custom
key), and two processes that compile at the same time can exchange the files of two signatures (#4807). Here compiled
code is valid only for the exact sources of the function's package and of every package of this project that it imports,
and the name of a file is a digest of signature and sources.

The classes below build on undocumented parts of Numba. `pyproject.toml` admits the releases that were tested, numba
0.61 to 0.68; if a release has other names for these parts, `kernel` compiles in every process, with a warning.
"""

import contextlib
import functools
import hashlib
import importlib.util
import pickle
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.types import unliteral

IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]([^\n#]*)", re.MULTILINE)
FAMILY = re.compile(rb"\beuchre_\w+")  # the names of this project's packages


def install_cache(compiled: Any, function: Callable[..., object]) -> None:
    """Give `compiled`, the dispatcher of `function`, a cache on disk; no cache if no folder can be written.

    Raises:
        AttributeError: if Numba's internals are not those that this module uses.
    """
    _check_internals(compiled)
    try:
        cache = KernelCache(function)
    except (RuntimeError, OSError):  # "no locator available": no folder is writable; or there is no source to stamp
        cache = NoCache()
    compiled._cache = cache  # as `njit(cache=True)` does, with our stamp
    compiled.get_call_template = _without_literals(compiled.get_call_template)


def _check_internals(compiled: Any) -> None:
    """Refuse a release of Numba in which a method that this module overrides or calls has another name."""
    needed = {
        FunctionCache: ("load_overload", "save_overload", "cache_path"),
        IndexDataCacheFile: ("_load_index", "_save_index", "_load_data", "_save_data", "_data_name", "load", "save"),
        NullCache: ("load_overload",),
        type(compiled): ("get_call_template", "enable_caching"),
    }
    for owner, names in needed.items():
        for name in names:
            getattr(owner, name)
    _ = compiled._cache


def _without_literals(get_call_template: Callable[..., Any]) -> Callable[..., Any]:
    """The dispatcher's method `get_call_template`, with constant arguments typed like other numbers.

    Otherwise Numba compiles a kernel again for every combination of constant arguments, without a gain in speed.
    """
    return lambda args, kws: get_call_template(
        tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
    )


@functools.lru_cache
def folder_stamp(folder: Path) -> tuple[bytes, frozenset[str]]:
    """A digest of every Python source below `folder`, by name and content, and the project's packages they import."""
    digest, imported = hashlib.sha256(), set[str]()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(source)}\n".encode() + source)
        imported |= imported_packages(source)
    return digest.digest(), frozenset(imported)


def imported_packages(source: bytes) -> set[str]:
    """The project's packages that a source imports, and perhaps other names that look like one of them."""
    return {name.decode() for line in IMPORTS.findall(source) for name in FAMILY.findall(line)}


def source_stamp(function: Callable[..., object]) -> bytes:
    """A digest of all sources that `function` may depend on: its package, and the project's packages imported by it.

    Raises:
        OSError: if the function belongs to no package and its file cannot be read.
    """
    package = function.__module__.partition(".")[0]
    packages = {package}
    if not list(_folders_of(package)):  # a single file, which Numba's own stamp holds
        packages |= imported_packages(Path(function.__code__.co_filename).read_bytes())
    return stamp_of(frozenset(packages))


@functools.lru_cache
def stamp_of(packages: frozenset[str]) -> bytes:
    """A digest of all sources of these packages and of the project's packages that they import."""
    waiting, seen, digest = set(packages), set[str](), hashlib.sha256()
    while waiting:
        name = min(waiting)
        seen.add(name)
        for folder in _folders_of(name):
            stamp, imported = folder_stamp(Path(folder))
            digest.update(name.encode() + stamp)
            waiting |= imported
        waiting -= seen
    return digest.digest()


def _folders_of(package: str) -> Iterable[str]:
    """The folders of a package, imported or not; none for a module that is a single file."""
    if package in sys.modules:
        return getattr(sys.modules[package], "__path__", ())
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # a module without a spec, such as __main__
        return ()
    return () if spec is None else spec.submodule_search_locations or ()


_announced = False


def announce_compilation(is_kept: bool) -> None:
    """Print once, and only on a terminal, that the rules are being compiled, and whether the code is kept."""
    global _announced
    if not _announced and sys.stderr is not None and sys.stderr.isatty():
        kept = "the machine code is kept for the next time" if is_kept else "no folder can keep the machine code"
        print(f"euchre_env: compiling the rules; {kept}", file=sys.stderr)
    _announced = True


class NoCache(NullCache):
    """A cache that stores nothing, for when no folder can be written."""

    def load_overload(self, sig: object, target_context: object) -> None:
        """Return None, so that `sig` is compiled."""
        announce_compilation(is_kept=False)


class KernelCache(FunctionCache):
    """Numba's cache of one function, valid for the stamp of all sources that the function may depend on."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        if not isinstance(self._cache_file, IndexDataCacheFile):  # else Numba would still use its own
            raise AttributeError("FunctionCache keeps its file elsewhere")
        stamp = self._impl.locator.get_source_stamp(), source_stamp(function)
        self._cache_file = CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: object, target_context: object) -> Any:
        """The compiled code for `sig`; None if there is none, so that `sig` is compiled."""
        code = super().load_overload(sig, target_context)
        if code is None:
            announce_compilation(is_kept=True)
        return code

    def save_overload(self, sig: object, data: object) -> None:
        """Save compiled code; a full disk does not stop the process."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


# The exceptions of reading a truncated or overwritten pickle.
DAMAGE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, KeyError, TypeError, ValueError)


class CacheFile(IndexDataCacheFile):
    """The index of a function's compiled code, and the code in one file for each signature.

    Numba numbers these files, so two processes that compile at the same time can both write file `1`, and one of them
    then runs the code of the other's signature or source. Here the name is a digest of signature and sources. A file
    truncated by a full disk or a crash counts as missing: the kernel is compiled again.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: object) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        _ = self._cache_path, self._index_name, self._source_stamp  # attributes that `save` reads

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except DAMAGE:
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)
        except DAMAGE as error:
            raise OSError(f"damaged: {name}") from error  # which Numba takes for a missing file

    def save(self, key: object, data: object) -> None:
        """Save the code of signature `key`, and delete code that the index does not name."""
        names = self._load_index()
        content = hashlib.sha256(repr((key, self._source_stamp)).encode()).digest()
        names[key] = self._data_name(int.from_bytes(content[:8]))
        self._save_data(names[key], data)
        self._save_index(names)
        for path in Path(self._cache_path).glob(self._index_name.removesuffix("nbi") + "*.nbc"):
            if path.name not in names.values():
                path.unlink(missing_ok=True)
