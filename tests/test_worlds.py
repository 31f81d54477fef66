"""A view and its hidden cards make a deal to play on, whose view is the same view; impossible cards are refused."""

import random
import re
from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from support.hidden_worlds import DISCARD, KITTY, cards_as_dealt, hidden_cards, redealt
from support.rules import RULE_SETS
from support.tables import ANY_RULES, SEEDS, choose, play, table_with

from euchre_env.actions import actions_in
from euchre_env.cards import NO_CARD, SUITS, parse_card
from euchre_env.deal import DEAL, NOBODY, OVER, SEATS, legal_actions
from euchre_env.deal_text import actions_so_far
from euchre_env.game import GAME, NO_TEAM, game_winner
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import as_records, records, row
from euchre_env.relative_suits import frame_of, relabel_card, relabel_cards, relabel_view
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, VIEW, make_view
from euchre_env.worlds import deal_of_world, games_of_worlds, hand_size, hides_discard, lay_world, scores_of

EACH_RULE_SET = pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)


def any_table(rules, seed, rng):
    """A single deal of `seed`, in a game with a random score at which it is not won."""
    while True:
        scores = np.array([rng.randrange(rules.points_to_win + 3) for _ in range(2)])
        if game_winner(scores, row(rules.packed())) == NO_TEAM:
            return Table(rules, seed=seed, scores=tuple(scores.tolist()), one_deal=True)


def decisions(rules, seed, rng):
    """The table at every decision of one deal of random play."""
    table = any_table(rules, seed, rng)
    while not table.is_over:
        yield table
        table.step(choose(table, rng))


def as_world(deal, viewer):
    """`deal` with seats counted from `viewer`: the expected world of its view and its hidden cards."""
    world = row(as_records(np.array([deal], DEAL)))
    for name in ("hands", "voids"):
        world[name] = np.roll(deal[name], -viewer)
    world.played = np.roll(deal.played, -viewer, axis=1)
    for name in ("dealer", "turn", "maker", "lone_defender"):
        world[name] = deal[name] if deal[name] == NOBODY else (deal[name] - viewer) % 4
    world.leaders = [seat if seat == NOBODY else (seat - viewer) % 4 for seat in deal.leaders.tolist()]
    world.sitting_out = sum(1 << (seat - viewer) % 4 for seat in SEATS if deal.sitting_out >> seat & 1)
    world.tricks = deal.tricks if viewer % 2 == 0 else deal.tricks[::-1]
    return world


def hidden_from(deal, viewer):
    """The hands, the kitty and the discard hidden from `viewer`; the discard is None if there is none."""
    sets: dict[object, int] = defaultdict(int)
    for card, place in hidden_cards(deal, viewer).items():
        sets[place] |= 1 << card
    hands = [sets[(viewer + seat) % 4] for seat in (LEFT, PARTNER, RIGHT)]
    return hands, sets[KITTY], sets[DISCARD].bit_length() - 1 if sets[DISCARD] else None


def laid(view, hands, kitty, discard):
    """The world that the kernel writes, over a record that is not blank."""
    deal = row(as_records(np.full(1, 3, DEAL)))
    lay_world(view, np.array(hands), kitty, NO_CARD if discard is None else discard, deal)
    return deal


def view_of(deal, view):
    """The view of seat 0 in a world of `view`."""
    seen = row(records(1, VIEW))
    make_view(deal, np.array(scores_of(view)), view.rules, ME, seen)
    return seen


def check_world(view, hidden, expected):
    """Check that the function and the kernel make the world `expected` of `view` and these hidden cards."""
    world = deal_of_world(view, *hidden)
    assert world.tobytes() == expected.tobytes()
    assert laid(view, *hidden).tobytes() == expected.tobytes()
    assert view_of(world, view).tobytes() == view.tobytes()
    return world


def check_true_cards(rules, seed):
    rng = random.Random(seed)
    for table in decisions(rules, seed, rng):
        for viewer in SEATS:
            view, hidden = table.view(viewer), hidden_from(table.deal, viewer)
            world = check_world(view, hidden, as_world(table.deal, viewer))
            assert actions_in(legal_actions(world, view.rules)) == table.legal_actions()
            assert hides_discard(view) == (hidden[2] is not None)
            assert [hand_size(view, seat) for seat in SEATS] == [bin(hand).count("1") for hand in world.hands]


@EACH_RULE_SET
def test_the_view_of_a_world_is_the_view_it_was_made_from(rules):
    for seed in range(3):
        check_true_cards(rules, seed)


@pytest.mark.compiled
@settings(max_examples=30)
@given(ANY_RULES, SEEDS)
def test_the_view_of_a_world_is_its_view_under_any_house_rules(rules, seed):
    check_true_cards(rules, seed)


@settings(max_examples=20)
@given(ANY_RULES, SEEDS)
def test_a_world_of_redealt_cards_is_the_redealt_deal(rules, seed):
    rng = random.Random(seed)
    for table in decisions(rules, seed, rng):
        for viewer in SEATS:
            other = redealt(table, viewer, rng).deal
            check_world(table.view(viewer), hidden_from(other, viewer), as_world(other, viewer))


@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_play_in_a_world_goes_as_at_the_table_it_was_made_from(rules, seed):
    """Play from one position in the worlds of all four seats at once."""
    rng = random.Random(seed)
    table = rng.choice([table.clone() for table in decisions(rules, seed, rng)])
    views = [table.view(viewer) for viewer in SEATS]
    games = [games_of_worlds(views[v], [deal_of_world(views[v], *hidden_from(table.deal, v))]) for v in SEATS]
    tables = Tables(positions=np.concatenate(games), rules=HouseRules.unpacked(views[0].rules))
    while True:
        for viewer, (world, scores) in enumerate(zip(tables.deals(), tables.scores, strict=True)):
            for seat in SEATS:
                seen = row(records(1, VIEW))
                make_view(row(as_records(np.array([world], DEAL))), scores, views[0].rules, (seat - viewer) % 4, seen)
                assert seen.tobytes() == table.view(seat).tobytes()
        action = choose(table, rng)
        table.step(action)
        results = tables.step(np.full(len(SEATS), action))
        if table.is_over:
            break
    assert table.last_result is not None
    assert results["episode"].size == len(SEATS)
    for result in results:
        viewer, points = result["episode"], table.last_result.points.tolist()
        assert result["points"].tolist() == (points if viewer % 2 == 0 else points[::-1])


@settings(max_examples=20)
@given(ANY_RULES, SEEDS)
def test_a_view_in_relative_suits_gives_the_world_in_relative_suits(rules, seed):
    rng = random.Random(seed)
    for table in decisions(rules, seed, rng):
        for viewer in SEATS:
            view, (hands, kitty, discard) = table.view(viewer), hidden_from(table.deal, viewer)
            frame = rng.choice([frame_of(view), *SUITS])
            relabel_view(view, frame)
            hands, kitty = [relabel_cards(hand, frame) for hand in hands], relabel_cards(kitty, frame)
            world = deal_of_world(view, hands, kitty, relabel_card(NO_CARD if discard is None else discard, frame))
            assert view_of(world, view).tobytes() == view.tobytes()
            own = relabel_cards(table.deal.hands[viewer], frame)
            assert world.hands.tolist() == [own, *hands]


# Hidden cards that fit, and those that do not


def could_have_been_dealt(deal, rules):
    """Whether the cards of `deal` can be dealt to a fresh table on which all of its actions are legal."""
    try:
        table = Table(rules, dealer=int(deal.dealer), cards=cards_as_dealt(deal), one_deal=True)
        for action in actions_so_far(deal):
            table.step(action)
    except ValueError:
        return False
    return table.deal.tobytes() == deal.tobytes()


def with_cards_swapped(hidden, rng):
    """The hidden cards with a few of them swapped at random."""
    hands, kitty, discard = hidden
    places = [*hands, kitty, 0 if discard is None else 1 << discard]
    for _ in range(rng.randrange(1, 4)):
        a, b = (rng.choice([(i, c) for i, place in enumerate(places) for c in actions_in(place)]) for _ in range(2))
        if a[0] != b[0]:
            for i, _ in (a, b):
                places[i] ^= 1 << a[1] | 1 << b[1]
    return places[:3], places[3], places[4].bit_length() - 1 if places[4] else None


def is_accepted(view, hidden):
    try:
        deal_of_world(view, *hidden)
    except ValueError:
        return False
    return True


def verdicts(rules, seed):
    """Whether swapped cards are accepted at each decision of a deal; each answer is checked against a replay."""
    rng = random.Random(seed)
    for table in decisions(rules, seed, rng):
        for viewer in SEATS:
            view = table.view(viewer)
            hidden = with_cards_swapped(hidden_from(table.deal, viewer), rng)
            accepted = is_accepted(view, hidden)
            assert accepted == could_have_been_dealt(laid(view, *hidden), table.rules), (table.phase, viewer, hidden)
            yield accepted


@EACH_RULE_SET
def test_cards_are_accepted_exactly_when_they_could_have_been_dealt(rules):
    met = [accepted for seed in range(3) for accepted in verdicts(rules, seed)]
    assert 20 < sum(met) < len(met) - 20


@pytest.mark.compiled
@settings(max_examples=30)
@given(ANY_RULES, SEEDS)
def test_cards_are_accepted_as_they_could_be_dealt_under_any_house_rules(rules, seed):
    for _ in verdicts(rules, seed):
        pass


HANDS = ("9S TH JC QD KS", "AC KC TD 9D AS", "QH KH JD 9C TC", "JH QC AD KD TS")
FIRST_TRICKS = (
    "order up, 9S, 9D, JD, KD, QD, TS, KS, AS, 9C"  # seat 0 takes JS and discards 9S; seat 2 follows no spade
)
TRUE_CARDS = {"left": "QH KH TC", "partner": "JH QC AD", "right": "TH JC JS", "kitty": "9H AH QS", "discard": "9S"}


def in_play(rules="standard"):
    """A position before the third trick; seat 1 is to lead and the dealer is at its right."""
    return play(table_with(HANDS, upcard="JS", kitty="9H AH QS", rules=rules), FIRST_TRICKS)


def card_set(names):
    return sum(1 << parse_card(name) for name in names.split())


def guess(cards):
    hands = [card_set(cards[place]) for place in ("left", "partner", "right")]
    return hands, card_set(cards["kitty"]), parse_card(cards["discard"]) if cards.get("discard") else None


def refusal(view, *hidden):
    with pytest.raises(ValueError, match=r"\w") as caught:
        deal_of_world(view, *hidden)
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": "QH KH"}, "the number of cards in the hand of LEFT must be 3 here, not 2: QH KH"),
        ({"partner": ""}, "the number of cards in the hand of PARTNER must be 3 here, not 0: none"),
        ({"right": "TH JC JS 9S"}, "the number of cards in the hand of RIGHT must be 3 here, not 4: JC TH 9S JS"),
        ({"kitty": "9H AH"}, "the number of cards in the kitty must be 3 here, not 2: 9H AH"),
        ({"discard": None}, "the dealer has discarded a card that the view hides; the world needs a discard"),
        ({"left": "QH KH KC"}, "KC is in two places: the hand of ME and the hand of LEFT"),
        ({"partner": "JH QC QH"}, "QH is in two places: the hand of LEFT and the hand of PARTNER"),
        ({"kitty": "9H AH QC"}, "QC is in two places: the hand of PARTNER and the kitty"),
        ({"kitty": "9H AH JD"}, "JD is in two places: the kitty and the cards played"),
        ({"discard": "AH"}, "AH is in two places: the kitty and the discard"),
        ({"discard": "KD"}, "KD is in two places: the cards played and the discard"),
        ({"left": "QH KH 2S"}, "2S is in the pack only under the house rule benny, and not in the hand of LEFT"),
        (
            {"left": "QH KH QS", "kitty": "9H AH TC"},
            "QS cannot be in the hand of LEFT: LEFT has failed to follow spades",
        ),
        (
            {"left": "QH KH JC", "right": "TH TC JS"},
            "JC cannot be in the hand of LEFT: LEFT has failed to follow spades",
        ),
        (
            {"right": "TH JC QS", "kitty": "9H AH JS"},
            "JS, the upcard that RIGHT took, must be in the hand of RIGHT or be the discard",
        ),
        (
            {"partner": "JH QC JS", "right": "TH JC AD"},
            "JS, the upcard that RIGHT took, must be in the hand of RIGHT or be the discard",
        ),
    ],
)
def test_hidden_cards_that_contradict_the_view_are_refused(changes, message):
    view = in_play().view(1)
    assert is_accepted(view, guess(TRUE_CARDS))
    assert refusal(view, *guess(TRUE_CARDS | changes)) == message


def test_the_upcard_is_the_discard_only_where_the_dealer_may_discard_it():
    discarded = {"right": "TH JC 9S", "discard": "JS"}
    assert is_accepted(in_play().view(1), guess(TRUE_CARDS | discarded))
    view = in_play("standard,discard_upcard=false").view(1)
    assert is_accepted(view, guess(TRUE_CARDS))
    message = refusal(view, *guess(TRUE_CARDS | discarded))
    assert message == "the discard cannot be JS, the upcard, under discard_upcard=false"
    message = refusal(view, *guess(TRUE_CARDS | {"right": "TH JC QS", "kitty": "9H AH JS"}))
    assert message == "JS, the upcard that RIGHT took, must be in the hand of RIGHT"


def test_a_dealer_knows_its_own_discard():
    view = in_play().view(0)
    cards = {"left": "AC KC TD", "partner": "QH KH TC", "right": "JH QC AD", "kitty": "9H AH QS"}
    assert deal_of_world(view, *guess(cards)).discard == parse_card("9S")
    assert refusal(view, *guess(cards | {"discard": "9S"})) == "the view hides no discard; leave 9S out"
    assert refusal(view, *guess(cards | {"kitty": "9H AH 9S"})) == "9S is in two places: the kitty and the discard"


def test_an_upcard_that_nobody_took_is_nowhere_else():
    view = table_with(HANDS, upcard="JS", kitty="9H AH QS").view(1)
    cards = {"left": HANDS[2], "partner": HANDS[3], "right": HANDS[0], "kitty": "9H AH QS"}
    assert is_accepted(view, guess(cards))
    message = refusal(view, *guess(cards | {"kitty": "9H AH JS"}))
    assert message == "JS is in two places: the kitty and the upcard's place"
    assert refusal(view, *guess(cards | {"discard": "9S"})) == "the view hides no discard; leave 9S out"


def test_a_dealer_who_is_to_discard_holds_six_cards_with_the_upcard():
    view = play(table_with(HANDS, upcard="JS", kitty="9H AH QS"), "order up").view(1)
    cards = {"left": HANDS[2], "partner": HANDS[3], "right": HANDS[0], "kitty": "9H AH QS"}
    message = refusal(view, *guess(cards))
    assert message == "the number of cards in the hand of RIGHT must be 6 here, not 5: JC QD TH 9S KS"
    message = refusal(view, *guess(cards | {"right": HANDS[0] + " AH", "kitty": "9H JS QS"}))
    assert message == "JS, the upcard that RIGHT took, must be in the hand of RIGHT"
    assert is_accepted(view, guess(cards | {"right": HANDS[0] + " JS"}))


def test_no_hand_as_dealt_is_one_that_had_to_be_dealt_again():
    hands = ("AC AD AH AS KS", "KC 9C 9D TC 9H", "KD TD 9S TS QC", "KH TH JC QD QH")
    low = {"left": "TD 9C 9D TC 9H", "partner": "KD KC 9S TS QC", "right": hands[3], "kitty": "JD QS JH"}
    for rules, message in (
        ("standard", None),
        (
            "standard,no_ace_no_face=same_dealer",
            "LEFT cannot have been dealt 9C TC 9D TD 9H: under no_ace_no_face that is dealt again",
        ),
    ):
        view = table_with(hands, upcard="JS", kitty=low["kitty"], rules=rules).view(0)
        assert is_accepted(view, guess(low)) if message is None else refusal(view, *guess(low)) == message


def test_the_kitty_has_four_cards_with_the_benny():
    table = table_with(rules="british")
    hands, kitty, discard = hidden_from(table.deal, 0)
    assert is_accepted(table.view(0), (hands, kitty, discard))
    message = refusal(table.view(0), hands, kitty & kitty - 1, discard)
    assert message.startswith("the number of cards in the kitty must be 4 here, not 3: ")


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        (([1, 2], 4), "hands must be the card sets of LEFT, PARTNER and RIGHT, not [1, 2]"),
        ((7, 4), "hands must be the card sets of LEFT, PARTNER and RIGHT, not 7"),
        (([1, 2, 1 << 25], 4), "the hand of RIGHT must be a whole number from 0 to 33554431, not 33554432"),
        (([1, "9H", 3], 4), "the hand of PARTNER must be a whole number from 0 to 33554431, not '9H'"),
        (([1, 2, 3], -1), "the kitty must be a whole number from 0 to 33554431, not -1"),
        (([1, 2, 3], 4, 26), "the discard must be a whole number from 0 to 25, not 26"),
    ],
)
def test_hidden_cards_that_are_no_card_sets_are_refused(hidden, message):
    assert refusal(in_play().view(1), *hidden) == message


def test_a_deal_that_is_over_and_what_is_no_view_give_no_world():
    table = Table(seed=1, one_deal=True)
    while not table.is_over:
        table.step(table.legal_actions()[0])
    message = refusal(table.view(1), *hidden_from(table.deal, 1))
    assert message == "the deal of the view is over, so there is nothing to play on"
    assert refusal(None, [1, 2, 3], 4) == "a view must be a record of dtype VIEW, not None"
    assert refusal(table.deal, [1, 2, 3], 4).startswith("a view must be a record of dtype VIEW, not ")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("turn", NOBODY, "a field holds a value that it never takes"),
        ("trump", 77, "a field holds a value that it never takes"),
        ("maker", NOBODY, "its bids and tricks do not lead to its hands"),
        ("num_played", 2, "its bids and tricks do not lead to its num_played"),
        ("hand", 1 << 5, "its hands, upcard and kitty are not the cards of the pack, each once, five to a hand"),
        ("legal", 1, "its legal contradicts its other fields"),
        ("discard", 18, "its discard contradicts its other fields"),
    ],
)
def test_a_view_that_contradicts_itself_gives_no_world(field, value, message):
    view, cards = in_play().view(1), guess(TRUE_CARDS)
    view[field] = value
    assert refusal(view, *cards) == f"the view is not one of a deal in progress: {message}"


# Scores and games


def view_with(needed, **rules):
    view = row(records(1, VIEW))
    view.rules = row(HouseRules(**rules).packed())
    view.needed = needed
    return view


def needed_with(scores, view):
    """The points needed in the view that `make_view` makes with these scores and the rules of `view`."""
    seen, deal = row(records(1, VIEW)), row(records(1, DEAL))
    deal.phase, deal.turn = OVER, NOBODY
    make_view(deal, np.array(scores), view.rules, ME, seen)
    ours, theirs = seen.needed
    return int(ours), int(theirs)


@pytest.mark.parametrize("win_by", [1, 2])
@pytest.mark.parametrize("target", [1, 2, 3, 10, 99])
def test_scores_leave_the_points_that_the_view_needs(target, win_by):
    """Every score near the target, including won games, and a few scores far from it."""
    near = range(max(target - 6, 0), target + 7)
    for scores in [*product(near, repeat=2), (0, 0), (0, target - 1), (target + 150, 0), (0, target + 150)]:
        view = view_with((0, 0), points_to_win=target, win_by=win_by)
        needed = needed_with(scores, view)
        view.needed = needed
        assert needed_with(scores_of(view), view) == needed, scores
        if scores == (0, 0):
            assert scores_of(view) == (0, 0)


@pytest.mark.parametrize(("target", "win_by"), [(1, 2), (3, 1), (3, 2), (10, 2)])
def test_scores_that_need_the_same_points_go_on_alike(target, win_by):
    view = view_with((0, 0), points_to_win=target, win_by=win_by)
    after = defaultdict(set)
    for ours, theirs in product(range(target + 8), repeat=2):
        needed = needed_with((ours, theirs), view)
        if 0 not in needed:
            scored = [(points, 0) for points in range(5)] + [(0, points) for points in range(5)]
            after[needed].add(tuple(needed_with((ours + a, theirs + b), view) for a, b in scored))
    assert after
    assert all(len(futures) == 1 for futures in after.values())


@pytest.mark.parametrize(
    ("needed", "rules"),
    [((0, 0), {}), ((11, 10), {}), ((1, 1), {"win_by": 2}), ((3, 0), {"win_by": 2, "points_to_win": 99})],
)
def test_points_that_no_scores_leave_are_refused(needed, rules):
    view = view_with(needed, **rules)
    message = f"no scores leave the teams {needed[0]} and {needed[1]} points to win with "
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        scores_of(view)


def test_a_game_past_its_target_gives_a_score_past_it():
    table = Table("standard,win_by=2", seed=1, scores=(11, 10))
    assert table.view(1).needed.tolist() == [3, 1]
    ours, theirs = scores_of(table.view(1))
    assert theirs - ours == 1
    assert theirs >= 9


def test_games_of_worlds_start_a_batch_at_the_position_of_the_view():
    table = in_play()
    view = table.view(1)
    world = deal_of_world(view, *guess(TRUE_CARDS))
    deals = np.array([world, laid(view, *guess(TRUE_CARDS)), as_world(table.deal, 1)])
    games = games_of_worlds(view, deals)
    assert games.dtype == GAME
    assert games["deal"].tobytes() == deals.tobytes()
    assert games["scores"].tolist() == [[0, 0]] * 3
    tables = Tables(positions=games)
    assert tables.episodes.tolist() == [0, 1, 2]
    assert [seen.tobytes() for seen in tables.views()] == [view.tobytes()] * 3
    assert len(games_of_worlds(view, [])) == 0


@pytest.mark.parametrize("deals", ["abc", [1, 2], np.zeros((2, 2), DEAL), np.zeros(2, GAME)])
def test_games_of_worlds_refuse_what_is_no_list_of_deals(deals):
    with pytest.raises(ValueError, match=r"^deals must be records of dtype DEAL, shape \(n,\), not "):
        games_of_worlds(in_play().view(1), deals)


def test_a_batch_of_views_gives_worlds_as_single_ones_do():
    """A row of `Tables.views` is a record without attributes."""
    games = as_records(np.array([in_play().record], GAME))
    view = Tables(positions=games).views()[0]
    assert deal_of_world(view, *guess(TRUE_CARDS)).tobytes() == laid(in_play().view(1), *guess(TRUE_CARDS)).tobytes()
    assert scores_of(view) == (0, 0)
