"""Many tables in lockstep: each row is like a single table, and the batch size changes only the order."""

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from support.tables import ANY_RULES, SEEDS, assert_row_is_table

from euchre_env.actions import NUM_ACTIONS, PASS_ID, IllegalActionError
from euchre_env.cards import BENNY, NO_CARD
from euchre_env.deal import NOBODY, PHASES, SEATS
from euchre_env.game import NO_TEAM, RENEGE_POINTS, RESULT
from euchre_env.house_rules import PRESETS
from euchre_env.kernel import row
from euchre_env.lockstep import FORFEIT, RENEGE
from euchre_env.observation import OBSERVATION_SIZE, action_mask, encode
from euchre_env.relative_suits import frame_of, relabel_card, relabel_cards, relabel_view
from euchre_env.state import HIDDEN_SIZE
from euchre_env.table import Table
from euchre_env.tables import Tables


def play_to_the_end(tables, seed=1):
    """Play at random until every episode is over, and return the results in order of episode and deal."""
    ended = []
    while len(tables):
        ended.extend(facts(result) for result in tables.step(tables.random_actions(seed)))
    return sorted(ended, key=lambda result: (result["episode"], result["deal_number"]))


def facts(result):
    """A record of dtype RESULT as values that can be compared with `==`."""
    return {name: result[name].tolist() for name in RESULT.fields or ()}


@pytest.mark.parametrize("episode", ["deal", "game"])
@pytest.mark.parametrize("rules", ["standard", "british", "tournament,no_ace_no_face=next_dealer"])
def test_the_number_of_tables_and_forced_moves_skipped_change_no_result(rules, episode):
    number = 40 if episode == "deal" else 7
    results = [
        play_to_the_end(Tables(size, rules, 9, episode=episode, num_episodes=number, skip_forced=skip_forced))
        for size, skip_forced in ((1, False), (3, False), (1000, False), (3, True), (1000, True))
    ]
    assert all(result == results[0] for result in results)
    assert sorted({result["episode"] for result in results[0]}) == list(range(number))
    assert sum(result["over"] for result in results[0]) == number  # each is over once


@pytest.mark.compiled
@settings(max_examples=15)
@given(ANY_RULES, SEEDS)
def test_a_row_is_a_table_like_any_other(rules, seed):
    """A `Table` beside every row makes the same moves and shows the same position."""
    tables = Tables(4, rules, seed, episode="game", num_episodes=4)
    twins = [Table(rules, seed=episode_seed) for episode_seed in tables.records["seed"].tolist()]
    for _ in range(120):
        if not len(tables):
            break
        actions = tables.random_actions(seed)
        for i, k in enumerate(tables.episodes.tolist()):
            twin = twins[k]
            assert_row_is_table(tables, i, twin)
            view = twin.view()
            observation, mask = twin.observation()
            assert np.array_equal(observation, encode(view))
            assert np.array_equal(mask, action_mask(view))
            relabel_view(view, twin.frame)
            observation, mask = twin.observation(relative_suits=True)
            assert np.array_equal(observation, encode(view))
            assert np.array_equal(mask, action_mask(view))
            twin.step(int(actions[i]))
        for result in tables.step(actions):
            twin_result = twins[int(result["episode"])].last_result
            assert twin_result is not None
            assert facts(result) | {"episode": 0} == facts(twin_result)


@settings(max_examples=10)
@given(ANY_RULES, SEEDS)
def test_with_forced_moves_skipped_every_decision_is_one(rules, seed):
    tables = Tables(5, rules, seed, num_episodes=15, skip_forced=True)
    while len(tables):
        legal = tables.legal_actions()
        assert (legal & (legal - 1)).all()
        tables.step(tables.random_actions(0))


def test_finished_rows_take_the_next_episode_or_are_dropped():
    tables = Tables(3, seed=2, num_episodes=10, first_episode=100)
    assert tables.episodes.tolist() == [100, 101, 102]
    met, sizes = set(), []
    while len(tables):
        met |= set(tables.episodes.tolist())
        sizes.append(len(tables))
        tables.step(tables.random_actions(0))
    assert met == set(range(100, 110))
    assert sizes == sorted(sizes, reverse=True)
    assert {1, 2, 3} == set(sizes)
    assert tables.step(np.array([], np.int64)).size == tables.random_actions(0).size == len(tables.views()) == 0
    assert [part.shape for part in tables.observations()] == [(0, OBSERVATION_SIZE), (0, NUM_ACTIONS)]


def test_without_a_number_of_episodes_tables_deal_for_ever():
    tables = Tables(4, seed=2)
    for _ in range(200):
        tables.step(tables.random_actions(0))
    assert len(tables) == 4
    assert min(tables.episodes) > 10


def test_fewer_episodes_than_tables_make_fewer_rows():
    assert len(Tables(8, num_episodes=3)) == 3
    assert len(Tables(8, num_episodes=0)) == 0


def test_single_deals_are_dealt_in_turn_and_games_by_who_their_seed_says():
    assert Tables(6, seed=1, first_episode=3).records["deal"]["dealer"].tolist() == [3, 0, 1, 2, 3, 0]
    games = Tables(40, seed=1, episode="game").records
    assert games["deal"]["dealer"].tolist() == [Table(seed=seed).deal.dealer for seed in games["seed"]]
    for episode in ("deal", "game"):
        assert set(Tables(6, episode=episode, dealer=2).records["deal"]["dealer"].tolist()) == {2}


def test_dealers_who_are_given_deal_the_episodes_after_too():
    tables = Tables(2, seed=1, dealer=3, num_episodes=30)
    assert {result["dealer"] for result in play_to_the_end(tables)} == {3}


@pytest.mark.parametrize("bad", [BENNY, -1, RENEGE, FORFEIT, NUM_ACTIONS, 64 + PASS_ID, 2**62, -(2**63)])
def test_one_illegal_action_stops_the_step_of_every_row(bad):
    tables = Tables(4, seed=3)
    before = pickle.dumps(tables)
    with pytest.raises(
        IllegalActionError, match=r"in FIRST_ROUND \(row 2, episode 2\); legal: pass, order up"
    ) as caught:
        tables.step(np.array([PASS_ID, PASS_ID, bad, PASS_ID]))
    assert (caught.value.action, caught.value.seat) == (bad, tables.turns[2])
    assert pickle.dumps(tables) == before


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([PASS_ID] * 3, "one action for each of 4 rows"),
        ([[PASS_ID] * 4], "one action for each of 4 rows"),
        (PASS_ID, "one action for each of 4 rows"),
        ([], "one action for each of 4 rows"),
        ([25.0] * 4, "actions must be whole numbers, not float: 25.0"),
        ([True] * 4, "actions must be whole numbers, not bool"),
        (["pass"] * 4, "actions must be whole numbers"),
        ([2**70] * 4, "actions must fit 64 bits with a sign"),
        (None, "actions must be whole numbers"),
    ],
)
def test_a_step_refuses_what_is_not_one_action_a_row(actions, message):
    tables = Tables(4, seed=3)
    before = pickle.dumps(tables)
    for illegal in ("raise", "renege"):
        with pytest.raises(ValueError, match=message):
            tables.step(actions, illegal)
    assert pickle.dumps(tables) == before


def test_a_step_knows_two_ways_with_illegal_actions():
    tables = Tables(1)
    with pytest.raises(ValueError, match="illegal must be 'raise' or 'renege', not 'ignore'"):
        tables.step(np.array([PASS_ID]), "ignore")  # pyright: ignore[reportArgumentType]  # as a typo would


@pytest.mark.parametrize("bad", [RENEGE, 3, 64 + PASS_ID, 2**62])
def test_a_renege_costs_two_points_and_the_deal_moves_on(bad):
    rules = "standard,euchre_points=7,throw_in_dealer=same,no_ace_no_face=same_dealer"
    for num_passes in range(8):
        tables = Tables(1, rules, 5, episode="game")
        for _ in range(num_passes):
            tables.step(np.array([PASS_ID]))
        dealer, seat = int(tables.records["deal"]["dealer"][0]), int(tables.turns[0])
        (result,) = tables.step(np.array([bad]), "renege")
        points = [RENEGE_POINTS, 0] if seat % 2 else [0, RENEGE_POINTS]
        assert (result["reneged"], result["points"].tolist(), result["scores"].tolist()) == (seat, points, points)
        assert (result["over"], result["winner"], result["maker"]) == (0, NO_TEAM, NOBODY)
        assert tables.records["deal_number"][0] == result["deal_number"] + 1
        assert tables.records["deal"]["dealer"][0] == (dealer + 1) % 4  # though nobody was the maker


def test_reneges_in_every_phase_end_the_deal_at_once():
    tables, times = Tables(64, "british,defend_alone=always", 5), Counter[str]()
    for _ in range(100):
        actions, phases = tables.random_actions(1), [PHASES[phase] for phase in tables.phases]
        reneging = min(range(64), key=lambda i: times[phases[i]])
        times[phases[reneging]] += 1
        seat, episode = tables.turns[reneging], tables.episodes[reneging]
        actions[reneging] = RENEGE
        reneged = [result for result in tables.step(actions, "renege") if result["reneged"] != NOBODY]
        (result,) = reneged
        assert (result["reneged"], result["episode"], result["over"]) == (seat, episode, 1)
        assert result["points"][1 - seat % 2] == result["points"].sum() == RENEGE_POINTS
    assert set(times) == set(PHASES) - {"OVER"}


def test_reneges_can_lose_a_game():
    tables = Tables(1, "standard,points_to_win=5", 5, episode="game", num_episodes=1)
    results = []
    while len(tables):
        wrong = RENEGE if tables.turns[0] % 2 else PASS_ID
        results.extend(tables.step(np.array([wrong]), "renege"))
    assert [result["scores"].tolist() for result in results] == [[2, 0], [4, 0], [6, 0]]
    assert [int(result["winner"]) for result in results] == [NO_TEAM, NO_TEAM, 0]


def test_a_forfeit_loses_the_whole_game_and_scores_nothing():
    tables = Tables(1, seed=5, episode="game", num_episodes=1)
    seat = int(tables.turns[0])
    (result,) = tables.step(np.array([FORFEIT]), "renege")
    assert (result["reneged"], result["over"], result["winner"]) == (seat, 1, 1 - seat % 2)
    assert result["points"].tolist() == result["scores"].tolist() == [0, 0]
    assert len(tables) == 0


def test_a_forfeit_in_a_single_deal_is_a_renege():
    (result,) = Tables(1, seed=5, num_episodes=1).step(np.array([FORFEIT]), "renege")
    assert (result["points"].sum(), result["over"], result["winner"]) == (RENEGE_POINTS, 1, NO_TEAM)


def test_rows_can_be_asked_for_in_any_order():
    tables = Tables(6, seed=4)
    for _ in range(9):
        tables.step(tables.random_actions(0))
    rows = np.array([4, 0, 4])
    questions: Any = (
        tables.views,
        tables.hidden,
        tables.legal_actions,
        tables.states,
        tables.deals,
        lambda rows=None: tables.decision_keys(3, rows),
        lambda rows=None: tables.random_actions(3, rows),
    )
    for ask in questions:
        assert np.array_equal(ask(rows), ask()[rows])
        assert np.array_equal(ask([4, 0, 4]), ask()[rows])
        assert len(ask(np.array([], np.int64))) == len(ask([])) == 0
    for part, whole in zip(tables.observations(rows), tables.observations(), strict=True):
        assert np.array_equal(part, whole[rows])


@pytest.mark.parametrize("rows", [[6], [-1], [0.0], [True] * 6, 3, [[1]], ["0"], [2**70]])
def test_rows_that_do_not_exist_are_refused(rows):
    tables = Tables(6, seed=4)
    for ask in (
        tables.views,
        tables.hidden,
        tables.legal_actions,
        tables.observations,
        tables.states,
        tables.deals,
    ):
        with pytest.raises(ValueError, match=r"rows must (be|fit)"):
            ask(rows)
    for ask in (tables.decision_keys, tables.random_actions):
        with pytest.raises(ValueError, match=r"rows must (be|fit)"):
            ask(3, rows)


def test_observations_are_fresh_or_written_where_one_says():
    tables = Tables(5, seed=4)
    first, second = tables.observations(), tables.observations()
    assert not any(np.shares_memory(a, b) for a, b in zip(first, second, strict=True))
    out = np.full((8, OBSERVATION_SIZE), 7, np.int8), np.full((8, NUM_ACTIONS), 7, np.int8)
    given_back = tables.observations(out=out)
    for part, whole, fresh in zip(given_back, out, first, strict=True):
        assert np.shares_memory(part, whole)
        assert np.array_equal(part, fresh)
        assert (whole[5:] == 7).all()


@pytest.mark.parametrize(
    ("shapes", "dtype"),
    [
        (((4, OBSERVATION_SIZE), (5, NUM_ACTIONS)), np.int8),
        (((5, OBSERVATION_SIZE), (4, NUM_ACTIONS)), np.int8),
        (((5, OBSERVATION_SIZE - 1), (5, NUM_ACTIONS)), np.int8),
        (((5 * OBSERVATION_SIZE,), (5, NUM_ACTIONS)), np.int8),
        (((5, OBSERVATION_SIZE), (5, NUM_ACTIONS)), np.float32),
    ],
)
def test_arrays_that_do_not_fit_are_refused(shapes, dtype):
    observations, masks = (np.zeros(shape, dtype) for shape in shapes)
    with pytest.raises(ValueError, match="out must be int8"):
        Tables(5).observations(out=(observations, masks))
    assert not observations.any()
    assert not masks.any()


@pytest.mark.parametrize("relative_suits", [False, True])
def test_hidden_cards_are_those_that_the_seat_to_act_does_not_see(relative_suits):
    tables = Tables(12, "british", 6)
    for _ in range(40):
        hidden = tables.hidden(relative_suits=relative_suits)
        assert (hidden.dtype, hidden.shape) == (np.int8, (12, HIDDEN_SIZE))
        for i, seat in enumerate(tables.turns):
            deal = row(tables.records["deal"], i)
            frame = frame_of(deal) if relative_suits else 0
            hands = [deal.hands[(seat + k) % 4] for k in range(1, 4)]
            loose = 0 if deal.discard == NO_CARD else 1 << int(relabel_card(deal.discard, frame))
            expected = [int(relabel_cards(cards, frame)) for cards in (*hands, deal.kitty)] + [loose]
            assert [sum(1 << c for c in np.flatnonzero(part).tolist()) for part in hidden[i].reshape(5, 25)] == expected
        tables.step(tables.random_actions(0))


def test_a_random_step_is_a_step_with_random_actions():
    one, other = (Tables(50, "tournament", 8, num_episodes=70) for _ in range(2))
    while len(one):
        np.testing.assert_array_equal(one.step(one.random_actions(4)), other.step_at_random(4))
        np.testing.assert_array_equal(one.records, other.records)


def test_decision_keys_belong_to_the_episode_the_decision_and_the_player():
    keys: dict[tuple[int, int], int] = {}
    for size in (1, 4):
        tables = Tables(size, seed=6, num_episodes=6)
        while len(tables):
            for key in zip(tables.episodes.tolist(), tables.num_actions.tolist(), tables.decision_keys(3), strict=True):
                assert keys.setdefault(key[:2], int(key[2])) == key[2]
            tables.step(tables.random_actions(0))
    assert len(set(keys.values())) == len(keys) > 100
    assert all(0 <= key < 2**31 for key in keys.values())
    assert Tables(1).decision_keys(3)[0] != Tables(1).decision_keys(4)[0]


def test_what_tables_give_away_is_a_copy():
    tables = Tables(3, seed=6)
    before = pickle.dumps(tables)
    for given_away in (
        tables.turns,
        tables.phases,
        tables.episodes,
        tables.num_actions,
        tables.records,
        tables.views(),
        tables.deals(),
        tables.deals(np.arange(3)),
        tables.rules_indices,
        tables.deal_numbers,
        tables.scores,
        tables.frames,
    ):
        given_away.view(np.uint8)[:] = 255
    assert pickle.dumps(tables) == before
    results = tables.step(np.array([RENEGE] * 3), "renege")
    kept = results.copy()
    tables.step(np.array([RENEGE] * 3), "renege")
    assert np.array_equal(results, kept)


@pytest.mark.parametrize("rules", PRESETS)
def test_copies_of_tables_go_on_alike_and_apart(rules):
    tables = Tables(3, rules, 6, episode="game", num_episodes=3)
    for _ in range(30):
        tables.step(tables.random_actions(0))
    twins = copy.deepcopy(tables), pickle.loads(pickle.dumps(tables))
    assert play_to_the_end(twins[0]) == play_to_the_end(twins[1]) == play_to_the_end(tables)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_tables": 0}, "num_tables must be a whole number from 1"),
        ({"num_tables": 2.0}, "num_tables must be"),
        ({"num_tables": True}, "num_tables must be"),
        ({"num_episodes": -1}, "num_episodes must be a whole number from 0"),
        ({"num_episodes": 2.5}, "num_episodes must be"),
        ({"first_episode": -1}, "first_episode must be"),
        ({"first_episode": 2**63 - 1}, "first_episode must be"),
        ({"episode": "match"}, "episode must be 'deal' or 'game', not 'match'"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**64}, "seed must be"),
        ({"dealer": 4}, "dealer must be a whole number from 0 to 3"),
        ({"rules": "nonesuch"}, "unknown rules 'nonesuch'"),
    ],
)
def test_tables_refuse_invalid_arguments(arguments, message):
    complete: Any = {"num_tables": 2} | arguments
    with pytest.raises(ValueError, match=message):
        Tables(**complete)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, None])
def test_players_seeds_are_checked_too(seed):
    for ask in (Tables(1).decision_keys, Tables(1).random_actions):
        with pytest.raises(ValueError, match="seed must be"):
            ask(seed)


def test_the_widest_numbers_are_played():
    numpy_numbers: Any = {"num_tables": np.int8(2), "seed": np.uint64(0), "num_episodes": np.int64(2)}
    tables = Tables(2, seed=2**63 - 1, first_episode=2**62, num_episodes=4)
    assert {result["episode"] for result in play_to_the_end(tables, seed=2**63 - 1)} == set(range(2**62, 2**62 + 4))
    assert all(seat in SEATS for seat in Tables(**numpy_numbers).turns)
