"""PettingZoo's own tests on every preset, and stricter versions of them over many games."""

import functools
import hashlib
import importlib
import itertools
import pickle
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from support.environments import fast_forward, play_on, random_action, snapshot, wrapped
from support.rules import EVERYTHING, RULE_SETS

from euchre_env import euchre_v0

# What else an environment can be made with; each is combined with one of the rules.
VARIANTS = [
    {"episode": "deal"},
    {"reward": "win"},
    {"relative_suits": True},
    {"episode": "deal", "relative_suits": True},
    {"reward": "win", "relative_suits": True},
]
CASES = {name: {"rules": rules} for name, rules in RULE_SETS.items()} | {
    ", ".join(["everything", *map(str, variant.values())]): {"rules": EVERYTHING, **variant} for variant in VARIANTS
}


@pytest.mark.parametrize("make", [wrapped, euchre_v0.raw_env])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_api_test_passes(make, case):
    api_test(make(**case), num_cycles=200)


def test_api_test_warns_of_the_observation_dict_and_of_nothing_else():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(wrapped(), num_cycles=200)
    messages = {str(warning.message) for warning in caught}
    assert len(messages) == 2
    assert any(message.startswith("Observation space for each agent probably should be") for message in messages)
    assert "Observation is not a NumPy array" in messages


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_seed_test_passes(case):
    seed_test(functools.partial(wrapped, **case), num_cycles=100)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_render_test_passes(rules):
    pytest.importorskip("PIL")
    render_test(functools.partial(wrapped, rules))


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_performance_benchmark_runs(rules, monkeypatch, capsys):
    class FastClock:
        """A clock on which the benchmark's five seconds are over after 400 turns."""

        time = staticmethod(functools.partial(next, itertools.count(0, 0.05)))

    monkeypatch.setattr(sys.modules["pettingzoo.test.performance_benchmark"], "time", FastClock)
    performance_benchmark(wrapped(rules))
    assert "Finished performance benchmark" in capsys.readouterr().out


@pytest.mark.compiled  # as every test here that plays many games
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_many_games_keep_the_books(case):
    env, rng = wrapped(**case), np.random.default_rng(1)
    env.reset(seed=5)
    for _ in range(6):
        check_one_episode(env, rng, case)
        env.reset()


def check_one_episode(env, rng, case):
    """Play an episode at random, and check the promises of PettingZoo and of this project after every step."""
    returns, unpaid = dict.fromkeys(env.possible_agents, 0.0), dict.fromkeys(env.possible_agents, 0.0)
    leaving = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert reward == unpaid[agent] == env.unwrapped._cumulative_rewards[agent]
        assert truncated is False
        assert info == {}
        assert env.observation_space(agent).contains(observation)
        returns[agent] += reward
        if terminated:
            leaving.append(agent)
            env.step(None)
            unpaid.pop(agent)
            assert set(env.agents) == set(unpaid)
            continue
        assert not leaving
        for other in env.possible_agents:
            assert env.observe(other)["action_mask"].any() == (other == agent)
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        assert env.step(action) is None
        unpaid[agent] = 0.0
        for name in ("rewards", "terminations", "truncations", "infos"):
            assert list(getattr(env, name)) == env.agents == env.possible_agents
        assert all(type(env.rewards[a]) in (int, float) for a in env.agents)
        net = env.rewards["player_0"]
        assert list(env.rewards.values()) == [net, -net, net, -net]
        for a in env.agents:
            unpaid[a] += env.rewards[a]
        assert len(set(env.terminations.values())) == 1
        assert all(type(over) is bool for over in env.terminations.values())
    assert leaving == env.possible_agents
    ours, theirs = env.unwrapped.score
    expected = np.sign(ours - theirs) if case.get("reward") == "win" else ours - theirs
    assert [returns[agent] for agent in env.possible_agents] == [expected, -expected, expected, -expected]


def fingerprint(**case):
    """A digest of six episodes: two seeded, and after each two whose seeds the environment draws."""
    env, rng, digest = wrapped(**case), np.random.default_rng(2), hashlib.sha256()
    for seed in (11, None, None, 2**63 - 1, None, None):
        env.reset(seed=seed)
        for agent, action in play_on(env, rng):
            digest.update(f"{agent} {action} {env.rewards}".encode())
            for other in env.possible_agents:
                digest.update(env.observe(other)["observation"])
    return digest.hexdigest()


@pytest.mark.compiled
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_many_games_are_fixed_by_the_seed_whatever_the_global_generators_do(case):
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # the global state that must not matter
    before = random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002
    first = fingerprint(**case)
    assert (random.getstate(), pickle.dumps(np.random.get_state())) == before  # noqa: NPY002
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    assert fingerprint(**case) == first


@pytest.mark.compiled
def test_many_games_are_the_same_in_another_process():
    done = subprocess.run(
        [sys.executable, "-c", "from test_pettingzoo_api import fingerprint; print(fingerprint())"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [fingerprint()]


def test_another_seed_gives_another_deal():
    env = wrapped()
    states = set()
    for seed in range(20):
        env.reset(seed=seed)
        states.add(env.state().tobytes())
    assert len(states) == 20


def test_environments_that_were_never_seeded_differ():
    first, second = wrapped(), wrapped()
    first.reset()
    second.reset()
    assert first.unwrapped.seed != second.unwrapped.seed


def test_observe_answers_for_every_seat_after_the_end():
    env = wrapped(EVERYTHING)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    fast_forward(env, rng)
    while True:
        for agent in env.possible_agents:
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            assert not observation["action_mask"].any()
        if not env.agents:
            break
        env.step(None)


def test_arrays_are_fresh_at_every_call():
    env = wrapped()
    env.reset(seed=0)
    before = snapshot(env)
    for agent in env.possible_agents:
        for array in env.observe(agent).values():
            array[:] = 1
    env.state()[:] = 1
    assert snapshot(env) == before


def test_spaces_are_the_same_objects_at_every_call_and_one_to_each_agent():
    env = wrapped()
    env.reset(seed=0)
    for spaces in (env.action_space, env.observation_space):
        assert all(spaces(agent) is spaces(agent) for agent in env.possible_agents)
        assert len({id(spaces(agent)) for agent in env.possible_agents}) == 4


def test_there_is_no_parallel_environment():
    assert not hasattr(euchre_v0, "parallel_env")
    assert euchre_v0.raw_env.metadata["is_parallelizable"] is False


registry = pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")


@registry
@pytest.mark.parametrize("name", ["euchre/euchre-v0", "euchre/euchre_v0", "euchre/euchre"])
def test_the_environment_can_be_made_by_name(name):
    env: Any = pettingzoo.make("aec", name, rules="pagat", episode="deal")
    env.reset(seed=1)
    assert str(env) == "euchre_v0"
    assert env.unwrapped.rules.lone_lead == "left_of_maker"
    env.step(random_action(env, np.random.default_rng(0)))


@registry
def test_importing_again_does_not_register_again():
    import euchre_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(euchre_env)
