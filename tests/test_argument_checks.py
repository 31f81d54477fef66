"""Arguments of callers: invalid numbers, arrays and texts are refused by a ValueError that names the value."""

from typing import Any

import numpy as np
import pytest

from euchre_env.actions import NUM_ACTIONS, IllegalActionError, action_name, parse_action
from euchre_env.cards import card_name, parse_card
from euchre_env.checks import array_kind, check_number, check_numbers, parse_digits
from euchre_env.custom_deal import FixedCards
from euchre_env.deal_text import deal_text, parse_deal_text
from euchre_env.euchre_v0 import raw_env
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.observation import OBSERVATION_SIZE, encode
from euchre_env.random_streams import reporting_seed
from euchre_env.table import Table
from euchre_env.tables import Tables

PASS = 25
HUGE: Any = 10**5000  # Python refuses to write it out
TEXT = deal_text(Table(seed=1))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([10**30] * 2, "n must fit 64 bits with a sign, which 1000000000000000000000000000000 does not"),
        ([25, 2**64 - 1], "n must fit 64 bits with a sign, which 18446744073709551615 does not"),
        ([-1, 2**64 - 1], "n must fit 64 bits with a sign, which 18446744073709551615 does not"),
        (np.array([2**64 - 1], np.uint64), "n must fit 64 bits with a sign, which 18446744073709551615 does not"),
        ([-(2**63) - 1], "n must fit 64 bits with a sign, which -9223372036854775809 does not"),
        ([HUGE], "n must fit 64 bits with a sign, which a number of thousands of digits does not"),
        ([25, 1.0], "n must be whole numbers, not float: 1.0"),
        ([25, float("nan")], "n must be whole numbers, not float: nan"),
        (np.array([25.0]), "n must be whole numbers, not float64: 25.0"),
        (np.array([True]), "n must be whole numbers, not bool: True"),
        ([True], "n must be whole numbers, not bool: True"),
        (["25"], "n must be whole numbers, not str: '25'"),
        (None, "n must be whole numbers, not NoneType: None"),
        ([[1, 2], [3]], r"n must be whole numbers, not list: \[1, 2\]"),
        ({1, 2}, "n must be whole numbers, not set"),
        (np.array([1], "m8[s]"), "n must be whole numbers, not timedelta64"),
    ],
)
def test_non_numbers_and_too_large_numbers_get_different_messages(values, message):
    with pytest.raises(ValueError, match=f"^{message}") as caught:
        check_numbers(values, "n")
    assert len(str(caught.value)) < 200
    tables: Any = Tables(2)
    for ask in (tables.step, lambda rows: tables.step([PASS, PASS], rows=rows)):
        if values is None and ask is not tables.step:
            continue  # `rows` are all of them then
        with pytest.raises(ValueError, match=r"(actions|rows) must (fit|be)"):
            ask(values)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        (1, 2, 3),
        [np.int8(1), 2, np.uint64(3)],
        np.array([1, 2, 3], np.uint8),
        np.array([1, 2, 3], np.uint64),
        np.array([1, 2, 3], np.int16),
        np.array([1, 2, 3], ">i8"),
        np.array([1, 2, 3], object),
        np.array([1, 0, 2, 0, 3, 0])[::2],
        np.broadcast_to(np.array([1, 2, 3]), 3),
        np.frombuffer(b"x" + np.array([1, 2, 3]).tobytes(), np.int64, offset=1),
    ],
)
def test_whole_numbers_of_every_kind_become_an_array_that_kernels_know(values):
    array = check_numbers(values, "n")
    assert array.tolist() == [1, 2, 3]
    assert array.dtype == np.int64
    assert array.flags.carray  # contiguous, aligned and writeable: another kind would be compiled for


def test_an_array_that_fits_is_not_copied():
    array = np.array([1, 2, 3])
    assert check_numbers(array, "n") is array


def test_actions_and_rows_may_be_lists_or_read_only():
    tables, twin = Tables(3, seed=1), Tables(3, seed=1)
    frozen = np.array([PASS, PASS])
    frozen.flags.writeable = False
    rows: Any = [0, 2]
    tables.step(frozen, rows=rows)
    twin.step(np.array([PASS, PASS]), rows=np.array([0, 2]))
    assert tables.records.tobytes() == twin.records.tobytes()


def with_flag(array, writeable):
    array.flags.writeable = writeable
    return array


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (([[0] * OBSERVATION_SIZE] * 2, [[0] * NUM_ACTIONS] * 2), "not list"),
        ((None, None), "not NoneType"),
        ((np.zeros((2, OBSERVATION_SIZE), np.int8), [[0] * NUM_ACTIONS] * 2), "not list"),
        (
            (with_flag(np.zeros((2, OBSERVATION_SIZE), np.int8), False), np.zeros((2, NUM_ACTIONS), np.int8)),
            r"not int8, shape \(2, \d+\), read-only",
        ),
        (
            (np.zeros((2, OBSERVATION_SIZE), np.int8), with_flag(np.zeros((2, NUM_ACTIONS), np.int8), False)),
            r"not int8, shape \(2, 37\), read-only",
        ),
        ((np.zeros((2, OBSERVATION_SIZE), bool), np.zeros((2, NUM_ACTIONS), np.int8)), r"not bool, shape"),
        ((np.zeros((), np.int8), np.zeros((2, NUM_ACTIONS), np.int8)), r"not int8, shape \(\)"),
        (np.zeros((2, OBSERVATION_SIZE), np.int8), "out must be two arrays"),
        ((np.zeros((2, OBSERVATION_SIZE), np.int8),), "out must be two arrays"),
        ("out", "out must be two arrays"),
    ],
)
def test_places_that_observations_cannot_be_written_to_are_refused(out, message):
    with pytest.raises(ValueError, match=message):
        Tables(2).observations(out=out)
    for part in out:
        assert not isinstance(part, np.ndarray) or not part.any()


@pytest.mark.parametrize(
    "out",
    [
        [0] * OBSERVATION_SIZE,
        with_flag(np.zeros(OBSERVATION_SIZE, np.int8), False),
        np.zeros(OBSERVATION_SIZE),
        np.zeros(OBSERVATION_SIZE + 1, np.int8),
    ],
)
def test_a_place_that_encode_cannot_write_to_is_refused(out):
    with pytest.raises(ValueError, match=r"out must be int8, shape .*, writeable, not"):
        encode(Table().view(), out)


def test_with_no_row_left_only_no_row_may_be_named():
    tables = Tables(1, num_episodes=0)
    for rows in ([0], [-1]):
        with pytest.raises(ValueError, match=rf"^rows must be empty: no row is left, not \[{rows[0]}\]$"):
            tables.views(rows)  # pyright: ignore[reportArgumentType]  # lists are taken too
    assert len(tables.views(np.array([], np.int64))) == len(tables.views()) == 0


@pytest.mark.parametrize(
    "name_too_large",
    [
        lambda: parse_rules("standard,points_to_win=" + "1" * 5000),
        lambda: parse_rules("1" * 5000),
        lambda: parse_rules(HUGE),
        lambda: parse_rules(f"standard,{'1' * 5000}=1"),
        lambda: parse_rules(f"standard,{'1' * 5000}"),
        lambda: HouseRules(points_to_win=HUGE),
        lambda: Table(seed=HUGE),
        lambda: Table(scores=(HUGE, 0)),
        lambda: Table(scores=HUGE),
        lambda: Table(dealer=HUGE),
        lambda: Table(cards=HUGE),
        lambda: Table(cards=FixedCards([[HUGE] * 5, [], [], []])),
        lambda: Table(cards=FixedCards([[HUGE] * 4, [], [], []])),
        lambda: Table(cards=FixedCards(HUGE)),
        lambda: Table(cards=FixedCards([HUGE] * 4)),
        lambda: Table(cards=FixedCards(upcard=HUGE)),
        lambda: Table().step(HUGE),
        lambda: Table().step(PASS, HUGE),
        lambda: Table().view(HUGE),
        lambda: Tables(HUGE),
        lambda: Tables(1, HUGE),
        lambda: Tables(1, [HUGE]),
        lambda: Tables(1, seed=HUGE),
        lambda: Tables(1, episode=HUGE),
        lambda: Tables(1, first_episode=HUGE),
        lambda: Tables(positions=HUGE),
        lambda: Tables(positions=[HUGE]),
        lambda: Tables(1).views(HUGE),
        lambda: Tables(1).step(np.array([PASS]), HUGE),
        lambda: Tables(1).step([HUGE]),  # pyright: ignore[reportArgumentType]
        lambda: Tables(1).random_actions(HUGE),
        lambda: action_name(HUGE),
        lambda: card_name(HUGE),
        lambda: parse_card(HUGE),
        lambda: parse_card("1" * 5000),
        lambda: parse_action(HUGE),
        lambda: parse_action("1" * 5000),
        lambda: parse_deal_text(TEXT.replace("scores=0-0", f"scores={'1' * 5000}-0")),
        lambda: parse_deal_text(TEXT.replace("dealer=", "dealer=" + "1" * 5000)),
        lambda: parse_deal_text(TEXT.replace("actions=", "actions=" + "1" * 5000)),
        lambda: parse_deal_text("1" * 5000),
        lambda: reporting_seed(HUGE),
        lambda: check_number(HUGE, 0, 1, "n"),
        lambda: raw_env(episode=HUGE),
        lambda: raw_env().reset(seed=HUGE),
        lambda: raw_env().reset(options=HUGE),
        lambda: raw_env().reset(options={"deal_number": HUGE}),
    ],
)
def test_numbers_of_thousands_of_digits_make_short_messages(name_too_large):
    with pytest.raises(ValueError, match=r"^(?!Exceeds the limit)") as caught:
        name_too_large()
    assert "Exceeds the limit" not in str(caught.value)
    assert len(str(caught.value)) < 800


def test_a_rule_with_too_many_digits_is_named():
    with pytest.raises(ValueError, match="house rule 'points_to_win' is a whole number from 1 to 99, not '1111"):
        parse_rules("standard,points_to_win=" + "1" * 5000)


THREES = ["٣", "３", "³", "३", "𝟑", "Ⅲ", "+3", "3.0", "0x3", " 3_0"]


@pytest.mark.parametrize("three", THREES)
def test_digits_of_other_scripts_are_refused_in_every_text(three):
    assert parse_digits(three) is None
    with pytest.raises(ValueError, match="house rule 'points_to_win' is a whole number from 1 to 99, not"):
        parse_rules(f"standard,points_to_win={three}")
    for name in ("dealer", "scores"):
        text = TEXT.replace("scores=0-0", f"scores={three}-0") if name == "scores" else f"{TEXT}"
        if name == "dealer":
            text = text.replace(f"dealer={Table(seed=1).deal.dealer}", f"dealer={three}")
        assert text != TEXT
        with pytest.raises(ValueError, match=f"{name} in a deal text must be"):
            parse_deal_text(text)


@pytest.mark.parametrize("card", ["9ſ", "９S", "٩S", "9Ѕ", "1０S", "JС"])
def test_letters_of_other_scripts_are_no_cards(card):
    for read in (parse_card, parse_action):
        with pytest.raises(ValueError, match=f"'{card}' is not a"):
            read(card)


@pytest.mark.parametrize(
    "scores", ["12", {1, 2}, {1: 2, 3: 4}, [[1], [2, 3]], iter([1, 2]), np.zeros((2, 2)), [None, 1]]
)
def test_scores_that_are_not_two_numbers_are_refused(scores):
    with pytest.raises(ValueError, match=r"^(scores are the points of the two teams|a score must be a whole number)"):
        Table(scores=scores)


def test_an_action_that_is_no_number_is_named_as_it_came():
    for action, name in (("play 9C", "'play 9C'"), (25.0, "'25.0'"), (None, "'None'")):
        with pytest.raises(IllegalActionError, match=f"^{name} is not legal for seat"):
            Table().step(action)  # pyright: ignore[reportArgumentType]  # that it is refused is the point


def test_the_widest_range_of_episodes_is_played():
    tables = Tables(1, first_episode=2**62, num_episodes=2**62)
    assert tables.episodes.tolist() == [2**62]
    tables.step(np.array([PASS]))


def test_the_kind_of_an_array_is_told():
    assert array_kind(with_flag(np.zeros(2), False)) == "float64, shape (2,), read-only"
