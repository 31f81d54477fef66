"""The tables of docs/results.md, in Markdown, from the records alone.

A table is a function of a section and of all records, by name. It leaves out what has no record: `page` says there what
is missing.
"""

from collections.abc import Callable, Iterable, Sequence
from math import isnan, nan
from typing import Any, TypeAlias

from euchre_eval.commands.stats import ROWS
from euchre_eval.game_statistics import REFERENCE
from euchre_eval.intervals import Mean
from euchre_eval.match_player import name_in_reports
from report.measurements import Section, Target
from report.records import Record

Records: TypeAlias = dict[str, Record]
Table: TypeAlias = Callable[[Section, Records], list[str]]

UNITS = {  # how a bound is printed, and how a number
    "points": ("{:+.2f}", "{:+.4f}"),
    "error": ("{:.3f}", "{:.4f}"),
    "share": ("{:.0%}", "{:.2%}"),
    "ratio": ("{:g} times", "{:.2f} times"),
    "rate": ("{:,} a second", "{:,.0f} a second"),
    "seconds": ("{:g} s", "{:.2f} s"),
}


def matches(section: Section, records: Records) -> list[str]:
    """A line for each match: points per deal."""
    rows = [
        [_teams(result), f"`{result['rules']}`", _mean(result["points_per_deal"]), f"{result['pairs']:,}"]
        for result in _results(section, records)
    ]
    return _table(["match", "rules", "points per deal", "deals, each played twice"], rows)


def games(section: Section, records: Records) -> list[str]:
    """A line for each match: the share of games that the first team won."""
    rows = [
        [_teams(result), f"`{result['rules']}`", _share(result["games"]), f"{result['games']['pairs']:,}"]
        for result in _results(section, records)
    ]
    return _table(["match", "rules", "games won", "games, each played twice"], rows)


def matrix(section: Section, records: Records) -> list[str]:
    """Points per deal of one player: a line for each opponent, a column for each set of house rules, or the reverse."""
    results = _results(section, records)
    opponents = list(dict.fromkeys(result["players"][1] for result in results))
    rules = list(dict.fromkeys(result["rules"] for result in results))
    cells = {(result["rules"], result["players"][1]): result for result in results}
    rows = []
    for text in rules:
        found = [cells.get((text, opponent)) for opponent in opponents]
        rows.append([f"`{text}`", *("" if cell is None else _mean(cell["points_per_deal"]) for cell in found)])
    return _table(["rules", *(f"against `{opponent}`" for opponent in opponents)], rows)


def rule_sets(section: Section, records: Records) -> list[str]:
    """A line for each match, under house rules that have numbers, and the house rules below."""
    results = {name: records[name].result for name in section.measurements if name in records}
    numbers = {name: place for place, name in enumerate(section.measurements, start=1)}
    rows = [
        [str(numbers[name]), _teams(result), _mean(result["points_per_deal"]), f"{result['pairs']:,}"]
        for name, result in results.items()
    ]
    lines = _table(["house rules", "match", "points per deal", "deals, each played twice"], rows)
    return [*lines, "", *(f"{numbers[name]}. `{result['rules']}`" for name, result in results.items())] if rows else []


def statistics(section: Section, records: Records) -> list[str]:
    """A column for each player's games; beside the rule player's, the table that came with its description."""
    header, columns = [""], list[dict[str, float]]()
    for result in _results(section, records):
        name = name_in_reports(result["player"], bool(result["sees_all"]))
        header.append(f"`{name}`, `{result['rules']}`")
        columns.append({row: nan if result[row] is None else result[row] for row in ROWS})
        if result["player"] in ("rules", "normal") and result["rules"] in REFERENCE:
            header.append(f"reference, `{result['rules']}`")
            columns.append({row: getattr(REFERENCE[result["rules"]], row) for row in ROWS})
    rows = [[meaning, *(_count_or_share(column[row]) for column in columns)] for row, meaning in ROWS.items()]
    return _table(header, rows) if columns else []


def trainings(section: Section, records: Records) -> list[str]:
    """A line for each training run: its command, length, cost, and last evaluation against the rule-based player."""
    rows = []
    for name, measurement in section.measurements.items():
        if measurement.is_training and name in records:
            record, result = records[name], records[name].result
            last = result["evaluations"][-1] if result["evaluations"] else None
            rows.append(
                [
                    f"`{measurement.source}`",
                    f"`{' '.join(['euchre-train', *result['arguments']])}`",
                    f"{result['deals'] / 1e6:.2f} million",
                    f"{(record.seconds or nan) / 60:.0f}{'' if 'evaluate' in result.get('counted', []) else '*'}",
                    f"{result['core_hours']:.2f}",
                    "" if last is None else _interval(last),
                ]
            )
    return _table(["run", "command", "deals", "minutes", "core-hours", "points per deal against `rules`"], rows)


def cross_play(section: Section, records: Records) -> list[str]:
    """For each cross-play: the players as teams, as partners, and the loss of mixed partners."""
    lines: list[str] = []
    for result in _results(section, records):
        names = [f"`{name}`" for name in result["players"]]
        first = ["points per deal", *(f"against {name}" for name in names)]
        teams = [[name, *map(_mean, row)] for name, row in zip(names, result["teams"], strict=True)]
        second = [f"against `{result['opponent']}`", *(f"with {name}" for name in names)]
        partners = [[name, *map(_mean, row)] for name, row in zip(names, result["partners"], strict=True)]
        lines += [*_table(first, teams), "", *_table(second, partners), ""]
        lines.append(
            f"Mixed partners lose {_mean(result['loss'])} points per deal (standard error {result['loss']['se']:.4f}); "
            f"{result['pairs']:,} deals, each played twice, `{result['rules']}`."
        )
    return lines


def corrections(section: Section, records: Records) -> list[str]:
    """A line for each match with a control variate: what it saved, and what the surrogates cost."""
    rows = []
    for result in _results(section, records):
        match, surrogates, correction = result["match"], result["surrogates"], result["correction"]
        rows.append(
            [
                _teams(match),
                _teams(surrogates),
                f"`{match['rules']}`",
                f"{match['pairs']:,}, {surrogates['pairs']:,}",
                _mean(match["points_per_deal"]),
                _mean(correction["points_per_deal"]),
                f"{correction['saving']:.1%}",
                f"{result['surrogate_seconds'] / result['seconds']:.1%}",
            ]
        )
    header = ["match", "surrogates", "rules", "deals of both", "points per deal", "corrected", "variance saved"]
    return _table([*header, "CPU time of the surrogates, of that of the match"], rows)


def speed(section: Section, records: Records) -> list[str]:
    """The figures of the benchmark with the rates of their loops, the speed of searches, and the phases of training."""
    lines: list[str] = []
    for result in (records[name].result for name in section.measurements if name in records):
        rates, rows = result["decisions_per_second"] | result.get("solves_per_second", {}), list[list[str]]()
        for key, (low, high) in result["quartiles"].items():
            words, *loop = section.loops.get(key, [f"`{key}`"])
            shown = f"{rates[loop[0]]:,.0f}" if loop and loop[0] in rates else ""
            rows.append([words, shown, f"{result[key]:.2f}", f"{low:.2f} to {high:.2f}"])
        lines += [f"{result['machine']['processor']}; medians of {result['settings']['rounds']} rounds:", ""]
        lines += _table(["loop", "decisions or solves/s", "ratio", "quartiles"], rows)
        slow = {unit: result.get(f"{unit}_per_second", {}) for unit in ("deals", "views")}
        rows = [[f"`{name}`", f"{rate:,.1f} {unit}"] for unit, each in slow.items() for name, rate in each.items()]
        rows += [[f"`{name}`", f"{seconds:.2f} seconds"] for name, seconds in result.get("match_seconds", {}).items()]
        lines += ["", *_table(["search, per second of CPU time; match, by the clock", ""], rows)] if rows else []
        learnt = {name: each["decisions_per_second"] for name, each in result["training"].items()}
        phases = list(dict.fromkeys(phase for found in learnt.values() for phase in found))
        rows = [
            [f"`{name}`", *(f"{found[phase]:,.0f}" if phase in found else "" for phase in phases)]
            for name, found in learnt.items()
        ]
        lines += ["", *_table(["trainer, decisions/s", *phases], rows)]
    return lines


def budget(section: Section, records: Records) -> list[str]:
    """A line for each part of the work: its budget in core-hours, and what was spent."""
    rows = []
    for part in section.parts:
        spent = part.spent
        if spent is None and part.training in records:
            spent = records[part.training].result["core_hours"]
        shown = ["", "unknown"] if spent is None else [f"{spent:.2f}", _yes_or_no(spent <= part.at_most)]
        rows.append([part.part, f"{part.at_most:g}", *shown])
    return _table(["part", "core-hours, at most", "spent", "held"], rows)


def targets(section: Section, records: Records) -> list[str]:
    """A line for each figure that was to be reached: what was asked, what was measured, and whether it held."""
    rows = [_target(target, records) for target in section.targets]
    return _table(["figure", "pairs", "target", "measured", "held"], rows)


def everything(_section: Section, records: Records) -> list[str]:
    """A line for each record: its command, the day, the commit, and how long it took."""
    rows = [
        [
            f"[{name}](results/{name}.json)",
            f"`{record.command}`",
            record.date,
            (record.commit or "unknown")[:10] + "-dirty" * (record.commit or "").endswith("-dirty"),
            "" if record.seconds is None else f"{record.seconds:,.0f}",
        ]
        for name, record in records.items()
    ]
    return _table(["record", "command", "day", "commit", "seconds"], rows)


TABLES: dict[str, Table] = {
    table.__name__: table
    for table in (
        matches,
        games,
        matrix,
        rule_sets,
        statistics,
        trainings,
        cross_play,
        corrections,
        speed,
        budget,
        targets,
        everything,
    )
}


# One target


def _target(target: Target, records: Records) -> list[str]:
    """The line of a target: the worst of its measurements counts, and one that is missing leaves it open."""
    sense, bound = next(
        (sense, bound)
        for sense, bound in (("at least", target.at_least), ("above", target.above), ("at most", target.at_most))
        if bound is not None
    )
    found = {name: _value(records[name].result, target.value) for name in target.of if name in records}
    values = {name: value for name, value in found.items() if value is not None}
    if isinstance(bound, dict) and values:
        bound = bound[records[next(iter(values))].result["settings"]["precision"]]
    asked = bound.items() if isinstance(bound, dict) else [("", bound)]
    form_of_bound, form = UNITS[target.unit]
    wanted = ", ".join(f"{sense} {form_of_bound.format(value)}{key and f' in {key}'}" for key, value in asked)
    line = [target.figure, f"{target.pairs:,}" if target.pairs else "", wanted]
    missing = [name for name in target.of if name not in values]
    if missing or isinstance(bound, dict):
        return [*line, "", "not measured" if not values else f"not measured: {_listed(missing)}"]
    worst = (max if sense == "at most" else min)(values, key=lambda name: values[name])
    value = values[worst]
    measured = form.format(value) + (f", `{worst}`" if len(values) > 1 else "")
    if any(_pairs(records[name].result, target.value) < target.pairs for name in values):
        return [*line, measured, "**no**: too few pairs"]
    held = {"at least": value >= bound, "above": value > bound, "at most": value <= bound}
    return [*line, measured, _yes_or_no(held[sense])]


def _value(result: dict[str, Any], path: str) -> float | None:
    """The number at a path such as "points_per_deal.low"; None if the result has none."""
    found: Any = result
    for key in path.split("."):
        found = found.get(key, {})
    return found if isinstance(found, int | float) else None


def _pairs(result: dict[str, Any], path: str) -> float:
    """How many pairs are behind the number at a path: of games, or of deals."""
    return result["games"]["pairs"] if path.startswith("games.") else result.get("pairs", 0)


# Cells


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _yes_or_no(held: bool) -> str:
    return "yes" if held else "**no**"


def _mean(values: dict[str, Any]) -> str:
    """A mean with its interval; its values are null after a single deal."""
    return str(Mean(**{key: nan if value is None else value for key, value in values.items()}))


def _interval(evaluation: dict[str, Any]) -> str:
    """The mean of an evaluation of training with half its interval."""
    mean, high = evaluation["mean"], evaluation["high"]
    return f"{mean:+.3f}" if high is None else f"{mean:+.3f} ± {high - mean:.3f}"


def _share(games: dict[str, Any]) -> str:
    if games["low"] is None:
        return f"{games['won']:.2%}"
    return f"{games['won']:.2%} ({games['low']:.2%} to {games['high']:.2%})"


def _count_or_share(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return "" if isnan(value) else f"{value:.1%}"


def _teams(result: dict[str, Any]) -> str:
    """Who played: A against B, or A and C against B and D."""
    marked = [name_in_reports(f"`{name}`", place in result["sees_all"]) for place, name in enumerate(result["players"])]
    return " against ".join(" and ".join(marked[team::2]) for team in (0, 1))


def _results(section: Section, records: Records) -> list[dict[str, Any]]:
    """The results of the section's measurements that play, of those that have a record."""
    played = [each.name for each in section.measurements.values() if each.is_played]
    return [records[name].result for name in played if name in records]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; none without rows."""
    if not rows:
        return []
    return [f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows)]
