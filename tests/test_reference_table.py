"""Four rule-based players against the reference figures of the same player (docs/rules.md, "Reference table").

The figures test dealing, bidding, play and scoring together.
"""

from math import sqrt

import pytest

from euchre_agents import RandomPolicy, RuleBot
from euchre_eval import play_match, play_statistics
from euchre_eval.game_statistics import REFERENCE, PlayStatistics

pytestmark = pytest.mark.compiled

NUM_GAMES = 20_000
SHARES_OF_DEALS = ("named_round_one", "named_round_two", "thrown_in")
SHARES_OF_MADE = ("makers_3_or_4", "makers_5", "euchred", "alone")
SHARES = (*SHARES_OF_DEALS, *SHARES_OF_MADE, "alone_swept")
# An independent implementation's figures of 200,000 games, in percent, in the order of `SHARES`.
INDEPENDENT = {
    "pagat": (63.5, 32.6, 3.9, 69.6, 19.9, 10.5, 4.2, 76.1),
    "pagat,stick_the_dealer=true": (63.6, 36.4, 0.0, 69.3, 19.3, 11.5, 4.1, 76.2),
}
ROUNDING = 0.0005
DEALS_IN_A_GAME = 2.5  # the standard deviation of their number: 2.4 to 2.7


@pytest.fixture(scope="module", params=REFERENCE)
def run(request):
    """The rules, and the statistics of `NUM_GAMES` games of four rule-based players under them."""
    return request.param, play_statistics(RuleBot(seed=0), games=NUM_GAMES, seed=2, rules=request.param)


def sample_size(statistics: PlayStatistics, name):
    """The number of deals in the denominator of the share `name`."""
    made = statistics.deals * (1 - statistics.thrown_in)
    sizes = dict.fromkeys(SHARES_OF_DEALS, float(statistics.deals)) | dict.fromkeys(SHARES_OF_MADE, made)
    return (sizes | {"alone_swept": made * statistics.alone})[name]


def check(statistics, expected, num_games):
    """Check that each share agrees with another run of `num_games` within three standard errors of the difference."""
    for name, other in zip(SHARES, expected, strict=True):
        share, n = getattr(statistics, name), sample_size(statistics, name)
        standard_error = sqrt(other * (1 - other) / n * (1 + NUM_GAMES / num_games))
        assert abs(share - other) <= 3 * standard_error + ROUNDING, (name, share, other, standard_error)


def test_every_share_agrees_with_the_reference_run(run):
    rules, statistics = run
    check(statistics, [getattr(REFERENCE[rules], name) for name in SHARES], num_games=5_000)


def test_every_share_agrees_with_an_independent_implementation(run):
    rules, statistics = run
    check(statistics, [percent / 100 for percent in INDEPENDENT[rules]], num_games=200_000)


def test_the_number_of_deals_agrees_with_the_reference_run(run):
    rules, statistics = run
    reference = REFERENCE[rules]
    standard_error = DEALS_IN_A_GAME * sqrt(1 / 5_000 + 1 / NUM_GAMES)
    assert abs(statistics.deals / NUM_GAMES - reference.deals / 5_000) <= 3 * standard_error
    assert statistics.deals_per_game_median == reference.deals_per_game_median
    assert statistics.deals_per_game_p90 == reference.deals_per_game_p90


@pytest.mark.parametrize(("rules", "known"), [("pagat", 1.27), ("standard", 1.29)])
def test_it_beats_uniformly_random_play_in_duplicate_by_the_known_margin(rules, known):
    margin = play_match(RuleBot(seed=0), RandomPolicy(seed=1), deals=20_000, seed=3, rules=rules).points_per_deal
    assert abs(margin.mean - known) <= 3 * margin.se + 0.005, margin
