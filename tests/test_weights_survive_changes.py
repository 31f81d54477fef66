"""The shipped weights decide as before after changes of the observation, the house rules and the actions."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from support.decisions import decisions
from support.paths import DATA, ROOT

from euchre_agents.loading import SHIPPED_NETWORK
from euchre_env.actions import ACTION_NAMES, NUM_ACTIONS
from euchre_env.deal import OVER, PHASES
from euchre_env.observation import FIELDS

NUM_POSITIONS = 10_000
FOLDERS = [str(SHIPPED_NETWORK), str(DATA / "ppo_0_1")]

MOVED_FIELD = '        "voids": (_each(SEAT_NAMES, SUIT_NAMES), "per seat: the suits it has failed to follow"),\n'

# Every edit of the copy: a file, the text to replace, which it holds once, and the text in its place.
CHANGES = [
    # A field inserted in the middle of the observation, between two that belong together, and set.
    (
        "euchre_env/observation.py",
        '        "passed_second_round": (',
        '        "partner_deals": (("yes",), "the partner deals"),\n        "passed_second_round": (',
    ),
    (
        "euchre_env/observation.py",
        "    out[AT.dealer + view.dealer] = 1\n",
        "    out[AT.dealer + view.dealer] = 1\n    out[AT.partner_deals] = view.dealer == 2\n",
    ),
    # A field moved, from behind the cards to the first place of all.
    ("euchre_env/observation.py", MOVED_FIELD, ""),
    (
        "euchre_env/observation.py",
        '        "phase": (PHASES, "one-hot: "',
        f'{MOVED_FIELD}        "phase": (PHASES, "one-hot: "',
    ),
    # A house rule added in the middle, of which each deal has a value.
    (
        "euchre_env/house_rules.py",
        "    points_to_win: int = _number(10, 1, 99)\n",
        "    farmers_hand: bool = _choice(True, False)\n    points_to_win: int = _number(10, 1, 99)\n",
    ),
    # A one-hot field grown by one value in the middle: a phase, with which all later ones get other numbers.
    ("euchre_env/deal.py", '"SECOND_ROUND", "BENNY", ', '"SECOND_ROUND", "FARMERS_HAND", "BENNY", '),
    (
        "euchre_env/deal.py",
        "SECOND_ROUND, BENNY_TURNED_UP, DISCARD, DEFEND, PLAY, OVER = range(7)",
        "SECOND_ROUND, FARMERS_HAND, BENNY_TURNED_UP, DISCARD, DEFEND, PLAY, OVER = range(8)",
    ),
    # An action block grown by one action, with which all later actions get other ids.
    ("euchre_env/actions.py", 'Block("pass", 25, 1, "none")', 'Block("pass", 25, 2, "none")'),
    ("euchre_env/actions.py", 'Block("order up", 26,', 'Block("order up", 27,'),
    ("euchre_env/actions.py", 'Block("order up alone", 27,', 'Block("order up alone", 28,'),
    ("euchre_env/actions.py", 'Block("name", 28,', 'Block("name", 29,'),
    ("euchre_env/actions.py", 'Block("name alone", 32,', 'Block("name alone", 33,'),
    ("euchre_env/actions.py", 'Block("defend alone", 36,', 'Block("defend alone", 37,'),
    ("euchre_env/actions.py", "    return block.name\n", '    return block.name if argument == 0 else "claim"\n'),
]


def decisions_in_a_changed_copy(folder):
    """The networks' choices, and the layout, in a copy of the sources with all the changes, made in `folder`."""
    for source in (ROOT / "euchre_env", ROOT / "agents" / "euchre_agents", ROOT / "tests" / "support"):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, before, after in CHANGES:
        file = folder / name
        text = file.read_text()
        assert text.count(before) == 1, f"{name} no longer has {before!r} once"
        file.write_text(text.replace(before, after))
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON"))}
    networks = [str(folder / "euchre_agents" / SHIPPED_NETWORK.name), FOLDERS[1]]
    command = [sys.executable, "-m", "support.decisions", str(NUM_POSITIONS), *networks]
    done = subprocess.run(command, cwd=folder, env=inherited, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_that_everything_moved(layout, actions):
    """Check that the copy differs in every place that a network reads and every action; else it proves nothing."""
    assert set(layout) - set(FIELDS) == {"partner_deals", "rules.farmers_hand"}
    assert (layout["voids"], layout["phase"], layout["turn"]) == (0, 16, 16 + len(PHASES) + 1)
    assert all(layout[name] != field.first for name, field in FIELDS.items() if not name.startswith("rules."))
    assert len(actions) == NUM_ACTIONS + 1
    assert [actions.index(name) - ACTION_NAMES.index(name) for name in ACTION_NAMES] == [0] * 26 + [1] * 11


@pytest.mark.compiled
def test_the_shipped_agent_decides_as_before_at_ten_thousand_positions(tmp_path):
    changed = decisions_in_a_changed_copy(tmp_path)
    check_that_everything_moved(changed["layout"], changed["actions"])
    here = decisions(FOLDERS, NUM_POSITIONS)
    phases = Counter(here["phases"])
    assert set(phases) == {phase for phase in PHASES if phase != PHASES[OVER]}
    assert min(phases.values()) >= 10, phases
    assert len(here["phases"]) >= NUM_POSITIONS
    assert changed["phases"] == here["phases"]
    for chosen, before in zip(changed["chosen"], here["chosen"], strict=True):
        assert chosen == before
    assert here["chosen"][0] == here["chosen"][1]
    assert len(set(here["chosen"][0])) >= 30  # not one action again and again
