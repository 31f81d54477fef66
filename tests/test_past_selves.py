"""Past selves: kept by name in bfloat16, frozen, drawn from the last eight, and restored with the run."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import tiny

from euchre_env.actions import PASS_ID
from euchre_env.tables import Tables
from euchre_train.ppo import NUM_PAST_SELVES, new_training, past_self, updates
from euchre_train.run_folder import resume_run, start_run
from euchre_train.saved_networks import CHECKPOINT_FILE

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
EACH_UPDATE = tiny(num_updates=12, past_self_every=1, past_self_fraction=0.25)


def test_the_last_eight_are_kept_in_bfloat16_by_name():
    training = new_training(EACH_UPDATE)
    steps, kept = updates(training, EACH_UPDATE), []
    for number in range(1, NUM_PAST_SELVES + 3):
        next(steps)
        kept.append({name: weights.to(torch.bfloat16) for name, weights in training.model.actor.state_dict().items()})
        assert len(training.past_selves) == min(number, NUM_PAST_SELVES)
    for found, expected in zip(training.past_selves, kept[-NUM_PAST_SELVES:], strict=True):
        assert list(found) == list(expected)
        for name, weights in found.items():
            assert weights.dtype == torch.bfloat16
            assert torch.equal(weights, expected[name])


def test_one_is_kept_every_so_many_updates():
    config = tiny(num_updates=5, past_self_every=3)
    training = new_training(config)
    assert [(training.update, len(training.past_selves)) for _ in updates(training, config)] == [
        (1, 1), (2, 1), (3, 1), (4, 2), (5, 2)
    ]  # fmt: skip


def test_each_update_meets_one_of_those_kept():
    training = new_training(EACH_UPDATE)
    assert past_self(training, EACH_UPDATE) == {}
    frozen = training.model.frozen_actor()
    training.past_selves = [{name: weights * 0 + number for name, weights in frozen.items()} for number in range(4)]
    met = []
    for training.update in range(60):
        (sampler,) = past_self(training, EACH_UPDATE).values()
        weights = next(iter(sampler.module.parameters()))
        met.append(weights.mean().item())
        assert torch.all(weights == met[-1])
    assert set(met) == {0, 1, 2, 3}
    assert past_self(training, tiny(past_self_fraction=0.0)) == {}


def test_a_past_self_plays_with_its_own_weights():
    model, tables = new_training(EACH_UPDATE).model, Tables(200, seed=1)
    bold = model.frozen_actor()
    bold["last.bias"][PASS_ID] = -30  # it orders up wherever it may
    asked = (*tables.observations(relative_suits=True), tables.decision_keys(1), np.zeros(200))
    assert not np.any(model.sampler(bold).sample(*asked)[0] == PASS_ID)
    assert np.any(model.sampler().sample(*asked)[0] == PASS_ID)


def test_a_past_self_goes_into_the_checkpoint_and_out_of_it_unchanged(tmp_path):
    run, training = start_run(tmp_path / "run", EACH_UPDATE)
    with run:
        steps = updates(training, EACH_UPDATE)
        next(steps)
        next(steps)
        run.save(training)
    state = torch.load(run.path / CHECKPOINT_FILE, weights_only=True)
    assert {weights.dtype for past in state["past_selves"] for weights in past.values()} == {torch.bfloat16}
    run, again = resume_run(run.path)
    run.close()
    assert len(again.past_selves) == 2
    for found, expected in zip(again.past_selves, training.past_selves, strict=True):
        assert found.keys() == expected.keys()
        assert all(torch.equal(found[name], expected[name]) for name in found)


def test_a_past_self_that_does_not_fit_is_refused_with_the_checkpoint(tmp_path):
    run, training = start_run(tmp_path / "run", EACH_UPDATE)
    with run:
        next(updates(training, EACH_UPDATE))
        training.past_selves[0]["last.bias"] = torch.zeros(3, dtype=torch.bfloat16)
        run.save(training)
    with pytest.raises(ValueError, match=f"{CHECKPOINT_FILE} is not a checkpoint of this version"):
        resume_run(run.path)


def test_a_frozen_past_self_does_not_change_as_training_goes_on():
    training = new_training(EACH_UPDATE)
    steps = updates(training, EACH_UPDATE)
    next(steps)
    frozen = {name: weights.clone() for name, weights in training.past_selves[0].items()}
    next(steps)
    for name, weights in training.past_selves[0].items():
        assert torch.equal(weights, frozen[name])
    now = training.model.frozen_actor()
    assert any(not torch.equal(weights, now[name]) for name, weights in frozen.items())
