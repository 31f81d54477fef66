"""Stepping some rows of a batch, and playing on from positions: a repeated branch is the same."""

import pickle
import random
from collections import defaultdict

import numpy as np
import pytest
from support.rules import EVERY_RULE

from euchre_env.actions import IllegalActionError
from euchre_env.game import RENEGE_POINTS
from euchre_env.lockstep import FORFEIT, RENEGE
from euchre_env.tables import Tables

PASS = 25


def course(tables, choose_rows=lambda n: None):
    """The actions of each episode and the ends of its deals, if `choose_rows` selects the rows to step."""
    events = defaultdict(list)
    while len(tables):
        rows = choose_rows(len(tables))
        actions = tables.random_actions(1, rows)
        episodes = tables.episodes if rows is None else tables.episodes[rows]
        for episode, action in zip(episodes.tolist(), actions.tolist(), strict=True):
            events[episode].append(action)
        for result in tables.step(actions, rows=rows):
            events[int(result["episode"])].append(result.tobytes())
    return dict(events)


def some_rows(rng):
    """A function that chooses random rows, perhaps none."""
    return lambda n: np.array(sorted(rng.sample(range(n), rng.randint(0, n))), np.int64)


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("episode", ["deal", "game"])
def test_the_order_in_which_rows_are_stepped_changes_no_episode(episode, skip_forced):
    def tables():
        return Tables(6, EVERY_RULE, 4, episode=episode, num_episodes=15, skip_forced=skip_forced)

    expected = course(tables())
    assert sorted(expected) == list(range(15))
    rng = random.Random(0)
    choosers = (
        lambda n: np.array([n - 1]),
        lambda n: np.array([rng.randrange(n)]),
        some_rows(rng),
        lambda n: np.arange(n),
    )
    for choose_rows in choosers:
        assert course(tables(), choose_rows) == expected


def test_a_row_that_is_not_named_keeps_its_game_and_its_random_numbers():
    tables, rng = Tables(8, EVERY_RULE, 3), random.Random(1)
    starting = int(tables.episodes.max()) + 1
    for _ in range(600):
        rows = np.array(sorted(rng.sample(range(8), 3)))
        others = np.setdiff1d(np.arange(8), rows)
        before, keys = tables.records, tables.decision_keys(5)
        ended = tables.step(tables.random_actions(0, rows), rows=rows)["episode"].tolist()
        assert tables.records[others].tobytes() == before[others].tobytes()
        assert (tables.decision_keys(5)[others] == keys[others]).all()
        for row in rows:  # with endless episodes a row never moves: it goes on, or starts the next episode
            if before["episode"][row] in ended:
                assert starting <= tables.episodes[row] < starting + len(ended)
            else:
                assert tables.episodes[row] == before["episode"][row]
                assert tables.num_actions[row] == before["num_actions"][row] + 1
        starting += len(ended)
    assert starting > 60


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([1, 0], r"step needs rows in strictly rising order, not \[1, 0\]"),
        ([1, 1], "strictly rising"),
        ([0, 2, 1, 3], "strictly rising"),
        ([3, 4], "rows must be a list of numbers from 0 to 3, not"),
        ([-1, 0], "rows must be"),
        ([[0, 1]], "rows must be"),
        ([0.0, 1.0], "rows must be whole numbers"),
        ([True, False], "rows must be whole numbers"),
        (2, "rows must be"),
        ([0], "step needs one action for each of 1 rows"),
        ([0, 1, 2], "step needs one action for each of 3 rows"),
        ([], "step needs one action for each of 0 rows"),
    ],
)
@pytest.mark.parametrize("illegal", ["raise", "renege"])
def test_rows_that_do_not_fit_are_refused_and_nothing_changes(rows, message, illegal):
    tables = Tables(4, seed=3)
    before = pickle.dumps(tables)
    actions = np.full(4 if rows == [0, 2, 1, 3] else 2, PASS)  # one for each row, except where the number is the fault
    with pytest.raises(ValueError, match=message):
        tables.step(actions, illegal, rows=rows)
    assert pickle.dumps(tables) == before


def test_a_step_of_no_row_changes_nothing():
    tables = Tables(4, seed=3)
    before = pickle.dumps(tables)
    assert tables.step(np.array([], np.int64), rows=np.array([], np.int64)).size == 0
    assert tables.step([], rows=[]).size == 0  # pyright: ignore[reportArgumentType]  # lists are taken too
    assert pickle.dumps(tables) == before


def test_an_illegal_action_is_told_with_the_number_of_its_row():
    tables = Tables(6, seed=3, first_episode=10)
    before = pickle.dumps(tables)
    with pytest.raises(IllegalActionError, match=r"\(row 4, episode 14\)") as caught:
        tables.step(np.array([PASS, 3]), rows=np.array([1, 4]))
    assert (caught.value.action, caught.value.seat) == (3, tables.turns[4])
    assert pickle.dumps(tables) == before


def test_reneges_and_forfeits_are_those_of_the_rows_named():
    tables = Tables(5, seed=3, episode="game", num_episodes=5)
    before, seats = tables.records, tables.turns
    results = tables.step(np.array([RENEGE, PASS, FORFEIT]), "renege", rows=np.array([0, 2, 3]))
    by_episode = {int(result["episode"]): result for result in results}
    assert sorted(by_episode) == [0, 3]
    assert by_episode[0]["points"][1 - seats[0] % 2] == RENEGE_POINTS
    assert (by_episode[3]["over"], by_episode[3]["winner"]) == (1, 1 - seats[3] % 2)
    assert tables.episodes.tolist() == [0, 1, 2, 4]  # the last row has taken the place of row 3
    after = tables.records
    assert after[1].tobytes() == before[1].tobytes()
    assert after[3].tobytes() == before[4].tobytes()
    assert (after["num_actions"][2], after["deal_number"][0]) == (before["num_actions"][2] + 1, 1)


def positions_of(number, seed=1):
    """Records of games in many phases, all under the standard rules."""
    tables, parts = Tables(64, seed=seed, episode="game"), []
    while sum(map(len, parts)) < number:
        parts.append(tables.records[::5])
        tables.step_at_random(0)
    return np.concatenate(parts)[:number]


def test_a_branch_repeats_with_its_seed_and_index_whatever_is_beside_it():
    positions = positions_of(60)
    expected = course(Tables(positions=positions, seed=7))
    assert sorted(expected) == list(range(60))
    assert course(Tables(4, positions=positions, seed=7)) == expected
    assert course(Tables(4, positions=positions, seed=7), some_rows(random.Random(0))) == expected
    few = course(Tables(positions=positions[:9], seed=7))
    assert few == {k: expected[k] for k in range(9)}


def test_another_seed_or_index_makes_another_branch():
    start = np.repeat(Tables(1, seed=4).records, 40)
    branches = course(Tables(positions=start, seed=7))
    assert len({str(branch) for branch in branches.values()}) == 40
    others = course(Tables(positions=start, seed=8))
    assert not {str(branch) for branch in branches.values()} & {str(branch) for branch in others.values()}


def test_branches_draw_other_numbers_than_the_game_they_leave():
    tables = Tables(200, seed=7)
    keys = tables.decision_keys(3)
    branches = [Tables(positions=tables.records, seed=seed).decision_keys(3) for seed in (7, 8)]
    assert len({*keys.tolist(), *branches[0].tolist(), *branches[1].tolist()}) == 600
