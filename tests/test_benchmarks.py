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
}


def run_script(code, *arguments):
    """Run `code` in a fresh interpreter, like benchmarks/run.py."""
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, 'benchmarks'); {code}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_every_benchmark_runs_and_its_figures_are_printed_and_written(tmp_path):
    report = tmp_path / "bench.json"
    command = [sys.executable, "benchmarks/run.py", "--rounds", "2", "--seconds", "0.001", "--json", str(report)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(report.read_text())
    for key, names in FIGURES.items():
        low, high = figures["quartiles"][key]
        assert 0 < low <= figures[key] <= high
        assert all(figures["decisions_per_second"][name] > 0 for name in names)
        assert key in done.stdout
    assert figures["import_over_pettingzoo"] > 0
    assert figures["settings"]["rounds"] == 2
    assert figures["machine"]["processor"] in done.stdout


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("reached", [1.9, 2.0])
def test_a_missed_bound_fails_only_where_bounds_are_checked(checked, reached):
    # Everything that is timed is replaced by its result: ours `reached` times as fast as theirs, imports alike.
    code = f"""import run
run.rates = lambda workloads, settings: {{name: [{reached} if "euchre" in name else 1.0] * 2 for name in workloads}}
run.importing.import_seconds = lambda rounds: {{"euchre_env": [1.0] * 2, "pettingzoo": [1.0] * 2}}
run.FIGURES = [figure for figure in run.FIGURES if figure.key in ("aec_wrapped_over_texas", "import_over_pettingzoo")]
sys.exit(run.main(sys.argv[1:]))"""
    done = run_script(code, *["--check"] * checked)
    assert done.returncode == (1 if checked and reached < 2 else 0), done.stderr
    assert ("NO" in done.stdout) == (reached < 2)


def test_a_ratio_is_taken_round_by_round():
    done = run_script("from measuring import ratio; print(ratio([2.0, 30.0, 400.0], [1.0, 10.0, 100.0]))")
    assert done.stdout.strip() == "Ratio(median=3.0, low=2.5, high=3.5)", done.stderr
