"""The options of an environment's `reset`, which fix its first deal."""

import re
from collections.abc import Mapping
from typing import Any

from euchre_env.checks import closest_name, shortened
from euchre_env.custom_deal import FixedCards

OPTIONS = ("dealer", "hands", "upcard", "kitty", "deal_number", "scores")
_CARD_OPTIONS = ("hands", "upcard", "kitty")


def table_arguments(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Reset options as keyword arguments for `Table`.

    Args:
        options: any of `dealer` (a seat), `hands` (four lists of card names or ids; an empty list is dealt at random),
            `upcard`, `kitty` (a list), `deal_number`, `scores` (of the two teams). The seed decides options that are
            missing or None. Other keys are ignored, as PettingZoo's `api_test` requires.

    Raises:
        ValueError: if `options` is no dict, or an unknown key resembles the name of an option.
    """
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options must be a dict with keys of {', '.join(OPTIONS)}, not {shortened(options)}")
    for key in options:
        meant = None if key in OPTIONS else _meant(str(key))
        if meant is not None:
            raise ValueError(
                f"unknown reset option {shortened(key)}; did you mean {meant!r}? Options: {', '.join(OPTIONS)}"
            )
    given = {key: options[key] for key in OPTIONS if options.get(key) is not None}
    cards = {key: given.pop(key) for key in _CARD_OPTIONS if key in given}
    return given | ({"cards": FixedCards(**cards)} if cards else {})


def _meant(key: str) -> str | None:
    """The option that an unknown key probably means: a name that the key resembles, or shares a word with."""
    words, known = re.findall("[a-z]+", key.lower()), (*OPTIONS, "deal")
    for name in ("_".join(words), "".join(words), *words):
        meant = name if name in known else closest_name(name, known)
        if meant is not None:
            return "deal_number" if meant == "deal" else meant
    return None
