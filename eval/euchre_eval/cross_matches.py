"""Cross-play: how players from separate trainings do as each other's opponents, and as each other's partners.

Players that learn together may agree on conventions that a stranger does not know. Mixed partners show what such
conventions are worth: a pair of copies of one player, and a pair of two players, meet the same opponents on the same
deals, and what the mixed pair scores less is the loss. Its interval is that of the deals: it says how well these
players are measured, not how other trainings of the same kind would do.
"""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np

from euchre_agents.policy import Player
from euchre_env.house_rules import RulesLike
from euchre_eval.intervals import Mean, mean_of, without_nan
from euchre_eval.match import MatchResult, play_match
from euchre_eval.playing import Progress
from euchre_eval.seated_players import Makers, check_names

Matrix: TypeAlias = tuple[tuple[Mean, ...], ...]


@dataclass(frozen=True)
class CrossPlay:
    """What each player scores against and beside each of the others; `str()` says how to play it again."""

    players: tuple[str, ...]
    """The names of the players."""
    opponent: str
    """The name of the common opponent of all partners."""
    rules: str
    """The house rules, as `parse_rules` reads them."""
    pairs: int
    """The number of deals, each played twice, which are the same in every match."""
    seed: int
    version: str
    """The version of euchre-env."""
    teams: Matrix
    """`teams[i][j]`: points per deal of two copies of player i against two copies of player j; 0 where they are the
    same player."""
    partners: Matrix
    """`partners[i][j]`: points per deal of player i with player j as its partner against two copies of the opponent."""
    loss: Mean
    """Points per deal that mixed partners score less than partners who are copies of one player; see `partner_loss`."""
    reneges: int
    """Deals that a renege ended."""

    def as_json(self) -> dict[str, Any]:
        """The result as plain values for `json.dumps`; the interval of a single deal is null."""
        return without_nan(asdict(self))

    def __str__(self) -> str:
        lines = []
        for one, other in itertools.combinations(range(len(self.players)), 2):
            lines.append(f"{self.players[one]} against {self.players[other]}: {self.teams[one][other]}")
        for one, other in itertools.product(range(len(self.players)), repeat=2):
            pair = f"{self.players[one]} and {self.players[other]}"
            lines.append(f"{pair} against {self.opponent}: {self.partners[one][other]}")
        lines.append(f"loss of mixed partners: {self.loss}")
        lines.append(
            f"points per deal (95%, {self.pairs} deals x 2), rules {self.rules}, seed {self.seed}, "
            f"euchre-env {self.version}" + (f", {self.reneges} reneges" if self.reneges else "")
        )
        return "\n".join(lines)


def cross_play(
    players: Sequence[Player],
    opponent: Player,
    *,
    deals: int = 4000,
    seed: int = 0,
    rules: RulesLike = "standard",
    names: Sequence[str] | None = None,
    workers: int | None = 1,
    makers: Makers | None = None,
    progress: Progress | None = None,
) -> CrossPlay:
    """Play each of the players against each other one, and beside each one against a common opponent.

    Args:
        players: two players or more, such as those of trainings that differ in their seeds alone.
        opponent: the common opponent of all partners.
        deals: how many deals to play in each match, each twice; all matches have the same deals.
        seed: fixes the deals, and the players' keys and seeds.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        names: the names in the result, of the players and then of the opponent; their `name` or their class if None.
        workers: how many processes may play each match, every core if None, as for `play_match`.
        makers: functions that make the players and then the opponent again in another process, as for `play_match`.
        progress: called as deals end with "matches" and the number of matches done, of how many.

    Raises:
        ValueError: if there are fewer than two players, or as `play_match` does.
        TypeError: as `play_match` does.
    """
    if len(players) < 2:
        raise ValueError(f"cross-play takes two players or more, not {len(players)}")
    names = check_names((*players, opponent), names)
    size, results = len(players), list[MatchResult]()
    num_matches = size * (size - 1) // 2 + size**2

    def play(*places: int) -> MatchResult:
        """The match of the players with these numbers, of which the last is the opponent."""
        everybody = (*players, opponent)
        seated, called = [everybody[place] for place in places], [names[place] for place in places]
        made = None if makers is None else [makers[place] for place in places]
        result = play_match(*seated, deals=deals, seed=seed, rules=rules, names=called, workers=workers, makers=made)
        results.append(result)
        if progress is not None:
            progress("matches", len(results), num_matches)
        return result

    teams = [[_nothing()] * size for _ in players]
    for one, other in itertools.combinations(range(size), 2):
        margins = play(one, other).margins
        teams[one][other], teams[other][one] = mean_of(margins), mean_of(-margins)
    margins = np.array([[play(one, size, other, size).margins for other in range(size)] for one in range(size)])
    return CrossPlay(
        players=tuple(names[:-1]),
        opponent=names[-1],
        rules=results[0].rules,
        pairs=results[0].pairs,
        seed=results[0].seed,
        version=results[0].version,
        teams=tuple(map(tuple, teams)),
        partners=tuple(tuple(mean_of(samples) for samples in row) for row in margins),
        loss=mean_of(partner_loss(margins)),
        reneges=sum(sum(result.reneges) for result in results),
    )


def partner_loss(margins: np.ndarray) -> np.ndarray:
    """What mixed partners lose in each deal: the mean of the pairs of copies less the mean of the mixed pairs.

    The deal is the sample. Every pair has played it against the same opponent, so the luck of its cards cancels in the
    difference, and the mean over deals has the normal interval of independent samples.

    >>> partner_loss(np.array([[[2.0, 1.0], [0.0, 1.0]], [[1.0, 1.0], [4.0, 1.0]]]))
    array([2.5, 0. ])

    Args:
        margins: what the pair of players i and j scored in each deal, less the opponents, float64, shape (players,
            players, deals).

    Returns:
        float64, shape (deals,).
    """
    size = len(margins)
    alike = np.einsum("iid->d", margins)
    mixed = margins.sum(axis=(0, 1)) - alike
    return alike / size - mixed / (size * (size - 1))


def _nothing() -> Mean:
    """The result of a player against itself."""
    return Mean(0.0, 0.0, 0.0, 0.0)
