"""The registry of random numbers: the purposes of streams, and the ranges of seeds.

A stream is named by a seed, a purpose and a number (`counter_rng`). No purpose and no number has two uses, so two draws
use the same stream only by design. The seed ranges keep training, tuning and reporting apart, so that no player is
evaluated on deals of its training: every match and every batch of tables in this project takes its seed from a range.
"""

from euchre_env.checks import check_number
from euchre_env.counter_rng import MAX_SEED

(
    CARDS,  # number k: the pack of deal k of a game's seed
    FIRST_DEALER,  # the first dealer of a game
    EPISODE,  # number k: the seed of episode k of a batch
    DECISION,  # the two halves of a decision's key, see below
    PLAYER,  # number p: the seed of the player at place p of a match
    RESET,  # number k: the seed of the k-th unseeded reset of an environment
    SHUFFLE,  # number u * n + p: the order of minibatches of process p of n, from 0, in update u of a training run
    PAST_SELF_CHOICE,  # number u: the past self that the policy meets in update u
    SEATING,  # number s: the seed that a player's `reset` draws on in seating s of a match
    POSITION,  # number k: the seed of position k of a batch that starts from given positions
    RULE_SETS,  # number u: the house rules of update u of a training run; FIRST_HEAD_DEAL + u: of an outcome head's
    OUTCOME_HEAD,  # number 0: the initial weights of an outcome head; 1 + u: all random choices of its update u
    WORLD,  # number n: the hidden cards of world n for a decision's key
    MODULE_DRAWS,  # number u * n + p: what the networks draw in process p of n, from 0, in update u of a run (dropout)
) = range(14)

# A decision's key mixes two streams with purpose DECISION: one of the episode's seed, one of the player's seed.
EPISODE_KEY, PLAYER_KEY = 0, 1

REPORTING_SEEDS = range(2**61)
"""The seeds of reported results: `euchre-eval --seed 7` is seed 7 of `Tables` too."""
TUNING_SEEDS = range(2**61, 2**62)
"""The seeds of matches that select a checkpoint, a setting or a player, such as the evaluations of training."""
TRAINING_SEEDS = range(2**62, MAX_SEED + 1)
"""The seeds of training."""

# The first episode number of games in a match, so that games never share cards with single deals of the same seed.
FIRST_GAME = 2**61
# The first episode number of the deals that train an outcome head, far above those that trained its network.
FIRST_HEAD_DEAL = 2**60


def reporting_seed(number: int) -> int:
    """Seed `number` of `REPORTING_SEEDS`, counting from 0.

    >>> reporting_seed(7), tuning_seed(7) == 2**61 + 7, training_seed(7) in TRAINING_SEEDS
    (7, True, True)

    Raises:
        ValueError: if the number is not a whole number from 0 to 2**61 - 1.
    """
    return _seed_of(REPORTING_SEEDS, number)


def tuning_seed(number: int) -> int:
    """Seed `number` of `TUNING_SEEDS`; raises as `reporting_seed` does."""
    return _seed_of(TUNING_SEEDS, number)


def training_seed(number: int) -> int:
    """Seed `number` of `TRAINING_SEEDS`; raises as `reporting_seed` does."""
    return _seed_of(TRAINING_SEEDS, number)


def range_of_seed(seed: int) -> tuple[str, int]:
    """The range of a seed, "reporting", "tuning" or "training", and its number there, which the functions above take.

    >>> range_of_seed(7), range_of_seed(training_seed(7))
    (('reporting', 7), ('training', 7))
    """
    ranges = {"reporting": REPORTING_SEEDS, "tuning": TUNING_SEEDS, "training": TRAINING_SEEDS}
    return next((name, seeds.index(seed)) for name, seeds in ranges.items() if seed in seeds)


def _seed_of(seeds: range, number: int) -> int:
    return seeds[check_number(number, 0, len(REPORTING_SEEDS) - 1, "seed")]
