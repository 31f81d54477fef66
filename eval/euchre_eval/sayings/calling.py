"""Sayings about calling: which hands are enough, what the upcard is worth, where to call, and "next"."""

from dataclasses import replace

import numpy as np

from euchre_agents import RuleBot
from euchre_agents.rule_bot.bidding import TRUMP_PLACE
from euchre_agents.rule_bot.numbers import PLACES, RULES, RuleNumbers
from euchre_env.actions import FIRST_NAME_ID, ORDER_UP_ID, PASS_ID
from euchre_env.cards import CARDS_IN_SUIT, NO_SUIT, SUIT_OF
from euchre_env.deal import FIRST_ROUND, SECOND_ROUND
from euchre_env.kernel import Records
from euchre_eval.sayings.fitting import fitted, line, zero_of_line
from euchre_eval.sayings.forcing import NO_LABEL, Positions, by_deal, duplicate, play_on, points_after, positions
from euchre_eval.sayings.hands import describe
from euchre_eval.sayings.saying import Figure, Figures, Place, Samples, Saying, Setting, Table
from euchre_eval.workers import Tick

SEATS = ("left of the dealer", "dealer's partner", "right of the dealer", "dealer")
"""The seats in the order of bidding."""


def upcard_suits(views: Records) -> np.ndarray:
    """The suit of each upcard, int64, shape (n,)."""
    return SUIT_OF[views["upcard"], NO_SUIT]


def _order_up_or_pass(found: Positions, setting: Setting, tick: Tick) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The results of ordering up with the partner, the points of it, and the points of passing."""
    number = len(found.games)
    ordered = play_on(found.games, np.full(number, ORDER_UP_ID), setting, tick)
    rows, teams = np.arange(number), found.games["deal"]["turn"] & 1
    points = ordered["points"][rows, teams] - ordered["points"][rows, 1 - teams]
    return ordered, points, points_after(found, np.full(number, PASS_ID), setting, tick)


# Which hand is enough

HANDS = (
    "three trumps with a bower",
    "two bowers and an ace of another suit",
    "three trumps without a bower",
    "two trumps with a bower, and an ace of another suit",
)
GAIN = Table("Order up minus pass, points", HANDS, (*SEATS, "every seat"), ("points",) * 5)
OUTCOME = Table("When it orders up, at every seat", HANDS, ("points", "made", "euchred"), ("points", "share", "share"))


def hand_class(hands: Records) -> np.ndarray:
    """The number in `HANDS` of each hand, `NO_LABEL` for others, int64, shape (n,)."""
    return np.select(
        [
            (hands["trumps"] >= 3) & (hands["bowers"] >= 1),
            (hands["bowers"] == 2) & (hands["other_aces"] >= 1),
            hands["trumps"] >= 3,
            (hands["trumps"] == 2) & (hands["bowers"] == 1) & (hands["other_aces"] >= 1),
        ],
        [0, 1, 2, 3],
        NO_LABEL,
    )


def _measure_enough(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        hands = describe(views, upcard_suits(views))
        kinds = hand_class(hands)
        wanted = (views["phase"] == FIRST_ROUND) & (kinds != NO_LABEL)
        return np.where(wanted, kinds * len(SEATS) + hands["place"], NO_LABEL)

    found = positions(deals, setting, classify, tick, last_phase=FIRST_ROUND)
    ordered, points, passed = _order_up_or_pass(found, setting, tick)
    kinds, places = found.labels // len(SEATS), found.labels % len(SEATS)
    makers = found.games["deal"]["turn"] & 1
    tricks = ordered["tricks"][np.arange(len(makers)), makers]
    samples: Samples = {}
    for kind in range(len(HANDS)):
        for place in range(len(SEATS)):
            here = (kinds == kind) & (places == place)
            samples[GAIN.place(kind, place)] = (points - passed)[here]
        here = kinds == kind
        samples[GAIN.place(kind, len(SEATS))] = by_deal((points - passed)[here], found.those(here))
        for column, values in enumerate((points, tricks >= 3, tricks < 3)):
            samples[OUTCOME.place(kind, column)] = by_deal(values[here], found.those(here))
    return samples


def _judge_enough(figures: Figures) -> str:
    words = []
    for kind in (0, 1):
        signs = [sign_of(figures.get(GAIN.place(kind, place))) for place in range(len(SEATS))]
        good = [SEATS[place] for place, sign in enumerate(signs) if sign > 0]
        better = "at every seat" if len(good) == len(SEATS) else f"for {listed(good)}"
        words.append(f"{HANDS[kind].capitalize()}: ordering up is surely better than passing {better}.")
    return " ".join(words)


def sign_of(figure: Figure | None) -> int:
    """1 if a figure is surely above 0, -1 if surely below, by its 95 % interval; else 0."""
    if figure is None:
        return 0
    return int(figure.mean.low > 0) - int(figure.mean.high < 0)


def listed(words: list[str]) -> str:
    """Words as a list in a sentence; "none" for none."""
    if not words:
        return "none"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


ENOUGH = Saying(
    "enough",
    "Which hand is enough to call?",
    "Three trumps with a bower, or two bowers with an ace of another suit, are usually enough to call.",
    "At each first bid in a deal, a seat with such a hand orders the upcard up, and in the same deal passes; all four "
    "seats play on from there.",
    (GAIN, OUTCOME),
    _measure_enough,
    _judge_enough,
    deals=20_000,
    picture=GAIN.title,
)

# What the upcard is worth

RANKS = ("nine", "ten", "jack", "queen", "king", "ace")
SHARE = Table(
    "The share of the upcard's value that counts",
    SEATS[:3],
    ("for the points when it orders up", "for the gain over passing"),
    ("number", "number"),
)
BREAK_EVEN = Table(
    "The count of the own hand at which ordering up is worth as much as passing",
    RANKS,
    ("dealer's partner", "dealer"),
    ("number",) * 2,
)
PARTNER, DEALER = 1, 3  # in `SEATS`
COUNTS = 200, 900  # of hands near the decision, where the gain is about a line
RULE_OF_THUMB = (-0.5, 0.5, -0.5)


def _measure_upcard(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        hands = describe(views, upcard_suits(views))
        near = (hands["count"] >= COUNTS[0]) & (hands["count"] < COUNTS[1])
        return np.where((views["phase"] == FIRST_ROUND) & near, hands["place"], NO_LABEL)

    found = positions(deals, setting, classify, tick, last_phase=FIRST_ROUND)
    _, points, passed = _order_up_or_pass(found, setting, tick)
    suits, upcards = upcard_suits(found.views), found.views["upcard"]
    counts = describe(found.views, suits)["count"] / 100
    values = np.array(RULES.trumps)[TRUMP_PLACE[suits, upcards]] / 100
    fields = np.column_stack([counts, values, points, points - passed])
    samples: Samples = {}
    for place in range(len(SHARE.rows)):
        for column in range(len(SHARE.columns)):
            samples[SHARE.place(place, column)] = fields[found.labels == place][:, [0, 1, 2 + column]]
    for column, place in enumerate((PARTNER, DEALER)):
        for rank in range(len(RANKS)):
            here = (found.labels == place) & (upcards % 6 == rank)
            samples[BREAK_EVEN.place(rank, column)] = fields[here][:, [0, 3]]
    return samples


def share_of_upcard(samples: np.ndarray, weights: np.ndarray) -> float:
    """How many points of the count a point of the upcard's value is worth; columns count, value, points."""
    _, of_count, of_value = line(samples, weights)
    return float(of_value / of_count)


FEWEST = 30  # positions to fit a line to


def _fit_upcard(samples: Samples) -> Figures:
    figures: dict[Place, Figure] = {}
    for place, each in samples.items():
        if len(each) >= FEWEST:
            figures[place] = fitted(each, share_of_upcard if place.table == SHARE.title else zero_of_line)
    return figures


def _judge_upcard(figures: Figures) -> str:
    words = []
    for row, seat in enumerate(SHARE.rows):
        figure = figures.get(SHARE.place(row, 0))
        if figure is not None:
            rule = RULE_OF_THUMB[row]
            fits = figure.mean.low <= rule <= figure.mean.high
            words.append(f"{seat}: {figure.mean.mean:+.2f}{'' if fits else f', not {rule:+.1f}'}")
    if not words:
        return "Too few deals to say."
    choice = figures.get(SHARE.place(PARTNER, 1))
    about = "" if choice is None else f" For the gain over passing the partner's share is {choice.mean.mean:+.2f}."
    return f"Once it is ordered up, of its value counts: {'; '.join(words)}.{about}"


UPCARD = Saying(
    "upcard",
    "What is the upcard worth?",
    "The upcard helps a dealing partner and arms a dealing opponent: add half its value, or take half of it off.",
    "At each first bid the seat orders up, and in the same deal passes. The points of ordering up, and the gain over "
    "passing, are fitted by lines over the rule player's count of the own hand and the value of the upcard: the share "
    "is how many points of the hand a point of the upcard is worth. Where passing a strong hand is worth as much, "
    "because it euchres a dealer who calls, the gain hardly rises with the hand, and its share is uncertain.",
    (SHARE, BREAK_EVEN),
    _measure_upcard,
    _judge_upcard,
    deals=10_000,
    fit=_fit_upcard,
)

# Where to call

THRESHOLDS = tuple(range(400, 776, 25))
THRESHOLD = Table(
    "Calling from another count, against `rules`, which calls from 6; points per deal",
    tuple(f"{threshold / 100:g}" for threshold in THRESHOLDS),
    ("both rounds", "round one only", "round two only"),
    ("points",) * 3,
)


def calling_from(threshold: int, column: int) -> RuleNumbers:
    """The numbers of `rules` with another threshold, in the rounds of a column of `THRESHOLD`."""
    all_seats = (threshold,) * len(PLACES)
    rounds = (("call_at_first", "call_at_second"), ("call_at_first",), ("call_at_second",))
    return replace(RULES, **dict.fromkeys(rounds[column], all_seats))


def _measure_threshold(deals: range, setting: Setting, tick: Tick) -> Samples:
    baseline, samples = RuleBot(seed=1), dict[Place, np.ndarray]()
    for row, threshold in enumerate(THRESHOLDS):
        for column in range(len(THRESHOLD.columns)):
            other = RuleBot(seed=1, numbers=calling_from(threshold, column), name="other")
            samples[THRESHOLD.place(row, column)] = duplicate(deals, other, baseline, setting, tick)
    return samples


def _judge_threshold(figures: Figures) -> str:
    words = []
    for column, name in enumerate(THRESHOLD.columns):
        found = {
            row: figures[place] for row in range(len(THRESHOLDS)) if (place := THRESHOLD.place(row, column)) in figures
        }
        if found:
            best = max(found, key=lambda row: found[row].mean.mean)
            words.append(f"{name}: {THRESHOLD.rows[best]} is best, {found[best].mean} points per deal")
    return f"{'; '.join(words)}.".capitalize() if words else "Too few deals to say."


CALL_AT_SIX = Saying(
    "call_at_six",
    "Call from a count of 6?",
    "Count the hand (right bower 3, left bower 2.5, ace 2, and so on) and call from 6.",
    "The rule player with another threshold plays `rules` itself, every deal twice with the teams swapped. Seats and "
    "rounds apart, and all other numbers: docs/rules_tuned.md.",
    (THRESHOLD,),
    _measure_threshold,
    _judge_threshold,
    deals=20_000,
    players=("rules",),
    picture=THRESHOLD.title,
)

# Next

CARDS_OF_SUITS = Table(
    "Cards of a suit in each hand after four passes",
    SEATS,
    ("next", "each other suit"),
    ("number", "number"),
)
BONUS = Table(
    "What next is worth over another suit, in points of the rule player's count",
    SEATS,
    ("worth",),
    ("number",),
)


def _measure_next(deals: range, setting: Setting, tick: Tick) -> Samples:
    def classify(views: Records, _chosen: np.ndarray) -> np.ndarray:
        places = (-views["dealer"] - 1) & 3
        return np.where(views["phase"] == SECOND_ROUND, places, NO_LABEL)

    found = positions(deals, setting, classify, tick, last_phase=SECOND_ROUND)
    samples: Samples = {}
    first = found.those(found.labels == 0)
    turned_down = upcard_suits(first.views)
    for place in range(len(SEATS)):
        seats = (first.games["deal"]["dealer"] + 1 + place) & 3
        hands = first.games["deal"]["hands"][np.arange(len(seats)), seats]
        held = {suit: np.bitwise_count(hands & CARDS_IN_SUIT[suit, suit]) for suit in range(4)}
        by_suit = np.column_stack([held[suit] for suit in range(4)]).astype(np.float64)
        rows = np.arange(len(seats))
        following = by_suit[rows, 3 - turned_down]
        others = by_suit.sum(axis=1) - following - by_suit[rows, turned_down]
        samples[CARDS_OF_SUITS.place(place, 0)], samples[CARDS_OF_SUITS.place(place, 1)] = following, others / 2
    passed = points_after(found, np.full(len(found.games), PASS_ID), setting, tick)
    down = upcard_suits(found.views)
    fields = []
    for shift in (1, 2, 3):
        suits = (down + shift) & 3
        named = points_after(found, FIRST_NAME_ID + suits, setting, tick)
        counts = describe(found.views, suits)["count"] / 100
        fields.append(np.column_stack([counts, suits == 3 - down, named - passed]))
    hands = np.stack(fields, axis=1)
    for place in range(len(SEATS)):
        samples[BONUS.place(place, 0)] = hands[found.labels == place]
    return samples


def worth_of_next(samples: np.ndarray, weights: np.ndarray) -> float:
    """How many points of the count next is worth.

    Args:
        samples: for each hand and each of three suits its count, whether it is next, and the gain, shape (n, 3, 3).
        weights: of each hand, shape (n,).
    """
    suits = samples.reshape(-1, 3)
    near = suits[:, 0] >= COUNTS[0] / 100
    return share_of_upcard(suits[near], np.repeat(weights, 3)[near])


def _fit_next(samples: Samples) -> Figures:
    return {
        place: fitted(each, worth_of_next)
        for place, each in samples.items()
        if place.table == BONUS.title and len(each) >= FEWEST
    }


def _judge_next(figures: Figures) -> str:
    dealers, eldest = (
        (figures.get(CARDS_OF_SUITS.place(3, column)) for column in (0, 1)),
        figures.get(BONUS.place(0, 0)),
    )
    following, other = dealers
    if following is None or other is None or eldest is None:
        return "Too few deals to say."
    short = "is short of next" if following.mean.high < other.mean.low else "is not surely short of next"
    return (
        f"After four passes the dealer {short}: {following.mean.mean:.2f} cards against {other.mean.mean:.2f} of each "
        f"other suit. Left of the dealer, next is worth {eldest.mean} points of the count; the rule player adds 0.5."
    )


NEXT = Saying(
    "next",
    "Name next?",
    "When a suit is turned down, the player left of the dealer names the other suit of its colour: the dealer is short "
    "of it.",
    "After four passes the cards of each suit are counted in all hands. Then each seat names each suit in the same "
    "deal, and passes; the gain is fitted by a line over the count of the hand and whether the suit is next. What "
    "other bonuses do for the rule player, seat by seat, is in docs/rules_tuned.md.",
    (CARDS_OF_SUITS, BONUS),
    _measure_next,
    _judge_next,
    deals=20_000,
    fit=_fit_next,
)
