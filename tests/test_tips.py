"""The player `tips` follows each tip of docs/tips.md literally."""

import numpy as np
import pytest
from support.paths import ROOT
from support.rule_bot_choices import view_in_trick
from support.tables import play, table_with

from euchre_agents import TipsPlayer, load
from euchre_agents.tips import advice
from euchre_agents.tips.advice import TIPS
from euchre_agents.tips.player import decide
from euchre_env.actions import ACTION_NAMES, PASS_ID, phrase
from euchre_env.deal import PHASES
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.kernel import as_records
from euchre_env.tables import Tables
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, VIEW

PASSES = ("", "pass", "pass,pass", "pass,pass,pass")  # before each seat's first bid, the dealer being seat 0
FOUR_PASSES = "pass,pass,pass,pass"
PLAYER = TipsPlayer()


def chosen(view, tip):
    """The name of the choice at `view`, which must follow `tip`; `explain` must agree."""
    views = np.array([view], VIEW)
    action = int(PLAYER.act_views(as_records(views), np.zeros(1, np.int64))[0])
    first, *others = PLAYER.explain(view)
    assert (first.action, first.probability, first.reason) == (action, 1, TIPS[tip].advice)
    words = phrase(action, PHASES[view["phase"]])
    assert all(other.probability == 0 and words in other.reason for other in others)
    return ACTION_NAMES[action]


def bid(hand, seat, upcard, tip, second_round=False, **more):
    """The bid of seat `seat` with `hand`, which must follow `tip`; seat 0 deals."""
    hands = [""] * 4
    hands[seat] = hand
    table = table_with(hands, upcard=upcard, **more)
    for passes in filter(None, [FOUR_PASSES] * second_round + [PASSES[(seat - 1) % 4]]):
        play(table, passes)
    return chosen(table.view(table.turn), tip)


# Bidding


@pytest.mark.parametrize(
    ("hand", "call"),
    [
        ("JH 9H KC QD TS", "order up"),  # with the nine of hearts' neighbour taken: three trumps with a bower
        ("JD 9H KC QD TS", "order up"),  # the left bower is a bower
        ("AH 9H KC QD TS", "pass"),  # three trumps without a bower
        ("JH AC KC QD TS", "pass"),  # two trumps, a single bower
        ("JH JD KC QC TS", "order up"),
    ],
)
def test_three_trumps_with_a_bower_are_enough_for_the_dealer(hand, call):
    assert bid(hand, 0, "TH", advice.ENOUGH if call == "order up" else advice.NO_REASON_TO_CALL) == call


def test_two_bowers_with_an_ace_of_another_suit_are_enough():
    enough, not_enough = "JS JC AH TD 9D", "JS JC KH TD 9D"
    assert bid(enough, 3, "9C", advice.ENOUGH, second_round=True) == "name spades"
    assert bid(not_enough, 3, "9C", advice.NO_REASON_TO_CALL, second_round=True) == "pass"


@pytest.mark.parametrize(
    ("hand", "call"),
    [
        ("JS AH 9H TD 9C", "order up"),  # the right bower and an ace
        ("9S AH AD TD 9C", "order up"),  # two aces, and a trump
        ("TC AH AD TD 9C", "pass"),  # two aces without a trump
        ("AS KS 9H TD 9C", "pass"),  # the ace of trump alone is one trick
        ("AS JC 9H TD 9C", "order up"),  # with the left bower it is two
    ],
)
def test_a_dealing_partner_is_assisted_with_two_sure_tricks(hand, call):
    assert bid(hand, 2, "QS", advice.ASSIST if call == "order up" else advice.NO_REASON_TO_CALL) == call


def test_against_the_dealer_the_eldest_hand_wants_more_than_two_tricks():
    tip = advice.ELDEST_AGAINST_DEALER
    assert bid("JS JC 9H TD 9C", 1, "QS", tip) == "order up"  # both bowers
    assert bid("JS TS 9S TD 9C", 1, "QS", tip) == "order up"  # three trumps with a bower
    assert bid("JS AS AH TD 9C", 1, "QS", tip) == "order up"  # two of the three highest, and an ace
    assert bid("JS AS KH TD 9C", 1, "QS", advice.NO_REASON_TO_CALL) == "pass"
    assert bid("JS AH AD TD 9C", 1, "QS", advice.NO_REASON_TO_CALL) == "pass"


def test_right_of_the_dealer_only_two_of_the_highest_and_an_ace_are_enough():
    tip = advice.THIRD_AGAINST_DEALER
    assert bid("JS AS AH TD 9C", 3, "QS", tip) == "order up"
    assert bid("JS JC 9H TD 9C", 3, "QS", advice.NO_REASON_TO_CALL) == "pass"
    assert bid("JS TS 9S TD 9C", 3, "QS", advice.NO_REASON_TO_CALL) == "pass"


def test_the_eldest_hand_makes_it_next_with_any_card_of_it():
    assert bid("9D KS QS TC 9C", 1, "9H", advice.NEXT, second_round=True) == "name diamonds"
    assert bid("9D JS AS KS QS", 1, "9H", advice.NEXT, second_round=True) == "name diamonds"  # before a better suit
    assert bid("9S JS AS KS QS", 1, "9H", advice.ENOUGH, second_round=True) == "name spades"  # it holds no diamond
    assert bid("JH 9S QS TC 9C", 1, "9H", advice.NEXT, second_round=True) == "name diamonds"  # but the left bower
    assert bid("9D KS QS TC 9C", 3, "9H", advice.NO_REASON_TO_CALL, second_round=True) == "pass"


def test_the_dealers_partner_crosses_with_two_sure_tricks():
    assert bid("JS AD 9D TC 9C", 2, "9H", advice.CROSS, second_round=True) == "name clubs"  # of which it holds more
    assert bid("JS AD 9D TD 9S", 2, "9H", advice.CROSS, second_round=True) == "name spades"
    assert bid("JD AS 9D TD JC", 2, "9H", advice.CROSS, second_round=True) == "name spades"  # before three diamonds
    assert bid("JD KS 9D TD 9C", 2, "9H", advice.ENOUGH, second_round=True) == "name diamonds"
    assert bid("AD AC 9D TD KD", 2, "9H", advice.CROSS, second_round=True) == "name clubs"


def test_it_goes_alone_with_the_three_highest_trumps_and_a_fourth_card():
    assert bid("JS JC AS AH 9D", 1, "QS", advice.ALONE) == "order up alone"
    assert bid("JS JC AS 9S 9D", 1, "QS", advice.ALONE) == "order up alone"
    assert bid("JS JC AS KH 9D", 1, "QS", advice.ELDEST_AGAINST_DEALER) == "order up"
    assert bid("JS AS KS QS AH", 2, "9S", advice.ASSIST) == "order up"  # without the left bower
    assert bid("JS JC AS AH 9D", 3, "9H", advice.ALONE, second_round=True) == "name spades alone"


def test_where_a_call_must_be_alone_it_calls_only_with_such_a_hand():
    assert bid("JS JC AS AH 9D", 2, "QS", advice.ALONE, rules="canadian") == "order up alone"
    assert bid("JS AS AH AD 9D", 2, "QS", advice.NO_REASON_TO_CALL, rules="canadian") == "pass"


def test_a_stuck_dealer_names_the_suit_of_which_it_holds_most():
    for hand, call in (("9S TS QS AD KC", "name spades"), ("9S TS AD KD KC", "name diamonds")):  # of equals the higher
        assert bid(hand, 0, "9H", advice.MUST_CALL, second_round=True, rules="midwest") == call


def test_a_dealer_who_turned_up_the_benny_names_its_longest_suit():
    table = table_with(("9S TS QS AD KC", "", "", ""), upcard="2S", rules="british", dealer=0)
    assert chosen(table.view(0), advice.MUST_CALL) == "name spades"
    table = table_with(("JS JC QS AD KD", "", "", ""), upcard="2S", rules="british", dealer=0)
    assert chosen(table.view(0), advice.ALONE) == "name spades alone"  # the Benny is a third bower


def test_it_declines_to_defend_alone():
    table = table_with(rules="standard,defend_alone=always", dealer=0)
    play(table, "order up")
    table.step(table.legal_actions()[0])
    assert chosen(table.view(table.turn), advice.DECLINE) == "pass"


# Discarding and leading


def test_the_dealer_makes_a_void():
    table = play(table_with(("JS AS KD 9C TC", "", "", ""), upcard="9S", dealer=0), "order up")
    assert chosen(table.view(0), advice.MAKE_A_VOID) == "KD"


@pytest.mark.parametrize("maker", [ME, PARTNER])
def test_the_makers_lead_their_highest_trump_but_not_to_the_fourth_trick(maker):
    assert chosen(view_in_trick("JC 9S AH KH AD", maker=maker), advice.MAKERS_LEAD_TRUMP) == "JC"
    three_gone = "9H TH QH JH 9D TD QD JD 9C QC KC AC"
    assert chosen(view_in_trick("JC AH", maker=maker, gone=three_gone), advice.LEAD_AN_ACE) == "AH"
    assert chosen(view_in_trick("JC KH", maker=maker, gone=three_gone), advice.LEAD_LOW) == "KH"
    assert chosen(view_in_trick("JC 9S", maker=maker, gone=three_gone), advice.MAKERS_LEAD_TRUMP) == "JC"


@pytest.mark.parametrize("maker", [LEFT, RIGHT])
def test_the_defenders_lead_an_ace_and_no_trump(maker):
    assert chosen(view_in_trick("JS JC AH KH 9D", maker=maker), advice.LEAD_AN_ACE) == "AH"
    assert chosen(view_in_trick("JS JC QH KH 9D", maker=maker, upcard="9S"), advice.LEAD_LOW) == "9D"
    assert chosen(view_in_trick("JS JC AS KS QS", maker=maker), advice.ONLY_TRUMPS_TO_LEAD) == "QS"


def test_the_defenders_avoid_the_suit_that_was_turned_down():
    hands = ("", "9D TD KC QC QH", "JS JC AS KS AH", "")
    table = table_with(hands, upcard="JD", dealer=0)
    play(table, "pass,pass,pass,pass,pass,name spades")
    assert chosen(table.view(1), advice.AVOID_WHAT_WAS_TURNED_DOWN) == "QC"
    only = table_with(("", "9D TD KD QD QS", "JS JC AS KS AH", ""), upcard="JD", dealer=0)
    play(only, "pass,pass,pass,pass,pass,name spades")
    assert chosen(only.view(1), advice.LEAD_LOW) == "9D"


# Following


def follow(hand, trick, tip, **more):
    """The card chosen from `hand`; in `trick` the last card is the right neighbour's, the card before it partner's."""
    return chosen(view_in_trick(hand, trick, **more), tip)


def test_a_trick_that_partner_is_winning_is_left_to_it():
    assert follow("9S TD QD", "9H AH TH", advice.LEAVE_IT_TO_PARTNER) == "TD"
    assert follow("AS KH 9H", "QH JH", advice.LEAVE_IT_TO_PARTNER) == "9H"
    assert follow("9S TD QD KC", "9H AH TH", advice.LEAVE_IT_TO_PARTNER) == "KC"  # the only card of its suit


def test_the_second_to_play_trumps_nothing_but_an_ace():
    assert follow("9S TD QD", "KH", advice.SECOND_HAND_WAITS) == "TD"
    assert follow("9S TD QD", "AH", advice.WIN_CHEAPLY) == "9S"
    assert follow("9S TS", "KH", advice.WIN_CHEAPLY) == "9S"  # it has nothing else
    assert follow("9S TD QD", "KH", advice.WIN_CHEAPLY, sitting_out=PARTNER) == "9S"  # nobody else can win it
    assert follow("JS TS TD", "9S", advice.WIN_CHEAPLY) == "TS"  # a trump led is followed


def test_other_tricks_are_won_as_cheaply_as_can_be():
    assert follow("AH KH 9H", "TH JH QH", advice.WIN_CHEAPLY) == "KH"
    assert follow("9S TS QD", "TH JH QH", advice.WIN_CHEAPLY) == "9S"


def test_where_it_cannot_win_it_throws_away_the_only_card_of_a_suit():
    assert follow("9S TD QD KC", "JH JC", advice.CANNOT_WIN, trump="C") == "9S"  # no trump: its lowest
    assert follow("TD QD KH 9S", "TC JS", advice.CANNOT_WIN) == "KH"  # the nine is a trump that cannot win
    assert follow("TD QD KH", "TC JS", advice.CANNOT_WIN, upcard="9H") == "TD"


# The player


def test_every_tip_is_on_the_page_with_its_source():
    page = (ROOT / "docs" / "tips.md").read_text()
    for tip in TIPS.values():
        assert f" | {tip.advice} | {tip.source} |" in page


@pytest.mark.compiled
def test_every_tip_is_followed_in_seeded_deals():
    followed = set()
    for rules in (*PRESETS.values(), HouseRules(stick_the_dealer=True, defend_alone="always")):
        tables = Tables(400, rules, seed=3, num_episodes=400)
        player = load("tips", seed=1)
        while len(tables):
            views = tables.views()
            followed |= {int(decide(view).rule) for view in views[:40].view(np.recarray)}
            keys = tables.decision_keys(0)
            passes = (views["legal"] >> PASS_ID & 1 == 1) & (keys % 3 == 0)  # or the eldest hand would name next
            tables.step(np.where(passes, PASS_ID, player.act_views(views, keys)))
    assert followed == set(TIPS) - {advice.MUST_DEFEND_ALONE}  # which takes a narrower mask
