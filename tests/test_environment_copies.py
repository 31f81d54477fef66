"""Copies of an environment, by `deepcopy`, `pickle` and `clone`, continue like the original from every phase."""

import copy
import pickle

import numpy as np
import pytest
from support.environments import random_action, snapshot, wrapped
from support.rules import EVERYTHING
from support.tables import play

from euchre_env import euchre_v0
from euchre_env.actions import parse_action

AGENTS = euchre_v0.AGENTS


def copies(env):
    """Copies of the environment by `deepcopy` and `pickle`, and by `clone` if it is a raw environment."""
    made = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    return [*made, env.clone()] if isinstance(env, euchre_v0.raw_env) else made


def future(env):
    """The visible states of `env` over sixty random steps, with unseeded resets and samples of the action spaces."""
    rng, seen = np.random.default_rng(9), []
    for _ in range(60):
        if env.agents:
            env.step(random_action(env, rng))
        else:
            env.reset()
            seen.append((env.unwrapped.seed, [int(env.action_space(agent).sample()) for agent in AGENTS]))
        seen.append(snapshot(env))
    return seen


@pytest.mark.compiled  # plays many steps over and over
@pytest.mark.parametrize("make", [wrapped, euchre_v0.raw_env])
def test_a_copy_goes_on_like_the_original_in_every_phase(make):
    env, rng = make(EVERYTHING, episode="deal"), np.random.default_rng(8)
    for agent in env.possible_agents:
        env.action_space(agent).seed(3)
    env.reset(seed=1)
    phases = set()
    while len(phases) < 8:
        over = env.terminations.get(env.agent_selection, True)
        phase = "LEAVING" if over and len(env.agents) == 2 else env.unwrapped.table.phase
        if phase not in phases:
            phases.add(phase)
            made = copies(env)
            expected = future(copy.deepcopy(env))
            before = snapshot(env)
            for other in made:
                assert snapshot(other) == before
                assert future(other) == expected
            assert snapshot(env) == before
        if env.agents:
            env.step(random_action(env, rng))
        else:
            env.reset()
    assert future(env)


def test_a_copy_made_before_the_first_reset_goes_on_like_the_original():
    env = wrapped()
    others = copies(env)
    env.reset()
    for other in others:
        other.reset()
        assert snapshot(other) == snapshot(env)


def test_a_copy_keeps_that_an_illegal_action_ended_the_game():
    env = wrapped()
    env.reset(seed=3)
    env.step(parse_action("QC"))
    for other in copies(env):
        assert snapshot(other) == snapshot(env)
        while other.agents:
            assert not other.observe(other.agent_selection)["action_mask"].any()
            other.step(None)


def test_the_clone_of_a_wrapped_environment_is_a_raw_one():
    env = wrapped()
    env.reset(seed=3)
    clone = env.unwrapped.clone()
    assert type(clone) is euchre_v0.raw_env
    assert snapshot(clone) == snapshot(env)
    play(clone, "pass")
    assert snapshot(clone) != snapshot(env)
