"""`euchre-train outcome-head`: train a head that says how likely each outcome of a deal is after each bid.

Four copies of a trained network play each deal greedily. Then one of its bids, each equally likely, is tried again with
another legal one, after which the network plays the deal to its end. This other bid is drawn at random, those that the
network holds for likely more often: it is the plausible ones that are hard to compare. The head does not learn from
decisions after it: there somebody has bid as the network never does, so the same view means other cards.

The head is to compare bids, so it learns from the difference between the two in the same deal. What is compared is what
`score_player` compares: the probability of winning the game, at scores near its end that are drawn for each deal. Of
the luck of the cards only that remains in which the two bids differ, and where both lead to the same outcome there is
none. A little of the usual loss, the cross-entropy of the outcomes, makes the distribution itself right.

The network does not change. Every deal is new, so the figures reported are of bids that the head has not seen.
"""

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from euchre_agents.encoder import InputEncoder
from euchre_agents.network import NetworkPolicy, load_network
from euchre_agents.network_card import HeadCard
from euchre_agents.outcome_head import Head, OutcomeHead, digest_of
from euchre_agents.outcomes import NUM_OUTCOMES, OUTCOME_NAMES, outcomes_for_team, outcomes_of
from euchre_agents.score_player import LIMIT, values_by_state
from euchre_env.actions import ACTION_NAMES
from euchre_env.checks import check_number
from euchre_env.counter_rng import derived_seed
from euchre_env.deal import BIDDING_PHASES
from euchre_env.game import GAME
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records
from euchre_env.random_streams import FIRST_HEAD_DEAL, OUTCOME_HEAD, training_seed
from euchre_env.relative_suits import relabel_actions
from euchre_env.tables import Tables
from euchre_eval.folder_lock import FolderLock
from euchre_train.architectures import perceptron_of
from euchre_train.ppo import TrainingError, check_finite
from euchre_train.rule_mixture import rules_of_update
from euchre_train.run_folder import run_settings
from euchre_train.running import say
from euchre_train.torch_player import evaluate_in_chunks

MOST_DEALS = 10**9
DEALS_PER_UPDATE = 4096
UPDATES_PER_LINE = 10  # of progress
NUM_HIDDEN = 128
MINIBATCH_SIZE = 256
NUM_EPOCHS = 2  # passes over the decisions of an update
SPREAD = 4.0  # another action is drawn from the softmax of the other logits over this
NUM_SCORES = 8  # at which a decision is judged
OUTCOME_WEIGHT = 0.02  # of the cross-entropy in the loss, beside the squared errors of probabilities of winning
LEARNING_RATE = 2e-3  # of Adam at the start; it falls linearly to 0


@dataclass(frozen=True)
class Decisions:
    """N bids from which a head learns, each with two actions: the network's choice, then another."""

    numbers: np.ndarray
    """The numbers of the network's inputs that are 1, int16, (N, K)."""
    counts: np.ndarray
    """How many of each row count, int64, (N,)."""
    outputs: np.ndarray
    """The network's outputs of the two actions, int64, (N, 2)."""
    outcomes: np.ndarray
    """The outcome of the deal after each, as the team of the seat to act sees outcomes, int64, (N, 2)."""
    values: np.ndarray
    """The probability of winning the game after each outcome at some scores, float32, (N, NUM_SCORES, NUM_OUTCOMES)."""

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

    def logits(self, numbers: np.ndarray, counts: np.ndarray, is_legal: np.ndarray) -> np.ndarray:
        """The logits at each decision, float32, (N, outputs), -inf if not legal; the arguments as from `inputs`."""
        return np.where(is_legal, evaluate_in_chunks(self.module, numbers, counts).numpy(), -np.inf)

    def play_on(self, tables: Tables) -> Iterator[np.ndarray]:
        """Play all deals of `tables` to their ends, yielding what `Tables.step` returns after each step."""
        while len(tables):
            yield self.step(tables, self.logits(*self.inputs(tables)).argmax(axis=1))

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
    """Play the deals of an update, and try one bid of each again with another action.

    Args:
        network: plays every seat.
        rule_sets: deal k of the update is played under `rule_sets[k % len(rule_sets)]`.
        update: the number of the update, from 0.
        num_deals: the deals of the update, at most `DEALS_PER_UPDATE`.
        seed: of the deals.
        rng: draws the bids, the actions and the scores.
    """
    first = FIRST_HEAD_DEAL + update * DEALS_PER_UPDATE
    shift = first % len(rule_sets)  # `Tables` counts from deal 0 of the seed
    in_order = [rule_sets[(place - shift) % len(rule_sets)] for place in range(len(rule_sets))]
    tables = Tables(num_deals, in_order, seed, num_episodes=num_deals, first_episode=first, skip_forced=True)
    positions, num_bids = records(num_deals, GAME), np.zeros(num_deals, np.int64)
    outcomes, dealers = np.empty((num_deals, 2), np.int64), np.empty(num_deals, np.int64)
    while len(tables):
        is_bid, deals = np.isin(tables.phases, BIDDING_PHASES), tables.episodes - first
        num_bids[deals] += is_bid
        is_drawn = is_bid & (rng.random(len(deals)) * num_bids[deals] < 1)  # at last each bid with equal chance
        positions[deals[is_drawn]] = tables.records[is_drawn]
        results = network.step(tables, network.logits(*network.inputs(tables)).argmax(axis=1))
        ended = results["episode"] - first
        outcomes[ended, 0], dealers[ended] = outcomes_of(results), results["dealer"]
    tables = Tables(None, rule_sets, seed, positions=positions, skip_forced=True)
    is_dealers = (dealers ^ tables.turns) & 1 == 0
    numbers, counts, is_legal = network.inputs(tables)
    logits = network.logits(numbers, counts, is_legal)
    choices = logits.argmax(axis=1)
    logits[np.arange(num_deals), choices] = -np.inf
    others = (logits / SPREAD + rng.gumbel(size=logits.shape)).argmax(axis=1)
    for results in itertools.chain([network.step(tables, others)], network.play_on(tables)):
        outcomes[results["episode"], 1] = outcomes_of(results)
    return Decisions(
        numbers,
        counts,
        np.stack([choices, others], axis=1),
        outcomes_for_team(outcomes, is_dealers[:, np.newaxis]),
        values_at_random_scores(rule_sets, is_dealers, rng),
    )


def values_at_random_scores(
    rule_sets: Sequence[HouseRules], we_deal: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The probability of winning after each outcome of N deals, at scores near the end of a game.

    Args:
        rule_sets: deal k is played under `rule_sets[k % len(rule_sets)]`.
        we_deal: whether our team deals each, bool, (N,).
        rng: draws the scores of each deal, of all at which a team needs at most `LIMIT` points.

    Returns:
        float32, (N, NUM_SCORES, NUM_OUTCOMES).
    """
    values = np.empty((len(we_deal), NUM_SCORES, NUM_OUTCOMES), np.float32)
    for first, rules in enumerate(rule_sets[: len(we_deal)]):
        rows = np.arange(first, len(we_deal), len(rule_sets))
        by_state = values_by_state(rules.packed().tobytes())
        near_end = np.argwhere(~np.isnan(by_state[:, :, 0, 0]))
        near_end = near_end[near_end.min(axis=1) <= LIMIT]
        ours, theirs = near_end[rng.integers(len(near_end), size=(len(rows), NUM_SCORES))].transpose(2, 0, 1)
        values[rows] = by_state[ours, theirs, we_deal[rows, np.newaxis].astype(np.int64)]
    return values


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
        """The logits of the outcomes after the actions of `outputs`, (B, A), at `units`: (B, A, NUM_OUTCOMES)."""
        logits = self.last(torch.relu(self.hidden(units))).view(len(units), -1, NUM_OUTCOMES)
        return logits.gather(1, outputs[:, :, None].expand(-1, -1, NUM_OUTCOMES))

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
    """What an update of the training of a head has to report."""

    deals: int
    """The deals played so far."""
    explained: float
    """The share of the squared differences in the probability of winning between the two actions of each bid that the
    head predicted, before it learnt from them. It stays far below 1: the rest is the luck of the cards."""
    loss: float
    """The mean cross-entropy of the outcomes, in nats, before the head learnt from them."""


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
        losses = np.empty((NUM_EPOCHS, 3, len(decisions)))
        for epoch in range(NUM_EPOCHS):
            for rows in np.array_split(rng.permutation(len(decisions)), math.ceil(len(decisions) / MINIBATCH_SIZE)):
                losses[epoch, :, rows] = learn(network, head, optimizer, decisions, rows).T
        loss, error, square = losses[0].mean(axis=1).tolist()
        yield Progress(update * DEALS_PER_UPDATE + deals, 1 - error / square if square > 0 else 0.0, loss)


def learn(
    network: FrozenNetwork,
    head: HeadModule,
    optimizer: torch.optim.Optimizer,
    decisions: Decisions,
    rows: np.ndarray,
) -> np.ndarray:
    """Take a gradient step on some of the decisions.

    Returns:
        What was so before it, float64, (3, len(rows)): the cross-entropy of the outcomes after both actions, the mean
        squared error of the difference between the two in the probability of winning, and the mean square of it.

    Raises:
        FloatingPointError: if the loss is not finite.
    """
    numbers, counts, outputs, outcomes, values = (
        torch.from_numpy(array[rows])
        for array in (decisions.numbers, decisions.counts, decisions.outputs, decisions.outcomes, decisions.values)
    )
    log_chances = head(network.module.last_hidden_units(numbers, counts), outputs).log_softmax(dim=2)  # (B, 2, k)
    expected = torch.einsum("bak,bsk->bsa", log_chances.exp(), values)
    found = values.gather(2, outcomes[:, None].expand(-1, NUM_SCORES, -1))  # (B, scores, 2)
    differences, predicted = (wins[..., 1] - wins[..., 0] for wins in (found, expected))
    entropies = -log_chances.gather(2, outcomes[:, :, None]).mean(dim=(1, 2))
    errors = (predicted - differences).square().mean(dim=1)
    loss = errors.mean() + OUTCOME_WEIGHT * entropies.mean()
    check_finite("the loss", loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return torch.stack([entropies, errors, differences.square().mean(dim=1)]).detach().numpy()


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
            explained, loss = np.mean([(each.explained, each.loss) for each in recent], axis=0).tolist()
            passed = time.monotonic() - started
            say(
                f"{now.deals:,} of {num_deals:,} deals | explains {explained:.1%} of differences | loss {loss:.4f} nats"
                f" | {passed / 60:.1f} min, {passed / 60 * (num_deals / now.deals - 1):.1f} to go"
            )
            recent = []
