"""Names of tests are sentences of at most 72 characters, unique in their file."""

import ast
import re
from collections import Counter

import pytest
from support.paths import TESTS

LONGEST = 72
SENTENCE = re.compile(r"test(_[a-z0-9]+)+")


def faults(source):
    """The names of test functions in the text of a file that are too long, not plain words, or used twice."""
    nodes = ast.walk(ast.parse(source))
    names = Counter(node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test"))
    return [name for name in names if len(name) > LONGEST or not SENTENCE.fullmatch(name) or names[name] > 1]


@pytest.mark.parametrize("file", sorted(TESTS.glob("test_*.py")), ids=lambda file: file.stem)
def test_names_of_tests_are_short_sentences(file):
    assert faults(file.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        f"def test_{'a' * 68}(): ...",
        f"class Group:\n    def test_{'a' * 68}(self): ...",
        "def testCamelCase(): ...",
        "def test_of_AnError(): ...",
        "def test_twice(): ...\ndef test_twice(): ...",
    ],
)
def test_a_name_that_breaks_the_rule_is_found(source):
    assert len(faults(source)) == 1


def test_a_name_of_72_characters_is_allowed():
    assert faults(f"def test_{'a' * 67}(): ...") == []
