"""Values of a JSON file with their paths, so that every error says where in the file the fault is."""

import json
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from euchre_env.checks import did_you_mean, shortened

JSON_TYPES = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}


class EgnError(ValueError):
    """A game that Euchre Game Notation, or this project, does not allow: all that is raised over the content of a file.

    Attributes:
        place: the path to the fault in the file, such as "deals[3].phases[1].tricks[0][2]", or "line 4, column 7" of a
            file that is not JSON; empty if the fault has no place.
        fault: what is wrong there.
    """

    def __init__(self, place: str, fault: str) -> None:
        super().__init__(place, fault)
        self.place, self.fault = place, fault

    def __str__(self) -> str:
        return f"{self.place}: {self.fault}" if self.place else self.fault


class Place:
    """A value of a JSON file and the path to it. The methods check the kind of the value and raise `EgnError`."""

    def __init__(self, value: Any, path: str = "") -> None:
        self.value, self.path = value, path

    def refuse(self, fault: str) -> NoReturn:
        """Raise an `EgnError` at this place."""
        raise EgnError(self.path, fault)

    def members(self, known: Collection[str], required: Sequence[str] = ()) -> "dict[str, Place]":
        """The members of an object, all of which must be among `known`."""
        self._expect(dict)
        for name in self.value:
            if name not in known:
                self.refuse(f"unknown field {shortened(name)}{did_you_mean(name, known)}")
        for name in required:
            if name not in self.value:
                self.refuse(f"the field {name!r} is missing")
        return self.entries()

    def entries(self) -> "dict[str, Place]":
        """The members of an object, whatever their names are."""
        self._expect(dict)
        dot = "." if self.path else ""
        return {name: Place(value, f"{self.path}{dot}{name}") for name, value in self.value.items()}

    def items(self, most: int) -> "list[Place]":
        """The items of a list of at most `most` items."""
        self._expect(list)
        if len(self.value) > most:
            self.refuse(f"the list has {len(self.value)} items, of at most {most}")
        return [Place(value, f"{self.path}[{index}]") for index, value in enumerate(self.value)]

    def text(self, longest: int | None = None) -> str:
        """A text of at most `longest` characters."""
        self._expect(str)
        if longest is not None and len(self.value) > longest:
            self.refuse(f"the text has {len(self.value)} characters, of at most {longest}")
        return self.value

    def choice(self, allowed: Sequence[str]) -> str:
        """A text that is one of `allowed`."""
        if self.text() not in allowed:
            self.refuse(f"{shortened(self.value)} is none of {', '.join(map(repr, allowed))}")
        return self.value

    def number(self, lowest: int, highest: int) -> int:
        """A whole number from `lowest` to `highest`; 10.0 is one, as in JSON Schema."""
        value = self.value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(f"a whole number is expected, not {described(value)}")
        if not lowest <= value <= highest:
            self.refuse(f"a whole number from {lowest} to {highest} is expected, not {shortened(value)}")
        return value

    def flag(self) -> bool:
        """True or false."""
        self._expect(bool)
        return self.value

    def _expect(self, kind: type) -> None:
        if not isinstance(self.value, kind):
            self.refuse(f"{JSON_TYPES[kind]} is expected, not {described(self.value)}")


def described(value: Any) -> str:
    """A JSON value in a few words, for an error message.

    >>> described([1, 2]), described(None), described(True), described("c")
    ('a list', 'null', 'true', "'c'")
    """
    if isinstance(value, dict | list):
        return JSON_TYPES[type(value)]
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return shortened(value)


def load_json(text: str | bytes) -> Place:
    """The value of a JSON text, in UTF-8, UTF-16 or UTF-32 if it is bytes.

    Raises:
        EgnError: if it is not JSON, with line and column, or an object has a field twice.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode(json.detect_encoding(text))
        except UnicodeDecodeError as error:
            raise EgnError(f"byte {error.start}", f"the file is not text in {error.encoding}") from None
    try:
        value = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise EgnError(f"line {error.lineno}, column {error.colno}", f"not JSON: {error.msg}") from None
    except EgnError:
        raise
    except RecursionError:
        raise EgnError("", "not a game: lists and objects are nested too deeply") from None
    except ValueError:
        raise EgnError("", "not a game: a number has thousands of digits") from None
    return Place(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise EgnError("", f"an object has the field {shortened(name)} twice")
        members[name] = value
    return members


def _no_constant(name: str) -> NoReturn:
    raise EgnError("", f"not JSON: {name} is no JSON number")
