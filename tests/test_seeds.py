"""A seed fixes every deal, independently of rules, play, batch, machine and other random generators."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from support.tables import ANY_RULES, SEEDS, choose, play_out

from euchre_env.cards import BENNY, card_names
from euchre_env.counter_rng import MAX_SEED, derived_seed, random_below, random_member, scramble, stream_key
from euchre_env.deal import shuffled_pack
from euchre_env.game import first_dealer
from euchre_env.house_rules import PRESETS
from euchre_env.random_streams import EPISODE
from euchre_env.table import Table
from euchre_env.tables import Tables


def as_text(table):
    """A deal as text: the hands of seats 0 to 3, upcard and kitty."""
    parts = [*table.deal.hands, 1 << int(table.deal.upcard), table.deal.kitty]
    return " / ".join(" ".join(card_names(part)) for part in parts)


# What these seeds have always dealt. A change here is a change of every published number: it makes `euchre_v1`.
GOLDEN = {
    (0, 0, "standard"): "9C JD 9H QH JS / QC TD QD AD KH / KC 9D JH QS KS / AC TH AH 9S TS / JC / TC KD AS",
    (0, 1, "standard"): "9C TD JH QH AS / 9D TH AH TS QS / TC JC JD JS KS / QC AC QD KD AD / 9H / KC KH 9S",
    (7, 0, "standard"): "QD KD JH KH QS / 9C QC KC JD AH / TC JC QH JS AS / AC TD AD TH 9S / 9D / 9H TS KS",
    (7, 0, "british"): "QD KD QH AH KS / 9C KC AC KH QS / TC 9D TD JD 2S / AD 9S TS JS AS / JH / JC QC 9H TH",
    (MAX_SEED, 2**62, "standard"): "TC TD 9S JS AS / QD 9H QH KH KS / 9C KC AC 9D TS / QC JD KD AD TH / AH / JC JH QS",
}
GOLDEN_DEALERS = "12201323123023101103130100112123"


@pytest.mark.parametrize(("seed", "number", "rules"), GOLDEN)
def test_seeds_deal_what_they_have_always_dealt(seed, number, rules):
    assert as_text(Table(rules, seed=seed, deal_number=number)) == GOLDEN[seed, number, rules]


def test_the_first_dealers_are_those_they_have_always_been():
    assert "".join(str(first_dealer(seed)) for seed in range(32)) == GOLDEN_DEALERS
    assert [Table(seed=seed).deal.dealer for seed in range(8)] == [int(dealer) for dealer in GOLDEN_DEALERS[:8]]


def test_episodes_have_the_seeds_they_have_always_had():
    assert [int(derived_seed(7, EPISODE, k)) for k in range(2)] == [882765023986456687, 972916157746154855]
    tables = Tables(2, seed=7)
    assert tables.records["seed"].tolist() == [int(derived_seed(7, EPISODE, k)) for k in range(2)]


@settings(max_examples=40)
@given(ANY_RULES, SEEDS)
def test_a_numbered_deal_depends_on_neither_rules_nor_play(rules, seed):
    """Deal number n has the same cards in every game, under all rules and after any play."""
    table, rng = Table(rules, seed=seed), random.Random(seed)
    base = "british" if rules.benny else "standard"
    for _ in range(4):
        assert as_text(table) == as_text(Table(base, seed=seed, deal_number=table.deal_number))
        for _ in play_out(table, rng):
            pass
        if table.is_over:
            break


def test_the_benny_makes_another_pack():
    packs = [[shuffled_pack(seed, 0, benny).tolist() for benny in (0, 1)] for seed in range(20)]
    assert all(sorted(without) == list(range(24)) and sorted(with_it) == list(range(25)) for without, with_it in packs)
    assert all([card for card in with_it if card != BENNY] != without for without, with_it in packs)


def test_neighbouring_seeds_numbers_and_purposes_share_nothing():
    packs = {tuple(shuffled_pack(seed, number, 0)) for seed in range(100) for number in range(100)}
    assert len(packs) == 10_000
    keys = {stream_key(seed, purpose, n) for seed in range(20) for purpose in range(5) for n in range(20)}
    assert len(keys) == 2000
    wide = [0, 1, 2**31, 2**32 - 1, 2**32, 2**62, MAX_SEED]
    assert len({stream_key(seed, 0, number) for seed in wide for number in wide}) == len(wide) ** 2


def chi_square(counts):
    """Pearson's statistic of equally likely cells."""
    expected = counts.sum() / counts.size
    return float(((counts - expected) ** 2).sum() / expected)


def assert_plausible(statistic, degrees_of_freedom):
    """Assert a value within four standard deviations of its expectation; with fixed seeds it passes always or never."""
    assert abs(statistic - degrees_of_freedom) < 4 * (2 * degrees_of_freedom) ** 0.5


@pytest.mark.parametrize("which", ["many seeds", "many numbers of one seed"])
def test_every_card_is_equally_likely_in_every_place(which):
    one_each = which == "many seeds"
    packs = np.array([shuffled_pack(n if one_each else 5, 0 if one_each else n, 0) for n in range(6000)])
    places = np.array([np.bincount(packs[:, place], minlength=24) for place in range(24)])
    assert_plausible(chi_square(places), 23 * 23)
    in_a_row = np.bincount(packs[:-1, 0] * 24 + packs[1:, 0], minlength=24 * 24)  # one deal says nothing of the next
    assert_plausible(chi_square(in_a_row), 24 * 24 - 1)
    neighbours = np.bincount(packs[:, 0] * 24 + packs[:, 1], minlength=24 * 24).reshape(24, 24)
    assert not neighbours.diagonal().any()
    assert_plausible(chi_square(neighbours[~np.eye(24, dtype=bool)]), 24 * 23 - 1)


def test_every_seat_is_equally_likely_to_deal_first():
    dealers = np.array([first_dealer(seed) for seed in range(8000)])
    assert chi_square(np.bincount(dealers, minlength=4)) < 16.3  # exceeded with probability 0.001
    assert chi_square(np.bincount(dealers[:-1] * 4 + dealers[1:], minlength=16)) < 37.7
    upcards = np.array([shuffled_pack(seed, 0, 0)[20] // 6 for seed in range(8000)])
    assert chi_square(np.bincount(dealers * 4 + upcards, minlength=16)) < 37.7  # nor does it go with the cards


def test_every_legal_action_is_equally_likely_to_be_drawn():
    tables = Tables(6000, seed=1)
    counts = Counter(tables.random_actions(3).tolist())
    assert set(counts) == {25, 26, 27}
    assert chi_square(np.array(list(counts.values()))) < 13.8
    drawn = np.array([random_member(0b1011, key) for key in range(3000)])
    assert set(drawn.tolist()) == {0, 1, 3}
    assert chi_square(np.bincount(drawn)[[0, 1, 3]]) < 13.8


def test_scrambling_is_a_bijection_that_stays_in_32_bits():
    rng = random.Random(0)
    words = {rng.getrandbits(32) for _ in range(2000)} | {0, 2**32 - 1}
    scrambled = {scramble(word) for word in words}
    assert len(scrambled) == len(words)
    assert all(0 <= word < 2**32 for word in scrambled)
    assert all(0 <= random_below(2**32 - 1, 2**32 - 1, k, bound) < bound for k in range(50) for bound in (1, 24, 2**31))


def games(seed):
    """The course of two games with random actions."""
    tables = Tables(2, seed=seed, episode="game", num_episodes=2)
    return [tables.step(tables.random_actions(1)).tobytes() for _ in iter(lambda: len(tables), 0)]


def test_global_generators_neither_touch_the_game_nor_are_touched_by_it():
    courses = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  # the global state that must not matter
        before = random.getstate(), str(np.random.get_state())  # noqa: NPY002
        courses.append((games(9), as_text(Table(seed=9))))
        assert (random.getstate(), str(np.random.get_state())) == before  # noqa: NPY002
    assert courses[0] == courses[1]


@pytest.mark.parametrize("rules", PRESETS)
def test_the_same_seed_gives_the_same_game_and_another_seed_another(rules):
    def course(seed):
        table, rng = Table(rules, seed=seed), random.Random(0)
        states = []
        while not table.is_over:
            table.step(choose(table, rng))
            states.append(table.deal.tobytes())
        return states

    assert course(4) == course(4)
    assert course(4)[0] != course(5)[0]
