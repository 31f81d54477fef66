"""Sayings about going alone: with what hand, and who leads."""

from dataclasses import replace

import numpy as np

from euchre_env.actions import FIRST_NAME_ALONE_ID, FIRST_NAME_ID, ORDER_UP_ALONE_ID, ORDER_UP_ID, PASS_ID
from euchre_env.deal import BIDDING_PHASES, FIRST_ROUND
from euchre_env.kernel import Records
from euchre_eval.sayings.calling import FEWEST, SEATS, sign_of, upcard_suits
from euchre_eval.sayings.fitting import fitted, line
from euchre_eval.sayings.forcing import (
    LONE_CALLS,
    NO_LABEL,
    Forbidding,
    Positions,
    duplicate,
    net_points,
    play_on,
    positions,
)
from euchre_eval.sayings.hands import describe
from euchre_eval.sayings.saying import Figures, Samples, Saying, Setting, Table
from euchre_eval.workers import Tick

HANDS = (
    "right, left and ace of trump, and an ace or a fourth trump",
    "right bower, three trumps or more, and only aces beside them",
    "other hands with which the player goes alone",
    "hands with which the player calls with its partner",
)
COLUMNS = ("alone minus with partner, points", "all five alone", "euchred alone", "euchred with partner")
LONE = Table("Alone or with the partner", HANDS, COLUMNS, ("points", "share", "share", "share"))
WITHOUT = Table("Never going alone, against the same player", ("the player",), ("points per deal",), ("points",))
BREAK_EVEN = Table(
    "Where going alone is worth as much as the partner",
    (*SEATS, "every seat"),
    ("the rule player's count", "chance of all five"),
    ("number", "share"),
)


def is_call(actions: np.ndarray) -> np.ndarray:
    """Whether each action makes trump, alone or not."""
    return (actions >= ORDER_UP_ID) & (actions < FIRST_NAME_ALONE_ID + 4) & (actions != PASS_ID)


def goes_alone(actions: np.ndarray) -> np.ndarray:
    """Whether each action is a lone call."""
    return (LONE_CALLS >> actions & 1).astype(np.bool_)


def called_suits(views: Records, calls: np.ndarray) -> np.ndarray:
    """The suit that each call makes trump, int64, shape (n,)."""
    named = calls - np.where(calls >= FIRST_NAME_ALONE_ID, FIRST_NAME_ALONE_ID, FIRST_NAME_ID)
    return np.where(views["phase"] == FIRST_ROUND, upcard_suits(views) & 3, named)


def both_calls(views: Records, calls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The call of the same suit with the partner, and alone."""
    suits, first = called_suits(views, calls), views["phase"] == FIRST_ROUND
    return np.where(first, ORDER_UP_ID, FIRST_NAME_ID + suits), np.where(
        first, ORDER_UP_ALONE_ID, FIRST_NAME_ALONE_ID + suits
    )


def _calls(deals: range, setting: Setting, tick: Tick, *, only_alone: bool = False) -> Positions:
    """The positions in which the player calls, where it might do so alone or with its partner."""

    def classify(views: Records, chosen: np.ndarray) -> np.ndarray:
        calls = np.isin(views["phase"], BIDDING_PHASES) & is_call(chosen)
        wanted = calls & goes_alone(chosen) if only_alone else calls
        suits = np.where(wanted, called_suits(views, chosen), 0)
        hands = describe(views, suits)
        kinds = np.select(
            [
                (hands["top"] == 3) & (hands["trumps"] + hands["other_aces"] >= 4),
                (hands["right"] == 1) & (hands["trumps"] >= 3) & (hands["losers"] == 0),
                goes_alone(chosen),
            ],
            [0, 1, 2],
            3,
        )
        return np.where(wanted, kinds, NO_LABEL)

    return positions(deals, setting, classify, tick, last_phase=max(BIDDING_PHASES))


def _measure_alone(deals: range, setting: Setting, tick: Tick) -> Samples:
    found = _calls(deals, setting, tick)
    together, alone = (play_on(found.games, calls, setting, tick) for calls in both_calls(found.views, found.chosen))
    gain = net_points(alone, found.games) - net_points(together, found.games)
    rows, makers = np.arange(len(gain)), found.games["deal"]["turn"] & 1
    tricks_alone, tricks_together = (each["tricks"][rows, makers] for each in (alone, together))
    values = gain, tricks_alone == 5, tricks_alone < 3, tricks_together < 3
    samples: Samples = {
        LONE.place(kind, column): each[found.labels == kind]
        for kind in range(len(HANDS))
        for column, each in enumerate(values)
    }
    counts = describe(found.views, called_suits(found.views, found.chosen))["count"] / 100
    fields = np.column_stack([counts, tricks_alone == 5, gain])
    places = describe(found.views, called_suits(found.views, found.chosen))["place"]
    for row in range(len(BREAK_EVEN.rows)):
        here = places == row if row < len(SEATS) else np.ones(len(places), np.bool_)
        for column in range(len(BREAK_EVEN.columns)):
            samples[BREAK_EVEN.place(row, column)] = fields[here]
    samples[WITHOUT.place(0, 0)] = duplicate(
        deals, Forbidding(setting.player, LONE_CALLS), setting.player, setting, tick
    )
    return samples


def break_even_count(samples: np.ndarray, weights: np.ndarray) -> float:
    """The count at which the fitted gain is 0; the columns are count, whether all five tricks were won, and gain."""
    constant, slope = line(samples[:, [0, 2]], weights)
    return float(-constant / slope)


def break_even_chance(samples: np.ndarray, weights: np.ndarray) -> float:
    """The fitted chance of all five tricks at the count at which the fitted gain is 0."""
    constant, slope = line(samples[:, [0, 1]], weights)
    return float(constant + slope * break_even_count(samples, weights))


def _fit_alone(samples: Samples) -> Figures:
    statistics = (break_even_count, break_even_chance)
    return {
        place: fitted(samples[place], statistic)
        for row in range(len(BREAK_EVEN.rows))
        for column, statistic in enumerate(statistics)
        if len(samples.get(place := BREAK_EVEN.place(row, column), ())) >= FEWEST
    }


def _judge_alone(figures: Figures) -> str:
    pays = [name for row, name in enumerate(HANDS) if sign_of(figures.get(LONE.place(row, 0))) > 0]
    words = [f"Going alone surely pays with: {'; '.join(pays) if pays else 'none of these'}."]
    chance, without = figures.get(BREAK_EVEN.place(len(SEATS), 1)), figures.get(WITHOUT.place(0, 0))
    if chance is not None:
        words.append(
            f"It breaks even where all five tricks come in {chance.mean.mean:.0%} of deals, since being euchred costs "
            "the same alone as with the partner."
        )
    if without is not None:
        words.append(f"Never going alone makes {without.mean} points per deal.")
    return " ".join(words)


ALONE = Saying(
    "alone",
    "When does going alone pay?",
    "Go alone only with a very strong hand, one that can take all five tricks.",
    "Whenever the player calls, it does so with its partner and, in the same deal, alone; all seats play on. The last "
    "table fits lines over the count of the hand, and says where the gain is 0.",
    (LONE, WITHOUT, BREAK_EVEN),
    _measure_alone,
    _judge_alone,
    deals=20_000,
    fit=_fit_alone,
    picture=LONE.title,
)

# Who leads against a lone hand

LEADERS = {
    "left_of_maker": "left of the maker",
    "eldest_else_left_of_maker": "left of the dealer, or of the maker if that is out",
}
LEAD = Table(
    "Who leads, instead of the seat left of the dealer: gain of the lone maker's side",
    tuple(LEADERS.values()),
    ("points per lone call", "all five, more"),
    ("points", "share"),
)


def _measure_lone_lead(deals: range, setting: Setting, tick: Tick) -> Samples:
    found = _calls(deals, setting, tick, only_alone=True)
    rows, makers = np.arange(len(found.games)), found.games["deal"]["turn"] & 1

    def outcome(lead: str) -> tuple[np.ndarray, np.ndarray]:
        rules = replace(setting.rules, lone_lead=lead)
        results = play_on(found.games, found.chosen, setting, tick, rules=rules)
        return net_points(results, found.games), (results["tricks"][rows, makers] == 5).astype(np.int64)

    points, swept = outcome("eldest")
    samples: Samples = {}
    for row, lead in enumerate(LEADERS):
        other_points, other_swept = outcome(lead)
        samples[LEAD.place(row, 0)], samples[LEAD.place(row, 1)] = other_points - points, other_swept - swept
    return samples


def _judge_lone_lead(figures: Figures) -> str:
    found = {name: figures.get(LEAD.place(row, 0)) for row, name in enumerate(LEAD.rows)}
    moved = [f"{name}: {figure.mean}" for name, figure in found.items() if figure is not None and sign_of(figure)]
    if not moved:
        return "No difference beyond chance: it hardly matters who leads against a lone hand."
    return f"Points per lone call that change beyond chance: {'; '.join(moved)}."


LONE_LEAD = Saying(
    "lone_lead",
    "Who should lead against a lone hand?",
    "Tables differ on who leads when the maker is alone, and some hold it to matter much.",
    "Each lone call of the player is played out under each of the three house rules, with the same cards.",
    (LEAD,),
    _measure_lone_lead,
    _judge_lone_lead,
    deals=20_000,
)
