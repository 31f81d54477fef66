"""Small players for the tests of matches, and a prepared `MatchPlayer`."""

import numpy as np

from euchre_eval.match_player import NO_LIMIT, MatchPlayer


class LowestLegal:
    """Plays the first legal action: a pass if legal, else the lowest card. Answers one decision at a time."""

    def act(self, observation, action_mask):
        return int(np.argmax(action_mask))


class HighestLegal:
    """Plays the last legal action, which makes trump alone if legal. Answers batches."""

    stateless = True

    def act(self, observation, action_mask):
        return int(self.act_batch(observation[None], action_mask[None])[0])

    def act_batch(self, observations, action_masks):
        return action_masks.shape[1] - 1 - np.argmax(action_masks[:, ::-1], axis=1)


class SeesAll:
    """Declares that it sees all cards."""

    sees_all = True
    stateless = True

    def act_deals(self, deals, keys):
        raise AssertionError("it is not asked")


class OneAtATime:
    """Asks another player for one decision at a time, without its other abilities."""

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
    """A `MatchPlayer` of `policy`, prepared to play."""
    player = MatchPlayer(policy, name, seed, limit)
    player.prepare()
    return player
