"""The rewards of `euchre_v0`, and the end of an episode for the four agents."""

import numpy as np
import pytest
from support.environments import (
    WORKED_ACTIONS,
    WORKED_DEAL,
    fast_forward,
    play_on,
    snapshot,
    start,
)
from support.tables import play

from euchre_env import euchre_v0
from euchre_env.actions import PASS_ID
from euchre_env.cards import NUM_CARDS, parse_card

AGENTS = euchre_v0.AGENTS
EIGHT_PASSES = ", ".join(["pass"] * 8)


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
    """The last card wins the game 10 to 8; then the agents leave in the order of their seats."""
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
        assert snapshot(env) == snapshot(twin)


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


def test_last_deal_stays_while_the_next_is_played():
    env = play(start(options=WORKED_DEAL), WORKED_ACTIONS)
    kept = env.last_deal.tobytes()
    assert env.last_deal.played[4].tolist() == [parse_card(card) for card in ("TH", "JH", "AH", "QH")]
    play(env, "pass, pass")
    assert env.last_deal.tobytes() == kept
    env.reset()
    assert env.last_deal is None
