"""What a hand holds for a trump suit, for many views at once."""

import numpy as np

from euchre_agents.rule_bot.bidding import hand_count, place_of, playing_hand
from euchre_agents.rule_bot.numbers import RULES
from euchre_agents.rule_bot.play import ACES
from euchre_env.cards import CARDS_IN_SUIT, SUITS, TRICK_POWER, left_bower, num_members, right_bower
from euchre_env.deal import BIDDING_PHASES
from euchre_env.kernel import Record, Records, kernel, records

HAND = np.dtype(
    [
        ("place", np.int64),  # in the order of bidding, 0 left of the dealer to 3, the dealer
        ("trumps", np.int64),  # number of trumps
        ("right", np.int64),  # 1 with the right bower
        ("bowers", np.int64),  # number of bowers
        ("top", np.int64),  # number of the bowers and the ace of trump
        ("other_aces", np.int64),  # aces of other suits
        ("losers", np.int64),  # cards that are neither trumps nor aces
        ("count", np.int64),  # the rule player's count of the hand alone, in hundredths
    ]
)
BOWERS = np.array([[right_bower(trump), left_bower(trump)] for trump in SUITS], np.int64)


@kernel
def describe_rows(views: Records, trumps: np.ndarray, numbers: Record, out: Records) -> None:
    """Write what the owner of each view holds for a trump suit: in bidding the five cards that it would play with.

    Args:
        views: dtype VIEW, (n,).
        trumps: a suit for each view, int64, (n,).
        numbers: dtype NUMBERS, of `count`.
        out: dtype HAND, (n,).
    """
    for i in range(len(views)):
        view, trump, hand = views[i], trumps[i], out[i]
        cards = playing_hand(view, trump) if view.phase in BIDDING_PHASES else view.hand
        right, left = BOWERS[trump, 0], BOWERS[trump, 1]
        own_trumps = cards & CARDS_IN_SUIT[trump, trump]
        hand.place = place_of(view)
        hand.trumps = num_members(int(own_trumps))
        hand.right = cards >> right & 1
        hand.bowers = hand.right + (cards >> left & 1)
        hand.top = hand.bowers + (1 if own_trumps & ACES else 0)
        hand.other_aces = num_members(int(cards & ACES & ~own_trumps))
        hand.losers = num_members(int(cards & ~own_trumps & ~ACES))
        hand.count = hand_count(cards, trump, numbers)


def describe(views: Records, trumps: np.ndarray) -> Records:
    """What the owner of each view holds for a trump suit, dtype HAND, shape (n,); see `describe_rows`."""
    out = records(len(views), HAND)
    describe_rows(views, trumps, RULES.packed()[0], out)
    return out


@kernel
def card_rows(views: Records, out: np.ndarray) -> None:
    """Write some of the legal cards in the play: highest trump, lowest trump, ace, lowest other; -1 if there is none.

    The ace is one of another suit than trump; "lowest other" is the lowest of the cards that are neither trumps nor
    aces. The fifth number is how many cards of the ace's suit the hand holds.

    Args:
        views: dtype VIEW in the phase PLAY, (n,).
        out: int64, (n, 5).
    """
    for i in range(len(views)):
        view = views[i]
        trump = view.trump
        for k in range(5):
            out[i, k] = -1
        for card in range(24):
            if not view.legal >> card & 1:
                continue
            if CARDS_IN_SUIT[trump, trump] >> card & 1:
                power = TRICK_POWER[trump, trump, card]
                if out[i, 0] < 0 or power > TRICK_POWER[trump, trump, out[i, 0]]:
                    out[i, 0] = card
                if out[i, 1] < 0 or power < TRICK_POWER[trump, trump, out[i, 1]]:
                    out[i, 1] = card
            elif ACES >> card & 1:
                if out[i, 2] < 0:
                    out[i, 2] = card
                    out[i, 4] = num_members(view.hand & CARDS_IN_SUIT[trump, card // 6])
            elif out[i, 3] < 0 or card % 6 < out[i, 3] % 6:
                out[i, 3] = card


def cards_of(views: Records) -> np.ndarray:
    """Cards to choose between at each view in the phase PLAY, int64, shape (n, 5); see `card_rows`."""
    out = np.empty((len(views), 5), np.int64)
    card_rows(views, out)
    return out
