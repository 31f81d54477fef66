"""`make results` measures what has no current record, records it, and names what it waits for."""

import json
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("yaml", reason="the list of measurements is YAML (extra [train])")

from support.reports import OPTIONS, match_result, write_run

from euchre_train import saved_networks
from report import __main__ as command
from report import pictures, records
from report.measurements import Measurement

LIST = """
introduction: ""
sections:
  - title: Matches
    show: [matches]
    measurements:
      bots: euchre-eval match easy rules --deals 2
      agent: euchre-eval match ppo rules --deals 2
      mine: euchre-eval match runs/mine rules --deals 2
      run: torchrun --nproc-per-node 2 -m -- euchre_train.cli --config run.yaml --run runs/mine
      bench: make bench JSON=runs/bench.json
"""
PLAYED = ["euchre-eval match easy rules --deals 2", "euchre-eval match ppo rules --deals 2"]


def write_network(folder, weights="weights"):
    """Files in place of a network's, which are compared and not read."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.json").write_text("a card")
    (folder / "policy.safetensors").write_text(weights)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder in place of the checkout, with a list of measurements; commands that play are noted, not played."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "list.yaml").write_text(LIST)
    (tmp_path / "run.yaml").write_text("{seed: 7, num_updates: 900}")
    monkeypatch.setattr(records, "ROOT", tmp_path)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "git_commit", lambda: "feed")
    shipped = tmp_path / "shipped"
    write_network(shipped)
    monkeypatch.setattr(saved_networks, "SHIPPED_NETWORK", shipped)
    return tmp_path


@pytest.fixture
def play(monkeypatch):
    """The commands that were played; a command that stands in `play.failing` ends with status 2."""

    class Played(list[str]):
        failing: Sequence[str] = ()

    played = Played()

    def run(words, **options):
        assert words[:3] == [sys.executable, "-m", "euchre_eval.cli"]
        assert words[-1] == "--json"
        played.append(" ".join(["euchre-eval", *words[3:-1]]))
        if played[-1] in played.failing:
            return subprocess.CompletedProcess(words, 2, "")
        return subprocess.CompletedProcess(words, 0, json.dumps(match_result(players=words[4:6])))

    monkeypatch.setattr(records.subprocess, "run", run)
    return played


def results(project, *arguments):
    """Run the command in the folder and return its exit status."""
    return command.main([f"--plan={project / 'list.yaml'}", f"--docs={project / 'docs'}", *arguments])


def recorded(project):
    return {file.stem: json.loads(file.read_text()) for file in (project / "docs" / "results").glob("*.json")}


def page(project):
    return (project / "docs" / "results.md").read_text()


# What is played


def test_what_can_be_played_is_played_and_recorded(project, play, capsys):
    assert results(project) == 0
    assert play == PLAYED
    assert set(recorded(project)) == {"bots", "agent"}
    record = recorded(project)["agent"]
    assert [record[key] for key in ("command", "commit")] == [PLAYED[1], "feed"]
    assert record["result"] == match_result()
    assert set(record["networks"]) == {"ppo"}
    assert {"python", "numpy", "numba", "euchre-env"} <= set(record["versions"])
    assert "`ppo` against `rules`" in page(project)
    err = capsys.readouterr().err
    assert "mine waits: runs/mine is missing; it is made by: torchrun --nproc-per-node 2 -m -- euchre_train.cli " in err
    assert "bench waits: runs/bench.json is missing; it is made by: make bench JSON=runs/bench.json\n" in err


def test_what_has_a_record_is_not_played_again(project, play):
    results(project)
    before = recorded(project)
    play.clear()
    assert results(project) == 0
    assert play == []
    assert recorded(project) == before


def test_a_measurement_is_played_again_when_it_is_asked_for(project, play):
    results(project)
    play.clear()
    results(project, "--redo", "bots")
    assert play == PLAYED[:1]


def test_only_the_measurements_asked_for_are_played(project, play):
    results(project, "--only", "agent")
    assert play == PLAYED[1:]
    play.clear()
    assert results(project, "--page") == 0
    assert play == []
    assert "Not measured yet, by `make results`: `bots`, `mine`." in page(project)


def test_a_measurement_is_played_again_when_its_command_has_changed(project, play):
    results(project)
    play.clear()
    (project / "list.yaml").write_text(LIST.replace("easy rules --deals 2", "easy rules --deals 3"))
    results(project)
    assert play == ["euchre-eval match easy rules --deals 3"]


def test_a_measurement_is_played_again_when_its_network_has_changed(project, play):
    results(project)
    play.clear()
    write_network(project / "shipped", "other weights")
    results(project, "--page")
    assert "with another network, than `make results` would now: `agent`." in page(project)
    results(project)
    assert play == PLAYED[1:]
    assert "another network" not in page(project)


def test_every_name_of_the_shipped_agent_has_its_network(project):
    first = records.digests(Measurement("x", "euchre-eval match ppo ppo:points"))
    assert set(first) == {"ppo", "ppo:points"}
    assert len(set(first.values())) == 1


def test_a_command_that_fails_leaves_no_record_and_stops_no_other(project, play, capsys):
    play.failing = PLAYED[:1]
    assert results(project) == 1
    assert set(recorded(project)) == {"agent"}
    assert f"bots failed: {PLAYED[0]} ended with status 2\n" in capsys.readouterr().err
    assert "Not measured yet, by `make results`: `bots`, `mine`." in page(project)


def test_an_interrupt_keeps_what_was_measured(project, play, monkeypatch):
    record_one = records.subprocess.run

    def run(words, **options):
        if "ppo" in words:
            raise KeyboardInterrupt
        return record_one(words, **options)

    monkeypatch.setattr(records.subprocess, "run", run)
    assert results(project) == 130
    assert set(recorded(project)) == {"bots"}
    assert "`easy` against `rules`" in page(project)


def test_an_unknown_name_is_refused(project, play, capsys):
    with pytest.raises(SystemExit):
        results(project, "--redo", "bot")
    assert "there is no measurement 'bot'; did you mean 'bots'?" in capsys.readouterr().err


def test_a_file_that_is_no_record_is_named(project, play):
    (project / "docs" / "results").mkdir()
    (project / "docs" / "results" / "bots.json").write_text('{"command": "x"}')
    with pytest.raises(ValueError, match=r"bots\.json is not the record of a measurement"):
        results(project)


@pytest.mark.compiled
def test_a_match_is_really_played():
    measurement = Measurement("bots", "euchre-eval match passer random --deals 2")
    said = []
    record = records.measure(measurement, {}, "feed", said.append)
    assert said == ["bots: euchre-eval match passer random --deals 2"]
    assert record.result["players"] == ["passer", "random"]
    assert record.result["pairs"] == 2
    assert record.seconds is not None
    assert record.seconds > 0
    assert record.networks == {}


# What is taken from a training or a benchmark


def make_run(project, updates, *, planned=None, more="", **run):
    """The folder of a run, and its settings for the list: `more` in YAML beside seed and length; see `write_run`."""
    (project / "run.yaml").write_text(f"{{seed: 7, num_updates: {planned or updates}{more}}}")
    return write_run(project / "runs" / "mine", updates, planned=planned, **run)


def test_a_run_is_recorded_with_its_cost_and_its_evaluations(project, play):
    make_run(project, 900)
    write_network(project / "runs" / "mine")
    results(project)
    assert play == [*PLAYED[:2], "euchre-eval match runs/mine rules --deals 2"]
    assert set(recorded(project)["mine"]["networks"]) == {"runs/mine"}
    record = recorded(project)["run"]
    assert record["seconds"] == 3600  # 900 updates of 3 + 1 seconds
    assert (record["commit"], record["versions"]) == ("feed", {"python": "3.11.9", "torch": "2.13.0"})
    result = record["result"]
    assert (result["core_hours"], result["cores"], result["deals"]) == (2, 2, 900_000)  # two processes for an hour
    assert (result["seed"], result["precision"], result["arguments"]) == (7, "bfloat16", list(OPTIONS))
    assert len(result["evaluations"]) == 450
    assert result["evaluations"][0] == {"deals": 2000, "hours": 0.0022, "mean": 0.02, "low": 0.0, "high": 0.04}


def test_a_run_that_has_gone_on_is_taken_again_with_what_it_plays(project, play):
    make_run(project, 2)
    write_network(project / "runs" / "mine")
    results(project)
    play.clear()
    write_network(project / "runs" / "mine", "other weights")
    (project / "runs" / "mine" / "metrics.jsonl").unlink()
    results(project)
    assert play == []  # the run is missing, so its records are kept
    write_run(project / "again", 4)
    (project / "again" / "metrics.jsonl").rename(project / "runs" / "mine" / "metrics.jsonl")
    results(project)
    assert play == ["euchre-eval match runs/mine rules --deals 2"]
    assert recorded(project)["run"]["result"]["deals"] == 4000


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"command": ["cli.py", *OPTIONS, "--set", "seed=7"]}, "--set was ['seed=7'] and is None in the list"),
        ({"command": ["cli.py", "--config", "other.yaml"]}, "--config was other.yaml and is run.yaml in the list"),
        ({"command": ["cli.py", *OPTIONS, "--from", "x"]}, "--from was x and is None in the list"),
        ({"command": ["track.py", "fast"]}, "it was track.py fast"),
        ({"seed": 99}, "seed was 99 and is 7 in the list"),
        ({"num_threads": 2}, "num_threads was 2 and is 1 in the list"),
        ({"num_processes": 1}, "num_processes was 1 and is 2 in the list"),
    ],
)
def test_a_run_that_another_command_has_made_is_refused(project, play, capsys, changes, told):
    make_run(project, 2, **changes)
    assert results(project) == 1
    assert {"run", "mine"}.isdisjoint(recorded(project))
    err = capsys.readouterr().err
    made = "runs/mine was made by another command than torchrun --nproc-per-node 2 -m -- euchre_train.cli --config"
    for name in ("run", "mine"):
        assert f"{name} failed: {made} run.yaml --run runs/mine: {told}" in err


def test_a_run_elsewhere_with_settings_that_decide_nothing_is_recorded(project, play):
    elsewhere = ["cli.py", "--config", "/there/run.yaml", "--run", "/there/mine"]
    make_run(project, 2, command=elsewhere, checkpoint_every=7, eval_deals=9)
    assert results(project) == 0
    assert "run" in recorded(project)


AGAINST = ", opponents: 'ppo:points', partner: runs/other"


def test_a_training_is_not_current_once_it_would_meet_another_network(project, play):
    write_network(project / "runs" / "other")
    digests = {name: saved_networks.player_digest(name, project) for name in ("ppo", "runs/other")}
    noted = {"opponents": digests["ppo"], "partner": digests["runs/other"]}
    against = {"opponents": "ppo:points", "partner": "runs/other"}
    make_run(project, 2, more=AGAINST, networks=noted, **against)
    results(project)
    networks = recorded(project)["run"]["networks"]
    assert networks == {
        "runs/mine": networks["runs/mine"], "ppo:points": digests["ppo"], "runs/other": digests["runs/other"]
    }  # fmt: skip
    assert "another network" not in page(project)
    write_network(project / "shipped", "other weights")
    results(project)
    assert "--run runs/mine`, or with another network.\n" in page(project)
    assert recorded(project)["run"]["networks"]["ppo:points"] == digests["ppo"]  # those that it met


def test_the_cost_of_a_run_has_its_evaluations_and_what_was_lost(project, play):
    folder = make_run(project, 2)
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    lines[0] |= {"time/evaluate": 10.0, "time/save": 0.5}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = json.loads((folder / "run.json").read_text())
    resumes = [{"seconds_lost": 4.0}, {"seconds_lost": 8.0}]
    (folder / "run.json").write_text(json.dumps(manifest | {"resumes": resumes}))
    results(project)
    record = recorded(project)["run"]
    assert record["seconds"] == 2 * (3 + 1) + 10.5 + 12
    assert record["result"]["counted"] == ["collect", "evaluate", "learn", "save"]


def test_a_run_that_has_not_noted_its_opponents_is_not_current(project, play):
    make_run(project, 2, more=", opponents: ppo", opponents="ppo")
    results(project)
    assert "--run runs/mine`, or with another network.\n" in page(project)


def test_a_digest_is_that_of_what_plays_or_of_what_is_started_from(tmp_path):
    mine = tmp_path / "mine"
    write_network(mine)
    for name in ("mine", "mine:sampled", "mine/policy.json"):
        assert saved_networks.player_digest(name, tmp_path) == saved_networks.player_digest("mine", tmp_path)
    before = saved_networks.player_digest("mine", tmp_path), saved_networks.start_digest(mine)
    assert None not in before
    (mine / "critic.safetensors").write_text("a critic")
    assert saved_networks.player_digest("mine", tmp_path) == before[0]
    assert saved_networks.start_digest(mine) != before[1]
    before = saved_networks.player_digest("mine", tmp_path), saved_networks.start_digest(mine)
    (mine / "outcomes.safetensors").write_text("an outcome head")
    assert saved_networks.player_digest("mine", tmp_path) != before[0]
    assert saved_networks.start_digest(mine) == before[1]
    for nothing in ("rules", "package.module:Class", "nowhere"):
        assert saved_networks.player_digest(nothing, tmp_path) is None
    assert saved_networks.start_digest(tmp_path / "nowhere") is None


def test_a_run_that_is_not_finished_is_waited_for(project, play, capsys):
    make_run(project, 3, planned=5)
    assert results(project) == 0
    assert {"run", "mine"}.isdisjoint(recorded(project))
    err = capsys.readouterr().err
    assert "run waits: runs/mine is not finished: 3 of 5 updates\n" in err
    assert "mine waits: runs/mine is not finished: 3 of 5 updates\n" in err


def test_a_benchmark_is_recorded_with_its_machine(project, play):
    versions = {"python": "CPython 3.11.9", "euchre-env": "1", "numba": "2", "numpy": "3"}
    report = {"quartiles": {}, "decisions_per_second": {}, "training": {}, "settings": {"commit": "beef", "rounds": 5}}
    (project / "runs").mkdir()
    (project / "runs" / "bench.json").write_text(json.dumps(report | {"machine": versions | {"processor": "A"}}))
    results(project)
    record = recorded(project)["bench"]
    assert (record["commit"], record["seconds"], record["versions"]) == ("beef", None, versions)
    assert record["result"]["machine"] == {"processor": "A"}
    assert record["result"]["settings"] == {"rounds": 5}
    assert set(record["networks"]) == {"runs/bench.json"}


# The pictures

PICTURES = """
    pictures:
      - {file: curve.png, kind: curves, of: [run], alt: a curve}
      - {file: matches.png, kind: intervals, of: [bots, agent], alt: matches}
"""


def test_pictures_are_drawn_of_what_is_recorded_and_no_others_are_left(project, play):
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    (project / "list.yaml").write_text(LIST + PICTURES)
    images = project / "docs" / "images"
    images.mkdir()
    (images / "curve.png").write_bytes(b"an old picture")
    results(project)
    assert [file.name for file in images.iterdir()] == ["matches.png"]
    assert "![matches](images/matches.png)" in page(project)
    assert "curve" not in page(project)
    drawn = (images / "matches.png").read_bytes()
    results(project, "--page")
    assert (images / "matches.png").read_bytes() == drawn  # the same records make the same bytes


def test_a_curve_has_every_evaluation_of_its_run(project, play):
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    make_run(project, 6)
    results(project)
    figure = pictures.curves({"run": recorded(project)["run"]["result"]})
    (axes,) = figure.axes
    (line,) = (line for line in axes.lines if line.get_marker() == "o")
    assert np.asarray(line.get_xydata()).tolist() == [[2000, 0.02], [4000, 0.04], [6000, 0.06]]


def test_each_match_is_a_mark_with_its_interval(project, play):
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    shown = {
        "one": match_result(0.3, 0.1, rules="pagat"),
        "ppo_rules_random_1": match_result(-0.2, 0.1, rules="pagat,benny=true"),
    }
    (axes,) = pictures.intervals(shown).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["pagat", "ppo rules random 1"]
    assert [np.asarray(line.get_xydata()).tolist() for line in axes.lines] == [[[0.3, 0]], [[-0.2, 1]]]
    bars = [np.asarray(bar.get_paths()[0].vertices).round(6).tolist() for bar in axes.collections]
    assert bars == [[[0.2, 0], [0.4, 0]], [[-0.3, 1], [-0.1, 1]]]
    assert axes.get_title().startswith("ppo against rules: ")
