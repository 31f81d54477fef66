"""Matches and memory: information from one play of a deal never reaches the other play, or another seat."""

import gc
import threading
import weakref

import numpy as np
import pytest
from support.players import HighestLegal, LowestLegal

from euchre_agents import RandomPolicy, RuleBot
from euchre_env.actions import PASS_ID
from euchre_env.cards import CARDS_IN_SUIT, num_members
from euchre_env.deal import FIRST_ROUND
from euchre_env.observation import decode
from euchre_eval import play_match, play_statistics

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays

BATCH_SIZES = 1, 16, 4096


class Bookkeeper:
    """The rule bot with a book: it records each hand it is dealt, and looks each deal up by its seed and number.

    With the book open it does not call the upcard's suit if another seat is known to hold two cards of that suit.
    """

    def __init__(self, is_open, book):
        self.bot, self.is_open, self.book = RuleBot(seed=0), is_open, book
        self.num_deals = 0

    def reset(self, seat, seed):
        self.num_deals += 1
        self.labels = [("seed", seed), ("number", self.num_deals)]
        self.known = next((self.book[label] for label in self.labels if label in self.book), 0)
        self.is_first_decision = True

    def act(self, observation, action_mask):
        view = decode(observation)
        if self.is_first_decision:
            self.book |= dict.fromkeys(self.labels, int(view.hand))
            self.is_first_decision = False
        if self.is_open and view.phase == FIRST_ROUND:
            suit = view.upcard // 6
            if num_members(self.known & ~int(view.hand) & int(CARDS_IN_SUIT[suit][suit])) >= 2:
                return PASS_ID
        return self.bot.act(observation, action_mask)


class SharedBookkeeper(Bookkeeper):
    """Breaks the rules in the way that remains possible inside one process: all its copies share the book."""

    def __deepcopy__(self, memo):
        return SharedBookkeeper(self.is_open, self.book)


def score(player):
    result = play_match(player, RuleBot(seed=0), deals=100, games=2, names="AB")
    assert result.reneges == (0, 0, 0, 0)
    return result.points_per_deal, result.games


def test_a_player_with_a_book_scores_exactly_what_it_scores_without():
    without = score(Bookkeeper(False, {}))
    assert score(Bookkeeper(True, {})) == without
    assert score(SharedBookkeeper(True, {})) != without  # the book would make a difference


class OneByOne:
    """Plays at random with a generator of its own."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def act(self, observation, action_mask):
        return int(self.rng.choice(np.flatnonzero(action_mask)))


class Sampler(OneByOne):
    """Answers batches too, and does not declare whether it is stateless."""

    def act_batch(self, observations, action_masks):
        return np.array([self.act(*row) for row in zip(observations, action_masks, strict=True)])


class Reseeded(Sampler):
    def reset(self, seat, seed):
        self.rng = np.random.default_rng([seat, seed])


class Fresh(Sampler):
    """Cannot be deep-copied."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def fresh(self):
        return Fresh()


class ViewsWithReset(RandomPolicy):
    def reset(self, seat, seed):
        self.skew = seed % 1000

    def act_views(self, views, keys):
        return super().act_views(views, (keys + self.skew) % 2**31)


class ViewsOfItsOwn(RuleBot):
    """A built-in player's heir that samples with its own generator; the declaration of its base is not its own."""

    def __init__(self):
        super().__init__(seed=0)
        self.rng = np.random.default_rng(0)

    def act_views(self, views, keys):
        any_action = RandomPolicy(seed=0).act_views(views, keys)
        return np.where(self.rng.random(len(views)) < 0.5, super().act_views(views, keys), any_action)


class Stateless:
    """Declares that it is stateless, so it answers for many tables by calls of `act`."""

    stateless = True

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[observation.sum() % action_mask.sum()])


class Oracle(RandomPolicy):
    """Answers a card computed from all hands: soon a renege, but always the same one."""

    sees_all = True

    def act_deals(self, deals, keys):
        return [int(choice) % 25 for choice in deals["hands"].sum(axis=1) ^ keys]


KINDS = [Sampler, OneByOne, Reseeded, Fresh, ViewsWithReset, ViewsOfItsOwn, Stateless, RandomPolicy, Oracle]


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_player_scores_by_the_batch_size(kind):
    def play(batch_size):
        player = kind(seed=0) if issubclass(kind, RandomPolicy) else kind()
        opponent = RandomPolicy(seed=1)
        return (
            play_match(player, opponent, deals=40, games=2, batch_size=batch_size, allow_cheating=True),
            play_statistics(player, games=2, batch_size=batch_size, allow_cheating=True),
        )

    first, *others = (play(size) for size in BATCH_SIZES)
    assert others == [first] * len(others)


def test_stateless_players_are_asked_in_batches_and_are_never_copied():
    sizes = []

    class Declared(HighestLegal):
        stateless = True

        def __deepcopy__(self, memo):
            raise AssertionError

        def act_batch(self, observations, action_masks):
            sizes.append(len(observations))
            return super().act_batch(observations, action_masks)

    assert play_match(Declared(), RuleBot(seed=0), deals=40).reneges == (0, 0, 0, 0)
    assert max(sizes) > 1
    sizes.clear()
    assert play_match(Declared(), RuleBot(seed=0), deals=2, time_limit=1e9).reneges == (0, 0, 0, 0)
    assert set(sizes) == {1}


class Witness(LowestLegal):
    """Keeps a register, shared with its copies, of the copies that were reset for each deal and that answered."""

    def __init__(self, register):
        self.register = register

    def __deepcopy__(self, memo):
        copy = Witness(self.register)
        self.register.setdefault("made", []).append(copy)
        return copy

    def reset(self, seat, seed):
        self.register.setdefault("resets", []).append((id(self), seat, seed))

    def act(self, observation, action_mask):
        self.register.setdefault("answers", []).append(id(self))
        return super().act(observation, action_mask)


@pytest.fixture(scope="module")
def register():
    """The register of one player at four places in 5 deals and 1 game, under rules that end a game in a few deals."""
    register = {"original": Witness({})}
    register["original"].register = register
    play_match(register["original"], register["original"], deals=5, games=1, rules="midwest")
    return register


def test_every_seat_of_every_seating_has_a_copy_of_its_own(register):
    seats = {}
    for who, seat, _ in register["resets"]:
        seats.setdefault(who, set()).add(seat)
    assert all(len(places) == 1 for places in seats.values())
    assert len(seats) == len(register["made"]) == 4 * 2 * 2  # places, seatings, deals and games


def test_the_object_that_the_caller_gave_is_never_asked(register):
    asked = set(register["answers"]) | {who for who, *_ in register["resets"]}
    assert id(register["original"]) not in asked
    assert asked == set(map(id, register["made"]))


def test_reset_seeds_differ_between_deals_places_and_seatings(register):
    seeds = [seed for *_, seed in register["resets"]]
    assert len(seeds) == len(set(seeds)) > 4 * 2 * 6


def test_all_first_plays_come_before_the_second_plays(register):
    made, told = (list(map(id, register["made"])), [who for who, *_ in register["resets"]])
    tables = [frozenset(told[i : i + 4]) for i in range(0, len(told), 4)]  # who sits down for each deal
    assert [table for table, before in zip(tables, [None, *tables], strict=False) if table != before] == [
        frozenset(made[i : i + 4]) for i in range(0, 16, 4)
    ]


def test_copies_are_dropped_when_their_plays_are_over():
    alive, most = weakref.WeakSet(), []

    class Heavy(LowestLegal):
        def fresh(self):
            made = Heavy()
            alive.add(made)
            return made

        def reset(self, seat, seed):
            most.append(len(alive))

    play_match(Heavy(), RuleBot(seed=0), deals=2, games=1)
    gc.collect()
    assert set(most) == {2}
    assert len(alive) == 0


def with_fresh(fresh):
    return type("Mine", (LowestLegal,), {"fresh": fresh})()


@pytest.mark.parametrize(
    ("fresh", "message"),
    [
        (lambda self: 1 // 0, r"fresh\(\) failed: ZeroDivisionError"),
        (lambda self: (_ for _ in ()).throw(SystemExit("no more")), r"fresh\(\) failed: SystemExit: no more"),
        (lambda self: self, "returned the same object again"),
        (lambda self: None, "returned a NoneType with other abilities"),
        (lambda self: HighestLegal(), "returned a HighestLegal with other abilities"),
    ],
)
def test_a_fresh_that_makes_no_player_like_it_is_refused(fresh, message):
    with pytest.raises(ValueError, match=f"player 'Mine' needs a copy.*{message}"):
        play_match(with_fresh(fresh), RuleBot(seed=0), deals=1)


def test_a_fresh_that_makes_one_player_for_both_seats_is_refused():
    class Mine(LowestLegal):
        the_one = None

        def fresh(self):
            Mine.the_one = Mine.the_one or Mine()
            return Mine.the_one

    with pytest.raises(ValueError, match=r"player 'Mine' needs a copy.*two copies are the same"):
        play_match(Mine(), RuleBot(seed=0), deals=1)


def test_a_fresh_that_makes_one_player_for_both_seatings_is_refused():
    class Mine(LowestLegal):
        def __init__(self, others=()):
            self.others = others

        def fresh(self):
            self.others.append(self.others.pop(0))
            return self.others[-1]

    with pytest.raises(ValueError, match=r"player 'Mine' needs a copy.*the same object again"):
        play_match(Mine([Mine(), Mine()]), RuleBot(seed=0), deals=1)


@pytest.mark.parametrize("play", [play_match, play_statistics])
def test_a_player_that_cannot_be_copied_is_refused_and_told_of_fresh(play):
    player = LowestLegal()
    player.lock = threading.Lock()  # type: ignore[attr-defined]  # what cannot be copied
    others = [RuleBot(seed=0)] if play is play_match else []
    with pytest.raises(ValueError, match=r"'LowestLegal' needs a copy.*copy.deepcopy failed: TypeError.*fresh\(\)"):
        play(player, *others)


def test_a_copy_that_is_the_player_itself_is_refused():
    player = type("Mine", (LowestLegal,), {"__deepcopy__": lambda self, memo: self})()
    with pytest.raises(ValueError, match=r"'Mine' needs a copy.*copy.deepcopy returned the same object"):
        play_match(player, RuleBot(seed=0), deals=1)


def test_a_memory_within_one_seating_is_the_players_own():
    class Counter:
        """Counts its decisions and plays by the count."""

        count = 0

        def act(self, observation, action_mask):
            self.count += 1
            legal = np.flatnonzero(action_mask)
            return int(legal[self.count % len(legal)])

    player = Counter()
    counting = play_match(player, RuleBot(seed=0), deals=20)
    assert player.count == 0
    assert counting.reneges == (0, 0, 0, 0)

    class Forgetful(Counter):
        def reset(self, seat, seed):
            self.count = 0

    assert play_match(Forgetful(), RuleBot(seed=0), deals=20).points_per_deal != counting.points_per_deal
