"""The commit that a result was made at."""

import subprocess
from pathlib import Path


def git_commit() -> str | None:
    """The commit of this code's checkout, with "-dirty" if it has changes; None outside a checkout."""
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(describe, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
