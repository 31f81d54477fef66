"""Critics: saved beside the player, loaded without torch, and asked for rows, views with worlds, or observations."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from support.networks import HIDDEN_CARDS, small_critic
from support.rules import EVERY_RULE, EVERYTHING

from euchre_agents.critic import CARD_FILE, CHUNK, WEIGHTS_FILE, load_critic
from euchre_agents.encoder import INPUT_FIELDS
from euchre_env.cards import CARD_NAMES
from euchre_env.deal import DEFEND, DISCARD, FIRST_ROUND, PLAY, SECOND_ROUND
from euchre_env.house_rules import largest_scores
from euchre_env.kernel import records, row
from euchre_env.state import HIDDEN_FIELDS, HIDDEN_SIZE
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import VIEW
from euchre_env.worlds import deal_of_world, hides_discard

OWN_ARCHITECTURE = """
from torch import nn
from euchre_train.architectures import Architecture
from euchre_train.layers import ActiveLinear

class Shallow(nn.Module):
    def __init__(self, num_inputs, hidden_sizes, num_outputs, last_gain):
        super().__init__()
        self.first, self.last = ActiveLinear(num_inputs, hidden_sizes[0]), nn.Linear(hidden_sizes[0], num_outputs)

    def forward(self, inputs, counts):
        return self.last(self.first(inputs, counts).tanh())

SHALLOW = Architecture(Shallow)
"""


def constant_critic(output, **more):
    """A critic whose network always gives `output`."""
    critic = small_critic(**more)
    for array in (*critic.weights, *critic.biases):
        array[:] = 0
    critic.biases[-1][:] = output
    return critic


def decisions(count=400, rules=(*EVERY_RULE, EVERYTHING), seed=5, most=23):
    """Tables in random play, row i after i % most actions."""
    tables, rows = Tables(count, rules, seed), np.arange(count)
    for step in range(most):
        going_on = rows[rows % most > step]
        tables.step(tables.random_actions(seed, going_on), rows=going_on)
    return tables


def true_worlds(tables):
    """The deal of each row as a world of the view of the seat to act."""
    worlds = []
    for view, deal in zip(tables.views().view(np.recarray), tables.deals().view(np.recarray), strict=True):
        hands = [int(deal.hands[(deal.turn + seat) % 4]) for seat in (1, 2, 3)]
        worlds.append(deal_of_world(view, hands, int(deal.kitty), int(deal.discard) if hides_discard(view) else None))
    return worlds


# Values


@pytest.mark.compiled
@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
@pytest.mark.parametrize("kind", ["all_hands", "own_view"])
def test_values_are_those_of_torch_in_points(kind, architecture):
    torch = pytest.importorskip("torch", reason="training needs the extra [train]")
    from euchre_train.config import Config
    from euchre_train.model import ActorCritic
    from euchre_train.ppo import estimate_values

    torch.manual_seed(3)
    config = Config(critic=kind, architecture=architecture, critic_hidden_sizes=(24, 24), precision="float32")
    model, tables = ActorCritic(config), decisions()
    observations, hidden = tables.observations(relative_suits=True)[0], tables.hidden(relative_suits=True)
    outputs = estimate_values(model, model.encode(observations, hidden))
    scale = [largest_scores(tables.rule_sets[i].packed())[0] / 2 for i in tables.rules_indices]
    assert set(scale) == {2, 2.5}  # the largest scores are 4, and 5 in EVERYTHING
    values = model.portable_critic().values(observations, hidden)
    assert (values.dtype, values.shape) == (np.float32, (len(tables),))
    assert values.std() > 0.1
    np.testing.assert_allclose(values, outputs * scale, atol=1e-5)


def test_rows_views_with_worlds_and_observations_have_the_same_values():
    critic, tables = small_critic(), decisions()
    assert {FIRST_ROUND, SECOND_ROUND, DISCARD, DEFEND, PLAY} <= set(tables.phases)
    assert len(set(tables.frames)) == 4
    expected, hidden = critic.values_of_rows(tables), tables.hidden()
    np.testing.assert_array_equal(critic.values(tables.observations()[0], hidden), expected)
    relative = tables.observations(relative_suits=True)[0], tables.hidden(relative_suits=True)
    np.testing.assert_array_equal(critic.values(*relative), expected)
    np.testing.assert_array_equal(critic.values_of_views(tables.views(), true_worlds(tables)), expected)
    some = np.array([3, 14, 15])
    np.testing.assert_array_equal(critic.values_of_rows(tables, some), expected[some])


def test_one_view_is_valued_in_each_of_many_worlds():
    critic, table = small_critic(), Table(seed=7)
    view, cards = table.view(), [card for card in range(24) if not table.view().hand >> card & 1]
    cards.remove(int(view.upcard))
    worlds = []
    for shift in range(18):
        left, partner, right, kitty = (
            sum(1 << card for card in np.roll(cards, shift)[i : i + 5].tolist()) for i in (0, 5, 10, 15)
        )
        worlds.append(deal_of_world(view, (left, partner, right), kitty))
    values = critic.values_of_views(view, worlds)
    assert len(np.unique(values)) == 18
    assert critic.values_of_views(view, worlds[4:5]) == values[4]
    np.testing.assert_array_equal(critic.values_of_views(view, np.array(worlds)), values)
    assert critic.values_of_views(view, []).shape == (0,)


def test_a_critic_on_own_view_needs_no_hidden_cards_and_reads_none():
    critic, tables = small_critic(hidden_cards={}), decisions(60)
    assert not critic.sees_all_hands
    expected, observations = critic.values_of_rows(tables), tables.observations()[0]
    np.testing.assert_array_equal(critic.values(observations), expected)
    np.testing.assert_array_equal(critic.values(observations, np.zeros((60, HIDDEN_SIZE), np.int8)), expected)
    np.testing.assert_array_equal(critic.values_of_views(tables.views()), expected)
    assert critic.values_of_views(row(tables.views(), 3)) == expected[3]


@pytest.mark.compiled
def test_each_value_is_the_same_to_the_last_bit_alone_and_in_a_large_batch():
    critic, tables = small_critic(), decisions(CHUNK + 5)
    together = critic.values_of_rows(tables)
    for number in (0, 17, CHUNK - 1, CHUNK, CHUNK + 4):
        assert critic.values_of_rows(tables, np.array([number])) == together[number]


def test_no_row_has_no_value():
    assert small_critic().values_of_rows(decisions(5), np.empty(0, np.int64)).shape == (0,)


@pytest.mark.parametrize(
    ("rules", "points"),
    [("standard", 4), ("standard,lone_march_points=2", 2), ("pagat,march_points=6", 6), ("tournament", 4)],
)
def test_the_largest_reward_means_the_largest_score_of_the_rules(rules, points):
    tables = decisions(10, rules)
    np.testing.assert_array_equal(constant_critic(2.0).values_of_rows(tables), points)
    np.testing.assert_array_equal(constant_critic(-1.0).values_of_rows(tables), -points / 2)
    assert constant_critic(2.0).unit == "points"


def test_values_of_a_reward_of_your_own_are_in_its_unit():
    critic = constant_critic(0.75, reward="my_rewards:tricks")
    assert critic.unit == "my_rewards:tricks"
    np.testing.assert_array_equal(critic.values_of_rows(decisions(20)), 0.75)


# Arguments that are refused


def test_hidden_cards_in_other_suits_than_the_view_are_refused():
    critic, tables = small_critic(), decisions(60)
    first = int(np.flatnonzero(tables.frames)[0])
    message = f"hidden cards of row {first} are not those that its view lacks"
    with pytest.raises(ValueError, match=message):
        critic.values(tables.observations(relative_suits=True)[0], tables.hidden())
    with pytest.raises(ValueError, match=message):
        critic.values(tables.observations()[0], tables.hidden(relative_suits=True))


@pytest.mark.parametrize("change", ["take a card away", "add a card", "give the upcard twice"])
def test_hidden_cards_that_do_not_fit_the_view_are_refused(change):
    critic, tables = small_critic(), Tables(3, seed=1)
    observations, hidden, view = tables.observations()[0], tables.hidden(), row(tables.views(), 2)
    assert critic.values(observations, hidden).shape == (3,)
    held = int(np.flatnonzero(hidden[2])[0])
    if change == "take a card away":
        hidden[2, held] = 0
    elif change == "add a card":
        own = next(card for card in range(24) if view.hand >> card & 1)
        hidden[2, HIDDEN_FIELDS["right"].first + own] = 1
    else:
        hidden[2, HIDDEN_FIELDS["kitty"].first + int(view.upcard)] = 1
    with pytest.raises(ValueError, match="hidden cards of row 2 are not those that its view lacks"):
        critic.values(observations, hidden)


def test_a_critic_on_all_hands_asks_for_hidden_cards():
    critic, tables = small_critic(), decisions(4)
    assert critic.sees_all_hands
    with pytest.raises(ValueError, match="sees all hands, so it needs the hidden cards"):
        critic.values(tables.observations()[0])
    with pytest.raises(ValueError, match="sees all hands, so it needs the hidden cards"):
        critic.values_of_views(tables.views())
    with pytest.raises(ValueError, match="each of 4 decisions, not 3"):
        critic.values(tables.observations()[0], tables.hidden()[:3])
    with pytest.raises(ValueError, match="a world for each of 4 views, not 2 worlds"):
        critic.values_of_views(tables.views(), true_worlds(tables)[:2])


def test_a_view_of_a_seat_that_is_not_to_act_is_refused():
    tables = Tables(2, seed=1)
    views = tables.views()
    views["legal"][1] = 0
    with pytest.raises(ValueError, match="asked only when its seat is to act"):
        small_critic(hidden_cards={}).values_of_views(views)
    observations = tables.observations()[0]
    observations[1] = 1
    with pytest.raises(ValueError, match="no view has the observation of row 1"):
        small_critic(hidden_cards={}).values(observations)


@pytest.mark.parametrize("views", [None, [1], np.zeros(3), records(4, VIEW).reshape(2, 2)])
def test_what_is_no_view_is_refused(views):
    with pytest.raises(ValueError, match="views must be records of dtype VIEW"):
        small_critic(hidden_cards={}).values_of_views(views)


def test_a_world_that_is_no_deal_in_progress_is_refused():
    critic, tables = small_critic(), Tables(2, seed=1)
    worlds = np.array(true_worlds(tables))
    worlds["kitty"][1] = 1 << 40
    with pytest.raises(ValueError, match="world 1 is not a deal in progress"):
        critic.values_of_views(tables.views(), worlds)
    with pytest.raises(ValueError, match="worlds must be records of dtype DEAL"):
        critic.values_of_views(tables.views(), [1, 2])  # type: ignore[arg-type]  # the mistake that is tested


# Files


@pytest.fixture
def folder(tmp_path):
    """A folder with a critic in it."""
    small_critic().save(tmp_path)
    return tmp_path


def refusal(folder):
    """The one-line message of a failure to load."""
    with pytest.raises(ValueError, match=re.escape(str(folder))) as caught:
        load_critic(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
@pytest.mark.parametrize("hidden_cards", [HIDDEN_CARDS, {}, {"right": ("AS", "9C")}], ids=["all", "none", "two"])
def test_what_is_saved_is_what_is_loaded(tmp_path, hidden_cards, architecture):
    critic, tables = small_critic(hidden_cards=hidden_cards, architecture=architecture), decisions(50)
    critic.save(tmp_path)
    loaded = load_critic(str(tmp_path))
    assert loaded.card == critic.card
    np.testing.assert_array_equal(loaded.values_of_rows(tables), critic.values_of_rows(tables))


def test_a_card_names_the_hidden_cards_and_lists_them_after_the_inputs(folder):
    values = json.loads((folder / CARD_FILE).read_text())
    assert list(values["inputs"]) == list(INPUT_FIELDS)
    assert values["hidden_cards"] == {
        name: list(CARD_NAMES) for name in ("left", "partner", "right", "kitty", "discard")
    }
    critic = load_critic(folder)
    weights = load_file(folder / WEIGHTS_FILE)["weights.0"]
    assert len(weights) == critic.card.num_inputs
    rows = len(weights) - HIDDEN_SIZE + HIDDEN_FIELDS["partner"].first + np.arange(25)
    reordered = {**values, "hidden_cards": {**values["hidden_cards"], "partner": list(CARD_NAMES[::-1])}}
    (folder / CARD_FILE).write_text(json.dumps(reordered))
    tensors = load_file(folder / WEIGHTS_FILE)
    tensors["weights.0"][rows] = weights[rows[::-1]]
    save_file(tensors, folder / WEIGHTS_FILE)
    tables = decisions(50)
    np.testing.assert_allclose(load_critic(folder).values_of_rows(tables), critic.values_of_rows(tables), rtol=1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "not the card of a critic: format 2"),
        ({"actions": ["pass"]}, "not the card of a critic: format 1, but it also has"),
        ({"largest_reward": 0}, "largest_reward must be a number above 0, not 0"),
        ({"largest_reward": "2"}, "largest_reward must be a number above 0"),
        ({"largest_reward": float("nan")}, "largest_reward must be a number above 0"),
        ({"hidden_cards": ["left"]}, "not the card of a critic"),
        ({"hidden_cards": {"left": ["AS", "AS"]}}, "the name 'AS' stands twice"),
        ({"hidden_cards": {"above": ["AS"]}}, "does not fit this version: .* a field 'above'"),
        ({"hidden_cards": {"left": ["XX"]}}, "does not fit this version: .* place 'XX' of field 'left'"),
        ({"hidden_cards": {}}, "its card asks for"),
        ({"hidden_sizes": [16]}, "its card asks for"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(folder, changes, message):
    values = json.loads((folder / CARD_FILE).read_text())
    (folder / CARD_FILE).write_text(json.dumps(values | changes))
    assert re.search(message, refusal(folder))


@pytest.mark.parametrize("file", [CARD_FILE, WEIGHTS_FILE])
def test_a_missing_or_damaged_file_is_named(folder, file):
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: len(content) // 2])
    assert re.search(rf"{file} is not the (card|weights) of a", refusal(folder))
    (folder / file).unlink()
    assert f"holds no critic: {file} is missing" in refusal(folder)


def test_weights_that_are_not_finite_are_refused(folder):
    tensors = load_file(folder / WEIGHTS_FILE)
    tensors["biases.2"][0] = np.nan
    save_file(tensors, folder / WEIGHTS_FILE)
    assert re.search(rf"{WEIGHTS_FILE}.* must be finite", refusal(folder))


# Run folders


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["all_hands", "own_view"])
@pytest.mark.parametrize("architecture", ["residual", "shallow:SHALLOW"])
def test_a_run_folder_holds_the_critic_of_its_last_checkpoint(tmp_path, monkeypatch, kind, architecture):
    pytest.importorskip("torch", reason="training needs the extra [train]")
    from euchre_train.config import Config
    from euchre_train.ppo import estimate_values, updates
    from euchre_train.run_folder import start_run

    (tmp_path / "shallow.py").write_text(OWN_ARCHITECTURE)
    monkeypatch.syspath_prepend(tmp_path)
    config = Config(
        num_updates=2, deals_per_update=32, minibatch_size=64, hidden_sizes=(8, 8), critic_hidden_sizes=(12, 12),
        architecture=architecture, critic=kind, precision="float32",
    )  # fmt: skip
    run, training = start_run(tmp_path / "run", config)
    with run:
        for _ in updates(training, config):
            run.save(training)
    critic, tables = load_critic(tmp_path / "run"), decisions(200, "standard")
    assert critic.sees_all_hands == (kind == "all_hands")
    assert (critic.card.rules, critic.card.architecture, critic.unit) == ("standard", architecture, "points")
    observations, hidden = tables.observations(relative_suits=True)[0], tables.hidden(relative_suits=True)
    expected = 2 * estimate_values(training.model, training.model.encode(observations, hidden))
    np.testing.assert_allclose(critic.values_of_rows(tables), expected, atol=1e-5)
    monkeypatch.delitem(sys.modules, "shallow", raising=False)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # importing it raises ImportError
sys.path.insert(0, sys.argv[2])
from euchre_agents import load_critic
from euchre_env.tables import Tables
try:
    print(load_critic(sys.argv[1]).values_of_rows(Tables(2, seed=1)).tolist())
except ValueError as error:
    print(error)
"""


def without_torch(folder, path):
    """What a program prints that loads the critic in `folder` where torch is not installed."""
    command = [sys.executable, "-c", WITHOUT_TORCH, str(folder), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.compiled
def test_only_an_architecture_without_a_kernel_needs_torch(folder):
    values = json.loads(without_torch(folder, folder))
    assert values == load_critic(folder).values_of_rows(Tables(2, seed=1)).tolist()
    (folder / "shallow.py").write_text(OWN_ARCHITECTURE)
    card = json.loads((folder / CARD_FILE).read_text())
    (folder / CARD_FILE).write_text(json.dumps(card | {"architecture": "shallow:SHALLOW"}))
    message = without_torch(folder, folder)
    assert re.search(rf"{CARD_FILE}: the architecture 'shallow:SHALLOW' cannot be imported: .*torch", message)
    assert 'torch evaluates it, and `pip install "euchre-env[train]"` installs torch' in message
