"""Architectures by name: those of one's own are trained, saved, loaded and played like the built-in ones."""

import json

import numpy as np
import pytest
from support.networks import some_decisions

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.own_architectures import GATED, LinearPlayer
from support.training import assert_same_weights, tiny, weights_of

from euchre_agents import load
from euchre_agents.network import CARD_FILE, WEIGHTS_FILE, NetworkPolicy, load_network
from euchre_env.relative_suits import RELABELLED
from euchre_eval import play_match
from euchre_train.architectures import ARCHITECTURES, architecture
from euchre_train.ppo import estimate_values, new_training, updates
from euchre_train.run_folder import resume_run, start_run
from euchre_train.running import train
from euchre_train.torch_player import TorchPlayer, evaluating

pytestmark = pytest.mark.compiled  # hundreds of decisions of many networks
GATED_NAME, LINEAR_NAME = "support.own_architectures:GATED", "support.own_architectures:LINEAR"


@pytest.mark.parametrize(
    ("name", "hidden_sizes", "kind"),
    [
        (GATED_NAME, (16,), TorchPlayer),
        (LINEAR_NAME, (1,), LinearPlayer),
        ("residual", (16, 16, 16), NetworkPolicy),
    ],
)
def test_an_architecture_is_trained_saved_loaded_and_played(tmp_path, name, hidden_sizes, kind):
    config = tiny(architecture=name, hidden_sizes=hidden_sizes, critic_hidden_sizes=hidden_sizes, num_updates=2)
    run, training = start_run(tmp_path / "run", config)
    assert train(run, training) == 0
    player = load(str(run.path))
    assert type(player) is kind
    assert player.card.architecture == name  # type: ignore[attr-defined]  # a network
    tables = some_decisions()
    observations, masks = tables.observations(relative_suits=True)
    inputs = training.model.encode(observations, tables.hidden(relative_suits=True))
    expected = training.model.log_probs(inputs, torch.from_numpy(masks.astype(bool))).exp().detach().numpy()
    probabilities = player.probabilities(tables.views())  # type: ignore[attr-defined]  # a network
    in_frames = np.take_along_axis(probabilities, RELABELLED[tables.frames], axis=1)
    np.testing.assert_allclose(in_frames, expected, atol=1e-5)
    result = play_match(player, load("random", seed=1), deals=10)
    assert result.reneges == (0, 0, 0, 0)
    run, again = resume_run(run.path)
    run.close()
    assert_same_weights(again.model.state_dict(), training.model.state_dict())
    assert_same_weights(again.model.state_dict(), weights_of(run.path))


def saved(folder, name=GATED_NAME, **changes):
    """A folder with an untrained network of an architecture."""
    from euchre_train.model import ActorCritic

    torch.manual_seed(1)
    ActorCritic(tiny(architecture=name, **changes)).player().save(folder)
    return folder


def test_a_player_that_calls_torch_plays_views_and_observations_alike(tmp_path):
    player, tables = load_network(saved(tmp_path)), some_decisions()
    views, keys = tables.views(), tables.decision_keys(1)
    chosen = player.act_views(views, keys)
    np.testing.assert_array_equal(player.act_batch(*tables.observations()), chosen)
    assert np.all(tables.legal_actions() >> chosen & 1)
    probabilities = player.probabilities(views)
    np.testing.assert_array_equal(probabilities.argmax(axis=1), chosen)
    assert np.all(probabilities[tables.observations()[1] == 0] == 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    explanations = player.explain(views[0])
    assert explanations[0].action == chosen[0]
    views["legal"][3] = 0
    with pytest.raises(ValueError, match="only when its seat is to act"):
        player.act_views(views, keys)


# Names


def test_the_registry_has_its_architectures_by_name():
    assert {name: architecture(name) for name in ARCHITECTURES} == ARCHITECTURES
    assert set(ARCHITECTURES) >= {"perceptron", "residual"}
    assert architecture(GATED_NAME) is GATED


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perceptorn", "unknown architecture 'perceptorn'; did you mean 'perceptron'"),
        ("transformer", "unknown architecture 'transformer'; one of perceptron, residual, or package.module:NAME"),
        ("", "unknown architecture ''"),
        ("nowhere.at_all:NET", "there is no module 'nowhere"),
        ("support.own_architectures:GATE", "no 'GATE' in support.own_architectures; did you mean 'GATED'"),
        ("support.own_architectures:", "no '' in support.own_architectures"),
        (":NET", "'' is not the name of a module"),
        (".relative:NET", "'.relative' is not the name of a module"),
        ("support.own_architectures:NO_ARCHITECTURE", "is a str, not an Architecture"),
        ("support.own_architectures:Gated", "is a type, not an Architecture"),
    ],
)
def test_a_name_without_an_architecture_is_refused(name, message):
    with pytest.raises(ValueError, match=message) as error:
        architecture(name)
    assert "\n" not in str(error.value)


def test_the_layers_of_a_residual_network_have_one_width():
    with pytest.raises(ValueError, match=r"have one width, not \[16, 24\]"):
        ARCHITECTURES["residual"].network(30, (16, 24), 5, 1.0)


# Files


def refusal(folder):
    """The one-line message of a failure to load, which names a file."""
    with pytest.raises(ValueError, match="policy") as error:
        load_network(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.at_all:NET", "there is no module 'nowhere"),
        ("transformer", "architecture 'transformer'"),
        ("support.own_architectures:NO_ARCHITECTURE", "is a str, not an Architecture"),
        ("support.own_architectures:GATE", "did you mean 'GATED'"),
    ],
)
def test_a_card_that_names_no_architecture_is_refused(tmp_path, name, message):
    file = saved(tmp_path) / CARD_FILE
    file.write_text(json.dumps(json.loads(file.read_text()) | {"architecture": name}))
    told = refusal(tmp_path)
    assert message in told
    assert CARD_FILE in told


def test_weights_that_do_not_fit_an_architecture_of_ones_own_are_refused(tmp_path):
    file = saved(tmp_path) / CARD_FILE
    file.write_text(json.dumps(json.loads(file.read_text()) | {"hidden_sizes": [17]}))
    assert f"{WEIGHTS_FILE}: " in refusal(tmp_path)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"hidden_sizes": [16, 16]}))  # which it cannot have
    assert f"{WEIGHTS_FILE}: " in refusal(tmp_path)


@pytest.mark.parametrize("name", [GATED_NAME, LINEAR_NAME])
def test_weights_that_are_not_finite_are_refused_for_every_architecture(tmp_path, name):
    from safetensors.numpy import load_file, save_file

    file = saved(tmp_path, name) / WEIGHTS_FILE
    tensors = load_file(file)
    next(iter(tensors.values())).flat[0] = np.nan
    save_file(tensors, file)
    assert "must be finite" in refusal(tmp_path)


def test_a_residual_card_whose_layers_differ_in_width_is_refused(tmp_path):
    file = saved(tmp_path, "perceptron", hidden_sizes=(16, 24)) / CARD_FILE
    file.write_text(json.dumps(json.loads(file.read_text()) | {"architecture": "residual"}))
    assert "one width" in refusal(tmp_path)


# An architecture that draws random numbers in training

FORGETFUL = tiny(architecture="support.own_architectures:FORGETFUL", past_self_every=1, past_self_fraction=0.25)


def test_dropout_does_not_make_a_player_or_a_critic_random():
    model = new_training(FORGETFUL).model
    with torch.no_grad():
        model.get_parameter("actor.last.weight").normal_()
    tables = some_decisions()
    observations, masks = tables.observations(relative_suits=True)
    keys, exploration = tables.decision_keys(1), np.zeros(len(tables))
    player, critic, sampler = model.player(), model.portable_critic(), model.sampler()
    for ask in (
        lambda: player.probabilities(tables.views()),
        lambda: critic.values_of_rows(tables),
        lambda: sampler.sample(observations, masks, keys, exploration)[1],
        lambda: estimate_values(model, model.encode(observations, tables.hidden(relative_suits=True))),
    ):
        np.testing.assert_array_equal(ask(), ask())
    assert model.actor.training
    assert model.critic.training
    player.module.train()  # type: ignore[union-attr]  # a `TorchPlayer`
    assert not TorchPlayer(model.card, player.module).module.training  # type: ignore[union-attr]


def test_a_part_that_is_not_trained_stays_in_evaluation_mode():
    module = torch.nn.ModuleList([torch.nn.Dropout(), torch.nn.Dropout().eval()])
    with evaluating(module):
        assert not any(part.training for part in module.modules())
    assert [part.training for part in module.modules()] == [True, True, False]


def test_a_resumed_run_with_dropout_equals_the_straight_one(tmp_path):
    straight, training = start_run(tmp_path / "straight", FORGETFUL)
    assert train(straight, training) == 0
    run, training = start_run(tmp_path / "run", FORGETFUL)
    with run:
        next(updates(training, FORGETFUL))
        run.save(training)
    torch.rand(1)  # what else has been drawn does not matter
    run, training = resume_run(tmp_path / "run")
    assert train(run, training) == 0
    assert_same_weights(weights_of(tmp_path / "run"), weights_of(tmp_path / "straight"))
