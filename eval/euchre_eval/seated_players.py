"""`SeatedPlayers`: the players at the four places of a match, here and in other processes."""

import pickle
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from euchre_agents.policy import Player, describe_error
from euchre_env.counter_rng import derived_seed
from euchre_env.deal import SEATS
from euchre_env.random_streams import PLAYER
from euchre_eval.match_player import NO_LIMIT, Limit, MatchPlayer, Reneges, name_of, prepared_players

Makers: TypeAlias = Sequence[Callable[[], Player]]


def check_num_players(number: int) -> None:
    """Check the number of players of a match.

    Raises:
        ValueError: if it is neither two nor four.
    """
    if number not in (2, 4):
        raise ValueError(f"a match takes two players, or four, one for each seat; {number} came")


def check_names(players: Sequence[Player], names: Sequence[str] | None) -> list[str]:
    """The names of players in reports and messages: `names`, or if that is None their `name` or their class.

    Raises:
        ValueError: if there are not as many names as players, or one is no text.
    """
    checked = [name_of(player) for player in players] if names is None else list(names)
    if len(checked) != len(players) or not all(isinstance(name, str) for name in checked):
        raise ValueError(f"{len(players)} players need as many names, not {checked!r}")
    return checked


class SeatedPlayers:
    """The players at the four places of a match; an unpickled copy has made them again.

    Player i sits at places i, i + number of players, and so on. Its seed in the match follows from the match's seed and
    the place.

    Args:
        players: one, two or four.
        names: their names in reports and messages.
        seed: the seed of the match.
        limit: the time limit for one decision; none by default.
        allow_cheating: whether players may see all cards (`sees_all`).
        makers: functions that make the players again in another process, one for each player, which can be pickled; if
            None, the players themselves are pickled.

    Raises:
        TypeError: as `MatchPlayer` does.
        ValueError: as `MatchPlayer` does; when pickled, if a player cannot be.
    """

    def __init__(
        self,
        players: Sequence[Player],
        names: Sequence[str],
        seed: int,
        limit: Limit = NO_LIMIT,
        *,
        allow_cheating: bool = False,
        makers: Makers | None = None,
    ) -> None:
        self._players, self._makers, self._arguments = players, makers, (list(names), seed, limit, allow_cheating)
        self.places: tuple[MatchPlayer, ...] = tuple(
            MatchPlayer(
                players[place % len(players)],
                names[place % len(names)],
                derived_seed(seed, PLAYER, place),
                limit,
                allow_cheating=allow_cheating,
            )
            for place in SEATS
        )
        """Place p is seat p in the first play of a deal."""

    @property
    def are_batched(self) -> bool:
        """Whether every player may answer for many tables at once."""
        return all(player.is_batched for player in self.places)

    @property
    def have_limit(self) -> bool:
        """Whether there is a time limit for one decision."""
        return self.places[0].limit.seconds < NO_LIMIT.seconds

    @property
    def sees_all(self) -> tuple[int, ...]:
        """The numbers of the players that see all cards."""
        first_places = self.places[: len(self._players)]
        return tuple(number for number, player in enumerate(first_places) if player.abilities.sees_all)

    @contextmanager
    def prepared(self, seating: int = 0) -> Generator[list[MatchPlayer]]:
        """The players in the order of the seats, prepared for one seating and released after it.

        Raises:
            ValueError: as `prepared_players` does.
        """
        with prepared_players(self.places, seating):
            yield [self.places[(seat - seating) % len(SEATS)] for seat in SEATS]

    def take_reneges(self) -> list[Reneges]:
        """The reneges at each place since the last call."""
        return [player.take_reneges() for player in self.places]

    def __reduce__(self) -> tuple[Callable[..., "SeatedPlayers"], tuple[Any, ...]]:
        names, *_ = self._arguments
        if self._makers is not None:
            return _seat_again, (list(self._makers), None, *self._arguments)
        for player, name in zip(self._players, names, strict=True):
            try:
                pickle.dumps(player)
            except Exception as error:
                raise ValueError(
                    f"player {name!r} cannot be sent to another process: {describe_error(error)}"
                ) from error
        return _seat_again, (None, list(self._players), *self._arguments)


def _seat_again(
    makers: Makers | None,
    players: Sequence[Player] | None,
    names: list[str],
    seed: int,
    limit: Limit,
    allow_cheating: bool,
) -> SeatedPlayers:
    """Seat players in another process: those that have come, or new ones."""
    seated = [make() for make in makers] if players is None and makers is not None else players
    assert seated is not None
    return SeatedPlayers(seated, names, seed, limit, allow_cheating=allow_cheating, makers=makers)


def all_reneges(parts: Iterable[Sequence[Reneges]]) -> list[Reneges]:
    """The reneges at each place in all parts, given in the order in which one process plays them."""
    return [Reneges.of_all(at_place) for at_place in zip(*parts, strict=True)]
