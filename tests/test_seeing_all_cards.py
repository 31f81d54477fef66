"""Players that see all cards: refused unless cheating is allowed, and marked in every report."""

import numpy as np
import pytest
from support.players import Answers

from euchre_agents import RuleBot
from euchre_env.actions import PASS_ID
from euchre_env.cards import cards_in, num_members
from euchre_env.deal import DEAL, DISCARD, FIRST_ROUND, PLAY, led_suit, legal_plays
from euchre_env.kernel import row
from euchre_eval import play_match, play_statistics
from euchre_eval.match_player import MatchPlayer

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays


class Oracle:
    """Passes, and plays its highest card by number. It reads its hand from the open deal; it has no `act`."""

    name, sees_all = "oracle", True

    def act_deals(self, deals, keys):
        assert deals.dtype == DEAL
        assert keys.dtype == np.int64
        assert len(deals) == len(keys)
        return [self.action(row(deals, i)) for i in range(len(deals))]

    def action(self, deal):
        if deal.phase == FIRST_ROUND:
            assert [num_members(hand) for hand in deal.hands] == [5] * 4
        hand = int(deal.hands[deal.turn])
        if deal.phase == DISCARD:
            return min(cards_in(hand))
        if deal.phase == PLAY:
            return max(cards_in(legal_plays(hand, led_suit(deal), deal.trump)))
        return PASS_ID


class RenegingOracle(Oracle):
    def action(self, deal):
        return -1


def play(*players, deals=20, **arguments):
    return play_match(*players, deals=deals, allow_cheating=True, **arguments)


@pytest.mark.parametrize("players", [(Oracle(), RuleBot(seed=0)), (RuleBot(seed=0), Oracle())])
def test_a_match_refuses_a_player_that_sees_all_cards(players):
    with pytest.raises(ValueError, match=r"player 'oracle' sees all cards.*allow_cheating=True"):
        play_match(*players, deals=1)


def test_statistics_refuse_a_player_that_sees_all_cards():
    with pytest.raises(ValueError, match=r"player 'oracle' sees all cards.*allow_cheating=True"):
        play_statistics(Oracle(), games=1)
    with pytest.raises(ValueError, match=r"player 'oracle' sees all cards.*allow_cheating=True"):
        MatchPlayer(Oracle(), "oracle", seed=0)


def test_where_cheating_is_allowed_it_is_asked_with_all_cards_open():
    result = play(Oracle(), RuleBot(seed=0))
    assert result.first_reneges == (None,) * 4
    assert result == play(Oracle(), RuleBot(seed=0), batch_size=1) == play(Oracle(), RuleBot(seed=0), time_limit=1e9)


def test_every_line_of_a_report_says_who_sees_all_cards():
    for players in [(RenegingOracle(), RuleBot(seed=0)), (RuleBot(seed=0), RenegingOracle())]:
        result = play(*players, games=1)
        lines = str(result).splitlines()
        assert len(lines) == 4  # points, games, and reneges at two places
        assert all(line.count("oracle (sees all cards)") == 1 for line in lines)
        assert "rules (sees all cards)" not in str(result)


def test_a_result_as_json_lists_the_players_that_see_all_cards():
    assert play(Oracle(), RuleBot(seed=0)).as_json()["sees_all"] == [0]
    bots = [RuleBot(seed=0)] * 3
    assert play(*bots, Oracle(), deals=1).as_json()["sees_all"] == [3]
    assert str(play(*bots, Oracle(), deals=1)).startswith("rules and rules against rules and oracle (sees all cards): ")


def test_permission_to_cheat_marks_nobody_who_does_not():
    honest, allowed = (
        play_match(RuleBot(seed=0), RuleBot(seed=0), deals=5),
        play(RuleBot(seed=0), RuleBot(seed=0), deals=5),
    )
    assert honest == allowed
    assert honest.as_json()["sees_all"] == []
    assert "sees all" not in str(honest)


def test_statistics_say_which_players_see_all_cards():
    statistics = play_statistics(RenegingOracle(), games=2, allow_cheating=True)
    assert statistics.as_json()["sees_all"] == [0]
    assert play_statistics(RuleBot(seed=0), games=2, allow_cheating=True).as_json()["sees_all"] == []
    mixed = play_statistics(RuleBot(seed=0), RenegingOracle(), games=2, allow_cheating=True)
    assert mixed.sees_all == (1,)
    assert mixed.names_in_reports == ["rules", "oracle (sees all cards)"]


def test_a_player_must_both_declare_and_answer_with_all_cards_open():
    peeps = type("Peeps", (), {"act_deals": Oracle.act_deals, "act": Answers.act})()
    claims = Answers(lambda *_: PASS_ID)
    claims.sees_all = True  # type: ignore[attr-defined]
    for player in (peeps, claims):
        with pytest.raises(ValueError, match="must have both `sees_all = True` and a method act_deals"):
            play(player, RuleBot(seed=0))
