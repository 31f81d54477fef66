"""Code that runs a command line in a process of its own."""

INTERRUPTED = """
import signal
import sys
from importlib.abc import MetaPathFinder

class Interrupter(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
from {package}.cli import main
assert {module!r} not in sys.modules
sys.exit(main({arguments}))
"""


def interrupted_when_importing(module, package, arguments):
    """Code that runs the command of `package` and sends Ctrl-C just before `module` is imported."""
    return INTERRUPTED.format(module=module, package=package, arguments=arguments)
