"""What each player calls, leads and plays: deals counted by hand, and intervals over samples."""

from collections import Counter
from math import isnan, nan

import numpy as np
import pytest
from support.tables import play, play_out, table_with

from euchre_env.actions import ACTION_NAMES
from euchre_env.cards import NO_CARD, SUIT_OF
from euchre_env.deal import DEAL, NOBODY, legal_plays, trick_winner
from euchre_env.game import RESULT
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.kernel import as_records, row
from euchre_env.table import Table
from euchre_eval.intervals import mean_of
from euchre_eval.style import COLUMN, COLUMNS, NAMES, FinishedDeals, Measured, count_deals, differences, measure
from euchre_eval.style_page import SECTIONS, measured_text, paint_style, style_table

# docs/rules.md, "A worked deal": spades are trump, seat 0 deals.
HANDS = ("QC KD TH 9C TS", "AD KC AC JH 9H", "JC AS KS AH TD", "JD QH QS QD 9D")
KITTY = "JS TC KH"


def ended(table):
    """The last deal of a table, as the deals that `count_deals` counts."""
    return FinishedDeals(np.array([table.last_result], RESULT), np.array([table.last_deal], DEAL))


def counted(ending, rules="standard"):
    """What each seat did in one deal: by seat, the counts that are not 0."""
    (seats,) = count_deals(ending, parse_rules(rules))
    return [{name: int(number) for name, number in zip(COLUMNS, seat, strict=True) if number} for seat in seats]


def played(actions):
    return counted(ended(play(table_with(HANDS, "9S", KITTY, dealer=0), actions)))


def only(counts, *families):
    return {name: number for name, number in counts.items() if name.startswith(families)}


def test_the_worked_deal_is_counted_as_by_hand():
    # Seat 2, the dealer's partner, orders up at 0:0 and makes four tricks; seat 1 leads twice, and then seat 2.
    seats = played(
        "pass, order up, discard 9C, AD, TD, QD, KD, KC, KS, QS, QC, JC, JD, TS, AC, AS, 9D, 9S, 9H, AH, QH, TH, JH"
    )
    dealers, others = (
        {"deal.own.deals": 1, "deal.own.points": 1, "deal.any.deals": 1},
        {"deal.other.deals": 1, "deal.other.points": -1, "deal.any.deals": 1},
    )
    assert seats[0] == dealers | {"first_trick.last.follows_low": 1}
    assert seats[1] == others | {
        "call.round_one.eldest.chances": 1,
        "call.score.level.chances": 1,
        "lead.opening.defender.ace": 1,
        "lead.later.defender.other": 1,
    }
    call = {"chances": 1, "calls": 1, "made": 1, "points": 1}
    assert seats[2] == dealers | {
        **{f"call.{kind}.{count}": 1 for kind in ("round_one.partner", "score.level") for count in call},
        "lead.later.maker.trump": 2,  # the left bower and the ace; the last lead is no choice
        "first_trick.second.follows_low": 1,
    }
    assert seats[3] == others | {"first_trick.third.follows_low": 1}


def test_a_lone_hand_is_counted_and_its_first_trick_is_not():
    seats = played("pass, order up alone, AD, TD, QD, KC, KS, QS, JC, JD, AC, AS, 9D, 9H, AH, QH, JH")
    assert seats[2]["call.round_one.partner.alone"] == 1
    assert "call.round_one.partner.swept" not in seats[2]
    assert [only(seat, "first_trick", "takes") for seat in seats] == [{}] * 4
    assert only(seats[1], "lead") == {"lead.opening.defender.ace": 1, "lead.later.defender.other": 1}


@pytest.mark.parametrize(
    ("first_trick", "expected"),
    [
        # Seat 2 has no club (its jack is the left bower) and may trump or throw off; seat 3 cannot beat the king.
        ("KC, KS, QS, QC", ("second.trumps_in", "third.trumps_in", "last.follows_low", (1, 1))),
        ("KC, TD, JD, QC", ("second.throws_off", "third.throws_off", "last.follows_low", (1, 0))),
        # Seat 2 has one heart, the ace: it follows high without a choice.
        ("9H, AH, QH, TH", ("second.follows_high", "third.follows_low", "last.follows_low", (0, 0))),
    ],
)
def test_first_trick_play_is_counted_by_position(first_trick, expected):
    seats = played(f"pass, order up, discard 9C, {first_trick}{rest_of(first_trick)}")
    *plays, (choices, taken) = expected
    for seat, what in zip((2, 3, 0), plays, strict=True):
        assert only(seats[seat], "first_trick") == {f"first_trick.{what}": 1}
    found = [seats[2].get(f"takes.second.{count}", 0) for count in ("choices", "taken")]
    assert found == [choices, taken]


def rest_of(first_trick):
    """The rest of the deal by the lowest legal cards, as the names of actions."""
    table = play(table_with(HANDS, "9S", KITTY, dealer=0), f"pass, order up, discard 9C, {first_trick}")
    names, last = [], table.last_deal
    while table.last_deal is last:
        names.append(ACTION_NAMES[table.legal_actions()[0]])
        table.step(table.legal_actions()[0])
    return "".join(f", {name}" for name in names)


def test_a_deal_thrown_in_gives_every_seat_two_chances():
    seats = played(", ".join(["pass"] * 8))
    for seat, place in enumerate(("dealer", "eldest", "partner", "right")):
        chances = {f"call.{when}.{place}.chances": 1 for when in ("round_one", "round_two")}
        dealer = "own" if seat % 2 == 0 else "other"
        deals = {f"deal.{dealer}.deals": 1, "deal.any.deals": 1}
        assert seats[seat] == chances | {"call.score.level.chances": 2} | deals


def result(**facts):
    """The result of a deal that seat 1 made for 1 point in round one, with other facts."""
    results = np.zeros(1, RESULT)
    common = {"maker": 1, "tricks": (1, 4), "points": (0, 1), "lone_defender": NOBODY, "reneged": NOBODY}
    for name, value in (common | facts).items():
        results[name] = value
    return results


def test_the_dealer_who_turned_up_the_benny_had_no_rival():
    seats = counted(FinishedDeals(result(dealer=1, scores=(0, 1)), np.zeros(1, DEAL)))
    assert only(seats[1], "call.benny") == {f"call.benny.{name}": 1 for name in ("chances", "calls", "made", "points")}
    assert [only(seat, "call") for seat in (seats[0], seats[2], seats[3])] == [{}] * 3


@pytest.mark.parametrize(
    ("own", "other", "changes", "score"),
    [
        (0, 0, "", "level"),
        (7, 7, "", "level"),
        (5, 4, "", "ahead"),
        (4, 5, "", "behind"),
        (8, 7, "", "near"),
        (9, 0, "", "near"),
        (7, 8, "", "against"),
        (8, 9, "", "both"),
        (8, 9, ",points_to_win=11", "against"),
        (8, 8, ",win_by=2", "both"),
        (8, 9, ",win_by=2", "against"),
        (9, 8, ",win_by=2", "near"),
        (12, 13, ",win_by=2", "against"),
    ],
)
def test_the_score_is_that_before_the_deal(own, other, changes, score):
    ending = FinishedDeals(result(dealer=0, scores=(other, own + 1)), np.zeros(1, DEAL))
    assert only(counted(ending, f"standard{changes}")[1], "call.score")[f"call.score.{score}.calls"] == 1
    assert (
        len(only(counted(ending, f"standard{changes}")[1], "call.score")) == 4
    )  # chances, calls, made, points; of one score


def test_leads_and_first_tricks_agree_with_a_slow_count():
    rng, seen, ending_of = np.random.default_rng(5), Counter(), []
    for seed in range(60):
        table = Table("standard", seed=seed)
        for _ in play_out(table, rng):
            pass
        ending_of.append(ended(table))
    for ending in ending_of:
        if ending.results["maker"][0] != NOBODY:
            seen.update(slow_count(row(as_records(ending.deals.copy()))))
    joined = FinishedDeals(*(np.concatenate(parts) for parts in zip(*ending_of, strict=True)))
    total = dict(zip(COLUMNS, count_deals(joined, HouseRules()).sum(axis=(0, 1)).tolist(), strict=True))
    assert only({name: number for name, number in total.items() if number}, "lead", "first_trick", "takes") == seen
    assert len(seen) > 30


def slow_count(deal):
    """The names of what happens in one deal, card by card with the kernels of the rules."""
    trump, maker, names = int(deal.trump), int(deal.maker), []
    for trick in range(4):
        leader = int(deal.leaders[trick])
        card = int(deal.played[trick, leader])
        role = "maker" if leader == maker else "partner" if leader == (maker + 2) % 4 else "defender"
        kind = "trump" if SUIT_OF[card, trump] == trump else "ace" if card % 6 == 5 else "other"
        names.append(f"lead.{'later' if trick else 'opening'}.{role}.{kind}")
    if deal.sitting_out:
        return names
    cards = [int(card) for card in deal.played[0]]
    leader = int(deal.leaders[0])
    led = int(SUIT_OF[cards[leader], trump])

    def winner(on_table):
        deal.played[0] = [on_table.get(seat, NO_CARD) for seat in range(4)]
        return int(trick_winner(deal, 0))

    on_table = {leader: cards[leader]}
    for position, who in enumerate(("second", "third", "last"), start=1):
        seat = (leader + position) % 4
        before = winner(on_table)
        hand = sum(1 << int(deal.played[trick, seat]) for trick in range(1, 5)) | 1 << cards[seat]
        legal = [card for card in range(25) if int(legal_plays(hand, led, trump)) >> card & 1]
        takes = {card: winner({**on_table, seat: card}) == seat for card in legal}
        suit = int(SUIT_OF[cards[seat], trump])
        if suit == led:
            kind = "follows_high" if takes[cards[seat]] else "follows_low"
        else:
            kind = "trumps_in" if suit == trump else "throws_off"
        names.append(f"first_trick.{who}.{kind}")
        if len(set(takes.values())) == 2:
            state = "" if who == "second" else f".partner_{'winning' if before == (seat + 2) % 4 else 'losing'}"
            names.append(f"takes.{who}{state}.choices")
            if takes[cards[seat]]:
                names.append(f"takes.{who}{state}.taken")
        on_table[seat] = cards[seat]
    return names


# Intervals


def samples(**columns):
    """Counts of samples, by the columns that are not 0; dots of names are written as two underscores."""
    counts = np.zeros((len(next(iter(columns.values()))), len(COLUMNS)), np.int32)
    for name, values in columns.items():
        counts[:, COLUMN[name.replace("__", ".")]] = values
    return counts


def test_with_one_event_in_each_sample_a_ratio_is_a_mean():
    points = [2, -1, 1, 4, 0]
    found = measure(samples(deal__own__deals=[1] * 5, deal__own__points=points))["deal.own"]
    mean = mean_of(np.array(points, float))
    assert (found.value, found.low, found.high, found.se) == pytest.approx((mean.mean, mean.low, mean.high, mean.se))
    assert found.of == 5


def test_a_ratio_weighs_samples_by_their_events():
    # 2 of 4 and 1 of 1: 3 of 5. Errors: (2 - 0.6 * 4) / 5 and (1 - 0.6) / 5; variance 2 / 1 * (0.08**2 + 0.08**2).
    counts = samples(takes__second__choices=[4, 1], takes__second__taken=[2, 1])
    found = measure(counts)["takes.second"]
    assert (found.value, found.of) == (0.6, 5)
    assert found.se == pytest.approx((2 * 2 * 0.08**2) ** 0.5)
    assert found.high == pytest.approx(min(1, 0.6 + 1.959964 * found.se))


def test_a_share_that_never_varies_has_an_interval_from_its_samples():
    counts = samples(takes__second__choices=[3] * 96 + [0] * 4, takes__second__taken=[0] * 100)
    found = measure(counts)["takes.second"]
    assert (found.value, found.low, found.of) == (0, 0, 288)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 96))
    assert isnan(found.se)
    assert measured_text(found, "takes.second") == "0.0% (to 3.8%)"


def test_games_that_all_have_the_same_share_have_an_interval_too():
    found = measure(samples(takes__second__choices=[2] * 96, takes__second__taken=[1] * 96))["takes.second"]
    assert (found.value, isnan(found.se)) == (0.5, True)
    reach = (1 - 0.025 ** (1 / 96)) / 2
    assert (found.low, found.high) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert measured_text(found, "takes.second") == "50.0% (48.1% to 51.9%)"


def test_the_dealers_advantage_is_half_the_difference():
    own = {"deal__own__deals": [1, 1], "deal__own__points": [1, 2]}
    other = {"deal__other__deals": [1, 1], "deal__other__points": [0, -2]}
    found = measure(samples(**own, **other, deal__any__deals=[2, 2]))["deal.advantage"]
    mean = mean_of(np.array([0.5, 2.0]))
    assert (found.value, found.se) == pytest.approx((mean.mean, mean.se))
    assert found.of == 4


def test_a_difference_is_paired_by_sample():
    one = samples(deal__own__deals=[1] * 4, deal__own__points=[1, 4, -2, 2])
    other = samples(deal__own__deals=[1] * 4, deal__own__points=[0, 3, -3, 1])
    found = differences(one, other)["deal.own"]
    assert found.value == 1
    assert isnan(found.se)  # the same in every sample: no spread to measure
    other = samples(deal__own__deals=[1] * 4, deal__own__points=[0, 3, -3, 2])
    assert differences(one, other)["deal.own"].se == pytest.approx(mean_of(np.array([1.0, 1, 1, 0])).se)


def test_a_difference_of_shares_without_spread_combines_both_intervals():
    # Half of 96 less 0 of 96, whose interval ends at 1 - 0.025 ** (1 / 96).
    none = samples(takes__second__choices=[1] * 96, takes__second__taken=[0] * 96)
    half = samples(takes__second__choices=[1] * 96, takes__second__taken=[0, 1] * 48)
    found, other = differences(half, none)["takes.second"], differences(none, half)["takes.second"]
    reach, spread = 1 - 0.025 ** (1 / 96), 1.959964 * (0.25 / 95) ** 0.5
    assert found.value == 0.5
    assert (found.low, found.high) == pytest.approx((0.5 - (spread**2 + reach**2) ** 0.5, 0.5 + spread))
    assert isnan(found.se)
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))
    assert measured_text(found, "takes.second", is_difference=True) == "+50.0% (+39.3% to +60.1%)"


def test_a_difference_of_two_shares_without_spread_is_not_exact():
    none = samples(takes__second__choices=[1] * 96, takes__second__taken=[0] * 96)
    every = samples(takes__second__choices=[1] * 96, takes__second__taken=[1] * 96)
    found = differences(every, none)["takes.second"]
    reach = 1 - 0.025 ** (1 / 96)
    assert (found.value, found.low, found.high) == pytest.approx((1, 1 - reach * 2**0.5, 1))
    assert differences(none, none)["takes.second"].high == pytest.approx(reach)


def test_a_difference_of_means_without_spread_is_unknown():
    one = samples(deal__own__deals=[1] * 4, deal__own__points=[1, 4, -2, 2])
    same = samples(deal__own__deals=[1] * 4, deal__own__points=[1] * 4)
    found = differences(one, same)["deal.own"]
    assert (found.value, isnan(found.low), isnan(found.se)) == (0.25, True, True)


def test_nothing_counted_and_a_single_sample_have_no_interval():
    found = measure(samples(deal__own__deals=[1], deal__own__points=[2]))
    assert found["deal.own"].value == 2
    assert isnan(found["deal.own"].low)
    assert found["calls.all"] == Measured(nan, nan, nan, nan, 0)
    assert measured_text(found["calls.all"], "calls.all") == "-"
    assert measured_text(found["deal.own"], "deal.own") == "+2.000 ± unknown"


# Tables and pictures


def test_every_line_of_the_table_is_a_statistic_and_all_of_them_are_named():
    lines = [name for section in SECTIONS for name in section.rows]
    assert set(lines) <= set(NAMES)
    assert len(set(lines)) == len(lines)
    assert {name.partition(".")[0] for name in set(NAMES) - set(lines)} == {
        "made",
        "march",
        "euchred",
        "alone",
        "swept",
    }


def test_players_stand_side_by_side_with_their_difference():
    one = samples(takes__second__choices=[1] * 4, takes__second__taken=[1, 0, 1, 1])
    other = samples(takes__second__choices=[1] * 4, takes__second__taken=[0, 0, 1, 0])
    text = style_table({"mine": measure(one), "[b]yours": measure(other)}, differences(one, other))
    (heading,) = [line.split() for line in text.splitlines() if "mine" in line]
    assert heading == ["mine", "[b]yours", "difference"]
    (line,) = [line for line in text.splitlines() if line.split()[:1] == ["second"]]
    assert " ".join(line.split()) == "second 75.0% ± 49.0 25.0% ± 49.0 +50.0% ± 56.6"
    assert "Benny" not in text


def test_one_player_has_a_column_of_how_many():
    text = style_table({"mine": measure(samples(call__benny__chances=[700, 800], call__benny__calls=[700, 800]))})
    assert [line.split()[-1] for line in text.splitlines() if "the Benny turned up" in line] == ["1,500", "1,500"]


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_a_picture_shows_players_in_their_colours(kind, start):
    pytest.importorskip("matplotlib")
    style = measure(samples(takes__second__choices=[1, 1], takes__second__taken=[1, 0]))
    picture = paint_style({"mine": style, "yours": style}, kind)
    assert picture.startswith(start)
    assert picture == paint_style({"mine": style, "yours": style}, kind)
    if kind == "svg":
        assert all(text in picture.decode() for text in ("#0072b2", "#e69f00"))
