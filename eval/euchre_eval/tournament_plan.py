"""`Plan`: what a tournament plays, fixed before its first deal, and its file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from euchre_env.checks import check_number, did_you_mean
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.playing import MAX_PAIRS


@dataclass(frozen=True)
class Plan:
    """What a tournament plays: each two of its players meet under each of the house rules, on the same deals.

    Raises:
        ValueError: if a value is impossible.
    """

    players: tuple[str, ...]
    """The names of the players, as `load` takes them."""
    rules: tuple[str, ...] = ("standard",)
    """House rules, each a tournament of its own."""
    deals: int = 20_000
    """How many deals each two players meet in, each played twice with the teams swapped."""
    deals_with: Mapping[str, int] = field(default_factory=dict[str, int])
    """Fewer deals for the matches of slow players, by name; if two of them meet, the lower number."""
    seed: int = 0
    """The reporting seed, which fixes the deals, the players' keys and seeds, and the bootstrap."""
    anchor: str | None = None
    """The player whose rating is 0; the first one if None."""
    allow_cheating: bool = False
    """Whether players may see all cards."""
    title: str = "Tournament"
    """The heading of its page."""

    def __post_init__(self) -> None:
        for name in ("players", "rules"):
            values = getattr(self, name)
            if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
                raise ValueError(f"{name} must be a list of names, not {values!r}")
            object.__setattr__(self, name, tuple(values))
        if len(self.players) < 2:
            raise ValueError(f"a tournament takes two players or more, not {len(self.players)}")
        if not self.rules:
            raise ValueError("a tournament takes house rules, and none came")
        object.__setattr__(self, "rules", tuple(str(parse_rules(rules)) for rules in self.rules))
        for name in ("players", "rules"):
            twice = [value for value in getattr(self, name) if getattr(self, name).count(value) > 1]
            if twice:
                raise ValueError(f"{name}: {twice[0]!r} stands twice")
        check_number(self.deals, 1, MAX_PAIRS, "deals")
        if not isinstance(self.deals_with, Mapping):
            raise ValueError(f"deals_with must give numbers of deals by player, not {self.deals_with!r}")
        for player, number in self.deals_with.items():
            self._check_player(player, "deals_with")
            check_number(number, 1, self.deals, f"deals_with: {player}")
        reporting_seed(self.seed)
        if self.anchor is not None:
            self._check_player(self.anchor, "anchor")
        if not isinstance(self.allow_cheating, bool):
            raise ValueError(f"allow_cheating must be true or false, not {self.allow_cheating!r}")
        if not isinstance(self.title, str):
            raise ValueError(f"title must be text, not {self.title!r}")

    def _check_player(self, name: object, where: str) -> None:
        if name not in self.players:
            raise ValueError(f"{where}: {name!r} is no player of the tournament{did_you_mean(str(name), self.players)}")

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Each two players, by number, the lower number first."""
        return [(one, other) for other in range(len(self.players)) for one in range(other)]

    @property
    def anchor_number(self) -> int:
        """The number of the player whose rating is 0."""
        return 0 if self.anchor is None else self.players.index(self.anchor)

    def deals_of(self, one: int, other: int) -> int:
        """How many deals two players meet in."""
        numbers = [
            self.deals_with[name] for name in (self.players[one], self.players[other]) if name in self.deals_with
        ]
        return min([self.deals, *numbers])

    def as_json(self) -> dict[str, Any]:
        """The plan as plain values for `json.dumps`."""
        return {**asdict(self), "players": list(self.players), "rules": list(self.rules)}


def read_plan(file: Path) -> Plan:
    """Read a plan from a YAML file whose keys are the fields of `Plan`.

    Raises:
        ValueError: if it is no such file; the message names it.
        OSError: if it cannot be read.
        ImportError: if PyYAML is not installed.
    """
    import yaml

    try:
        with file.open(encoding="utf-8") as stream:  # a stream has a name for messages
            values = yaml.safe_load(stream)
        if not isinstance(values, dict):
            raise ValueError("it must give values to names, such as players")
        known = [each.name for each in fields(Plan)]
        for name in values:
            if name not in known:
                raise ValueError(f"unknown key {name!r}{did_you_mean(str(name), known)}; keys: {', '.join(known)}")
        if "players" not in values:
            raise ValueError("players is missing")
        return Plan(**values)
    except (yaml.YAMLError, ValueError) as error:  # text that is not UTF-8 too
        raise ValueError(f"{file}: {' '.join(str(error).split())}") from error
