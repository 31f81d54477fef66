"""Training of outcome heads: the decisions it learns from, what it learns, and the command."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.networks import head_card, network_that_prefers, some_decisions
from support.training import tiny

from euchre_agents import load
from euchre_agents.network import NetworkPolicy, load_network
from euchre_agents.outcome_head import CARD_FILE, WEIGHTS_FILE, load_head
from euchre_agents.outcomes import NUM_OUTCOMES, THROWN_IN, points_of_outcomes
from euchre_agents.score_player import ScorePlayer
from euchre_env.actions import ACTION_NAMES
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.random_streams import FIRST_GAME, FIRST_HEAD_DEAL, training_seed
from euchre_env.relative_suits import RELABELLED
from euchre_eval.folder_lock import FolderLock
from euchre_train import head_training
from euchre_train.checkpoint import start_run
from euchre_train.cli import main
from euchre_train.config import WHOLE_NUMBER_LIMITS
from euchre_train.head_training import FrozenNetwork, HeadModule, collect_decisions, updates
from euchre_train.ppo import new_training

pytestmark = pytest.mark.compiled  # training takes too long without the compiler
SEED = training_seed(1)


def tiny_network(**changes):
    """An untrained actor as a player."""
    model = new_training(tiny(inputs=("deal", "derived", "rules"), **changes)).model
    with torch.no_grad():
        for name, parameter in model.actor.named_parameters():
            parameter.mul_(30 if name.startswith("last") else 1)  # initial logits are nearly equal
    player = model.player()
    assert isinstance(player, NetworkPolicy)
    return player


def collected(network, rules=("standard",), deals=400, update=0):
    """The decisions of an update."""
    rule_sets = [parse_rules(each) for each in rules]
    return collect_decisions(network, rule_sets, update, deals, SEED, np.random.default_rng(3))


def trained(network, deals=6000, rules=("standard",)):
    """A head after training, and the progress of its updates."""
    torch.manual_seed(0)
    head = HeadModule(network.module.last.in_features, 16, len(ACTION_NAMES))
    return head, list(updates(network, head, rules, deals, SEED))


# The decisions


@pytest.mark.parametrize("architecture", ["perceptron", "residual"])
def test_a_frozen_network_chooses_as_its_player(architecture):
    player = tiny_network(architecture=architecture, hidden_sizes=(16, 16))
    network, tables = FrozenNetwork(player), some_decisions()
    chosen = network.choices(*network.inputs(tables))
    expected = player.act_views(tables.views(), tables.decision_keys(1))
    assert np.mean(RELABELLED[tables.frames, chosen] == expected) > 0.99  # torch adds in another order


@pytest.fixture
def remembered(monkeypatch):
    """What a `FrozenNetwork` saw and did at each step: the tables' episodes, deals and turns, legal outputs, results.

    The steps after the random decision are those whose episodes count from 0.
    """
    steps, inputs, step = [], FrozenNetwork.inputs, FrozenNetwork.step

    def remembering_inputs(self, tables):
        seen = inputs(self, tables)
        steps.append({"episodes": tables.episodes, "deals": tables.deals(), "turns": tables.turns})
        steps[-1]["is_legal"] = seen[2]
        return seen

    def remembering_step(self, tables, outputs):
        steps[-1]["results"] = step(self, tables, outputs)
        return steps[-1]["results"]

    monkeypatch.setattr(FrozenNetwork, "inputs", remembering_inputs)
    monkeypatch.setattr(FrozenNetwork, "step", remembering_step)
    return steps


def branched(steps):
    """The steps from the random decision on."""
    return [step for step in steps if step["episodes"].max() < FIRST_HEAD_DEAL]


def test_a_decision_is_learnt_with_the_choice_and_with_another_legal_action(remembered):
    network, deals = FrozenNetwork(tiny_network()), 400
    decisions = collected(network, deals=deals)
    assert decisions.is_random.tolist() == [False] * deals + [True] * deals
    is_legal = branched(remembered)[0]["is_legal"]
    inputs = (torch.from_numpy(array[:deals]) for array in (decisions.numbers, decisions.counts))
    best = np.where(is_legal, network.module(*inputs).numpy(), -np.inf).argmax(axis=1)
    chosen, drawn = decisions.outputs[:deals], decisions.outputs[deals:]
    assert np.mean(chosen == best) > 0.99  # rounding depends on the batch
    assert np.all(drawn != chosen)
    assert np.all(is_legal[np.arange(deals), drawn])
    for one, other, count in zip(decisions.numbers[:deals], decisions.numbers[deals:], decisions.counts, strict=False):
        np.testing.assert_array_equal(one[:count], other[:count])


def test_the_random_decision_is_any_of_a_deal_with_equal_chance(remembered):
    deals = 2000
    collected(FrozenNetwork(tiny_network()), deals=deals)
    played = [[] for _ in range(deals)]
    for step in remembered:
        if step["episodes"].min() >= FIRST_HEAD_DEAL:
            for number, deal in zip(step["episodes"] - FIRST_HEAD_DEAL, step["deals"], strict=True):
                played[number].append(deal.tobytes())
    drawn = branched(remembered)[0]["deals"]
    places = np.array([decisions.index(deal.tobytes()) for decisions, deal in zip(played, drawn, strict=True)])
    lengths = np.array([len(decisions) for decisions in played])
    assert lengths.min() < lengths.max()
    assert ((places + 0.5) / lengths).mean() == pytest.approx(0.5, abs=5 * 12**-0.5 * deals**-0.5)
    for share, chance in (
        ((places == 0).mean(), (1 / lengths).mean()),
        ((places == lengths - 1).mean(), (1 / lengths).mean()),
    ):
        assert share == pytest.approx(chance, abs=5 * (chance / deals) ** 0.5)


def test_random_actions_are_uniform_over_the_other_legal_ones(remembered):
    decisions = collected(FrozenNetwork(tiny_network()), deals=3000)
    is_other, (chosen, drawn) = branched(remembered)[0]["is_legal"].copy(), decisions.outputs.reshape(2, -1)
    is_other[np.arange(len(chosen)), chosen] = False
    number = is_other.sum(axis=1)
    rank = np.array([np.count_nonzero(row[:output]) for row, output in zip(is_other, drawn, strict=True)])
    for size in (2, 4):
        counts = np.bincount(rank[number == size], minlength=size)
        assert np.all(np.abs(counts / counts.sum() - 1 / size) < 5 * np.sqrt(1 / size / counts.sum()))


def test_the_outcomes_are_those_of_the_deals_as_each_seat_sees_them(remembered):
    """The points of the outcome of each decision are those that the team of its seat made in the deal."""
    decisions, net = collected(FrozenNetwork(tiny_network()), deals=300), np.zeros((2, 300), np.int64)
    for step in remembered:
        results = step["results"]
        after_random = int(step["episodes"].max() < FIRST_HEAD_DEAL)
        net[after_random, results["episode"] % FIRST_HEAD_DEAL] = results["points"][:, 0] - results["points"][:, 1]
    signs = np.where(branched(remembered)[0]["turns"] % 2 == 0, 1, -1)
    expected = (net * signs).ravel()
    np.testing.assert_array_equal(points_of_outcomes(HouseRules())[decisions.outcomes], expected)
    assert len(set(expected)) > 4
    assert np.any(net[0] != net[1])


def test_each_deal_has_the_house_rules_of_its_number():
    network = FrozenNetwork(network_that_prefers("pass"))
    for update in (0, 1):
        decisions = collected(network, ("standard", "midwest", "midwest"), deals=999, update=update)
        is_thrown_in = decisions.outcomes[~decisions.is_random] == THROWN_IN
        np.testing.assert_array_equal(is_thrown_in, np.arange(999) % 3 == 0)  # a stuck dealer must call


def test_two_updates_share_no_deal():
    network = FrozenNetwork(tiny_network())
    first, second = (collected(network, deals=300, update=update) for update in (0, 1))
    assert not np.array_equal(first.numbers[:300, :20], second.numbers[:300, :20])
    again = collected(network, deals=300)
    for name in ("counts", "outputs", "outcomes", "is_random"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    for one, other, count in zip(first.numbers, again.numbers, first.counts, strict=True):
        np.testing.assert_array_equal(one[:count], other[:count])


# Learning


def test_a_head_learns_more_than_the_base_rates():
    _, progress = trained(FrozenNetwork(tiny_network(hidden_sizes=(64,))), deals=16_384)
    assert [each.deals for each in progress] == [4096, 8192, 12_288, 16_384]
    assert progress[0].loss > progress[0].base_loss  # before it has learnt anything
    assert progress[-1].loss < progress[-1].base_loss - 0.1


def test_the_kernels_give_the_probabilities_that_torch_learnt():
    player = tiny_network()
    network = FrozenNetwork(player)
    head, _ = trained(network, deals=2000)
    tables = some_decisions(60)
    numbers, counts, is_legal = network.inputs(tables)
    units = network.module.last_hidden_units(torch.from_numpy(numbers), torch.from_numpy(counts))
    portable = head.portable(head_card(player, 16))
    chances = portable.outcomes(tables.views(), player)
    for output in range(len(ACTION_NAMES)):
        with torch.no_grad():
            expected = head(units, torch.full((len(units),), output)).softmax(dim=1).numpy()
        for i in np.flatnonzero(is_legal[:, output]):
            found = chances[i, RELABELLED[tables.frames[i], output]]
            np.testing.assert_allclose(found, expected[i], atol=3e-3)  # float16


def test_training_twice_gives_the_same_head():
    network = FrozenNetwork(tiny_network())
    (one, first), (other, second) = (trained(network, deals=1000, rules=("standard", "random")) for _ in range(2))
    assert first == second
    for name, weights in one.state_dict().items():
        assert torch.equal(weights, other.state_dict()[name])


# The command


@pytest.fixture
def folder(tmp_path):
    """The folder of a run that has not been trained."""
    config = tiny(rules=("standard", "random"), inputs=("deal", "derived", "rules"))
    run, training = start_run(tmp_path / "run", config)
    run.save(training)
    run.close()
    return tmp_path / "run"


def test_the_command_saves_a_head_that_load_finds(folder, capsys):
    assert isinstance(load(str(folder)), NetworkPolicy)
    assert main(["outcome-head", str(folder), "--deals", "5000"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"5,000 of 5,000 deals \| loss \d\.\d+, by base rates \d\.\d+ nats \| ", out)
    assert f"done: the head is in {folder}" in out
    player = load(str(folder))
    assert isinstance(player, ScorePlayer)
    assert (player.head.card.deals, player.head.card.seed) == (5000, 1)
    first = (folder / WEIGHTS_FILE).read_bytes()
    assert main(["outcome-head", str(folder), "--deals", "5000", "--seed", "1"]) == 0
    assert (folder / WEIGHTS_FILE).read_bytes() == first
    assert main(["outcome-head", str(folder), "--deals", "5000", "--seed", "2"]) == 0
    assert (folder / WEIGHTS_FILE).read_bytes() != first


def test_the_initial_weights_give_every_action_the_same_distribution(folder):
    network = load_network(folder)
    assert isinstance(network, NetworkPolicy)
    assert main(["outcome-head", str(folder), "--deals", "1"]) == 0
    chances = load_head(folder, network).outcomes(some_decisions(20).views(), network)
    assert NUM_OUTCOMES * chances.max() < 1.2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--deals", "0"], "--deals must be a whole number from 1"),
        (["--seed", "-1"], "seed must be a whole number from 0"),
    ],
)
def test_arguments_out_of_range_are_refused(folder, capsys, arguments, message):
    assert main(["outcome-head", str(folder), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / CARD_FILE).exists()


def test_a_folder_without_a_run_is_refused(tmp_path, capsys):
    assert main(["outcome-head", str(tmp_path)]) == 2
    assert "config.yaml is missing" in capsys.readouterr().err


def test_an_architecture_without_a_kernel_is_refused(tmp_path, capsys):
    run, training = start_run(tmp_path / "run", tiny(architecture="support.own_architectures:GATED"))
    run.save(training)
    run.close()
    assert main(["outcome-head", str(run.path)]) == 2
    message = "the architecture 'support.own_architectures:GATED' has no kernel, so nothing could play by a head"
    assert message in capsys.readouterr().err


def test_a_network_that_sees_all_cards_is_refused(tmp_path, capsys):
    run, training = start_run(tmp_path / "run", tiny(actor="all_hands"))
    run.save(training)
    run.close()
    assert main(["outcome-head", str(run.path)]) == 2
    assert "sees all cards" in capsys.readouterr().err


def test_a_run_in_training_is_refused(folder, capsys):
    lock = FolderLock(folder, "trained")
    assert main(["outcome-head", str(folder)]) == 2
    assert "is being trained by process" in capsys.readouterr().err
    lock.release()


def test_a_head_that_diverges_is_not_saved(folder, capsys, monkeypatch):
    monkeypatch.setattr(head_training, "LEARNING_RATE", 1e30)
    assert main(["outcome-head", str(folder), "--deals", "9000"]) == 1
    assert "the training of the head diverged" in capsys.readouterr().err
    assert not (folder / CARD_FILE).exists()


def test_the_deals_of_a_head_are_of_no_training_and_no_match():
    most_of_training = WHOLE_NUMBER_LIMITS["num_updates"][1] * WHOLE_NUMBER_LIMITS["deals_per_update"][1]
    assert most_of_training < FIRST_HEAD_DEAL
    assert FIRST_HEAD_DEAL + head_training.MOST_DEALS < FIRST_GAME
