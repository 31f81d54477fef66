"""The worlds of decisions that a search looks at: every world of a view once if it has few, else random ones."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from euchre_env.cards import NO_CARD, NO_SUIT, SUIT_OF
from euchre_env.deal import NOBODY, NUM_TRICKS, OVER, Deal, legal_with
from euchre_env.kernel import Records, as_records, kernel, records
from euchre_env.view import ME, VIEW, View, make_view
from euchre_env.worlds import numbered_worlds, sample_worlds

MAX_SEARCHED_WORLDS = 10_000
"""The most worlds of a decision; far more than change a choice, and they fit the memory."""
MAX_WORLDS_AT_ONCE = 16_384
"""The worlds of a group of views that are held at once, unless a single view has more."""


class DrawnWorlds(NamedTuple):
    """Up to N worlds of each of V views."""

    hidden: Records
    """The hidden cards, dtype HIDDEN, shape (V, N)."""
    counts: np.ndarray
    """How many of the N worlds of each view count, from the first on, int64, shape (V,)."""
    are_all: np.ndarray
    """Whether these are all worlds that agree with the view, each once, bool, shape (V,)."""


def draw_worlds(views: Records, num_worlds: int, keys: np.ndarray) -> DrawnWorlds:
    """Every world of each view that has no more than `num_worlds`; of any other `num_worlds`, drawn with replacement.

    Args:
        views: dtype VIEW, shape (V,), each with its owner to act; `legal` may hold fewer actions than the rules allow.
        num_worlds: a positive number.
        keys: a random number for each view, int64, shape (V,). The worlds of a view depend on both alone.

    Raises:
        ValueError: if no deal agrees with a view; the message names the view.
    """
    whole = with_all_legal(views)
    drawn = sample_worlds(whole, num_worlds, keys)
    hidden, counts = drawn.hidden, np.minimum(drawn.counts, num_worlds)
    are_all = drawn.counts <= num_worlds
    few = np.flatnonzero(are_all)
    if len(few):
        numbers = np.minimum(np.arange(num_worlds), counts[few, np.newaxis] - 1)
        hidden[few] = numbered_worlds(as_records(whole[few]), numbers).hidden
    return DrawnWorlds(hidden, counts, are_all)


def groups_of_views(rows: np.ndarray, num_worlds: int) -> Iterator[np.ndarray]:
    """The numbers of views in groups whose worlds, `num_worlds` each, fit the memory.

    >>> [group.tolist() for group in groups_of_views(np.arange(5), 8000)]
    [[0, 1], [2, 3], [4]]

    Args:
        rows: int64, shape (V,).
        num_worlds: a positive number.
    """
    size = max(1, MAX_WORLDS_AT_ONCE // num_worlds)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


@kernel
def view_of_actor(deal: Deal, view: View, own_view: View) -> None:
    """Write the view of the seat to act in a deal that goes on from a world of `view`, with the score that it has.

    Args:
        deal: its seat 0 is the owner of `view`.
        view: of seat 0; the score and the house rules are read from it.
        own_view: a record of dtype VIEW to write to.
    """
    make_view(deal, np.zeros(2, np.int64), view.rules, deal.turn, own_view)
    team = deal.turn & 1
    own_view.needed[0], own_view.needed[1] = view.needed[team], view.needed[1 - team]


def with_all_legal(views: Records) -> Records:
    """A copy of `views`, in which `legal` has every action that the rules allow the owner, who is to act.

    Raises:
        ValueError: if the `legal` of a view has an action that the rules do not allow, or other fields are not those of
            a deal in progress; the message names the view.
    """
    bounds = {"phase": OVER, "dealer": 3, "upcard": NO_CARD, "trump": NO_SUIT, "trick": NUM_TRICKS - 1}
    are_within = [(views[name] >= 0) & (views[name] <= most) for name, most in bounds.items()]
    _refuse(~np.all(are_within, axis=0), "its fields are not those of a deal in progress")
    rows, leaders = np.arange(len(views)), views["leaders"][np.arange(len(views)), views["trick"]]
    led = views["played"][rows, views["trick"], leaders & 3]
    is_led = (leaders >= 0) & (leaders < NOBODY) & (led >= 0) & (led < NO_CARD)
    _refuse((views["num_played"] > 0) & ~is_led, "no card is led in its trick")
    whole = records(len(views), VIEW)
    whole[:] = views
    allow_all(whole)
    _refuse((views["legal"] & ~whole["legal"]) != 0, "its legal has actions that the rules do not allow")
    return whole


def _refuse(are_bad: np.ndarray, what: str) -> None:
    if are_bad.any():
        raise ValueError(f"view {int(are_bad.argmax())} of {len(are_bad)}: {what}")


@kernel
def allow_all(views: Records) -> None:
    """Write every legal action of the owner of each view, who is to act, to its `legal`."""
    for i in range(len(views)):
        view = views[i]
        led = NO_SUIT
        if view.num_played > 0:
            led = int(SUIT_OF[view.played[view.trick, view.leaders[view.trick]], view.trump])
        from_dealer = (ME - view.dealer) & 3
        view.legal = legal_with(view.rules, view.phase, view.hand, from_dealer, view.upcard, view.trump, led)
