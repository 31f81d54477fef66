"""Every scenario of the corpus is a test of its own; EUCHRE_SCENARIOS names another file to run instead.

`support/scenarios.py` reads them. Scenarios with `api` also run in the PettingZoo environment; those of kind `seeding`
run only there.
"""

import random

import numpy as np
import pytest
from support.scenarios import (
    CORPUS_FILE,
    FACTS,
    SEAT_LETTERS,
    Position,
    action_of,
    changed_world,
    chosen_cards,
    episode_of,
    house_rules,
    in_any_order,
    load_scenarios,
    names_another_phase,
    phase_name,
    scenario_name,
    scores_before,
)

from euchre_env import euchre_v0
from euchre_env.actions import ORDER_UP_ID, PASS_ID, IllegalActionError
from euchre_env.cards import PACK, PACK_WITH_BENNY, cards_in
from euchre_env.house_rules import HouseRules

SCENARIOS = load_scenarios()
CORPUS = load_scenarios(CORPUS_FILE)  # what the tests of the runner are about, whatever file is run


def named(scenarios):
    return [pytest.param(scenario, id=scenario["id"]) for scenario in scenarios]


@pytest.mark.parametrize("scenario", named(s for s in SCENARIOS if s["kind"] != "seeding"))
def test_scenario(scenario):
    expected = dict(scenario["expect"])
    position = Position.after(scenario)
    observer = expected.pop("observer", SEAT_LETTERS[0])
    for change in expected.pop("same_observation", []):
        assert_observation(scenario, change, observer, same=True)
    for change in expected.pop("different_observation", []):
        assert_observation(scenario, change, observer, same=False)
    if scenario.get("api") == "aec":
        episode = {key: expected.pop(key) for key in EPISODE_FACTS if key in expected}
        assert play_in_environment(scenario, episode) == episode, scenario["why"]
    for key, value in expected.items():
        assert key in FACTS, f"unknown expectation {key!r}"
        actual = FACTS[key](position, value, SEAT_LETTERS.index(observer))
        if key != "trick_winners":
            actual, value = in_any_order(actual), in_any_order(value)
        assert actual == value, f"{key}: {scenario['why']}"


def assert_observation(scenario, change, observer, same):
    """Assert that a changed deal looks the same, or different, to one seat."""
    observer = change.get("observer", observer)
    here, there = Position.after(scenario), Position.after(changed_world(scenario, change))
    looks_the_same = here.seen_by(observer) == there.seen_by(observer)
    assert looks_the_same == same, f"{observer} in {change}: {scenario['why']}"


# Through the environment

EPISODE_FACTS = ("episode_return", "never_acts", "dead_steps")


def play_in_environment(scenario, asked):
    """Play an episode with these events and return the requested facts, in the corpus's form."""
    env = euchre_v0.raw_env(house_rules(scenario["rules"]), episode_of(scenario["rules"]))
    cards = chosen_cards(scenario)
    options = {"dealer": SEAT_LETTERS.index(scenario["dealer"]), "scores": scores_before(scenario)}
    env.reset(seed=0, options=options | {"hands": cards.hands, "upcard": cards.upcard, "kitty": cards.kitty})
    events = iter(scenario["events"])
    collected, acted, dead_steps = dict.fromkeys(SEAT_LETTERS, 0.0), set(), 0
    for agent in env.agent_iter():
        letter = SEAT_LETTERS[euchre_v0.SEAT_OF[agent]]
        _, reward, termination, truncation, _ = env.last()
        collected[letter] += reward
        if termination or truncation:
            env.step(None)
            dead_steps += 1
            continue
        event = next_accepted(env, events)
        if event is None:
            break
        assert event["seat"] == letter, f"{agent} is selected when {event} comes"
        acted = set() if event["do"] in ("order_up", "call") else acted | {letter}
        env.step(action_of(event))
    facts = {
        "episode_return": collected,
        "never_acts": [letter for letter in asked.get("never_acts", []) if letter not in acted],
        "dead_steps": dead_steps,
    }
    return {key: facts[key] for key in asked}


def next_accepted(env, events):
    """The next legal event; illegal attempts before it are made, and must be refused."""
    for event in events:
        if not event.get("illegal"):
            return event
        is_to_act = event["seat"] == SEAT_LETTERS[euchre_v0.SEAT_OF[env.agent_selection]]
        if is_to_act and not names_another_phase(event, env.table.phase):
            before = env.table.deal.tobytes()
            with pytest.raises(IllegalActionError):
                env.step(action_of(event))
            assert env.table.deal.tobytes() == before
    return None


# Seeding


@pytest.mark.parametrize("scenario", named(s for s in SCENARIOS if s["kind"] == "seeding"))
def test_seeding_scenario(scenario):
    expected = dict(scenario["expect"])
    seen = follow(scenario["procedure"], scenario["rules"])
    for names in expected.pop("equal", []):
        assert all(seen[name] == seen[names[0]] for name in names), scenario["why"]
    for names in expected.pop("not_all_equal", []):
        assert any(seen[name] != seen[names[0]] for name in names), scenario["why"]
    for name in expected.pop("valid_deal", []):
        assert_whole_pack(seen[name])
    for name, value in expected.pop("value", {}).items():
        assert seen[name] == value, scenario["why"]
    if "every_seat_deals_first" in expected:
        seeds = range(expected.pop("every_seat_deals_first")["seeds"])
        assert {first_dealer(seed, scenario["rules"]) for seed in seeds} == {0, 1, 2, 3}, scenario["why"]
    assert not expected, f"unknown expectations {list(expected)}"


def follow(procedure, rules):
    """Carry out a procedure and return its records by name."""
    envs, seen = {}, {}
    for step in procedure:
        step = dict(step)
        op, name = step.pop("op"), step.pop("env", None)
        if op == "make":
            options = rules | step.pop("rules", {})
            envs[name] = euchre_v0.env(house_rules(options), episode_of(options), render_mode="ansi")
        elif op == "record":
            seen[step.pop("as")] = RECORDS[step.pop("what")](envs[name].unwrapped)
        elif op == "seed_global_rng":
            seed = step.pop("seed")
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002  # the global generator is what this is about
        elif op == "draw_global_rng":
            for _ in range(step.pop("n")):
                random.random()
                np.random.random()  # noqa: NPY002
        else:
            OPERATIONS[op](envs[name], **{key: step.pop(key) for key in list(step)})
        assert not step, f"unknown arguments of {op!r}: {step}"
    return seen


def all_pass(env):
    """Play eight passes, after which the next deal begins."""
    for _ in range(8):
        env.step(PASS_ID)


def play_first_legal(env, until):
    """Order up where that is legal, else the first legal action in the order of the corpus's names."""
    while env.agents and not until(env.unwrapped.table):
        table = env.unwrapped.table
        legal = sorted(table.legal_actions(), key=lambda action: scenario_name(action, table.phase))
        if table.is_over:
            env.step(None)
        else:
            env.step(ORDER_UP_ID if ORDER_UP_ID in legal else legal[0])


def play_to_next_hand(env):
    number = env.unwrapped.table.deal_number
    play_first_legal(env, lambda table: table.deal_number != number)


OPERATIONS = {
    "reset": lambda env, seed=None: env.reset(seed=seed),
    "all_pass": all_pass,
    "play_first_legal_to_next_hand": play_to_next_hand,
    "play_first_legal_to_game_over": lambda env: play_first_legal(env, lambda table: table.is_over),
    "observe_all": lambda env: [env.observe(agent) for agent in env.possible_agents],
    "render": lambda env: env.render(),
}


def cards_of(raw):
    """The cards of the deal on the table: four hands, upcard, kitty."""
    deal = raw.table.deal
    return tuple(map(int, deal.hands)), int(deal.upcard), int(deal.kitty)


RECORDS = {
    "deal": lambda raw: (int(raw.table.deal.dealer), cards_of(raw)),
    "cards": cards_of,
    "dealer": lambda raw: int(raw.table.deal.dealer),
    "legal": lambda raw: sorted(scenario_name(action, raw.table.phase) for action in raw.legal_actions()),
    "phase": lambda raw: phase_name(raw.table.phase, raw.table),
    "options": lambda raw: raw.rules,
}


def assert_whole_pack(deal):
    """Assert that a recorded deal, or its cards, is the whole pack, with five cards in each hand."""
    hands, upcard, kitty = deal if len(deal) == 3 else deal[1]
    assert [len(cards_in(hand)) for hand in hands] == [5, 5, 5, 5]
    assert sum(hands) + (1 << upcard) + kitty in (PACK, PACK_WITH_BENNY)
    assert sum(len(cards_in(part)) for part in (*hands, 1 << upcard, kitty)) in (24, 25)


def first_dealer(seed, rules):
    """The first dealer in a game of `seed`."""
    env = euchre_v0.raw_env(house_rules(rules))
    env.reset(seed=seed)
    return int(env.table.deal.dealer)


# The runner itself


def test_options_that_a_scenario_leaves_out_are_the_defaults():
    assert house_rules({}) == HouseRules()


@pytest.mark.parametrize(("episode", "phase"), [("game", "game_over"), ("hand", "hand_over")])
def test_the_phase_after_the_last_deal_has_one_name(episode, phase):
    last_deal = next(s for s in CORPUS if s["id"] == "FL-game-over-terminal")
    test_scenario(last_deal | {"rules": {"episode": episode}, "expect": {"phase": phase}})
    recorded = follow(
        [
            {"op": "make", "env": "a"},
            {"op": "reset", "env": "a", "seed": 0},
            {"op": "play_first_legal_to_game_over", "env": "a"},
            {"op": "record", "env": "a", "what": "phase", "as": "last"},
        ],
        {"episode": episode},
    )
    assert recorded == {"last": phase}


def test_the_environment_refuses_an_attempt_from_another_phase():
    scenario = next(s for s in CORPUS if s.get("api") == "aec")
    attempts = [{"seat": scenario["events"][0]["seat"], "do": "decline_defend", "illegal": True}]
    test_scenario(scenario | {"events": attempts + scenario["events"]})


def test_an_unknown_expectation_fails():
    scenario = {**CORPUS[0], "expect": {"colour": "red"}}
    with pytest.raises(AssertionError, match="unknown expectation 'colour'"):
        test_scenario(scenario)


def wrong(key, value, position):
    """A wrong value for an expectation."""
    if key == "illegal":
        return position.legal_now()[:1]
    if key == "never_acts":
        return list(SEAT_LETTERS)
    if isinstance(value, dict):
        return {name: wrong(key, part, position) for name, part in value.items()}
    if isinstance(value, bool | int):
        return not value if isinstance(value, bool) else value + 1
    return [*value, "nonsense"] if isinstance(value, list) else "nonsense"


@pytest.mark.parametrize("key", sorted({key for s in CORPUS for key in s["expect"]} & {*FACTS, *EPISODE_FACTS}))
def test_every_kind_of_expectation_can_fail(key):
    scenario = next(s for s in CORPUS if key in s["expect"])
    value = wrong(key, scenario["expect"][key], Position.after(scenario))
    with pytest.raises(AssertionError):
        test_scenario(scenario | {"expect": scenario["expect"] | {key: value}})


@pytest.mark.parametrize("key", ["same_observation", "different_observation"])
def test_an_observation_that_should_look_otherwise_fails(key):
    other = {"same_observation": "different_observation", "different_observation": "same_observation"}[key]
    for scenario in CORPUS:
        for change in scenario["expect"].get(key, []):
            expected = {"observer": scenario["expect"]["observer"], other: [change]}
            with pytest.raises(AssertionError):
                test_scenario(scenario | {"expect": expected})
