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
from euchre_agents.score_player import LIMIT, ScorePlayer
from euchre_agents.win_table import win_table
from euchre_env.actions import ACTION_NAMES
from euchre_env.deal import BIDDING_PHASES
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.random_streams import FIRST_GAME, FIRST_HEAD_DEAL, training_seed
from euchre_env.relative_suits import RELABELLED
from euchre_eval.folder_lock import FolderLock
from euchre_train import head_training
from euchre_train.cli import main
from euchre_train.config import WHOLE_NUMBER_LIMITS
from euchre_train.head_training import (
    NUM_SCORES,
    SPREAD,
    FrozenNetwork,
    HeadModule,
    collect_decisions,
    learn,
    updates,
    values_at_random_scores,
)
from euchre_train.ppo import new_training
from euchre_train.run_folder import start_run

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
    chosen = network.logits(*network.inputs(tables)).argmax(axis=1)
    expected = player.act_views(tables.views(), tables.decision_keys(1))
    assert np.mean(RELABELLED[tables.frames, chosen] == expected) > 0.99  # torch adds in another order


@pytest.fixture
def remembered(monkeypatch):
    """What a `FrozenNetwork` saw and did at each step: the tables' episodes, deals, turns and phases, logits, results.

    The steps after the other action are those whose episodes count from 0.
    """
    steps, inputs, logits, step = [], FrozenNetwork.inputs, FrozenNetwork.logits, FrozenNetwork.step

    def remembering_inputs(self, tables):
        steps.append({"episodes": tables.episodes, "deals": tables.deals(), "turns": tables.turns})
        steps[-1]["is_bid"] = np.isin(tables.phases, BIDDING_PHASES)
        return inputs(self, tables)

    def remembering_logits(self, *arguments):
        steps[-1]["logits"] = logits(self, *arguments)
        return steps[-1]["logits"].copy()

    def remembering_step(self, tables, outputs):
        steps[-1]["results"] = step(self, tables, outputs)
        return steps[-1]["results"]

    monkeypatch.setattr(FrozenNetwork, "inputs", remembering_inputs)
    monkeypatch.setattr(FrozenNetwork, "logits", remembering_logits)
    monkeypatch.setattr(FrozenNetwork, "step", remembering_step)
    return steps


def first_plays(steps):
    """The steps of the deals as the network plays them."""
    return [step for step in steps if step["episodes"].min() >= FIRST_HEAD_DEAL]


def branched(steps):
    """The steps from the decisions on that are tried again."""
    return [step for step in steps if step["episodes"].max() < FIRST_HEAD_DEAL]


def test_a_decision_is_learnt_with_the_choice_and_with_another_legal_action(remembered):
    decisions = collected(FrozenNetwork(tiny_network()))
    logits, rows = branched(remembered)[0]["logits"], np.arange(len(decisions))
    chosen, other = decisions.outputs.T
    np.testing.assert_array_equal(chosen, logits.argmax(axis=1))
    assert np.all(np.isfinite(logits[rows, other]))
    assert np.all(other != chosen)


def test_the_bid_is_any_of_a_deal_with_equal_chance(remembered):
    deals = 2000
    collected(FrozenNetwork(tiny_network()), deals=deals)
    played = [[] for _ in range(deals)]
    for step in first_plays(remembered):
        for row in np.flatnonzero(step["is_bid"]):
            played[step["episodes"][row] - FIRST_HEAD_DEAL].append(step["deals"][row].tobytes())
    drawn = branched(remembered)[0]["deals"]
    places = np.array([bids.index(deal.tobytes()) for bids, deal in zip(played, drawn, strict=True)])
    lengths = np.array([len(bids) for bids in played])
    assert lengths.min() < lengths.max()
    assert ((places + 0.5) / lengths).mean() == pytest.approx(0.5, abs=5 * 12**-0.5 * deals**-0.5)
    for share, chance in (
        ((places == 0).mean(), (1 / lengths).mean()),
        ((places == lengths - 1).mean(), (1 / lengths).mean()),
    ):
        assert share == pytest.approx(chance, abs=5 * (chance / deals) ** 0.5)


def test_likely_actions_are_tried_more_often(remembered):
    decisions = collected(FrozenNetwork(tiny_network()), deals=2000)
    logits, rows = branched(remembered)[0]["logits"].copy(), np.arange(len(decisions))
    chosen, drawn = decisions.outputs.T
    logits[rows, chosen] = -np.inf
    chances = np.exp((logits - logits.max(axis=1, keepdims=True)) / SPREAD)
    chances /= chances.sum(axis=1, keepdims=True)
    order = np.argsort(-logits, axis=1)
    for rank in range(2):
        action = order[:, rank]
        expected, found = float(chances[rows, action].sum()), int((drawn == action).sum())
        assert found == pytest.approx(expected, abs=5 * expected**0.5)
        assert expected > 100


def test_the_outcomes_are_those_of_the_deals_as_each_seat_sees_them(remembered):
    """The points of each outcome of a bid are those that the team of its seat made in the deal."""
    decisions, net = collected(FrozenNetwork(tiny_network()), deals=300), np.zeros((300, 2), np.int64)
    for other, steps in enumerate((first_plays(remembered), branched(remembered))):
        for results in (step["results"] for step in steps):
            net[results["episode"] % FIRST_HEAD_DEAL, other] = results["points"][:, 0] - results["points"][:, 1]
    signs = np.where(branched(remembered)[0]["turns"] % 2 == 0, 1, -1)
    np.testing.assert_array_equal(points_of_outcomes(HouseRules())[decisions.outcomes], net * signs[:, np.newaxis])
    assert len(np.unique(net)) > 4
    assert np.any(net[:, 0] != net[:, 1])


def test_each_deal_has_the_house_rules_of_its_number():
    network = FrozenNetwork(network_that_prefers("pass"))
    for update in (0, 1):
        decisions = collected(network, ("standard", "midwest", "midwest"), deals=999, update=update)
        is_thrown_in = decisions.outcomes[:, 0] == THROWN_IN
        np.testing.assert_array_equal(is_thrown_in, np.arange(999) % 3 == 0)  # a stuck dealer must call


def test_two_updates_share_no_deal():
    network = FrozenNetwork(tiny_network())
    first, second = (collected(network, deals=300, update=update) for update in (0, 1))
    assert not np.array_equal(first.numbers[:300, :20], second.numbers[:300, :20])
    again = collected(network, deals=300)
    for name in ("counts", "outputs", "outcomes", "values"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
    for one, other, count in zip(first.numbers, again.numbers, first.counts, strict=True):
        np.testing.assert_array_equal(one[:count], other[:count])


def test_decisions_are_judged_at_every_score_near_the_end_equally_often():
    rules = [parse_rules("standard"), parse_rules("standard,points_to_win=5,march_points=3")] * 400
    we_deal = np.arange(800) % 4 < 2
    values = values_at_random_scores(rules, we_deal, np.random.default_rng(0))
    assert values.shape == (800, NUM_SCORES, NUM_OUTCOMES)
    for which, target in ((0, 10), (1, 5)):
        near_end = [(o, t) for o in range(1, target + 1) for t in range(1, target + 1) if min(o, t) <= LIMIT]
        after = (
            win_table(rules[which])
            .probabilities_after(
                np.repeat(near_end, 2, axis=0),
                np.tile([[False], [True]], (len(near_end), NUM_OUTCOMES)),  # who deals next, after our deal or theirs
                points_of_outcomes(rules[which]),
            )
            .astype(np.float32)
        )
        number = {}
        for dealer in (0, 1):
            rows = np.flatnonzero((np.arange(800) % 2 == which) & (we_deal == (dealer == 0)))
            for found in values[rows].reshape(-1, NUM_OUTCOMES):
                (place,) = np.flatnonzero((after[dealer::2] == found).all(axis=1))
                number[place] = number.get(place, 0) + 1
        expected = 400 * NUM_SCORES / len(near_end)
        assert len(number) == len(near_end)
        assert max(abs(count - expected) for count in number.values()) < 5 * expected**0.5


# Learning


def test_a_head_learns_to_tell_actions_apart():
    _, progress = trained(FrozenNetwork(tiny_network(hidden_sizes=(64,))), deals=10_000)
    assert [each.deals for each in progress] == [4096, 8192, 10_000]
    assert progress[-1].explained > 0.05
    assert progress[-1].loss < progress[0].loss


def test_a_head_that_tells_nothing_apart_explains_nothing():
    """At first every action has the same distribution: each outcome has the same probability."""
    network = FrozenNetwork(tiny_network())
    decisions = collected(network)
    head = HeadModule(network.module.last.in_features, 16, len(ACTION_NAMES))
    optimizer = torch.optim.Adam(head.parameters())
    entropies, errors, squares = learn(network, head, optimizer, decisions, np.arange(len(decisions)))
    np.testing.assert_allclose(entropies, np.log(NUM_OUTCOMES), rtol=1e-5)
    one, other = decisions.outcomes.T
    rows = np.arange(len(decisions))
    differences = decisions.values[rows, :, other] - decisions.values[rows, :, one]
    np.testing.assert_allclose(squares, (differences**2).mean(axis=1), atol=1e-6)
    np.testing.assert_allclose(errors, squares, atol=1e-6)
    assert np.any(squares > 0.01)
    assert np.all(squares[one == other] == 0)


def test_the_kernels_give_the_probabilities_that_torch_learnt():
    player = tiny_network()
    network = FrozenNetwork(player)
    head, _ = trained(network, deals=2000)
    tables = some_decisions(60)
    numbers, counts, is_legal = network.inputs(tables)
    units = network.module.last_hidden_units(torch.from_numpy(numbers), torch.from_numpy(counts))
    portable = head.portable(head_card(player, 16))
    chances = portable.outcomes(tables.views(), player)
    with torch.no_grad():
        outputs = torch.arange(len(ACTION_NAMES)).expand(len(units), -1)
        expected = head(units, outputs).softmax(dim=2).numpy()
    for i, output in np.argwhere(is_legal):
        found = chances[i, RELABELLED[tables.frames[i], output]]
        np.testing.assert_allclose(found, expected[i, output], atol=3e-3)  # float16


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
    assert re.search(r"5,000 of 5,000 deals \| explains -?\d+\.\d% of differences \| loss \d\.\d+ nats \| ", out)
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
