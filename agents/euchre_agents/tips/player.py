"""`tips`: a player that follows the usual tips of rule sheets and columns literally (docs/tips.md).

It counts no points of a hand, remembers no cards, and ignores the score. Where the tips are silent it does what
`advice.TIPS` says.
"""

import numpy as np

from euchre_agents.policy import Explanation
from euchre_agents.rule_bot.reasons import Decision
from euchre_agents.tips.advice import DECLINE, MUST_DEFEND_ALONE, TIPS
from euchre_agents.tips.bidding import choose_bid
from euchre_agents.tips.play import discard, follow, lead
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env.actions import DEFEND_ALONE_ID, PASS_ID, actions_in, phrase
from euchre_env.deal import DEFEND, DISCARD, PHASES, PLAY
from euchre_env.kernel import Records, kernel, row
from euchre_env.view import View, batch_of


@kernel
def decide(view: View) -> Decision:
    """The choice for the view's owner, who is to act, and the tip it follows, a number of `advice.TIPS`.

    The choice is one of `view.legal`, which may hold fewer actions than the rules of the game allow.
    """
    if view.phase == PLAY:
        return follow(view) if view.num_played else lead(view)
    if view.phase == DISCARD:
        return discard(view)
    if view.phase == DEFEND:
        if view.legal >> PASS_ID & 1:
            return Decision(PASS_ID, DECLINE, view.trump, 0)
        return Decision(DEFEND_ALONE_ID, MUST_DEFEND_ALONE, view.trump, 0)
    return choose_bid(view)


@kernel
def choose(views: Records, actions: np.ndarray) -> None:
    """Write the choice for each of `views` to `actions`."""
    for i in range(len(views)):
        actions[i] = decide(views[i]).action


class TipsPlayer(ViewPolicy):
    """The player that follows the usual tips literally.

    Args:
        seed: it makes no random choices; the seed is kept for reports.
    """

    stateless = True

    def __init__(self, seed: int | None = None) -> None:
        super().__init__("tips", seed)

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        choose(views, actions)
        return actions

    def explain(self, view: View) -> list[Explanation]:
        """Explain the choice by its tip, and any other legal action by the choice.

        Raises:
            ValueError: if the view's owner is not to act.
        """
        check_view(view)
        view = row(batch_of(view))  # of which Python reads the fields as attributes
        decision = decide(view)
        others = [action for action in actions_in(view.legal) if action != decision.action]
        instead = f"The tips choose {phrase(decision.action, PHASES[view.phase])!r}."
        return [
            Explanation(decision.action, 1.0, None, TIPS[decision.rule].advice),
            *(Explanation(action, 0.0, None, instead) for action in others),
        ]
