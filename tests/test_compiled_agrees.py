"""Compiled and as plain Python the kernels do the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from whole_games import RULES, deals_digest, games_digest

PROGRAM = Path(__file__).with_name("whole_games.py")


@pytest.fixture(scope="module")
def uncompiled():
    """What plain Python makes of the same games, in a process with other hashes."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "12345"}
    done = subprocess.run([sys.executable, PROGRAM], env=environment, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert not answer["compiled"]
    return answer["digests"]


@pytest.mark.compiled
@pytest.mark.parametrize("rules", RULES)
def test_compiled_and_plain_kernels_agree_after_every_action_of_whole_games(rules, uncompiled):
    assert [games_digest(rules), deals_digest(rules)] == uncompiled[rules]
