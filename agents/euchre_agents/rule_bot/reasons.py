"""The decisions of the rule-based player: the action, the rule that fired, and its sentence."""

from typing import NamedTuple

from euchre_agents.rule_bot.numbers import RuleNumbers
from euchre_env.cards import SUIT_NAMES, Suit


class Decision(NamedTuple):
    """One choice of the rule-based player; kernels return it too."""

    action: int
    rule: int
    """The rule that fired, one of those below."""
    suit: Suit
    """In bidding the suit called or passed on, `NO_SUIT` if no call was allowed; later trump."""
    counted: int
    """In bidding the hand's count for the suit, in hundredths; in play the unseen cards that beat partner's."""


(
    COUNT_IS_LOW,
    COUNT_IS_ENOUGH,
    COUNT_IS_ENOUGH_ALONE,
    MAY_NOT_PASS,
    BENNY_IS_UP,
    BENNY_IS_UP_ALONE,
    LONE_CALL_ONLY,
    NOT_WORTH_A_LONE_CALL,
    NEVER_DEFENDS_ALONE,
    DISCARDS_LONE_CARD,
    DISCARDS_LOWEST,
    MAKER_LEADS_TRUMP,
    LEADS_ACE,
    LEADS_LOWEST,
    MAKERS_LEAD_HIGHEST_TRUMP,
    DEFENDER_LEADS_LOWEST_TRUMP,
    PARTNER_WINS_AND_IT_IS_LAST,
    PARTNER_WINS_FOR_SURE,
    WINS_FOR_SURE,
    LEAVES_IT_TO_PARTNER,
    WINS_CHEAPLY,
    CANNOT_WIN,
    MAY_NOT_DECLINE,
    NOTHING_TO_CALL,
) = range(24)

_LONE_HAND = "it has the right bower, {lone_trumps} trumps or more, and {beside} beside them"
_LONE_HAND_WITH_BENNY = "it has {lone_trumps} trumps or more, the Benny among them, and {beside} beside them"

SENTENCES = {
    COUNT_IS_LOW: "Its count for {suit} is {count:g}, under {call_at:g}.",
    COUNT_IS_ENOUGH: "Its count for {suit} is {count:g}, {call_at:g} or more.",
    COUNT_IS_ENOUGH_ALONE: f"Its count for {{suit}} is {{count:g}}, {{call_at:g}} or more, and {_LONE_HAND}.",
    MAY_NOT_PASS: "It may not pass, and its best count is {count:g}, for {suit}.",
    BENNY_IS_UP: "The Benny is turned up, and the best count is {count:g}, for {suit}.",
    BENNY_IS_UP_ALONE: (
        f"The Benny is turned up, the best count is {{count:g}}, for {{suit}}, and {_LONE_HAND_WITH_BENNY}."
    ),
    LONE_CALL_ONLY: f"It may call only alone, its count for {{suit}} is {{count:g}}, and {_LONE_HAND}.",
    NOT_WORTH_A_LONE_CALL: "It may call only alone, and its hand, with {count:g} for {suit}, is not one for that.",
    NEVER_DEFENDS_ALONE: "It never defends alone.",
    DISCARDS_LONE_CARD: "It discards the lowest card that is the only one of its suit, not a trump and not an ace.",
    DISCARDS_LOWEST: "No card it could spare is the only one of its suit, so it discards its lowest, trumps last.",
    MAKER_LEADS_TRUMP: "The maker with {lead_trumps} trumps or more leads its highest.",
    LEADS_ACE: "It leads an ace of another suit than trump.",
    LEADS_LOWEST: "It has no ace of another suit than trump, so it leads its lowest card outside trump.",
    MAKERS_LEAD_HIGHEST_TRUMP: "With nothing but trumps the makers' side leads its highest.",
    DEFENDER_LEADS_LOWEST_TRUMP: "With nothing but trumps a defender leads its lowest.",
    PARTNER_WINS_AND_IT_IS_LAST: "Partner is winning and it plays last, so it plays its lowest card.",
    PARTNER_WINS_FOR_SURE: "Partner is winning with a card that no unseen card beats, so it plays its lowest card.",
    WINS_FOR_SURE: "Unseen cards that beat partner's: {cards}; this is its cheapest card that none can beat.",
    LEAVES_IT_TO_PARTNER: "Unseen cards that beat partner's: {cards}; it has none that is sure to win, so its lowest.",
    WINS_CHEAPLY: "It plays the cheapest card that wins.",
    CANNOT_WIN: "No card of its wins, so it plays its lowest.",
    MAY_NOT_DECLINE: "It never defends alone by choice, but the action mask forbids to decline.",
    NOTHING_TO_CALL: "The action mask allows no call.",
}


_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def sentence(decision: Decision, numbers: RuleNumbers, call_at: int) -> str:
    """The rule that fired, as a sentence with its count.

    Args:
        decision: the choice.
        numbers: those that it was made with.
        call_at: the count from which the seat calls, in hundredths; it does not matter outside bidding.
    """
    losers = numbers.lone_losers
    return SENTENCES[decision.rule].format(
        suit=SUIT_NAMES[decision.suit] if decision.suit < len(SUIT_NAMES) else "no suit",
        count=decision.counted / 100,
        cards=decision.counted,
        call_at=call_at / 100,
        lone_trumps=_WORDS[numbers.lone_trumps],
        beside="only aces" if losers == 0 else f"at most {_WORDS[losers]} that are no aces",
        lead_trumps=_WORDS[numbers.lead_trumps],
    )
