"""Sayings of the game as experiments: `SAYINGS` lists them, `measure` does one.

Each experiment forces choices in positions of the same seeded deals, so that two choices meet the same cards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from euchre_agents import load
from euchre_env import __version__
from euchre_env.checks import check_number, did_you_mean
from euchre_env.house_rules import parse_rules
from euchre_env.random_streams import reporting_seed
from euchre_eval.playing import MAX_PAIRS
from euchre_eval.sayings.calling import CALL_AT_SIX, ENOUGH, NEXT, UPCARD
from euchre_eval.sayings.following import PARTNERS_TRICK, PUT_BACK_SAYING
from euchre_eval.sayings.leading import LEAD_ACE_SAYING, LEAD_TRUMP_SAYING
from euchre_eval.sayings.lone_hands import ALONE, LONE_LEAD
from euchre_eval.sayings.reading import READING_SAYING
from euchre_eval.sayings.saying import Samples, Saying, Setting, figures_of, put_together, tables_as_json
from euchre_eval.sayings.strength import STRENGTH
from euchre_eval.sayings.table_rules import HOUSE_RULES, STICK_SAYING
from euchre_eval.workers import Tick, check_workers, do_parts, equal_parts

__all__ = ["SAYINGS", "Saying", "measure"]

SAYINGS: dict[str, Saying] = {
    saying.name: saying
    for saying in (
        ALONE,
        ENOUGH,
        UPCARD,
        LEAD_TRUMP_SAYING,
        LEAD_ACE_SAYING,
        CALL_AT_SIX,
        NEXT,
        READING_SAYING,
        STICK_SAYING,
        PARTNERS_TRICK,
        PUT_BACK_SAYING,
        LONE_LEAD,
        HOUSE_RULES,
        STRENGTH,
    )
}
"""The sayings by name, in the order of docs/sayings.md."""
NUM_PARTS, MIN_PART, MAX_PART = 8, 50, 2000  # of the deals of an experiment, shared by processes


@dataclass(frozen=True)
class _Part:
    """Does an experiment with some deals: the work that several processes may share."""

    saying: str
    player: str
    rules: str
    seed: int

    def __call__(self, deals: range, tick: Tick) -> Samples:
        """The samples of these deals; the ticks count "deals"."""
        rules = parse_rules(self.rules)
        player: Any = load(self.player, seed=1, rules=rules)
        samples = SAYINGS[self.saying].measure(deals, Setting(player, rules, self.seed), tick)
        tick("deals", len(deals))
        return samples


def measure(
    name: str,
    *,
    player: str = "ppo",
    deals: int | None = None,
    seed: int = 0,
    workers: int | None = 1,
    progress: Callable[[str, int, int], object] | None = None,
) -> dict[str, Any]:
    """Do the experiment of a saying.

    Args:
        name: one of `SAYINGS`.
        player: the name of the player that plays at all seats, for `load`; it must answer views.
        deals: how many deals; as many as the saying has by default if None.
        seed: the number of the reporting seed that fixes the deals.
        workers: how many processes may play, every core if None. The result does not depend on it.
        progress: called with "deals", the number of deals done and the total number.

    Returns:
        The result as plain values for `json.dumps`: what was asked, and the tables of figures, which
        `saying.figures_in` reads.

    Raises:
        ValueError: if there is no such saying or player, the player does not answer views, or an argument is invalid.
    """
    if name not in SAYINGS:
        raise ValueError(f"there is no saying {name!r}{did_you_mean(name, SAYINGS)}; sayings: {', '.join(SAYINGS)}")
    saying = SAYINGS[name]
    deals = check_number(saying.deals if deals is None else deals, 1, MAX_PAIRS, "deals")
    rules = parse_rules(saying.rules)
    if not hasattr(load(player, seed=1, rules=rules), "act_views"):
        raise ValueError(f"player {player!r} does not answer views; sayings need a built-in player or a network")
    done = 0

    def count(_what: str, number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress("deals", done, deals)

    parts = do_parts(
        _Part(name, player, saying.rules, reporting_seed(seed)),
        equal_parts(deals, NUM_PARTS, MIN_PART, MAX_PART),
        workers=check_workers(workers),
        progress=count,
    )
    figures = figures_of(saying, put_together(parts))
    return {
        "saying": name,
        "player": player,
        "rules": saying.rules,
        "deals": deals,
        "seed": seed,
        "version": __version__,
        "tables": tables_as_json(saying, figures),
    }
