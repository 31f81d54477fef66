"""`euchre-train outcome-head`: train a head that says how likely each outcome of a deal is after each action.

Four copies of a trained network play each deal greedily. Then one of its decisions with a choice, each equally likely,
is replaced by another legal action, drawn at random, and the network plays the deal to its end from there. The head
learns from this decision twice: what the deal came to after the network's choice, and after the other action. So it
compares actions in the same deals, also those that the network would not choose.

It does not learn from the decisions after the random action: there somebody has bid or played as the network never
does, so the same view means other cards. The network's choices would be learnt from such views, other actions from
views as they are met, and the two could not be compared.

The network does not change. Every deal is new, so the losses reported are of decisions that the head has not seen.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from euchre_agents.encoder import InputEncoder
from euchre_agents.network import NetworkPolicy, load_network
from euchre_agents.network_card import HeadCard
from euchre_agents.outcome_head import Head, OutcomeHead, digest_of
from euchre_agents.outcomes import NUM_OUTCOMES, OUTCOME_NAMES, outcomes_for_team, outcomes_of
from euchre_env.actions import ACTION_NAMES
from euchre_env.checks import check_number
from euchre_env.counter_rng import derived_seed
from euchre_env.game import GAME
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records
from euchre_env.random_streams import FIRST_HEAD_DEAL, OUTCOME_HEAD, training_seed
from euchre_env.relative_suits import relabel_actions
from euchre_env.tables import Tables
from euchre_eval.folder_lock import FolderLock
from euchre_train.architectures import perceptron_of
from euchre_train.checkpoint import run_settings
from euchre_train.ppo import TrainingError, check_finite
from euchre_train.rule_mixture import rules_of_update
from euchre_train.running import say
from euchre_train.torch_player import evaluate_in_chunks

MOST_DEALS = 10**9
DEALS_PER_UPDATE = 4096
UPDATES_PER_LINE = 10  # of progress
NUM_HIDDEN = 128
MINIBATCH_SIZE = 256
NUM_EPOCHS = 2  # passes over the decisions of an update
LEARNING_RATE = 2e-3  # of Adam at the start; it falls linearly to 0


@dataclass(frozen=True)
class Decisions:
    """N decisions from which a head learns."""

    numbers: np.ndarray
    """The numbers of the network's inputs that are 1, int16, (N, K)."""
    counts: np.ndarray
    """How many of each row count, int64, (N,)."""
    outputs: np.ndarray
    """The network's output of the action taken, int64, (N,)."""
    outcomes: np.ndarray
    """The outcome of the deal, as the team of the seat to act sees it (`outcomes_for_team`), int64, (N,)."""
    is_random: np.ndarray
    """Whether the action was drawn at random, and is not the network's choice, bool, (N,)."""

    def __len__(self) -> int:
        return len(self.outputs)


class FrozenNetwork:
    """A trained network that plays greedily in batches, as in matches, for a head to learn from.

    Args:
        player: the network.

    Raises:
        ValueError: if it does not know every action of this version.
    """

    def __init__(self, player: NetworkPolicy) -> None:
        unknown = [name for name in ACTION_NAMES if name not in player.card.actions]
        if unknown:
            raise ValueError(f"the network does not know the action {unknown[0]!r} of this version")
        self.module = perceptron_of(player)
        self._encoder, self._actions = InputEncoder(player.card.places()), player.card.outputs()

    def inputs(self, tables: Tables) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The inputs of the network at all rows of `tables`: `Decisions.numbers` and `counts`, and the legal outputs.

        The last is bool, (N, outputs).
        """
        observations, masks = tables.observations(relative_suits=True)
        numbers, counts = self._encoder(observations)
        return numbers[:, : counts.max()].copy(), counts, masks[:, self._actions] != 0

    def choices(self, numbers: np.ndarray, counts: np.ndarray, is_legal: np.ndarray) -> np.ndarray:
        """The legal output with the highest logit at each decision, int64, (N,); the arguments as from `inputs`."""
        logits = evaluate_in_chunks(self.module, numbers, counts).numpy()
        return np.where(is_legal, logits, -np.inf).argmax(axis=1)

    def step(self, tables: Tables, outputs: np.ndarray) -> np.ndarray:
        """Take the actions of `outputs` at all rows of `tables`, and return what `Tables.step` returns."""
        return tables.step(relabel_actions(self._actions[outputs], tables.frames))


def collect_decisions(
    network: FrozenNetwork,
    rule_sets: Sequence[HouseRules],
    update: int,
    num_deals: int,
    seed: int,
    rng: np.random.Generator,
) -> Decisions:
    """Play the deals of an update, and record the decisions from which a head learns.

    They are one of each deal with the network's choice, then the same ones with random actions.

    Args:
        network: plays every seat.
        rule_sets: deal k of the update is played under `rule_sets[k % len(rule_sets)]`.
        update: the number of the update, from 0.
        num_deals: the deals of the update, at most `DEALS_PER_UPDATE`.
        seed: of the deals.
        rng: draws the decisions and the actions that replace them.
    """
    first = FIRST_HEAD_DEAL + update * DEALS_PER_UPDATE
    shift = first % len(rule_sets)  # `Tables` counts from deal 0 of the seed
    in_order = [rule_sets[(place - shift) % len(rule_sets)] for place in range(len(rule_sets))]
    tables = Tables(num_deals, in_order, seed, num_episodes=num_deals, first_episode=first, skip_forced=True)
    positions, num_seen = records(num_deals, GAME), np.zeros(num_deals, np.int64)
    outcomes, dealers = np.empty((2, num_deals), np.int64), np.empty(num_deals, np.int64)
    while len(tables):
        deals = tables.episodes - first
        num_seen[deals] += 1
        is_drawn = rng.random(len(deals)) * num_seen[deals] < 1  # at last each decision of a deal with equal chance
        positions[deals[is_drawn]] = tables.records[is_drawn]
        results = network.step(tables, network.choices(*network.inputs(tables)))
        ended = results["episode"] - first
        outcomes[0, ended], dealers[ended] = outcomes_of(results), results["dealer"]
    tables = Tables(None, rule_sets, seed, positions=positions, skip_forced=True)
    numbers, counts, is_legal = network.inputs(tables)
    choices, seats = network.choices(numbers, counts, is_legal), tables.turns
    is_other = is_legal.copy()
    is_other[np.arange(num_deals), choices] = False
    others = (rng.random(is_other.shape) * is_other).argmax(axis=1)
    results = network.step(tables, others)
    outcomes[1, results["episode"]] = outcomes_of(results)
    while len(tables):
        results = network.step(tables, network.choices(*network.inputs(tables)))
        outcomes[1, results["episode"]] = outcomes_of(results)
    return Decisions(
        np.tile(numbers, (2, 1)),
        np.tile(counts, 2),
        np.concatenate([choices, others]),
        outcomes_for_team(outcomes.ravel(), np.tile((dealers ^ seats) & 1 == 0, 2)),
        np.repeat([False, True], num_deals),
    )


class HeadModule(nn.Module):
    """An outcome head as a torch module.

    Args:
        num_inputs: units of the last hidden layer of the network.
        num_hidden: units of its own hidden layer.
        num_actions: actions of the network.
    """

    def __init__(self, num_inputs: int, num_hidden: int, num_actions: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(num_inputs, num_hidden)
        self.last = nn.Linear(num_hidden, num_actions * NUM_OUTCOMES)
        nn.init.zeros_(self.last.weight)  # at first every action has the same distribution
        nn.init.zeros_(self.last.bias)

    def forward(self, units: Tensor, outputs: Tensor) -> Tensor:
        """The logits of the outcomes after the action of `outputs`, (B,), at `units`: (B, NUM_OUTCOMES)."""
        logits = self.last(torch.relu(self.hidden(units)))
        return logits.view(len(units), -1, NUM_OUTCOMES)[torch.arange(len(units)), outputs]

    def portable(self, card: HeadCard) -> OutcomeHead:
        """The head for kernels, its weights rounded to float16."""
        weights = self.last.weight.view(-1, NUM_OUTCOMES, card.num_hidden).transpose(1, 2)
        arrays = Head(
            *(
                tensor.detach().to(torch.float16).numpy()
                for tensor in (self.hidden.weight.T, self.hidden.bias, weights, self.last.bias.view(-1, NUM_OUTCOMES))
            )
        )
        return OutcomeHead(card, arrays._asdict())


@dataclass(frozen=True)
class Progress:
    """What an update of the training of a head has to report; losses are in nats, of random decisions alone."""

    deals: int
    """The deals played so far."""
    loss: float
    """The mean cross-entropy of the outcomes of the update, before the head learnt from them."""
    base_loss: float
    """The same for a head that only knows how often each outcome occurs in the update."""


def updates(
    network: FrozenNetwork, head: HeadModule, rules: Sequence[str], num_deals: int, seed: int
) -> Iterator[Progress]:
    """Train `head` in place on `num_deals` deals, yielding the progress of each update.

    Args:
        network: the network of the head.
        head: a head, initialised.
        rules: as the setting `rules` of a training run.
        num_deals: the number of deals.
        seed: of everything random, a seed of training.

    Raises:
        FloatingPointError: if a loss is not finite.
    """
    optimizer = torch.optim.Adam(head.parameters(), lr=LEARNING_RATE)
    num_updates = math.ceil(num_deals / DEALS_PER_UPDATE)
    for update in range(num_updates):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - update / num_updates)
        deals = min(DEALS_PER_UPDATE, num_deals - update * DEALS_PER_UPDATE)
        rule_sets = rules_of_update(rules, FIRST_HEAD_DEAL + update, seed)
        rng = np.random.default_rng(derived_seed(seed, OUTCOME_HEAD, 1 + update))
        decisions = collect_decisions(network, rule_sets, update, deals, seed, rng)
        losses = np.empty((NUM_EPOCHS, len(decisions)), np.float32)
        for epoch in range(NUM_EPOCHS):
            for rows in np.array_split(rng.permutation(len(decisions)), math.ceil(len(decisions) / MINIBATCH_SIZE)):
                losses[epoch, rows] = learn(network, head, optimizer, decisions, rows)
        drawn = decisions.outcomes[decisions.is_random]
        shares = np.bincount(drawn, minlength=NUM_OUTCOMES) / len(drawn)
        yield Progress(
            update * DEALS_PER_UPDATE + deals,
            float(losses[0, decisions.is_random].mean()),
            float(-np.log(shares[drawn]).mean()),
        )


def learn(
    network: FrozenNetwork,
    head: HeadModule,
    optimizer: torch.optim.Optimizer,
    decisions: Decisions,
    rows: np.ndarray,
) -> np.ndarray:
    """Take a gradient step on some of the decisions, and return the losses before it, float32, (len(rows),).

    Raises:
        FloatingPointError: if the loss is not finite.
    """
    numbers, counts, outputs, outcomes = (
        torch.from_numpy(array[rows])
        for array in (decisions.numbers, decisions.counts, decisions.outputs, decisions.outcomes)
    )
    losses = cross_entropy(head(network.module.last_hidden_units(numbers, counts), outputs), outcomes, reduction="none")
    loss = losses.mean()
    check_finite("the loss", loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return losses.detach().numpy()


def train_head(folder: Path, num_deals: int, seed: int | None = None) -> int:
    """Train an outcome head for the network in a run folder, save it there, and return the exit status 0.

    Args:
        folder: the run folder, which no other process trains.
        num_deals: the number of deals to learn from.
        seed: the number of a training seed; that of the run if None. The deals are not those of its training.

    Raises:
        ValueError: if the folder holds no run or no network that kernels evaluate, another process trains the run, or
            an argument is invalid.
        TrainingError: if training diverges.
        OSError: if the head cannot be written.
    """
    config = run_settings(folder)
    num_deals = check_number(num_deals, 1, MOST_DEALS, "--deals")
    number = config.seed if seed is None else seed
    training = training_seed(number)
    lock = FolderLock(folder, "trained")
    try:
        player = load_network(folder)
        if not isinstance(player, NetworkPolicy):
            raise ValueError(
                f"{folder}: the architecture {player.card.architecture!r} has no kernel, so nothing could play by a "
                "head; perceptron and residual networks can have one"
            )
        torch.set_num_threads(config.num_threads)
        torch.manual_seed(derived_seed(training, OUTCOME_HEAD, 0))
        head = HeadModule(player.card.hidden_sizes[-1], NUM_HIDDEN, len(player.card.actions))
        try:
            _run_to_end(folder, updates(FrozenNetwork(player), head, config.rules, num_deals, training), num_deals)
        except FloatingPointError as error:
            raise TrainingError(f"{folder}: the training of the head diverged: {error}") from error
        card = HeadCard(
            player.card.actions,
            OUTCOME_NAMES,
            player.card.hidden_sizes[-1],
            NUM_HIDDEN,
            digest_of(player),
            num_deals,
            number,
        )
        head.portable(card).save(folder)
    finally:
        lock.release()
    say(f"done: the head is in {folder}, and load({str(folder)!r}) plays by it")
    return 0


def _run_to_end(folder: Path, progress: Iterator[Progress], num_deals: int) -> None:
    """Train to the end, and print a line every `UPDATES_PER_LINE` updates and at the end."""
    started = time.monotonic()
    say(f"{folder}: an outcome head from {num_deals:,} deals")
    recent: list[Progress] = []
    for now in progress:
        recent.append(now)
        if len(recent) == UPDATES_PER_LINE or now.deals == num_deals:
            loss, base = (float(np.mean([getattr(each, name) for each in recent])) for name in ("loss", "base_loss"))
            passed = time.monotonic() - started
            say(
                f"{now.deals:,} of {num_deals:,} deals | loss {loss:.4f}, by base rates {base:.4f} nats"
                f" | {passed / 60:.1f} min, {passed / 60 * (num_deals / now.deals - 1):.1f} to go"
            )
            recent = []
