"""`euchre_v0` beyond the rules: arguments, masks, illegal actions, relative suits, the state."""

import pickle

import numpy as np
import pytest
from support.environments import (
    WORKED_DEAL,
    play_on,
    random_action,
    start,
    wrapped,
)
from support.rules import EVERYTHING
from support.tables import play

from euchre_env import euchre_v0
from euchre_env.actions import NUM_ACTIONS, IllegalActionError, parse_action
from euchre_env.cards import NO_SUIT, NUM_CARDS, cards_in
from euchre_env.deal import SEATS
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records, row
from euchre_env.observation import FIELDS, decode
from euchre_env.relative_suits import RELABELLED, frame_of, relabel_view
from euchre_env.state import STATE_FIELDS, STATE_SIZE
from euchre_env.view import VIEW

AGENTS = euchre_v0.AGENTS


# Arguments


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"rules": "pagatt"}, "pagatt"),
        ({"rules": "pagat,benny=2"}, "benny"),
        ({"rules": None}, "rules"),
        ({"episode": "round"}, "episode"),
        ({"episode": None}, "episode"),
        ({"reward": "score"}, "reward"),
        ({"reward": 1}, "reward"),
        ({"render_mode": "video"}, "render_mode"),
        ({"episode": "deal", "reward": "win"}, "win"),
    ],
)
@pytest.mark.parametrize("make", [wrapped, euchre_v0.raw_env])
def test_an_impossible_argument_is_refused_by_name(make, arguments, named):
    with pytest.raises(ValueError, match=named):
        make(**arguments)


def test_rules_may_be_a_preset_text_or_house_rules():
    rules = HouseRules(lone_lead="left_of_maker", stick_the_dealer=True)
    assert start(rules).rules == start("pagat,stick_the_dealer=true").rules == rules


# Masks and illegal actions


def test_the_mask_is_the_legal_actions_of_the_agent_to_act():
    env, rng = start(EVERYTHING, seed=2), np.random.default_rng(2)
    phases = set()
    while not env.terminations[env.agent_selection]:
        phases.add(env.table.phase)
        for agent in AGENTS:
            mask = env.observe(agent)["action_mask"]
            expected = env.table.legal_actions() if agent == env.agent_selection else []
            assert np.flatnonzero(mask).tolist() == expected
            assert env.view(agent).legal == sum(1 << action for action in expected)
        assert env.legal_actions() == env.table.legal_actions()
        env.step(random_action(env, rng))
    assert {"FIRST_ROUND", "SECOND_ROUND", "DISCARD", "DEFEND", "PLAY"} <= phases


@pytest.mark.parametrize("steps", [0, 1, 7, 30])
def test_an_illegal_action_in_the_raw_environment_changes_nothing(steps):
    env = start(seed=3)
    rng = np.random.default_rng(1)
    for _ in play_on(env, rng, steps):
        pass
    before, legal, seat = pickle.dumps(env), env.legal_actions(), env.table.turn
    others = [action for action in range(NUM_ACTIONS) if action not in legal]
    for action in [*others, -1, NUM_ACTIONS, 64 + legal[0], 2**70, 1.5, "pass", None, np.array([1, 2])]:
        with pytest.raises(IllegalActionError) as caught:
            env.step(action)
        assert caught.value.seat == seat
        assert caught.value.legal == legal
        assert caught.value.phase == env.table.phase
        assert pickle.dumps(env) == before


def test_the_error_names_action_seat_phase_and_legal_actions():
    env = start(options=WORKED_DEAL)
    with pytest.raises(IllegalActionError) as caught:
        play(env, "QC")
    message = "'QC' is not legal for seat 1 in FIRST_ROUND; legal: pass, order up, order up alone"
    assert str(caught.value) == message


@pytest.mark.parametrize("steps", [0, 1, 9])
def test_an_illegal_action_ends_the_wrapped_environment(steps):
    env = wrapped()
    env.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in play_on(env, rng, steps):
        pass
    offender = env.agent_selection
    illegal = next(action for action in range(NUM_ACTIONS) if action not in env.unwrapped.legal_actions())
    state = env.state()
    env.step(illegal)
    assert env.rewards == dict.fromkeys(AGENTS, 0) | {offender: -1}
    assert all(env.terminations.values())
    np.testing.assert_array_equal(env.state(), state)
    rewards = {}
    while env.agents:
        for agent in AGENTS:
            assert not env.observe(agent)["action_mask"].any()
        assert env.unwrapped.legal_actions() == []
        observation, reward, terminated, _, _ = env.last()
        assert not observation["action_mask"].any()
        assert terminated
        rewards[env.agent_selection] = reward
        env.step(None)
    assert rewards == dict.fromkeys(AGENTS, 0) | {offender: -1}
    for agent in AGENTS:
        assert not env.observe(agent)["action_mask"].any()
    env.reset(seed=3)
    assert env.observe(env.agent_selection)["action_mask"].any()


@pytest.mark.parametrize("ended", ["terminations", "truncations"])
def test_masks_are_zero_for_one_agent_that_somebody_else_ended(ended):
    env = start(seed=3)
    agent = env.agent_selection
    getattr(env, ended)[agent] = True
    assert not env.observe(agent)["action_mask"].any()
    assert env.legal_actions() == []


def test_the_wrapped_environment_refuses_what_is_no_action():
    env = wrapped()
    with pytest.raises(AttributeError, match="reset"):
        env.agent_selection  # noqa: B018  # the access itself raises
    env.reset(seed=3)
    for action in (-1, NUM_ACTIONS, None, 1.5):
        with pytest.raises(AssertionError, match="action space"):
            env.step(action)


# Relative suits


@pytest.mark.parametrize("rules", ["standard", EVERYTHING], ids=["standard", "everything"])
def test_relative_suits_rename_observation_mask_and_action_alike(rules):
    absolute, relative = start(rules, seed=4), start(rules, seed=4, relative_suits=True)
    rng = np.random.default_rng(3)
    frames = set()
    while not absolute.terminations[absolute.agent_selection]:
        frame = frame_of(absolute.table.deal)
        frames.add(frame)
        for agent in AGENTS:
            shown, mask = relative.observe(agent)["observation"], relative.observe(agent)["action_mask"]
            np.testing.assert_array_equal(mask[RELABELLED[frame]], absolute.observe(agent)["action_mask"])
            renamed = records(1, VIEW)
            renamed[:] = absolute.view(agent)
            relabel_view(row(renamed), frame)
            assert decode(shown).tobytes() == renamed.tobytes()
            assert decode(shown).trump in (0, NO_SUIT)
        assert relative.view(AGENTS[0]).tobytes() == absolute.view(AGENTS[0]).tobytes()
        np.testing.assert_array_equal(relative.state(), absolute.state())
        assert relative.legal_actions() == sorted(int(RELABELLED[frame, a]) for a in absolute.legal_actions())
        action = random_action(absolute, rng)
        absolute.step(action)
        relative.step(int(RELABELLED[frame, action]))
        assert relative.table.deal.tobytes() == absolute.table.deal.tobytes()
        assert relative.rewards == absolute.rewards
    assert frames == {0, 1, 2, 3}


def test_an_illegal_action_in_relative_suits_is_told_in_relative_suits():
    env = play(start(options=WORKED_DEAL, relative_suits=True), "pass, order up")
    held = [int(RELABELLED[3, card]) for card in cards_in(env.table.deal.hands[0])]
    before = pickle.dumps(env)
    with pytest.raises(IllegalActionError, match="in relative suits: clubs stand for spades") as caught:
        env.step(parse_action("JC"))
    assert caught.value.legal == sorted(held)
    for action in (-1, NUM_ACTIONS, 64, None):
        with pytest.raises(IllegalActionError):
            env.step(action)
    assert pickle.dumps(env) == before


# The state


def test_the_state_shows_all_cards_and_every_public_field():
    env, rng = start(EVERYTHING, seed=6), np.random.default_rng(6)
    assert env.state_space.shape == (STATE_SIZE,)
    assert sum(field.size for field in STATE_FIELDS.values()) == STATE_SIZE
    while True:
        state, deal = env.state(), env.table.deal
        assert env.state_space.contains(state)
        for seat in SEATS:
            assert np.flatnonzero(state[STATE_FIELDS[f"hand_{seat}"].slice]).tolist() == cards_in(deal.hands[seat])
        assert np.flatnonzero(state[STATE_FIELDS["kitty"].slice]).tolist() == cards_in(deal.kitty)
        discard = [int(deal.discard)] if deal.discard < NUM_CARDS else []
        assert np.flatnonzero(state[STATE_FIELDS["discard"].slice]).tolist() == discard
        observation = env.observe("player_0")["observation"]
        public = [name for name in FIELDS if name not in ("hand", "discard")]
        assert list(STATE_FIELDS)[6:] == public
        for name in public:
            np.testing.assert_array_equal(state[STATE_FIELDS[name].slice], observation[FIELDS[name].slice])
        if env.terminations[env.agent_selection]:
            return
        env.step(random_action(env, rng))
