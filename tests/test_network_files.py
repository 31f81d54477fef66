"""Files of networks: saved networks load, also those of format 1, and messages name the file and its fault."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from support.networks import small_network, some_decisions
from support.paths import DATA

from euchre_agents import load
from euchre_agents.loading import SHIPPED_NETWORK
from euchre_agents.network import CARD_FILE, WEIGHTS_FILE, load_network
from euchre_agents.network_card import FORMAT, LAYOUT_OF_FORMAT_1, NetworkCard, inputs_of, read_card
from euchre_env.actions import ACTION_NAMES
from euchre_env.observation import FIELDS
from euchre_env.tables import Tables

PPO_0_1 = DATA / "ppo_0_1"


@pytest.fixture
def folder(tmp_path):
    """A folder with a network in it."""
    small_network().save(tmp_path)
    return tmp_path


def edit_card(folder, edit):
    """Change the card's JSON by `edit(values)`."""
    values = json.loads((folder / CARD_FILE).read_text())
    edit(values)
    (folder / CARD_FILE).write_text(json.dumps(values))


def refusal(folder):
    """The one-line message of a failure to load."""
    with pytest.raises(ValueError, match=re.escape(str(folder))) as caught:
        load_network(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


# What is saved is what is loaded


def test_what_is_saved_is_what_is_loaded(folder):
    network, loaded, views = small_network(), load_network(folder), some_decisions().views()
    np.testing.assert_array_equal(loaded.probabilities(views), network.probabilities(views))
    assert loaded.card == network.card


def test_a_network_may_read_few_fields_and_answer_few_actions_in_any_order(tmp_path):
    fields, actions = ("tricks", "hand", "phase"), ACTION_NAMES[::-2]
    network = small_network(fields=fields, actions=actions)
    network.save(tmp_path)
    loaded, views = load_network(tmp_path), some_decisions().views()
    assert (tuple(loaded.card.inputs), loaded.card.actions) == (fields, actions)
    np.testing.assert_array_equal(loaded.probabilities(views), network.probabilities(views))


def test_a_card_says_where_its_places_and_actions_are():
    card = NetworkCard({"turn": ("RIGHT", "ME"), "hand": ("AS",)}, ("order up", "9C"), (4,), "standard")
    assert card.places().tolist() == [FIELDS["turn"].first + 3, FIELDS["turn"].first, FIELDS["hand"].first + 23]
    assert card.outputs().tolist() == [26, 0]


def test_the_shipped_card_lists_its_inputs_and_actions_by_name():
    card = read_card(SHIPPED_NETWORK / CARD_FILE)
    assert (card.format, card.num_inputs, card.actions) == (FORMAT, 489, ACTION_NAMES)
    assert list(card.inputs) == [name for name in FIELDS if not name.startswith(("needed", "rules."))]


def test_inputs_of_an_unknown_field_are_refused():
    with pytest.raises(ValueError, match="no field 'hnad'; did you mean 'hand'"):
        inputs_of(["hnad"])


# Networks of version 0.1


@pytest.mark.compiled
def test_the_network_of_version_0_1_plays_as_the_shipped_one():
    """The same weights in format 1, which counted its inputs and did not name them."""
    assert json.loads((PPO_0_1 / CARD_FILE).read_text())["format"] == 1
    old, shipped = load(str(PPO_0_1)), load("ppo")
    assert (old.name, shipped.name) == ("ppo_0_1", "ppo")  # type: ignore[attr-defined]  # a network
    for rules in ("standard", "british,defend_alone=always"):
        tables = Tables(300, rules, seed=2, num_episodes=300)
        while len(tables):
            observations, masks = tables.observations()
            chosen = old.act_batch(observations, masks)  # type: ignore[attr-defined]  # a network
            np.testing.assert_array_equal(chosen, shipped.act_batch(observations, masks))
            tables.step(tables.random_actions(1))


def test_a_network_of_format_1_reads_the_first_places_of_its_layout(folder):
    layout = [(name, place) for name, places in _layout_of_format_1()["inputs"].items() for place in places]
    assert len(layout) == 575
    for num_inputs in (1, 13, 489, 575):
        card = {"num_inputs": num_inputs, "hidden_sizes": [4], "rules": "pagat", "observation_size": 575, "format": 1}
        (folder / CARD_FILE).write_text(json.dumps(card))
        read = read_card(folder / CARD_FILE)
        names = [(name, place) for name, places in read.inputs.items() for place in places]
        assert names == layout[:num_inputs]
        assert (read.hidden_sizes, read.rules) == ((4,), "pagat")


@pytest.mark.parametrize(("key", "value"), [("observation_size", 576), ("num_inputs", 0), ("num_inputs", 576)])
def test_a_network_of_another_layout_than_that_of_format_1_is_refused(tmp_path, key, value):
    for file in PPO_0_1.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    edit_card(tmp_path, lambda values: values.update({key: value}))
    assert re.search(rf"{CARD_FILE} is not the card .* an observation of 575", refusal(tmp_path))


def _layout_of_format_1():
    return json.loads(Path(LAYOUT_OF_FORMAT_1).read_text())


def test_a_network_of_format_2_is_a_perceptron(folder):
    """Before there were several architectures, the card named none."""
    card, views = read_card(folder / CARD_FILE), some_decisions().views()
    before = load_network(folder).probabilities(views)
    edit_card(folder, lambda values: [values.pop("architecture"), values.update(format=2)])
    assert read_card(folder / CARD_FILE) == card
    assert (card.format, card.architecture) == (FORMAT, "perceptron")
    loaded = load_network(folder)
    np.testing.assert_array_equal(loaded.probabilities(views), before)
    loaded.save(folder)
    assert json.loads((folder / CARD_FILE).read_text())["format"] == FORMAT
    assert read_card(folder / CARD_FILE) == card


def test_a_residual_network_is_saved_and_loaded_like_any_other(tmp_path):
    network, views = small_network(architecture="residual", hidden_sizes=(16, 16)), some_decisions().views()
    network.save(tmp_path)
    loaded = load_network(tmp_path)
    assert loaded.card.architecture == "residual"
    np.testing.assert_array_equal(loaded.probabilities(views), network.probabilities(views))
    edit_card(tmp_path, lambda values: values.update(architecture="perceptron"))
    assert np.any(load_network(tmp_path).probabilities(views) != network.probabilities(views))


def test_a_network_may_read_derived_inputs(tmp_path):
    network = small_network(fields=("derived.highest", "hand", "derived.led"))
    network.save(tmp_path)
    loaded, views = load_network(tmp_path), some_decisions().views()
    assert list(loaded.card.inputs) == ["derived.highest", "hand", "derived.led"]
    np.testing.assert_array_equal(loaded.probabilities(views), network.probabilities(views))


# Names that this version does not have


def test_a_place_that_is_gone_is_refused_by_name(folder):
    edit_card(folder, lambda values: values["inputs"]["hand"].__setitem__(3, "JOKER"))
    assert re.search(rf"{CARD_FILE} .* place 'JOKER' of field 'hand'", refusal(folder))


def test_a_field_that_is_gone_is_refused_by_name(folder):
    edit_card(folder, lambda values: values["inputs"].update(moon=["full"]))
    assert re.search(rf"{CARD_FILE} .* a field 'moon'", refusal(folder))


def test_an_action_that_is_gone_is_refused_by_name(folder):
    edit_card(folder, lambda values: values["actions"].__setitem__(3, "call misère"))
    assert re.search(rf"{CARD_FILE} .* an action 'call misère'", refusal(folder))


# Cards that are none


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda values: values.update(format=99), "format 99"),
        (lambda values: values.pop("format"), "format None"),
        (lambda values: values.pop("rules"), r"format 3, but it lacks \['rules'\]$"),
        (lambda values: values.update({"more" * 100: 1}), r"format 3, but it also has \['moremore"),
        (lambda values: values.update(rule=values.pop("rules")), r"it lacks \['rules'\] and also has \['rule'\]$"),
        (lambda values: values.update(inputs=["hand"]), "'list'"),
        (lambda values: values["inputs"].update(hand="9C"), "hand: a list of names was expected, not '9C'"),
        (lambda values: values["inputs"].update(hand=[1, 2]), "hand: a list of names was expected"),
        (lambda values: values["inputs"].update(hand=["9C", "TC", "9C"]), "hand: the name '9C' stands twice"),
        (lambda values: values.update(actions=["pass", "pass"]), "actions: the name 'pass' stands twice"),
        (lambda values: values.update(actions={"pass": 1}), "actions: a list of names was expected, not {"),
        (lambda values: values.update(hidden_sizes=16), "hidden_sizes must be a list"),
        (lambda values: values.update(hidden_sizes=[16, 0]), "hidden_sizes must be a list"),
        (lambda values: values.update(hidden_sizes=[True, 24]), "hidden_sizes must be a list"),
        (lambda values: values.update(hidden_sizes=[16.0] * 5000), "hidden_sizes must be a list"),
    ],
)
def test_a_card_of_another_kind_is_refused(folder, edit, message):
    edit_card(folder, edit)
    assert re.search(rf"{CARD_FILE} is not the card of a network: .*{message}", refusal(folder))


@pytest.mark.parametrize(
    "content",
    [b"", b"{ damaged", b"[" * 100_000, b"[1, 2]", b"17", b'"text"', b"\xff\xfe", b'{"format": ' + b"9" * 5000 + b"}"],
    ids=["empty", "damaged", "nested", "list", "number", "text", "not utf-8", "long number"],
)
def test_a_card_that_is_damaged_is_refused(folder, content):
    (folder / CARD_FILE).write_bytes(content)
    assert f"{CARD_FILE} is not the card of a network" in refusal(folder)


# Weights that are none


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("tensor", ["weights.0", "weights.2", "biases.1"])
def test_weights_that_are_not_finite_are_refused(folder, tensor, bad):
    tensors = load_file(folder / WEIGHTS_FILE)
    tensors[tensor].flat[-1] = bad
    save_file(tensors, folder / WEIGHTS_FILE)
    assert re.search(rf"{WEIGHTS_FILE}.* must be finite", refusal(folder))


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool])
def test_weights_that_are_no_floating_point_numbers_are_refused(folder, dtype):
    tensors = load_file(folder / WEIGHTS_FILE)
    save_file({name: array.astype(dtype) for name, array in tensors.items()}, folder / WEIGHTS_FILE)
    assert re.search(rf"{WEIGHTS_FILE}.* floating-point numbers, not {np.dtype(dtype)}", refusal(folder))


def test_weights_of_double_precision_are_rounded_unless_they_overflow(folder):
    tensors = {name: array.astype(np.float64) for name, array in load_file(folder / WEIGHTS_FILE).items()}
    save_file(tensors, folder / WEIGHTS_FILE)
    views = some_decisions().views()
    np.testing.assert_array_equal(load_network(folder).probabilities(views), small_network().probabilities(views))
    tensors["weights.1"][0, 0] = 1e300
    save_file(tensors, folder / WEIGHTS_FILE)
    assert re.search(rf"{WEIGHTS_FILE}.* must be finite", refusal(folder))


@pytest.mark.parametrize("kept", [0, 4, 8, 100, -1])
def test_weights_cut_short_are_refused(folder, kept):
    content = (folder / WEIGHTS_FILE).read_bytes()
    (folder / WEIGHTS_FILE).write_bytes(content[:kept])
    assert f"{WEIGHTS_FILE} is not the weights of a network" in refusal(folder)


@pytest.mark.parametrize(
    ("name", "other", "told"),
    [
        ("weights.0", "layer", "'weights.0' is missing"),
        ("biases.2", "layer", "'biases.2' is missing"),
        (None, "layer", "it also holds 'layer'"),
        (None, "biases.3", "it also holds 'biases.3'"),
        (None, "weights.3", "'biases.3' is missing"),
    ],
)
def test_weights_by_other_names_are_refused(folder, name, other, told):
    tensors = load_file(folder / WEIGHTS_FILE)
    tensors[other] = tensors.pop(name) if name else np.zeros(3, np.float32)
    save_file(tensors, folder / WEIGHTS_FILE)
    assert re.search(f"{WEIGHTS_FILE} is not the weights of a network: {told}", refusal(folder))


def test_weights_whose_shapes_do_not_fit_the_card_are_refused(folder):
    edit_card(folder, lambda values: values.update(hidden_sizes=[16]))
    assert re.search(rf"{WEIGHTS_FILE}.* have shapes .* its card asks for", refusal(folder))


# Files that cannot be read


@pytest.mark.parametrize("file", [WEIGHTS_FILE, CARD_FILE])
def test_a_missing_file_is_named(folder, file):
    (folder / file).unlink()
    assert f"{file} is missing" in refusal(folder)
    (folder / file).mkdir()
    assert f"{file} is missing" in refusal(folder)


@pytest.mark.parametrize("file", [WEIGHTS_FILE, CARD_FILE])
def test_a_file_that_may_not_be_read_is_named_with_the_reason(folder, file, monkeypatch):
    """Root may read every file, so the test simulates the refusal of the system."""
    path_open = Path.open

    def refuse(self, *arguments, **more):
        if self.name == file:
            raise PermissionError(13, "Permission denied", str(self))
        return path_open(self, *arguments, **more)

    monkeypatch.setattr(Path, "open", refuse)
    assert f"{file} cannot be read: Permission denied" in refusal(folder)


def test_a_folder_that_may_not_be_entered_is_named_with_the_reason(folder, monkeypatch):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "is_file", refuse)
    assert "cannot be read: Permission denied" in refusal(folder)
