"""Argument validation: integers, integer arrays, digits in texts, and "did you mean" hints."""

import difflib
import operator
from collections.abc import Iterable

import numpy as np


def whole_number(value: object) -> int | None:
    """`value` as a Python int, or None if it is not a whole number; bools and floats are not whole numbers.

    >>> whole_number(3), whole_number(True), whole_number(3.0)
    (3, None, None)
    """
    if isinstance(value, bool | np.bool_):  # older NumPy accepts its own bool as an index, with a warning
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]  # whatever a caller passes
    except TypeError:
        return None


def check_number(value: object, lowest: int, highest: int, name: str) -> int:
    """`value` as a Python int.

    Raises:
        ValueError: if `value` is not a whole number from `lowest` to `highest`; the message calls it `name`.
    """
    number = whole_number(value)
    if number is None or not lowest <= number <= highest:
        raise ValueError(f"{name} must be a whole number from {lowest} to {highest}, not {shortened(value)}")
    return number


def check_numbers(values: object, name: str) -> np.ndarray:
    """`values` as a contiguous, writeable int64 array for kernels; `values` itself if it is one.

    Raises:
        ValueError: if a value is not a whole number that fits an int64; the message calls the values `name`.
    """
    array = values if isinstance(values, np.ndarray) else _array_of(values)
    if array.dtype == np.int64 and array.flags.carray:
        return array
    if array.dtype.kind == "i" or array.dtype in (np.uint8, np.uint16, np.uint32):
        return np.array(array, np.int64, order="C")
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    numbers: list[int] = []
    for value in array.ravel().tolist():
        number = whole_number(value)
        if number is None:
            raise ValueError(f"{name} must be whole numbers, not {_kind(value, array)}: {shortened(value)}")
        if not -(2**63) <= number < 2**63:
            raise ValueError(f"{name} must fit 64 bits with a sign, which {shortened(number)} does not")
        numbers.append(number)
    return np.array(numbers, np.int64).reshape(array.shape)


def _array_of(values: object) -> np.ndarray:
    """`values` as an array of integers or bools, else of Python objects, so that NumPy converts no value."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        return np.array(values, object)
    return array if array.dtype.kind in "iub" else np.array(values, object)


def _kind(value: object, array: np.ndarray) -> str:
    return type(value).__name__ if array.dtype == object else str(array.dtype)


def array_kind(value: object) -> str:
    """The dtype and shape of an array, or the type of another value, for an error message.

    >>> array_kind(np.zeros((2, 3), np.int8)), array_kind([0, 0])
    ('int8, shape (2, 3)', 'list')
    """
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    return f"{value.dtype}, shape {value.shape}" + ("" if value.flags.writeable else ", read-only")


def parse_digits(text: str) -> int | None:
    """The number of a text of at most 18 ASCII digits, and None for any other text.

    >>> parse_digits("10"), parse_digits("-1"), parse_digits("1" * 5000)
    (10, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def shortened(value: object) -> str:
    """`repr(value)` for an error message, cut to 80 characters with an ellipsis.

    >>> shortened("x" * 1000)[:10], len(shortened("x" * 1000))
    ("'xxxxxxxxx", 80)
    """
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of more than 4,300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:60]}...{text[-17:]}"


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` resembles most; None if it resembles none.

    >>> closest_name("delaer", ["dealer", "hands"]), closest_name("colour", ["dealer", "hands"])
    ('dealer', None)
    """
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.7)
    return close[0] if close else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the known name that it resembles most, or nothing.

    >>> did_you_mean("delaer", ["dealer", "hands"])
    "; did you mean 'dealer'?"
    """
    meant = closest_name(str(name), known)
    return "" if meant is None else f"; did you mean {meant!r}?"
