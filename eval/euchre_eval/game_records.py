"""Games between players, recorded for Euchre Game Notation."""

from collections.abc import Iterator, Sequence

import numpy as np

from euchre_agents.policy import Player
from euchre_env import __version__
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed
from euchre_env.deal import DEAL, SEATS, Deal, apply
from euchre_env.egn import RecordedGame, record_game
from euchre_env.egn.reading import MAX_NAME
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.kernel import row
from euchre_env.random_streams import FIRST_GAME
from euchre_env.tables import Tables
from euchre_eval.match_player import name_of
from euchre_eval.playing import MAX_PAIRS, play
from euchre_eval.seated_players import SeatedPlayers


class RenegedGameError(RuntimeError):
    """A player reneged, which the notation cannot say."""


def recorded_games(
    players: Sequence[Player],
    games: int = 1,
    *,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    allow_cheating: bool = False,
) -> Iterator[RecordedGame]:
    """Play games and yield the record of each; they are the first plays of the games of `play_match`.

    Args:
        players: one for all seats, two for the teams, or four in the order of the seats.
        games: how many games to play.
        seed: fixes the games, and the players' seeds.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: the players' names in the records; their `name` or their class if None.
        allow_cheating: whether players may see all cards (`sees_all`).

    Raises:
        ValueError: if an argument is invalid; an `EgnError` if the notation cannot say a house rule, or a game has more
            deals than it allows.
        RenegedGameError: if a player reneges.
        EndlessGameError: if a game does not end.
    """
    rules, seed = parse_rules(rules), check_seed(seed)
    games = check_number(games, 1, MAX_PAIRS, "games")
    if len(players) not in (1, 2, 4):
        raise ValueError(f"a game takes one player, two, or four, one for each seat; {len(players)} came")
    names = [name_of(player) for player in players] if names is None else list(names)
    record_game([], rules)  # refuses, before anybody plays, rules that cannot be written
    seated = SeatedPlayers(players, names, seed, allow_cheating=allow_cheating)
    seat_names = [names[seat % len(names)][-MAX_NAME:] for seat in SEATS]
    tables = Tables(1, rules, seed, episode="game", num_episodes=games, first_episode=FIRST_GAME)
    with seated.prepared() as at_seats:
        log = _DealLog(tables, rules)
        deals: list[Deal] = []
        for results in play(tables, at_seats, watch=log.add):
            result = results[0]
            if result["reneged"] in SEATS:
                name = seat_names[int(result["reneged"])]
                raise RenegedGameError(
                    f"{name} reneged in deal {len(deals)}, and the notation has no place for reneges"
                )
            deals.append(log.take_deal())
            if result["over"]:
                number = int(result["episode"]) - FIRST_GAME
                yield record_game(
                    deals,
                    rules,
                    players=seat_names,
                    title=f"Game {number} of seed {seed}",
                    description=f"Rules {rules}; played by euchre-env {__version__}.",
                )
                deals = []


class _DealLog:
    """The actions of the deal in progress on the one table of `tables`."""

    def __init__(self, tables: Tables, rules: HouseRules) -> None:
        self._tables, self._rules = tables, row(rules.packed())
        self._start: np.ndarray = np.zeros(0, DEAL)
        self._actions: list[int] = []

    def add(self, actions: np.ndarray) -> None:
        """Note the action that is about to be taken."""
        if not self._actions:
            self._start = self._tables.deals()
        self._actions.append(int(actions[0]))

    def take_deal(self) -> Deal:
        """The deal after the actions noted, a record of dtype DEAL; the next action begins the next deal."""
        deal, actions = row(self._start.copy()), self._actions
        self._actions = []
        for action in actions:
            apply(deal, self._rules, action)
        return deal
