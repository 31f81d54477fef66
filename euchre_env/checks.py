"""What public functions ask of the numbers and names they are given: what a whole number is, what a name resembles."""

import difflib
import operator
from collections.abc import Iterable

import numpy as np


def whole_number(value: object) -> int | None:
    """`value` as a Python int, or None if it is not a whole number; a bool or a float is none.

    >>> whole_number(3), whole_number(True), whole_number(3.0)
    (3, None, None)
    """
    if isinstance(value, bool | np.bool_):  # older NumPy takes its own for an index, and warns
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # whatever a caller passes
    except TypeError:
        return None


def check_number(value: object, lowest: int, highest: int, name: str) -> int:
    """`value` as a Python int.

    Raises:
        ValueError: if it is not a whole number from `lowest` to `highest`; the message calls it `name`.
    """
    number = whole_number(value)
    if number is None or not lowest <= number <= highest:
        raise ValueError(f"{name} must be a whole number from {lowest} to {highest}, not {value!r}")
    return number


def check_numbers(values: object, name: str) -> np.ndarray:
    """`values` as a contiguous int64 array, the same one if it is that already.

    Raises:
        ValueError: if they are not whole numbers; the message calls them `name`.
    """
    array = np.asarray(values)
    if array.size > 0 and array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, not {array.dtype}: {values!r}")
    return np.asarray(array, np.int64, order="C")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """What to add to a message about an unknown name: the known one that it resembles most, or nothing.

    >>> did_you_mean("delaer", ["dealer", "hands"]), did_you_mean("colour", ["dealer", "hands"])
    ("; did you mean 'dealer'?", '')
    """
    close = difflib.get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
