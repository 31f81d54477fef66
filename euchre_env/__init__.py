"""Euchre for reinforcement learning: the game and its environments.

Importing the package only registers `euchre/euchre-v0` with PettingZoo: the rules, and the compiler they need, are
loaded when a public name is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from euchre_env import euchre_v0
    from euchre_env.actions import (
        ACTION_NAMES,
        NUM_ACTIONS,
        IllegalActionError,
        action_name,
        parse_action,
    )
    from euchre_env.cards import card_name, parse_card
    from euchre_env.custom_deal import FixedCards
    from euchre_env.deal import DEAL
    from euchre_env.drawing import render_picture, render_text, view_text
    from euchre_env.game import GAME, RESULT
    from euchre_env.house_rules import PRESETS, HouseRules, parse_rules
    from euchre_env.named_facts import view_facts
    from euchre_env.observation import FIELDS, OBSERVATION_SIZE, action_mask, decode, encode
    from euchre_env.state import STATE_FIELDS, STATE_SIZE
    from euchre_env.table import Table
    from euchre_env.tables import Tables
    from euchre_env.view import VIEW

    __version__: str

__all__ = [
    "ACTION_NAMES",
    "DEAL",
    "FIELDS",
    "GAME",
    "NUM_ACTIONS",
    "OBSERVATION_SIZE",
    "PRESETS",
    "RESULT",
    "STATE_FIELDS",
    "STATE_SIZE",
    "VIEW",
    "FixedCards",
    "HouseRules",
    "IllegalActionError",
    "Table",
    "Tables",
    "action_mask",
    "action_name",
    "card_name",
    "decode",
    "encode",
    "euchre_v0",
    "parse_action",
    "parse_card",
    "parse_rules",
    "render_picture",
    "render_text",
    "view_facts",
    "view_text",
]

# The public names by module; `euchre_v0` is a module itself.
_HOMES = {
    "actions": ("ACTION_NAMES", "NUM_ACTIONS", "IllegalActionError", "action_name", "parse_action"),
    "cards": ("card_name", "parse_card"),
    "custom_deal": ("FixedCards",),
    "deal": ("DEAL",),
    "game": ("GAME", "RESULT"),
    "named_facts": ("view_facts",),
    "house_rules": ("PRESETS", "HouseRules", "parse_rules"),
    "observation": ("FIELDS", "OBSERVATION_SIZE", "action_mask", "decode", "encode"),
    "drawing": ("render_picture", "render_text", "view_text"),
    "state": ("STATE_FIELDS", "STATE_SIZE"),
    "table": ("Table",),
    "tables": ("Tables",),
    "view": ("VIEW",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name on its first use."""
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("euchre-env")
    elif name == "euchre_v0":
        value = importlib.import_module("euchre_env.euchre_v0")
    elif name in _HOME_OF:
        value = getattr(importlib.import_module(f"euchre_env.{_HOME_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'euchre_env' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, "__version__"])


def _register() -> None:
    """Make `pettingzoo.make("aec", "euchre/euchre-v0")` work where PettingZoo has a registry (from 1.27)."""
    try:
        from pettingzoo import aec_registry, register
    except ImportError:
        return
    if "euchre/euchre-v0" not in aec_registry:  # registering again would warn
        register("aec", "euchre/euchre-v0", "euchre_env.euchre_v0:env")


_register()
