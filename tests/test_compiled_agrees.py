"""Compiled kernels and plain Python kernels give the same results."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from support.digests import RULES, deals_digest, games_digest

from euchre_agents.loading import SHIPPED_NETWORK
from euchre_agents.network import load_network
from euchre_env.table import Table
from euchre_env.tables import Tables

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def uncompiled():
    """The digests of the same games in plain Python, in a process with another hash seed."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "12345"}
    command = [sys.executable, "-m", "support.digests"]
    done = subprocess.run(command, cwd=TESTS, env=environment, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert not answer["compiled"]
    return answer["digests"]


@pytest.mark.compiled
@pytest.mark.parametrize("rules", RULES)
def test_compiled_and_plain_kernels_agree_after_every_action_of_whole_games(rules, uncompiled):
    assert [games_digest(rules), deals_digest(rules)] == uncompiled[rules]


@pytest.mark.compiled
def test_a_pickle_goes_on_in_the_other_mode_and_back():
    table, tables, network = ours = Table(seed=3), Tables(3, seed=3), load_network(SHIPPED_NETWORK)
    program = """
import pickle, sys
table, tables, network = pickle.load(sys.stdin.buffer)
table.step(table.legal_actions()[0])
tables.step(network.act_batch(*tables.observations()))
pickle.dump((table, tables, network), sys.stdout.buffer)
"""
    command, environment = [sys.executable, "-c", program], os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, input=pickle.dumps(ours), capture_output=True, check=True)
    their_table, their_tables, their_network = pickle.loads(done.stdout)
    table.step(table.legal_actions()[0])
    tables.step(network.act_batch(*tables.observations()))
    for _ in range(20):
        assert their_table.deal.tobytes() == table.deal.tobytes()
        assert their_tables.records.tobytes() == tables.records.tobytes()
        their_table.step(table.legal_actions()[0])
        table.step(table.legal_actions()[0])
        their_tables.step(their_network.act_batch(*tables.observations()))
        tables.step(network.act_batch(*tables.observations()))
