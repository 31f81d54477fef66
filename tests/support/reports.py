"""Lists of measurements, records and run folders for the tests of the results page."""

import json
from typing import Any

from euchre_train.config import Config
from euchre_train.metrics_file import DEALS, METRICS_FILE
from euchre_train.plot import STRENGTH
from report.records import Record

OPTIONS = ("--config", "run.yaml", "--run", "runs/mine")
"""The options of the training whose run `write_run` makes, with a list that starts two processes."""


def match_result(
    mean=0.25, half=0.01, *, players=("ppo", "rules"), pairs=20_000, rules="standard", games=None
) -> dict[str, Any]:
    """The JSON of `euchre-eval match`; `games` is the share of games won, with 5,000 pairs of games."""
    values = {"mean": mean, "low": mean - half, "high": mean + half, "se": half / 1.959963984540054}
    match: dict[str, Any] = {"players": list(players), "rules": rules, "pairs": pairs, "seed": 0}
    result = match | {"points_per_deal": values}
    if games is not None:
        result["games"] = {"won": games, "low": games - 0.01, "high": games + 0.01, "se": 0.0051, "pairs": 5000}
    return result | {"sees_all": []}


def record_of(command, result, networks=None):
    """A record of a measurement."""
    return Record(command, "0123456789abcdef", "2026-01-02", 12.3, {}, networks or {}, result)


def write_run(folder, updates, *, planned=None, command=("euchre-train", *OPTIONS), networks=None, **settings):
    """A run folder of two processes whose updates took 3 + 1 seconds each; every second one has an evaluation.

    Args:
        folder: the folder, which does not exist.
        updates: how many updates are done.
        planned: how many the run has; `updates` if None.
        command: the command line of the run.
        networks: digests of saved networks that it used, by setting.
        settings: settings that differ from those of the command.
    """
    folder.mkdir(parents=True)
    lines = []
    for update in range(1, updates + 1):
        line = {"update": update, DEALS: 1000 * update, "time/collect": 3.0, "time/learn": 1.0, "losses/entropy": 0.5}
        if update % 2 == 0:
            mean = update / 100
            line |= {STRENGTH: mean, f"{STRENGTH}_low": mean - 0.02, f"{STRENGTH}_high": mean + 0.02}
        lines.append(json.dumps(line) + "\n")
    (folder / METRICS_FILE).write_text("".join(lines))
    given: dict[str, Any] = {"num_updates": planned or updates, "num_processes": 2, "seed": 7, "precision": "bfloat16"}
    (folder / "config.yaml").write_text(Config(**(given | settings)).to_yaml())
    versions = {"python": "3.11.9", "versions": {"torch": "2.13.0"}}
    manifest = {"command": list(command), "git_commit": "feed", "networks": networks or {}, **versions}
    (folder / "run.json").write_text(json.dumps(manifest))
    return folder
