"""Data sets: every decision of a match, in order, with what followed; the same bytes each time; readable by NumPy."""

import json
import os
import time
import zipfile
from typing import Any

import numpy as np
import pytest
from support.networks import small_critic, small_network
from support.players import Answers, LowestLegal

from euchre_agents import load, load_critic
from euchre_agents.loading import critic_folder
from euchre_env import Tables
from euchre_env.random_streams import training_seed
from euchre_eval import play_match, workers
from euchre_eval.cli import main
from euchre_eval.dataset import ARRAYS, RecordPart, load_dataset, record

pytestmark = pytest.mark.compiled  # plays hundreds of deals

NAMES = ["rules", "easy"]
PATIENCE = 300  # seconds, on a busy machine


@pytest.fixture(scope="module")
def dataset_file(tmp_path_factory):
    """A data set of `rules` against `easy`."""
    file = tmp_path_factory.mktemp("dataset") / "deals.npz"
    record(*(load(name, seed=0) for name in NAMES), file=file, deals=150, seed=7, rules="british", names=NAMES)
    return file


@pytest.fixture(scope="module")
def dataset(dataset_file):
    """The same, read."""
    return load_dataset(dataset_file)


@pytest.fixture(scope="module")
def critic_run(tmp_path_factory):
    """A folder with an untrained network and a critic."""
    folder = tmp_path_factory.mktemp("run")
    small_network().save(folder)
    small_critic().save(folder)
    return folder


def changed(file, tmp_path, **changes):
    """A copy of a data set with some arrays replaced or changed by a function, or left out where a change is None."""
    with np.load(file) as archive:
        arrays = dict(archive)
    arrays |= {name: change(arrays[name]) if callable(change) else change for name, change in changes.items()}
    np.savez(tmp_path / "changed.npz", **{name: array for name, array in arrays.items() if array is not None})
    return tmp_path / "changed.npz"


def info_with(**values):
    """A change of the info of a data set."""
    return lambda info: np.array(json.dumps(json.loads(str(info)) | values))


def test_the_decisions_replay_the_deals(dataset):
    for play in (0, 1):
        tables = Tables(150, "british", 7, num_episodes=150)
        rows = np.flatnonzero(dataset.plays == play)
        by_deal = {deal: iter(rows[dataset.deals[rows] == deal]) for deal in range(150)}
        while len(tables):
            now = np.array([next(by_deal[deal]) for deal in tables.episodes])
            observations, masks = tables.observations()
            assert np.array_equal(dataset.observations[now], observations)
            assert np.array_equal(dataset.action_masks[now], masks)
            assert np.array_equal(dataset.seats[now], tables.turns)
            for result in tables.step(dataset.actions[now].astype(np.int64)):
                own = dataset.deals[rows] == result["episode"]
                net = result["points"][0] - result["points"][1]
                assert np.array_equal(dataset.points[rows[own]], np.where(dataset.seats[rows[own]] % 2, -net, net))
        assert all(next(left, None) is None for left in by_deal.values())


def test_the_points_are_those_of_the_match(dataset):
    match = play_match(*(load(name, seed=0) for name in NAMES), deals=150, seed=7, rules="british", names=NAMES)
    first = dataset.places % 2 == 0
    by_play = [
        np.array([dataset.points[first & (dataset.plays == play) & (dataset.deals == deal)][0] for deal in range(150)])
        for play in (0, 1)
    ]
    assert np.array_equal(np.mean(by_play, axis=0), match.margins)


def test_decisions_are_in_order_and_players_change_seats(dataset):
    assert np.array_equal(np.lexsort((dataset.plays, dataset.deals)), np.arange(len(dataset)))
    assert np.array_equal(dataset.places, (dataset.seats - dataset.plays) % 4)
    assert dataset.players == ("rules", "easy", "rules", "easy")
    assert (dataset.rules, dataset.seed) == ("british", 7)
    assert np.isnan(dataset.values).all()


def record_again(file, *others, **change):
    """Record the deals of `dataset_file` again."""
    players = others or [load(name, seed=0) for name in NAMES]
    record(*players, file=file, deals=150, seed=7, rules="british", names=NAMES, **change)


def test_the_bytes_are_the_same_for_any_batch_size(dataset_file, tmp_path):
    record_again(tmp_path / "again.npz", batch_size=7)
    assert (tmp_path / "again.npz").read_bytes() == dataset_file.read_bytes()


class Marks:
    """Plays as another player does, and leaves a file where another process than the first asks it."""

    stateless = True

    def __init__(self, policy, file):
        self.policy, self.file, self.owner = policy, file, os.getpid()

    def act(self, observation, action_mask):
        return self.policy.act(observation, action_mask)

    def act_views(self, views, keys):
        if os.getpid() != self.owner:
            self.file.touch()
        return self.policy.act_views(views, keys)


def test_the_bytes_are_the_same_for_two_workers(dataset_file, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "START_AFTER", 0.0)
    played, helped = RecordPart.__call__, tmp_path / "helped"

    def wait_and_play(self, part, tick):
        """Play a part in the first process, once another one plays."""
        deadline = time.monotonic() + PATIENCE
        while not helped.exists():
            assert time.monotonic() < deadline, "no other process came"
            tick("", 0)
            time.sleep(0.02)
        return played(self, part, tick)

    monkeypatch.setattr(RecordPart, "__call__", wait_and_play)
    record_again(tmp_path / "again.npz", Marks(load("rules", seed=0), helped), load("easy", seed=0), workers=2)
    assert (tmp_path / "again.npz").read_bytes() == dataset_file.read_bytes()


def test_players_that_remember_are_recorded_in_the_same_order(tmp_path):
    record(LowestLegal(), load("rules"), file=tmp_path / "one.npz", deals=5)
    record(load("rules"), load("rules"), file=tmp_path / "many.npz", deals=5)
    one, many = load_dataset(tmp_path / "one.npz"), load_dataset(tmp_path / "many.npz")
    assert np.array_equal(np.lexsort((one.plays, one.deals)), np.arange(len(one)))
    assert one.players == ("LowestLegal", "rules", "LowestLegal", "rules")
    assert np.array_equal(one.observations[0], many.observations[0])


def test_numpy_alone_reads_it(dataset_file, dataset):
    with np.load(dataset_file, allow_pickle=False) as archive:
        assert set(archive) == {*ARRAYS, "info"}
        assert np.array_equal(archive["observations"], dataset.observations)
        assert json.loads(str(archive["info"]))["players"] == ["rules", "easy", "rules", "easy"]
    with zipfile.ZipFile(dataset_file) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_critic_of_a_player_values_its_choices(tmp_path, critic_run):
    record(
        load(str(critic_run)),
        load("rules"),
        file=tmp_path / "deals.npz",
        deals=20,
        seed=3,
        critics=[critic_folder(str(critic_run)), None],
    )
    data = load_dataset(tmp_path / "deals.npz")
    has_value = (data.places % 2 == 0) & (data.action_masks.sum(axis=1) > 1)
    assert np.array_equal(np.isnan(data.values), ~has_value)
    tables, critic = Tables(20, seed=3, num_episodes=20), load_critic(critic_run)
    first = [int(np.flatnonzero((data.deals == deal) & (data.plays == 0))[0]) for deal in range(20)]
    mine = [row for row in first if has_value[row]]
    values = critic.values_of_rows(tables, data.deals[mine])
    assert np.array_equal(data.values[mine], values)


def test_a_data_set_says_who_saw_all_cards(tmp_path):
    record(load("rules"), load("oracle"), file=tmp_path / "deals.npz", deals=2, allow_cheating=True)
    assert load_dataset(tmp_path / "deals.npz").sees_all == (1, 3)


def test_an_illegal_answer_and_what_would_follow_are_not_recorded(tmp_path):
    record(Answers(lambda observation, mask: 36), load("rules"), file=tmp_path / "deals.npz", deals=8)
    data = load_dataset(tmp_path / "deals.npz")
    assert (data.places % 2 == 1).all()
    assert len(data) > 0
    assert (data.points == 2).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"actions": None}, "is not a data set of decisions: 'actions"),
        ({"info": None}, "is not a data set of decisions: 'info"),
        ({"info": np.array("no JSON")}, "is not a data set of decisions"),
        ({"info": np.array("[]")}, r"has format \[\]; this version reads format 1"),
        ({"info": np.array('{"format": 2}')}, "has format 2; this version reads format 1"),
        ({"info": np.array('{"format": 1}')}, "is damaged: info: 'players'"),
        ({"seats": np.zeros(3, np.int8)}, r"is damaged: seats is int8, shape \(3,\), not int8, shape"),
        ({"values": np.zeros(3)}, "is damaged: values is float64"),
        ({"info": np.array("[" * 100_000)}, "is not a data set of decisions: it is nested too deeply"),
        ({"info": info_with(players=["a"])}, "is damaged: info: there must be four players"),
        (
            {"info": info_with(sees_all=[4])},
            r"is damaged: info: there must be four players.*and \(4,\) must be of them",
        ),
        ({"info": info_with(seed=float("inf"))}, "is damaged: "),
        ({"info": info_with(rules="bogus")}, "is damaged: unknown rules 'bogus'"),
        ({"seats": lambda seats: seats + 1}, "is damaged: seats must be from 0 to 3, and are not in row"),
        ({"actions": lambda actions: actions - 50}, "is damaged: actions must be from 0 to 36, and are not in row 0"),
        (
            {"observations": lambda places: places * 5},
            "is damaged: observations must be from 0 to 1, and are not in row 0",
        ),
        ({"action_masks": lambda masks: masks * 0}, "is damaged: actions must be legal, and the one of row 0 is not"),
    ],
)
def test_a_damaged_file_is_refused(changes, message, dataset_file, tmp_path):
    with pytest.raises(ValueError, match=message):
        load_dataset(changed(dataset_file, tmp_path, **changes))


def test_every_damage_to_a_file_is_a_clear_error(dataset_file, tmp_path):
    content, rng, file = bytearray(dataset_file.read_bytes()), np.random.default_rng(1), tmp_path / "bad.npz"
    refused = list[str]()
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=3):
            damaged[place] ^= 1 << int(rng.integers(8))
        file.write_bytes(damaged)
        try:
            load_dataset(file)
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert all(str(file) in message for message in refused)


def test_a_file_that_is_no_archive_is_refused(tmp_path, dataset_file):
    with pytest.raises(ValueError, match="cannot be read"):
        load_dataset(tmp_path / "missing.npz")
    for content in (b"", b"text", dataset_file.read_bytes()[:1000]):
        (tmp_path / "bad.npz").write_bytes(content)
        with pytest.raises(ValueError, match=r"bad\.npz"):
            load_dataset(tmp_path / "bad.npz")


def test_names_that_are_no_text_are_refused(tmp_path):
    wrong: Any = ["rules", 5]
    for players, names in ((2, wrong), (2, ["rules"])):
        with pytest.raises(ValueError, match="2 players need as many names, not "):
            record(*[load("rules")] * players, file=tmp_path / "a.npz", deals=1, names=names)


def test_the_command_records_training_deals_or_those_of_matches(tmp_path, capsys):
    out = tmp_path / "deals.npz"
    arguments = ["record", "rules", "easy", "random", "passer", "--deals", "3", "--out", str(out), "--seed", "5"]
    assert main(arguments) == 0
    data = load_dataset(out)
    assert capsys.readouterr().out == f"{out}: {len(data)} decisions of 3 deals x 2\n"
    assert (data.seed, data.seed_range, data.seed_number) == (training_seed(5), "training", 5)
    with np.load(out) as archive:
        info = json.loads(str(archive["info"]))
    assert [info[name] for name in ("seed", "seed_range", "seed_number")] == [training_seed(5), "training", 5]
    assert data.players == ("rules", "easy", "random", "passer")
    assert main([*arguments, "--reporting", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["seed"] == load_dataset(out).seed == 5
    assert (printed["seed_range"], printed["seed_number"]) == ("reporting", 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rules --out a.npz", "a match takes two players, or four"),
        ("rules easy", "the following arguments are required: --out"),
        ("rules easy --out nowhere/a.npz", "there is no folder nowhere"),
        ("rules easy --out a.npz --deals 0", "deals must be a whole number from 1"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["record", *arguments.split()]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_critic_that_cannot_be_read_is_refused_before_the_deals_are_played(tmp_path):
    with pytest.raises(ValueError, match=r"critic\.json"):
        record(load("rules"), load("rules"), file=tmp_path / "a.npz", deals=10**9, critics=[tmp_path, None])
    with pytest.raises(ValueError, match=r"critics must have an entry for each of 2 players, not \[None\]"):
        record(load("rules"), load("rules"), file=tmp_path / "a.npz", critics=[None])
