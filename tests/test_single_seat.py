"""The single-seat environment of the benchmarks: one seat acts, `rules` has the others, the deal pays at its end."""

import importlib

import numpy as np
import pytest
from support.paths import ROOT

from euchre_agents import load
from euchre_env.actions import NUM_ACTIONS, ORDER_UP_ALONE
from euchre_env.table import Table


@pytest.fixture
def make_env(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("seat_env").SeatEnv


def play(env, choose, observation):
    """Play the deal to its end; the observations and the reward."""
    seen, is_over, reward = [observation], False, 0.0
    while not is_over:
        assert reward == 0
        observation, reward, is_over, truncated, _ = env.step(choose(observation, env.action_masks()))
        assert not truncated
        seen.append(observation)
    return seen, reward


@pytest.mark.parametrize("relative_suits", [False, True])
def test_the_reward_of_a_deal_is_the_net_points_of_the_team(make_env, relative_suits):
    env, rng = make_env(relative_suits), np.random.default_rng(5)
    rewards = set()
    for number in range(60):
        observation, _ = env.reset(seed=number)
        seen, reward = play(env, lambda _, mask: rng.choice(np.flatnonzero(mask)), observation)
        assert all(env.observation_space.contains(observation) for observation in seen)
        ours, theirs = env.table.last_result["points"]
        assert reward == ours - theirs
        rewards.add(reward)
    assert min(rewards) < 0 < max(rewards)


def test_rules_plays_the_other_three_seats(make_env):
    env, bot = make_env(relative_suits=False), load("rules", seed=0)
    for number in range(30):
        observation, _ = env.reset(seed=number)
        play(env, bot.act, observation)
        table = Table("standard", env.table.seed, one_deal=True)
        while not table.is_over:
            table.step(bot.act(*table.observation(table.turn, relative_suits=False)))
        assert env.table.last_deal == table.last_deal


def test_a_seed_fixes_the_deals(make_env):
    first, second = make_env(), make_env()
    observations = [[env.reset(seed=3)[0], env.reset()[0], env.reset()[0]] for env in (first, second)]
    np.testing.assert_array_equal(observations[0], observations[1])
    assert not np.array_equal(observations[0][1], observations[0][2])


def test_deals_that_end_before_the_turn_of_the_seat_are_left_out(make_env):
    class GoesAlone:
        """Orders up alone if it may, so that its partner sits out."""

        def act(self, _, mask):
            legal = np.flatnonzero(mask)
            return ORDER_UP_ALONE.id() if ORDER_UP_ALONE.id() in legal else legal[0]

    env = make_env()
    env.others = GoesAlone()
    eldest_hands = set()
    for number in range(40):
        env.reset(seed=number)
        mask = env.action_masks()
        assert mask.shape == (NUM_ACTIONS,)
        assert mask.any()
        eldest_hands.add((env.table.table.deal.dealer + 1) % 4)
    assert eldest_hands == {0, 1, 3}  # with seat 2, seat 0 would sit out from the first call on
