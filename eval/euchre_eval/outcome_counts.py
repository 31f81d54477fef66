"""Count the outcomes of deals between four copies of a player: the input of `euchre_agents.win_table`."""

from dataclasses import dataclass

import numpy as np

from euchre_agents.outcomes import NUM_OUTCOMES, outcomes_of
from euchre_agents.policy import Player
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed
from euchre_env.deal import NOBODY
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules
from euchre_env.tables import Tables
from euchre_eval.match_player import name_of
from euchre_eval.playing import BATCH_SIZE, MAX_PAIRS, CountUp, Progress, batched_runs, play
from euchre_eval.seated_players import Makers, SeatedPlayers
from euchre_eval.workers import Tick, check_workers, do_parts


def count_outcomes(
    player: Player,
    *,
    deals: int,
    seed: int,
    rules: RulesLike = "standard",
    name: str | None = None,
    batch_size: int = BATCH_SIZE,
    workers: int | None = 1,
    makers: Makers | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """Play single deals of four copies of `player` and count their outcomes.

    Args:
        player: the player; its copies and random numbers are as in the first play of `play_match`.
        deals: how many deals to play; every seat deals a quarter of them.
        seed: fixes the deals, and the player's keys and seeds. Deal k has the same cards under all rules without, and
            under all with the Benny.
        rules: a preset's name, text for `parse_rules`, or `HouseRules`.
        name: the player's name in messages; its `name` or its class if None.
        batch_size: how many deals to play at once, at most; the result does not depend on it.
        workers: how many processes may play, every core if None, as for `play_match`; they share the deals of a pure
            player, and one process plays those of any other.
        makers: a list of one function that makes the player again in another process, as for `play_match`.
        progress: called as deals end with "deals", the number of deals done and the total number.

    Returns:
        The number of deals with each of the outcomes of `euchre_agents.outcomes`, int64, shape (NUM_OUTCOMES,); deals
        that a renege ended are not counted.

    Raises:
        ValueError: if an argument is invalid, the player must be copied and cannot be, or it sees all cards.
        TypeError: if the player has no method `act`.
        WorkerError: if another process is killed.
    """
    seed = check_seed(seed)
    deals = check_number(deals, 1, MAX_PAIRS, "deals")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    house_rules, name = parse_rules(rules), name or name_of(player)
    seated = SeatedPlayers([player], [name], seed, makers=makers)
    counted = do_parts(
        _CountDeals(seated, house_rules, seed, batch_size),
        batched_runs(deals) if seated.are_batched else [range(deals)],
        workers=check_workers(workers),
        progress=None if progress is None else CountUp(progress, {"deals": deals}),
    )
    return np.sum(counted, axis=0)


@dataclass(frozen=True)
class _CountDeals:
    """Plays any run of the deals and counts their outcomes: the work that several processes may share."""

    players: SeatedPlayers
    rules: HouseRules
    seed: int
    batch_size: int

    def __call__(self, deals: range, tick: Tick) -> np.ndarray:
        """The number of these deals with each outcome, int64, shape (NUM_OUTCOMES,); the ticks count "deals"."""
        num_tables = self.batch_size if self.players.are_batched else 1
        tables = Tables(num_tables, self.rules, self.seed, num_episodes=len(deals), first_episode=deals.start)
        counts = np.zeros(NUM_OUTCOMES, np.int64)
        with self.players.prepared() as seated:
            for results in play(tables, seated, tick):
                outcomes = outcomes_of(results[results["reneged"] == NOBODY])
                counts += np.bincount(outcomes, minlength=NUM_OUTCOMES)
                tick("deals", len(results))
        return counts
