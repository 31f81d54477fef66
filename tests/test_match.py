"""Duplicate matches: the seats of the players, the samples, and a result that depends on the seed alone."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.players import HighestLegal, LowestLegal, OneAtATime, prepared

from euchre_agents import RandomPolicy, RuleBot, load
from euchre_env import __version__
from euchre_env.observation import decode
from euchre_env.random_streams import FIRST_GAME
from euchre_env.tables import Tables
from euchre_eval import play_match
from euchre_eval.intervals import share_of
from euchre_eval.match_player import MatchPlayer
from euchre_eval.playing import EndlessGameError, play

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays


class Diary:
    """Plays the lowest legal action and records each reset and each decision, in a list shared with all copies."""

    def __init__(self, name, book):
        self.name, self.book = name, book

    def __deepcopy__(self, memo):
        return Diary(self.name, self.book)

    def reset(self, seat, seed):
        self.book.append(("reset", self.name, seat, seed))

    def act(self, observation, action_mask):
        self.book.append(("act", self.name, int(decode(observation).hand)))
        return LowestLegal().act(observation, action_mask)


@pytest.mark.parametrize("player", [RuleBot(seed=0), HighestLegal(), OneAtATime(RuleBot(seed=0))])
def test_a_deterministic_player_scores_exactly_nothing_against_itself(player):
    result = play_match(player, player, deals=30, games=2)
    assert result.points_per_deal.mean == result.points_per_deal.se == 0
    assert result.games is not None
    assert (result.games.won, result.games.pairs) == (0.5, 2)


def test_changing_places_changes_the_sign_and_nothing_else():
    one = play_match(RuleBot(seed=0), HighestLegal(), deals=40, games=5)
    other = play_match(HighestLegal(), RuleBot(seed=0), deals=40, games=5)
    assert one.points_per_deal.mean == -other.points_per_deal.mean != 0
    assert one.points_per_deal.se == other.points_per_deal.se
    assert one.games is not None
    assert other.games is not None
    assert one.games.won == 1 - other.games.won
    assert (one.games.low, one.games.high) == pytest.approx((1 - other.games.high, 1 - other.games.low))


class Raises(LowestLegal):
    """Reneges at its first decision, so the other team wins every game without a card."""

    def act(self, observation, action_mask):
        raise RuntimeError("out of ideas")


def test_a_pair_of_games_counts_the_games_that_the_first_team_won():
    """Which game was won is read from the plays themselves, in the seating of each play."""
    players = [prepared(load("rules"), "A"), prepared(load("ppo"), "B")]  # both without random choices
    scores = np.zeros(30)
    for seating in (0, 1):
        seated = [players[(seat - seating) % 2] for seat in range(4)]
        tables = Tables(30, seed=0, episode="game", num_episodes=30, first_episode=FIRST_GAME)
        results = np.concatenate(list(play(tables, seated)))
        won = results[results["winner"] == seating]
        np.add.at(scores, won["episode"] - FIRST_GAME, 0.5)
    assert set(scores.tolist()) == {0, 0.5, 1}
    assert play_match(load("rules"), load("ppo"), deals=1, games=30).games == share_of(scores)


def test_a_player_that_loses_every_game_loses_every_pair():
    share = play_match(Raises(), RuleBot(seed=0), deals=1, games=3).games
    assert share is not None
    assert (share.won, share.low, share.pairs) == (0, 0, 3)
    assert share.high == pytest.approx(1 - 0.025 ** (1 / 3))


def test_two_players_are_four_of_which_partners_are_alike():
    bot, other = RuleBot(seed=0), HighestLegal()
    two, four = play_match(bot, other, deals=20), play_match(bot, other, bot, other, deals=20)
    assert two.players == ("rules", "HighestLegal")
    assert replace(four, players=two.players) == two


def test_everybody_moves_one_seat_to_the_left_for_the_second_play():
    book = []
    play_match(*(Diary(name, book) for name in "ABCD"), deals=3)
    resets = [(name, seat) for what, name, seat, *_ in book if what == "reset"]
    first = [("A", 0), ("B", 1), ("C", 2), ("D", 3)]
    second = [("D", 0), ("A", 1), ("B", 2), ("C", 3)]
    assert resets == 3 * first + 3 * second


def test_both_plays_of_a_deal_have_the_same_cards_and_dealer():
    book = []
    play_match(*(Diary(name, book) for name in "AB"), deals=5)
    starts = [i for i, entry in enumerate(book) if entry[0] == "reset" and entry[2] == 0]
    plays = [[entry[2] for entry in book[i:j] if entry[0] == "act"] for i, j in pairwise([*starts, len(book)])]
    assert len(plays) == 10
    assert plays[:5] == plays[5:]
    assert len({tuple(hands) for hands in plays}) == 5


def test_every_deal_of_a_game_begins_with_a_reset_and_a_seed_of_its_own():
    book = []
    players = [
        prepared(Diary("A", book), "A", seed=0),
        *(prepared(RuleBot(seed=0), "B", seat) for seat in (1, 2, 3)),
    ]
    deals = np.concatenate(list(play(Tables(1, episode="game", num_episodes=2), players)))
    resets = [entry for entry in book if entry[0] == "reset"]
    assert len({seed for *_, seed in resets}) == len(resets) == len(deals) > 10


def test_a_player_with_a_reset_is_asked_one_decision_at_a_time():
    class Both(HighestLegal):
        asked, resets = 0, 0

        def reset(self, seat, seed):
            Both.resets += 1

        def act_batch(self, observations, action_masks):
            assert len(observations) == 1
            Both.asked += 1
            return super().act_batch(observations, action_masks)

    result = play_match(Both(), RuleBot(seed=0), deals=4)
    assert result.reneges == (0, 0, 0, 0)
    assert Both.asked > Both.resets == 2 * 2 * 4


def test_random_play_against_itself_is_a_real_sample():
    player = RandomPolicy(seed=0)
    result = play_match(player, player, deals=200)
    assert result.points_per_deal.low < 0 < result.points_per_deal.high
    assert result.points_per_deal.se > 0.02


@pytest.mark.parametrize("rules", ["standard", "british,no_ace_no_face=next_dealer"])
def test_the_result_does_not_depend_on_the_batch_size(rules):
    players = [RandomPolicy(seed=0), RuleBot("easy", seed=1), HighestLegal(), RuleBot(seed=2)]
    one, seven, all_at_once = (
        play_match(*players, deals=20, games=3, rules=rules, batch_size=size) for size in (1, 7, 100)
    )
    assert one == seven == all_at_once


def test_players_asked_one_at_a_time_come_to_the_same_result():
    batch = play_match(RuleBot(seed=0), HighestLegal(), deals=20, games=2, names=("A", "B"))
    single = play_match(OneAtATime(RuleBot(seed=0)), HighestLegal(), deals=20, games=2, names=("A", "B"))
    limited = play_match(RuleBot(seed=0), HighestLegal(), deals=20, games=2, names=("A", "B"), time_limit=1e9)
    assert batch == single == limited


def test_the_seed_decides_the_result():
    bot = RuleBot("easy", seed=0)
    first, again, other = (play_match(bot, bot, deals=20, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.points_per_deal != other.points_per_deal


def test_a_game_that_nobody_wins_is_an_error(monkeypatch):
    monkeypatch.setattr("euchre_eval.playing.MAX_DEALS", 20)
    with pytest.raises(EndlessGameError, match="not over after 20 deals"):
        play_match(LowestLegal(), LowestLegal(), deals=1, games=1)


@pytest.mark.parametrize("player", [HighestLegal(), LowestLegal()], ids=["in batches", "one at a time"])
def test_progress_counts_up_to_every_pair(player):
    told = []
    play_match(RuleBot(seed=0), player, deals=25, games=2, batch_size=10, progress=lambda *what: told.append(what))
    pairs = {what: [done for each, done, _ in told if each == what] for what in ("deals", "games")}
    assert [what for what, *_ in told] == ["deals"] * len(pairs["deals"]) + ["games"] * len(pairs["games"])
    assert {(what, number) for what, _, number in told} == {("deals", 25), ("games", 2)}
    for what, number in (("deals", 25), ("games", 2)):
        assert pairs[what] == sorted(set(pairs[what]))
        assert pairs[what][-1] == number


def test_a_player_whose_name_is_no_text_is_called_by_its_class():
    class Nameless(LowestLegal):
        def name(self):
            return "a method"

    assert play_match(Nameless(), RuleBot(seed=0), deals=1).players == ("Nameless", "rules")


@pytest.mark.parametrize("attribute", ["name", "act_batch", "reset", "stateless"])
def test_an_attribute_that_cannot_be_read_is_refused_by_name(attribute):
    def fails(self):
        raise OSError("the disk is gone")

    player = type("Broken", (LowestLegal,), {attribute: property(fails)})()
    with pytest.raises(ValueError, match=f"'Broken': reading {attribute} failed: OSError: the disk is gone"):
        play_match(player, RuleBot(seed=0), deals=1)


@pytest.mark.parametrize("declared", ["no", 1, lambda self: False])
def test_a_declaration_must_be_true_or_false(declared):
    player = type("Vague", (LowestLegal,), {"stateless": declared})()
    with pytest.raises(ValueError, match="'Vague': stateless must be True or False"):
        play_match(player, RuleBot(seed=0), deals=1)


def test_a_result_says_all_it_takes_to_play_it_again():
    result = play_match(RuleBot(seed=0), RandomPolicy(seed=1), deals=20, seed=5, rules="pagat", games=1)
    points = result.points_per_deal
    half_width = (points.high - points.low) / 2
    first, second = str(result).splitlines()
    assert first == (
        f"rules against random: {points.mean:+.2f} ± {half_width:.2f} points per deal (95%, 20 deals x 2), "
        f"rules pagat, seed 5, euchre-env {__version__}"
    )
    assert second.startswith("rules: ")
    assert second.endswith(", 95%, 1 pair of games)")
    assert "A and C against B and D" in str(play_match(*[RuleBot(seed=0)] * 4, names="ABCD", deals=1))


def test_a_single_pair_leaves_the_interval_of_points_unknown():
    result = play_match(RuleBot(seed=0), HighestLegal(), deals=1, games=1)
    assert result.games is not None
    unknown = dict.fromkeys(("low", "high", "se"))
    values = result.as_json()
    assert values["points_per_deal"] == {"mean": result.points_per_deal.mean} | unknown
    assert values["games"]["se"] is None
    assert values["games"]["high"] - values["games"]["low"] == pytest.approx(0.975)
    assert "± unknown" in str(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"deals": 0}, "deals must be"),
        ({"deals": -3}, "deals must be"),
        ({"deals": True}, "deals must be"),
        ({"games": -1}, "games must be"),
        ({"seed": -1}, "seed must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"rules": "nowhere"}, "unknown rules 'nowhere'"),
        ({"time_limit": 0}, "time limit must be more than 0"),
        ({"time_limit": float("nan")}, "time limit must be more than 0"),
        ({"late": "never"}, "late must be 'renege' or 'forfeit'"),
        ({"names": ["A"]}, "2 players need as many names"),
    ],
)
def test_an_impossible_argument_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        play_match(RuleBot(seed=0), RuleBot(seed=0), **arguments)


@pytest.mark.parametrize("number", [0, 1, 3, 5])
def test_a_match_takes_two_players_or_four(number):
    with pytest.raises(ValueError, match=f"{number} came"):
        play_match(*[RuleBot(seed=0)] * number)


def test_a_player_must_have_the_one_method():
    with pytest.raises(TypeError, match="'object' has no method act"):
        play_match(object(), RuleBot(seed=0))  # type: ignore[arg-type]  # what a user may pass


def test_a_player_that_was_not_prepared_does_not_renege_unasked():
    players = [MatchPlayer(LowestLegal(), "mine", seed=0)] * 4
    with pytest.raises(RuntimeError, match=r"player 'mine' .*: call prepare\(\)"):
        list(play(Tables(1, num_episodes=1), players))
