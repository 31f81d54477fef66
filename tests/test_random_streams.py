"""One registry of the purposes of random numbers: no number has two uses, and no other module numbers a purpose."""

import ast

from support.paths import ROOT

from euchre_env import random_streams
from euchre_env.counter_rng import MAX_SEED, derived_seed, random_below, stream_key

SOURCES = [path for part in ("euchre_env", "agents", "eval", "train") for path in (ROOT / part).rglob("*.py")]


def purposes_in_order():
    """The names of the registry, as its source lists them."""
    tree = ast.parse((ROOT / "euchre_env" / "random_streams.py").read_text())
    listed = next(node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple))
    assert isinstance(listed.targets[0], ast.Tuple)
    return [name.id for name in listed.targets[0].elts if isinstance(name, ast.Name)]


PURPOSES = {name: getattr(random_streams, name) for name in purposes_in_order()}


def test_no_purpose_has_the_number_of_another():
    assert {"CARDS", "EPISODE", "DECISION", "POSITION", "SHUFFLE"} < set(PURPOSES)
    assert list(PURPOSES.values()) == list(range(len(PURPOSES)))


def test_streams_of_two_purposes_share_no_key_and_no_draw():
    seeds, numbers = [*range(6), 2**31, 2**61, 2**62, MAX_SEED], [*range(6), 2**32, 2**61, MAX_SEED]
    places = [(p, seed, number) for p in PURPOSES.values() for seed in seeds for number in numbers]
    keys = [stream_key(seed, p, number) for p, seed, number in places]
    assert len(set(keys)) == len(places)
    derived = [derived_seed(seed, p, number) for p, seed, number in places]
    assert len(set(derived)) == len(places)
    draws = [tuple(random_below(a, b, k, 1 << 31) for k in range(3)) for a, b in keys]
    assert len(set(draws)) == len(places)


def calls_of_streams():
    """Every call for a stream: the file, the line and the argument for the purpose."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            name = node.func if isinstance(node, ast.Call) else None
            called = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
            if isinstance(node, ast.Call) and called in ("stream_key", "derived_seed"):
                keywords = {keyword.arg: keyword.value for keyword in node.keywords}
                yield path, node.lineno, node.args[1] if len(node.args) > 1 else keywords["purpose"]


def imported_from_the_registry(path):
    """The names that a source imports from the registry, under their own names."""
    return {
        alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "euchre_env.random_streams"
        for alias in node.names
        if alias.asname is None
    }


def test_every_stream_is_asked_for_by_a_name_of_the_registry():
    asked = set()
    for path, line, purpose in calls_of_streams():
        if path.name == "counter_rng.py":
            continue  # `derived_seed` passes its own purpose on
        name = purpose.id if isinstance(purpose, ast.Name) else ast.unparse(purpose)
        assert name in PURPOSES, f"{path}:{line}: {name} is no purpose of the registry"
        assert name in imported_from_the_registry(path), f"{path}:{line}: {name} is not imported from the registry"
        asked.add(name)
    assert asked >= {"CARDS", "FIRST_DEALER", "EPISODE", "DECISION", "PLAYER", "RESET", "SHUFFLE", "POSITION"}


def test_no_other_module_defines_a_name_of_the_registry():
    for path in SOURCES:
        if path.name == "random_streams.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assert node.id not in PURPOSES, f"{path}:{node.lineno} defines {node.id}"
