"""Euchre as a PettingZoo environment, with the interface of PettingZoo's classics: `env` and `raw_env`.

There is no `parallel_env`: euchre is played in turns. Agents are `player_0` to `player_3`, seats 0 to 3 clockwise;
`player_0` and `player_2` are partners. One action space serves all phases (`actions.py`), and a seat may act twice in a
row: the dealer picks up, then discards. A seat that sits out is not selected.

An observation is a dict of two int8 arrays of 0 and 1: "observation" (`observation.FIELDS`) and "action_mask". The
mask is all zeros for a seat that is not to act and for one that is terminated. `infos` stay empty.

Every agent is rewarded in the step that ends a deal, and all four terminate together.
"""

import copy
import secrets
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import gymnasium
import numpy as np
from gymnasium.spaces import Space
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from euchre_env.checks import shortened
from euchre_env.counter_rng import check_seed, derived_seed
from euchre_env.deal import NOBODY, SEATS, Deal, Seat
from euchre_env.drawing import check_pillow, print_text, render_picture, render_text
from euchre_env.game import Episode
from euchre_env.house_rules import RulesLike, parse_rules
from euchre_env.kernel import Record
from euchre_env.random_streams import RESET
from euchre_env.reset_options import table_arguments
from euchre_env.rewards import Reward, team_rewards
from euchre_env.spaces import action_space, observation_space, state_space
from euchre_env.table import Table
from euchre_env.view import View

AgentID: TypeAlias = str
Observation: TypeAlias = dict[str, np.ndarray]
Action: TypeAlias = Any  # an integer of Python or NumPy; None from an agent that leaves
RenderMode: TypeAlias = Literal["human", "ansi", "rgb_array"]

AGENTS = tuple(f"player_{seat}" for seat in SEATS)
SEAT_OF = {agent: seat for seat, agent in enumerate(AGENTS)}
ILLEGAL_REWARD = -1


def env(
    rules: RulesLike = "standard",
    episode: Episode = "game",
    reward: Reward = "points",
    relative_suits: bool = False,
    render_mode: RenderMode | None = None,
) -> "WrappedEnv":
    """`raw_env` behind the wrappers of PettingZoo's classics.

    An illegal action ends the episode: its agent is paid -1 and the others 0, the only case that is not zero-sum.
    Calls out of order and actions outside the action space raise.
    """
    wrapped = TerminateIllegalWrapper(raw_env(rules, episode, reward, relative_suits, render_mode), ILLEGAL_REWARD)
    return cast("WrappedEnv", OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped)))


class raw_env(AECEnv[AgentID, Any, Action]):  # noqa: N801  # PettingZoo's name
    """The environment without wrappers: an illegal action raises `IllegalActionError` and changes nothing.

    Args:
        rules: a preset's name, text such as "pagat,stick_the_dealer=true", or `HouseRules`.
        episode: "game", or "deal" for a single deal, thrown in or not.
        reward: "points" for the own team's points minus the other's, paid after each deal; "win" for +1 or -1 when
            the game ends.
        relative_suits: show suits as suit XOR s in observation, mask and action, where s is trump (before that the
            upcard's suit; 0 when the Benny is turned up) at the moment of the decision: trump is always 0.
        render_mode: "human" prints the table after every step, "ansi" returns that text, "rgb_array" a picture.

    Attributes:
        table: the `Table`, with all cards open.
        rules: the `HouseRules`.
        state_space: the space of `state`.

    Raises:
        ValueError: if an argument has another value.
        ImportError: if `render_mode` is "rgb_array" and Pillow is not installed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo's name and type
        "name": "euchre_v0",
        "render_modes": list(get_args(RenderMode)),
        "is_parallelizable": False,
        "render_fps": 1,
    }
    table: Table

    def __init__(
        self,
        rules: RulesLike = "standard",
        episode: Episode = "game",
        reward: Reward = "points",
        relative_suits: bool = False,
        render_mode: RenderMode | None = None,
    ) -> None:
        super().__init__()
        self.rules = parse_rules(rules)
        self.episode = _one_of(episode, get_args(Episode), "episode")
        self.reward = _one_of(reward, get_args(Reward), "reward")
        if episode == "deal" and reward == "win":
            raise ValueError('reward "win" is paid for a game; episode "deal" has only reward "points"')
        self.relative_suits = bool(relative_suits)
        self.render_mode = _one_of(render_mode, (None, *get_args(RenderMode)), "render_mode")
        if render_mode == "rgb_array":
            check_pillow()

        self.possible_agents = list(AGENTS)
        self.agents = []
        self.observation_spaces = {agent: observation_space() for agent in AGENTS}
        self.action_spaces = {agent: action_space() for agent in AGENTS}
        self.state_space = state_space()
        # The seeds of unseeded resets are numbers 0, 1, 2, ... of this one; a seeded reset replaces it.
        self._seed_of_resets, self._num_unseeded = secrets.randbits(63), 0

    def observation_space(self, agent: AgentID) -> Space[Any]:
        """The space of `observe`, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: AgentID) -> Space[Any]:
        """The action ids, the same object at every call; `sample(mask)` takes an action mask unchanged."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode.

        Args:
            seed: play this seed from deal number 0, and draw the seeds of later unseeded resets from it. None draws a
                seed; the property `seed` has it.
            options: fix the first deal: `dealer` (a seat), `hands` (four lists of card names or ids; an empty list is
                dealt at random), `upcard`, `kitty` (a list), `deal_number`, `scores` (of the two teams). The seed
                decides options that are missing or None; other keys are ignored.

        Raises:
            ValueError: if the seed or an option is invalid, a key resembles one of these, `scores` end the game, or
                the cards must be dealt again under `no_ace_no_face`; nothing has changed.
        """
        arguments = table_arguments(options)
        seed_of_resets, num_unseeded = self._seed_of_resets, self._num_unseeded
        if seed is None:
            seed = derived_seed(seed_of_resets, RESET, num_unseeded)
            num_unseeded += 1
        else:
            seed_of_resets, num_unseeded = check_seed(seed), 0
        self.table = Table(self.rules, seed, one_deal=self.episode == "deal", **arguments)
        self._seed_of_resets, self._num_unseeded = seed_of_resets, num_unseeded

        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[_seat_to_act(self.table)]
        self._just_paid = False
        if self.render_mode == "human":
            self.render()

    def step(self, action: Action) -> None:
        """Carry out `action` for `agent_selection`, or with None let a terminated agent leave.

        Raises:
            IllegalActionError: if the action is not legal; nothing has changed.
            ValueError: if the agent is terminated and the action is not None.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            return self._was_dead_step(action)
        turn = self.table.step(action, relative_suits=self.relative_suits)
        self._cumulative_rewards[agent] = 0.0
        if self._just_paid:
            self._clear_rewards()
            self._just_paid = False
        if turn == NOBODY:
            self._finish_deal()
        else:
            self.agent_selection = AGENTS[turn]
        if self.render_mode == "human":
            self.render()
        return None

    def observe(self, agent: AgentID) -> Observation:
        """The observation and the action mask of `agent`, at any time after `reset`, as fresh arrays.

        Returns:
            "observation": int8, shape (OBSERVATION_SIZE,); "action_mask": int8, shape (NUM_ACTIONS,), all zeros
            unless the agent is to act.
        """
        observation, mask = self.table.observation(SEAT_OF[agent], self.relative_suits)
        if self.terminations.get(agent, True) or self.truncations[agent]:
            mask.fill(0)  # TerminateIllegalWrapper ends an episode in the middle of a deal
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """The whole position, all cards open, in absolute seats and suits.

        Returns:
            int8, shape (STATE_SIZE,), laid out as `state.STATE_FIELDS`; a fresh array.
        """
        return self.table.state()

    def render(self) -> str | np.ndarray | None:
        """The table as a spectator sees it, every hand face up.

        Returns:
            "ansi": the text; "rgb_array": uint8, shape (height, width, 3); "human": None, the text is printed.
        """
        if self.render_mode is None:
            modes = ", ".join(map(repr, get_args(RenderMode)))
            gymnasium.logger.warn(f"render needs a render_mode, one of {modes}, when the environment is made")
            return None
        if self.render_mode == "rgb_array":
            return render_picture(self.table)
        text = render_text(self.table)
        if self.render_mode == "ansi":
            return text
        print_text(text)
        return None

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""

    @property
    def seed(self) -> int:
        """The seed of the episode: `reset(seed=...)` with it plays the same deals."""
        return self.table.seed

    @property
    def score(self) -> tuple[int, int]:
        """Points of team 0 (players 0 and 2) and team 1 (players 1 and 3) in the game."""
        return self.table.scores

    @property
    def last_deal(self) -> Deal | None:
        """The deal that ended last, a record of dtype DEAL with all its tricks; None before that."""
        return self.table.last_deal

    @property
    def last_result(self) -> Record | None:
        """The result of the deal that ended last, a record of dtype RESULT; None before that."""
        return self.table.last_result

    def legal_actions(self) -> list[int]:
        """The legal action ids of `agent_selection`, those of its mask; none when it is terminated."""
        agent = self.agent_selection
        is_over = self.terminations.get(agent, True) or self.truncations[agent]
        return [] if is_over else self.table.legal_actions(self.relative_suits)

    def view(self, agent: AgentID) -> View:
        """The view of `agent`, a fresh record of dtype VIEW in absolute suits."""
        return self.table.view(SEAT_OF[agent])

    def clone(self) -> "raw_env":
        """An independent environment in the same position, random states included."""
        return copy.deepcopy(self)

    def _finish_deal(self) -> None:
        """Pay the rewards of the deal just ended, and select the next seat or end the episode."""
        assert self.last_result is not None
        by_team = team_rewards(self.last_result, self.reward)
        self.rewards = {agent: by_team[seat & 1] for agent, seat in SEAT_OF.items()}
        self._just_paid = True
        self._accumulate_rewards()
        if self.table.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
            self._deads_step_first()
        else:
            self.agent_selection = AGENTS[_seat_to_act(self.table)]


def _seat_to_act(table: Table) -> Seat:
    assert table.turn is not None
    return table.turn


def _one_of(value: Any, allowed: tuple[Any, ...], name: str) -> Any:
    if not (value is None or isinstance(value, str)) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {shortened(value)}")
    return value


if TYPE_CHECKING:

    class WrappedEnv(OrderEnforcingWrapper[AgentID, Any, Action]):
        """The type of the result of `env`, for type checkers: PettingZoo's own types are too loose."""

        def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            """Observation, cumulative reward, terminated, truncated and info of the agent to act."""
            ...

        @property
        def unwrapped(self) -> raw_env:
            """The environment without wrappers."""
            ...
