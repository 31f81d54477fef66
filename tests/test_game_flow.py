"""A game from deal to deal: the dealer, the deal number, the score and the end of the game."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import ANY_RULES, SEEDS, play, play_out, table_with

from euchre_env.actions import PASS_ID, IllegalActionError, parse_action
from euchre_env.deal import NOBODY, SEATS
from euchre_env.game import NO_TEAM, first_dealer, game_winner
from euchre_env.house_rules import parse_rules
from euchre_env.table import Table

EIGHT_PASSES = ",".join(["pass"] * 8)
# Seat 1 names clubs and takes all five tricks: 2 points to team 1, or 4 alone.
MARCH_HANDS = ("AH KH QH JH TH", "9C TC QC KC AC", "AD KD QD TD 9D", "9S TS QS KS AS")
MARCH = "pass,pass,pass,pass,name clubs,AC,AD,9S,AH,KC,KD,TS,KH,QC,QD,QS,QH,TC,TD,KS,JH,9C,9D,AS,TH"
LONE_MARCH = "pass,pass,pass,pass,name clubs alone,AC,AD,AH,KC,KD,KH,QC,QD,QH,TC,TD,JH,9C,9D,TH"


def marching(rules="standard", **more):
    """A table whose first deal, by seat 0, can be played as `MARCH` or `LONE_MARCH`."""
    return table_with(MARCH_HANDS, "9H", rules=rules, **more)


def scores_after(scores, actions, rules="standard"):
    table = play(marching(rules, scores=scores), actions)
    return table.scores, table.is_over, table.winner


@pytest.mark.parametrize("dealer", SEATS)
def test_the_deal_moves_one_seat_left_after_a_deal_that_was_played(dealer):
    table, rng = Table(seed=4, dealer=dealer), random.Random(4)
    for expected in range(dealer, dealer + 5):
        assert table.deal.dealer == expected % 4
        for _ in play_out(table, rng):
            pass


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize(("rules", "offset"), [("standard", 1), ("standard,throw_in_dealer=same", 0)])
def test_throw_in_dealer_says_who_deals_after_a_deal_thrown_in(rules, offset, dealer):
    table = play(Table(rules, seed=4, dealer=dealer), EIGHT_PASSES)
    assert table.deal.dealer == (dealer + offset) % 4


def test_throw_in_dealer_does_not_matter_after_a_deal_that_was_played():
    assert play(marching("standard,throw_in_dealer=same"), MARCH).deal.dealer == 1


def test_the_first_dealer_is_drawn_from_the_seed_alone():
    for seed in range(40):
        dealers = {int(Table(rules, seed).deal.dealer) for rules in ("standard", "british", "midwest")}
        assert dealers == {first_dealer(seed)}
        assert Table(seed=seed, deal_number=3).deal.dealer == first_dealer(seed)
    assert {first_dealer(seed) for seed in range(40)} == set(SEATS)


def test_deals_are_numbered_and_those_thrown_in_use_up_a_number():
    table = Table(seed=9, dealer=2)
    for number in range(4):
        assert table.deal_number == number
        play(table, EIGHT_PASSES)
        assert table.last_result is not None
        assert table.last_result.deal_number == number


def test_points_are_added_to_the_score():
    table = play(marching(scores=(3, 5)), MARCH)
    assert (table.scores, table.is_over, table.winner) == ((3, 7), False, None)
    assert table.last_result is not None
    assert table.last_result.points.tolist() == [0, 2]
    assert table.last_result.winner == NO_TEAM


@pytest.mark.parametrize(
    ("rules", "scores", "actions", "after", "winner"),
    [
        ("standard", (9, 8), MARCH, (9, 10), 1),  # the target, exactly
        ("standard", (9, 7), MARCH, (9, 9), None),
        ("standard", (9, 8), LONE_MARCH, (9, 12), 1),  # scores are never cut
        ("standard,points_to_win=11", (9, 8), MARCH, (9, 10), None),
        ("standard,points_to_win=5", (0, 1), LONE_MARCH, (0, 5), 1),
        ("standard,points_to_win=1", (0, 0), MARCH, (0, 2), 1),
        ("standard,win_by=2", (9, 8), MARCH, (9, 10), None),  # one ahead is not enough
        ("standard,win_by=2", (9, 8), LONE_MARCH, (9, 12), 1),
        ("standard,win_by=2", (12, 11), MARCH, (12, 13), None),  # far past the target
        ("standard,win_by=2", (12, 12), MARCH, (12, 14), 1),
        ("standard,win_by=2", (14, 13), LONE_MARCH, (14, 17), 1),
        ("standard,win_by=2,march_points=0", (10, 9), MARCH, (10, 9), None),
    ],
)
def test_when_a_game_ends(rules, scores, actions, after, winner):
    assert scores_after(scores, actions, rules) == (after, winner is not None, winner)


@pytest.mark.parametrize(
    ("scores", "rules", "winner"),
    [
        ((10, 9), "standard", 0),
        ((9, 10), "standard", 1),
        ((9, 9), "standard", NO_TEAM),
        ((10, 10), "standard", NO_TEAM),  # nobody leads
        ((12, 10), "standard", 0),
        ((10, 9), "standard,win_by=2", NO_TEAM),
        ((9, 11), "standard,win_by=2", 1),
    ],
)
def test_who_has_won(scores, rules, winner):
    assert game_winner(np.array(scores), parse_rules(rules).packed()[0]) == winner


def test_a_game_that_is_over_takes_no_action():
    table = play(marching(scores=(9, 8)), MARCH)
    assert (table.is_over, table.turn, table.phase, table.legal_actions()) == (True, None, "OVER", [])
    before = table.deal.tobytes()
    with pytest.raises(IllegalActionError, match="'pass' is not legal for seat 4 in OVER; legal: nothing"):
        table.step(PASS_ID)
    assert table.deal.tobytes() == before


def test_a_single_deal_is_over_after_one_deal_even_if_it_is_thrown_in():
    thrown_in = play(Table(seed=1, one_deal=True), EIGHT_PASSES)
    assert (thrown_in.is_over, thrown_in.winner, thrown_in.scores, thrown_in.deal_number) == (True, None, (0, 0), 0)
    played = play(marching(one_deal=True, scores=(9, 8)), MARCH)
    assert (played.is_over, played.winner, played.scores) == (True, None, (9, 10))


def test_step_returns_the_next_seat_and_nobody_when_a_deal_ends():
    table = marching()
    answers = [table.step(parse_action(name)) for name in MARCH.split(",")]
    assert answers[:6] == [2, 3, 0, 1, 1, 2]
    assert answers[-1] == NOBODY
    assert table.turn == 2


@given(rules=ANY_RULES, seed=SEEDS, scores=st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_scores_add_up_and_the_winner_leads(rules, seed, scores):
    target, rng = rules.points_to_win, random.Random(seed)
    scores = tuple(min(score, target - 1) for score in scores)
    table = Table(rules, seed, scores=scores)
    for _ in range(6):
        if table.is_over:
            break
        for _ in play_out(table, rng):
            pass
        assert table.last_result is not None
        scores = tuple(int(score + points) for score, points in zip(scores, table.last_result.points, strict=True))
        assert table.scores == scores
        high, low = max(scores), min(scores)
        assert table.is_over == (high >= target and high - low >= rules.win_by)
        assert table.winner == (scores.index(high) if table.is_over else None)
