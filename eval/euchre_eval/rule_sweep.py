"""A sweep of the numbers of the rule-based player, each judged by duplicate matches against `rules`.

One number is varied at a time. All candidates play the same tuning deals against `rules`, so the gain of one over the
best so far is the mean of paired differences. A candidate replaces the best only if the 95 % interval of its gain lies
above 0; of several, the one with the highest mean. What is found then plays `rules` on reporting deals, which no choice
has seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from euchre_agents.rule_bot import RuleBot, RuleNumbers
from euchre_agents.rule_bot.numbers import PLACES, RULES, TRUMPS
from euchre_env import __version__
from euchre_env.checks import check_number
from euchre_env.house_rules import PRESETS, RulesLike, parse_rules
from euchre_env.random_streams import reporting_seed, tuning_seed
from euchre_eval.intervals import Mean, mean_of
from euchre_eval.match import play_match
from euchre_eval.playing import MAX_PAIRS
from euchre_eval.workers import Tick, check_workers, do_parts


class Number(NamedTuple):
    """A number of `RuleNumbers`, and how it is varied: by multiples of a step around the best value so far."""

    field: str
    """The name of a field of `RuleNumbers`."""
    place: int | None
    """Its place, if the field is a tuple."""
    label: str
    """Its name in reports."""
    step: int
    reach: int
    """How many steps to either side are tried."""
    lowest: int
    """The lowest value to try."""

    def of(self, numbers: RuleNumbers) -> int:
        """The value that `numbers` have."""
        given = getattr(numbers, self.field)
        return int(given if self.place is None else given[self.place])

    def put(self, numbers: RuleNumbers, value: int) -> RuleNumbers:
        """`numbers` with another value of this one."""
        if self.place is None:
            return replace(numbers, **{self.field: value})
        values = list(getattr(numbers, self.field))
        values[self.place] = value
        return replace(numbers, **{self.field: tuple(values)})

    def others(self, numbers: RuleNumbers, reach: int) -> list[int]:
        """The values to try beside that of `numbers`, up to `reach` steps away."""
        own = self.of(numbers)
        values = [own + steps * self.step for steps in range(-reach, reach + 1)]
        return [value for value in values if value != own and value >= self.lowest]


def _each(field: str, step: int, reach: int, lowest: int, places: Sequence[str]) -> list[Number]:
    """The numbers of a field that is a tuple."""
    return [Number(field, i, f"{field}.{place}", step, reach, lowest) for i, place in enumerate(places)]


NUMBERS = (
    Number("lone_losers", None, "lone_losers", 1, 3, 0),
    Number("lone_trumps", None, "lone_trumps", 1, 1, 1),
    *_each("call_at_first", 25, 4, 0, PLACES),
    *_each("call_at_second", 25, 4, 0, PLACES),
    *_each("next_bonus", 50, 3, -200, PLACES),
    Number("upcard_to_partner", None, "upcard_to_partner", 25, 2, 0),
    Number("upcard_to_opponent", None, "upcard_to_opponent", 25, 2, 0),
    Number("other_ace", None, "other_ace", 25, 2, 0),
    Number("void", None, "void", 25, 2, 0),
    *_each("trumps", 25, 1, 0, TRUMPS[:-1]),  # most house rules have no Benny
    Number("lead_trumps", None, "lead_trumps", 1, 3, 1),
)


@dataclass(frozen=True)
class Tried:
    """One value of one number."""

    round: int
    """The pass over all numbers, from 1."""
    number: str
    """The name of the number, with the place in a tuple: "call_at_first.dealer"."""
    value: int
    points: Mean
    """Points per deal against `rules`."""
    gain: Mean
    """The points over those of the best numbers before; 0 for the value that these have."""
    is_chosen: bool


@dataclass(frozen=True)
class SweepResult:
    """What a sweep has tried and found."""

    rules: str
    seed: int
    """The number of the tuning seed."""
    pairs: int
    rounds: int
    version: str
    tried: list[Tried]
    numbers: RuleNumbers
    """What was found."""
    confirmed: dict[str, Mean]
    """Points per deal of what was found against `rules`, by preset, on deals of reporting seed 0."""
    confirming_pairs: int

    def as_json(self) -> dict[str, Any]:
        """The result as plain values for `json.dumps`."""
        return asdict(self)


@dataclass(frozen=True)
class _Judge:
    """Plays numbers against `rules`: the work that several processes may share."""

    rules: str
    seed: int
    pairs: int

    def __call__(self, numbers: RuleNumbers, tick: Tick) -> np.ndarray:
        """The points per deal of each pair; the ticks count "matches"."""

        def follow(_what: str, _done: int, _total: int) -> None:
            tick("", 0)

        players = RuleBot(seed=1, numbers=numbers, name="swept"), RuleBot(seed=2)
        result = play_match(*players, deals=self.pairs, seed=self.seed, rules=self.rules, progress=follow)
        tick("matches", 1)
        return result.margins


def sweep(
    *,
    pairs: int,
    rounds: int = 2,
    confirming_pairs: int,
    seed: int = 0,
    rules: RulesLike = "standard",
    varied: Sequence[Number] = NUMBERS,
    workers: int | None = 1,
    say: Callable[[str], object] | None = None,
) -> SweepResult:
    """Vary every number in turn, in several rounds, starting from those of `rules`.

    Args:
        pairs: how many deals each candidate plays, each twice.
        rounds: how often all numbers are varied; after the first time each only by one step to either side.
        confirming_pairs: how many deals the result plays under each preset.
        seed: the number of the tuning seed that fixes the deals.
        rules: the house rules of the sweep.
        varied: which numbers are varied, and how.
        workers: how many processes may play; every core if None. The result does not depend on it.
        say: called with a line after each number.

    Raises:
        ValueError: if an argument is invalid.
    """
    pairs = check_number(pairs, 2, MAX_PAIRS, "pairs")
    confirming_pairs = check_number(confirming_pairs, 2, MAX_PAIRS, "confirming_pairs")
    rounds = check_number(rounds, 1, 100, "rounds")
    house_rules, workers = str(parse_rules(rules)), check_workers(workers)
    judge = _Judge(house_rules, tuning_seed(seed), pairs)
    best, tried = RULES, list[Tried]()
    (margins,) = do_parts(judge, [best], workers=1)
    for turn in range(1, rounds + 1):
        for number in varied:
            own, others = number.of(best), number.others(best, number.reach if turn == 1 else 1)
            new = {value: number.put(best, value) for value in others}
            played = dict(zip(others, do_parts(judge, list(new.values()), workers=workers), strict=True))
            gains = {value: mean_of(each - margins) for value, each in played.items()}
            sure = [value for value, gain in gains.items() if gain.low > 0]
            chosen = max(sure, key=lambda value: gains[value].mean, default=own)
            played[own], gains[own] = margins, mean_of(np.zeros(len(margins)))
            tried += [
                Tried(turn, number.label, value, mean_of(played[value]), gains[value], value == chosen)
                for value in sorted(played)
            ]
            margins, best = played[chosen], number.put(best, chosen)
            if say is not None:
                say(f"round {turn}, {number.label}: {chosen}, {mean_of(margins)}")
    confirmed = {
        preset: mean_of(_Judge(preset, reporting_seed(0), confirming_pairs)(best, lambda _what, _number: None))
        for preset in PRESETS
    }
    return SweepResult(house_rules, seed, pairs, rounds, __version__, tried, best, confirmed, confirming_pairs)


def sweep_page(record: Mapping[str, Any]) -> str:
    """The page docs/rules_tuned.md, from the record alone: the result as plain values, and the command that made it."""
    found, tried = record["numbers"], record["tried"]
    changed = [f"| `{name}` | {_shown(value)} | {_shown(found[name])} |" for name, value in RULES.as_dict().items()]
    confirmed = [f"| `{preset}` | {Mean(**points)} |" for preset, points in record["confirmed"].items()]
    rows = [
        f"| {each['round']} | `{each['number']}` | {each['value']}{' (chosen)' if each['is_chosen'] else ''} "
        f"| {Mean(**each['points'])} | {Mean(**each['gain']) if each['gain']['se'] else ''} |"
        for each in tried
    ]
    blocks = [
        "# The rule player with tuned numbers",
        f"Made by `{record['command']}`; every number comes from its record, [rules_tuned.json](rules_tuned.json).",
        '`load("rules_tuned")` is the rule-based player (docs/rules.md, "The rule-based player") with numbers that '
        f"were swept one by one. Each candidate played {record['pairs']:,} deals twice against `rules` under "
        f"`{record['rules']}`, all on the same deals of tuning seed {record['seed']}, which no reported match has. "
        "A candidate replaced the best so far only where the 95 % interval of its gain lay above 0. What cards count "
        "and the count from which a seat calls are in hundredths; seats stand in the order of bidding.",
        "## What was found",
        "\n".join(["| number | `rules` | `rules_tuned` |", "| --- | --- | --- |", *changed]),
        f"Points per deal against `rules` on {record['confirming_pairs']:,} deals of reporting seed 0, each played "
        "twice, which no choice has seen:",
        "\n".join(["| rules | points per deal |", "| --- | --- |", *confirmed]),
        "## What was tried",
        "The gain is over the best numbers at that moment, on the same deals; their own value has none.",
        "\n".join(["| round | number | value | points per deal | gain |", "| --- | --- | --- | --- | --- |", *rows]),
    ]
    return "\n\n".join(blocks) + "\n"


def _shown(value: int | Sequence[int]) -> str:
    return str(value) if isinstance(value, int) else " ".join(map(str, value))
