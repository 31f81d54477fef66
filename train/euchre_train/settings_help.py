"""The settings of a training run as text for `euchre-train --help`.

They are read from the source of `config.py`, where a docstring follows each field, so that the help does not import the
packages that training needs.
"""

import ast
import shutil
import textwrap
from importlib.resources import files
from itertools import pairwise

HELP_COLUMN = 24  # where argparse begins the meaning of an option


def settings_help() -> str:
    """Every setting with its default and its meaning, in the layout of argparse."""
    width = shutil.get_terminal_size().columns - 2
    lines = ["settings, for --set and for the YAML file of --config, with their defaults:"]
    for name, default, meaning in settings():
        setting = f"  {name}={default}"
        meaning_lines = textwrap.wrap(meaning, max(width - HELP_COLUMN, 11))
        if len(setting) <= HELP_COLUMN - 2:
            setting = setting.ljust(HELP_COLUMN) + meaning_lines.pop(0)
        lines += [setting, *(" " * HELP_COLUMN + line for line in meaning_lines)]
    return "\n".join(lines)


def settings() -> list[tuple[str, str, str]]:
    """Name, default as `--set` takes it, and meaning of every setting, in the order of `Config`."""
    module = ast.parse(files("euchre_train").joinpath("config.py").read_text(encoding="utf-8"))
    (config,) = (node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Config")
    return [
        (
            ast.unparse(field.target),
            _as_yaml(ast.literal_eval(field.value)),
            _one_line(ast.literal_eval(docstring.value)),
        )
        for field, docstring in pairwise(config.body)
        if isinstance(field, ast.AnnAssign) and field.value is not None and isinstance(docstring, ast.Expr)
    ]


def _as_yaml(value: object) -> str:
    return str(list(value) if isinstance(value, tuple) else value)


def _one_line(docstring: str) -> str:
    return " ".join(docstring.split())
