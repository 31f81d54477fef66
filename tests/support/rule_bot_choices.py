"""Shared by the tests of the rule-based player: its choice at a table or a view, by name, and views of a trick."""

import numpy as np

from euchre_agents import RuleBot
from euchre_env.actions import ACTION_NAMES
from euchre_env.cards import NO_CARD, NO_SUIT, SUIT_LETTERS, SUIT_OF, parse_card
from euchre_env.deal import NOBODY, PLAY, legal_plays
from euchre_env.house_rules import parse_rules
from euchre_env.kernel import records, row
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, VIEW

BOT = RuleBot()


def card_set(names):
    """The card set of cards by name: "JC AS"."""
    return sum(1 << parse_card(name) for name in names.split())


def choice_at(view):
    """The name of the rule-based player's choice at `view`; `explain` must agree."""
    views = records(1, VIEW)
    views[0] = view
    action = int(BOT.act_views(views, np.zeros(1, np.int64))[0])
    assert BOT.explain(view)[0].action == action
    return ACTION_NAMES[action]


def choice(table):
    """The name of the rule-based player's choice for the seat to act."""
    return choice_at(table.view(table.turn))


def reason(table):
    """The rule-based player's reason for its choice for the seat to act."""
    return BOT.explain(table.view(table.turn))[0].reason


def view_in_trick(
    hand,
    trick="",
    *,
    trump="S",
    maker=RIGHT,
    dealer=RIGHT,
    upcard="9C",
    upcard_taken=0,
    discard=None,
    gone="",
    sitting_out=None,
    rules="standard",
):
    """The view of a seat that is to play from `hand` to a trick.

    `trick` has the cards played so far, in order, by the seats before this one; `gone` has cards of earlier tricks;
    `sitting_out` is a relative seat.
    """
    views = records(1, VIEW)
    view = row(views)
    views["rules"] = parse_rules(rules).packed()
    view.phase, view.turn, view.hand = PLAY, ME, card_set(hand)
    view.upcard, view.upcard_taken, view.dealer = parse_card(upcard), upcard_taken, dealer
    view.trump, view.maker, view.lone_defender = SUIT_LETTERS.index(trump), maker, NOBODY
    view.discard = NO_CARD if discard is None else parse_card(discard)
    view.sitting_out = 0 if sitting_out is None else 1 << sitting_out
    view.leaders[:], view.played[:] = NOBODY, NO_CARD
    for i, name in enumerate(gone.split()):
        view.played[i // 4, i % 4] = parse_card(name)
    view.trick = (len(gone.split()) + 3) // 4
    seats = [seat for seat in (LEFT, PARTNER, RIGHT) if seat != sitting_out]
    cards = [parse_card(name) for name in trick.split()]
    for seat, card in zip(seats[len(seats) - len(cards) :], cards, strict=True):
        view.played[view.trick, seat] = card
    view.leaders[view.trick] = seats[len(seats) - len(cards)] if cards else ME
    view.num_played = len(cards)
    led = SUIT_OF[cards[0], view.trump] if cards else NO_SUIT
    view.legal = legal_plays(view.hand, led, view.trump)
    return view
