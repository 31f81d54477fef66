"""Reneging in a match: an illegal, failed or late answer costs two points, counted against the right player."""

import asyncio
import sys

import numpy as np
import pytest
from support.players import Answers, HighestLegal, LowestLegal, prepared

from euchre_agents import RuleBot
from euchre_env.actions import NUM_ACTIONS, ORDER_UP_ALONE_ID, PASS_ID
from euchre_env.deal import NOBODY, SEATS
from euchre_env.game import NO_TEAM, Episode
from euchre_env.lockstep import FORFEIT, RENEGE
from euchre_env.observation import FIELDS
from euchre_env.tables import Tables
from euchre_eval import play_match
from euchre_eval.match_player import Limit
from euchre_eval.playing import play


def raises(observation, action_mask):
    raise RuntimeError("out of ideas")


def leaves(observation, action_mask):
    sys.exit("enough")


class Unreadable(BaseException):
    """An exception whose message fails as well."""

    def __str__(self):
        raise RuntimeError("no message")


def raising(error):
    """An answer function that raises `error`."""

    def answer(*_):
        raise error

    return answer


NO_ACTIONS = {
    "an exception": (raises, "RuntimeError: out of ideas"),
    "leaving Python": (leaves, "SystemExit: enough"),
    "a cancelled task": (raising(asyncio.CancelledError()), "CancelledError"),
    "a closed generator": (raising(GeneratorExit()), "GeneratorExit"),
    "an unreadable exception": (raising(Unreadable()), "Unreadable: its message cannot be read"),
    "nothing": (lambda *_: None, "whole number, not None"),
    "a float": (lambda _, mask: float(np.argmax(mask)), "whole number, not 25.0"),
    "a bool": (lambda *_: True, "whole number, not True"),
    "a name": (lambda *_: "pass", "whole number, not 'pass'"),
    "a list": (lambda _, mask: [int(np.argmax(mask))], r"whole number, not \[25\]"),
    "one too many": (lambda *_: NUM_ACTIONS, f"'{NUM_ACTIONS}' is not legal for seat"),
    "a negative number": (lambda *_: -1, "'-1' is not legal"),
    "the code of a lost game": (lambda *_: FORFEIT, "'-2' is not legal"),
    "64 more than pass": (lambda *_: 64 + PASS_ID, "'89' is not legal"),
    "more than 64 bits": (lambda *_: 10**30, f"ValueError: {10**30} is no action id"),
    "all 64 bits": (lambda *_: 2**64 - 1, "ValueError: 18446744073709551615 is no action id"),
    "all 64 bits of NumPy": (lambda *_: np.uint64(2**64 - 1), "ValueError: 18446744073709551615 is no action id"),
    "a masked action": (
        lambda _, mask: int(np.argmin(mask)),
        "'9C' is not legal for seat 1 in FIRST_ROUND; legal",
    ),
}


def first_tables(episode: Episode = "deal", number=1):
    return Tables(number, seed=0, episode=episode, num_episodes=number)


@pytest.mark.parametrize("case", NO_ACTIONS)
def test_anything_but_a_legal_action_is_a_renege_and_the_reason_is_kept(case):
    answer, reason = NO_ACTIONS[case]
    player = prepared(Answers(answer))
    assert player.answer(first_tables(), np.array([0])).tolist() == [RENEGE]
    assert player.reneges.number == 1
    with pytest.raises(ValueError, match=reason):
        raise ValueError(player.reneges.first)


@pytest.mark.parametrize("kind", [int, np.int8, np.uint64, lambda a: np.array(a)])
def test_every_kind_of_whole_number_is_an_answer(kind):
    player = prepared(Answers(lambda _, mask: kind(int(np.argmax(mask)))))
    assert player.answer(first_tables(), np.array([0])).tolist() == [PASS_ID]
    assert player.reneges.number == 0


def test_a_player_that_always_reneges_loses_two_points_a_deal():
    result = play_match(Answers(raises), RuleBot(seed=0), deals=15, rules="standard,euchre_points=7", games=1)
    assert result.points_per_deal.mean == result.points_per_deal.low == -2
    assert result.reneges[1] == result.reneges[3] == 0
    assert result.reneges[0] + result.reneges[2] >= 2 * 15
    assert result.games is not None
    assert result.games.won == 0


def test_reneges_are_counted_by_player_wherever_it_sits():
    players = [RuleBot(seed=0), RuleBot(seed=0), RuleBot(seed=0), Answers(raises)]
    result = play_match(*players, deals=15, names="ABCD")
    assert result.reneges[:3] == (0, 0, 0)
    assert result.reneges[3] > 0
    assert result.first_reneges[:3] == (None, None, None)
    assert f"D at place 3 reneged {result.reneges[3]} times, first in episode 0 of seed 0: RuntimeError" in str(result)


def test_what_the_deal_was_worth_so_far_does_not_count():
    def reneges_in_the_last_trick(observation, action_mask):
        return -1 if observation[FIELDS["hand"].slice].sum() == 1 else LowestLegal().act(observation, action_mask)

    players = [prepared(HighestLegal(), "A", 0), prepared(Answers(reneges_in_the_last_trick), "B", 1)] * 2
    (result,) = np.concatenate(list(play(first_tables(), players)))
    assert result["maker"] != NOBODY
    assert result["tricks"].sum() == 4
    assert result["points"].tolist() == [2, 0]
    assert result["reneged"] in (1, 3)


def test_a_game_goes_on_after_a_renege():
    players = [prepared(Answers(raises), "A", 0), prepared(RuleBot(seed=0), "B", 1)] * 2
    deals = np.concatenate(list(play(first_tables("game"), players)))
    assert deals["points"].tolist() == [[0, 2]] * 5
    assert deals["winner"].tolist() == [NO_TEAM] * 4 + [1]


def test_an_illegal_answer_counts_where_there_was_nothing_to_choose():
    def illegal_when_forced(observation, action_mask):
        return -1 if action_mask.sum() == 1 else int(np.argmax(action_mask))

    result = play_match(Answers(illegal_when_forced), HighestLegal(), deals=20)
    assert result.reneges[0] + result.reneges[2] > 0


class Batches:
    """Answers batches, but raises if any observation of a batch shows a red upcard."""

    stateless = True

    def __init__(self):
        self.batches = []

    def act(self, observation, action_mask):
        raise AssertionError("a player that answers batches is asked for batches")

    def act_batch(self, observations, action_masks):
        self.batches.append(len(observations))
        if shows_red(observations).any():
            raise RuntimeError("red")
        return np.argmax(action_masks, axis=1)


def shows_red(observations):
    return observations[:, FIELDS["upcard"].slice][:, 6:18].any(axis=1)


def test_after_an_exception_in_a_batch_only_the_rows_that_fail_alone_renege():
    tables, batches = first_tables(number=40), Batches()
    player = prepared(batches)
    rows = np.flatnonzero(tables.turns == 1)
    red = shows_red(tables.observations(rows)[0])
    assert 0 < red.sum() < len(rows)
    assert player.answer(tables, rows).tolist() == np.where(red, RENEGE, PASS_ID).tolist()
    assert player.reneges.number == red.sum()
    assert batches.batches == [len(rows)] + [1] * len(rows)


@pytest.mark.parametrize("spoil", [lambda a: a[:-1], lambda a: a[:, None], lambda a: a * 1.0, lambda a: a > 0])
def test_a_batch_answered_in_another_form_is_asked_again_row_by_row(spoil):
    class Spoilt(HighestLegal):
        def act_batch(self, observations, action_masks):
            answers = super().act_batch(observations, action_masks)
            return spoil(answers) if len(answers) > 1 else answers

    tables, player = first_tables(number=8), prepared(Spoilt())
    rows = np.flatnonzero(tables.turns == 1)
    assert player.answer(tables, rows).tolist() == [ORDER_UP_ALONE_ID] * len(rows)
    assert player.reneges.number == 0


def test_illegal_answers_in_a_batch_cost_their_own_rows_only():
    class Passes(HighestLegal):
        def act_batch(self, observations, action_masks):
            return np.full(len(observations), PASS_ID)

    result, again = (play_match(Passes(), RuleBot(seed=0), deals=30, batch_size=size) for size in (100, 1))
    assert result == again
    assert 0 < result.reneges[0] + result.reneges[2] < 60
    assert "'pass' is not legal" in str(result)


def test_a_player_that_changes_what_it_is_shown_gains_nothing():
    def widens_its_mask(observation, action_mask):
        action_mask[:] = 1
        return 0

    player = prepared(Answers(widens_its_mask))
    assert player.answer(first_tables(), np.array([0])).tolist() == [RENEGE]


class Clock:
    """A clock that only a slow player moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Slow:
    """Takes `seconds` for each decision, then plays the lowest legal action, or fails."""

    def __init__(self, clock, seconds, fails=False):
        self.clock, self.seconds, self.fails = clock, seconds, fails

    def __deepcopy__(self, memo):
        return Slow(self.clock, self.seconds, self.fails)

    def act(self, observation, action_mask):
        self.clock.now += self.seconds
        if self.fails:
            raise RuntimeError("out of ideas")
        return LowestLegal().act(observation, action_mask)


@pytest.mark.parametrize(
    ("seconds", "late", "fails", "expected"),
    [
        (1, "renege", False, PASS_ID),  # the limit itself is in time
        (2, "renege", False, RENEGE),
        (1, "forfeit", False, PASS_ID),
        (2, "forfeit", False, FORFEIT),
        (1, "forfeit", True, RENEGE),  # a failure in time is a renege
        (2, "forfeit", True, FORFEIT),  # a failure is no way out of a late answer
    ],
)
def test_a_late_answer_is_a_renege_or_the_game(seconds, late, fails, expected):
    clock = Clock()
    player = prepared(Slow(clock, seconds, fails), "slow", 0, Limit(1, late, clock))
    assert player.answer(first_tables("game"), np.array([0])).tolist() == [expected]
    assert player.reneges.number == (expected != PASS_ID)


def test_a_late_answer_says_how_late_it_was():
    clock = Clock()
    result = play_match(Slow(clock, 2), RuleBot(seed=0), deals=2, time_limit=1, clock=clock)
    assert "episode 0 of seed 0: late: 2 s for one decision, 1 s allowed" in str(result)


def test_a_forfeit_ends_the_game_in_its_first_deal():
    clock = Clock()
    limit = Limit(1, "forfeit", clock)
    players = [prepared(Slow(clock, 2), "slow", 0, limit), prepared(RuleBot(seed=0), "rules", 1, limit)] * 2
    deals = np.concatenate(list(play(first_tables("game"), players)))
    assert deals["winner"].tolist() == [1]
    assert deals["points"].tolist() == [[0, 0]]


def test_every_player_under_a_time_limit_is_asked_one_decision_at_a_time():
    player = Batches()
    play_match(player, RuleBot(seed=0), deals=10, time_limit=1e9)
    assert set(player.batches) == {1}


class FailsToReset:
    """Fails in its first reset, and could still answer after it."""

    def __init__(self):
        self.num_resets = 0

    def reset(self, seat, seed):
        self.num_resets += 1
        if self.num_resets == 1:
            raise RuntimeError("not yet")

    def act(self, observation, action_mask):
        return LowestLegal().act(observation, action_mask)


def test_a_reset_that_fails_makes_the_first_answer_of_that_deal_a_renege():
    tables = Tables(1, seed=0, num_episodes=3, dealer=0)
    players = [prepared(FailsToReset() if seat == 1 else LowestLegal(), "ABCD"[seat], seat) for seat in SEATS]
    results = np.concatenate(list(play(tables, players)))
    assert results["reneged"].tolist() == [1, NOBODY, NOBODY]
    assert results["points"].tolist() == [[2, 0], [0, 0], [0, 0]]
    assert [player.reneges.number for player in players] == [0, 1, 0, 0]
    assert "RuntimeError: not yet" in str(players[1].reneges.first)


@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), Unreadable()])
def test_any_exception_in_a_reset_is_a_renege(error):
    class Player(LowestLegal):
        def reset(self, seat, seed):
            raise error

    result = play_match(Player(), RuleBot(seed=0), deals=2)
    assert result.points_per_deal.mean == -2
    assert type(error).__name__ in str(result)


def test_any_exception_in_a_batch_is_a_renege():
    class Player(HighestLegal):
        def act_batch(self, observations, action_masks):
            raise asyncio.CancelledError

    result = play_match(Player(), RuleBot(seed=0), deals=20)
    assert result.points_per_deal.mean == -2


@pytest.mark.parametrize("method", ["act", "reset", "fresh"])
def test_the_interrupt_key_is_the_users_and_ends_the_match(method):
    player = Answers(lambda _, mask: int(np.argmax(mask)))
    setattr(player, method, raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        play_match(player, RuleBot(seed=0), deals=1)


def test_a_renege_is_reported_on_one_short_line():
    result = play_match(Answers(raising(RuntimeError("out of\n" + "ideas\n" * 1000))), RuleBot(seed=0), deals=1)
    lines = str(result).splitlines()
    assert len(lines) == 1 + 2  # the match, and the player at either of its places
    assert max(map(len, lines)) < 600
