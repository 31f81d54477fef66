"""`load`: a player by name, from a table of names, installed packages, a folder, or a class of your own.

A package adds names by entry points in the group "euchre_env.players". Each is a factory like those below: called with
the argument of NAME:ARGUMENT (None for NAME alone), a seed and the house rules, it returns a policy.
"""

import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

from euchre_agents.command_player import CommandPlayer
from euchre_agents.critic import CARD_FILE as CRITIC_CARD_FILE
from euchre_agents.importing import import_named
from euchre_agents.network import CARD_FILE, NetworkPolicy, card_in, load_network
from euchre_agents.open_player import load_open_player
from euchre_agents.outcome_head import has_head, load_head
from euchre_agents.passer import Passer
from euchre_agents.policy import Policy, abilities_of
from euchre_agents.random_policy import RandomPolicy
from euchre_agents.rule_bot import RuleBot
from euchre_agents.rule_bot.numbers import TUNED
from euchre_agents.sampled_player import SampledPlayer
from euchre_agents.score_player import ScorePlayer
from euchre_agents.search import Oracle, PimcPlayer, SearchPlayer, pimc, search_player
from euchre_agents.search.drawn_worlds import MAX_SEARCHED_WORLDS
from euchre_agents.tips import TipsPlayer
from euchre_agents.view_policy import ViewPolicy
from euchre_env.checks import did_you_mean, parse_digits, shortened
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules

Factory: TypeAlias = Callable[[str | None, int | None, HouseRules | None], Any]
BuiltIn: TypeAlias = Literal[
    "random", "passer", "easy", "rules", "normal", "rules_tuned", "tips", "pimc", "ppo", "hard", "ppo+search", "cmd"
]

ENTRY_POINTS = "euchre_env.players"
SHIPPED_NETWORK = Path(__file__).parent / "weights"
USERS_OF_SHIPPED_NETWORK = ("ppo", "hard", "ppo+search")
"""The built-in players that play by it, before a colon and an argument."""
SAMPLED = "sampled"
"""The argument of a network that draws its actions from its probabilities: see `sampled_player`."""
POINTS = "points"
"""The argument of a network that plays every deal for points, also if its folder has an outcome head."""


def _without_argument(name: BuiltIn, make: Callable[[int | None], Policy]) -> Factory:
    """The factory of a player that is made from its seed alone."""

    def factory(argument: str | None, seed: int | None, _rules: HouseRules | None) -> Policy:
        if argument is not None:
            raise ValueError(f"player {name!r} takes no argument, but is given {shortened(argument)}")
        return make(seed)

    return factory


def _shipped_network(name: BuiltIn) -> Factory:
    """The factory of the shipped network: NAME, NAME:points or NAME:sampled."""

    def factory(argument: str | None, seed: int | None, _rules: HouseRules | None) -> Policy:
        _check_argument(argument, name)
        return _network(SHIPPED_NETWORK, argument, seed, "ppo")

    return factory


def _check_argument(argument: str | None, name: str) -> None:
    """Refuse an argument of the network called `name` that is neither None nor `POINTS` nor `SAMPLED`."""
    if argument not in (None, POINTS, SAMPLED):
        hint = did_you_mean(argument, [POINTS, SAMPLED])
        came = shortened(argument)
        raise ValueError(f"player {name!r} takes no argument, or {POINTS!r} or {SAMPLED!r}, but is given {came}{hint}")


def _network(folder: Path, argument: str | None, seed: int | None, name: str | None = None) -> ViewPolicy:
    """The network in `folder`, called `name`, or like the folder if None; with its outcome head, if there is one."""
    network = load_network(folder, name)
    if argument == SAMPLED:
        return SampledPlayer(network, seed)
    if argument == POINTS:
        network.name = f"{network.name}:{POINTS}"
        return network
    if not has_head(folder):
        return network
    if not isinstance(network, NetworkPolicy):
        raise ValueError(f"{folder} holds an outcome head, but the architecture of its network has no kernel")
    return ScorePlayer(network, load_head(folder, network))


def _saved_player(path: str, folder: Path, argument: str | None, seed: int | None, rules: HouseRules | None) -> Any:
    """The player in `folder`, to which `path` leads: a network, or one that sees all cards."""
    _check_argument(argument, path)
    if not card_in(folder).hidden_cards:
        return _network(folder, argument, seed)
    if argument is not None:
        raise ValueError(f"player {path!r} sees all cards; it takes no argument, but is given {shortened(argument)}")
    return load_open_player(folder, rules=rules)


def _program(command: str | None, _seed: int | None, _rules: HouseRules | None) -> Policy:
    """The factory of programs: "cmd:COMMAND"."""
    if not command:
        raise ValueError('player "cmd" needs a command, as in "cmd:python my_bot.py"')
    return CommandPlayer(command)


def _num_worlds(argument: str | None, name: str, default: int) -> int:
    """The number of worlds of the player called `name`, which is given as NAME:N; `default` for NAME alone."""
    num_worlds = default if argument is None else parse_digits(argument)
    if num_worlds is None or not 1 <= num_worlds <= MAX_SEARCHED_WORLDS:
        raise ValueError(
            f"player {name!r} takes a number of worlds from 1 to {MAX_SEARCHED_WORLDS}, such as {name}:{default}, "
            f"but is given {shortened(argument)}"
        )
    return num_worlds


def _pimc(argument: str | None, seed: int | None, _rules: HouseRules | None) -> PimcPlayer:
    """The factory of the player that solves worlds: pimc or pimc:N."""
    return PimcPlayer(_num_worlds(argument, "pimc", pimc.NUM_WORLDS), seed=seed)


def _searching(argument: str | None, seed: int | None, _rules: HouseRules | None) -> SearchPlayer:
    """The factory of the shipped network with a search: ppo+search, ppo+search:N, and ppo+search:N:bids or :cards."""
    number, colon, only = (None, "", "") if argument is None else argument.partition(":")
    num_worlds = _num_worlds(number, "ppo+search", search_player.NUM_WORLDS)
    return SearchPlayer(load_network(SHIPPED_NETWORK, "ppo"), num_worlds, only=only if colon else None, seed=seed)


def _oracle(argument: str | None, _seed: int | None, rules: HouseRules | None) -> Oracle:
    """The factory of the player that sees all cards."""
    if argument is not None:
        raise ValueError(f"player 'oracle' takes no argument, but is given {shortened(argument)}")
    return Oracle(rules)


_MAKERS: dict[BuiltIn, Callable[[int | None], Policy]] = {
    "random": RandomPolicy,
    "passer": Passer,
    "easy": lambda seed: RuleBot("easy", seed),
    "rules": lambda seed: RuleBot("normal", seed),
    "normal": lambda seed: RuleBot("normal", seed),
    "rules_tuned": lambda seed: RuleBot("normal", seed, TUNED, "rules_tuned"),
    "tips": TipsPlayer,
}
BUILT_IN: dict[str, Factory] = {
    **{name: _without_argument(name, make) for name, make in _MAKERS.items()},
    "pimc": _pimc,
    "ppo": _shipped_network("ppo"),
    "hard": _shipped_network("hard"),
    "ppo+search": _searching,
    "cmd": _program,
    "oracle": _oracle,
}
"""The built-in players; "easy", "normal" and "hard" are levels for people. The oracle sees all cards."""


@overload
def load(name: BuiltIn, seed: int | None = None, rules: RulesLike | None = None) -> ViewPolicy: ...
@overload
def load(name: str, seed: int | None = None, rules: RulesLike | None = None) -> Policy: ...
def load(name: str, seed: int | None = None, rules: RulesLike | None = None) -> Policy:
    """Load the player called `name`.

    Args:
        name: NAME or NAME:ARGUMENT with a name of `BUILT_IN` or of an installed package; else the path of a run folder
            or of a folder or file with a network's weights; else "package.module:Class" for a player of your own. A
            network whose folder has an outcome head plays for the game near its end (`score_player`). After the name
            or the path of a network, ":points" makes it play every deal for points, and ":sampled" draw its actions
            from its probabilities. "cmd:COMMAND" is a program in a process of its own (`command_player`).
            "pimc:N" and "ppo+search:N" look at N worlds at each decision; "ppo+search:N:bids" and "ppo+search:N:cards"
            at these decisions alone.
        seed: fixes the player's random choices, if it makes any; drawn afresh if None.
        rules: the house rules of the games. The built-in players read them from views and observations instead; the
            oracle and a network that sees all cards are told them here. If None, the oracle takes "standard", and the
            network those that it was trained under.

    A class of your own is called with `seed` and `rules` if it has parameters of these names.

    Raises:
        ValueError: if there is no such player, it cannot be made from a seed and rules, or an installed package
            registers a name that is taken. Exceptions of a module, class or factory of your own pass through.
    """
    if not isinstance(name, str):
        raise ValueError(f"the name of a player must be text, not {shortened(name)}; for a folder, str(path)")
    house_rules = None if rules is None else parse_rules(rules)
    factories = known_players()
    known_name, colon, argument = name.partition(":")
    if known_name in factories:
        return _checked(factories[known_name](argument if colon else None, seed, house_rules), name)
    folder = existing_folder(name)
    if folder is not None:
        return _saved_player(name, folder, None, seed, house_rules)
    path, _, argument = name.rpartition(":")
    folder = existing_folder(path)
    if folder is not None and (folder / CARD_FILE).exists():
        return _saved_player(path, folder, argument, seed, house_rules)
    if colon:
        return _checked(_make(name, {"seed": seed, "rules": house_rules}), name)
    raise ValueError(
        f"unknown player {shortened(name)}{did_you_mean(name, factories)}; players: {', '.join(factories)}, "
        "the path of a run folder, or package.module:Class"
    )


def critic_folder(name: str) -> Path | None:
    """The folder with the critic of the network called `name`; None if the player is no network or has no critic."""
    base, _, argument = name.rpartition(":")
    path = base if argument in (POINTS, SAMPLED) else name
    folder = SHIPPED_NETWORK if name.partition(":")[0] in USERS_OF_SHIPPED_NETWORK else existing_folder(path)
    return folder if folder is not None and (folder / CRITIC_CARD_FILE).exists() else None


def existing_folder(name: str) -> Path | None:
    """The folder that the path `name` leads to, or the folder of the file there; None if the path does not exist."""
    path = Path(name)
    try:
        if not name or not path.exists():
            return None
    except (OSError, ValueError):  # too long, or not valid as a path
        return None
    return path if path.is_dir() else path.parent


def known_players() -> dict[str, Factory]:
    """The factory of each player that has a name: the built-in ones, then those of installed packages.

    Raises:
        ValueError: if an installed package registers the name of a built-in player, or two packages the same name.
    """
    factories = dict(BUILT_IN)
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name in factories:
            package = entry.dist.name if entry.dist is not None else entry.value
            owner = "a built-in player" if entry.name in BUILT_IN else "another package"
            raise ValueError(f"package {package!r} registers a player {entry.name!r}, a name that {owner} has")
        factories[entry.name] = lambda argument, seed, rules, entry=entry: entry.load()(argument, seed, rules)
    return factories


def _make(name: str, arguments: dict[str, Any]) -> Any:
    """Make the player "package.module:Class"."""
    make = import_named(name, "player")
    if not callable(make):
        return make
    try:
        signature = inspect.signature(make)
    except ValueError:  # written in C, without a signature
        return make()
    given = {key: value for key, value in arguments.items() if key in signature.parameters}
    try:
        signature.bind(**given)
    except TypeError as error:
        raise ValueError(f"player {name!r}: its constructor is called with seed and rules alone: {error}") from error
    return make(**given)


def _checked(player: Any, name: str) -> Policy:
    """Return `player` after a check that it is a policy."""
    try:
        abilities_of(player, name)
    except TypeError as error:
        raise ValueError(f"{error}: {shortened(player)}") from error
    return player
