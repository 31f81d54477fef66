"""Small players that the tests of matches share, and one made ready to be asked."""

import numpy as np

from euchre_eval.match_player import NO_LIMIT, MatchPlayer


class LowestLegal:
    """Plays the first legal action there is: passes where it may, else its lowest card. Answers one at a time."""

    def act(self, observation, action_mask):
        return int(np.argmax(action_mask))


class HighestLegal:
    """Plays the last legal action there is, which makes trump alone whenever it can. Answers batches."""

    stateless = True

    def act(self, observation, action_mask):
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations, action_masks):
        return action_masks.shape[1] - 1 - np.argmax(action_masks[:, ::-1], axis=1)


class OneAtATime:
    """Asks another player for one decision at a time, whatever that one could do."""

    def __init__(self, policy):
        self.policy = policy
        self.relative_suits = getattr(policy, "relative_suits", False)

    def act(self, observation, action_mask):
        return self.policy.act(observation, action_mask)


class Answers:
    """Answers every decision with what `answer(observation, action_mask)` returns or raises."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, observation, action_mask):
        return self.answer(observation, action_mask)


def prepared(policy, name="mine", seed=0, limit=NO_LIMIT):
    """A `MatchPlayer` of `policy` that is ready to be asked."""
    player = MatchPlayer(policy, name, seed, limit)
    player.prepare()
    return player
