"""The matches of a tournament: their players, and the work of playing a part."""

from dataclasses import dataclass

from euchre_agents.loading import load
from euchre_agents.policy import Player
from euchre_env.counter_rng import derived_seed
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import PLAYER, reporting_seed
from euchre_eval.playing import BATCH_SIZE, PlayPart, Plays
from euchre_eval.seated_players import SeatedPlayers
from euchre_eval.tournament_folder import TournamentPart
from euchre_eval.tournament_plan import Plan
from euchre_eval.workers import Tick


class MatchPlayers:
    """The players of each match, loaded when they are first needed, once for each place and rules."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._loaded: dict[tuple[int, int, int], Player] = {}
        self._seated: dict[tuple[int, int, int], SeatedPlayers] = {}

    def __reduce__(self) -> tuple[type["MatchPlayers"], tuple[Plan]]:
        return MatchPlayers, (self.plan,)

    def __call__(self, rules: int, one: int, other: int) -> SeatedPlayers:
        """The two players of a match, as `euchre-eval match` would load them."""
        key, seed = (rules, one, other), reporting_seed(self.plan.seed)
        if key not in self._seated:
            names = [self.plan.players[number] for number in (one, other)]
            loaded = [self._load(rules, number, place) for place, number in enumerate((one, other))]
            self._seated[key] = SeatedPlayers(loaded, names, seed, allow_cheating=self.plan.allow_cheating)
        return self._seated[key]

    def _load(self, rules: int, number: int, place: int) -> Player:
        key = rules, number, place
        if key not in self._loaded:
            seed = derived_seed(reporting_seed(self.plan.seed), PLAYER, place)
            self._loaded[key] = load(self.plan.players[number], seed, parse_rules(self.plan.rules[rules]))
        return self._loaded[key]


@dataclass(frozen=True)
class PlayTournamentPart:
    """Plays any part of the tournament: the work that several processes may share."""

    players_of: MatchPlayers

    def __call__(self, part: TournamentPart, tick: Tick) -> Plays:
        """Play a part; the ticks count plays of "pairs"."""
        plan = self.players_of.plan
        rules, seed = parse_rules(plan.rules[part.rules]), reporting_seed(plan.seed)
        play_part = PlayPart(self.players_of(part.rules, part.one, part.other), rules, seed, BATCH_SIZE)
        return play_part(part.match_part, lambda _what, number: tick("pairs", number))
