"""One table: errors change nothing, copies continue alike, and invalid arguments are refused."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from support.rules import EVERYTHING
from support.tables import ANY_RULES, SEEDS, choose, play_out

from euchre_env.actions import NUM_ACTIONS, PASS_ID, IllegalActionError
from euchre_env.cards import NO_CARD, NO_SUIT
from euchre_env.deal import NOBODY, PHASES, SEATS
from euchre_env.game import NO_TEAM
from euchre_env.table import Table

NOT_ACTIONS: Any = (
    -1,
    NUM_ACTIONS,
    64,
    64 + PASS_ID,
    2**62,
    2**70,
    -(2**70),
    25.0,
    True,
    np.True_,
    None,
    "pass",
    [PASS_ID],
    np.array([PASS_ID]),
)


def state(table):
    """The whole state of a table, to compare."""
    last = [None if part is None else part.tobytes() for part in (table.last_deal, table.last_result)]
    return pickle.dumps((table._games.tobytes(), table.rules, *last))


def continue_at_random(table, seed):
    """The states of random play from here to the end."""
    rng = random.Random(seed)
    while not table.is_over:
        table.step(choose(table, rng))
        yield state(table)


def test_actions_that_are_not_legal_raise_and_change_nothing():
    phases = set()
    for seed in range(8):
        for table in play_out(Table(EVERYTHING, seed=seed, one_deal=True), random.Random(seed)):
            phases.add(table.phase)
            before, legal = state(table), table.legal_actions()
            for action in [a for a in range(NUM_ACTIONS) if a not in legal] + list(NOT_ACTIONS):
                with pytest.raises(IllegalActionError, match=rf"in {table.phase}\b.*; legal: ") as caught:
                    table.step(action)
                assert caught.value.action is action
                assert caught.value.legal == legal
                assert caught.value.seat == (NOBODY if table.turn is None else table.turn)
                assert state(table) == before
    assert phases == set(PHASES)


def test_a_seat_that_is_not_to_act_is_refused_and_changes_nothing():
    table = Table(seed=5)
    before, turn = state(table), table.turn
    for seat in set(SEATS) - {turn}:
        with pytest.raises(IllegalActionError, match=rf"seat {seat} in FIRST_ROUND \(seat {turn} is to act\)"):
            table.step(PASS_ID, seat)
    not_seats: Any = (4, -1, 1.0, True, "0", np.array([0, 1]))
    for seat in not_seats:
        with pytest.raises(ValueError, match="seat must be a whole number from 0 to 3"):
            table.step(PASS_ID, seat)
        for ask in (table.view, table.observation):
            with pytest.raises(ValueError, match="seat must be a whole number from 0 to 3"):
                ask(seat)
    assert state(table) == before
    table.step(PASS_ID, turn)
    assert table.deal.num_passes == 1


def test_an_action_may_be_any_kind_of_whole_number():
    whole_numbers: Any = (np.int8(PASS_ID), np.uint64(PASS_ID), np.array(PASS_ID))
    for action in whole_numbers:
        table = Table(seed=5)
        table.step(action)
        assert table.deal.num_passes == 1


def test_copies_made_in_every_phase_go_on_alike_and_apart():
    phases = set()
    for seed in range(6):
        for table in play_out(Table(EVERYTHING, seed=seed, scores=(10, 10)), random.Random(seed)):
            phases.add(table.phase)
            before = state(table)
            twins = [table.clone(), copy.deepcopy(table), pickle.loads(pickle.dumps(table))]
            courses = [list(continue_at_random(twin, seed)) for twin in twins]
            assert state(table) == before  # whatever became of its copies
            assert courses[0] == courses[1] == courses[2]
    assert phases == set(PHASES)


def test_a_table_that_is_over_can_be_copied_too():
    table = Table(seed=1, one_deal=True)
    for _ in play_out(table, random.Random(1)):
        pass
    for twin in (table.clone(), pickle.loads(pickle.dumps(table))):
        assert state(twin) == state(table)
        assert twin.is_over
        assert twin.last_result == table.last_result
        assert [twin.view(seat).tobytes() for seat in SEATS] == [table.view(seat).tobytes() for seat in SEATS]


def test_deals_and_results_of_the_past_do_not_change_as_play_goes_on():
    table, rng = Table(seed=3), random.Random(3)
    for _ in play_out(table, rng):
        pass
    deal, result = table.last_deal, table.last_result
    assert deal is not None
    assert result is not None
    before = deal.tobytes(), result.tobytes()
    for _ in play_out(table, rng):
        pass
    assert (deal.tobytes(), result.tobytes()) == before
    assert table.last_deal is not deal


@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_a_table_says_what_its_deal_holds(rules, seed):
    table, rng = Table(rules, seed=seed), random.Random(seed)
    total = np.zeros(2, int)
    for _ in range(4):
        if table.is_over:
            break
        dealer, number = int(table.deal.dealer), table.deal_number
        for position in play_out(table, rng):
            assert position.seed == seed
            assert position.rules == rules
            assert (position.turn is None) == position.is_over
        deal, result = table.last_deal, table.last_result
        assert deal is not None
        assert result is not None
        total += result.points
        assert table.scores == tuple(total) == tuple(result.scores)
        assert (result.dealer, result.deal_number) == (dealer, number) == (deal.dealer, number)
        assert (result.trump == NO_SUIT) == (result.maker == NOBODY)
        assert result.tricks.sum() == (0 if result.maker == NOBODY else 5)
        assert result.tricks.tolist() == deal.tricks.tolist()
        assert (result.reneged, bool(result.over)) == (NOBODY, table.is_over)
        assert (result.winner == NO_TEAM) == (table.winner is None) == (not table.is_over)
        assert deal.phase == PHASES.index("OVER")
        assert deal.maker == NOBODY or (deal.played != NO_CARD).sum() == 5 * (4 - int(deal.sitting_out).bit_count())


def test_a_single_deal_has_no_winner_even_at_the_target():
    table = Table("standard,points_to_win=1", seed=2, one_deal=True)
    for _ in play_out(table, random.Random(0)):
        pass
    assert table.is_one_deal
    assert table.is_over
    assert max(table.scores) >= 1
    assert table.winner is None
    assert table.legal_actions() == []
    with pytest.raises(IllegalActionError, match="it is over"):
        table.step(0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, r"seed must be a whole number from 0 to 2\*\*63 - 1, not -1"),
        ({"seed": 2**63}, "seed must be"),
        ({"seed": 2**64}, "seed must be"),
        ({"seed": 1.0}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"seed": np.True_}, "seed must be"),
        ({"seed": np.array(2.5)}, "seed must be"),
        ({"seed": np.array([1, 2])}, "seed must be"),
        ({"seed": "1"}, "seed must be"),
        ({"seed": None}, "seed must be"),
        ({"deal_number": -1}, "deal_number must be a whole number"),
        ({"deal_number": 2**63 - 1}, "deal_number must be"),
        ({"deal_number": 0.0}, "deal_number must be"),
        ({"dealer": 4}, "dealer must be a whole number from 0 to 3, not 4"),
        ({"dealer": -1}, "dealer must be"),
        ({"dealer": 1.0}, "dealer must be"),
        ({"dealer": True}, "dealer must be"),
        ({"dealer": "1"}, "dealer must be"),
        ({"scores": (10, 0)}, r"scores \(10, 0\) already end a game under rules 'standard'"),
        ({"scores": (0, 12)}, "already end a game"),
        ({"scores": (-1, 0)}, "a score must be a whole number from 0"),
        ({"scores": (0.5, 0)}, "a score must be"),
        ({"scores": (2**63 - 1, 2**63 - 2), "rules": "standard,win_by=2"}, "a score must be"),
        ({"scores": (1,)}, r"scores are the points of the two teams, not \(1,\)"),
        ({"scores": (1, 2, 3)}, "scores are"),
        ({"scores": 3}, "scores are"),
        ({"scores": None}, "scores are"),
        ({"rules": "standart"}, "did you mean 'standard'"),
        ({"rules": None}, "rules are HouseRules or text"),
        ({"rules": {"benny": True}}, "rules are HouseRules or text"),
    ],
)
def test_a_table_refuses_invalid_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Table(**arguments)


def test_the_widest_values_are_played():
    seeds: Any = (0, 2**63 - 1, np.int64(7), np.uint64(2**63 - 1))
    more: Any = {"deal_number": 2**62, "dealer": np.int8(3), "scores": np.array([9, 9])}
    for seed in seeds:
        table = Table(seed=seed, **more)
        assert table.seed == seed
        for _ in play_out(table, random.Random(0)):
            pass
        assert table.deal_number >= 2**62


def test_copies_share_the_rules_which_nothing_can_change():
    table = Table("tournament")
    assert copy.deepcopy(table.rules) is table.clone().rules is table.rules
