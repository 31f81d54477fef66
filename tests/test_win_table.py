"""Win probabilities of a game, against published figures, hand-made cases, and plays of the score in plain Python."""

import pickle
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import ANY_RULES

from euchre_agents.outcomes import KINDS, NUM_OUTCOMES, THROWN_IN, points_of_outcomes, read_outcome_counts
from euchre_agents.win_table import WinTable, redeal_probability, win_table
from euchre_env.house_rules import parse_rules
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import points_needed

US, THEM = True, False


def shares_of(dealers, others, thrown_in=0.0):
    """The shares of all outcomes, from those of kinds with the dealer's team and with the other team as makers."""
    shares = np.zeros(NUM_OUTCOMES)
    for first, kinds in ((0, dealers), (len(KINDS), others)):
        for kind, share in kinds.items():
            shares[first + list(KINDS).index(kind)] = share
    shares[THROWN_IN] = thrown_in
    return shares


# A column by Fred Benjamin, "Probability chart" (6 January 2006): how often each team scores 1, 2 and 4 points, from
# 10,000 simulated deals of equal players for each situation. By points of the dealer's team less the other's:
PUBLISHED = {1: 0.45, 2: 0.16, 4: 0.05, -1: 0.17, -2: 0.12, -4: 0.05}
BENJAMIN = shares_of(
    {"point": PUBLISHED[1], "march": PUBLISHED[2], "lone march": PUBLISHED[4]},
    {"point": PUBLISHED[-1], "march": PUBLISHED[-2], "lone march": PUBLISHED[-4]},
)
SOME = shares_of(
    {"point": 0.35, "march": 0.1, "lone march": 0.06, "euchre": 0.07, "lone super euchre": 0.03},
    {"point": 0.12, "march": 0.05, "lone march": 0.03, "euchre": 0.05, "lone euchre": 0.02, "lone defence": 0.02},
    thrown_in=0.1,
)
RULES = [
    "standard",
    "standard,win_by=2",
    "standard,throw_in_dealer=same",
    "standard,points_to_win=1",
    "standard,points_to_win=1,win_by=2,throw_in_dealer=same",
    "standard,points_to_win=2,win_by=2",
    "standard,points_to_win=3,win_by=2,super_euchre=true,lone_march_points=20",
    "standard,points_to_win=5,march_points=0,euchre_points=0,lone_euchred_points=3",
    "standard,points_to_win=11,win_by=2,no_ace_no_face=next_dealer",
    "british,points_to_win=7,no_ace_no_face=next_dealer,throw_in_dealer=same",
]
LONG_GAMES = [pytest.param(f"standard,points_to_win=99,win_by={lead}", marks=pytest.mark.compiled) for lead in (1, 2)]


def winner(scores, rules):
    """The team that has won, by docs/rules.md: the target or more, and the lead; None while the game goes on."""
    leader = int(scores[1] > scores[0])
    has_won = scores[leader] >= rules.points_to_win and scores[leader] - scores[1 - leader] >= rules.win_by
    return leader if has_won else None


def scores_in_progress(rules):
    """All pairs of scores of a game in progress up to three points past the target."""
    return [scores for scores in product(range(rules.points_to_win + 4), repeat=2) if winner(scores, rules) is None]


def needed_with(scores, rules):
    """The points that we and they need with these scores of ours and theirs."""
    packed = rules.packed()[0]
    return points_needed(scores[0], scores[1], packed), points_needed(scores[1], scores[0], packed)


def probability(table, scores, we_deal):
    """Our probability of winning by the table."""
    return float(table.probabilities(np.array([needed_with(scores, table.rules)]), np.array([we_deal]))[0])


# Published figures


@pytest.mark.parametrize(
    ("scores", "we_deal", "percent"),
    [
        ((0, 0), US, 51.2),
        ((8, 8), US, 54.5),
        ((9, 9), US, 66.0),
        ((9, 6), THEM, 81.9),
        ((9, 8), US, 71.8),
        ((2, 8), US, 8.2),
        ((2, 8), THEM, 6.7),
    ],
)
def test_published_shares_give_the_published_chart(scores, we_deal, percent):
    assert probability(WinTable("standard", BENJAMIN), scores, we_deal) == pytest.approx(percent / 100, abs=5e-4)


def test_the_stored_shares_are_near_the_published_ones():
    """Within 3 deals in 100: other players, and the dealer's team of ours makes more lone marches, the other fewer.

    A mistake of teams, points or outcomes moves a share by more: the two teams differ by 28 deals in 100 at 1 point.
    """
    rules = parse_rules("standard")
    shares, net = read_outcome_counts().shares(rules), points_of_outcomes(rules)
    found = {points: float(shares[net == points].sum()) for points in PUBLISHED}
    assert found == pytest.approx(PUBLISHED, abs=0.03)
    assert sum(found.values()) == pytest.approx(1, abs=0.001)  # the rest is thrown in


# Cases by hand


@pytest.mark.parametrize(("dealer_after", "ours"), [("left", 7 / 12), ("same", 5 / 8)])
def test_one_point_wins_by_hand(dealer_after, ours):
    """The dealer's team scores in 5 deals of 10, the other team in 3, and 2 are thrown in.

    If the deal moves on, p = 0.5 + 0.2 (1 - p); if it stays, p = 0.5 + 0.2 p.
    """
    table = WinTable(
        f"standard,points_to_win=1,throw_in_dealer={dealer_after}", shares_of({"point": 0.5}, {"point": 0.3}, 0.2)
    )
    assert table.probabilities(np.array([[1, 1], [1, 1]]), np.array([US, THEM])).tolist() == pytest.approx(
        [ours, 1 - ours]
    )


def test_a_lead_of_two_by_hand():
    """The dealer's team scores a point in 3 deals of 4, the other team in the fourth.

    From even scores we win by two points in a row, with 3/4 * 1/4 = 3/16 when we deal first, as they do; else
    the scores are even again after two deals, and we deal again. So each team wins half of the games. One ahead and
    dealing, we win at once with 3/4, else with 1/2.
    """
    table = WinTable("standard,win_by=2", shares_of({"point": 0.75}, {"point": 0.25}))
    even, ahead = [2, 2], [1, 3]
    assert table.probabilities(np.array([even, even, ahead, ahead]), np.array([US, THEM, US, THEM])).tolist() == (
        pytest.approx([1 / 2, 1 / 2, 3 / 4 + 1 / 4 * 1 / 2, 1 / 4 + 3 / 4 * 1 / 2])
    )


def test_a_deal_that_is_dealt_again_may_pass_to_the_next_dealer():
    """At one point each, p is the chance of the dealer's team; dealing again passes the deal on with r / (1 + r)."""
    shares = shares_of({"point": 0.8}, {"point": 0.2})
    table = WinTable("standard,points_to_win=1,no_ace_no_face=next_dealer", shares)
    again = redeal_probability(table.rules)
    assert probability(table, (0, 0), US) == pytest.approx((0.8 + again * 0.2) / (1 + again))
    same = WinTable("standard,points_to_win=1,no_ace_no_face=same_dealer", shares)
    assert probability(same, (0, 0), US) == pytest.approx(0.8)


@pytest.mark.compiled
@pytest.mark.parametrize("preset", ["standard", "british"])
def test_the_probability_of_dealing_again_is_that_of_the_shuffle(preset):
    rules, num_deals = parse_rules(f"{preset},no_ace_no_face=next_dealer"), 20_000
    dealt_again = Tables(num_deals, rules, seed=3, num_episodes=num_deals).deal_numbers > 0
    expected = redeal_probability(rules)
    assert abs(dealt_again.mean() - expected) < 4 * np.sqrt(expected / num_deals)


# Against plays of the score itself, with scores and dealers in plain Python


def results_of_a_deal(rules, shares):
    """By who is to deal: the probability of each pair of our net points and the next dealer."""
    again = redeal_probability(rules) if rules.no_ace_no_face == "next_dealer" else 0.0
    points = points_of_outcomes(rules).tolist()
    found = {US: defaultdict(float), THEM: defaultdict(float)}
    for to_deal, passed_on in product((US, THEM), (False, True)):
        dealer, chance = to_deal ^ passed_on, (again if passed_on else 1) / (1 + again)
        for outcome, share in enumerate(shares):
            stays = outcome == THROWN_IN and rules.throw_in_dealer == "same"
            ours = points[outcome] if dealer else -points[outcome]
            found[to_deal][ours, dealer if stays else not dealer] += chance * share
    return {
        to_deal: [(*result, chance) for result, chance in of.items() if chance > 0] for to_deal, of in found.items()
    }


def won_in_long_play(scores, we_deal, rules, shares):
    """Our probability of winning, from the probability of every score after every deal until hardly a game goes on."""
    results = results_of_a_deal(rules, shares)
    won, going = 0.0, {(*scores, we_deal): 1.0}
    while sum(going.values()) > 1e-13:
        after = defaultdict(float)
        for (ours, theirs, dealer), before in going.items():
            for net_points, next_dealer, chance in results[dealer]:
                pair = ours + max(net_points, 0), theirs + max(-net_points, 0)
                won_by = winner(pair, rules)
                if won_by is None:
                    after[(*pair, next_dealer)] += before * chance
                elif won_by == 0:
                    won += before * chance
        going = after
    return won


@pytest.mark.parametrize("rules", RULES)
def test_the_table_agrees_with_the_play_of_the_score_to_its_end(rules):
    table = WinTable(rules, SOME)
    target = table.rules.points_to_win
    middle = (target // 2, target // 3)
    for scores, we_deal in product([(0, 0), middle, (target - 1, target - 1)], (US, THEM)):
        expected = won_in_long_play(scores, we_deal, table.rules, SOME)
        assert probability(table, scores, we_deal) == pytest.approx(expected, abs=1e-12), (scores, we_deal)


@pytest.mark.parametrize("rules", RULES)
def test_the_table_agrees_with_simulated_games(rules):
    """Games played by drawing the outcome of each deal agree within four standard errors."""
    table, rng, num_games = WinTable(rules, SOME), np.random.default_rng(7), 4000
    points = points_of_outcomes(table.rules)
    again = redeal_probability(table.rules) if table.rules.no_ace_no_face == "next_dealer" else 0.0
    start = (table.rules.points_to_win // 2, 0)
    won = 0
    scores, we_deal, going = np.tile(start, (num_games, 1)), np.ones(num_games, bool), np.arange(num_games)
    while len(going):
        passed_on = rng.geometric(1 - again, len(going)) % 2 == 0
        we_deal[going] ^= passed_on
        outcomes = rng.choice(NUM_OUTCOMES, len(going), p=SOME)
        ours = np.where(we_deal[going], points[outcomes], -points[outcomes])
        scores[going, 0] += np.maximum(ours, 0)
        scores[going, 1] += np.maximum(-ours, 0)
        we_deal[going] ^= ~((outcomes == THROWN_IN) & (table.rules.throw_in_dealer == "same"))
        winners = np.array([winner(pair, table.rules) is not None for pair in scores[going].tolist()])
        won += int(np.sum(scores[going[winners], 0] > scores[going[winners], 1]))
        going = going[~winners]
    expected = probability(table, start, US)
    assert abs(won / num_games - expected) < 4 * np.sqrt(expected * (1 - expected) / num_games)


# Properties


@pytest.mark.parametrize("rules", [*RULES, *LONG_GAMES])
def test_values_are_known_where_scores_of_a_game_in_progress_lead(rules):
    table = WinTable(rules, SOME)
    reached = {needed_with(scores, table.rules) for scores in scores_in_progress(table.rules)}
    known = {(int(ours), int(theirs)) for ours, theirs, _ in np.argwhere(~np.isnan(table.values))}
    assert known == reached


@pytest.mark.parametrize("rules", [*RULES, *LONG_GAMES])
@pytest.mark.parametrize("shares", [SOME, BENJAMIN], ids=["some", "Benjamin"])
def test_what_we_win_they_lose(rules, shares):
    values = WinTable(rules, shares).values
    sums = values[:, :, 1] + values[:, :, 0].T
    assert np.array_equal(np.isnan(sums), np.isnan(values[:, :, 1]))
    assert np.nanmax(abs(sums - 1)) < 1e-12


@pytest.mark.parametrize("rules", RULES)
def test_a_point_more_never_harms(rules):
    table = WinTable(rules, SOME)
    for (ours, theirs), we_deal in product(scores_in_progress(table.rules), (US, THEM)):
        value = probability(table, (ours, theirs), we_deal)
        if winner((ours + 1, theirs), table.rules) is None:
            assert probability(table, (ours + 1, theirs), we_deal) >= value - 1e-12
        if winner((ours, theirs + 1), table.rules) is None:
            assert probability(table, (ours, theirs + 1), we_deal) <= value + 1e-12


@pytest.mark.compiled
@given(rules=ANY_RULES, seed=st.integers(0, 1000))
def test_any_house_rules_and_shares_are_solved(rules, seed):
    for table in (win_table(rules), WinTable(rules, np.random.default_rng(seed).dirichlet(np.ones(NUM_OUTCOMES)))):
        known = table.values[~np.isnan(table.values)]
        assert known.min() > -1e-12
        assert known.max() < 1 + 1e-12
        target = rules.points_to_win
        for scores in [(0, 0), (0, target - 1), (target - 1, target - 1)]:
            ours, theirs = probability(table, scores, US), probability(table, scores[::-1], THEM)
            assert ours + theirs == pytest.approx(1)


# Questions of players


@pytest.mark.parametrize("rules", RULES)
def test_the_value_after_a_deal_is_that_of_the_new_score_or_of_the_win(rules):
    table, results = WinTable(rules, SOME), [-20, -4, -2, -1, 0, 1, 2, 3, 4, 20]
    states = [(scores, dealer) for scores in scores_in_progress(table.rules) for dealer in (US, THEM)]
    needed = np.array([needed_with(scores, table.rules) for scores, _ in states])
    answers = table.probabilities_after(needed, np.array([dealer for _, dealer in states]), results)
    assert answers.shape == (len(states), len(results))
    for (scores, we_deal_next), row in zip(states, answers, strict=True):
        for net_points, answer in zip(results, row, strict=True):
            after = scores[0] + max(net_points, 0), scores[1] + max(-net_points, 0)
            won_by = winner(after, table.rules)
            expected = probability(table, after, we_deal_next) if won_by is None else 1 - won_by
            assert answer == expected, (scores, we_deal_next, net_points)


def test_the_next_dealer_may_depend_on_the_result():
    table = WinTable("standard,throw_in_dealer=same", SOME)
    needed = np.array([[4, 7], [1, 1], [10, 2]])
    next_dealers = np.array([[US, THEM, US], [THEM, THEM, THEM], [US, US, THEM]])
    answers = table.probabilities_after(needed, next_dealers, [1, 0, -1])
    for row, column in product(range(3), range(3)):
        alone = table.probabilities_after(needed[[row]], next_dealers[row, [column]], [[1, 0, -1][column]])
        assert answers[row, column] == alone[0, 0]


@pytest.mark.parametrize(
    ("rules", "scores"), [("standard", (9, 8)), ("standard,win_by=2", (11, 10)), ("pagat", (0, 0))]
)
def test_views_of_both_teams_are_answered_alike(rules, scores):
    """The points needed in the views of a table are those of the table of probabilities."""
    table, game = win_table(rules), Table(rules, seed=2, dealer=1, scores=scores)
    needed = np.array([game.view(seat).needed for seat in range(4)])
    next_dealer = 2
    values = table.probabilities(needed, np.array([(seat - next_dealer) % 2 == 0 for seat in range(4)]))
    assert values[0] == values[2] == pytest.approx(probability(table, scores, US))
    assert values[1] == values[3] == pytest.approx(1 - values[0])


def test_a_batch_of_no_deals_has_no_answers():
    table, nobody = win_table("standard"), np.empty((0, 2), np.int64)
    assert table.probabilities(nobody, np.empty(0, bool)).shape == (0,)
    assert table.probabilities_after(nobody, np.empty(0, bool), [1, 2]).shape == (0, 2)
    assert table.probabilities_after(np.array([[1, 1]]), np.array([US]), []).shape == (1, 0)


def test_shipped_tables_are_made_from_the_shipped_counts():
    rules = parse_rules("british,stick_the_dealer=true,points_to_win=7")
    expected = WinTable(rules, read_outcome_counts().shares(rules))
    assert np.array_equal(win_table("british,stick_the_dealer=true,points_to_win=7").values, expected.values, True)
    assert win_table(rules) is win_table(rules), "solved once"


def test_a_table_cannot_be_changed_and_can_be_pickled():
    table = WinTable("standard,win_by=2", SOME)
    with pytest.raises(ValueError, match="read-only"):
        table.values[1, 3, 0] = 0
    copy = pickle.loads(pickle.dumps(table))
    needed, dealers = np.array([[1, 3], [5, 5]]), np.array([US, THEM])
    assert np.array_equal(
        copy.probabilities_after(needed, dealers, [0, 1]), table.probabilities_after(needed, dealers, [0, 1])
    )


# Wrong arguments


@pytest.mark.parametrize(
    ("rules", "needed"),
    [
        ("standard", (0, 5)),
        ("standard", (5, 0)),
        ("standard", (11, 5)),
        ("standard", (-1, 5)),
        ("standard", (5, 10**12)),
        ("standard,win_by=2", (1, 2)),
        ("standard,win_by=2", (1, 1)),
        ("standard,win_by=2", (11, 2)),
        ("standard,points_to_win=1,win_by=2", (1, 2)),
    ],
)
def test_points_that_no_scores_leave_are_refused(rules, needed):
    table = WinTable(rules, SOME)
    message = f"no scores of a game in progress leave the teams {needed[0]} and {needed[1]} points to win with "
    message += f"{table.rules.points_to_win} and a lead of {table.rules.win_by}"
    batch = np.array([(2, 2), needed])
    with pytest.raises(ValueError, match=message):
        table.probabilities(batch, np.array([US, US]))
    with pytest.raises(ValueError, match=message):
        table.probabilities_after(batch, np.array([US, US]), [1])


NEEDED, DEALERS = np.array([[3, 4], [5, 6]]), np.array([US, THEM])


@pytest.mark.parametrize(
    ("needed", "dealers", "net_points", "message"),
    [
        (NEEDED[0], DEALERS, [1], r"needed must be the points of both teams, shape \(n, 2\), not shape \(2,\)"),
        (np.ones((2, 3), np.int64), DEALERS, [1], r"needed must be .* not shape \(2, 3\)"),
        (NEEDED.astype(float), DEALERS, [1], "needed must be whole numbers, not float64: 3.0"),
        (NEEDED, DEALERS.astype(np.int64), [1], r"we_deal_next must be bool, shape \(2,\), not int64, shape \(2,\)"),
        (NEEDED, DEALERS[:1], [1], r"we_deal_next must be bool, shape \(2,\), not bool, shape \(1,\)"),
        (NEEDED, np.ones((2, 2), bool), [1], r"we_deal_next must be bool, shape \(2, 1\), not bool, shape \(2, 2\)"),
        (NEEDED, US, [1], r"we_deal_next must be bool, shape \(2, 1\), not bool"),
        (NEEDED, DEALERS, [1.0], "net_points must be whole numbers, not float: 1.0"),
        (NEEDED, DEALERS, [[1]], r"net_points must be a list of numbers from -1000 to 1000, not \[\[1\]\]"),
        (NEEDED, DEALERS, [-(2**63)], "net_points must be a list of numbers from -1000 to 1000, not"),
        (NEEDED, DEALERS, [1, -1001], r"net_points must be a list of numbers from -1000 to 1000, not \[1, -1001\]"),
    ],
)
def test_wrong_questions_are_refused(needed, dealers, net_points, message):
    with pytest.raises(ValueError, match=message):
        win_table("standard").probabilities_after(needed, dealers, net_points)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (np.full(7, 1 / 7), r"shares must be float64, shape \(19,\), not float64, shape \(7,\)"),
        (np.ones(NUM_OUTCOMES, np.int64), r"shares must be float64, shape \(19,\), not int64"),
        (np.full(NUM_OUTCOMES, 0.1), "shares must be 0 or more and add up to 1"),
        (shares_of({"point": 1.5}, {"point": -0.5}), "shares must be 0 or more and add up to 1"),
        (np.full(NUM_OUTCOMES, np.nan), "shares must be 0 or more and add up to 1"),
    ],
)
def test_shares_that_are_no_probabilities_are_refused(shares, message):
    with pytest.raises(ValueError, match=message):
        WinTable("standard", shares)


@pytest.mark.parametrize(
    ("rules", "shares"),
    [
        ("standard", shares_of({}, {}, thrown_in=1.0)),
        ("standard,throw_in_dealer=same", shares_of({}, {}, thrown_in=1.0)),
        ("standard,win_by=2", shares_of({}, {}, thrown_in=1.0)),
        ("standard,win_by=2", shares_of({"point": 1.0}, {})),  # the teams take turns, and neither gets ahead by two
        ("standard,march_points=0", shares_of({"march": 1.0}, {})),
    ],
)
def test_games_that_may_never_end_are_refused(rules, shares):
    with pytest.raises(ValueError, match="a game may never end"):
        WinTable(rules, shares)


def test_teams_that_take_turns_end_a_game_that_needs_no_lead():
    table = WinTable("standard", shares_of({"point": 1.0}, {}))
    assert probability(table, (9, 9), US) == 1
    assert probability(table, (9, 9), THEM) == 0
    assert probability(table, (0, 0), THEM) == 0
