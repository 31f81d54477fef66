"""Names such as "package.module:NAME", by which users bring players, architectures and rewards of their own."""

import importlib
from typing import Any

from euchre_env.checks import did_you_mean, shortened


def import_named(name: str, kind: str) -> Any:
    """The attribute of a module that `name`, "package.module:NAME", stands for.

    Args:
        name: the name.
        kind: what is named, for messages, such as "player".

    Raises:
        ValueError: if there is no such module, or the module has no such attribute. Exceptions of the module pass
            through.
    """
    module_name, _, attribute = name.partition(":")
    if not all(module_name.split(".")):
        raise ValueError(f"{kind} {shortened(name)}: {shortened(module_name)} is not the name of a module")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the module exists, but a module that it imports does not
        missing = shortened(error.name)
        raise ValueError(f"{kind} {shortened(name)}: there is no module {missing} on the path of Python") from error
    if not hasattr(module, attribute):
        hint = did_you_mean(attribute, vars(module))
        raise ValueError(f"{kind} {name!r}: no {attribute!r} in {module_name}{hint}")
    return getattr(module, attribute)
