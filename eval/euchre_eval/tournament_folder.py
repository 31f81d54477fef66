"""The folder of a tournament: its plan, a file for each part that has been played, and the results.

    tournament.json   the plan, and digests of the code and of the players that play it
    parts/*.npz       what was played in each part; see `TournamentPart`
    result.json, result.md, matrix.png, ratings.png

A part file is written whole or not at all, and its content follows from the plan. So a tournament that was killed at
any moment goes on from the parts that are there, and ends with the same result.
"""

import hashlib
import io
import json
import re
import shlex
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from euchre_agents.loading import BUILT_IN, ENTRY_POINTS, SHIPPED_NETWORK, USERS_OF_SHIPPED_NETWORK, existing_folder
from euchre_env import __version__
from euchre_env.checks import shortened
from euchre_env.files import read_json, replace_bytes, replace_text
from euchre_env.kernel_cache import stamp_of
from euchre_eval.array_files import read_arrays
from euchre_eval.folder_lock import LOCK_FILE
from euchre_eval.match_player import Reneges
from euchre_eval.playing import MatchPart, Plays
from euchre_eval.swings import MOST_ACTIONS, Kept
from euchre_eval.tournament_plan import Plan

PLAN_FILE, RESULT_FILE = "tournament.json", "result.json"
PARTS = "parts"
NETWORK_FILES = ("*.json", "*.safetensors")
PACKAGE = Path(__file__).parent
PLAYING = "tournament_matches"
"""The module of this package that plays a part."""
IMPORTED = re.compile(r"^[ \t]*from euchre_eval\.(\w+) import", re.MULTILINE)


class TournamentPart(NamedTuple):
    """A part of the match of two players under one of the house rules."""

    rules: int
    """The number of the house rules in the plan."""
    one: int
    """The number of the player at seats 0 and 2 in the first play."""
    other: int
    match_part: MatchPart

    @property
    def file_name(self) -> str:
        """The name of its file."""
        seatings = "".join(map(str, self.match_part.seatings))
        return f"{self.rules}_{self.one}_{self.other}_{self.match_part.pairs.start:09}_{seatings}.npz"


def make_folder(folder: Path) -> None:
    """Make the folder of a tournament if it does not exist.

    Raises:
        ValueError: if it holds something else.
        OSError: if it cannot be made or read.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / PLAN_FILE).exists() and any(each.name != LOCK_FILE for each in folder.iterdir()):
        raise ValueError(f"{folder} is neither empty nor the folder of a tournament: {PLAN_FILE} is missing")


def start_or_resume(folder: Path, plan: Plan) -> None:
    """Write the plan into a new folder, or check that what is there was made by the same plan, code and players.

    Raises:
        ValueError: if it was made by others; the message says what differs.
        OSError: if a file cannot be written or read.
    """
    file, now = folder / PLAN_FILE, _fingerprint(plan)
    if file.exists():
        try:
            then: Any = read_json(file)
            if not isinstance(then, dict) or set(then) != set(now) or not isinstance(then["digests"], dict):
                raise ValueError(f"it must be an object with the keys {', '.join(now)}, and digests an object")
        except ValueError as error:
            raise ValueError(f"{file} is not the plan of a tournament: {error}") from error
        for name, value in json.loads(json.dumps(now)).items():
            if then[name] != value:
                raise ValueError(
                    f"{folder} holds another tournament: {_difference(name, then[name], value)}; play it as it was "
                    "planned, or choose another folder"
                )
    (folder / PARTS).mkdir(exist_ok=True)
    if not file.exists():
        replace_text(file, json.dumps(now, indent=1) + "\n")


def _fingerprint(plan: Plan) -> dict[str, Any]:
    """All that the deals of a tournament and their results follow from."""
    return {
        **plan.as_json(),
        "version": __version__,
        "code": _code_digest(),
        "digests": {name: _digest(name) for name in plan.players},
    }


def _code_digest() -> str:
    """A digest of the sources that decide what is played: the rules, the built-in players, and the match loop."""
    digest = hashlib.sha256(stamp_of(frozenset({"euchre_agents"})))
    for file in _sources_of(PLAYING):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _sources_of(module: str) -> list[Path]:
    """The sources of a module of this package, and of those that it imports, directly or not."""
    waiting, found = [module], set[Path]()
    while waiting:
        file = PACKAGE / f"{waiting.pop()}.py"
        if file not in found:
            found.add(file)
            waiting += IMPORTED.findall(file.read_text(encoding="utf-8"))
    return sorted(found)


def _digest(name: str) -> str:
    """A digest of what a player is made of that is no part of the code.

    It is a network, the module of a class, the files of a program, or the installed distribution of an entry point.
    """
    known_name, path = name.partition(":")[0], name.rpartition(":")[0]
    network = existing_folder(name) or existing_folder(path)
    entries = [entry for entry in entry_points(group=ENTRY_POINTS) if entry.name == known_name]
    said = ""
    if known_name == "cmd":
        files = [path for path in map(Path, shlex.split(name.partition(":")[2])) if path.is_file()]
    elif known_name in BUILT_IN:
        files = _network_files(SHIPPED_NETWORK) if known_name in USERS_OF_SHIPPED_NETWORK else []
    elif entries:
        (entry,) = entries
        said = "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version} "
        said, files = f"{said}{entry.value}", _module_files(entry.module)
    elif network is not None:
        files = _network_files(network)
    else:
        files = _module_files(known_name)
    return hashlib.sha256(said.encode() + b"".join(each.read_bytes() for each in files)).hexdigest()[:16]


def _network_files(folder: Path) -> list[Path]:
    """The cards and the weights in a folder; what they belong to is not looked at."""
    return sorted(each for pattern in NETWORK_FILES for each in folder.glob(pattern))


def _module_files(module: str) -> list[Path]:
    """The file of a module."""
    spec = find_spec(module)
    return [Path(spec.origin)] if spec is not None and spec.origin is not None else []


def _difference(name: str, then: Any, now: Any) -> str:
    """What has changed since a tournament began."""
    if name == "code":
        return "euchre_env, euchre_agents or the match loop of euchre_eval has changed since it began"
    if name == "digests":
        changed = [player for player in now if then.get(player) != now[player]]
        return f"player {', '.join(map(repr, changed))} has changed since it began"
    return f"{name} is {shortened(then)} there, not {shortened(now)}"


def write_part(folder: Path, part: TournamentPart, plays: Plays) -> None:
    """Write what was played in a part.

    Raises:
        OSError: if the file cannot be written; the error names it.
    """
    file = io.BytesIO()
    np.savez_compressed(
        file,
        margins=plays.margins,
        reneges=np.array([[each.number, each.first_episode] for each in plays.reneges], np.int64),
        first_reneges=np.array([each.first or "" for each in plays.reneges], np.str_),
        kept=plays.kept.pairs,
        actions=plays.kept.actions,
    )
    replace_bytes(folder / PARTS / part.file_name, file.getvalue())


def read_part(folder: Path, part: TournamentPart) -> Plays | None:
    """Read what was played in a part; None if it has not been played.

    Raises:
        ValueError: if the file is damaged; the message names it.
        OSError: if it cannot be read.
    """
    file = folder / PARTS / part.file_name
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    shape = len(part.match_part.seatings), len(part.match_part.pairs)
    try:
        saved = read_arrays(io.BytesIO(content), ("margins", "reneges", "first_reneges", "kept", "actions"))
        margins, reneges, first, kept, actions = saved.values()
        if margins.shape != shape or margins.dtype != np.int16 or reneges.shape != (4, 2) or first.shape != (4,):
            raise ValueError(f"its margins have shape {margins.shape}, not {shape}")
        if kept.ndim != 1 or actions.shape != (shape[0], len(kept), MOST_ACTIONS) or actions.dtype != np.int8:
            raise ValueError(f"its actions have shape {actions.shape}, not {(shape[0], len(kept), MOST_ACTIONS)}")
    except (ValueError, OSError) as error:  # an offset beyond the end is an OSError
        raise ValueError(f"{file} is damaged: {error}") from error
    at_places = [
        Reneges(number, episode, text or None)
        for (number, episode), text in zip(reneges.tolist(), first.tolist(), strict=True)
    ]
    return Plays(margins, np.zeros(0, np.bool_), at_places, Kept(kept, actions))
