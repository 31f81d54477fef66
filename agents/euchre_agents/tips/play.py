"""How `tips` discards, leads and follows, as kernels over views: each choice names its tip."""

from euchre_agents.rule_bot.play import ACES, choose_discard, highest, lowest, seat_winning
from euchre_agents.rule_bot.reasons import Decision
from euchre_agents.tips.advice import (
    AVOID_WHAT_WAS_TURNED_DOWN,
    CANNOT_WIN,
    LEAD_AN_ACE,
    LEAD_LOW,
    LEAVE_IT_TO_PARTNER,
    MAKE_A_VOID,
    MAKERS_LEAD_TRUMP,
    ONLY_TRUMPS_TO_LEAD,
    SECOND_HAND_WAITS,
    WIN_CHEAPLY,
)
from euchre_env.cards import BEATING, CARDS_IN_SUIT, NO_SUIT, SUIT_OF, CardSet
from euchre_env.kernel import kernel
from euchre_env.view import ME, PARTNER, View

FOURTH_TRICK = 3


@kernel
def discard(view: View) -> Decision:
    """The dealer's discard (`MAKE_A_VOID`); without such a card its lowest, trumps last."""
    return Decision(choose_discard(view.hand, view.legal, view.trump).action, MAKE_A_VOID, view.trump, 0)


@kernel
def is_of_the_makers(view: View) -> bool:
    """Whether the view's owner is the maker or its partner."""
    return view.maker == ME or view.maker == PARTNER


@kernel
def turned_down(view: View) -> CardSet:
    """The cards of the suit that four passes turned down; none if the upcard was ordered up."""
    if view.num_passes < 4:
        return 0
    suit = int(SUIT_OF[view.upcard, NO_SUIT])
    return int(CARDS_IN_SUIT[view.trump, suit])


@kernel
def lead(view: View) -> Decision:
    """The card to lead, one of `view.legal`."""
    trump = view.trump
    trumps = view.legal & CARDS_IN_SUIT[trump, trump]
    others = view.legal & ~trumps
    makers = is_of_the_makers(view)
    if makers and trumps and not (view.trick == FOURTH_TRICK and others):
        return Decision(highest(trumps, trump), MAKERS_LEAD_TRUMP, trump, 0)
    if others & ACES:
        return Decision(lowest(others & ACES, trump), LEAD_AN_ACE, trump, 0)
    if not others:
        return Decision(lowest(trumps, trump), ONLY_TRUMPS_TO_LEAD, trump, 0)
    avoided = others & turned_down(view)
    if not makers and avoided and avoided != others:
        return Decision(lowest(others & ~avoided, trump), AVOID_WHAT_WAS_TURNED_DOWN, trump, 0)
    return Decision(lowest(others, trump), LEAD_LOW, trump, 0)


@kernel
def thrown_away(view: View, cards: CardSet) -> int:
    """The card to throw away among `cards`: with a trump, one that is the only card of its suit; else the lowest."""
    if view.hand & CARDS_IN_SUIT[view.trump, view.trump]:
        return choose_discard(view.hand, cards, view.trump).action
    return lowest(cards, view.trump)


@kernel
def follow(view: View) -> Decision:
    """The card to play to a trick to which a card has been led, one of `view.legal`."""
    trump, legal = view.trump, view.legal
    trick = view.played[view.trick]
    winner = seat_winning(view)
    if winner == PARTNER:
        return Decision(thrown_away(view, legal), LEAVE_IT_TO_PARTNER, trump, 0)
    led_card = trick[view.leaders[view.trick]]
    led = SUIT_OF[led_card, trump]
    winning = legal & BEATING[trump, led, trick[winner]]
    others = legal & ~CARDS_IN_SUIT[trump, trump]
    would_ruff = led != trump and winning & CARDS_IN_SUIT[trump, trump] != 0
    partner_is_to_play = view.num_played == 1 and not view.sitting_out >> PARTNER & 1
    if would_ruff and partner_is_to_play and others and not 1 << led_card & ACES:
        return Decision(thrown_away(view, others), SECOND_HAND_WAITS, trump, 0)
    if winning:
        return Decision(lowest(winning, trump), WIN_CHEAPLY, trump, 0)
    return Decision(thrown_away(view, legal), CANNOT_WIN, trump, 0)
