"""`load` finds players by name: the built-in ones, those of installed packages, networks in folders, classes."""

import re
import typing
from typing import Any

import pytest
from support.installed_players import install
from support.networks import small_network

from euchre_agents import load
from euchre_agents.loading import BUILT_IN, BuiltIn, known_players
from euchre_env.house_rules import PRESETS
from euchre_env.table import Table


def test_the_names_with_a_known_type_are_the_built_in_players_that_see_views():
    assert set(BUILT_IN) - {"oracle"} == set(typing.get_args(BuiltIn))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rulse", "unknown player 'rulse'; did you mean 'rules'?; players: random, passer, easy, rules"),
        ("", "unknown player ''; players: random, passer"),
        ("runs/absent", "unknown player 'runs/absent'; players:"),
        ("no_such_module:Bot", "there is no module 'no_such_module' on the path of Python"),
        ("euchre_agents.nothing:Bot", "there is no module 'euchre_agents.nothing' on the path of Python"),
        ("euchre_agents:RuleBott", "no 'RuleBott' in euchre_agents; did you mean 'RuleBot'?"),
        ("euchre_agents:load_nothing", "no 'load_nothing' in euchre_agents"),
        ("euchre_agents:", "no '' in euchre_agents"),
        (":Bot", "'' is not the name of a module"),
        (".relative:Bot", "'.relative' is not the name of a module"),
        ("euchre_env.house_rules:HouseRules", "has no method act(observation, action_mask)"),
        ("rules:easy", "player 'rules' takes no argument, but is given 'easy'"),
        ("ppo:", "player 'ppo' takes no argument, or 'points' or 'sampled', but is given ''"),
    ],
)
def test_a_player_that_is_not_there_is_refused_with_what_would_do(name, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        load(name)


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 5000, "nul\0", "x" * 300 + ":Bot", "no such\nplayer"])
def test_a_name_that_cannot_be_a_path_is_an_unknown_player_in_one_line(name):
    with pytest.raises(ValueError, match="player") as caught:
        load(name)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_invalid_seeds_and_rules_are_refused():
    with pytest.raises(ValueError, match="seed must be a whole number"):
        load("random", seed=-1)
    with pytest.raises(ValueError, match="did you mean 'pagat'"):
        load("random", rules="pagta")


# Classes of one's own

MODULE = """
class Bare:
    def act(self, observation, action_mask):
        return int(action_mask.argmax())

class Seeded(Bare):
    def __init__(self, seed, rules=None):
        self.seed, self.rules = seed, rules

class NeedsMore(Bare):
    def __init__(self, seed, weights):
        self.weights = weights

class Fails(Bare):
    def __init__(self):
        raise ZeroDivisionError("its own")

ready_made = Bare()
"""


@pytest.fixture
def module_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "players_to_load.py").write_text(MODULE)
    (tmp_path / "my_broken_players.py").write_text("import a_module_that_is_not_installed")
    (tmp_path / "my_failing_players.py").write_text("int('no number')")
    monkeypatch.syspath_prepend(tmp_path)


def loaded(name, **more) -> Any:
    """`load(name)`, whose type promises no more than `act`."""
    return load(name, **more)


@pytest.mark.usefixtures("module_of_ones_own")
def test_a_class_of_ones_own_is_made_with_the_seed_and_rules_it_asks_for():
    observation, mask = Table(seed=1).observation()
    assert load("players_to_load:Bare", seed=3).act(observation, mask) == mask.argmax()
    player = loaded("players_to_load:Seeded", seed=3, rules="pagat")
    assert (player.seed, player.rules) == (3, PRESETS["pagat"])
    assert load("players_to_load:ready_made") is load("players_to_load:ready_made")


@pytest.mark.usefixtures("module_of_ones_own")
def test_a_constructor_that_needs_other_arguments_names_the_player():
    with pytest.raises(ValueError, match=r"player 'players_to_load:NeedsMore': .*'weights'"):
        load("players_to_load:NeedsMore")


@pytest.mark.usefixtures("module_of_ones_own")
@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("my_broken_players:Bot", ModuleNotFoundError, "a_module_that_is_not_installed"),
        ("my_failing_players:Bot", ValueError, "invalid literal for int"),
        ("players_to_load:Fails", ZeroDivisionError, "its own"),
    ],
)
def test_what_goes_wrong_inside_a_module_of_ones_own_passes_through(name, error, message):
    with pytest.raises(error, match=f"^.*{message}"):
        load(name)


# Players of installed packages


def test_an_installed_player_gets_its_argument_the_seed_and_the_rules(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "some_euchre_players", {"remembering": "Remembering"})
    (tmp_path / "remembering").mkdir()
    monkeypatch.chdir(tmp_path)  # a folder of the same name: names come first
    assert loaded("remembering").arguments == (None, None, None)
    assert loaded("remembering:deep:64", seed=5, rules="pagat").arguments == ("deep:64", 5, PRESETS["pagat"])
    assert loaded("remembering:").arguments == ("", None, None)
    with pytest.raises(ValueError, match="did you mean 'remembering'"):
        load("remembring")


def test_an_installed_factory_that_makes_no_player_is_refused(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "other_euchre_players", {"nobody": "no_player"})
    with pytest.raises(ValueError, match=r"player 'nobody:3' has no method act.*: 17"):
        load("nobody:3")


def test_an_installed_player_may_not_hide_a_built_in_one(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "greedy_euchre_players", {"rules": "Remembering"})
    message = "package 'greedy_euchre_players' registers a player 'rules', a name that a built-in player has"
    for name in ("rules", "random"):
        with pytest.raises(ValueError, match=message):
            load(name)


def test_two_packages_may_not_register_the_same_name(tmp_path, monkeypatch):
    for package in ("first_euchre_players", "second_euchre_players"):
        install(tmp_path, monkeypatch, package, {"remembering": "Remembering"})
    with pytest.raises(ValueError, match="a player 'remembering', a name that another package has"):
        known_players()


# Networks


def test_a_run_folder_or_its_weights_are_a_player_named_after_the_folder(tmp_path, monkeypatch):
    folder = tmp_path / "best"
    folder.mkdir()
    network = small_network(hidden_sizes=(8,))
    network.save(folder)
    observation, mask = Table(seed=1).observation()
    for path in (folder, folder / "policy.safetensors", folder / "policy.json"):
        player = loaded(str(path))
        assert player.name == "best"
        assert player.act(observation, mask) == network.act(observation, mask)
    monkeypatch.chdir(folder)
    assert loaded(".").name == "best"


def test_a_folder_without_a_network_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"holds no network: policy\.json is missing"):
        load(str(tmp_path))
