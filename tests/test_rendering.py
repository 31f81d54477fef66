"""The table as text and as a picture: a worked deal line by line, and every phase of every preset."""

import hashlib
import io
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.environments import WORKED_ACTIONS, WORKED_DEAL, random_action, start, wrapped
from support.rules import EVERYTHING, RULE_SETS
from support.tables import ANY_RULES, SEEDS, play, play_out, table_with

from euchre_env import Table, euchre_v0, render_picture, render_text
from euchre_env.cards import NO_SUIT, NUM_CARDS, cards_in
from euchre_env.drawing.commentary import card_text, hand_text, result_text
from euchre_env.drawing.text import printable

GOLDEN = Path(__file__).parent / "data" / "rendered_deal.txt"
# After how many actions of the worked deal the golden text shows it: the upcard, the discard, the trick that seat 1 is
# winning with a king of clubs, the trick that seat 2 won by a ruff, and the next deal.
SHOWN = (0, 2, 8, 11, 23)
DIVIDER = "=" * 80 + "\n"


def worked_deal(num_actions):
    """The worked deal after some of its actions, at 6 points to 4."""
    env = start(options={**WORKED_DEAL, "scores": (6, 4)}, render_mode="ansi")
    return play(env, ", ".join(WORKED_ACTIONS.split(", ")[:num_actions])) if num_actions else env


@pytest.mark.parametrize(("index", "num_actions"), list(enumerate(SHOWN)))
def test_the_worked_deal_reads_as_it_should(index, num_actions):
    assert worked_deal(num_actions).render() + "\n" == GOLDEN.read_text().split(DIVIDER)[index]


def test_the_text_opens_with_the_result_of_the_deal_just_ended():
    lines = worked_deal(23).render().splitlines()
    assert lines[0] == "Seat 2 ordered up spades and took 4 tricks: 1 point to seats 0 and 2."
    assert lines[1] == "Trick 5: seat 2 A♥, seat 3 Q♥, seat 0 10♥, seat 1 J♥: seat 2 won."


@pytest.mark.parametrize(
    ("actions", "rules", "changes", "expected"),
    [
        (", ".join(["pass"] * 8), "standard", {}, "Everybody passed twice: the deal was thrown in, nobody scored."),
        (
            "pass, order up alone, AD, TD, QD, KC, KS, QS, JC, JD, AC, AS, 9D, 9H, AH, QH, JH",
            "standard",
            {},
            "Seat 2 ordered up spades alone and took 4 tricks: 1 point to seats 0 and 2.",
        ),
        (
            WORKED_ACTIONS,
            "standard",
            {"scores": (9, 4)},
            "Seat 2 ordered up spades and took 4 tricks: 1 point to seats 0 and 2. Seats 0 and 2 win the game 10 to 4.",
        ),
        (
            "pass, pass, order up, 9C, AD, TD, QD, KD, KC, KS, QS, QC, JC, JD, TS, AC, AS, 9D, 9S, 9H, AH, QH, TH, JH",
            "standard",
            {},
            "Seat 3 ordered up spades and was euchred with 1 trick: 2 points to seats 0 and 2.",
        ),
    ],
)
def test_the_result_says_who_called_and_what_it_came_to(actions, rules, changes, expected):
    table = play(start(rules, options={**WORKED_DEAL, **changes}), actions).table
    assert result_text(table.last_deal, table.last_result) == expected


@pytest.mark.compiled  # plays hundreds of deals
def test_the_result_has_words_for_every_way_a_deal_can_end():
    env, rng, said = start(EVERYTHING, seed=1), np.random.default_rng(0), set()
    while len(said) < 300:
        env.step(random_action(env, rng))
        if env.last_deal is not None:
            said.add(result_text(env.last_deal, env.last_result))
        if env.terminations[env.agent_selection]:
            env.reset()
    endings = ("a march", "took 3 tricks", "took 4 tricks", "no tricks", "1 trick:", "2 tricks:", "win the game")
    for phrase in (*endings, "alone", "picked up", "ordered up", "named", "defending alone"):
        assert any(phrase in sentence for sentence in said), phrase


def test_a_hand_is_ordered_by_suit_with_trump_first_and_the_bowers_on_top():
    hand = sum(1 << card for card in (2, 5, 20, 23, 17))  # JC AC JS AS AH
    assert hand_text(hand, 3) == "J♠ J♣ A♠ · A♥ · A♣"
    assert hand_text(hand, 0) == "J♣ J♠ A♣ · A♠ · A♥"
    assert hand_text(hand, NO_SUIT) == "A♣ J♣ · A♠ J♠ · A♥"
    assert hand_text(hand | 1 << 24, NO_SUIT) == "2♠ · A♣ J♣ · A♠ J♠ · A♥"
    assert hand_text(hand | 1 << 24, 3) == "2♠ J♠ J♣ A♠ · A♥ · A♣"
    assert hand_text(0, 3) == ""


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_every_phase_shows_every_card_and_changes_nothing(rules):
    env, rng = start(rules, seed=1, render_mode="ansi"), np.random.default_rng(5)
    for _ in range(150):
        before = pickle.dumps(env)
        text = env.render()
        assert pickle.dumps(env) == before
        shown = text.partition("\nDeal ")[2] or text
        hands = [card for hand in env.table.deal.hands for card in cards_in(hand)]
        for card in [*hands, *cards_in(env.table.deal.kitty)]:
            assert card_text(card) in shown
        assert max(map(len, text.splitlines())) <= 80
        if env.table.turn is not None:
            assert f"▸ seat {env.table.turn}" in text
        if env.terminations[env.agent_selection]:
            assert text.endswith("The game is over.")
            env.reset()
        else:
            env.step(random_action(env, rng))


def widest(table):
    """The width of a table's text in columns."""
    return max(map(len, render_text(table).splitlines()))


@pytest.mark.compiled  # plays hundreds of deals
@given(ANY_RULES, SEEDS, st.randoms(use_true_random=False))
def test_no_position_of_any_house_rules_is_wider_than_80_columns(rules, seed, rng):
    score = rules.points_to_win - 1
    table = Table(rules, seed, deal_number=rng.choice([0, 2**62]), scores=(score, score))
    for _ in range(3):
        if not table.is_over:
            assert max(map(widest, play_out(table, rng))) <= 80


@pytest.mark.parametrize("dealer", [1, 3])
def test_the_widest_hand_of_a_side_column_leaves_the_frame_in_its_place(dealer):
    hands = ["", "", "", ""]
    hands[dealer] = "TC TD TH TS 9C"
    table = play(table_with(hands, "9H", dealer=dealer), "order up")
    assert "10♥ 9♥·10♣ 9♣·10♦·10♠" in render_text(table)
    assert widest(table) <= 80
    with_benny = hands.copy()
    with_benny[dealer] = "TC TD TH TS 2S"
    table = table_with(with_benny, "9H", rules="british", dealer=dealer)
    assert "2♠·10♣·10♦·10♠·10♥" in render_text(table)
    assert widest(table) <= 80
    frames = [line.index("│") for line in render_text(table).splitlines() if "│" in line]
    assert frames == [28] * 5


def test_a_long_sentence_goes_on_below_and_loses_no_word():
    rules, rng, sentence = "standard,defend_alone=always,points_to_win=99", random.Random(4), ""
    table: Any = Table(rules, seed=1)
    while "defending alone" not in sentence or "euchred" not in sentence:
        list(play_out(table, rng))
        sentence = result_text(table.last_deal, table.last_result)
    assert len(sentence) > 80
    first, second = render_text(table).splitlines()[:2]
    assert second.startswith("  ")
    assert f"{first} {second.strip()}" == sentence


def test_who_sits_out_and_who_is_alone_are_marked():
    text = play(start(options=WORKED_DEAL, render_mode="ansi"), "pass, order up alone").render()
    assert "seat 2 · maker, alone" in text
    assert "seat 0 · dealer · sits out" in text
    assert "out of play" in text


def test_the_dealer_and_those_who_passed_are_marked():
    env = play(start(options=WORKED_DEAL, render_mode="ansi"), "pass, pass")
    assert "seat 2 · passed" in env.render()
    assert "seat 0 · dealer" in env.render()
    play(env, "pass, pass, pass, pass")
    assert "seat 2 · passed twice" in env.render()
    assert "turned down" in env.render()


def test_a_single_deal_says_so():
    env = play(start(options=WORKED_DEAL, episode="deal", render_mode="ansi"), WORKED_ACTIONS)
    assert "a single deal" in env.render()
    assert env.render().endswith("The deal is over.")


def test_the_text_shows_absolute_suits_whatever_the_agents_see():
    texts = {start(options=WORKED_DEAL, relative_suits=flag, render_mode="ansi").render() for flag in (False, True)}
    assert len(texts) == 1


def test_human_prints_the_table_after_reset_and_every_step(capsys):
    env = wrapped(render_mode="human")
    env.reset(options=WORKED_DEAL)
    assert capsys.readouterr().out.rstrip() == render_text(env.unwrapped.table)
    play(env, "pass")
    assert capsys.readouterr().out.rstrip() == render_text(env.unwrapped.table)
    assert env.render() is None
    assert "Seat 2 to order up or pass." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "A♣ K♣ · A♦ · J♥ 9♥"), ("ascii", "AC KC . AD . JH 9H"), ("latin-1", "AC KC . AD . JH 9H")],
)
def test_human_prints_on_a_terminal_of_any_encoding(encoding, shown, monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", terminal)
    play(start(options=WORKED_DEAL, render_mode="human"), "pass")
    terminal.flush()
    printed = terminal.buffer.getvalue().decode(encoding)
    assert printed.count(shown) == 2
    assert printed.count("Seat 1 to order up or pass.") == 1
    assert printed.count("Seat 2 to order up or pass.") == 1


def test_human_without_an_open_output_plays_on(monkeypatch):
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed):
        monkeypatch.setattr(sys, "stdout", stream)
        env = play(start(options=WORKED_DEAL, render_mode="human"), "pass")
        assert env.table.turn == 2


def test_ascii_signs_keep_the_columns_and_stand_for_every_sign():
    text = worked_deal(11).render()
    plain = printable(text, "ascii")
    assert plain.isascii()
    assert "?" not in plain
    assert list(map(len, plain.splitlines())) == list(map(len, text.splitlines()))
    assert printable(text, "utf-8") == text
    assert printable("naïve ♠", "ascii") == "na?ve S"


def test_rendering_without_a_mode_says_how_to_choose_one():
    env = start()
    with pytest.warns(UserWarning, match="render_mode, one of 'human', 'ansi', 'rgb_array'"):
        assert env.render() is None


def test_pictures_without_pillow_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    for make in (wrapped, euchre_v0.raw_env):
        with pytest.raises(ImportError, match=r'pip install "euchre-env\[render\]"'):
            make(render_mode="rgb_array")
    with pytest.raises(ImportError, match=r"euchre-env\[render\]"):
        render_picture(Table())
    assert wrapped(render_mode="ansi")


@pytest.mark.parametrize("rules", ["standard", EVERYTHING], ids=["standard", "everything"])
def test_every_phase_can_be_drawn(rules):
    pytest.importorskip("PIL")
    env, rng = start(rules, seed=2, render_mode="rgb_array"), np.random.default_rng(5)
    pictures, phases = [], set()
    while env.last_deal is None or "DISCARD" not in phases:
        phases.add(env.table.phase)
        picture = env.render()
        assert (picture.dtype, picture.shape) == (np.uint8, (1120, 1500, 3))
        pictures.append(hashlib.sha256(picture).digest())
        env.step(random_action(env, rng))
    assert len(set(pictures)) == len(pictures)
    assert {"FIRST_ROUND", "PLAY"} <= phases


def test_the_picture_of_a_position_is_always_the_same():
    pytest.importorskip("PIL")
    tables = [worked_deal(11).table for _ in range(2)]
    np.testing.assert_array_equal(render_picture(tables[0]), render_picture(tables[1]))


def test_every_card_has_a_face_of_its_own():
    pytest.importorskip("PIL")
    from euchre_env.drawing.card_faces import CARD_SIZE, card_face

    faces = [card_face(card) for card in range(NUM_CARDS)]
    assert {face.size for face in faces} == {CARD_SIZE}
    assert len({face.tobytes() for face in faces}) == NUM_CARDS


def test_a_red_suit_is_red_and_a_black_one_is_not():
    pytest.importorskip("PIL")
    from euchre_env.drawing.card_faces import CARD_SIZE, card_face

    middle = CARD_SIZE[0] // 2, CARD_SIZE[1] // 2
    for card, is_red in ((5, False), (11, True), (17, True), (23, False)):  # the four aces
        red, green, blue, _ = np.asarray(card_face(card))[middle[1], middle[0]]
        assert (red > 150 and green < 80 and blue < 80) == is_red
        assert (red < 80) != is_red
