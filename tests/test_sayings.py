"""The experiments of the sayings: their figures are those of a plain replay, and planted effects are found."""

import json
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from euchre_agents import RuleBot, ViewPolicy, load
from euchre_agents.rule_bot.bidding import call_count
from euchre_agents.rule_bot.numbers import RULES
from euchre_agents.rule_bot.player import decide
from euchre_env.actions import FIRST_NAME_ALONE_ID, FIRST_NAME_ID, ORDER_UP_ALONE_ID, ORDER_UP_ID, PASS_ID
from euchre_env.cards import CARD_NAMES, CARDS_IN_SUIT, SUIT_LETTERS, cards_in, effective_suit, parse_card
from euchre_env.deal import DISCARD, FIRST_ROUND, NOBODY, OVER, PLAY, SECOND_ROUND, apply, points
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import as_records, records, row
from euchre_env.tables import Tables
from euchre_env.view import VIEW, make_view
from euchre_eval.cli import main
from euchre_eval.match import play_match
from euchre_eval.sayings import SAYINGS, calling, following, leading, lone_hands, measure, reading, table_rules
from euchre_eval.sayings.fitting import fitted, line
from euchre_eval.sayings.forcing import LONE_CALLS, Forbidding, duplicate
from euchre_eval.sayings.saying import Samples, Setting, figures_in, figures_of, put_together, tables_as_json
from euchre_eval.sayings.strength import LEVELS, MATCHES

pytestmark = pytest.mark.compiled  # thousands of decisions

STANDARD = HouseRules()
BOT, NUMBERS = RuleBot(seed=1), row(RULES.packed())
SETTING = Setting(BOT, STANDARD, 0)
DEALS = 25


def tick(_what, _number):
    """What experiments call as they go on."""


# A plain replay: one deal at a time, cards by name


def view_of(deal, rules, seat):
    view = row(records(1, VIEW))
    make_view(deal, np.zeros(2, np.int64), rules, seat, view)
    return view


def choice(deal, rules):
    """The choice of the rule-based player for the seat to act."""
    return int(decide(view_of(deal, rules, deal.turn), NUMBERS).action)


def after(deal, action):
    """The deal at its end after an action, if four rule-based players play on, and the points of the seat's side."""
    rules, copy = row(STANDARD.packed()), row(as_records(np.array([deal])))
    team = int(deal.turn) & 1
    apply(copy, rules, action)
    while copy.phase != OVER:
        apply(copy, rules, choice(copy, rules))
    scored = points(copy, rules)
    return copy, scored[team] - scored[1 - team]


def gain(deal, first, second):
    return after(deal, first)[1] - after(deal, second)[1]


def decisions(num_deals=DEALS):
    """The number of a deal, its record at a decision, the view of the seat to act, and the choice there."""
    for number in range(num_deals):
        tables = Tables(1, STANDARD, seed=0, num_episodes=1, first_episode=number)
        while len(tables):
            deal = row(tables.deals())
            chosen = choice(deal, row(STANDARD.packed()))
            view = view_of(deal, row(STANDARD.packed()), deal.turn)
            if int(view.legal).bit_count() > 1:
                yield number, deal, view, chosen
            tables.step(np.array([chosen]))


class Hand:
    """A hand for a trump suit, by the names of its cards."""

    def __init__(self, cards, trump):
        letter, mate = SUIT_LETTERS[trump], SUIT_LETTERS[3 - trump]
        names = [CARD_NAMES[card] for card in cards]
        self.trumps = [name for name in names if effective_suit(parse_card(name), trump) == trump]
        self.others = [name for name in names if name not in self.trumps]
        self.right = f"J{letter}" in names
        self.bowers = [name for name in names if name in (f"J{letter}", f"J{mate}")]
        self.top = [name for name in names if name in (f"J{letter}", f"J{mate}", f"A{letter}")]
        self.aces = [name for name in self.others if name[0] == "A"]
        self.low = [name for name in self.others if name[0] != "A"]

    def card(self, kind):
        """The id of the highest or the lowest trump, or of the lowest other card that is no ace."""
        order = ["9", "T", "Q", "K", "A"]
        if kind == "low":
            return parse_card(min(self.low, key=lambda name: ("9TJQKA".index(name[0]), "CDHS".index(name[1]))))
        ranked = sorted((n for n in self.trumps if n not in self.bowers), key=lambda name: order.index(name[0]))
        right = [name for name in self.bowers if self.right and name == self.right_name()]
        ranked += [name for name in self.bowers if name not in right] + right
        return parse_card(ranked[-1 if kind == "highest" else 0])

    def right_name(self):
        """The name of the right bower, which the hand holds."""
        plain = [name[1] for name in self.trumps if name[0] != "J"]
        if plain:
            return f"J{plain[0]}"
        return self.top[0] if len(self.bowers) == 1 else self.bowers[0]


def hand_of(view, trump):
    return Hand(cards_in(int(view.hand)), trump)


def bidding_hand(deal, view, call):
    """The five cards with which the bidder would play after a call."""
    if view.dealer != 0 or view.phase == SECOND_ROUND:
        return cards_in(int(view.hand))
    copy = row(as_records(np.array([deal])))
    rules = row(STANDARD.packed())
    apply(copy, rules, call)
    apply(copy, rules, choice(copy, rules))
    return cards_in(int(copy.hands[deal.dealer]))


def assert_same(samples: Samples, expected, table):
    """The samples of a table are those expected by row and column, in any order."""
    here = {place: each for place, each in samples.items() if place.table == table.title and len(each)}
    given = {(place.row, place.column): sorted(each.astype(float).tolist()) for place, each in here.items()}
    assert given == {key: sorted(map(float, each)) for key, each in expected.items()} != {}


def place_of(view):
    return (-int(view.dealer) - 1) % 4


# Calling


def kind_of(hand):
    if len(hand.trumps) >= 3 and hand.bowers:
        return 0
    if len(hand.bowers) == 2 and hand.aces:
        return 1
    if len(hand.trumps) >= 3:
        return 2
    return 3 if len(hand.trumps) == 2 and len(hand.bowers) == 1 and hand.aces else None


def test_what_hands_are_enough_is_what_a_plain_replay_says():
    gains, made, by_deal = defaultdict(list), defaultdict(list), defaultdict(lambda: defaultdict(list))
    for number, deal, view, _ in decisions():
        if view.phase != FIRST_ROUND:
            continue
        kind = kind_of(Hand(bidding_hand(deal, view, ORDER_UP_ID), int(view.upcard) // 6))
        if kind is None:
            continue
        end, ordered = after(deal, ORDER_UP_ID)
        difference = ordered - after(deal, PASS_ID)[1]
        gains[calling.HANDS[kind], calling.SEATS[place_of(view)]].append(difference)
        by_deal[kind][number].append(difference)
        made[kind].append(end.tricks[deal.turn & 1] >= 3)
    for kind, deals in by_deal.items():
        gains[calling.HANDS[kind], "every seat"] = [np.mean(each) for each in deals.values()]
    samples = SAYINGS["enough"].measure(range(DEALS), SETTING, tick)
    assert_same(samples, gains, calling.GAIN)
    figures = figures_of(SAYINGS["enough"], samples)
    shares = {kind: figures[calling.OUTCOME.place(kind, 1)].mean.mean for kind in by_deal}
    euchred = {kind: figures[calling.OUTCOME.place(kind, 2)].mean.mean for kind in by_deal}
    assert all(shares[kind] + euchred[kind] == pytest.approx(1) for kind in by_deal)
    singles = [kind for kind, deals in by_deal.items() if all(len(each) == 1 for each in deals.values())]
    assert {kind: shares[kind] for kind in singles} == {kind: pytest.approx(np.mean(made[kind])) for kind in singles}


def test_the_samples_of_the_upcard_are_counts_values_and_gains():
    expected = defaultdict(list)
    values = {"9": 1, "T": 1.2, "J": 3, "Q": 1.5, "K": 1.7, "A": 2}
    for _, deal, view, _ in decisions():
        if view.phase == FIRST_ROUND and view.dealer != 0:
            suit, value = int(view.upcard) // 6, values[CARD_NAMES[view.upcard][0]]
            share = 0.5 if view.dealer == 2 else -0.5
            count = call_count(view, suit, NUMBERS) / 100 - share * value
            if 2 <= round(count, 2) < 9:
                ordered = after(deal, ORDER_UP_ID)[1]
                for column, scored in enumerate((ordered, ordered - after(deal, PASS_ID)[1])):
                    expected[place_of(view), column].append((round(count, 2), value, scored))
    samples = SAYINGS["upcard"].measure(range(DEALS), SETTING, tick)
    assert len(expected) == 6
    for (place, column), rows in expected.items():
        given = samples[calling.SHARE.place(place, column)].round(2)
        assert sorted(map(tuple, given.tolist())) == sorted(rows)


def test_a_planted_share_of_the_upcard_and_break_even_are_found():
    rng = np.random.default_rng(0)
    counts, values = rng.uniform(2, 9, 4000), rng.choice([1, 1.2, 1.5, 2, 3], 4000)
    gains = 0.3 * (counts + 0.4 * values) - 1.5 + rng.normal(0, 0.5, 4000)
    share, zero = calling.SHARE.place(1, 0), calling.BREAK_EVEN.place(0, 1)
    samples = {share: np.column_stack([counts, values, gains]), zero: np.column_stack([counts, gains - 0.12 * values])}
    figures = figures_of(SAYINGS["upcard"], samples)
    for place, truth in ((share, 0.4), (zero, 5)):
        assert figures[place].mean.low < truth < figures[place].mean.high
        assert 0 < figures[place].mean.se < 0.1
    assert (
        SAYINGS["upcard"]
        .verdict(figures)
        .startswith("Once it is ordered up, of its value counts: dealer's partner: +0.4")
    )


def test_a_threshold_is_judged_as_in_a_match():
    samples = SAYINGS["call_at_six"].measure(range(60), SETTING, tick)
    row_of = {threshold: number for number, threshold in enumerate(calling.THRESHOLDS)}
    for threshold, column in ((450, 0), (700, 1), (700, 2)):
        other = RuleBot(seed=1, numbers=calling.calling_from(threshold, column))
        match = play_match(other, BOT, deals=60, seed=0)
        assert samples[calling.THRESHOLD.place(row_of[threshold], column)].tolist() == match.margins.tolist()
    assert not samples[calling.THRESHOLD.place(row_of[600], 0)].any()


def test_the_cards_of_next_are_counted_in_every_hand():
    expected = defaultdict(list)
    for _, deal, view, _ in decisions(120):
        if view.phase == SECOND_ROUND and view.num_passes == 4:
            down = int(view.upcard) // 6
            for place, seat in enumerate(calling.SEATS):
                cards = cards_in(int(deal.hands[(deal.dealer + 1 + place) % 4]))
                held = [len(Hand(cards, suit).trumps) for suit in range(4)]
                others = [held[suit] for suit in range(4) if suit not in (down, 3 - down)]
                expected[seat, "next"].append(held[3 - down])
                expected[seat, "each other suit"].append(sum(others) / 2)
    assert_same(SAYINGS["next"].measure(range(120), SETTING, tick), expected, calling.CARDS_OF_SUITS)


def test_a_planted_worth_of_next_is_found():
    rng = np.random.default_rng(0)
    counts, is_next = rng.uniform(1, 9, (3000, 3)), np.tile([1.0, 0, 0], (3000, 1))
    gains = np.where(counts < 2, 9, 0.4 * (counts + 0.7 * is_next) - 2) + rng.normal(0, 0.4, counts.shape)
    place = calling.BONUS.place(0, 0)
    figures = figures_of(SAYINGS["next"], {place: np.stack([counts, is_next, gains], axis=2)})
    assert figures[place].mean.low < 0.7 < figures[place].mean.high
    assert figures[place].mean.se < 0.1


# Going alone


def test_what_going_alone_is_worth_is_what_a_plain_replay_says():
    expected = defaultdict(list)
    for _, deal, view, chosen in decisions(40):
        if view.phase not in (FIRST_ROUND, SECOND_ROUND) or chosen == PASS_ID:
            continue
        first = view.phase == FIRST_ROUND
        suit = int(view.upcard) // 6 if first else (chosen - FIRST_NAME_ID) % 4
        together, alone = (
            (ORDER_UP_ID, ORDER_UP_ALONE_ID) if first else (FIRST_NAME_ID + suit, FIRST_NAME_ALONE_ID + suit)
        )
        hand = Hand(bidding_hand(deal, view, together), suit)
        if len(hand.top) == 3 and len(hand.trumps) + len(hand.aces) >= 4:
            kind = 0
        elif hand.right and len(hand.trumps) >= 3 and not hand.low:
            kind = 1
        else:
            kind = 3  # the rule player goes alone with no others
        (lone, of_lone), (both, of_both) = after(deal, alone), after(deal, together)
        team = deal.turn & 1
        values = of_lone - of_both, lone.tricks[team] == 5, lone.tricks[team] < 3, both.tricks[team] < 3
        for column, value in zip(lone_hands.COLUMNS, values, strict=True):
            expected[lone_hands.HANDS[kind], column].append(value)
    samples = SAYINGS["alone"].measure(range(40), SETTING, tick)
    assert_same(samples, expected, lone_hands.LONE)


def test_forbidding_lone_calls_is_playing_without_them():
    never = RuleBot(seed=1, numbers=replace(RULES, lone_trumps=6))
    margins = duplicate(range(400), Forbidding(BOT, LONE_CALLS), BOT, SETTING, tick)
    assert margins.tolist() == play_match(never, BOT, deals=400, seed=0).margins.tolist()
    assert margins.any()


def test_a_planted_break_even_is_found():
    rng = np.random.default_rng(0)
    counts = rng.uniform(5, 11, 4000)
    swept = rng.random(4000) < (counts - 4) / 10
    gains = 0.2 * (counts - 7) + rng.normal(0, 0.5, 4000)
    fields = np.column_stack([counts, swept, gains])
    samples = {lone_hands.BREAK_EVEN.place(0, column): fields for column in range(2)}
    figures = figures_of(SAYINGS["alone"], samples)
    for column, truth in ((0, 7), (1, 0.3)):
        mean = figures[lone_hands.BREAK_EVEN.place(0, column)].mean
        assert mean.low < truth < mean.high


def test_who_leads_matters_only_where_another_seat_leads():
    samples = SAYINGS["lone_lead"].measure(range(300), SETTING, tick)
    lone = [
        deal for _, deal, _, chosen in decisions(300) if chosen in (ORDER_UP_ALONE_ID, *range(FIRST_NAME_ALONE_ID, 37))
    ]
    assert all(len(each) == len(lone) > 3 for each in samples.values())
    if all((deal.turn - deal.dealer) % 4 != 3 for deal in lone):  # no lone maker whose partner is left of the dealer
        assert not samples[lone_hands.LEAD.place(1, 0)].any()


# Leads and other cards


def test_leads_of_the_makers_are_what_a_plain_replay_says():
    expected, seen = defaultdict(list), set()
    for number, deal, view, _ in decisions(60):
        if view.phase != PLAY or view.num_played or view.alone or view.trick > 1 or view.maker not in (0, 2):
            continue
        hand = hand_of(view, int(view.trump))
        role = 2 * (view.maker == 2) + (not hand.right)
        if (number, role) in seen:
            continue
        seen.add((number, role))
        name = leading.ROLES[role]
        if hand.trumps and hand.low:
            column = leading.AGAINST[1 if hand.aces else 0]
            expected[name, column].append(gain(deal, hand.card("highest"), hand.card("low")))
        if hand.trumps and hand.aces:
            ace = min(map(parse_card, hand.aces))
            expected[name, leading.AGAINST[2]].append(gain(deal, hand.card("highest"), ace))
    assert_same(SAYINGS["lead_trump"].measure(range(60), SETTING, tick), expected, leading.LEAD_TRUMP)


def test_leads_of_the_defenders_are_what_a_plain_replay_says():
    expected, by_situation = defaultdict(list), defaultdict(list)
    for _, deal, view, _ in decisions(60):
        if view.phase != PLAY or view.num_played or view.trick or view.maker in (0, 2):
            continue
        hand = hand_of(view, int(view.trump))
        if not hand.aces:
            continue
        ace = min(map(parse_card, hand.aces))
        length = sum(name[1] == CARD_NAMES[ace][1] for name in hand.others)
        name = leading.WITH[3 if view.alone else min(length, 3) - 1]
        if hand.low:
            points_over_low = gain(deal, ace, hand.card("low"))
            expected[name, leading.INSTEAD[0]].append(points_over_low)
            if not view.alone:
                for known in (min(len(hand.trumps), 2), 3 if view.maker == 1 else 4):
                    by_situation[leading.SITUATIONS[known], leading.INSTEAD[0]].append(points_over_low)
        if hand.trumps:
            expected[name, leading.INSTEAD[1]].append(gain(deal, ace, hand.card("highest")))
    samples = SAYINGS["lead_ace"].measure(range(60), SETTING, tick)
    assert_same(samples, expected, leading.LEAD_ACE)
    assert_same(samples, by_situation, leading.LEAD_ACE_BY)


def test_trumping_partners_trick_is_what_a_plain_replay_says():
    expected, seen = defaultdict(list), set()
    for number, deal, view, _ in decisions(120):
        if view.phase != PLAY or view.num_played != 3:
            continue
        trump, cards = int(view.trump), view.played[view.trick]
        led = effective_suit(int(cards[1]), trump)  # the left neighbour has led, partner was second to play
        hand = hand_of(view, trump)
        can_follow = any(effective_suit(parse_card(name), trump) == led for name in hand.trumps + hand.others)
        if led == trump or can_follow or not hand.trumps or not hand.others:
            continue
        followers = [seat for seat in (1, 2, 3) if effective_suit(int(cards[seat]), trump) == led]
        ruffed = any(effective_suit(int(cards[seat]), trump) == trump for seat in (1, 2, 3))
        if ruffed or max(followers, key=lambda seat: cards[seat] % 6) != 2:
            continue
        held = min(len(hand.trumps), 3) - 1
        if (number, held) in seen:
            continue
        seen.add((number, held))
        thrown = hand.card("low") if hand.low else min(map(parse_card, hand.aces))
        difference = gain(deal, hand.card("lowest"), thrown)
        for column in ("makers" if view.maker in (0, 2) else "defenders", "both sides"):
            expected[following.TRUMPS_HELD[held], column].append(difference)
    assert_same(SAYINGS["partners_trick"].measure(range(120), SETTING, tick), expected, following.RUFF)


def test_putting_the_upcard_back_is_what_a_plain_replay_says():
    expected = defaultdict(list)
    for _, deal, view, chosen in decisions(40):
        if view.phase == DISCARD:
            held = len(hand_of(view, int(view.trump)).trumps)
            name = following.TRUMPS_OF_SIX[max(held - 2, 0)]
            expected[name, following.PUT_BACK.columns[0]].append(gain(deal, int(view.upcard), chosen))
            expected[name, following.PUT_BACK.columns[1]].append(chosen == view.upcard)
    assert_same(SAYINGS["put_back"].measure(range(40), SETTING, tick), expected, following.PUT_BACK)


# Reading the bidding


class Believing(RuleBot):
    """The rule player, said to pass rarely with two cards of the upcard's suit or more, or as often as anything."""

    def __init__(self, chance_of_passing):
        super().__init__(seed=1)
        self.chance_of_passing = chance_of_passing

    def probabilities(self, views):
        suits = views["upcard"] // 6
        held = np.bitwise_count(views["hand"] & CARDS_IN_SUIT[suits, suits])
        chances = np.ones((len(views), 37), np.float32)
        chances[(views["phase"] == FIRST_ROUND) & (held >= 2), PASS_ID] = self.chance_of_passing
        return chances


def test_bids_that_say_nothing_change_no_card_and_others_do():
    for chance, changes in ((1.0, False), (1e-6, True)):
        samples = SAYINGS["reading"].measure(range(12), Setting(Believing(chance), STANDARD, 0), tick)
        other = samples[reading.READING.place(3, 0)]
        assert len(other) == 12
        assert other.any() == changes
        gains, per_decision = (samples[reading.READING.place(3, column)] for column in (1, 2))
        assert per_decision.any() <= gains.any()


def test_reading_bids_needs_probabilities():
    with pytest.raises(ValueError, match="player 'rules' gives no probabilities; reading bids needs a network"):
        SAYINGS["reading"].measure(range(2), SETTING, tick)


# House rules and players


class AlwaysPasses(ViewPolicy):
    """Passes if it may, else takes the first legal action."""

    stateless = True

    def act_views(self, views, keys):
        legal = views["legal"]
        lowest = np.array([(int(bits) & -int(bits)).bit_length() - 1 for bits in legal])
        return np.where(legal >> PASS_ID & 1 == 1, PASS_ID, lowest)

    def explain(self, view):
        raise NotImplementedError


def test_a_dealer_who_must_call_throws_no_deal_in():
    samples = SAYINGS["stick"].measure(range(30), Setting(AlwaysPasses("passes", 1), STANDARD, 0), tick)
    stick = table_rules.STICK
    assert samples[stick.place(3, 0)].all()
    assert samples[stick.place(2, 2)].all()
    assert not samples[stick.place(3, 2)].any()


def test_who_names_trump_and_what_it_scores_are_counted_as_by_hand():
    samples = SAYINGS["stick"].measure(range(DEALS), SETTING, tick)
    kinds, spread, euchred = defaultdict(int), defaultdict(int), defaultdict(list)
    last = {}
    for number, deal, _, chosen in decisions():
        last[number] = (deal, chosen)
    for deal, chosen in last.values():
        end, _ = after(deal, chosen)
        if end.maker == NOBODY:
            kinds[3] += 1
            continue
        kind = 0 if end.num_passes < 4 else 1 if end.maker != end.dealer else 2
        kinds[kind] += 1
        euchred[kind].append(end.tricks[end.maker & 1] < 3)
        spread[end.tricks[end.maker & 1] < 3] += max(points(end, row(STANDARD.packed()))) ** 2
    figures = figures_of(SAYINGS["stick"], samples)
    stick = table_rules.STICK
    for kind in range(4):
        assert figures[stick.place(kind, 0)].mean.mean == pytest.approx(kinds[kind] / DEALS)
    for kind, each in euchred.items():
        assert figures[stick.place(kind, 1)].mean.mean == pytest.approx(np.mean(each))
    share = figures[table_rules.SWINGS.place(3, 1)].mean.mean
    assert share == pytest.approx(spread[True] / sum(spread.values()))


def test_a_house_rule_that_decides_nothing_changes_nothing():
    samples = SAYINGS["house_rules"].measure(range(DEALS), SETTING, tick)
    names = list(table_rules.VARIANTS)
    exchange = [samples[table_rules.CHANGES.place(names.index("the upcard may not be put back"), c)] for c in range(4)]
    assert not any(each.any() for each in exchange)  # the rule player never does so here
    stuck = samples[table_rules.CHANGES.place(0, 3)]
    assert stuck.tolist() == [
        -int(thrown) for thrown in SAYINGS["stick"].measure(range(DEALS), SETTING, tick)[table_rules.STICK.place(3, 0)]
    ]


def test_the_strength_of_players_is_that_of_matches():
    samples = SAYINGS["strength"].measure(range(50), SETTING, tick)
    tips = samples[LEVELS.place(MATCHES.index(("tips", "rules")), 0)]
    assert tips.tolist() == play_match(load("tips", seed=1), load("rules", seed=1), deals=50, seed=0).margins.tolist()


# Fits, results, errors


def test_a_line_is_fitted_with_its_weights():
    samples = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [1.0, 100.0]])
    assert line(samples, np.array([1.0, 1, 1, 0])) == pytest.approx([1, 2])


def test_a_fitted_statistic_has_the_usual_error():
    samples = np.random.default_rng(0).normal(3, 2, (900, 1))
    figure = fitted(samples, lambda each, weights: float(np.average(each[:, 0], weights=weights)))
    assert figure.mean.mean == pytest.approx(samples.mean())
    assert figure.mean.se == pytest.approx(2 / 30, rel=0.2)


def test_parts_are_put_together_in_their_order():
    place = calling.CARDS_OF_SUITS.place(0, 0)
    assert put_together([{place: np.array([1, 2])}, {}, {place: np.array([3])}])[place].tolist() == [1, 2, 3]


def test_every_saying_has_tables_of_one_shape_and_a_known_picture():
    for saying in SAYINGS.values():
        titles = [table.title for table in saying.tables]
        assert saying.picture is None or saying.picture in titles
        assert all(len(table.units) == len(table.columns) for table in saying.tables)
        assert saying.claim.endswith(".")
        assert tables_as_json(saying, {})[0]["rows"][0]["figures"][0] is None
        assert isinstance(saying.verdict({}), str)


def test_figures_survive_being_written_and_read():
    samples = SAYINGS["put_back"].measure(range(DEALS), SETTING, tick)
    figures = figures_of(SAYINGS["put_back"], samples)
    written = json.loads(json.dumps({"tables": tables_as_json(SAYINGS["put_back"], figures)}))
    assert {place: each for place, each in figures_in(written).items() if each.number > 1} == {
        place: each for place, each in figures.items() if each.number > 1
    }


def test_a_result_holds_all_that_is_needed_to_repeat_it():
    result = json.loads(json.dumps(measure("put_back", player="rules", deals=3, seed=2)))
    assert {key: result[key] for key in ("saying", "player", "rules", "deals", "seed")} == {
        "saying": "put_back",
        "player": "rules",
        "rules": "standard",
        "deals": 3,
        "seed": 2,
    }
    assert result != measure("put_back", player="rules", deals=3, seed=3)


def test_the_digits_do_not_depend_on_the_number_of_processes(monkeypatch):
    alone = measure("put_back", player="rules", deals=120)
    monkeypatch.setattr("euchre_eval.workers.START_AFTER", 0.0)
    assert measure("put_back", player="rules", deals=120, workers=2) == alone


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["enuogh"], "there is no saying 'enuogh'; did you mean 'enough'?"),
        (["enough", "--player", "rulse"], "unknown player 'rulse'; did you mean 'rules'?"),
        (["enough", "--player", "oracle"], "player 'oracle' does not answer views"),
        (["enough", "--deals", "0"], "deals must be a whole number from 1"),
        (["enough", "--seed", "-1"], "seed must be a whole number from 0"),
    ],
)
def test_mistakes_are_explained_in_one_line(arguments, message, capsys):
    assert main(["sayings", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_without_a_name_the_sayings_are_listed(capsys):
    assert main(["sayings"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(SAYINGS)
    assert main(["sayings", "--json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == SAYINGS.keys()


def test_the_command_prints_figures_in_words_and_as_json(capsys):
    arguments = ["sayings", "put_back", "--player", "rules", "--deals", "4", "--workers", "1"]
    assert main(arguments) == 0
    words = capsys.readouterr().out
    assert SAYINGS["put_back"].claim in words
    assert "| three trumps |" in words
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert SAYINGS["put_back"].verdict(figures_in(result)) in words
    assert result == measure("put_back", player="rules", deals=4)
