"""The deals of a match that swung most: they are the right ones, and their texts are what was played."""

import numpy as np
import pytest
from support.players import Answers, HighestLegal, LowestLegal

from euchre_agents import RandomPolicy, load
from euchre_env import Tables
from euchre_env.actions import ACTION_NAMES, PASS_ID, parse_action
from euchre_env.counter_rng import derived_seed
from euchre_env.deal_text import parse_deal_text
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import PLAYER
from euchre_eval import play_match, workers
from euchre_eval.dataset import load_dataset, record
from euchre_eval.playing import PlayPart, match_parts
from euchre_eval.seated_players import SeatedPlayers
from euchre_eval.swings import MOST_ACTIONS, NUM_SWINGS, dealt_table, most_swinging
from euchre_eval.tournament import play_tournament
from euchre_eval.tournament_plan import Plan

pytestmark = pytest.mark.compiled  # plays hundreds of deals

# Rules under which a deal has the most actions of all, and many that are dealt again.
LONG = "british,stick_the_dealer=true,defend_alone=always,no_ace_no_face=next_dealer,super_euchre=true"


def names_of_actions(text):
    """The actions of a deal text, in order."""
    _, _, actions = text.partition("/actions=")
    return [
        parse_action(name.replace("_", " ")) for name in actions.partition("/")[0].replace(",", ".").split(".") if name
    ]


def margin_of(text, place):
    """The points of a complete play for the first team less those of the other."""
    result = parse_deal_text(text).last_result
    assert result is not None
    points = result.points.tolist()
    return points[place] - points[1 - place]


@pytest.fixture(scope="module", params=["standard", LONG])
def match(request):
    return play_match(RandomPolicy(seed=1), load("rules", seed=2), deals=400, seed=5, rules=request.param)


def test_no_other_deal_swung_more(match):
    margins = np.round(2 * match.margins).astype(int)
    order = sorted(range(400), key=lambda deal: (-margins[deal], deal))
    backwards = sorted(range(400), key=lambda deal: (margins[deal], deal))
    expected = [deal for deal in order[:NUM_SWINGS] if margins[deal] > 0]
    expected += [deal for deal in backwards[:NUM_SWINGS] if margins[deal] < 0]
    assert [swing.deal for swing in match.swings] == expected
    assert [swing.margin for swing in match.swings] == [margins[deal] for deal in expected]
    assert {np.sign(swing.margin) for swing in match.swings} == {1, -1}


def test_the_texts_come_to_the_points_that_were_counted(match):
    for swing in match.swings:
        assert (margin_of(swing.texts[0], 0), margin_of(swing.texts[1], 1)) == swing.margins


def test_the_texts_begin_with_the_cards_of_the_seed(match):
    for swing in match.swings:
        table = dealt_table(parse_rules(match.rules), match.seed, swing.deal)
        for text in swing.texts:
            parsed = parse_deal_text(text.partition("/actions=")[0] + "/actions=/one_deal=true")
            assert parsed.deal.tobytes() == table.deal.tobytes()


@pytest.mark.parametrize("rules", ["standard", LONG])
def test_the_texts_are_the_decisions_of_the_players(tmp_path, rules):
    def players():
        return RandomPolicy(seed=1), load("rules", seed=2)

    match = play_match(*players(), deals=200, seed=5, rules=rules)
    record(*players(), file=tmp_path / "deals.npz", deals=200, seed=5, rules=rules)
    data = load_dataset(tmp_path / "deals.npz")
    assert match.swings
    for swing in match.swings:
        for play, text in enumerate(swing.texts):
            mine = data.actions[(data.deals == swing.deal) & (data.plays == play)]
            assert names_of_actions(text) == mine.tolist()


def test_a_deal_has_no_more_actions_than_are_kept():
    tables, most = Tables(1000, LONG, seed=1, num_episodes=5000), 0
    while len(tables):
        most = max(most, int(tables.num_actions.max()) + 1)
        tables.step_at_random(seed=1)
    assert 5 * 4 + 6 < most <= MOST_ACTIONS


@pytest.mark.parametrize("arguments", [{"batch_size": 1}, {"batch_size": 7}, {"workers": 2}])
def test_batches_and_workers_change_nothing(monkeypatch, arguments):
    monkeypatch.setattr(workers, "START_AFTER", 0.0)
    alone = play_match(load("random", 1), load("rules", 2), deals=300, seed=5)
    assert play_match(load("random", 1), load("rules", 2), deals=300, seed=5, **arguments).swings == alone.swings


def test_players_that_must_be_copied_have_swings_too():
    match = play_match(LowestLegal(), HighestLegal(), deals=60, seed=3)
    for swing in match.swings:
        assert (margin_of(swing.texts[0], 0), margin_of(swing.texts[1], 1)) == swing.margins
    assert match.swings == play_match(HighestAndLowest(), HighestLegal(), deals=60, seed=3).swings


class HighestAndLowest:
    """Decides as `LowestLegal` does, in batches."""

    stateless = True

    def act(self, observation, action_mask):
        return int(np.argmax(action_mask))


def test_a_player_against_itself_swings_nothing():
    assert play_match(load("rules", 1), load("rules", 1), deals=50).swings == ()


def test_games_do_not_change_the_swings():
    players = load("rules", 1), load("easy", 2)
    assert play_match(*players, deals=80, games=5).swings == play_match(*players, deals=80).swings


def test_a_play_that_a_renege_ended_has_the_actions_before_it():
    def never_leads(observation, mask):
        legal = np.flatnonzero(mask)
        return PASS_ID if mask[PASS_ID] else -1 if len(legal) == 5 else int(legal[0])

    match = play_match(Answers(never_leads), load("rules", 1), deals=40, seed=2)
    assert match.reneges[0] > 0
    cut_short = 0
    for swing in match.swings:
        for place, text in enumerate(swing.texts):
            table = parse_deal_text(text)
            if table.last_result is None:
                cut_short += 1
                assert table.turn is not None
                assert swing.margins[place] == -2
                assert (table.turn + place) % 2 == 0  # a seat of the first team, which sits at 1 and 3 in play two
    assert cut_short > 0


def test_a_part_of_batched_players_keeps_few_deals():
    seated = SeatedPlayers([load("random", 1), load("rules", 2)], ["random", "rules"], seed=0)
    part = match_parts("deal", 1000, are_batched=True)[1]
    plays = PlayPart(seated, parse_rules("standard"), 0, 4096)(part, lambda _what, _number: None)
    assert len(plays.kept.pairs) <= 2 * NUM_SWINGS
    assert set(plays.kept.pairs.tolist()) <= set(part.pairs)
    assert plays.kept.actions.shape == (2, len(plays.kept.pairs), MOST_ACTIONS)


def test_a_tournament_has_the_widest_swing_of_each_player(tmp_path):
    plan = Plan(("random", "rules", "easy"), deals=150, seed=3)
    result = play_tournament(plan, tmp_path / "tournament")
    for each in result.standings[0].meetings:
        names = [plan.players[each.one], plan.players[each.other]]
        match = play_match(*_loaded(names, 3), deals=150, seed=3)
        for_one, for_other = ([swing for swing in match.swings if swing.margin * sign > 0][:1] for sign in (1, -1))
        assert each.swings == (*for_one, *for_other)
    assert play_tournament(plan, tmp_path / "tournament") == result


def _loaded(names, seed):
    return [load(name, derived_seed(seed, PLAYER, place)) for place, name in enumerate(names)]


def test_the_first_of_equal_deals_come_first():
    assert most_swinging(np.array([0, 4, 4, -4, 4, -4, 1]), 2).tolist() == [1, 2, 3, 5]
    assert most_swinging(np.array([0, 0])).tolist() == []


def test_action_names_are_read_back():
    assert names_of_actions("rules=standard/actions=pass.order_up.AH,QH/one_deal=true") == [
        ACTION_NAMES.index(name) for name in ("pass", "order up", "AH", "QH")
    ]
