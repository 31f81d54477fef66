"""The Gymnasium spaces of euchre: one seat's observation, the actions, and the state."""

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from euchre_env.actions import NUM_ACTIONS
from euchre_env.observation import OBSERVATION_SIZE
from euchre_env.state import STATE_SIZE


def observation_space() -> Dict:
    """The space of `observe`: "observation" and "action_mask", int8 of 0 and 1; a fresh space."""
    return Dict(
        {
            "observation": Box(0, 1, (OBSERVATION_SIZE,), np.int8),
            "action_mask": Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )


def action_space() -> Discrete:
    """The action ids; a fresh space."""
    return Discrete(NUM_ACTIONS)


def state_space() -> Box:
    """The whole position, int8 of 0 and 1; a fresh space."""
    return Box(0, 1, (STATE_SIZE,), np.int8)
