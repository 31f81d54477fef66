"""The rule-based player, the baseline of every evaluation (docs/rules.md, "The rule-based player").

It sees only a view, ignores the score, and draws no conclusions from the bids of others.
"""

from typing import Literal, TypeAlias

import numpy as np

from euchre_agents.policy import Explanation
from euchre_agents.rule_bot.bidding import call_at, call_count, choose_bid
from euchre_agents.rule_bot.numbers import RULES, RuleNumbers
from euchre_agents.rule_bot.play import choose_discard, choose_follow, choose_lead
from euchre_agents.rule_bot.reasons import MAY_NOT_DECLINE, NEVER_DEFENDS_ALONE, Decision, sentence
from euchre_agents.view_policy import ViewPolicy, check_decisions, check_view
from euchre_env.actions import (
    DEFEND_ALONE_ID,
    NAME,
    NAME_ALONE,
    ORDER_UP,
    ORDER_UP_ALONE,
    PASS_ID,
    actions_in,
    phrase,
)
from euchre_env.cards import SUIT_NAMES, suit_of
from euchre_env.counter_rng import random_below, random_member
from euchre_env.deal import DEFEND, DISCARD, PHASES, PLAY
from euchre_env.kernel import Record, RecordHolder, Records, kernel, row
from euchre_env.view import View, batch_of
from euchre_env.wording import sentence_case

Level: TypeAlias = Literal["easy", "normal"]

ONE_CHOICE_IN = {"easy": 10, "normal": 0}  # how often a level chooses at random; 0 is never


@kernel
def decide(view: View, numbers: Record) -> Decision:
    """The choice for the view's owner, who is to act, and the rule that fired.

    `numbers` has dtype `numbers.NUMBERS`.
    The choice is one of `view.legal`, which may hold fewer actions than the rules of the game allow.
    """
    if view.phase == PLAY:
        return choose_follow(view) if view.num_played else choose_lead(view, numbers)
    if view.phase == DISCARD:
        return choose_discard(view.hand, view.legal, view.trump)
    if view.phase == DEFEND:
        if view.legal >> PASS_ID & 1:
            return Decision(PASS_ID, NEVER_DEFENDS_ALONE, view.trump, 0)
        return Decision(DEFEND_ALONE_ID, MAY_NOT_DECLINE, view.trump, 0)
    return choose_bid(view, numbers)


@kernel
def choose(views: Records, keys: np.ndarray, numbers: Records, one_choice_in: int, actions: np.ndarray) -> None:
    """Write the choice for each of `views` to `actions`, one in `one_choice_in` at random (0: never)."""
    for i in range(len(views)):
        if one_choice_in and random_below(keys[i], 0, 1, one_choice_in) == 0:
            actions[i] = random_member(views[i].legal, keys[i])
        else:
            actions[i] = decide(views[i], numbers[0]).action


class RuleBot(RecordHolder, ViewPolicy):
    """The rule-based player.

    Args:
        level: "normal" keeps to the rules; "easy" makes one choice in ten uniformly at random among the legal actions.
        seed: fixes the random choices; drawn afresh if None.
        numbers: what cards count, where it calls, when it goes alone; those of the baseline by default.
        name: its name in reports; "rules" or "easy", by its level, if None.

    Raises:
        ValueError: if the level is unknown.
    """

    stateless = True

    def __init__(
        self,
        level: Level = "normal",
        seed: int | None = None,
        numbers: RuleNumbers = RULES,
        name: str | None = None,
    ) -> None:
        if level not in ONE_CHOICE_IN:
            raise ValueError(f"level must be one of {', '.join(map(repr, ONE_CHOICE_IN))}, not {level!r}")
        super().__init__(name or ("rules" if level == "normal" else level), seed)
        self.level, self.numbers = level, numbers
        self._packed = numbers.packed()
        self._one_choice_in = ONE_CHOICE_IN[level]

    def act_views(self, views: Records, keys: np.ndarray) -> np.ndarray:
        """See `ViewPolicy.act_views`."""
        check_decisions(views, keys)
        actions = np.empty(len(views), np.int64)
        choose(views, keys, self._packed, self._one_choice_in, actions)
        return actions

    def explain(self, view: View) -> list[Explanation]:
        """Explain each legal action by the rule that fired and its count, from the kernel that decides.

        Raises:
            ValueError: if the view's owner is not to act.
        """
        check_view(view)
        view = row(batch_of(view))  # of which Python reads the fields as attributes
        decision = decide(view, row(self._packed))
        legal = actions_in(view.legal)
        at_random = 1 / self._one_choice_in if self._one_choice_in else 0.0
        explanations: list[Explanation] = []
        for action in legal:
            is_choice = action == decision.action
            probability = at_random / len(legal) + (1 - at_random if is_choice else 0.0)
            reason = self._reason(view, decision) if is_choice else self._why_not(view, action, decision)
            explanations.append(Explanation(action, probability, None, reason))
        return sorted(explanations, key=lambda explanation: -explanation.probability)

    def _reason(self, view: View, decision: Decision) -> str:
        """One sentence on the action that is chosen: the rule that fired."""
        return sentence(decision, self.numbers, call_at(view, row(self._packed)))

    def _why_not(self, view: View, action: int, decision: Decision) -> str:
        """One sentence on an action that is not chosen: its count if it is a call, and the action chosen instead."""
        chosen = f"the rules choose {phrase(decision.action, PHASES[view.phase])!r}"
        if action in ORDER_UP or action in ORDER_UP_ALONE:
            suit = suit_of(int(view.upcard))
        elif action in NAME or action in NAME_ALONE:
            suit = (NAME if action in NAME else NAME_ALONE).argument(action)
        else:
            return f"{sentence_case(chosen)}."
        return f"Its count for {SUIT_NAMES[suit]} is {call_count(view, suit, row(self._packed)) / 100:g}; {chosen}."
