"""Data sets: every decision of some deals, with what followed, in one file for NumPy.

`record` plays deals as a duplicate match does and writes the decisions; `load_dataset` reads them. The file is an .npz
archive of plain arrays (docs/datasets.md), so it needs nothing of this project to be read. The same deals, players and
version give the same arrays, whatever the number of workers, and the same bytes with the same release of zlib. Only the
values of a critic, which are float32, may differ in their last digit on another kind of processor.
"""

import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from euchre_agents.critic import Critic, load_critic
from euchre_agents.policy import Player
from euchre_env import __version__
from euchre_env.actions import NUM_ACTIONS
from euchre_env.checks import check_number, shortened
from euchre_env.counter_rng import check_seed
from euchre_env.deal import SEATS
from euchre_env.files import parse_json, replace_file
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.random_streams import range_of_seed
from euchre_env.tables import Tables
from euchre_eval.array_files import read_arrays
from euchre_eval.playing import BATCH_SIZE, MAX_PAIRS, CountUp, MatchPart, Progress, match_parts, play
from euchre_eval.seated_players import Makers, SeatedPlayers, check_names, check_num_players
from euchre_eval.workers import Tick, check_workers, do_parts

FORMAT = 1
INFO = "info"
ROWS_AT_ONCE = 4096  # of observations that are unpacked to be written


@dataclass(frozen=True)
class Dataset:
    """Decisions in the order of deals, plays and time: row i of each array is decision i.

    A deal that a renege ended has its legal decisions before the renege.
    """

    observations: np.ndarray
    """What the seat to act saw, int8, (n, OBSERVATION_SIZE), in absolute suits."""
    action_masks: np.ndarray
    """Its legal actions, int8, (n, NUM_ACTIONS)."""
    actions: np.ndarray
    """What it did, an action id, int8, (n,)."""
    deals: np.ndarray
    """The number of the deal, int64, (n,)."""
    plays: np.ndarray
    """0 in the first play of the deal, 1 in the second, in which everybody sits one seat to the left; int8, (n,)."""
    seats: np.ndarray
    """The seat, int8, (n,)."""
    places: np.ndarray
    """The place of the player: an index into `players`; int8, (n,)."""
    points: np.ndarray
    """The points of the seat's team in the deal less those of the other, which followed; int8, (n,)."""
    values: np.ndarray
    """The points that the player's critic expected, float32, (n,); nan for players without a critic, and where only one
    action was legal, which critics are not trained on."""
    players: tuple[str, ...]
    """The names of the players at places 0 to 3."""
    rules: str
    """The house rules, as `parse_rules` reads them."""
    seed: int
    """The seed as `Tables` takes it."""
    version: str
    """The version of euchre-env that recorded it."""
    sees_all: tuple[int, ...] = ()
    """The numbers of the players that saw all cards, counted from 0 as in `players`."""

    @property
    def seed_range(self) -> str:
        """The range of the seed: "training", "tuning" or "reporting" (`euchre_env.random_streams`)."""
        return range_of_seed(self.seed)[0]

    @property
    def seed_number(self) -> int:
        """The number of the seed in its range, which `euchre-eval record --seed` takes."""
        return range_of_seed(self.seed)[1]

    def __len__(self) -> int:
        return len(self.actions)


ARRAYS = tuple(each.name for each in fields(Dataset) if each.type is np.ndarray)
TYPES = {name: np.dtype(np.int8) for name in ARRAYS} | {"deals": np.dtype(np.int64), "values": np.dtype(np.float32)}
SIZES = {"observations": OBSERVATION_SIZE, "action_masks": NUM_ACTIONS}
"""The second dimension of the arrays that have one."""


_Decisions: TypeAlias = dict[str, np.ndarray]
"""The arrays of `Dataset` by name, for a part of the deals; observations and masks are packed, 8 places to a byte."""


def record(
    *players: Player,
    file: str | Path,
    deals: int = 1000,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    critics: Sequence[str | Path | None] | None = None,
    allow_cheating: bool = False,
    batch_size: int = BATCH_SIZE,
    workers: int | None = 1,
    makers: Makers | None = None,
    progress: Progress | None = None,
) -> int:
    """Play deals as `play_match` does, each twice, and write every decision to `file`.

    Args:
        players: two, or four in the order of their seats, as in `play_match`.
        file: the file to write, replaced atomically; its folder exists.
        deals: how many deals to play, each twice.
        seed: fixes the deals and the players' keys and seeds.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: the players' names in the data set; their `name` or their class if None.
        critics: for each player the folder of its critic, or None if it has none; none has one if None.
        allow_cheating: whether players may see all cards (`sees_all`).
        batch_size: how many deals to play at once; the file does not depend on it.
        workers: how many processes may play, every core if None; the file does not depend on it.
        makers: as in `play_match`.
        progress: called as deals end, as in `play_match`.

    Returns:
        The number of decisions.

    Raises:
        ValueError: if an argument is invalid, as in `play_match`, or a critic cannot be read.
        TypeError: as `play_match` does.
        OSError: if the file cannot be written.
    """
    check_num_players(len(players))
    names = check_names(players, names)
    critics = [None] * len(players) if critics is None else list(critics)
    if len(critics) != len(players):
        raise ValueError(f"critics must have an entry for each of {len(players)} players, not {critics!r}")
    house_rules, seed = parse_rules(rules), check_seed(seed)
    deals = check_number(deals, 1, MAX_PAIRS, "deals")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    seated = SeatedPlayers(players, names, seed, allow_cheating=allow_cheating, makers=makers)
    parts = do_parts(
        RecordPart(seated, house_rules, seed, batch_size, tuple(None if c is None else str(c) for c in critics)),
        match_parts("deal", deals, seated.are_batched),
        workers=check_workers(workers),
        progress=None if progress is None else CountUp(progress, {"deals": deals}, plays=2),
    )
    decisions = _in_order(parts)
    info = {
        "format": FORMAT,
        "players": [names[place % len(names)] for place in SEATS],
        "sees_all": [place for place, player in enumerate(seated.places) if player.abilities.sees_all],
        "rules": str(house_rules),
        "seed": seed,
        **dict(zip(("seed_range", "seed_number"), range_of_seed(seed), strict=True)),
        "version": __version__,
    }
    replace_file(Path(file), lambda new: _write(new, decisions, info))
    return len(decisions["actions"])


@dataclass
class RecordPart:
    """Plays any part of the deals and records its decisions: the work that several processes may share."""

    players: SeatedPlayers
    rules: HouseRules
    seed: int
    batch_size: int
    critic_folders: tuple[str | None, ...]

    def __post_init__(self) -> None:
        _ = self.critics  # a critic that cannot be read is refused before the deals are played

    @cached_property
    def critics(self) -> tuple[Critic | None, ...]:
        """The critic of each player."""
        return tuple(None if folder is None else load_critic(folder) for folder in self.critic_folders)

    def __reduce__(self) -> tuple[Any, ...]:
        return RecordPart, (self.players, self.rules, self.seed, self.batch_size, self.critic_folders)

    def __call__(self, part: MatchPart, tick: Tick) -> _Decisions:
        """The decisions of a part, in the order of deals, plays and time; the ticks count plays of "deals"."""
        recorded = [self._play(part.pairs, seating, tick) for seating in part.seatings]
        return _in_order(recorded)

    def _play(self, pairs: range, seating: int, tick: Tick) -> _Decisions:
        tables = Tables(
            self.batch_size if self.players.are_batched else 1,
            self.rules,
            self.seed,
            num_episodes=len(pairs),
            first_episode=pairs.start,
        )
        steps = list[_Decisions]()
        net_points = np.zeros(len(pairs), np.int8)  # of team 0

        def watch(actions: np.ndarray) -> None:
            steps.append(self._step(tables, actions, seating))

        with self.players.prepared(seating) as seated:
            for results in play(tables, seated, tick, watch=watch):
                net_points[results["episode"] - pairs.start] = results["points"][:, 0] - results["points"][:, 1]
                tick("deals", len(results))
        decisions = _joined(steps)
        of_team_0 = net_points[decisions["deals"] - pairs.start]
        points = np.where(decisions["seats"] & 1, -of_team_0, of_team_0).astype(np.int8)
        return decisions | {"points": points}

    def _step(self, tables: Tables, actions: np.ndarray, seating: int) -> _Decisions:
        """The legal decisions of one step, before it is carried out; without the points, which come later."""
        rows = np.flatnonzero(actions >= 0)
        observations, masks = tables.observations(rows)
        seats = tables.turns[rows]
        places = (seats - seating) & 3
        values = np.full(len(rows), np.nan, np.float32)
        has_choice = masks.sum(axis=1) > 1
        for number, critic in enumerate(self.critics):
            mine = np.flatnonzero(has_choice & (places % len(self.critics) == number))
            if critic is not None and len(mine):
                values[mine] = critic.values_of_rows(tables, rows[mine])
        return {
            "observations": np.packbits(observations.astype(np.bool_), axis=1),
            "action_masks": np.packbits(masks.astype(np.bool_), axis=1),
            "actions": actions[rows].astype(np.int8),
            "deals": tables.episodes[rows],
            "plays": np.full(len(rows), seating, np.int8),
            "seats": seats.astype(np.int8),
            "places": places.astype(np.int8),
            "values": values,
        }


def _joined(parts: Sequence[_Decisions]) -> _Decisions:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _in_order(parts: Sequence[_Decisions]) -> _Decisions:
    """The decisions of all parts, each in the order of time, in the order of deals, plays and time."""
    joined = _joined(parts)
    order = np.lexsort((joined["plays"], joined["deals"]))  # stable, so the order of time is kept
    return {name: array[order] for name, array in joined.items()}


def _write(file: Path, decisions: _Decisions, info: dict[str, Any]) -> None:
    """Write an .npz archive; the time of writing is not in it."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ARRAYS:
            packed = decisions[name]
            shape = (len(packed), SIZES[name]) if name in SIZES else (len(packed),)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
                header = {"descr": np.lib.format.dtype_to_descr(TYPES[name]), "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(out, header)
                for rows in _unpacked(packed, SIZES.get(name)):
                    out.write(np.ascontiguousarray(rows, TYPES[name]).tobytes())
        with archive.open(f"{INFO}.npy", "w") as out:
            np.lib.format.write_array(out, np.array(json.dumps(info)), allow_pickle=False)


def _unpacked(packed: np.ndarray, size: int | None) -> Iterator[np.ndarray]:
    """The rows of an array, some at a time, with `size` numbers in each if it is packed."""
    for first in range(0, len(packed), ROWS_AT_ONCE):
        rows = packed[first : first + ROWS_AT_ONCE]
        yield rows if size is None else np.unpackbits(rows, axis=1, count=size)


def load_dataset(file: str | Path) -> Dataset:
    """Read a data set that `record` wrote.

    Raises:
        ValueError: if the file cannot be read or is damaged, is of another version of the format, or its arrays do not
            fit together; the message names the file.
    """
    file = Path(file)
    try:
        with file.open("rb") as stream:
            arrays = read_arrays(stream, (INFO, *ARRAYS))
        info = parse_json(str(arrays.pop(INFO)))
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ValueError(f"{file} is not a data set of decisions: {error}") from error
    if not isinstance(info, dict) or info.get("format") != FORMAT:
        found = info.get("format") if isinstance(info, dict) else info
        raise ValueError(f"{file} has format {shortened(found)}; this version reads format {FORMAT}")
    number = len(arrays["actions"])
    for name, array in arrays.items():
        shape = (number, SIZES[name]) if name in SIZES else (number,)
        if array.shape != shape or array.dtype != TYPES[name]:
            expected = f"{TYPES[name]}, shape {shape}"
            raise ValueError(f"{file} is damaged: {name} is {array.dtype}, shape {array.shape}, not {expected}")
    try:
        dataset = Dataset(
            **arrays,
            players=tuple(map(str, info["players"])),
            rules=str(info["rules"]),
            seed=int(info["seed"]),
            version=str(info["version"]),
            sees_all=tuple(map(int, info["sees_all"])),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{file} is damaged: {INFO}: {error}") from error
    try:
        _check_values(dataset)
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}") from error
    return dataset


def _check_values(data: Dataset) -> None:
    """Check that the numbers of a data set can be those of decisions.

    Raises:
        ValueError: if they cannot; the message names the array and the row.
    """
    if len(data.players) != 4 or not all(0 <= player < 4 for player in data.sees_all):
        raise ValueError(f"{INFO}: there must be four players, not {data.players}, and {data.sees_all} must be of them")
    parse_rules(data.rules)
    highest = {"observations": 1, "action_masks": 1, "actions": NUM_ACTIONS - 1, "plays": 1, "seats": 3, "places": 3}
    for name, most in highest.items():
        array = getattr(data, name)
        bad = ((array < 0) | (array > most)).reshape(len(data), -1).any(axis=1) if len(data) else np.zeros(0, np.bool_)
        if bad.any():
            raise ValueError(f"{name} must be from 0 to {most}, and are not in row {int(bad.argmax())}")
    illegal = data.action_masks[np.arange(len(data)), data.actions] == 0
    if illegal.any():
        raise ValueError(f"actions must be legal, and the one of row {int(illegal.argmax())} is not in its mask")
