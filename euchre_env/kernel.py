"""The `kernel` decorator, and the record arrays that kernels work on.

A kernel is a plain function over integers and records that Numba compiles on its first call; `kernel_cache` keeps the
machine code on disk. With the environment variable `NUMBA_DISABLE_JIT=1` a kernel stays ordinary Python, to step
through or to measure coverage on.
"""

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numba import config, njit
from numpy.typing import DTypeLike

Record: TypeAlias = np.record  # one row of a record array: `row.field` reads and writes the array itself
Records: TypeAlias = Any  # a record array, shape (N,): see `records`

COMPILED = not getattr(config, "DISABLE_JIT")  # noqa: B009  # numba sets its options at run time

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` on its first call, with the machine code kept on disk while the sources stay unchanged."""
    return _compiled(function, inline=False)


def inlined_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """A `kernel` whose machine code is put into every kernel that calls it, for the inner part of a hot loop.

    Without this, kernels that are loaded from the cache share one copy of what they call, and how fast a loop is
    depends on which of them was loaded first: the observations of a batch took 103 or 171 ns a row.
    """
    return _compiled(function, inline=True)


def _compiled(function: Callable[P, R], inline: bool) -> Callable[P, R]:
    compiled: Any = njit(function, error_model="numpy", forceinline=inline)
    if COMPILED:
        try:
            from euchre_env.kernel_cache import install_cache  # fails if Numba has renamed its internals

            install_cache(compiled, function)
        except (ImportError, AttributeError, TypeError) as error:
            _warn_of_no_cache(f"{type(error).__name__}: {error}")
    return compiled


@functools.cache
def _warn_of_no_cache(reason: str) -> None:
    """Warn once that every process compiles the rules."""
    warnings.warn(
        f"euchre_env keeps no compiled code, because this release of Numba does not fit its cache ({reason}); every "
        "process compiles the rules anew, which takes seconds. pyproject.toml says which releases fit.",
        RuntimeWarning,
        stacklevel=3,
    )


def records(length: int, dtype: DTypeLike) -> Records:
    """A zeroed record array, shape (length,), in the form that kernels read in this mode.

    Compiled kernels get a plain array, which costs ten times less to pass than a recarray; uncompiled ones need the
    recarray for `row.field`.
    """
    return as_records(np.zeros(length, dtype))


def as_records(array: np.ndarray) -> Records:
    """`array` in the form that `records` returns; shares its memory."""
    return array.view(np.ndarray) if COMPILED else array.view(np.recarray)


class RecordHolder:
    """Base class of objects with record arrays: a pickle made in compiled mode loads uncompiled, and the reverse."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            has_fields = isinstance(value, np.ndarray) and value.dtype.names is not None
            self.__dict__[name] = as_records(value) if has_fields else value


def row(array: Records, index: int = 0) -> Record:
    """Row `index` of a record array as a live record, for Python code that reads `row.field`."""
    return array.view(np.recarray)[index]
