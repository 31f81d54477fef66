"""Training with `actor: all_hands`: hidden cards reach the networks that see all hands, and no other."""

import dataclasses
import sys

import numpy as np
import pytest
from support.networks import some_decisions

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import arguments_for, play_update, tiny

from euchre_agents import RuleBot, load
from euchre_agents.open_player import OpenNetwork, OpenPlayer
from euchre_env.house_rules import parse_rules
from euchre_env.relative_suits import RELABELLED
from euchre_env.state import HIDDEN_SIZE
from euchre_eval import play_match
from euchre_train import rollout
from euchre_train.cli import main
from euchre_train.ppo import estimate_values, evaluate, new_training, updates
from euchre_train.run_folder import start_run
from euchre_train.sampler import append_hidden
from euchre_train.saved_networks import CHECKPOINT_FILE

KINDS = ("own_view", "all_hands")


@pytest.mark.parametrize("critic", KINDS)
@pytest.mark.parametrize("actor", KINDS)
def test_permuted_hidden_cards_reach_only_the_networks_that_see_all_hands(actor, critic):
    model, tables = new_training(tiny(actor=actor, critic=critic)).model, some_decisions(60)
    observations, masks = tables.observations(relative_suits=True)
    hidden = tables.hidden(relative_suits=True)
    seen, permuted = (model.encode(observations, cards) for cards in (hidden, hidden[::-1].copy()))
    with torch.no_grad():
        log_probs = [model.log_probs(inputs, torch.from_numpy(masks.view(bool))).numpy() for inputs in (seen, permuted)]
    values = [estimate_values(model, inputs) for inputs in (seen, permuted)]
    has_choice = masks.sum(axis=1) > 1
    for kind, outputs in ((actor, log_probs), (critic, values)):
        if kind == "own_view":
            np.testing.assert_array_equal(outputs[0], outputs[1])
        else:
            changed = (outputs[0] != outputs[1]).reshape(len(tables), -1).any(axis=1)
            assert np.mean(changed[has_choice]) > 0.9


@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
def test_the_player_gives_the_probabilities_that_were_trained(architecture):
    config = tiny(actor="all_hands", architecture=architecture, hidden_sizes=(16, 16))
    model, tables = new_training(config).model, some_decisions(60)
    with torch.no_grad():
        for parameter in model.actor.parameters():
            parameter.mul_(3)
    observations, masks = tables.observations(relative_suits=True)
    inputs = model.encode(observations, tables.hidden(relative_suits=True))
    with torch.no_grad():
        expected = model.log_probs(inputs, torch.from_numpy(masks.view(bool))).exp().numpy()
    player = model.player()
    assert isinstance(player, OpenNetwork)
    in_frames = np.take_along_axis(player.probabilities(tables.deals()), RELABELLED[tables.frames], axis=1)
    np.testing.assert_allclose(in_frames, expected, atol=1e-5)


def test_its_sampler_needs_the_hidden_cards_and_no_other_sampler_takes_them():
    tables = some_decisions(5)
    asked = (*tables.observations(relative_suits=True), tables.decision_keys(0), np.zeros(len(tables)))
    hidden = tables.hidden(relative_suits=True)
    honest, seeing = (new_training(tiny(actor=actor)).model.sampler() for actor in KINDS)
    assert (honest.sees_all, seeing.sees_all) == (False, True)
    with pytest.raises(ValueError, match="sees all cards, so it needs hidden cards"):
        seeing.sample(*asked)
    with pytest.raises(ValueError, match="sees its own view, and takes no hidden cards"):
        honest.sample(*asked, hidden=hidden)
    with pytest.raises(ValueError, match=rf"hidden must be int8, shape \({len(tables)}, {HIDDEN_SIZE}\)"):
        seeing.sample(*asked, hidden=hidden[:, 1:])
    assert np.all(asked[1][np.arange(len(tables)), seeing.sample(*asked, hidden=hidden)[0]])


def test_hidden_cards_that_no_deal_has_stay_within_the_array_of_inputs():
    numbers, counts = np.full((1, 4), -1, np.int16), np.array([2])
    append_hidden(np.ones((1, HIDDEN_SIZE), np.int8), np.arange(HIDDEN_SIZE, dtype=np.int16), numbers, counts)
    assert (numbers.tolist(), counts.tolist()) == ([[-1, -1, 0, 1]], [4])


class Noting:
    """Plays the first legal action, and notes what it is shown besides the arguments that every sampler gets."""

    def __init__(self, **declarations):
        self.shown = []
        vars(self).update(declarations)

    def sample(self, observations, action_masks, keys, exploration, **more):
        self.shown.append(more)
        return action_masks.argmax(axis=1), np.zeros(len(keys), np.float32)


def test_collect_shows_hidden_cards_to_those_who_declare_it_and_nobody_else():
    config = tiny(deals_per_update=16, past_self_fraction=1.0)
    honest, seeing, also_honest = Noting(), Noting(sees_all=True), Noting(sees_all=False)
    for learner, past in ((honest, seeing), (seeing, also_honest)):
        batch = play_update({rollout.LEARNER: learner, rollout.PAST_SELF: past}, config)
        assert batch.hidden.shape == (len(batch), HIDDEN_SIZE)
    assert honest.shown
    assert also_honest.shown
    assert not any(honest.shown + also_honest.shown)
    assert all(set(more) == {"hidden"} for more in seeing.shown)
    assert all(more["hidden"].dtype == np.int8 and more["hidden"].any() for more in seeing.shown)


@pytest.mark.compiled
def test_a_few_updates_raise_the_points_of_an_actor_that_sees_all_hands():
    config = tiny(
        actor="all_hands", hidden_sizes=(64,), critic_hidden_sizes=(64,), deals_per_update=1024, minibatch_size=1024,
        num_updates=10, learning_rate=3e-3, eval_deals=500, past_self_every=2,
    )  # fmt: skip
    training = new_training(config)
    before = evaluate(training.model, config)
    assert len(list(updates(training, config))) == 10
    after = evaluate(training.model, config)
    assert after["eval/points_per_deal_vs_rules_low"] > before["eval/points_per_deal_vs_rules_high"] + 0.3


ARCHITECTURE = """
from euchre_train.architectures import Architecture, Perceptron

BY_TORCH = Architecture(Perceptron)
"""


@pytest.mark.compiled
@pytest.mark.parametrize("architecture", ["perceptron", "played_by_torch:BY_TORCH"])
def test_a_run_folder_holds_the_player(architecture, tmp_path, monkeypatch, capsys):
    (tmp_path / "played_by_torch.py").write_text(ARCHITECTURE)
    monkeypatch.syspath_prepend(tmp_path)
    config = tiny(actor="all_hands", architecture=architecture, rules="pagat", past_self_every=1, eval_every=1)
    assert main([*arguments_for(config), "--run", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.count("points per deal against rules, seeing all cards") == config.num_updates
    player = load(str(tmp_path / "run"))
    sys.modules.pop("played_by_torch", None)
    assert isinstance(player, OpenPlayer)
    assert player.rules == parse_rules("pagat")
    assert play_match(player, RuleBot(seed=0), deals=20, rules="pagat", allow_cheating=True).reneges == (0, 0, 0, 0)
    with pytest.raises(ValueError, match=r"player '.*run' sees all cards, and cannot be trained with"):
        next(updates(new_training(config), dataclasses.replace(config, opponents=str(tmp_path / "run"))))


@pytest.mark.compiled
def test_what_the_actor_sees_must_be_that_of_the_networks_to_start_from(tmp_path):
    source = tiny(num_updates=1, eval_deals=2)
    assert main([*arguments_for(source), "--run", str(tmp_path / "source")]) == 0
    seeing = dataclasses.replace(source, actor="all_hands", start_from=str(tmp_path / "source"))
    with pytest.raises(ValueError, match="actor is 'own_view' there and 'all_hands' here"):
        start_run(tmp_path / "run", seeing)
    file = tmp_path / "source" / CHECKPOINT_FILE
    state = torch.load(file, weights_only=True)
    del state["settings"]["actor"]  # as before the setting existed, when every actor saw its own view
    torch.save(state, file)
    with pytest.raises(ValueError, match="actor is 'own_view' there and 'all_hands' here"):
        start_run(tmp_path / "run", seeing)
    run, _ = start_run(tmp_path / "run", dataclasses.replace(seeing, actor="own_view"))
    run.close()


def test_settings_name_the_two_kinds_of_actor():
    assert tiny().actor == "own_view"
    with pytest.raises(ValueError, match="actor must be one of own_view, all_hands, not 'all'"):
        tiny(actor="all")
