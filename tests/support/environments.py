"""PettingZoo environments in tests: the worked deal of the rules, random play, and snapshots to compare."""

from typing import Any

import numpy as np

from euchre_env import euchre_v0
from euchre_env.house_rules import RulesLike
from support.tables import pick

# docs/rules.md, "A worked deal": seat 2 orders up the nine of spades, and its side takes four tricks.
WORKED_DEAL: dict[str, Any] = {
    "dealer": 0,
    "hands": [
        ["QC", "KD", "TH", "9C", "TS"],
        ["AD", "KC", "AC", "JH", "9H"],
        ["JC", "AS", "KS", "AH", "TD"],
        ["JD", "QH", "QS", "QD", "9D"],
    ],
    "upcard": "9S",
    "kitty": ["JS", "TC", "KH"],
}
WORKED_AUCTION = "pass, order up, 9C"
WORKED_TRICKS = "AD TD QD KD, KC KS QS QC, JC JD TS AC, AS 9D 9S 9H, AH QH TH JH"
WORKED_ACTIONS = WORKED_AUCTION + ", " + WORKED_TRICKS.replace(",", "").replace(" ", ", ")


# These return `Any`: PettingZoo types the attributes of a wrapper, and `unwrapped`, as its base class.


def wrapped(*arguments, **named) -> Any:
    """`euchre_v0.env`."""
    return euchre_v0.env(*arguments, **named)


def start(rules: RulesLike = "standard", seed: Any = 0, options=None, **arguments) -> Any:
    """A raw environment after `reset`."""
    env = euchre_v0.raw_env(rules, **arguments)
    env.reset(seed, options)
    return env


def random_action(env, rng):
    """A random action of the agent to act, as `pick` chooses it; None for an agent that has ended."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    return pick(np.flatnonzero(observation["action_mask"]).tolist(), rng)


def play_on(env, rng, steps=10**6):
    """Step at random until the last agent has left, yielding the agent and the action of each step."""
    while env.agents and steps > 0:
        agent, action = env.agent_selection, random_action(env, rng)
        env.step(action)
        yield agent, action
        steps -= 1


def fast_forward(env, rng):
    """Play at random to the end of the episode, before any agent has left, and return the environment."""
    while not env.terminations[env.agent_selection]:
        env.step(random_action(env, rng))
    return env


def snapshot(env):
    """The visible state of an environment, as values that can be compared with `==`."""
    raw = env.unwrapped
    return {
        "agents": list(raw.agents),
        "selection": raw.agent_selection,
        "rewards": dict(raw.rewards),
        "cumulative": dict(raw._cumulative_rewards),
        "terminations": dict(raw.terminations),
        "truncations": dict(raw.truncations),
        "infos": dict(raw.infos),
        "observations": {
            agent: {key: value.tobytes() for key, value in raw.observe(agent).items()} for agent in raw.possible_agents
        },
        "state": raw.state().tobytes(),
        "views": [raw.view(agent).tobytes() for agent in raw.possible_agents],
        "seed": raw.seed,
        "score": raw.score,
        "last_deal": None if raw.last_deal is None else raw.last_deal.tobytes(),
        "last_result": None if raw.last_result is None else raw.last_result.tobytes(),
    }
