"""How the rules are compiled: the `kernel` decorator and the record arrays that kernels work on.

A kernel is a plain function over integers and records that Numba compiles on its first call. With the environment
variable `NUMBA_DISABLE_JIT=1` it stays ordinary Python, to step through or to measure coverage on.
"""

import contextlib
import functools
import hashlib
import importlib.util
import pickle
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numba import config, njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.types import unliteral
from numpy.typing import DTypeLike

Record: TypeAlias = np.record  # one row of a record array: `row.field` reads and writes the array itself
Records: TypeAlias = Any  # a record array, shape (N,): see `records`

LAYERS = ("euchre_env", "euchre_agents", "euchre_eval", "euchre_train")  # each may call kernels of those before it

COMPILED = not getattr(config, "DISABLE_JIT")  # noqa: B009  # numba sets its options at run time

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on first use, and keep the machine code on disk for as long as no source it may call changes.

    Numba's own cache looks at the file of the function alone, so a kernel would go on answering with an old rule
    after an edit in a module it calls. Here the cached code is valid only for the exact sources of the function's
    package and of the packages below it. Where no cache folder can be written, every process compiles anew.
    """
    compiled: Any = njit(function, error_model="numpy")
    if COMPILED:
        compiled.get_call_template = _constants_as_numbers(compiled.get_call_template)
        with contextlib.suppress(RuntimeError):  # "no locator available": no folder is writable
            compiled._cache = KernelCache(function)  # what njit(cache=True) does, with our stamp
    return compiled


def _constants_as_numbers(get_call_template: Callable[..., Any]) -> Callable[..., Any]:
    """How a kernel answers another kernel that asks for code for its arguments, constants taken as any other number.

    Else Numba compiles a kernel once more for every combination of constants it is called with, and is no faster.
    """
    return lambda args, kws: get_call_template(
        tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()}
    )


def records(length: int, dtype: DTypeLike) -> Records:
    """A zeroed record array, shape (length,), in the form kernels read in this mode.

    Compiled kernels get a plain array, which costs ten times less to pass than a recarray; uncompiled ones need the
    recarray for `row.field`.
    """
    return as_records(np.zeros(length, dtype))


def as_records(array: np.ndarray) -> Records:
    """`array` as `records` would have made it; shares its memory."""
    return array.view(np.ndarray) if COMPILED else array.view(np.recarray)


class HoldsRecords:
    """A base for what keeps record arrays, so that a pickle made in one mode is of use in the other."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            has_fields = isinstance(value, np.ndarray) and value.dtype.names is not None
            self.__dict__[name] = as_records(value) if has_fields else value


def row(array: Records, index: int = 0) -> Record:
    """Row `index` of a record array as a live record, for Python code that reads `row.field`."""
    return array.view(np.recarray)[index]


@functools.lru_cache
def folder_stamp(folder: Path) -> bytes:
    """A digest of every Python source below `folder`, by name and content."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(source)}\n".encode() + source)
    return digest.digest()


def source_stamp(function: Callable[..., object]) -> bytes:
    """A digest of every source that `function` may depend on: its own package and our layers below it."""
    package = function.__module__.partition(".")[0]
    layers = LAYERS[: LAYERS.index(package) + 1] if package in LAYERS else (*LAYERS, package)
    digest = hashlib.sha256()
    for layer in layers:
        for folder in _folders_of(layer):
            digest.update(folder_stamp(Path(folder)))
    return digest.digest()


def _folders_of(package: str) -> Iterable[str]:
    """Where the sources of a package lie, imported or not; nowhere for a single file, which is in Numba's own stamp."""
    if package in sys.modules:
        return getattr(sys.modules[package], "__path__", ())
    spec = importlib.util.find_spec(package)
    return () if spec is None else spec.submodule_search_locations or ()


class KernelCache(FunctionCache):
    """Numba's cache of one function, valid for the stamp of all sources that the function may depend on."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp(), source_stamp(function)
        self._cache_file = CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: object, data: object) -> None:
        """Keep compiled code; a disk that takes nothing more is no reason to stop."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


# What reading a pickle that was cut short or overwritten may raise.
DAMAGE = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, KeyError, TypeError, ValueError)


class CacheFile(IndexDataCacheFile):
    """The index of a function's compiled code, and the code in one file for each signature.

    Numba numbers these files, so that two processes which compile at the same time can each write `1` and one of them
    comes to run the code of the other's signature or source. Here the name says what is inside. A file that was cut
    short, by a full disk or a crash, is as good as none: the kernel is compiled once more.
    """

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
        """Keep the code of signature `key`, and no code that the index does not name."""
        names = self._load_index()
        content = hashlib.sha256(repr((key, self._source_stamp)).encode()).digest()
        names[key] = self._data_name(int.from_bytes(content[:8]))
        self._save_data(names[key], data)
        self._save_index(names)
        for path in Path(self._cache_path).glob(self._index_name.removesuffix("nbi") + "*.nbc"):
            if path.name not in names.values():
                path.unlink(missing_ok=True)
