"""Networks that see all cards, as players: what hidden cards change, saving by name, and where they may play."""

import itertools
import json
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from support.hidden_worlds import redealt
from support.networks import HIDDEN_CARDS, small_network, some_decisions
from support.rules import EVERYTHING

from euchre_agents import RuleBot, act_rows, load
from euchre_agents.encoder import INPUT_FIELDS, InputEncoder
from euchre_agents.network import CARD_FILE, WEIGHTS_FILE, NetworkPolicy, load_network
from euchre_agents.network_card import NetworkCard, inputs_of
from euchre_agents.open_player import OpenNetwork, load_open_player
from euchre_env.actions import ACTION_NAMES
from euchre_env.deal import DEAL, OVER
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.kernel import records
from euchre_env.relative_suits import RELABELLED
from euchre_env.state import HIDDEN_FIELDS
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_eval import play_match
from euchre_eval.cli import main as euchre_eval

STANDARD = HouseRules()


def open_network(seed=0, *, rules=STANDARD, trained_under="standard", hidden_sizes=(16, 24), scale=0.3):
    """A network with normally distributed weights that sees all cards."""
    rng = np.random.default_rng(seed)
    inputs = inputs_of(INPUT_FIELDS)
    card = NetworkCard(inputs, ACTION_NAMES, hidden_sizes, trained_under, hidden_cards=HIDDEN_CARDS)
    sizes = [card.num_inputs, *hidden_sizes, len(card.actions)]
    weights = tuple((scale * rng.normal(size=shape)).astype(np.float32) for shape in itertools.pairwise(sizes))
    biases = tuple((scale * rng.normal(size=size)).astype(np.float32) for size in sizes[1:])
    return OpenNetwork(card, weights, biases, rules)


def deals_of(tables):
    """The deals in progress at Python tables, as records."""
    deals = records(len(tables), DEAL)
    for i, table in enumerate(tables):
        deals[i] = table.deal
    return deals


def positions_and_their_likes(count, rules):
    """Tables in random play, and copies that look the same to the seat to act but hide other cards from it."""
    rng, tables = random.Random(7), []
    while len(tables) < count:
        table = Table(rules, rng.randrange(10**6))
        for _ in range(rng.randrange(14)):
            table.step(rng.choice(table.legal_actions()))
        if table.turn is not None and len(table.legal_actions()) > 1:
            tables.append(table)
    return tables, [redealt(table, table.turn, rng) for table in tables]


# What hidden cards change


@pytest.mark.parametrize("rules", [STANDARD, EVERYTHING], ids=["standard", "every rule"])
def test_hidden_cards_change_what_it_plays_and_never_what_others_play(rules):
    tables, alike = positions_and_their_likes(60, rules)
    for table, other in zip(tables, alike, strict=True):
        assert table.view() == other.view()
    player = open_network(rules=rules)
    seen, seen_otherwise = player.probabilities(deals_of(tables)), player.probabilities(deals_of(alike))
    hides_another = [table.deal != other.deal for table, other in zip(tables, alike, strict=True)]
    np.testing.assert_array_equal(np.any(seen != seen_otherwise, axis=1), hides_another)
    keys = np.zeros(len(tables), np.int64)
    assert np.any(player.act_deals(deals_of(tables), keys) != player.act_deals(deals_of(alike), keys))
    honest = small_network(fields=tuple(INPUT_FIELDS))
    np.testing.assert_array_equal(
        [honest.probabilities(np.array([table.view()]))[0] for table in tables],
        [honest.probabilities(np.array([table.view()]))[0] for table in alike],
    )


def test_it_gives_what_its_weights_give_on_view_and_hidden_cards():
    tables, player = some_decisions(80), open_network()
    observations, hidden = tables.observations(relative_suits=True)[0], tables.hidden(relative_suits=True)
    own_places = player.card.places()
    active, counts = InputEncoder(own_places)(observations)
    inputs = np.zeros((len(tables), player.card.num_inputs), np.float32)
    for i in range(len(tables)):
        inputs[i, active[i, : counts[i]]] = 1
    inputs[:, len(own_places) :] = hidden
    units = inputs
    for weights, biases in zip(player.weights[:-1], player.biases[:-1], strict=True):
        units = np.maximum(units @ weights + biases, 0)
    logits = units @ player.weights[-1] + player.biases[-1]
    absolute = np.take_along_axis(logits, RELABELLED[tables.frames], axis=1)
    legal = tables.legal_actions()[:, np.newaxis] >> np.arange(len(ACTION_NAMES)) & 1
    powers = np.exp(absolute - absolute.max(axis=1, keepdims=True)) * legal
    expected = powers / powers.sum(axis=1, keepdims=True)
    probabilities = player.probabilities(tables.deals())
    np.testing.assert_allclose(probabilities, expected, atol=2e-5)
    assert np.all(probabilities[legal == 0] == 0)
    actions = player.act_deals(tables.deals(), np.zeros(len(tables), np.int64))
    np.testing.assert_array_equal(actions, probabilities.argmax(axis=1))


def test_each_decision_is_the_same_alone_and_in_any_batch():
    tables, player = some_decisions(40), open_network()
    deals, keys = tables.deals(), tables.decision_keys(1)
    together = player.act_deals(deals, keys)
    alone = [player.act_deals(deals[i : i + 1], keys[i : i + 1])[0] for i in range(len(deals))]
    np.testing.assert_array_equal(alone, together)


# Saved and loaded


@pytest.fixture
def folder(tmp_path):
    """A folder with a saved network that sees all cards."""
    path = tmp_path / "cheat"
    path.mkdir()
    open_network().save(path)
    return path


def test_it_is_loaded_as_it_was_saved(folder):
    deals, player = some_decisions(40).deals(), load(str(folder))
    assert isinstance(player, OpenNetwork)
    assert (player.name, player.rules, player.sees_all) == ("cheat", STANDARD, True)
    np.testing.assert_array_equal(player.probabilities(deals), open_network().probabilities(deals))


def test_it_finds_its_hidden_cards_by_name(folder):
    """Reorder the card and, with it, the rows of the first matrix: the decisions stay."""
    card = json.loads((folder / CARD_FILE).read_text())
    assert card["hidden_cards"] == {name: list(places) for name, places in HIDDEN_CARDS.items()}
    tensors, own = load_file(folder / WEIGHTS_FILE), sum(map(len, card["inputs"].values()))
    rows = {(name, place): own + HIDDEN_FIELDS[name].first + i for name in HIDDEN_CARDS for i, place in
            enumerate(HIDDEN_CARDS[name])}  # fmt: skip
    reordered = {name: list(reversed(HIDDEN_CARDS[name])) for name in reversed(HIDDEN_CARDS)}
    order = [*range(own), *(rows[name, place] for name, places in reordered.items() for place in places)]
    tensors["weights.0"] = np.ascontiguousarray(tensors["weights.0"][order])
    save_file(tensors, folder / WEIGHTS_FILE)
    (folder / CARD_FILE).write_text(json.dumps(card | {"hidden_cards": reordered}))
    deals = some_decisions(40).deals()
    reloaded = load_open_player(folder).probabilities(deals)
    np.testing.assert_allclose(reloaded, open_network().probabilities(deals), atol=1e-5)


def test_a_hidden_place_that_is_not_known_is_named(folder):
    card = json.loads((folder / CARD_FILE).read_text())
    card["hidden_cards"]["beneath"] = card["hidden_cards"].pop("left")
    (folder / CARD_FILE).write_text(json.dumps(card))
    with pytest.raises(ValueError, match=r"policy\.json does not fit this version: .*'beneath'"):
        load(str(folder))


def test_the_card_of_an_honest_network_does_not_speak_of_hidden_cards(tmp_path):
    small_network(hidden_sizes=(8,)).save(tmp_path)
    assert "hidden_cards" not in json.loads((tmp_path / CARD_FILE).read_text())


def test_nothing_makes_an_honest_player_of_it(folder):
    with pytest.raises(ValueError, match=r"policy\.json: the network sees all cards"):
        load_network(folder)
    player = open_network()
    with pytest.raises(ValueError, match="reads hidden cards, so it cannot play from views"):
        NetworkPolicy(player.card, player.weights, player.biases)
    with pytest.raises(ValueError, match=re.escape(f"{str(folder)!r} sees all cards; it takes no argument")):
        load(f"{folder}:sampled")


def test_its_house_rules_are_those_of_the_games_or_of_its_training(tmp_path):
    open_network(trained_under="pagat").save(tmp_path)
    assert load_open_player(tmp_path).rules == parse_rules("pagat")
    assert load(str(tmp_path), rules="british").rules == parse_rules("british")  # type: ignore[attr-defined]
    open_network(trained_under="standard | random").save(tmp_path)
    assert load(str(tmp_path), rules="british").rules == parse_rules("british")  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=r"several house rules, 'standard \| random'; it needs those of the games"):
        load(str(tmp_path))


def test_it_plays_without_torch(folder):
    program = f"""
import sys
sys.modules["torch"] = None
from euchre_agents import load
from euchre_env.tables import Tables
tables = Tables(3, seed=1)
print(load({str(folder)!r}).act_deals(tables.deals(), tables.decision_keys(0)).tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    tables = Tables(3, seed=1)
    assert done.stdout == f"{open_network().act_deals(tables.deals(), tables.decision_keys(0)).tolist()}\n"


# Where it may play


@pytest.mark.compiled
def test_a_match_refuses_it_unless_cheating_is_allowed():
    player = open_network()
    with pytest.raises(ValueError, match=r"player 'network' sees all cards.*allow_cheating=True"):
        play_match(player, RuleBot(seed=0), deals=1)
    result = play_match(player, RuleBot(seed=0), deals=30, allow_cheating=True)
    assert result.reneges == (0, 0, 0, 0)
    assert result.sees_all == (0,)
    assert result == play_match(player, RuleBot(seed=0), deals=30, allow_cheating=True, batch_size=7)


@pytest.mark.compiled
@pytest.mark.parametrize("rules", ["pagat", "british", "canadian"])
def test_it_keeps_to_the_house_rules_that_it_is_told(rules, tmp_path):
    open_network().save(tmp_path)
    player = load(str(tmp_path), rules=rules)
    result = play_match(player, RuleBot(seed=0), deals=50, rules=rules, allow_cheating=True)
    assert result.reneges == (0, 0, 0, 0)


@pytest.mark.compiled
def test_the_command_refuses_it_without_permission_and_marks_it_with(folder, capsys):
    assert euchre_eval(["match", str(folder), "rules", "--deals", "2"]) == 2
    assert "sees all cards" in capsys.readouterr().err
    assert euchre_eval(["match", str(folder), "rules", "--deals", "2", "--allow-cheating"]) == 0
    assert f"{folder} (sees all cards) against rules" in capsys.readouterr().out


def test_asking_it_for_rows_needs_permission():
    tables, player = some_decisions(5), open_network()
    rows = np.arange(len(tables))
    with pytest.raises(ValueError, match="OpenNetwork sees all cards, which needs allow_cheating=True"):
        act_rows(player, tables, rows)
    chosen = act_rows(player, tables, rows, allow_cheating=True)
    np.testing.assert_array_equal(chosen, player.act_deals(tables.deals(), tables.decision_keys(0)))


def test_what_is_no_batch_of_deals_in_progress_is_refused():
    player, tables = open_network(), some_decisions(3)
    deals, keys = tables.deals(), tables.decision_keys(0)
    with pytest.raises(ValueError, match=r"deals must be records of dtype DEAL, shape \(n,\)"):
        player.act_deals(tables.views(), keys)
    with pytest.raises(ValueError, match=r"keys must be int64, shape \(3,\)"):
        player.act_deals(deals, keys[:2])
    over, doubled = deals.copy(), deals.copy()
    over["phase"][1] = OVER
    with pytest.raises(ValueError, match="deal 1 is not"):
        player.act_deals(over, keys)
    doubled["kitty"][2] = doubled["kitty"][2] | doubled["hands"][2, 0]
    with pytest.raises(ValueError, match="deal 2 does not have each card of the pack of its house rules once"):
        player.act_deals(doubled, keys)
