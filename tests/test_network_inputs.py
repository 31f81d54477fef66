"""The input vector of networks: each derived place says what its field means, and nothing of hidden cards.

The meanings are defined a second time here, in plain Python over the names of cards, after docs/rules.md, "Cards".
"""

import random
from typing import Any

import numpy as np
import pytest
from support.hidden_worlds import redealt
from support.rules import EVERYTHING, RULE_SETS
from support.tables import HOUSE_RULES, play_out

from euchre_agents.encoder import INPUT_FIELDS, INPUT_SIZE, MOST_ACTIVE, InputEncoder
from euchre_env.cards import BENNY, BENNY_NAME, CARD_NAMES, NO_CARD, NO_SUIT, SUIT_LETTERS, SUIT_NAMES
from euchre_env.deal import NOBODY, PHASES, SEATS
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import as_records, row
from euchre_env.observation import FIELDS, encode
from euchre_env.relative_suits import frame_of, relabel_view
from euchre_env.state import HIDDEN_SIZE
from euchre_env.table import Table
from euchre_env.view import SEAT_NAMES

pytestmark = pytest.mark.compiled  # thousands of positions

SAME_COLOUR = {"C": "S", "S": "C", "D": "H", "H": "D"}
RANKS = "9TJQKA"


# The meanings, over names such as "JC"; a suit is a letter, a set of cards a set of names


def suit_in_play(card, trump):
    """The suit to which a card belongs: the other jack of trump's colour and the Benny are trumps."""
    return trump if card in (BENNY_NAME, "J" + SAME_COLOUR[trump]) else card[1]


def strength(card, led, trump):
    """How a card ranks in a trick: the highest number wins, 0 never wins."""
    if suit_in_play(card, trump) == trump:
        jacks = ["J" + SAME_COLOUR[trump], "J" + trump]
        return 10 + [*(rank + trump for rank in "9TQKA"), *jacks, BENNY_NAME].index(card)
    return 1 + RANKS.index(card[0]) if card[1] == led else 0


def names_in(card_set):
    """The names of the cards of a card set."""
    return {name for card, name in enumerate(CARD_NAMES) if card_set >> card & 1}


class Facts:
    """What a view in relative suits says, by names."""

    def __init__(self, view: Any, rules: HouseRules) -> None:
        self.rules = rules
        self.phase = PHASES[view["phase"]]
        self.trump = SUIT_LETTERS[view["trump"]] if view["trump"] != NO_SUIT else "C"  # the suit of the upcard
        self.hand, self.legal = names_in(view["hand"]), names_in(view["legal"])
        self.team_of_maker = None if view["maker"] == NOBODY else int(view["maker"]) % 2
        self.tricks = view["tricks"].tolist()
        played = [{seat: CARD_NAMES[c] for seat, c in enumerate(trick) if c != NO_CARD} for trick in view["played"]]
        pack = {rank + suit for rank in RANKS for suit in SUIT_LETTERS} | ({BENNY_NAME} if rules.benny else set())
        upcard, known = (
            CARD_NAMES[view["upcard"]],
            {CARD_NAMES[view["discard"]]} if view["discard"] != NO_CARD else set(),
        )
        known |= self.hand | {card for trick in played for card in trick.values()}
        self.unseen = pack - known - {upcard}
        self.out = self.unseen | ({upcard} if view["upcard_taken"] and upcard not in known else set())
        self.table, self.to_follow, self.may_come = {}, set(), set()
        if self.phase == "PLAY":
            self.table = played[view["trick"]]
            self.leader = int(view["leaders"][view["trick"]])
            out_of_play = {seat for seat in SEATS if view["sitting_out"] >> seat & 1}
            self.to_follow = {1, 2, 3} - out_of_play - set(self.table)
            for seat in self.to_follow:
                voids = {SUIT_LETTERS[suit] for suit in range(4) if view["voids"][seat] >> suit & 1}
                self.may_come |= {card for card in self.out if suit_in_play(card, self.trump) not in voids}

    def in_suit(self, cards, suit):
        """Those of `cards` that belong to a suit, the number of a relative suit."""
        return {card for card in cards if suit_in_play(card, self.trump) == SUIT_LETTERS[suit]}

    def rivals(self, card):
        """The cards still out that outrank a card in its suit."""
        suit = suit_in_play(card, self.trump)
        return {
            other
            for other in self.out
            if suit_in_play(other, self.trump) == suit
            and strength(other, suit, self.trump) > strength(card, suit, self.trump)
        }

    @property
    def led(self):
        """The suit led to the trick in progress; None if no card is on the table."""
        return suit_in_play(self.table[self.leader], self.trump) if self.table else None

    def power(self, card):
        """How a card would rank in the trick in progress, which it leads if no card is on the table."""
        return strength(card, self.led or suit_in_play(card, self.trump), self.trump)

    @property
    def best(self):
        """The highest rank on the table; 0 if there is no card."""
        return max(map(self.power, self.table.values()), default=0)

    def would_win(self):
        """Own legal cards that would be winning."""
        return {card for card in self.legal if self.power(card) > self.best}

    def cannot_be_beaten(self, card):
        """Whether no card that another seat may still play outranks a card."""
        led = self.led or suit_in_play(card, self.trump)
        return all(strength(other, led, self.trump) <= self.power(card) for other in self.may_come)


def up_to(number):
    return {str(place) for place in range(1, number + 1)}


def tricks_of(facts, other):
    """The tricks of the makers, or of the other team."""
    return set() if facts.team_of_maker is None else up_to(facts.tricks[(facts.team_of_maker + other) % 2])


def counts_by_suit(facts, cards):
    return {f"{name} {n}" for suit, name in enumerate(SUIT_NAMES) for n in up_to(len(facts.in_suit(cards, suit)))}


# The names of the places that are 1, by field.
MEANINGS = {
    "led": lambda f: {SUIT_NAMES[SUIT_LETTERS.index(f.led)]} if f.led else set(),
    "winning": lambda f: {SEAT_NAMES[max(f.table, key=lambda seat: f.power(f.table[seat]))]} if f.table else set(),
    "beating": lambda f: f.would_win() if f.table else set(),
    "sure": lambda f: {c for c in f.would_win() if f.cannot_be_beaten(c)} if f.phase == "PLAY" else set(),
    "highest": lambda f: {card for card in f.hand if len(f.rivals(card)) == 0},
    "second": lambda f: {card for card in f.hand if len(f.rivals(card)) == 1},
    "unseen": lambda f: f.unseen,
    "suits_out": lambda f: counts_by_suit(f, f.out),
    "suits_held": lambda f: counts_by_suit(f, f.hand),
    "to_follow": lambda f: {SEAT_NAMES[seat] for seat in f.to_follow},
    "unbeatable": lambda f: {"yes"} if f.table and all(f.power(card) <= f.best for card in f.may_come) else set(),
    "makers": lambda f: {("MINE", "OTHER")[f.team_of_maker]} if f.team_of_maker is not None else set(),
    "makers_tricks": lambda f: tricks_of(f, 0),
    "defenders_tricks": lambda f: tricks_of(f, 1),
    **{
        f"rules.{name}": lambda f, name=name: {str(p) for p in (1, 2, 3, 4, 6) if getattr(f.rules, name) >= p}
        for name in (
            "march_points",
            "lone_march_points",
            "euchre_points",
            "lone_euchred_points",
            "lone_defender_points",
        )
    },
}


# Thousands of positions


def random_rules(rng):
    """House rules drawn from all their values, the Benny in half of them."""
    values = {name: rng.choice(allowed) for name, allowed in HOUSE_RULES.items()}
    return HouseRules(**(values | {"benny": rng.random() < 0.5}))


def some_tables(seed, num_deals):
    """Positions of deals under house rules of every kind."""
    rng = random.Random(seed)
    for number in range(num_deals):
        rules = [EVERYTHING, *RULE_SETS.values()][number] if number <= len(RULE_SETS) else random_rules(rng)
        for table in play_out(Table(rules, seed=rng.randrange(2**32)), rng):
            if table.phase != "OVER":
                yield table


class Positions:
    """The views of all four seats in some deals, with the facts and the input vector of each."""

    def __init__(self, num_deals=45):
        seen = [(table.rules, table.view(seat)) for table in some_tables(3, num_deals) for seat in SEATS]
        self.views: Any = as_records(np.array([view for _, view in seen]))
        self.vectors = vectors_of(self.views)
        self.facts, self.observations = [], []
        relative: Any = as_records(np.array(self.views))
        for i, (rules, _) in enumerate(seen):
            view = row(relative, i)
            relabel_view(view, frame_of(view))
            self.facts.append(Facts(view, rules))
            self.observations.append(encode(view))


def vectors_of(views):
    """The whole input vector of each view, made from the list of the places that are 1."""
    active, counts, _, _ = InputEncoder(np.arange(INPUT_SIZE)).of_views(views)
    return as_vectors(active, counts)


def as_vectors(active, counts, size=INPUT_SIZE):
    vectors = np.zeros((len(counts), size), np.int8)
    for vector, places, count in zip(vectors, active, counts, strict=True):
        assert len(set(places[:count])) == count
        vector[places[:count]] = 1
    return vectors


@pytest.fixture(scope="module")
def positions():
    return Positions()


def test_the_positions_are_thousands_and_of_every_kind(positions):
    facts, views = positions.facts, positions.views
    assert len(views) > 3000
    assert {fact.phase for fact in facts} == set(PHASES) - {"OVER"}
    assert sum(fact.rules.benny and BENNY_NAME in fact.hand for fact in facts) > 50
    assert sum(fact.rules.no_ace_no_face != "off" for fact in facts) > 500
    assert np.sum(views["alone"] == 1) > 200
    assert np.sum(views["lone_defender"] != NOBODY) > 50
    assert np.sum((views["upcard_taken"] == 1) & (views["discard"] != NO_CARD)) > 200


@pytest.mark.parametrize("name", [name for name in INPUT_FIELDS if name.startswith("derived.")])
def test_a_derived_field_is_what_it_means(name, positions):
    field, meaning = INPUT_FIELDS[name], MEANINGS[name.removeprefix("derived.")]
    kinds = set()
    for vector, facts in zip(positions.vectors, positions.facts, strict=True):
        found = {place for place, bit in zip(field.places, vector[field.slice], strict=True) if bit}
        assert found == meaning(facts), (name, vars(facts))
        kinds.add(frozenset(found))
    assert len(kinds) > 1


def test_the_observation_stands_before_the_derived_fields(positions):
    observed = INPUT_SIZE - sum(field.size for name, field in INPUT_FIELDS.items() if name not in FIELDS)
    assert list(INPUT_FIELDS)[: len(FIELDS)] == list(FIELDS)
    np.testing.assert_array_equal(positions.vectors[:, :observed], positions.observations)


def test_views_and_observations_give_the_same_inputs(positions):
    rng = np.random.default_rng(1)
    places = rng.permutation(INPUT_SIZE)[: INPUT_SIZE // 2]
    encoder, observations = InputEncoder(places), np.array(positions.observations)
    active, counts, frames, masks = encoder.of_views(positions.views)
    again, counts_again = encoder(observations)
    np.testing.assert_array_equal(counts, counts_again)
    for one, other, count in zip(active, again, counts, strict=True):
        np.testing.assert_array_equal(one[:count], other[:count])
    np.testing.assert_array_equal(as_vectors(active, counts, len(places)), positions.vectors[:, places])
    assert set(frames) == set(range(4))
    np.testing.assert_array_equal(masks.any(axis=1), positions.views["legal"] != 0)


def test_no_input_depends_on_hidden_cards():
    rng, changed = random.Random(5), 0
    for number, table in enumerate(some_tables(8, 40)):
        seat = rng.choice(SEATS)
        other = redealt(table, seat, rng)
        changed += other.deal.hands.tolist() != table.deal.hands.tolist()
        both = as_records(np.array([table.view(seat), other.view(seat)]))
        first, second = vectors_of(both)
        np.testing.assert_array_equal(first, second, err_msg=str(number))
    assert changed > 300


def test_renaming_the_suits_changes_no_input(positions):
    renamed: Any = as_records(np.array(positions.views))
    for i in range(len(renamed)):
        relabel_view(row(renamed, i), i % 4)
    has_frame = (positions.views["trump"] != NO_SUIT) | (positions.views["upcard"] != BENNY)  # no suit stands out
    assert has_frame.sum() > 3000
    np.testing.assert_array_equal(vectors_of(renamed)[has_frame], positions.vectors[has_frame])


def test_what_no_view_has_is_refused_or_stays_within_its_arrays(positions):
    """A kernel looks seats, cards and suits up in tables and does not check where it reads."""
    encoder, observations = InputEncoder(np.arange(INPUT_SIZE)), np.array(positions.observations)
    in_play = np.flatnonzero([fact.phase == "PLAY" for fact in positions.facts])
    for name in ("dealer", "upcard", "trump", "leaders"):
        broken = observations[in_play[:40]].copy()
        broken[7, FIELDS[name].slice] = 0
        with pytest.raises(ValueError, match="no view has the observation of row 7"):
            encoder(broken)
    rng = np.random.default_rng(1)
    for share in (0.1, 0.5, 0.9, 1.0):
        noise = (rng.random((50, observations.shape[1])) < share).astype(np.int8)
        noise[:, FIELDS["tricks"].slice] = noise[:, FIELDS["phase"].slice] = 0
        noise[:, FIELDS["phase"].first + PHASES.index("PLAY")] = 1
        for name in ("dealer", "upcard", "trump", "leaders", "played_by", "played_in"):
            noise[:, FIELDS[name].first] = 1  # the facts that every observation has in play
        assert encoder(noise)[1].max() <= MOST_ACTIVE
        noise[3, FIELDS["tricks"].slice] = 1  # ten tricks
        with pytest.raises(ValueError, match="no view has the observation of row 3"):
            encoder(noise)


# How many inputs can be 1 at once. A deal has at most 20 cards played and a hand of 6; at most 19 cards are hidden.
AT_MOST = {
    "phase": 1, "turn": 1, "hand": 6, "upcard": 1, "dealer": 1, "trump": 1, "maker": 1, "num_declined": 1,
    "lone_defender": 1, "sitting_out": 2, "discard": 1, "leaders": 5, "played_by": 20, "played_in": 20,
    "current_trick": 4, "tricks": 5, "needed": 2, "derived.led": 1, "derived.winning": 1, "derived.beating": 5,
    "derived.sure": 5, "derived.highest": 6, "derived.second": 6, "derived.unseen": 20, "derived.suits_out": 20,
    "derived.suits_held": 6, "derived.to_follow": 3, "derived.makers": 1,
}  # fmt: skip


def test_no_position_has_more_inputs_than_the_arrays_hold(positions):
    for name, field in INPUT_FIELDS.items():
        if name in AT_MOST:
            assert positions.vectors[:, field.slice].sum(axis=1).max() <= AT_MOST[name], name
    bound = sum(AT_MOST.get(name, field.size) for name, field in INPUT_FIELDS.items())
    assert bound + 20 <= MOST_ACTIVE  # with the hidden cards, each in one place
    hidden = Table(EVERYTHING, seed=1).hidden()
    assert hidden.shape == (HIDDEN_SIZE,)
    assert hidden.sum() <= 20
