"""What it is worth to read the bidding: worlds weighted by it, against all worlds alike."""

from typing import cast

import numpy as np

from euchre_agents.search.drawn_worlds import draw_worlds
from euchre_agents.search.likelihoods import ProbabilityPolicy, log_likelihoods
from euchre_agents.search.rollouts import are_legal, rollout_points
from euchre_agents.search.weighted_means import normalised, weighted_means
from euchre_agents.view_policy import ViewPolicy
from euchre_env.deal import PLAY
from euchre_env.kernel import Records
from euchre_eval.sayings.forcing import NO_LABEL, by_deal, points_after, positions
from euchre_eval.sayings.saying import Figures, Samples, Saying, Setting, Table
from euchre_eval.workers import Tick

TRICKS = ("first trick", "second trick", "third trick", "every trick")
READING = Table(
    "Cards chosen in worlds weighted by the bids and cards seen, against worlds all alike",
    TRICKS,
    ("other card", "gain where another card is chosen, points", "gain per decision, points"),
    ("share", "points", "points"),
)
NUM_WORLDS = 40
AT_ONCE = 200  # decisions whose worlds are looked at together


def _measure_reading(deals: range, setting: Setting, tick: Tick) -> Samples:
    if not hasattr(setting.player, "probabilities"):
        name = setting.player.name
        raise ValueError(f"player {name!r} gives no probabilities; reading bids needs a network, such as ppo")

    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        return np.where((views["phase"] == PLAY) & (views["trick"] < len(TRICKS) - 1), views["trick"], NO_LABEL)

    found = positions(deals, setting, classify, tick, last_trick=len(TRICKS) - 2)
    alike, weighted = np.zeros(len(found.games), np.int64), np.zeros(len(found.games), np.int64)
    for start in range(0, len(alike), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        alike[some], weighted[some] = _choices(found.views[some], found.games[some], setting)
        tick("", 0)
    differ = np.flatnonzero(alike != weighted)
    gain = np.zeros(len(alike), np.int64)
    some = found.those(differ)
    gain[differ] = points_after(some, weighted[differ], setting, tick) - points_after(
        some, alike[differ], setting, tick
    )
    samples: Samples = {}
    for row in range(len(TRICKS)):
        here = found.labels == row if row < len(TRICKS) - 1 else np.ones(len(gain), np.bool_)
        other = here & (alike != weighted)
        samples[READING.place(row, 0)] = by_deal(other[here], found.those(here))
        samples[READING.place(row, 1)] = by_deal(gain[other], found.those(other))
        samples[READING.place(row, 2)] = by_deal(gain[here], found.those(here))
    return samples


def _choices(views: Records, games: np.ndarray, setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """The card of the highest mean open-hand points, over worlds all alike and over worlds weighted by the player."""
    keys = (games["keys"][:, 0] + games["num_actions"]) & (2**31 - 1)
    worlds = draw_worlds(views, NUM_WORLDS, keys)
    player = cast(ViewPolicy, setting.player)
    points = rollout_points(views, worlds, keys, player, solves_cards=True)
    count = worlds.hidden.shape[1]
    alike = (np.arange(count) < worlds.counts[:, np.newaxis]) / worlds.counts[:, np.newaxis]
    weighted = normalised(log_likelihoods(views, worlds, cast(ProbabilityPolicy, setting.player)))
    legal = are_legal(views)
    best = []
    for weights in (alike, weighted):
        means = weighted_means(points, weights, np.ones_like(weights)).mean
        best.append(np.where(legal, means.round(9), -np.inf).argmax(axis=1))
    return best[0], best[1]


def _judge_reading(figures: Figures) -> str:
    share, gain = figures.get(READING.place(3, 0)), figures.get(READING.place(3, 2))
    if share is None or gain is None:
        return "Too few deals to say."
    return f"It changes {share.mean.mean:.0%} of the cards, for {gain.mean} points per decision."


READING_SAYING = Saying(
    "reading",
    "What is reading the bidding worth?",
    "A strong player reads the bids and the cards of the others; a simple bot does not, hence it loses.",
    f"A search looks at {NUM_WORLDS} deals that agree with what the seat has seen, and picks the card that scores most "
    "on average with all cards open; once all of them count alike, once by how likely the player would have bid and "
    "played so. Where the two differ, both cards are played in the same deal, and all seats play on.",
    (READING,),
    _measure_reading,
    _judge_reading,
    deals=3_000,
    players=("ppo",),
)
