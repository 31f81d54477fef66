"""Sayings about leads: trump or an ace, for the makers and for the defenders."""

import numpy as np

from euchre_env.deal import PLAY
from euchre_env.kernel import Records
from euchre_env.view import LEFT, ME, PARTNER, RIGHT
from euchre_eval.sayings.calling import listed, sign_of
from euchre_eval.sayings.forcing import NO_LABEL, Positions, points_after, positions
from euchre_eval.sayings.hands import cards_of, describe
from euchre_eval.sayings.saying import Figures, Place, Samples, Saying, Setting, Table
from euchre_eval.workers import Tick

HIGHEST_TRUMP, LOWEST_TRUMP, ACE, LOWEST_OTHER, IN_SUIT_OF_ACE = range(5)
"""The columns of `hands.cards_of`."""
NONE = -1


def is_of_the_makers(views: Records) -> np.ndarray:
    """Whether each view's owner is the maker or its partner."""
    return (views["maker"] == ME) | (views["maker"] == PARTNER)


def _difference(found: Positions, first: np.ndarray, second: np.ndarray, setting: Setting, tick: Tick) -> np.ndarray:
    """The points of one card over another in each position."""
    return points_after(found, first, setting, tick) - points_after(found, second, setting, tick)


def compared(
    found: Positions, cards: np.ndarray, first: int, second: int, setting: Setting, tick: Tick
) -> tuple[np.ndarray, np.ndarray]:
    """The positions that have both of two kinds of cards, as a mask, and the points of the first over the second."""
    have_both = (cards[:, first] != NONE) & (cards[:, second] != NONE)
    some = found.those(have_both)
    return have_both, _difference(some, cards[have_both, first], cards[have_both, second], setting, tick)


# The makers

ROLES = (
    "maker with the right bower",
    "maker without it",
    "maker's partner with the right bower",
    "maker's partner without it",
)
SHORT = ("a low card without an ace in hand", "a low card with an ace in hand", "an ace")
AGAINST = ("a low card, no ace in hand", "a low card, an ace in hand", "an ace of another suit")
LEAD_TRUMP = Table("First lead of the makers: highest trump minus", ROLES, AGAINST, ("points",) * 3)


def _measure_lead_trump(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        leads = (views["phase"] == PLAY) & (views["num_played"] == 0) & (views["alone"] == 0)
        wanted = leads & is_of_the_makers(views) & (views["lone_defender"] > 3)
        trumps = np.where(wanted, views["trump"], 0)
        hands = describe(views, trumps)
        roles = 2 * (views["maker"] == PARTNER) + (hands["right"] == 0)
        return np.where(wanted, roles, NO_LABEL)

    found = positions(deals, setting, classify, tick, last_trick=1)
    cards, samples = cards_of(found.views), dict[Place, np.ndarray]()
    has_ace = cards[:, ACE] != NONE
    low, over_low = compared(found, cards, HIGHEST_TRUMP, LOWEST_OTHER, setting, tick)
    ace, over_ace = compared(found, cards, HIGHEST_TRUMP, ACE, setting, tick)
    for role in range(len(ROLES)):
        of_role = found.labels == role
        samples[LEAD_TRUMP.place(role, 0)] = over_low[(of_role & ~has_ace)[low]]
        samples[LEAD_TRUMP.place(role, 1)] = over_low[(of_role & has_ace)[low]]
        samples[LEAD_TRUMP.place(role, 2)] = over_ace[of_role[ace]]
    return samples


def _judge_lead_trump(figures: Figures) -> str:
    words = []
    for role, name in enumerate(ROLES):
        signs = [sign_of(figures.get(LEAD_TRUMP.place(role, column))) for column in range(len(AGAINST))]
        better = [SHORT[column] for column, sign in enumerate(signs) if sign > 0]
        worse = [SHORT[column] for column, sign in enumerate(signs) if sign < 0]
        said = [f"better than {listed(better)}"] * bool(better) + [f"worse than {listed(worse)}"] * bool(worse)
        if said:
            words.append(f"{name.capitalize()}: trump is surely {' and '.join(said)}.")
    return " ".join(words) if words else "No difference beyond chance."


LEAD_TRUMP_SAYING = Saying(
    "lead_trump",
    "Should the makers lead trump?",
    "Lead trump when your side made it and you hold the right bower: it protects the aces of other suits.",
    "At the first lead of each of the makers in the first two tricks of a deal, the seat leads its highest trump and, "
    "in the same deal, its lowest other card or an ace; all seats play on. Lone hands are left out.",
    (LEAD_TRUMP,),
    _measure_lead_trump,
    _judge_lead_trump,
    deals=20_000,
    picture=LEAD_TRUMP.title,
)

# The defenders

WITH = (
    "the ace is the only card of its suit",
    "one more card of its suit",
    "two more or three",
    "the same, all lengths, against a lone maker",
)
SHORTER = ("a lone ace", "one more card of its suit", "two more", "any ace against a lone maker")
INSTEAD = ("the lowest other card", "the highest trump")
LEAD_ACE = Table("Opening lead of a defender: an ace of another suit minus", WITH, INSTEAD, ("points",) * 2)
AGAINST_LONER = 3
SITUATIONS = (
    "no trump in hand",
    "one trump",
    "two trumps or more",
    "the maker plays next",
    "the maker plays last",
)
LEAD_ACE_BY = Table(
    "The same by what is known, against two makers: the ace minus", SITUATIONS, INSTEAD[:1], ("points",)
)


def _measure_lead_ace(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        leads = (views["phase"] == PLAY) & (views["num_played"] == 0) & (views["trick"] == 0)
        wanted = leads & ~is_of_the_makers(views)
        return np.where(wanted, 0, NO_LABEL)

    found = positions(deals, setting, classify, tick, last_trick=0)
    cards = cards_of(found.views)
    kinds = np.where(found.views["alone"] == 1, AGAINST_LONER, np.minimum(cards[:, IN_SUIT_OF_ACE], 3) - 1)
    samples: Samples = {}
    for column, other in enumerate((LOWEST_OTHER, HIGHEST_TRUMP)):
        have_both, points = compared(found, cards, ACE, other, setting, tick)
        for row in range(len(WITH)):
            samples[LEAD_ACE.place(row, column)] = points[kinds[have_both] == row]
        if other == LOWEST_OTHER:
            for row, is_so in enumerate(_situations(found.views[have_both])):
                samples[LEAD_ACE_BY.place(row, 0)] = points[is_so & (kinds[have_both] != AGAINST_LONER)]
    return samples


def _situations(views: Records) -> list[np.ndarray]:
    """For each of `SITUATIONS`, whether it is that of each view."""
    trumps = describe(views, views["trump"])["trumps"]
    return [trumps == 0, trumps == 1, trumps >= 2, views["maker"] == LEFT, views["maker"] == RIGHT]


def _judge_lead_ace(figures: Figures) -> str:
    words = []
    for column, other in enumerate(INSTEAD):
        signs = [sign_of(figures.get(LEAD_ACE.place(row, column))) for row in range(len(WITH))]
        better = [SHORTER[row] for row, sign in enumerate(signs) if sign > 0]
        worse = [SHORTER[row] for row, sign in enumerate(signs) if sign < 0]
        words.append(f"Over {other} an ace surely gains with {listed(better)}")
        words[-1] += f", and loses with {listed(worse)}." if worse else "."
    return " ".join(words)


LEAD_ACE_SAYING = Saying(
    "lead_ace",
    "Should the defenders lead an ace?",
    "On defence lead an ace of another suit early.",
    "At the opening lead a defender leads such an ace and, in the same deal, its lowest other card or its highest "
    "trump; all seats play on.",
    (LEAD_ACE, LEAD_ACE_BY),
    _measure_lead_ace,
    _judge_lead_ace,
    deals=20_000,
    picture=LEAD_ACE.title,
)
