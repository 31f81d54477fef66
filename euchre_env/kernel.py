"""How the rules are compiled: the `kernel` decorator and the record arrays that kernels work on.

A kernel is a plain function over integers and records that Numba compiles on its first call. With the environment
variable `NUMBA_DISABLE_JIT=1` it stays ordinary Python, to step through or to measure coverage on.
"""

import contextlib
import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numba import config, njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache
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
        with contextlib.suppress(RuntimeError):  # "no locator available": no folder is writable
            compiled._cache = _KernelCache(function)  # what njit(cache=True) does, with our stamp
    return compiled


def records(length: int, dtype: DTypeLike) -> Records:
    """A zeroed record array, shape (length,), in the form kernels read in this mode.

    Compiled kernels get a plain array, which costs ten times less to pass than a recarray; uncompiled ones need the
    recarray for `row.field`.
    """
    return as_records(np.zeros(length, dtype))


def as_records(array: np.ndarray) -> Records:
    """`array` as `records` would have made it; shares its memory."""
    return array if COMPILED else array.view(np.recarray)


def row(array: Records, index: int = 0) -> Record:
    """Row `index` of a record array as a live record, for Python code that reads `row.field`."""
    return array.view(np.recarray)[index]


@functools.lru_cache
def _stamp_of_folder(folder: Path) -> bytes:
    """A digest of every Python source below `folder`, by name and content."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(folder)} {len(source)}\n".encode() + source)
    return digest.digest()


def _stamp_of(function: Callable[..., object]) -> bytes:
    """A digest of every source that `function` may depend on: its own package and our layers below it."""
    package = function.__module__.partition(".")[0]
    layers = LAYERS[: LAYERS.index(package) + 1] if package in LAYERS else LAYERS
    digest = hashlib.sha256()
    for layer in layers:
        if layer in sys.modules:
            digest.update(_stamp_of_folder(Path(sys.modules[layer].__path__[0])))
    if package not in LAYERS:
        file = Path(function.__code__.co_filename)
        is_package = hasattr(sys.modules.get(package), "__path__")
        digest.update(_stamp_of_folder(file.parent) if is_package else file.read_bytes())
    return digest.digest()


class _SourceStamp:
    """Replaces, in each of Numba's cache locators, the stamp of one file by that of all sources involved."""

    function: Callable[..., object]

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> Any:
        locator = super().from_function(py_func, py_file)  # type: ignore[misc]  # the locator this is mixed into
        if locator is not None:
            locator.function = py_func
        return locator

    def get_source_stamp(self) -> bytes:
        return _stamp_of(self.function)


class _KernelCacheImpl(CompileResultCacheImpl):
    _locator_classes: ClassVar = [
        type(locator.__name__, (_SourceStamp, locator), {}) for locator in CompileResultCacheImpl._locator_classes
    ]


class _KernelCache(FunctionCache):
    _impl_class = _KernelCacheImpl
