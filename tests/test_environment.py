"""What `euchre_v0` adds to the rules: options, masks, rewards, endings, illegal actions, relative suits, copies."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from environments import (
    ALL_PHASES,
    WORKED_ACTIONS,
    WORKED_DEAL,
    everything,
    fast_forward,
    play,
    play_on,
    random_action,
    start,
    wrapped,
)

from euchre_env import euchre_v0
from euchre_env.actions import NUM_ACTIONS, PASS_ID, RELABELLED, IllegalActionError, parse_action
from euchre_env.cards import NO_SUIT, NUM_CARDS, card_names, cards_in, parse_card
from euchre_env.deal import SEATS
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import records, row
from euchre_env.observation import FIELDS, decode
from euchre_env.state import STATE_FIELDS, STATE_SIZE
from euchre_env.table import Table
from euchre_env.view import VIEW, frame_of, relabel_view

AGENTS = euchre_v0.AGENTS
EIGHT_PASSES = ", ".join(["pass"] * 8)


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


# Options of reset


def test_options_fix_the_first_deal():
    deal = start(options={**WORKED_DEAL, "scores": (8, 7)}).table.deal
    assert [set(card_names(hand)) for hand in deal.hands] == [set(hand) for hand in WORKED_DEAL["hands"]]
    assert (deal.upcard, set(card_names(deal.kitty)), deal.dealer) == (parse_card("9S"), {"JS", "TC", "KH"}, 0)


def test_options_fix_no_deal_but_the_first():
    env = play(start(seed=3, options={**WORKED_DEAL, "deal": 7, "scores": (1, 2)}), EIGHT_PASSES)
    reference = Table(seed=3, deal_number=8, dealer=1)
    assert env.table.deal_number == 8
    assert env.table.deal.tobytes() == reference.deal.tobytes()
    assert env.score == (1, 2)
    env.reset(seed=3)
    assert env.table.deal.tobytes() == Table(seed=3).deal.tobytes()


def test_hands_may_be_ids_tuples_and_empty():
    hands = [(), [parse_card(card) for card in WORKED_DEAL["hands"][1]], ["AS", "KS", "JS", "TS", "9S"], []]
    for seed in range(5):
        deal = start(seed=seed, options={"hands": hands, "upcard": parse_card("QS")}).table.deal
        assert set(card_names(deal.hands[1])) == set(WORKED_DEAL["hands"][1])
        assert set(card_names(deal.hands[2])) == set(hands[2])
        assert deal.upcard == parse_card("QS")
        parts = [*deal.hands, 1 << int(deal.upcard), deal.kitty]
        assert sorted(card for part in parts for card in cards_in(part)) == list(range(24))


def test_what_the_options_leave_open_comes_from_the_seed_and_the_deal_number():
    options = {"hands": [[], ["AS", "KS", "JS", "TS", "9S"], [], []]}
    deals = {start(seed=s, options={**options, "deal": n}).table.deal.tobytes() for s in (1, 2) for n in (0, 1)}
    assert len(deals) == 4


def test_the_deal_option_starts_at_that_number():
    env = start(seed=4, options={"deal": 12, "dealer": 2})
    assert env.table.deal_number == 12
    assert env.table.deal.tobytes() == Table(seed=4, deal_number=12, dealer=2).deal.tobytes()


def test_the_dealer_option_leaves_the_cards_as_they_are():
    hands = {start(seed=4, options={"dealer": dealer}).table.deal.hands.tobytes() for dealer in SEATS}
    assert len(hands) == 1
    assert [start(seed=4, options={"dealer": dealer}).agent_selection for dealer in SEATS] == [*AGENTS[1:], AGENTS[0]]


def test_options_that_are_none_are_left_to_the_seed():
    nothing = dict.fromkeys(euchre_v0.OPTIONS)
    for options in (nothing, {}):
        assert everything(start(seed=6, options=options)) == everything(start(seed=6))


@pytest.mark.parametrize("key", ["options", "rules", "seats", "colour", "x", "", 5, ("a",)])
def test_other_unknown_options_are_ignored(key):
    assert everything(start(seed=6, options={key: "whatever"})) == everything(start(seed=6))


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("delaer", "dealer"), ("Dealer", "dealer"), ("dealers", "dealer"), ("first_dealer", "dealer"),
        ("hand", "hands"), ("handz", "hands"), ("HANDS", "hands"),
        ("up_card", "upcard"), ("upcards", "upcard"), ("upcrad", "upcard"),
        ("kity", "kitty"), ("kittys", "kitty"),
        ("deals", "deal"), ("dael", "deal"), ("deal_number", "deal"),
        ("score", "scores"), ("Score", "scores"), ("initial-scores", "scores"),
    ],
)  # fmt: skip
def test_a_key_that_resembles_an_option_is_refused(key, meant):
    with pytest.raises(ValueError, match=f"'{key}'; did you mean '{meant}'"):
        start(options={key: None})


@pytest.mark.parametrize("options", [[], ["dealer"], "dealer", 3])
def test_options_that_are_no_dict_are_refused(options):
    with pytest.raises(ValueError, match="reset options must be a dict"):
        start(options=options)


IMPOSSIBLE = {
    "dealer": [4, -1, 1.0, True, "player_0", [0]],
    "deal": [-1, 2**63, 0.5, "1", True],
    "scores": [(10, 0), (0, 12), (1,), (1, 2, 3), 5, "12", (-1, 0), (1.0, 2), (True, 0)],
    "upcard": ["ZZ", "2S", 25, -1, 1.5, ["9S"], True],
    "kitty": [["9S"], ["9S", "9S", "TS"], "9S TS JS", 3, ["9S", "TS", "JS", "QS"]],
    "hands": [
        5,
        "AS KS JS TS 9S",
        [[], [], []],
        [["AS"], [], [], []],
        [["AS", "AS", "KS", "QS", "JS"], [], [], []],
        [["AS", "KS", "QS", "JS", "TS"], ["AS", "KC", "QC", "JC", "TC"], [], []],
        [["2S", "KS", "QS", "JS", "TS"], [], [], []],
        ["AS KS JS TS 9S", [], [], []],
        [None, [], [], []],
        {0: [], 1: [], 2: [], 3: []},
    ],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in IMPOSSIBLE.items() for value in values])
def test_an_impossible_option_is_refused_and_nothing_changes(key, value):
    env, twin = start(seed=8), start(seed=8)
    with pytest.raises(ValueError, match=r"\w"):
        env.reset(seed=9, options={key: value})
    with pytest.raises(ValueError, match=r"\w"):
        env.reset(options={key: value})
    assert everything(env) == everything(twin)
    env.reset()
    twin.reset()
    assert everything(env) == everything(twin)


def test_cards_given_twice_in_different_places_are_refused():
    with pytest.raises(ValueError, match="9S"):
        start(options={"upcard": "9S", "kitty": ["9S", "TS", "JS"]})


def test_the_benny_may_be_given_under_its_rule_alone():
    assert start("british", options={"upcard": "2S"}).legal_actions() == [*range(28, 36)]
    with pytest.raises(ValueError, match="2S"):
        start("standard", options={"upcard": "2S"})


def test_cards_that_must_be_dealt_again_are_refused():
    options = {"hands": [["9S", "TS", "9H", "TH", "9C"], [], [], []]}
    assert start(options=options).agents
    with pytest.raises(ValueError, match="no_ace_no_face"):
        start("standard,no_ace_no_face=same_dealer", options=options)


@pytest.mark.parametrize("redeal", ["same_dealer", "next_dealer"])
def test_deals_without_ace_or_face_are_passed_over_inside_reset_and_step(redeal):
    rules = f"standard,no_ace_no_face={redeal}"
    number = next(n for n in itertools.count(1) if Table(rules, deal_number=n).deal_number != n)
    env = start(rules, options={"deal": number, "dealer": 0})
    assert env.table.deal_number == number + 1
    assert env.table.deal.dealer == (0 if redeal == "same_dealer" else 1)
    env = play(start(rules, options={"deal": number - 1, "dealer": 0}), EIGHT_PASSES)
    assert env.table.deal_number == number + 1
    assert env.rewards == dict.fromkeys(AGENTS, 0.0)
    assert env.agent_selection == AGENTS[(env.table.deal.dealer + 1) % 4]


# Seeds


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True])
def test_an_impossible_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed"):
        start(seed=seed)


def test_the_seed_of_an_unseeded_reset_plays_the_same_deals():
    env = wrapped()
    env.reset()
    seed, first = env.unwrapped.seed, env.state()
    env.reset()
    assert env.unwrapped.seed != seed
    env.reset(seed=seed)
    np.testing.assert_array_equal(env.state(), first)


def test_a_seed_fixes_the_seeds_that_are_drawn_after_it():
    def drawn(env):
        env.reset(seed=5)
        seeds = []
        for _ in range(50):
            env.reset()
            seeds.append(env.seed)
        return seeds

    env = euchre_v0.raw_env()
    seeds = drawn(env)
    assert drawn(env) == seeds
    assert len(set(seeds)) == 50
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_seed_may_be_a_numpy_integer():
    assert everything(start(seed=np.int64(7))) == everything(start(seed=7))


# Rewards and endings


@pytest.mark.parametrize("episode", ["game", "deal"])
def test_points_are_paid_to_all_four_when_a_deal_ends(episode):
    env = start(options=WORKED_DEAL, episode=episode)
    *before, last = WORKED_ACTIONS.split(", ")
    for action in before:
        play(env, action)
        assert env.rewards == dict.fromkeys(AGENTS, 0)
    play(env, last)
    assert env.rewards == {"player_0": 1, "player_1": -1, "player_2": 1, "player_3": -1}
    assert env.score == (1, 0)
    assert set(env.terminations.values()) == {episode == "deal"}
    assert env.last_result.points.tolist() == [1, 0]
    assert env.last_deal.tricks.tolist() == [4, 1]
    assert (env.last_deal.played < NUM_CARDS).sum() == 20


def test_points_are_paid_in_one_step_alone():
    env = play(start(options=WORKED_DEAL), WORKED_ACTIONS)
    assert env.rewards["player_0"] == 1
    actor = env.agent_selection
    env.step(PASS_ID)
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert env._cumulative_rewards == {"player_0": 1, "player_1": -1, "player_2": 1, "player_3": -1} | {actor: 0}


@pytest.mark.parametrize(("scores", "paid"), [((8, 9), 0), ((9, 8), 1)])
def test_win_pays_once_when_the_game_ends(scores, paid):
    env = play(start(options={**WORKED_DEAL, "scores": scores}, reward="win"), WORKED_ACTIONS)
    assert env.rewards == {"player_0": paid, "player_1": -paid, "player_2": paid, "player_3": -paid}
    assert all(env.terminations.values()) == (paid == 1)


def test_win_pays_the_other_team_when_it_wins():
    hands = WORKED_DEAL["hands"]
    turned = {**WORKED_DEAL, "hands": [hands[3], *hands[:3]], "dealer": 1, "scores": (9, 9)}
    env = play(start(options=turned, reward="win"), WORKED_ACTIONS)
    assert env.rewards == {"player_0": -1, "player_1": 1, "player_2": -1, "player_3": 1}
    assert env.table.winner == 1


def test_the_final_step_is_as_in_the_table_of_the_readme():
    """The last card wins the game 10 to 8; then the four leave in the order of their seats."""
    env = play(start(options={**WORKED_DEAL, "scores": (9, 8)}), WORKED_ACTIONS)
    paid = {"player_0": 1, "player_1": -1, "player_2": 1, "player_3": -1}
    assert env.score == (10, 8)
    assert env.rewards == paid
    assert env._cumulative_rewards == paid
    rows = []
    while env.agents:
        observation, reward, terminated, truncated, info = env.last()
        rows.append((env.agent_selection, reward, terminated, truncated, info, int(observation["action_mask"].sum())))
        env.step(None)
        left = [agent for agent in AGENTS if agent not in [seen[0] for seen in rows]]
        assert env.agents == left
        assert env.rewards == dict.fromkeys(left, 0)
        assert env._cumulative_rewards == {agent: paid[agent] for agent in left}
    assert rows == [(agent, paid[agent], True, False, {}, 0) for agent in AGENTS]


def test_a_thrown_in_deal_pays_nothing_and_ends_a_deal_episode():
    env = play(start(episode="deal"), EIGHT_PASSES)
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert all(env.terminations.values())
    assert env.score == (0, 0)


def test_a_thrown_in_deal_does_not_end_a_game():
    env = play(start(options={"dealer": 3}), EIGHT_PASSES)
    assert env.rewards == dict.fromkeys(AGENTS, 0)
    assert not any(env.terminations.values())
    assert env.table.deal_number == 1
    assert env.agent_selection == "player_1"


def test_an_agent_that_left_or_is_terminated_takes_no_action():
    env = play(start(options={**WORKED_DEAL, "scores": (9, 8)}), WORKED_ACTIONS)
    with pytest.raises(ValueError, match="None"):
        env.step(PASS_ID)
    assert env.agents == list(AGENTS)
    assert env.legal_actions() == []


def test_a_new_game_starts_after_a_reset_in_the_middle_of_leaving():
    env, twin = fast_forward(start(seed=1), np.random.default_rng(0)), start(seed=2)
    env.step(None)
    env.reset(seed=2)
    rngs = np.random.default_rng(4), np.random.default_rng(4)
    for _ in zip(play_on(env, rngs[0]), play_on(twin, rngs[1]), strict=True):
        assert everything(env) == everything(twin)


def test_a_seat_that_sits_out_is_not_selected():
    env = play(start(options=WORKED_DEAL), "pass, order up alone")
    selected = set()
    while env.table.deal_number == 0:
        selected.add(env.agent_selection)
        env.step(env.legal_actions()[0])
    assert selected == {"player_1", "player_2", "player_3"}


def test_a_seat_may_act_twice_in_a_row():
    env = play(start(options={**WORKED_DEAL, "dealer": 0}), "pass, pass, pass")
    play(env, "order up")
    assert env.agent_selection == "player_0"
    assert env.table.phase == "DISCARD"


# Masks and illegal actions


def test_the_mask_is_the_legal_actions_of_the_agent_to_act():
    env, rng = start(ALL_PHASES, seed=2), np.random.default_rng(2)
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


@pytest.mark.parametrize("rules", ["standard", ALL_PHASES])
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
    env, rng = start(ALL_PHASES, seed=6), np.random.default_rng(6)
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


# Copies


def copies(env):
    """The environment deep-copied and pickled, and if it is a raw one, cloned."""
    made = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    return [*made, env.clone()] if isinstance(env, euchre_v0.raw_env) else made


def future(env):
    """What `env` shows over sixty random steps, unseeded resets and samples of the action spaces among them."""
    rng, seen = np.random.default_rng(9), []
    for _ in range(60):
        if env.agents:
            env.step(random_action(env, rng))
        else:
            env.reset()
            seen.append((env.unwrapped.seed, [int(env.action_space(agent).sample()) for agent in AGENTS]))
        seen.append(everything(env))
    return seen


@pytest.mark.compiled  # plays many steps over and over
@pytest.mark.parametrize("make", [wrapped, euchre_v0.raw_env])
def test_a_copy_goes_on_like_the_original_in_every_phase(make):
    env, rng = make(ALL_PHASES, episode="deal"), np.random.default_rng(8)
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
            before = everything(env)
            for other in made:
                assert everything(other) == before
                assert future(other) == expected
            assert everything(env) == before
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
        assert everything(other) == everything(env)


def test_a_copy_keeps_that_an_illegal_action_ended_the_game():
    env = wrapped()
    env.reset(seed=3)
    env.step(parse_action("QC"))
    for other in copies(env):
        assert everything(other) == everything(env)
        while other.agents:
            assert not other.observe(other.agent_selection)["action_mask"].any()
            other.step(None)


def test_the_clone_of_a_wrapped_environment_is_a_raw_one():
    env = wrapped()
    env.reset(seed=3)
    clone = env.unwrapped.clone()
    assert type(clone) is euchre_v0.raw_env
    assert everything(clone) == everything(env)
    play(clone, "pass")
    assert everything(clone) != everything(env)


def test_last_deal_stays_while_the_next_is_played():
    env = play(start(options=WORKED_DEAL), WORKED_ACTIONS)
    kept = env.last_deal.tobytes()
    assert env.last_deal.played[4].tolist() == [parse_card(card) for card in ("TH", "JH", "AH", "QH")]
    play(env, "pass, pass")
    assert env.last_deal.tobytes() == kept
    env.reset()
    assert env.last_deal is None
