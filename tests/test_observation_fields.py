"""The observation vector: named fields tile it, and the decoder returns the view."""

import random
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from support.tables import ANY_RULES, SEEDS, legal_names, play, play_out, table_with

from euchre_env.actions import NUM_ACTIONS
from euchre_env.deal import SEATS
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.observation import FIELDS, OBSERVATION_SIZE, action_mask, decode, encode
from euchre_env.relative_suits import frame_of, relabel_view
from euchre_env.table import Table
from euchre_env.view import VIEW


def ones(observation, name):
    """The places of field `name` that are 1."""
    return np.flatnonzero(observation[FIELDS[name].slice]).tolist()


def check_round_trip(table):
    for seat in SEATS:
        for relative_suits in (False, True):
            view = table.view(seat)
            if relative_suits:
                relabel_view(view, frame_of(view))
            observation = encode(view)
            assert observation.dtype == np.int8
            assert observation.shape == (OBSERVATION_SIZE,)
            assert set(observation.tolist()) == {0, 1}
            assert decode(observation).tobytes() == view.tobytes(), (seat, relative_suits, view, decode(observation))


@settings(max_examples=60)
@given(ANY_RULES, SEEDS)
def test_decoding_gives_the_view_back_for_every_seat_at_every_time(rules, seed):
    for table in play_out(Table(rules, seed=seed, one_deal=True), random.Random(seed)):
        check_round_trip(table)


@pytest.mark.parametrize("rules", PRESETS)
def test_decoding_gives_the_view_back_to_the_end_of_a_game_and_after_it(rules):
    rng, table = random.Random(1), Table(rules, seed=1)
    while not table.is_over:
        check_round_trip(deque(play_out(table, rng), maxlen=1)[0])
    assert table.turn is None
    assert not any(action_mask(table.view(seat)).any() for seat in SEATS)


@pytest.mark.parametrize(
    ("scores", "rules", "needed"),
    [
        ((0, 0), {}, (10, 10)),
        ((9, 9), {"win_by": 2}, (2, 2)),
        ((10, 9), {"win_by": 2}, (1, 3)),
        ((0, 98), {"points_to_win": 99, "win_by": 2}, (100, 1)),
        ((98, 0), {"points_to_win": 99}, (1, 99)),
        ((9999, 9998), {"points_to_win": 99, "win_by": 2}, (1, 3)),
        ((0, 0), {"points_to_win": 1, "win_by": 2}, (2, 2)),
    ],
)
def test_needed_points_are_told_for_every_score(scores, rules, needed):
    table = Table(HouseRules(**rules), scores=scores)
    for seat in SEATS:
        view = table.view(seat)
        ours, theirs = needed if seat % 2 == 0 else needed[::-1]
        assert view.needed.tolist() == [ours, theirs]
        observation = encode(view)
        assert ones(observation, "needed") == [side * 11 + n - 1 for side, n in enumerate((ours, theirs)) if n <= 11]
        assert decode(observation).needed.tolist() == [ours, theirs]


def test_needed_points_are_told_after_the_widest_win():
    rules = HouseRules(points_to_win=99, win_by=2, lone_march_points=20)
    hands = ("JS JC AS KS QS", "9H TH JH QH KH", "9D TD JD QD KD", "9C TC QC KC AC")
    table = table_with(hands, upcard="TS", rules=rules, dealer=3, scores=(98, 0))
    play(table, "order up alone, discard 9C")
    while not table.is_over:
        table.step(table.legal_actions()[-1])
    assert table.scores == (118, 0)
    for seat in SEATS:
        assert decode(encode(table.view(seat))).needed.tolist() == ([0, 120] if seat % 2 == 0 else [120, 0])


def test_fields_tile_the_vector():
    places = [place for field in FIELDS.values() for place in range(field.first, field.first + field.size)]
    assert places == list(range(OBSERVATION_SIZE))
    assert all(field.size > 0 and field.meaning and name == field.name for name, field in FIELDS.items())


def test_fields_say_what_the_rules_say():
    hands = ("9S TH JC QD KS", "AC KC TD 9D AS", "QH KH JD 9C TC", "JH QC AD KD TS")
    table = play(table_with(hands, upcard="JS", dealer=0), "pass, order up, discard 9S, 9D, JD, KD, QD, TS")
    view, observation = table.view(0), encode(table.view(0))  # seat 3 won the first trick and led the ten of spades
    assert legal_names(table) == {"JC", "KS", "JS"}
    assert ones(observation, "phase") == [5]
    assert ones(observation, "turn") == [0]
    assert ones(observation, "hand") == [2, 13, 20, 22] == [c for c in range(25) if view.hand >> c & 1]
    assert ones(observation, "upcard") == [20]
    assert ones(observation, "upcard_taken") == [0]
    assert ones(observation, "dealer") == [0]
    assert ones(observation, "passed_first_round") == [1]
    assert ones(observation, "passed_second_round") == []
    assert ones(observation, "trump") == [3]
    assert ones(observation, "maker") == [2]
    assert ones(observation, "alone") == []
    assert ones(observation, "discard") == [18]
    assert ones(observation, "leaders") == [0 * 4 + 1, 1 * 4 + 3]
    assert ones(observation, "played_by") == [9, 25 + 6, 50 + 8, 75 + 10, 75 + 19]
    assert ones(observation, "played_in") == [6, 8, 9, 10, 25 + 19]
    assert ones(observation, "current_trick") == [75 + 19]
    assert ones(observation, "tricks") == [5]


def test_observations_are_fresh_arrays():
    table = Table(seed=1)
    first, mask = encode(table.view(1)), action_mask(table.view(1))
    kept, kept_mask = first.copy(), mask.copy()
    second = encode(table.view(1))
    second[:] = 1
    action_mask(table.view(1))[:] = 1
    table.step(table.legal_actions()[0])
    assert np.array_equal(first, kept)
    assert np.array_equal(mask, kept_mask)
    assert np.array_equal(encode(decode(kept)), kept)


def test_a_view_stays_as_it_was_when_the_table_moves_on():
    table = Table(seed=1, one_deal=True)
    view = table.view(0)
    before = view.tobytes()
    for _ in play_out(table, random.Random(1)):
        pass
    assert view.tobytes() == before


def test_encode_writes_into_the_array_it_is_given():
    view = Table(seed=1).view(2)
    out = np.full(OBSERVATION_SIZE, 7, np.int8)
    assert encode(view, out) is out
    assert np.array_equal(out, encode(view))


@pytest.mark.parametrize("out", [np.zeros(OBSERVATION_SIZE - 1, np.int8), np.zeros(OBSERVATION_SIZE, np.float32)])
def test_encode_refuses_an_array_that_does_not_fit(out):
    with pytest.raises(ValueError, match="out must be int8"):
        encode(Table().view(0), out)
    assert not out.any()


@settings(max_examples=20)
@given(ANY_RULES, SEEDS)
def test_only_the_mask_of_the_seat_to_act_names_legal_actions(rules, seed):
    for table in play_out(Table(rules, seed=seed, one_deal=True), random.Random(seed)):
        for seat in SEATS:
            mask = action_mask(table.view(seat))
            assert (mask.dtype, mask.shape) == (np.int8, (NUM_ACTIONS,))
            assert np.flatnonzero(mask).tolist() == (table.legal_actions() if seat == table.turn else [])


def test_decode_refuses_what_no_view_encodes_to():
    observation = encode(Table(seed=1).view(0))
    with pytest.raises(ValueError, match=r"must have shape \(575,\), not \(3,\)"):
        decode(np.zeros(3, np.int8))
    with pytest.raises(ValueError, match="differs in field 'phase'"):
        decode(np.zeros_like(observation))
    with pytest.raises(ValueError, match="an observation must be 0 and 1, not "):
        decode(observation * 0.5)
    with pytest.raises(ValueError, match="an observation must be 0 and 1, not "):
        decode(np.full(OBSERVATION_SIZE, np.nan))  # without a warning
    rng = np.random.default_rng(0)
    for _ in range(200):
        noise = (rng.random(OBSERVATION_SIZE) < 0.1).astype(np.int8)
        with pytest.raises(ValueError, match="no view has this observation"):
            decode(noise)


@pytest.mark.parametrize("field", ["upcard_taken", "alone", "dealer", "upcard", "trump", "leaders", "turn", "hand"])
def test_decode_refuses_a_two_in_any_field(field):
    table = play(table_with(hands=("9C TC JC QC KC", "", "", ""), upcard="9D", dealer=3), "order up alone")
    observation = encode(table.view(0))
    observation[FIELDS[field].slice] *= 2
    observation[FIELDS[field].first] = 2
    with pytest.raises(ValueError, match="no view has this observation"):
        decode(observation)


@pytest.mark.parametrize("field", ["dealer", "upcard"])
@pytest.mark.parametrize("actions", ["", "pass, pass, pass, pass"])
def test_decode_refuses_a_bid_without_a_dealer_or_an_upcard(field, actions):
    table = Table(seed=2, dealer=3)
    if actions:
        play(table, actions)
    observation = encode(table.view())
    observation[FIELDS[field].slice] = 0
    with pytest.raises(ValueError, match="no view has this observation"):
        decode(observation)


def test_decode_reads_an_observation_of_any_number_type():
    view = Table(seed=1).view(3)
    assert decode(encode(view).astype(np.float32)).tobytes() == view.tobytes()
    assert decode(encode(view).astype(bool)).tobytes() == view.tobytes()


def test_equal_views_have_equal_bytes():
    assert VIEW.itemsize == sum(dtype.itemsize for dtype, *_ in (VIEW.fields or {}).values())  # no padding
