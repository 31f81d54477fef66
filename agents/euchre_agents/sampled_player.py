"""Sampled play: a network that draws its actions from its probabilities instead of playing the likeliest one."""

import numpy as np

from euchre_agents.network import NetworkPlayer
from euchre_agents.perceptron import draw_of_views
from euchre_agents.policy import Explanation
from euchre_agents.view_policy import ViewPolicy, check_decisions
from euchre_env.kernel import Records
from euchre_env.view import View


class SampledPlayer(ViewPolicy):
    """Draws each action from the probabilities of a network, as training does without its random bids.

    Args:
        network: gives the probabilities.
        seed: fixes the random numbers of `act` and `act_batch`; drawn afresh if None.
    """

    stateless = True

    def __init__(self, network: NetworkPlayer, seed: int | None = None) -> None:
        super().__init__(f"{network.name}:sampled", seed)
        self.network = network

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`; a view in other suits draws the same action, in these suits."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        draw_of_views(views, self.network.probabilities(views), keys, actions)
        return actions

    def explain(self, view: View) -> list[Explanation]:
        """See `NetworkPlayer.explain`."""
        return self.network.explain(view)
