"""Sayings about the house rules: what each changes, and whether the dealer should be stuck."""

import numpy as np

from euchre_env.deal import NOBODY
from euchre_env.house_rules import parse_rules
from euchre_eval.sayings.calling import sign_of
from euchre_eval.sayings.fitting import fitted
from euchre_eval.sayings.forcing import play_deals
from euchre_eval.sayings.saying import Figures, Samples, Saying, Setting, Table, ViewsPlayer
from euchre_eval.workers import Tick

VARIANTS = {
    "the dealer must call": "stick_the_dealer=true",
    "Canadian: the dealer's partner orders up only alone": "canadian_loner=order_up",
    "Canadian, both rounds": "canadian_loner=any_call",
    "a lone partner of the dealer: the dealer takes the upcard": "dealer_sits_out_exchange=true",
    "left of the maker leads against a lone hand": "lone_lead=left_of_maker",
    "the upcard may not be put back": "discard_upcard=false",
    "a defender may go alone against a lone maker": "defend_alone=against_loner",
    "no trick at all costs the makers 4": "super_euchre=true",
    "a hand of nines and tens is dealt again": "no_ace_no_face=next_dealer",
}
CHANGES = Table(
    "Each house rule alone, against the standard rules, in the same deals",
    tuple(VARIANTS),
    ("dealer's side, points", "points scored by either side", "euchred", "thrown in"),
    ("points", "points", "share", "share"),
)


def _values(results: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each deal: the dealer's side's points less the others', all points, whether euchred, whether thrown in."""
    rows, dealers, makers = np.arange(len(results)), results["dealer"] & 1, results["maker"] & 1
    points, called = results["points"], results["maker"] != NOBODY
    net = points[rows, dealers] - points[rows, 1 - dealers]
    euchred = called & (results["tricks"][rows, makers] < 3)
    return net, points.sum(axis=1), euchred.astype(np.int64), (~called).astype(np.int64)


def _measure_house_rules(deals: range, setting: Setting, tick: Tick) -> Samples:
    seats: list[ViewsPlayer] = [setting.player] * 4
    samples: Samples = {}
    standard = _values(play_deals(deals, seats, setting, tick))
    for row, changes in enumerate(VARIANTS.values()):
        rules = parse_rules(f"{setting.rules},{changes}")
        for column, values in enumerate(_values(play_deals(deals, seats, setting, tick, rules))):
            samples[CHANGES.place(row, column)] = values - standard[column]
    return samples


def _judge_house_rules(figures: Figures) -> str:
    words = []
    for row, name in enumerate(VARIANTS):
        figure = figures.get(CHANGES.place(row, 0))
        if figure is not None and sign_of(figure):
            words.append(f"{name}: {figure.mean}")
    return (
        f"The dealer's side gains or loses beyond chance with: {'; '.join(words)}." if words else "None beyond chance."
    )


HOUSE_RULES = Saying(
    "house_rules",
    "What does each house rule change?",
    "Each table swears by its rules, and holds the others to spoil the game.",
    "The same deals are played under the standard rules and with one house rule changed, by one player at all seats, "
    "which reads the rules as far as it was made to. The figures are what changes per deal.",
    (CHANGES,),
    _measure_house_rules,
    _judge_house_rules,
    deals=6_000,
)

# The stuck dealer

CALLS = ("named in round one", "named in round two, not by the dealer", "named in round two by the dealer", "thrown in")
STICK = Table(
    "Deals by who names trump",
    CALLS,
    ("of all deals", "euchred", "of all deals, dealer stuck", "euchred, dealer stuck"),
    ("share",) * 4,
)
RESULTS = ("one point", "two for all five", "four for all five alone", "euchred")
SWINGS = Table(
    "What the points come from, standard rules",
    RESULTS,
    ("of all deals", "of the spread of points"),
    ("share", "share"),
)


def _measure_stick(deals: range, setting: Setting, tick: Tick) -> Samples:
    seats: list[ViewsPlayer] = [setting.player] * 4
    samples: Samples = {}
    stuck = parse_rules(f"{setting.rules},stick_the_dealer=true")
    for side, rules in enumerate((setting.rules, stuck)):
        results = play_deals(deals, seats, setting, tick, rules)
        net, _, euchred, thrown_in = _values(results)
        in_round_two = results["num_passes"] >= 4
        kinds = np.select([thrown_in == 1, ~in_round_two, results["maker"] != results["dealer"]], [3, 0, 1], 2)
        for row in range(len(CALLS)):
            samples[STICK.place(row, 2 * side)] = kinds == row
            if row < 3:
                samples[STICK.place(row, 2 * side + 1)] = euchred[kinds == row]
        if side == 0:
            scored = np.abs(net)
            makers = results["maker"] & 1
            swept = (results["maker"] != NOBODY) & (results["tricks"][np.arange(len(net)), makers] == 5)
            outcomes = np.select([euchred == 1, swept & (results["alone"] == 1), swept, scored > 0], [3, 2, 1, 0], -1)
            for row in range(len(RESULTS)):
                samples[SWINGS.place(row, 0)] = outcomes == row
                samples[SWINGS.place(row, 1)] = np.column_stack([outcomes == row, scored**2]).astype(np.float64)
    return samples


def share_of_squares(samples: np.ndarray, weights: np.ndarray) -> float:
    """The share of the weighted second column where the first is 1."""
    return float(weights @ (samples[:, 0] * samples[:, 1]) / (weights @ samples[:, 1]))


def _fit_stick(samples: Samples) -> Figures:
    return {
        place: fitted(each, share_of_squares)
        for place, each in samples.items()
        if place.table == SWINGS.title and each.ndim == 2
    }


def _judge_stick(figures: Figures) -> str:
    thrown_in, stuck = figures.get(STICK.place(3, 0)), figures.get(STICK.place(2, 3))
    spread = {row: figures[place] for row in range(len(RESULTS)) if (place := SWINGS.place(row, 1)) in figures}
    words = []
    if thrown_in is not None:
        words.append(f"{thrown_in.mean.mean:.1%} of the deals are thrown in without it.")
    if stuck is not None:
        words.append(
            f"A stuck dealer, or one who calls in round two anyway, is euchred in {stuck.mean.mean:.0%} of deals."
        )
    if spread:
        shares = [f"{RESULTS[row]} {figure.mean.mean:.0%}" for row, figure in spread.items()]
        words.append(f"The spread of points comes from: {', '.join(shares)}.")
    return " ".join(words)


STICK_SAYING = Saying(
    "stick",
    "Stick the dealer?",
    "Sticking the dealer avoids dull deals and brings euchres, because a stuck dealer is weak; being euchred is the "
    "biggest swing of the game.",
    "The same deals with and without the rule, one player at all seats. The spread of points is the sum of their "
    "squares.",
    (STICK, SWINGS),
    _measure_stick,
    _judge_stick,
    deals=20_000,
    fit=_fit_stick,
)
