"""The benchmarks run and report at a tiny size; no test judges their speed."""

import json
import subprocess
import sys

import pytest
from support.paths import ROOT

pytest.importorskip("pyspiel", reason="needs the extra [bench]")
pytest.importorskip("rlcard", reason="needs the extra [bench]")
pytest.importorskip("pygame", reason="needs the extra [bench]")
pytestmark = pytest.mark.compiled

FIGURES = {
    "aec_wrapped_over_texas": ("euchre_wrapped", "texas_wrapped"),
    "aec_raw_over_texas": ("euchre_raw", "texas_raw"),
    "aec_wrapped_over_empty": ("euchre_wrapped", "empty_wrapped"),
    "batched_over_openspiel": ("batched", "openspiel"),
    "encoded_over_openspiel": ("batched_encoded", "openspiel_encoded"),
    "mixed_rules_over_one": ("batched_mixed", "batched"),
    "ppo_batched_over_single": ("ppo_batched", "ppo_single"),
}
MASKED_PPO = ROOT / ".venv-masked-ppo" / "bin" / "python"


def run_script(code, *arguments):
    """Run `code` in a fresh interpreter, like benchmarks/run.py."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, 'benchmarks'); {code}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_every_benchmark_runs_and_its_figures_are_printed_and_written(tmp_path):
    report = tmp_path / "bench.json"
    # The trainer of this checkout is its own baseline here.
    few = ["--rounds=2", "--seconds=0.001", "--processes=1", "--deals=32", "--match-deals=4", "--baseline=."]
    command = [sys.executable, "benchmarks/run.py", *few, "--json", str(report)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(report.read_text())
    for key, names in FIGURES.items():
        low, high = figures["quartiles"][key]
        assert 0 < low <= figures[key] <= high
        assert all(figures["decisions_per_second"][name] > 0 for name in names)
        assert key in done.stdout
    assert all(figures["solves_per_second"][name] > 0 for name in ("solver", "plain_alpha_beta"))
    assert figures["solver_over_plain"] > 1
    assert all(figures["deals_per_second"][name] > 0 for name in ("pimc_50", "ppo_search_64"))
    assert figures["views_per_second"]["value_256"] > 0
    assert all(figures["match_seconds"][name] > 0 for name in ("match_rules_random", "match_ppo_two_workers"))
    assert figures["match_one_over_two_workers"] > 0
    for name in ("pimc_50", "ppo_search_64", "value_256", "match_ppo_one_worker"):
        assert name in done.stdout
    assert figures["import_over_pettingzoo"] > 0
    assert figures["training_over_baseline"] > 0
    assert "training_over_masked_ppo" not in figures
    for name in ("training_128", "training_256", "baseline_256"):
        assert figures["training"][name]["decisions_per_second"]["cpu"] > 0
        assert figures["training"][name]["gflops"]["float32"] > 0
        assert name in done.stdout
    assert figures["settings"]["rounds"] == 2
    assert figures["machine"]["processor"] in done.stdout


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("reached", [1.9, 2.0])
def test_a_missed_bound_fails_only_where_bounds_are_checked(checked, reached):
    # Everything that is timed is replaced by its result: ours `reached` times as fast as theirs, imports alike.
    code = f"""import run
run.rates = lambda workloads, settings: {{name: [{reached} if "euchre" in name else 1.0] * 2 for name in workloads}}
run.training.measure = lambda loops, rounds: {{}}
run.matches.match_seconds = lambda rounds, deals: {{}}
run.importing.import_seconds = lambda rounds: {{"euchre_env": [1.0] * 2, "pettingzoo": [1.0] * 2}}
run.FIGURES = [figure for figure in run.FIGURES if figure.key in ("aec_wrapped_over_texas", "import_over_pettingzoo")]
sys.exit(run.main(sys.argv[1:]))"""
    done = run_script(code, *["--check"] * checked)
    assert done.returncode == (1 if checked and reached < 2 else 0), done.stderr
    assert ("NO" in done.stdout) == (reached < 2)


def test_a_ratio_is_taken_round_by_round():
    done = run_script("from measuring import ratio; print(ratio([2.0, 30.0, 400.0], [1.0, 10.0, 100.0]))")
    assert done.stdout.strip() == "Ratio(median=3.0, low=2.5, high=3.5)", done.stderr


def test_the_bounds_of_training_depend_on_what_the_trainer_finds_fast(tmp_path):
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("model name\t: A Processor\nflags\t\t: fma avx2 avx512_bf16\n")  # which decide nothing
    done = run_script(
        "import machine, pathlib, run, euchre_train.parallel as parallel; machine.CPUINFO = pathlib.Path(sys.argv[1]);"
        "print(machine.describe()['processor'].split(',')[0]);\n"
        "for parallel.is_bfloat16_fast in (lambda device: device != 'cpu', lambda device: device == 'cpu'):\n"
        "    print([figure.at_least for figure in run.training_figures(machine.has_bfloat16())])",
        str(cpuinfo),
    )
    assert done.stdout.splitlines() == ["A Processor", "[13, 1.7]", "[18, 2.8]"], done.stderr


ECHO = """
import os, sys
sys.path.insert(0, "benchmarks")
from turns import serve
turns = iter(range(9))
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "OMP_NUM_THREADS", "COLOUR")
serve(lambda: {"turn": next(turns), **{name: os.environ.get(name) for name in names}})
"""


def worker_script(code, num_processes, turns):
    """The answers of `num_processes` processes that run `code`, in each of some turns."""
    done = run_script(
        "import json, turns\n"
        f"with turns.Worker([sys.executable, '-c', sys.argv[1]], {num_processes}, {{'COLOUR': 'red'}}) as worker:\n"
        f"    print(json.dumps([worker.turn() for _ in range({turns})]))",
        code,
    )
    return done, json.loads(done.stdout or "[]")


def test_a_process_has_its_turns_in_the_environment_it_is_given():
    done, answers = worker_script(ECHO, num_processes=1, turns=2)
    assert [answer["turn"] for (answer,) in answers] == [0, 1], done.stderr
    (answer,) = answers[0]
    assert (answer["COLOUR"], answer["OMP_NUM_THREADS"], answer["RANK"]) == ("red", "1", None)


def test_several_processes_are_told_their_places_as_by_torchrun():
    done, (answers,) = worker_script(ECHO, num_processes=2, turns=1)
    assert [answer["RANK"] for answer in answers] == ["0", "1"], done.stderr
    assert [answer["LOCAL_RANK"] for answer in answers] == ["0", "1"]
    assert {(answer["WORLD_SIZE"], answer["LOCAL_WORLD_SIZE"]) for answer in answers} == {("2", "2")}


def test_a_process_that_fails_ends_the_benchmark():
    one_fails = (
        "import os, sys\nif os.environ['RANK'] == '0':\n    raise ValueError('out of cards')\nsys.stdin.readline()"
    )
    done, _ = worker_script(one_fails, num_processes=2, turns=1)
    assert done.returncode == 1
    assert "ValueError: out of cards" in done.stderr
    assert "RuntimeError: a process ended in its turn" in done.stderr


def test_the_processes_of_a_turn_are_taken_together():
    # Each of two processes multiplies at 10 GFLOP/s; they learn together, 3 s long, with 60 GFLOP.
    answers = [
        {"decisions": 800, "wall": wall, "cpu": 3.0, "phases": {"learn": 3.0}, "learning_gflop": 60.0, "matmul": rates}
        for wall, rates in ((4.0, {"float32": 10.0}), (3.9, {"float32": 10.0}))
    ]
    done = run_script(
        "import json, training; measured = {'ours': [training.together(json.loads(sys.argv[1]))] * 2};"
        "print(json.dumps([training.rates(measured), training.summary(measured['ours'])]))",
        json.dumps(answers),
    )
    by_round, summary = json.loads(done.stdout)
    assert by_round == {"ours wall": [200.0] * 2, "ours cpu": [pytest.approx(800 / 6)] * 2}
    assert summary["decisions_per_second"]["learn"] == pytest.approx(800 / 3)
    assert summary["gflops"] == {"float32": 20.0, "learn": 20.0}


def test_the_arithmetic_of_a_decision_is_counted_by_layer():
    # Inputs 3, units 2, output 1: outputs 16 operations, gradients of the weights 16, of the second layer's inputs 4.
    code = """import torch, training_loop as loop
network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
shapes = loop.network_shapes(torch.nn.ModuleDict({"actor": network, "critic": torch.nn.Linear(5, 1)}))
print(shapes, loop.flops_per_decision(shapes[:1]), loop.matmul_gflops(shapes, 4, torch.float32) > 0)"""
    done = run_script(code)
    assert done.stdout.strip() == "[[(2, 3), (1, 2)], [(1, 5)]] 36 True", done.stderr


def test_the_phases_that_the_trainer_reports_are_passed_on():
    code = """import torch, training_loop as loop
loop.MATMUL_SECONDS = 0.001
trainer = loop.Trainer(loop.Config(deals_per_update=8, hidden_sizes=(8,), critic_hidden_sizes=(8,)), ["float32"])
print(trainer.answer({"charts/SPS": 100.0, "time/learn": 1.5, "time/other": 9.0}, 2.0, 1.9))"""
    done = run_script(code)
    assert "'decisions': 200, 'wall': 2.0, 'cpu': 1.9, 'phases': {'learn': 1.5}" in done.stdout, done.stderr


@pytest.mark.skipif(not MASKED_PPO.exists(), reason="needs the environment that `make peers` sets up")
def test_masked_ppo_learns_at_some_speed_and_to_some_strength():
    few = ["--strength", "--seconds=0.1", "--deals=20"]
    done = subprocess.run([MASKED_PPO, "benchmarks/masked_ppo.py", *few], cwd=ROOT, capture_output=True, text=True)
    assert "relative suits are worth" in done.stdout.splitlines()[-1], done.stderr
    done = run_script(
        "import pathlib, training; loops = training.loops(8, 1, False, pathlib.Path(sys.argv[1]), None);"
        "(turn,) = training.measure({'peer': loops['masked_ppo_128']}, 1)['peer'];"
        "print(turn.decisions)",
        str(MASKED_PPO),
    )
    steps = 3 * 16 * 256
    assert steps / 2 < int(done.stdout) < steps, done.stderr  # six turns in ten have a choice
