"""Four rule-based players against the published figures of the same player (rules.md, section 8, "Reference table").

The figures pin the whole of it at once: dealing, bidding, play and scoring.
"""

from math import sqrt

import numpy as np
import pytest

from euchre_agents import RandomPolicy, RuleBot, act_rows
from euchre_env.deal import NOBODY
from euchre_env.tables import Tables

pytestmark = pytest.mark.compiled

NUM_GAMES = 20_000
STUCK = "pagat,stick_the_dealer=true"
FIGURES = (
    "named_round_one", "named_round_two", "thrown_in", "makers_3_or_4", "makers_5", "euchred", "alone", "alone_swept",
)  # fmt: skip
# Each by rules: the publisher's own run of 5,000 games, and an independent implementation's of 200,000; in percent.
PUBLISHED = {
    "pagat": (63.8, 32.3, 3.9, 69.4, 20.1, 10.5, 4.3, 77.4),
    STUCK: (63.6, 36.4, 0.0, 69.0, 19.5, 11.5, 4.1, 75.7),
}
INDEPENDENT = {
    "pagat": (63.5, 32.6, 3.9, 69.6, 19.9, 10.5, 4.2, 76.1),
    STUCK: (63.6, 36.4, 0.0, 69.3, 19.3, 11.5, 4.1, 76.2),
}
PUBLISHED_DEALS = {"pagat": 61_481, STUCK: 58_980}
MEDIAN_AND_P90 = {"pagat": (12, 16), STUCK: (12, 15)}
ROUNDING = 0.05


@pytest.fixture(scope="module", params=["pagat", STUCK])
def run(request):
    """The rules, and every deal of `NUM_GAMES` games of four rule-based players under them."""
    tables = Tables(4096, request.param, seed=2, episode="game", num_episodes=NUM_GAMES)
    bot, results = RuleBot(seed=0), []
    while len(tables):
        results.append(tables.step(act_rows(bot, tables, np.arange(len(tables)))))
    return request.param, np.concatenate(results)


def shares(results):
    """Each of `FIGURES` in percent, with the number of deals it is a share of."""
    made = results["maker"] != NOBODY
    in_round_one = results["num_passes"] < 4
    deals = results[made]
    makers_tricks = deals["tricks"][np.arange(len(deals)), deals["maker"] & 1]
    alone = deals["alone"] == 1
    happened = (
        made & in_round_one,
        made & ~in_round_one,
        ~made,
        (makers_tricks == 3) | (makers_tricks == 4),
        makers_tricks == 5,
        makers_tricks < 3,
        alone,
        makers_tricks[alone] == 5,
    )
    return {name: (100 * np.mean(which), len(which)) for name, which in zip(FIGURES, happened, strict=True)}


def check(run, expected, num_games):
    rules, results = run
    for (name, (share, n)), other in zip(shares(results).items(), expected[rules], strict=True):
        p = other / 100
        standard_error = 100 * sqrt(p * (1 - p) * (1 / n + NUM_GAMES / num_games / n))
        assert abs(share - other) <= 3 * standard_error + ROUNDING, (rules, name, share, other, standard_error)


def test_every_share_agrees_with_the_published_run(run):
    check(run, PUBLISHED, num_games=5_000)


def test_every_share_agrees_with_an_independent_implementation(run):
    check(run, INDEPENDENT, num_games=200_000)


def test_the_number_of_deals_agrees_with_the_published_run(run):
    rules, results = run
    lengths = np.bincount(results["episode"], minlength=NUM_GAMES)
    assert len(lengths) == NUM_GAMES
    standard_error = 5_000 * lengths.std() * sqrt(1 / 5_000 + 1 / NUM_GAMES)
    assert abs(5_000 * lengths.mean() - PUBLISHED_DEALS[rules]) <= 3 * standard_error
    assert (np.median(lengths), np.percentile(lengths, 90)) == MEDIAN_AND_P90[rules]


@pytest.mark.parametrize(("rules", "known"), [("pagat", 1.27), ("standard", 1.29)])
def test_it_beats_uniformly_random_play_in_duplicate_by_the_known_margin(rules, known):
    num_deals = 20_000
    margins = np.zeros(num_deals)
    for bots_team in (0, 1):
        tables = Tables(num_deals, rules, seed=3, num_episodes=num_deals)
        players = [RuleBot(seed=0), RandomPolicy(seed=1)]
        while len(tables):
            turns, actions = tables.turns, np.empty(len(tables), np.int64)
            for player, rows in zip(players, (turns & 1 == bots_team, turns & 1 != bots_team), strict=True):
                actions[rows] = act_rows(player, tables, np.flatnonzero(rows))
            ended = tables.step(actions)
            margins[ended["episode"]] += (ended["points"][:, bots_team] - ended["points"][:, 1 - bots_team]) / 2
    standard_error = margins.std() / sqrt(num_deals)
    assert abs(margins.mean() - known) <= 3 * standard_error + 0.005, (margins.mean(), standard_error)
