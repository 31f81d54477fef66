"""Sayings about the other cards: partner's trick, and the upcard put back."""

import numpy as np

from euchre_agents.rule_bot.play import seat_winning
from euchre_env.cards import NO_CARD, SUIT_OF
from euchre_env.deal import DISCARD, PLAY
from euchre_env.kernel import Records, kernel
from euchre_env.view import PARTNER
from euchre_eval.sayings.calling import listed, sign_of
from euchre_eval.sayings.forcing import NO_LABEL, points_after, positions
from euchre_eval.sayings.hands import cards_of, describe
from euchre_eval.sayings.leading import ACE, LOWEST_OTHER, LOWEST_TRUMP, NONE, is_of_the_makers
from euchre_eval.sayings.saying import Figures, Samples, Saying, Setting, Table
from euchre_eval.workers import Tick

TRUMPS_HELD = ("one trump", "two trumps", "three trumps or more")
SIDES = ("makers", "defenders", "both sides")
RUFF = Table("Trumping partner's winning card minus throwing away, points", TRUMPS_HELD, SIDES, ("points",) * 3)


@kernel
def is_last_over_partner(views: Records, out: np.ndarray) -> None:
    """Write whether each view's owner plays last, cannot follow, and its partner is winning with no trump.

    Args:
        views: dtype VIEW, (n,).
        out: bool, (n,).
    """
    for i in range(len(views)):
        view = views[i]
        out[i] = False
        if view.phase != PLAY or view.num_played != 3 or seat_winning(view) != PARTNER:
            continue
        led = SUIT_OF[view.played[view.trick, view.leaders[view.trick]], view.trump]
        card = view.played[view.trick, PARTNER]
        out[i] = card != NO_CARD and led != view.trump and SUIT_OF[card, view.trump] != view.trump


def _measure_partners_trick(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        wanted = np.empty(len(views), np.bool_)
        is_last_over_partner(views, wanted)
        cards = cards_of(views)
        others = (cards[:, ACE] != NONE) | (cards[:, LOWEST_OTHER] != NONE)
        wanted &= (cards[:, LOWEST_TRUMP] != NONE) & others  # who may trump cannot follow
        held = np.minimum(describe(views, np.minimum(views["trump"], 3))["trumps"], 3) - 1
        return np.where(wanted, held, NO_LABEL)

    found = positions(deals, setting, classify, tick)
    cards = cards_of(found.views)
    thrown = np.where(cards[:, LOWEST_OTHER] != NONE, cards[:, LOWEST_OTHER], cards[:, ACE])
    gain = points_after(found, cards[:, LOWEST_TRUMP], setting, tick) - points_after(found, thrown, setting, tick)
    makers = is_of_the_makers(found.views)
    samples: Samples = {}
    for row in range(len(TRUMPS_HELD)):
        here = found.labels == row
        for column, side in enumerate((makers, ~makers, np.ones(len(makers), np.bool_))):
            samples[RUFF.place(row, column)] = gain[here & side]
    return samples


def _judge_partners_trick(figures: Figures) -> str:
    signs = {row: sign_of(figures.get(RUFF.place(row, 2))) for row in range(len(TRUMPS_HELD))}
    pays = [TRUMPS_HELD[row] for row, sign in signs.items() if sign > 0]
    costs = [TRUMPS_HELD[row] for row, sign in signs.items() if sign < 0]
    words = []
    if costs:
        words.append(f"It surely costs with {listed(costs)}")
    if pays:
        words.append(f"it surely pays with {listed(pays)}")
    return f"{'; '.join(words)}.".capitalize() if words else "No difference beyond chance."


PARTNERS_TRICK = Saying(
    "partners_trick",
    "Trump your partner's trick?",
    "Throw a low card away when your partner is winning the trick.",
    "Last to play, partner winning with a card that is no trump, and no card of the suit led in hand: the seat takes "
    "the trick with its lowest trump and, in the same deal, throws away its lowest other card; all seats play on.",
    (RUFF,),
    _measure_partners_trick,
    _judge_partners_trick,
    deals=20_000,
    picture=RUFF.title,
)

# The upcard put back

TRUMPS_OF_SIX = ("two trumps or fewer", "three trumps", "four trumps", "five trumps", "six trumps")
PUT_BACK = Table(
    "The dealer's six cards: putting the upcard back",
    TRUMPS_OF_SIX,
    ("minus the player's discard, points", "the player does so"),
    ("points", "share"),
)


def _measure_put_back(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        wanted = views["phase"] == DISCARD
        held = describe(views, np.where(wanted, views["trump"], 0))["trumps"]
        return np.where(wanted, np.clip(held - 2, 0, len(TRUMPS_OF_SIX) - 1), NO_LABEL)

    found = positions(deals, setting, classify, tick, last_phase=DISCARD)
    upcards = found.views["upcard"]
    gain = points_after(found, upcards, setting, tick) - points_after(found, found.chosen, setting, tick)
    samples: Samples = {}
    for row in range(len(TRUMPS_OF_SIX)):
        here = found.labels == row
        samples[PUT_BACK.place(row, 0)], samples[PUT_BACK.place(row, 1)] = gain[here], (found.chosen == upcards)[here]
    return samples


def _judge_put_back(figures: Figures) -> str:
    costs = [
        TRUMPS_OF_SIX[row] for row in range(len(TRUMPS_OF_SIX)) if sign_of(figures.get(PUT_BACK.place(row, 0))) < 0
    ]
    pays = [TRUMPS_OF_SIX[row] for row in range(len(TRUMPS_OF_SIX)) if sign_of(figures.get(PUT_BACK.place(row, 0))) > 0]
    return f"It surely costs points with: {listed(costs)}; it surely gains with: {listed(pays)}."


PUT_BACK_SAYING = Saying(
    "put_back",
    "Put the upcard back?",
    "There is hardly a reason for the dealer to discard the card just picked up.",
    "Whenever the dealer has picked up, it discards what the player would and, in the same deal, the upcard; all seats "
    "play on.",
    (PUT_BACK,),
    _measure_put_back,
    _judge_put_back,
    deals=20_000,
)
