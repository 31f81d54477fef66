"""The tips that `tips` follows, in our own words, each with its source."""

from typing import NamedTuple

RULES_SHEETS = "printed rules sheets"
ANDREWS = "Joe Andrews, A Dozen Helpful Hints and Tips (safeharborgames.net, 2014)"
ERRORS = "Common Euchre errors (ohioeuchre.com)"
PROFESSOR = "A Professor, The Law and Practice of the Game of Euchre (1862)"
UNIVERSE = "Another leading tip (euchreuniverse.blogspot.com, 2006)"
NO_TIP = "no tip; the player must choose something"


class Tip(NamedTuple):
    """One tip, or what the player does where no tip helps."""

    advice: str
    """What to do, as one sentence."""
    source: str


(
    ENOUGH,
    ASSIST,
    ELDEST_AGAINST_DEALER,
    THIRD_AGAINST_DEALER,
    NEXT,
    CROSS,
    ALONE,
    NO_REASON_TO_CALL,
    MUST_CALL,
    DECLINE,
    MUST_DEFEND_ALONE,
    MAKE_A_VOID,
    MAKERS_LEAD_TRUMP,
    LEAD_AN_ACE,
    AVOID_WHAT_WAS_TURNED_DOWN,
    LEAD_LOW,
    ONLY_TRUMPS_TO_LEAD,
    LEAVE_IT_TO_PARTNER,
    SECOND_HAND_WAITS,
    WIN_CHEAPLY,
    CANNOT_WIN,
) = range(21)

TIPS: dict[int, Tip] = {
    ENOUGH: Tip(
        "Three trumps with a bower are enough to call, and so are two bowers with an ace of another suit.", RULES_SHEETS
    ),
    ASSIST: Tip(
        "Order up for a dealing partner with a trump and two sure tricks: a bower, the ace of trump or another ace "
        "is one.",
        ANDREWS,
    ),
    ELDEST_AGAINST_DEALER: Tip(
        "Left of the dealer, order up only with both bowers, with three trumps and a bower, or with two of the three "
        "highest trumps and an ace of another suit.",
        ANDREWS,
    ),
    THIRD_AGAINST_DEALER: Tip(
        "Right of the dealer, order up only with two of the three highest trumps and an ace of another suit.", ANDREWS
    ),
    NEXT: Tip("Left of the dealer, name the suit of the same colour as the one turned down, if you hold any.", ANDREWS),
    CROSS: Tip(
        "As the dealer's partner, name the better suit of the other colour with a trump and two sure tricks.", PROFESSOR
    ),
    ALONE: Tip(
        "Go alone with the right bower, the left bower and the ace of trump, and a further trump or an ace.",
        RULES_SHEETS,
    ),
    NO_REASON_TO_CALL: Tip("No tip says that this hand is enough to call, so pass.", NO_TIP),
    MUST_CALL: Tip("If you may not pass, name the suit of which you hold most, of equals the higher cards.", NO_TIP),
    DECLINE: Tip("No tip says to defend alone, so decline.", NO_TIP),
    MUST_DEFEND_ALONE: Tip("Defend alone if nothing else is allowed.", NO_TIP),
    MAKE_A_VOID: Tip("Discard a low card that is the only one of its suit, to trump that suit later.", PROFESSOR),
    MAKERS_LEAD_TRUMP: Tip(
        "Lead your highest trump when your side made it, but to the fourth trick only if you have nothing else.", ERRORS
    ),
    LEAD_AN_ACE: Tip("Do not lead trump against the makers: lead an ace of another suit.", ERRORS),
    AVOID_WHAT_WAS_TURNED_DOWN: Tip("Do not lead the suit that was turned down, if you have another.", UNIVERSE),
    LEAD_LOW: Tip("Without an ace, lead the lowest card of another suit than trump.", NO_TIP),
    ONLY_TRUMPS_TO_LEAD: Tip("Lead the lowest trump against the makers if you have nothing else.", NO_TIP),
    LEAVE_IT_TO_PARTNER: Tip("Do not take a trick that your partner is winning: throw away a low card.", ERRORS),
    SECOND_HAND_WAITS: Tip("Second to play, trump nothing but an ace: your partner may win.", ANDREWS),
    WIN_CHEAPLY: Tip("Win the trick if you can, with the lowest card that does.", PROFESSOR),
    CANNOT_WIN: Tip(
        "Throw away a low card where you cannot win; with a trump, one that is the only card of its suit.", PROFESSOR
    ),
}
"""By the number that a `Decision` names as its rule."""
