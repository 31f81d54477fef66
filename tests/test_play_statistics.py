"""Statistics of the games of one player, two or four: counts that can be checked by hand."""

from math import isnan

import numpy as np
import pytest
from support.players import Answers, HighestLegal, OneAtATime

from euchre_agents import RandomPolicy, RuleBot
from euchre_env.actions import DEFEND_ALONE_ID, ORDER_UP_ID, PASS_ID
from euchre_eval import play_statistics
from euchre_eval.game_statistics import REFERENCE
from euchre_eval.playing import EndlessGameError

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays


class OrdersUp:
    """Orders up with its partner if legal, else plays the first legal action."""

    stateless = True

    def act(self, observation, action_mask):
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations, action_masks):
        lowest = np.argmax(action_masks, axis=1)
        return np.where(action_masks[:, ORDER_UP_ID] == 1, ORDER_UP_ID, lowest)


def test_a_player_that_orders_up_at_once_names_in_round_one():
    statistics = play_statistics(OrdersUp(), games=10)
    assert (statistics.named_round_one, statistics.named_round_two, statistics.thrown_in) == (1, 0, 0)
    assert statistics.alone == 0
    assert isnan(statistics.alone_swept)
    assert statistics.as_json()["alone_swept"] is None


def test_a_player_that_names_once_the_upcard_is_down_names_in_round_two():
    def names(observation, action_mask):
        return PASS_ID if action_mask[ORDER_UP_ID] else HighestLegal().act(observation, action_mask)

    statistics = play_statistics(Answers(names), games=5)
    assert (statistics.named_round_one, statistics.named_round_two, statistics.thrown_in) == (0, 1, 0)


def test_a_player_that_names_when_stuck_names_in_round_two(monkeypatch):
    def passes_while_it_may(observation, action_mask):
        return PASS_ID if action_mask[PASS_ID] else int(np.argmax(action_mask))

    statistics = play_statistics(Answers(passes_while_it_may), games=3, rules="midwest")
    assert (statistics.named_round_one, statistics.named_round_two, statistics.thrown_in) == (0, 1, 0)
    monkeypatch.setattr("euchre_eval.playing.MAX_DEALS", 20)
    with pytest.raises(EndlessGameError, match="a game of Answers"):
        play_statistics(Answers(passes_while_it_may), games=1)


def test_a_player_that_always_goes_alone_is_counted_alone():
    statistics = play_statistics(HighestLegal(), games=10)
    assert statistics.alone == 1
    assert statistics.alone_swept == statistics.makers_5


@pytest.mark.parametrize("rules", ["standard", "british", "tournament,no_ace_no_face=next_dealer"])
def test_shares_of_a_whole_add_up_to_one(rules):
    statistics = play_statistics(RuleBot("easy", seed=0), games=30, rules=rules)
    assert statistics.named_round_one + statistics.named_round_two + statistics.thrown_in == pytest.approx(1)
    assert statistics.makers_3_or_4 + statistics.makers_5 + statistics.euchred == pytest.approx(1)
    assert statistics.deals_per_game_median <= statistics.deals_per_game_p90
    assert statistics.reneges == 0


def test_renegers_lose_every_game_in_five_deals():
    def raises(observation, action_mask):
        raise RuntimeError("out of ideas")

    statistics = play_statistics(Answers(raises), games=4)
    # The eldest hand reneges in every deal, so the teams take turns: 2 points each to 10 are 9 deals.
    assert (statistics.deals, statistics.reneges) == (4 * 9, 4 * 9)
    assert (statistics.deals_per_game_median, statistics.deals_per_game_p90) == (9, 9)
    assert statistics.thrown_in == 0
    assert isnan(statistics.euchred)


def test_statistics_do_not_depend_on_the_batch_size():
    one, seven, all_at_once = (play_statistics(RandomPolicy(seed=0), games=15, batch_size=size) for size in (1, 7, 99))
    assert one == seven == all_at_once
    assert np.array_equal(one.counts, seven.counts)
    assert np.array_equal(one.counts, all_at_once.counts)
    bot = RuleBot(seed=0)
    assert play_statistics(bot, games=5, names="A") == play_statistics(OneAtATime(bot), games=5, names="A")


def test_mixed_tables_do_not_depend_on_how_players_are_asked():
    bot, easy = RuleBot(seed=0), RuleBot("easy", seed=0)
    batched = play_statistics(bot, easy, games=5, names="AB")
    one_at_a_time = play_statistics(OneAtATime(bot), easy, games=5, names="AB")
    assert batched == one_at_a_time
    assert np.array_equal(batched.counts, one_at_a_time.counts)


def test_each_player_of_a_mixed_table_has_its_own_calls():
    def passes_while_it_may(observation, action_mask):
        return PASS_ID if action_mask[PASS_ID] else int(np.argmax(action_mask))

    never = Answers(passes_while_it_may)
    statistics = play_statistics(never, never, OrdersUp(), never, games=4, names="ABCD")
    calls = [style["calls.all"].value for style in statistics.styles()]
    assert calls == [0, 0, 1, 0]
    caller = statistics.styles()[2]
    assert caller["calls.all"].of == statistics.deals  # it calls once in each deal, whoever deals
    assert (statistics.named_round_one, statistics.named_round_two) == (1, 0)


def test_two_copies_of_one_player_do_not_differ():
    # In the second play everybody holds what the other team held, and pure players repeat it action by action.
    statistics = play_statistics(RuleBot(seed=0), RuleBot(seed=0), games=20, names="AB")
    assert np.array_equal(statistics.counts[:, 0], statistics.counts[:, 1])
    assert {measured.value for measured in statistics.difference().values() if measured.of} == {0}


def test_games_apart_are_compared_game_by_game():
    bot, easy = (play_statistics(player, games=20) for player in (RuleBot(seed=0), RuleBot("easy", seed=0)))
    difference = bot.difference(easy)["calls.all"]
    ours, theirs = (statistics.styles()[0]["calls.all"] for statistics in (bot, easy))
    assert difference.value == ours.value - theirs.value
    assert difference.se < ours.se + theirs.se
    with pytest.raises(ValueError, match="a difference needs 2 players or more, not 1"):
        bot.difference()
    with pytest.raises(ValueError, match="as many games of both, not 20 and 3"):
        bot.difference(play_statistics(RuleBot(seed=0), games=3))


def test_the_games_and_the_styles_count_the_same_deals():
    statistics = play_statistics(RuleBot("easy", seed=0), games=20, rules="british")
    (style,) = statistics.styles()
    assert style["march.all"].value == statistics.makers_5
    assert style["euchred.all"].value == statistics.euchred
    assert style["alone.all"].value == statistics.alone
    assert style["swept.all"].value == statistics.alone_swept
    assert style["calls.benny"].value == 1
    assert style["deal.own"].of == style["deal.other"].of == style["deal.advantage"].of == statistics.deals
    assert style["deal.own"].value == -style["deal.other"].value == style["deal.advantage"].value


class OrdersUpAndReneges(OrdersUp):
    """Orders up, and now and then wants to defend alone, which is a renege."""

    def act_batch(self, observations, action_masks):
        answers = super().act_batch(observations, action_masks)
        return np.where(observations.sum(axis=1) % 40 == 0, DEFEND_ALONE_ID, answers)


def test_reneged_deals_have_no_style():
    statistics = play_statistics(OrdersUpAndReneges(), games=10)
    assert 0 < statistics.reneges < statistics.deals
    (style,) = statistics.styles()
    played_out = statistics.deals - statistics.reneges
    assert style["calls.all"].of == style["lead.opening.maker.ace"].of == played_out  # the eldest hand always calls
    assert style["deal.own"].of == played_out


@pytest.mark.parametrize("players", ["AB", "ABCD"])
def test_a_deal_counts_once_for_each_player_of_a_mixed_table(players):
    statistics = play_statistics(*(RuleBot(seed=0) for _ in players), games=10, names=players)
    for style in statistics.styles():
        assert style["deal.advantage"].of == style["deal.own"].of + style["deal.other"].of == statistics.deals


@pytest.mark.parametrize("number", [0, 3, 5])
def test_another_number_of_players_is_refused(number):
    with pytest.raises(ValueError, match=f"one player, two, or four, one for each seat; {number} came"):
        play_statistics(*[RuleBot(seed=0)] * number)


def test_as_many_names_as_players_are_needed():
    with pytest.raises(ValueError, match="2 players need as many names"):
        play_statistics(RuleBot(seed=0), RuleBot(seed=0), names=["A"])


def test_the_length_of_games_is_counted_in_deals():
    statistics = play_statistics(RuleBot(seed=0), games=1, rules="standard,points_to_win=1")
    assert statistics.deals == statistics.deals_per_game_median == statistics.deals_per_game_p90


def test_progress_ends_with_the_last_game():
    told = []
    play_statistics(RuleBot(seed=0), games=12, batch_size=5, progress=lambda *what: told.append(what))
    assert told[-1] == ("games", 12, 12)
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})


@pytest.mark.parametrize("rules", REFERENCE)
def test_published_shares_of_a_whole_add_up_to_one(rules):
    published = REFERENCE[rules]
    assert published.named_round_one + published.named_round_two + published.thrown_in == pytest.approx(1)
    assert published.makers_3_or_4 + published.makers_5 + published.euchred == pytest.approx(1)


@pytest.mark.parametrize("arguments", [{"games": 0}, {"games": True}, {"seed": -1}, {"batch_size": 0}, {"rules": "x"}])
def test_an_impossible_argument_is_refused(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        play_statistics(RuleBot(seed=0), **arguments)
