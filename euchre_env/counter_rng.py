"""Counter-based random numbers: a pure function of a seed and counters, without state.

Draw `k` of stream (seed, purpose, number) is the same in every process, batch and mode; `random_streams` lists the
purposes. The arithmetic is 32-bit steps kept below 2**63, so that compiled int64 and Python's integers agree.
`scramble` is the 32-bit finaliser "lowbias32" of Chris Wellons' hash-prospector (public domain); two of them give the
two halves of a 64-bit key.
"""

from euchre_env.cards import nth_member, num_members
from euchre_env.checks import shortened, whole_number
from euchre_env.kernel import kernel

MASK = 0xFFFFFFFF
GOLDEN = 0x1E3779B1  # an odd constant; consecutive counters land far apart
MAX_SEED = 2**63 - 1
MAX_NUMBER = 2**62  # the highest number of a first deal or episode: later numbers still fit an int64


@kernel
def scramble(word: int) -> int:
    """A 32-bit word in which every bit depends on every bit of `word`; a bijection."""
    word ^= word >> 16
    word = (word * 0x7FEB352D) & MASK
    word ^= word >> 15
    word = (word * -0x7B935975) & MASK  # 0x846CA68B modulo 2**32, written so that the product fits an int64
    return word ^ (word >> 16)


@kernel
def stream_key(seed: int, purpose: int, number: int) -> tuple[int, int]:
    """The key of stream `number` for `purpose` of `seed` (both 0 to 2**63 - 1), as two 32-bit halves."""
    a, b = 0x3C6EF372, 0x1BD11BDA
    for word in (seed & MASK, seed >> 32, number & MASK, number >> 32, purpose):
        a = scramble(a ^ word)
        b = scramble((b + word + a) & MASK)
    return a, b


@kernel
def random_below(a: int, b: int, counter: int, bound: int) -> int:
    """Draw `counter` of the stream with key (a, b): uniform on 0 to bound - 1, up to a bias of bound / 2**32."""
    word = scramble(scramble((a + counter * GOLDEN) & MASK) ^ b)
    return (word * bound) >> 32


@kernel
def random_below_large(a: int, b: int, counter: int, bound: int) -> int:
    """Draws `2 * counter` and `2 * counter + 1` as one number below `bound`: uniform, up to a bias of bound / 2**62."""
    high, low = random_below(a, b, 2 * counter, 1 << 31), random_below(a, b, 2 * counter + 1, 1 << 31)
    return (high << 31 | low) % bound


@kernel
def random_member(bits: int, key: int) -> int:
    """The position of a uniformly random set bit of `bits`, drawn from a 31-bit random `key`."""
    return nth_member(bits, random_below(key, 0, 0, num_members(bits)))


@kernel
def derived_seed(seed: int, purpose: int, number: int) -> int:
    """The seed, 0 to 2**63 - 1, of child `number` of `seed` for `purpose`."""
    a, b = stream_key(seed, purpose, number)
    return ((a & 0x7FFFFFFF) << 32) | b


def check_seed(seed: object) -> int:
    """`seed` as a Python int.

    Raises:
        ValueError: if `seed` is not a whole number from 0 to 2**63 - 1 (a bool is not a number).
    """
    value = whole_number(seed)
    if value is None or not 0 <= value <= MAX_SEED:
        raise ValueError(f"seed must be a whole number from 0 to 2**63 - 1, not {shortened(seed)}")
    return value
