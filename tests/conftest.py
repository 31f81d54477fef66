"""What all tests share."""

import re
from importlib.util import find_spec
from pathlib import Path

from hypothesis import settings

# The first call of a kernel compiles it, so no example is judged by its time.
settings.register_profile("euchre", deadline=None)
settings.load_profile("euchre")

# `make floors` has no torch: there the tests that import it, or what trains with it, are left out.
NEEDS_TORCH = re.compile(r"^\s*(import|from) (torch|euchre_train)\b", re.MULTILINE)
collect_ignore = [
    path.name
    for path in Path(__file__).parent.glob("test_*.py")
    if not find_spec("torch") and NEEDS_TORCH.search(path.read_text())
]
