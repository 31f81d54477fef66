"""Diverging training stops before broken weights play, and keeps its last good checkpoint."""

import dataclasses
import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import first_batch, tiny

from euchre_train.architectures import Perceptron
from euchre_train.metrics_file import METRICS_FILE
from euchre_train.model import ActorCritic
from euchre_train.ppo import (
    TrainingError,
    check_weights,
    explained_variance,
    new_training,
    ppo_update,
    updates,
)
from euchre_train.run_folder import resume_run, start_run
from euchre_train.running import train

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
TINY = tiny(num_updates=4, eval_every=10, eval_deals=1, checkpoint_every=1)


def strictly_json(line):
    """Parse a line of JSON, refusing NaN and Infinity."""
    return json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.parametrize("learning_rate", [1e6, 1e20, 1e30])
def test_a_diverging_run_stops_in_one_line(tmp_path, learning_rate):
    run, training = start_run(tmp_path / "run", dataclasses.replace(TINY, learning_rate=learning_rate))
    with pytest.raises(TrainingError) as error:
        train(run, training)
    message = str(error.value)
    assert "training diverged in update 1: " in message
    assert f"smaller learning_rate (it is {learning_rate:g})" in message
    assert "\n" not in message
    assert not (tmp_path / "run").exists()  # there is nothing in it to go on from


def test_what_the_last_step_of_an_update_did_is_checked_before_it_plays():
    config = dataclasses.replace(TINY, learning_rate=1e20, num_epochs=1, minibatch_size=10**8)
    training = new_training(config)
    with pytest.raises(TrainingError, match="in update 1: the weights of the actor are too large"):
        next(updates(training, config))
    assert training.update == 0


def test_the_last_good_checkpoint_is_kept(tmp_path):
    folder, config = tmp_path / "run", dataclasses.replace(TINY, checkpoint_every=3)
    run, training = start_run(folder, config)
    next(updates(training, config))
    run.save(training)
    log = run.log

    def log_and_break_the_critic(update, metrics):
        log(update, metrics)
        with torch.no_grad():
            training.model.get_parameter("critic.first.bias")[0] = math.inf

    run.log = log_and_break_the_critic  # after update 2, which saves nothing
    with pytest.raises(TrainingError, match=r"update 3: .*; its checkpoint after update 1 is kept$"):
        train(run, training)
    assert [strictly_json(line)["update"] for line in (folder / METRICS_FILE).read_text().splitlines()] == [2]
    run, training = resume_run(folder)
    with run:
        assert training.update == 1
        check_weights(training.model)
        next(updates(training, config))


@pytest.mark.parametrize(
    ("quantity", "broken"),
    [("policy_loss is nan", "advantages"), ("value_loss is inf", "returns"), ("value_loss is nan", "values")],
)
def test_no_step_is_taken_after_a_loss_that_is_not_finite(quantity, broken):
    training = new_training(TINY)
    batch, inputs, advantages, returns = first_batch(training, TINY)
    if broken == "advantages":
        advantages[0] = math.nan
    elif broken == "returns":
        returns[:] = math.inf
    else:
        with torch.no_grad():
            training.model.get_parameter("critic.first.weight")[0] = math.nan
    before = [weights.clone() for weights in training.model.actor.parameters()]
    with pytest.raises(FloatingPointError, match=quantity):
        ppo_update(training, batch, inputs, advantages, returns, 0.0, TINY)
    assert all(map(torch.equal, before, training.model.actor.parameters()))


def test_no_step_is_taken_along_a_gradient_that_is_not_finite():
    training = new_training(TINY)
    batch, inputs, advantages, returns = first_batch(training, TINY)
    training.model.get_parameter("critic.first.weight").register_hook(lambda gradient: gradient * math.inf)
    before = [weights.clone() for weights in training.model.parameters()]
    with pytest.raises(FloatingPointError, match="the gradient norm of the critic is nan"):
        ppo_update(training, batch, inputs, advantages, returns, 0.0, TINY)
    assert all(map(torch.equal, before, training.model.parameters()))


@pytest.mark.parametrize(
    ("network", "layer", "value", "quantity"),
    [
        ("actor", "first", math.nan, r"actor\.first\.weight is not finite"),
        ("critic", "last", -math.inf, r"critic\.last\.weight is not finite"),
        ("actor", "hidden.0", 1e20, "the weights of the actor are too large"),
        ("actor", "last", 1e20, "the weights of the actor are too large"),
        ("critic", "first", 1e20, "the weights of the critic are too large"),
    ],
)
@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
def test_weights_that_could_overflow_are_named(architecture, network, layer, value, quantity):
    model = ActorCritic(tiny(architecture=architecture, hidden_sizes=(16, 16)))
    check_weights(model)
    with torch.no_grad():
        model.get_parameter(f"{network}.{layer}.weight")[0, 0] = value
    with pytest.raises(FloatingPointError, match=quantity):
        check_weights(model)


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("hidden_sizes", [(16,), (16, 16, 16)])
def test_no_output_exceeds_its_bound(residual, hidden_sizes):
    torch.manual_seed(1)
    network = Perceptron(40, hidden_sizes, 5, 1.0, residual)
    inputs = torch.arange(40, dtype=torch.int16).repeat(300, 1)
    counts = torch.arange(300) % 41
    bound = network.largest_output()
    with torch.no_grad():
        assert 0 < network(inputs, counts).abs().max().item() <= bound
        for weights in network.parameters():
            weights.abs_()
        assert network(inputs[:1], torch.tensor([40])).max().item() == pytest.approx(bound)  # and it is reached
        assert network.largest_output() == pytest.approx(bound)  # signs make no difference


def test_a_single_deal_of_evaluation_leaves_its_interval_unknown(tmp_path, capsys):
    config = dataclasses.replace(TINY, num_updates=1)
    run, training = start_run(tmp_path / "run", config)
    assert train(run, training) == 0
    assert " ± unknown points per deal against rules" in capsys.readouterr().out
    (line,) = (tmp_path / "run" / METRICS_FILE).read_text().splitlines()
    record = strictly_json(line)
    assert record["eval/points_per_deal_vs_rules_low"] is record["eval/points_per_deal_vs_rules_high"] is None
    assert isinstance(record["eval/points_per_deal_vs_rules"], float)


def test_explained_variance_is_unknown_where_returns_do_not_vary():
    returns = np.array([1.0, 3.0], np.float32)
    assert explained_variance(returns, returns) == 1
    assert explained_variance(np.zeros(2, np.float32), returns) == 0
    assert math.isnan(explained_variance(returns, np.ones(2, np.float32)))
