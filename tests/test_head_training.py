"""Training of outcome heads: the decisions it learns from, what it learns, and the command."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.networks import head_card, some_decisions
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
from euchre_train import head_training
from euchre_train.checkpoint import start_run
from euchre_train.cli import main
from euchre_train.config import WHOLE_NUMBER_LIMITS
from euchre_train.head_training import FrozenNetwork, HeadModule, collect_decisions, updates
from euchre_train.ppo import new_training
from euchre_train.run_lock import RunLock

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


def test_one_decision_of_each_deal_is_random_and_those_after_it_are_greedy():
    network, deals = FrozenNetwork(tiny_network()), 400
    decisions = collected(network, deals=deals)
    assert np.count_nonzero(decisions.is_random) == deals < len(decisions)
    logits = network.module(torch.from_numpy(decisions.numbers), torch.from_numpy(decisions.counts)).numpy()
    best = logits.max(axis=1)
    is_best = logits[np.arange(len(decisions)), decisions.outputs] >= best - 1e-5
    assert 0.05 < is_best[decisions.is_random].mean() < 0.6
    assert is_best[~decisions.is_random].mean() > is_best[decisions.is_random].mean() + 0.1  # the best may be illegal


def test_the_random_decision_is_any_of_a_deal_with_equal_chance(monkeypatch):
    """Count the decisions of each deal, and at which of them the deal branched."""
    network, deals, seen, branched = FrozenNetwork(tiny_network()), 2000, np.zeros(2000), []
    step = FrozenNetwork.step

    def counting_step(self, tables, outputs):
        if tables.rule_sets and len(tables) and tables.episodes.min() >= FIRST_HEAD_DEAL:
            seen[tables.episodes - FIRST_HEAD_DEAL] += 1
        elif not branched:
            branched.append(tables.records["num_actions"].copy())
        return step(self, tables, outputs)

    monkeypatch.setattr(FrozenNetwork, "step", counting_step)
    decisions = collected(network, deals=deals)
    after = np.count_nonzero(~decisions.is_random)
    # Of n decisions the k-th is drawn with chance 1/n: (n - 1) / 2 follow on average in the deal as it was played.
    expected = np.sum((seen - 1) / 2)
    assert after == pytest.approx(expected, rel=0.15)
    assert len(set(branched[0].tolist())) > 10


def test_random_actions_are_uniform_over_the_legal_ones(monkeypatch):
    network, shares = FrozenNetwork(tiny_network()), []
    inputs = FrozenNetwork.inputs

    def remembering_inputs(self, tables):
        numbers, counts, is_legal = inputs(self, tables)
        shares.append((tables.episodes.copy(), is_legal.copy()))
        return numbers, counts, is_legal

    monkeypatch.setattr(FrozenNetwork, "inputs", remembering_inputs)
    decisions = collected(network, deals=3000)
    is_legal = next(legal for episodes, legal in shares if episodes[0] == 0)
    outputs = decisions.outputs[decisions.is_random]
    assert np.all(is_legal[np.arange(len(outputs)), outputs])
    number = is_legal.sum(axis=1)
    rank = np.array([np.count_nonzero(row[:output]) for row, output in zip(is_legal, outputs, strict=True)])
    for size in (2, 3, 5):
        counts = np.bincount(rank[number == size], minlength=size)
        assert np.all(np.abs(counts / counts.sum() - 1 / size) < 5 * np.sqrt(1 / size / counts.sum()))


def test_the_outcomes_are_those_of_the_deals_as_each_seat_sees_them(monkeypatch):
    """Sum the net points of a seat's team over its decisions, by outcome and by the results of the deals."""
    results = []
    step = FrozenNetwork.step

    def remembering_step(self, tables, outputs):
        turns, episodes = tables.turns, tables.episodes
        ended = step(self, tables, outputs)
        results.append((turns, episodes, ended))
        return ended

    monkeypatch.setattr(FrozenNetwork, "step", remembering_step)
    network = FrozenNetwork(tiny_network())
    decisions = collected(network, deals=300)
    branch = [each for each in results if not (each[1] >= FIRST_HEAD_DEAL).any()]
    net = np.zeros(300, np.int64)
    for _, _, ended in branch:
        net[ended["episode"]] = ended["points"][:, 0] - ended["points"][:, 1]
    turns, episodes = (np.concatenate([each[i] for each in branch]) for i in (0, 1))
    expected = net[episodes] * np.where(turns % 2 == 0, 1, -1)
    np.testing.assert_array_equal(points_of_outcomes(HouseRules())[decisions.outcomes], expected)
    assert len(set(expected)) > 4


def test_each_deal_has_the_house_rules_of_its_number():
    network = FrozenNetwork(tiny_network())
    rules = ("standard", "midwest", "midwest")
    for update in (0, 1):
        decisions = collected(network, rules, deals=999, update=update)
        of_deal = decisions.outcomes[decisions.is_random]
        standard = np.arange(999) % 3 == 0
        assert np.all(of_deal[~standard] != THROWN_IN)  # a stuck dealer must call


def test_two_updates_share_no_deal():
    network = FrozenNetwork(tiny_network())
    first, second = (collected(network, deals=300, update=update) for update in (0, 1))
    assert not np.array_equal(first.numbers[:300, :20], second.numbers[:300, :20])
    again = collected(network, deals=300)
    for name, array in vars(first).items():
        np.testing.assert_array_equal(getattr(again, name), array)


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
    lock = RunLock(folder)
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
