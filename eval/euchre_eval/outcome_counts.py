"""Count the outcomes of deals between four copies of a player: the input of `euchre_agents.win_table`."""

import numpy as np

from euchre_agents.outcomes import NUM_OUTCOMES, outcomes_of
from euchre_agents.policy import Player
from euchre_env.checks import check_number
from euchre_env.counter_rng import check_seed, derived_seed
from euchre_env.deal import NOBODY, SEATS
from euchre_env.house_rules import RulesLike, parse_rules
from euchre_env.random_streams import PLAYER
from euchre_env.tables import Tables
from euchre_eval.match import BATCH_SIZE, MAX_PAIRS, Progress, play
from euchre_eval.match_player import MatchPlayer, name_of, prepared_players


def count_outcomes(
    player: Player,
    *,
    deals: int,
    seed: int,
    rules: RulesLike = "standard",
    name: str | None = None,
    batch_size: int = BATCH_SIZE,
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
        batch_size: how many deals to play at once; the result does not depend on it.
        progress: called as deals end with "deals", the number of deals done and the total number.

    Returns:
        The number of deals with each of the outcomes of `euchre_agents.outcomes`, int64, shape (NUM_OUTCOMES,); deals
        that a renege ended are not counted.

    Raises:
        ValueError: if an argument is invalid, the player must be copied and cannot be, or it sees all cards.
        TypeError: if the player has no method `act`.
    """
    seed = check_seed(seed)
    deals = check_number(deals, 1, MAX_PAIRS, "deals")
    batch_size = check_number(batch_size, 1, MAX_PAIRS, "batch_size")
    house_rules, name = parse_rules(rules), name or name_of(player)
    players = [MatchPlayer(player, name, derived_seed(seed, PLAYER, seat)) for seat in SEATS]
    num_tables = batch_size if all(each.is_batched for each in players) else 1
    tables = Tables(num_tables, house_rules, seed, num_episodes=deals)
    counts, num_over = np.zeros(NUM_OUTCOMES, np.int64), 0
    with prepared_players(players):
        for results in play(tables, players):
            outcomes = outcomes_of(results[results["reneged"] == NOBODY])
            counts += np.bincount(outcomes, minlength=NUM_OUTCOMES)
            num_over += len(results)
            if progress is not None:
                progress("deals", num_over, deals)
    return counts
