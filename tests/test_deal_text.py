"""A deal as one line of text and its parser: inverse of each other, safe in a shell, with clear messages."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import ANY_RULES, SEEDS, choose, play, play_out, table_with

from euchre_env import deal_text as module
from euchre_env.deal import PHASES
from euchre_env.deal_text import actions_so_far, deal_text, parse_deal_text, table_of_deal
from euchre_env.house_rules import PRESETS
from euchre_env.table import Table

HANDS = ("JH AH TS QS AS", "9C QC AC 9H QH", "KC TD JD KD JS", "TC JC QD TH KS")
TEXT = (
    "rules=pagat/dealer=0/scores=3-5/hands=JH.AH.TS.QS.AS,9C.QC.AC.9H.QH,KC.TD.JD.KD.JS,TC.JC.QD.TH.KS"
    "/upcard=9S/kitty=9D.AD.KH/actions=pass.order_up.AH,QH.KC.TH.JH,9H"
)


def same_position(a, b):
    return (
        a.rules == b.rules
        and a.deal.tobytes() == b.deal.tobytes()
        and a.scores == b.scores
        and a.is_over == b.is_over
        and a.is_one_deal == b.is_one_deal
        and a.winner == b.winner
    )


def test_text_of_a_known_deal():
    table = table_with(HANDS, "9S", "9D AD KH", rules="pagat", scores=(3, 5))
    assert deal_text(play(table, "pass, order up, AH, QH, KC, TH, JH, 9H")) == TEXT


def test_text_without_actions():
    text = deal_text(table_with(HANDS, "9S", "9D AD KH", one_deal=True))
    assert text.endswith("/upcard=9S/kitty=9D.AD.KH/actions=/one_deal=true")
    assert same_position(parse_deal_text(text), table_with(HANDS, "9S", "9D AD KH", one_deal=True))


def test_example_of_the_module_is_this_text():
    lines = re.findall(r"^    (\w+=.*)$", str(module.__doc__), re.MULTILINE)
    assert "/".join(lines) == TEXT


@given(rules=ANY_RULES, seed=SEEDS, one_deal=st.booleans(), length=st.integers(0, 60))
def test_text_and_parser_are_inverse_in_any_position(rules, seed, one_deal, length):
    rng = random.Random(seed)
    table = Table(rules, seed, one_deal=one_deal)
    for _ in range(length):
        if table.is_over:
            break
        table.step(choose(table, rng))
    text = deal_text(table)
    parsed = parse_deal_text(text)
    assert same_position(parsed, table), text
    assert deal_text(parsed) == text


@pytest.mark.parametrize("preset", PRESETS)
def test_text_and_parser_are_inverse_in_every_phase_of_every_preset(preset):
    met = set()
    rng = random.Random(preset)
    for seed in range(40):
        table = Table(preset, seed, one_deal=True)
        for position in play_out(table, rng):
            met.add(position.phase)
            text = deal_text(position)
            assert same_position(parse_deal_text(text), position), text
    unused = {"DEFEND"} if PRESETS[preset].defend_alone == "never" else set()
    unused |= set() if PRESETS[preset].benny else {"BENNY"}
    assert met == set(PHASES) - unused


def test_text_of_a_game_that_is_over_is_its_last_deal():
    table, rng = Table("pagat", 5, scores=(8, 9)), random.Random(5)
    while not table.is_over:
        table.step(choose(table, rng))
    parsed = parse_deal_text(deal_text(table))
    assert same_position(parsed, table)
    assert parsed.last_result is not None
    assert table.last_result is not None
    assert parsed.last_result.points.tolist() == table.last_result.points.tolist()


def test_actions_so_far_replay_the_deal():
    table = table_with(HANDS, "9S", "9D AD KH", rules="tournament")
    play(table, "pass, pass, pass, pass, name diamonds alone, pass, defend alone, QC, JH")
    replayed = table_with(HANDS, "9S", "9D AD KH", rules="tournament")
    for action in actions_so_far(table.deal):
        replayed.step(action)
    assert same_position(replayed, table)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_table_of_a_deal_has_its_cards_and_its_first_actions(preset):
    table = Table(preset, seed=7, one_deal=True)
    before = [table.deal.tobytes()]
    while not table.is_over:
        table.step(table.legal_actions()[-1])
        before.append(table.deal.tobytes())
    for number, expected in enumerate(before):
        assert table_of_deal(table.deal, table.rules, number).deal.tobytes() == expected
    assert same_position(table_of_deal(table.deal, table.rules), table)


@given(rules=ANY_RULES, seed=SEEDS)
def test_text_is_one_word_for_a_shell(rules, seed):
    table = Table(rules, seed)
    assert re.fullmatch(r"[A-Za-z0-9_=,./-]+", deal_text(table))


def test_parser_reads_fields_in_any_order_and_cards_in_small_letters():
    shuffled = "/".join(reversed(TEXT.replace("QH", "qh").replace("TH", "10h").split("/")))
    assert same_position(parse_deal_text(f"  {shuffled}\n"), parse_deal_text(TEXT))


def test_parser_leaves_the_next_deal_on_the_table_when_the_actions_end_one():
    table = parse_deal_text(re.sub("actions=.*", "actions=" + "pass." * 7 + "pass", TEXT))
    assert (table.deal_number, table.deal.dealer, table.scores) == (1, 1, (3, 5))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rules=pagat/", "", "lacks rules"),
        ("dealer=0", "dealer=0/dealer=0", "'dealer' twice"),
        ("upcard=9S", "upcart=9S", "'upcart=9S' is not a field of a deal text; it has rules, dealer"),
        ("/kitty=", "/", "'9D.AD.KH' is not a field"),
        ("rules=pagat", "rules=pagats", "unknown rules 'pagats'; did you mean 'pagat'"),
        ("dealer=0", "dealer=4", "dealer must be a whole number from 0 to 3, not 4"),
        ("dealer=0", "dealer=north", "dealer in a deal text must be whole numbers, not 'north'"),
        ("scores=3-5", "scores=3", "scores in a deal text must be the points of the two teams, such as 3-5, not '3'"),
        ("scores=3-5", "scores=3-x", "scores in a deal text must be whole numbers, not 'x'"),
        ("scores=3-5", "scores=3-10", "already end a game"),
        ("JH.AH.TS.QS.AS,", "", "hands in a deal text must be four hands"),
        ("JH.AH.TS", "JH.AH", "the hand of seat 0 must have 5 cards or be left empty, not 4"),
        ("JH.AH.TS", "JH.AH.AH", "AH stands more than once"),
        ("upcard=9S", "upcard=", "'' is not a card"),
        ("kitty=9D", "kitty=ZD", "'ZD' is not a card"),
        ("kitty=9D", "kitty=2S", "2S is in the pack only under the house rule benny"),
        ("order_up", "order_it", "action 2 of the deal text: 'order it' is not an action"),
        ("order_up", "name_spades", "action 2 of the deal text: 'name spades' is not legal for seat 2 in FIRST_ROUND"),
        ("QH.KC.TH", "QH.KC.TC", "action 6 of the deal text: 'play TC' is not legal for seat 3 in PLAY"),
        (
            "actions=pass.order_up.AH,QH.KC.TH.JH,9H",
            "actions=pass.pass.pass.pass.pass.pass.pass.pass.pass",
            "the deal text has 9 actions, but action 8, 'pass', ends the deal",
        ),
        ("9H", "9H/one_deal=false", "one_deal in a deal text must be true, or the field left out, not 'false'"),
    ],
)
def test_parser_says_what_is_wrong_and_where(old, new, message):
    broken = TEXT.replace(old, new) if old != "9H" else TEXT + new.removeprefix("9H")
    assert broken != TEXT
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_deal_text(broken)
