"""A network that bids for the game near its end, and plays for points elsewhere: what `load` makes if there is a head.

Where a team needs few points, the points of a deal are not all worth the same: at 9 to 9 the first is worth the game.
There the player asks the outcome head of its network (`outcome_head`) for the probability of each outcome after each
legal bid, and a table (`win_table`) for the probability of winning the game after each outcome, under the house rules
of the view. It leaves the network's choice only for a bid that wins by `MARGIN` more often, because smaller gains are
mostly errors of the head. Cards are always played and discarded by the network: what a card gains is too small for
heads to find, and they lost more there than the bids won (docs/training.md, "Playing for the game").
"""

import functools

import numpy as np

from euchre_agents.network import NetworkPolicy
from euchre_agents.outcome_head import Head, OutcomeHead, head_units, outcome_chances
from euchre_agents.outcomes import NUM_OUTCOMES, THROWN_IN, points_of_outcomes
from euchre_agents.perceptron import Network, Scratch, best_output, logits_of_view
from euchre_agents.policy import Explanation
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_agents.win_table import win_table
from euchre_env.actions import actions_in
from euchre_env.counter_rng import random_member
from euchre_env.deal import BIDDING_PHASES
from euchre_env.house_rules import RULES, HouseRules
from euchre_env.kernel import Records, as_records, kernel
from euchre_env.relative_suits import RELABELLED
from euchre_env.view import View, batch_of

# Chosen by measurement (docs/training.md, "Playing for the game"; `euchre-eval score-settings`).
LIMIT = 4
"""The table decides where a team needs at most this many points."""
MARGIN = 0.01
"""The gain in the probability of winning for which a bid replaces the network's choice."""


class ScorePlayer(ViewPolicy):
    """Bids for the game where a team needs at most `limit` points, and does as its network, to the bit, elsewhere.

    A view has no field that says whether there is a game. A single deal is one at 0 to 0: both teams need all points
    (`needed` is the larger of `points_to_win` and `win_by` for both). There the choice is always the network's, also in
    games to few points, so single deals are played for points. A position that was given a score is part of a game.

    Args:
        network: gives the choice to keep, and plays where the table does not decide.
        head: the outcome head of this network.
        limit: the points needed by a team, at most, where the table decides; from 0, which is never.
        margin: the gain in the probability of winning, 0 to 1, that a bid must exceed to replace the network's.

    Raises:
        ValueError: if the head is that of another network.
    """

    stateless = True

    def __init__(
        self, network: NetworkPolicy, head: OutcomeHead, *, limit: int = LIMIT, margin: float = MARGIN
    ) -> None:
        super().__init__(network.name, seed=0)
        head.check_fit(network)
        self.network, self.head, self.limit, self.margin = network, head, limit, margin
        self._units = np.empty(head.card.num_hidden, np.float32)
        self._chances = np.empty(NUM_OUTCOMES, np.float32)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; the keys decide only if the network knows no legal action.

        A batch may hold views under several house rules; the choice at a view does not depend on the others.
        """
        check_decisions(views, keys)
        actions, network = np.empty(len(views), np.int64), self.network
        own = network.network, network.scratch, self.head.weights, self._units, self._chances
        best_for_game_of_views(views, keys, self.outcome_values(views), self.margin, *own, actions)
        return actions

    def outcome_values(self, views: Records) -> np.ndarray:
        """The probability of winning the game after each outcome of the deal, as the owner of each of `views` sees it.

        Args:
            views: dtype VIEW, shape (n,).

        Returns:
            float64, shape (n, NUM_OUTCOMES); nan where the network decides.
        """
        values = np.full((len(views), NUM_OUTCOMES), np.nan)
        rows, states = np.empty(len(views), np.int64), np.empty((len(views), 3), np.int64)
        count = near_end_of_views(views, self.limit, rows, states)
        if count > 0:
            rows, states = rows[:count], states[:count]
            rules = np.ascontiguousarray(views["rules"][rows])
            for members in _groups(rules):
                by_state = values_by_state(rules[members[0]].tobytes())
                values[rows[members]] = by_state[tuple(states[members].T)]
        return values

    def explain(self, view: View) -> list[Explanation]:
        """Each legal action, the chosen one first, then by their probabilities of winning, where the table decides.

        The reason gives the probability that the owner's team wins the game after the action, and what the network
        gives the action. Elsewhere this is the network's explanation.
        """
        check_view(view)
        views = batch_of(view)
        (values,) = self.outcome_values(views)
        if np.isnan(values).any():
            return self.network.explain(view)
        (chances,), (shares,) = self.head.outcomes(views, self.network), self.network.probabilities(views)
        wins, points = chances @ values, chances @ points_of_outcomes(HouseRules.unpacked(view["rules"]))
        (chosen,) = self.act_views(views, np.zeros(1, np.int64))
        return [
            Explanation(
                a,
                float(a == chosen),
                float(points[a]),
                f"It wins {wins[a]:.1%} of games from this score; the network gives it {shares[a]:.1%}.",
            )
            for a in sorted(actions_in(int(view["legal"])), key=lambda action: (action != chosen, -wins[action]))
        ]


def _groups(rules: np.ndarray) -> list[np.ndarray]:
    """The rows of equal house rules, dtype RULES, (n,): an array of row numbers for each set."""
    words = rules.view(np.int64).reshape(len(rules), -1)
    if len(rules) == 1 or (words == words[0]).all():
        return [np.arange(len(rules))]
    _, which = np.unique(rules.view(f"V{RULES.itemsize}"), return_inverse=True)
    order = np.argsort(which, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(which[order])) + 1)


@functools.lru_cache(maxsize=512)
def values_by_state(rules_record: bytes) -> np.ndarray:
    """The probability of winning the game after each outcome of a deal, from every state that the game can be in.

    Args:
        rules_record: the bytes of a record of dtype RULES.

    Returns:
        Read-only float64, shape (k, k, 2, NUM_OUTCOMES): by the points that we and the other team need before the deal,
        whether we deal it (0 or 1), and the outcome as we see it; nan where no scores leave these points.
    """
    rules = HouseRules.unpacked(as_records(np.frombuffer(rules_record, RULES))[0])
    table, net_points = win_table(rules), points_of_outcomes(rules)
    values = np.full((*table.values.shape, NUM_OUTCOMES), np.nan)
    needed = np.argwhere(~np.isnan(table.values[:, :, 0]))
    for we_deal in (0, 1):
        we_deal_next = np.full((len(needed), NUM_OUTCOMES), we_deal == 0)
        if rules.throw_in_dealer == "same":
            we_deal_next[:, THROWN_IN] = we_deal == 1
        ours, theirs = needed.T
        values[ours, theirs, we_deal] = table.probabilities_after(needed, we_deal_next, net_points)
    values.flags.writeable = False
    return values


@kernel
def near_end_of_views(views: Records, limit: int, rows: np.ndarray, states: np.ndarray) -> int:
    """List the views of games with a bid to make in which a team needs at most `limit` points, but none at 0 to 0.

    Args:
        views: dtype VIEW, (N,).
        limit: a number of points.
        rows: the numbers of these views are written to its first places, int64, (N,).
        states: with them the points that we and they need and whether we deal, as in `values_by_state`, int64, (N, 3).

    Returns:
        The number of these views.
    """
    count = 0
    for i in range(len(views)):
        rules, ours, theirs = views[i].rules, views[i].needed[0], views[i].needed[1]
        start = max(rules.points_to_win, rules.win_by)
        is_start = ours == start and theirs == start
        is_of_game = min(ours, theirs) > 0 and max(ours, theirs) < start + rules.win_by
        is_bid = views[i].phase in BIDDING_PHASES
        if is_bid and is_of_game and min(ours, theirs) <= limit and not is_start:
            rows[count] = i
            states[count, 0], states[count, 1], states[count, 2] = ours, theirs, 1 - (views[i].dealer & 1)
            count += 1
    return count


@kernel
def best_for_game_of_views(
    views: Records,
    keys: np.ndarray,
    values: np.ndarray,
    margin: float,
    network: Network,
    scratch: Scratch,
    head: Head,
    units: np.ndarray,
    chances: np.ndarray,
    actions: np.ndarray,
) -> None:
    """Write the choice at each of `views` to `actions`, int64, (N,).

    It is that of `perceptron.best_of_views`, unless another legal action of the network wins by more than `margin` more
    often: then the one that wins most often, the first of equals.

    Args:
        views: dtype VIEW, (N,).
        keys: int64, (N,).
        values: the probability of winning after each outcome, float64, (N, NUM_OUTCOMES); nan to keep the network's.
        margin: a probability.
        network: the network.
        scratch: overwritten.
        head: its outcome head.
        units: float32, one for each hidden unit of the head; overwritten.
        chances: float32, (NUM_OUTCOMES,); overwritten.
        actions: the choices are written here.
    """
    for i in range(len(views)):
        frame = logits_of_view(views[i], network, scratch)
        legal, outputs = scratch.relative[0].legal, network.outputs
        best = best_output(legal, scratch.logits, outputs)
        if best < 0:
            actions[i] = random_member(views[i].legal, keys[i])
            continue
        if legal & (legal - 1) and not np.isnan(values[i, 0]):
            head_units(network, scratch, head, units)
            threshold = win_probability(units, head, best, values[i], chances) + margin
            for output in range(len(outputs)):
                if output != best and legal >> outputs[output] & 1:
                    wins = win_probability(units, head, output, values[i], chances)
                    if wins > threshold:
                        best, threshold = output, wins
        actions[i] = RELABELLED[frame, outputs[best]]


@kernel
def win_probability(units: np.ndarray, head: Head, output: int, values: np.ndarray, chances: np.ndarray) -> float:
    """The probability of winning after the action of an output; `chances` is overwritten."""
    outcome_chances(units, head, output, chances)
    total = 0.0
    for outcome in range(NUM_OUTCOMES):
        total += chances[outcome] * values[outcome]
    return total
