"""Worlds are drawn uniformly from exactly the deals that agree with a view, and from nothing but the view."""

import pickle
import random
from itertools import combinations
from math import comb, factorial

import numpy as np
import pytest
from support.hidden_worlds import hidden_cards, redealt
from support.rules import RULE_SETS
from support.tables import choose, play, table_with

from euchre_env.cards import ACES_AND_FACES, BENNY, NO_CARD, PACK, SUITS, cards_in, num_members
from euchre_env.deal import DEAL, NOBODY, PHASES, PLAY, SEATS
from euchre_env.hidden_cards import HIDDEN
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import as_records, records
from euchre_env.random_rules import random_rules
from euchre_env.relative_suits import relabel_cards, relabel_view
from euchre_env.table import Table
from euchre_env.tables import Tables
from euchre_env.view import LEFT, ME, PARTNER, RIGHT, VIEW
from euchre_env.worlds import (
    count_worlds,
    deal_of_world,
    lay_rows,
    numbered_worlds,
    recall_rows,
    sample_worlds,
)

REDEAL, NO_REDEAL = "standard,no_ace_no_face=same_dealer", "standard"
LOW_HAND = "9C TC 9D TD AH"  # one high card


def decisions(table, rng):
    """The table at every decision of its deal, in random play."""
    while not table.is_over:
        yield table
        table.step(choose(table, rng))


def as_batch(views):
    return as_records(np.array(views, VIEW))


def agreeing(views, deals):
    """Whether a replay of each deal's actions leads to that deal, and its seat 0 then has the view: bool, (n,)."""
    replayed, seen = records(len(deals), DEAL), records(len(deals), VIEW)
    recall_rows(views, deals, replayed, seen)
    return np.array(
        [
            replayed[k].tobytes() == deals[k].tobytes() and seen[k].tobytes() == views[k].tobytes()
            for k in range(len(deals))
        ]
    )


# Every deal that agrees with a view, found by trial


def guesses(deal, viewer):
    """Every way to lay the cards hidden from `viewer` that fills each place with as many cards as it has in `deal`."""
    cards = hidden_cards(deal, viewer)
    places = [(viewer + seat) % 4 for seat in (LEFT, PARTNER, RIGHT)] + ["discard", "kitty"]
    sizes = [sum(place == where for where in cards.values()) for place in places]
    laid: list[tuple[int, ...]] = [()]
    unseen = sum(1 << card for card in cards)
    for size in sizes:
        laid = [
            (*sets, sum(1 << card for card in chosen))
            for sets in laid
            for chosen in combinations(cards_in(unseen & ~sum(sets)), size)
        ]
    hidden = records(len(laid), HIDDEN)
    sets = np.array(laid, np.int64).reshape(len(laid), 5)
    hidden["hands"], hidden["kitty"] = sets[:, :3], sets[:, 4]
    hidden["discard"] = [NO_CARD if not discard else discard.bit_length() - 1 for discard in sets[:, 3].tolist()]
    return hidden


def num_guesses(deal, viewer):
    """The length of `guesses`, without making them."""
    places = list(hidden_cards(deal, viewer).values())
    number = factorial(len(places))
    for place in set(places):
        number //= factorial(places.count(place))
    return number


def found_by_trial(view, deal, viewer):
    """The guesses that agree with `view`, as sorted bytes."""
    hidden = guesses(deal, viewer)
    views, deals = as_batch([view] * len(hidden)), records(len(hidden), DEAL)
    lay_rows(as_batch([view]), hidden, deals)
    return sorted(hidden[k].tobytes() for k in np.flatnonzero(agreeing(views, deals)))


def numbered(view):
    """All worlds of `view` by number, as sorted bytes."""
    worlds = numbered_worlds(view, np.arange(count_worlds(view)[0]))
    return sorted(world.tobytes() for world in worlds.hidden[0])


def check_uniform(view, seed):
    """Chi-square of drawn worlds against equal chances; |z| of the statistic stays below 5."""
    count = int(count_worlds(view)[0])
    num_draws = 20 * count
    worlds = sample_worlds(view, num_draws, keys=seed)
    _, met = np.unique(worlds.hidden, return_counts=True)
    chi_square = ((met - 20) ** 2 / 20).sum() + 20 * (count - len(met))
    z = (chi_square - (count - 1)) / np.sqrt(2 * (count - 1))
    assert abs(z) < 5, (z, count)


def without_redeal(view):
    other = as_batch([view])[0]
    other["rules"]["no_ace_no_face"] = 0
    return other


def needs_redeal_rule(view):
    return view.rules.no_ace_no_face != 0 and count_worlds(view)[0] < count_worlds(without_redeal(view))[0]


def upcard_is_hidden(view):
    return view.upcard_taken and view.dealer != ME and view.upcard not in view.played


# A kind of view: rules, the hand of seat 1 (the left of the viewer, seat 0), and whether a view is of this kind.
KINDS = {
    "no void": ("standard", "", lambda view: view.trick == 4 and not view.voids[1:].any()),
    "voids": ("standard", "", lambda view: (view.voids[1:] > 0).sum() >= 2),
    "voids in all but one suit": ("pagat", "", lambda view: any(num_members(v) == 3 for v in view.voids[1:])),
    "hidden upcard and discard": ("standard", "", lambda view: upcard_is_hidden(view)),
    "upcard kept": ("standard,discard_upcard=false", "", lambda view: upcard_is_hidden(view)),
    "upcard played": ("standard", "", lambda view: view.upcard_taken and view.upcard in view.played),
    "own discard": ("standard", "", lambda view: view.discard != NO_CARD),
    "turned down": ("midwest", "", lambda view: view.num_passes >= 4 and view.voids[1:].any()),
    "maker alone": ("standard", "", lambda view: view.alone == 1 and view.maker != PARTNER),
    "lone defender": ("standard,defend_alone=always", "", lambda view: view.lone_defender == RIGHT),
    "upcard out of play": ("standard", "", lambda view: view.alone and not view.upcard_taken and view.num_passes < 4),
    "dealer out after the discard": (
        "standard,dealer_sits_out_exchange=true",
        "",
        lambda view: upcard_is_hidden(view) and view.sitting_out >> view.dealer & 1,
    ),
    "canadian": ("canadian", "", lambda view: view.maker == PARTNER and view.dealer == ME),
    "Benny in the pack": ("british", "", lambda view: BENNY not in (*view.played.ravel(), view.upcard)),
    "Benny turned up": ("british", "", lambda view: view.upcard == BENNY),
    "redeal rule": (REDEAL, LOW_HAND, needs_redeal_rule),
    "redeal rule for the dealer": (REDEAL, LOW_HAND, lambda view: view.dealer == LEFT and needs_redeal_rule(view)),
    "redeal rule and Benny": ("british,no_ace_no_face=next_dealer", LOW_HAND, needs_redeal_rule),
    "everything": (RULE_SETS["everything"], "", lambda view: view.voids[1:].any()),
}


def views_of_kind(kind, most):
    """Late views of seat 0 of a kind, each with its deal; at most `most` ways to fill the hidden places."""
    rules, left, is_of_kind = KINDS[kind]
    rng = random.Random(kind)
    while True:
        upcard = "2S" if kind == "Benny turned up" else None
        try:
            table = table_with(
                ("", left, "", ""), upcard, rules=rules, dealer=rng.randrange(4), seed=rng.randrange(2**60)
            )
        except ValueError:  # these cards must be dealt again
            continue
        for _ in decisions(table, rng):
            view = table.view(ME)
            if view.phase == PLAY and view.trick >= 2 and num_guesses(table.deal, ME) <= most and is_of_kind(view):
                yield view, table.deal.copy()
                break


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
def test_worlds_are_all_deals_that_agree_with_a_view_and_no_others(kind):
    views = views_of_kind(kind, 60_000 if "redeal" in kind or "alone" in kind else 8_000)
    sizes = []
    while len(sizes) < 3:
        view, deal = next(views)
        expected = found_by_trial(view, deal, ME)
        assert numbered(view) == expected
        if not sizes:
            check_uniform(view, seed=1)
        sizes.append(len(expected))
    assert max(sizes) > 1


def test_a_hand_that_had_to_be_dealt_again_is_in_no_world():
    """The expected number by hand: at most one of the three hands is low, as there are eight low cards."""
    met = set()
    for seed in range(12):
        view = Table(REDEAL, seed=seed, one_deal=True).view()
        num_low = num_members(PACK & ~ACES_AND_FACES & ~view.hand & ~(1 << view.upcard))
        others = factorial(13) // (factorial(5) ** 2 * factorial(3))
        expected = factorial(18) // (factorial(5) ** 3 * factorial(3)) - 3 * comb(num_low, 5) * others
        assert count_worlds(view)[0] == expected, seed
        met.add(num_low)
    assert len(met) > 2


@pytest.mark.parametrize(("rules", "may_discard_upcard"), [("standard", 1), ("standard,discard_upcard=false", 0)])
def test_the_upcard_is_kept_or_is_the_discard(rules, may_discard_upcard):
    """The expected numbers by hand, before the first lead: the dealer holds four or five of the other 18 cards."""
    table = play(Table(rules, seed=1, dealer=0, one_deal=True), "order up")
    table.step(table.legal_actions()[0])
    ways_to_fill = factorial(18) // (factorial(5) ** 2 * factorial(3))  # two hands and the kitty
    kept, discarded = ways_to_fill // factorial(4), ways_to_fill // factorial(5)
    view = table.view(1)
    assert count_worlds(view)[0] == kept + may_discard_upcard * discarded
    worlds = sample_worlds(view, 300, keys=1)
    share = np.mean(worlds.hidden["discard"] == view.upcard)
    expected = may_discard_upcard * discarded / (kept + discarded)
    assert abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / 300)
    assert agreeing(as_batch([view] * 300), worlds.deals()[0]).all()


@pytest.mark.compiled
def test_each_unseen_card_is_equally_likely_in_each_hand():
    """Twenty thousand worlds before the first bid: a card is in a hand with probability 5/18, in the kitty 3/18."""
    view = Table(seed=5).view()
    hidden = sample_worlds(view, 20_000, keys=3).hidden[0]
    places = [*hidden["hands"].T, hidden["kitty"]]
    for cards, chance in zip(places, [5 / 18, 5 / 18, 5 / 18, 3 / 18], strict=True):
        for card in cards_in(PACK & ~view.hand & ~(1 << view.upcard)):
            share = np.mean(cards >> card & 1)
            assert abs(share - chance) < 5 * np.sqrt(chance * (1 - chance) / 20_000), card
    assert np.all(hidden["discard"] == NO_CARD)


# Many views


def random_views(num_deals, seed):
    """The views of all four seats at every decision of random deals under random rules, and whether each is to act."""
    rng, rules_rng = random.Random(seed), np.random.default_rng(seed)
    views, is_to_act = [], []
    for number in range(num_deals):
        table = Table(random_rules(rules_rng), seed=seed, deal_number=number, dealer=number % 4, one_deal=True)
        for _ in decisions(table, rng):
            for viewer in SEATS:
                views.append(table.view(viewer))
                is_to_act.append(viewer == table.turn)
    return as_batch(views), np.array(is_to_act)


@pytest.mark.compiled
def test_every_world_replays_legally_to_the_view_it_was_drawn_for():
    views, is_to_act = random_views(60, seed=11)
    assert len(views) > 3000
    phases = {(PHASES[view["phase"]], bool(own)) for view, own in zip(views, is_to_act, strict=True)}
    assert {("DISCARD", True), ("DISCARD", False), ("DEFEND", True), ("SECOND_ROUND", False)} <= phases
    worlds = sample_worlds(views, 3, keys=np.arange(len(views)))
    assert worlds.hidden.shape == worlds.numbers.shape == (len(views), 3)
    assert np.all((worlds.numbers >= 0) & (worlds.numbers < worlds.counts[:, None]))
    assert agreeing(np.repeat(views, 3), worlds.deals().reshape(-1)).all()
    own = sample_worlds(views[is_to_act], 2, keys=np.arange(is_to_act.sum()))
    tables = Tables(positions=own.games(), rules=own.rules)
    assert tables.views().tobytes() == np.repeat(views[is_to_act], 2).tobytes()


@pytest.mark.compiled
def test_the_check_of_hidden_cards_accepts_every_world():
    for name, rules in RULE_SETS.items():
        rng = random.Random(name)
        for table in decisions(Table(rules, seed=3, one_deal=True), rng):
            view = table.view(rng.randrange(4))
            worlds = sample_worlds(view, 2, keys=rng.randrange(2**63))
            for world, deal in zip(worlds.hidden[0], worlds.deals()[0], strict=True):
                discard = None if world["discard"] == NO_CARD else int(world["discard"])
                assert deal_of_world(view, world["hands"], int(world["kitty"]), discard).tobytes() == deal.tobytes()


@pytest.mark.compiled
def test_two_deals_with_the_same_view_have_the_same_worlds():
    """The true hands, kitty and discard do not reach the worlds."""
    rng = random.Random(2)
    num_others = 0
    for seed, rules in enumerate(RULE_SETS.values()):
        for table in decisions(Table(rules, seed=seed, one_deal=True), rng):
            viewer = rng.randrange(4)
            other = redealt(table, viewer, rng)
            num_others += other.deal.tobytes() != table.deal.tobytes()
            mine, same = (sample_worlds(each.view(viewer), 3, keys=seed) for each in (table, other))
            assert mine.hidden.tobytes() == same.hidden.tobytes()
    assert num_others > 50


@pytest.mark.compiled
def test_a_world_depends_on_view_key_and_number_but_not_on_the_batch():
    table, rng = Table("pagat", seed=4, one_deal=True), random.Random(4)
    views = as_batch([table.view(seat) for table in decisions(table, rng) for seat in SEATS])
    keys = np.arange(len(views)) * 12345
    worlds = sample_worlds(views, 6, keys)
    for i in (0, 7, len(views) - 1):
        alone = sample_worlds(views[i], 4, int(keys[i]))
        assert alone.hidden.tobytes() == worlds.hidden[i, :4].tobytes()
        assert numbered_worlds(views[i], worlds.numbers[i]).hidden.tobytes() == worlds.hidden[i].tobytes()
    assert sample_worlds(views[0], 6, 1).hidden.tobytes() != sample_worlds(views[0], 6, 2).hidden.tobytes()


@pytest.mark.compiled
def test_worlds_of_a_view_in_relative_suits_are_in_relative_suits():
    rng = random.Random(6)
    for table in decisions(Table(seed=6, one_deal=True), rng):
        for frame in SUITS:
            view = table.view(PARTNER)
            count = count_worlds(view)[0]
            relabel_view(view, frame)
            assert count_worlds(view)[0] == count
            unseen = sum(1 << card for card in hidden_cards(table.deal, PARTNER))
            hidden = sample_worlds(view, 1, keys=0).hidden[0, 0]
            discard = 0 if hidden["discard"] == NO_CARD else 1 << int(hidden["discard"])
            assert int(hidden["hands"].sum() + hidden["kitty"]) + discard == relabel_cards(unseen, frame)


# What comes back


def test_worlds_of_views_under_several_rules_are_played_on_in_one_batch():
    tables = [Table(rules, seed=8, scores=(3, 4), one_deal=True) for rules in ("standard", "midwest", "british")]
    views = as_batch([table.view() for table in tables])
    worlds = sample_worlds(views, 2, keys=np.array([5, 5, 5]))
    assert worlds.rules == tuple(table.rules for table in tables for _ in range(2))
    assert worlds.deals().shape == (3, 2)
    games = worlds.games()
    assert games["deal"].tobytes() == worlds.deals().tobytes()
    played = Tables(positions=games, rules=worlds.rules)
    assert played.views().tobytes() == np.repeat(views, 2).tobytes()
    assert sample_worlds(views[:1], 2, keys=np.array([5])).rules == (HouseRules(),)


def test_no_views_have_no_worlds():
    worlds = sample_worlds(records(0, VIEW), 3, keys=np.empty(0, np.int64))
    assert worlds.hidden.shape == worlds.deals().shape == (0, 3)
    assert len(Tables(positions=worlds.games(), rules=worlds.rules)) == 0


def test_worlds_survive_pickling():
    worlds = sample_worlds(Table(seed=8).view(), 2, keys=1)
    copy = pickle.loads(pickle.dumps(worlds))
    assert copy.deals().tobytes() == worlds.deals().tobytes()
    assert copy.counts.tolist() == worlds.counts.tolist()


# What is refused


def refusal(function, *args):
    with pytest.raises(ValueError, match=r"\w") as caught:
        function(*args)
    return str(caught.value)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((None, 1, 0), "views must be records of dtype VIEW, shape (n,), or one of them, not NoneType"),
        ((np.zeros(2, DEAL), 1, 0), "views must be records of dtype VIEW, shape (n,), or one of them, not "),
        ((np.zeros(2, DEAL)[0], 1, 0), "a view must be a record of dtype VIEW, not "),
        (("view", 0, 0), "num_worlds must be a whole number from 1 to 2147483647, not 0"),
        (("view", 1, [1, 2]), "there must be a key for each of 1 views, not keys of shape (2,)"),
        (("view", 1, -1), "keys must be from 0 to 9223372036854775807, not -1"),
        (("view", 1, 0.5), "keys must be whole numbers, not float: 0.5"),
    ],
)
def test_invalid_arguments_are_refused(args, message):
    views, num_worlds, keys = args
    views = Table(seed=1).view() if isinstance(views, str) else views
    assert refusal(sample_worlds, views, num_worlds, keys).startswith(message)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([617512896], "the view has 617512896 worlds, numbered from 0, and none of them is number 617512896"),
        ([3, -1], "the view has 617512896 worlds, numbered from 0, and none of them is number -1"),
        ([], "numbers must have shape (n,) for one view, else (1, n), not (1, 0)"),
        ([[1], [2]], "numbers must have shape (n,) for one view, else (1, n), not (2, 1)"),
    ],
)
def test_numbers_that_no_world_has_are_refused(numbers, message):
    assert refusal(numbered_worlds, Table(seed=1).view(), numbers) == message


FAULTY = "the view is not one of a deal in progress: "


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("phase", 6, "the deal of the view is over, so there is nothing to play on"),
        ("trump", 77, f"{FAULTY}a field holds a value that it never takes"),
        ("hand", 1 << 5, "no deal agrees with the view"),
        ("voids", [0, 15, 0, 0], "no deal agrees with the view"),
        (
            "voids",
            [1, 0, 0, 0],
            "the view is not one of a deal in progress: its bids and tricks do not lead to its voids",
        ),
        ("legal", 1, "the view is not one of a deal in progress: its legal contradicts its other fields"),
        ("maker", NOBODY, "the view is not one of a deal in progress: its bids and tricks do not lead to its hands"),
    ],
)
def test_a_view_that_contradicts_itself_has_no_worlds(field, value, message):
    hands = ("9S TH JC QD KS", "AC KC TD 9D AS", "QH KH JD 9C TC", "JH QC AD KD TS")
    view = play(table_with(hands, upcard="JS", kitty="9H AH QS"), "order up, 9S, 9D, JD").view()
    wrong = as_batch([view])[0]
    wrong[field] = value
    assert refusal(sample_worlds, wrong, 1, 0) == message
    assert refusal(count_worlds, as_batch([view, wrong])) == f"view 1: {message}"
