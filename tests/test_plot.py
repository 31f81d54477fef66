"""`euchre-train plot`: the curves of runs as a picture, and what it says of metrics that cannot be read."""

import itertools
import json
import re
import xml.etree.ElementTree as ET
from importlib.util import find_spec

import numpy as np
import pytest
from support.paths import ROOT

from euchre_train import plot
from euchre_train.cli import main
from euchre_train.metrics_file import METRICS_FILE, read_metrics
from euchre_train.plot import PANELS, STRENGTH

needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None, reason="pictures need the extra [plots]")
MEANS = {2: -0.4, 4: 0.1, 6: 0.2}


def record(update):
    """The line of an update, as training writes it."""
    line = {"update": update, "charts/deals": 64 * update, **dict.fromkeys(PANELS, update / 10)}
    if update in MEANS:
        mean = MEANS[update]
        line |= {STRENGTH: mean, f"{STRENGTH}_low": mean - 0.05, f"{STRENGTH}_high": mean + 0.05}
    return line


def write_run(folder, records):
    """Make a run folder with these metrics."""
    folder.mkdir(parents=True)
    (folder / METRICS_FILE).write_text("".join(json.dumps(line) + "\n" for line in records))
    return folder


@pytest.fixture
def folder(tmp_path):
    """The folder of a run of six updates, evaluated three times."""
    return write_run(tmp_path / "mine", map(record, range(1, 7)))


def drawn(*folders):
    """The picture of the runs, its panel of strength, and the other panels by title."""
    figure = plot.draw(plot.load_runs(folders))
    strength, *panels = figure.axes
    return figure, strength, {axes.get_title(): axes for axes in panels}


def labels_of(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def points_of(line):
    """The points of a line, [deals, value] each."""
    return np.asarray(line.get_xydata()).tolist()


def corners_of(collection):
    """The corners of a band, or the ends of a bar, [deals, value] each."""
    return np.asarray(collection.get_paths()[0].vertices).round(6).tolist()


def refusal(arguments, capsys):
    """The only line that a refused command prints."""
    assert main(["plot", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


# The picture


@needs_matplotlib
def test_the_picture_is_of_the_kind_that_its_name_says(folder, tmp_path, capsys):
    assert main(["plot", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'curves.png'}\n"
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert main(["plot", str(folder), "--out", str(tmp_path / "Mine.SVG")]) == 0
    assert ET.parse(tmp_path / "Mine.SVG").getroot().tag == "{http://www.w3.org/2000/svg}svg"


@needs_matplotlib
@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_curves_make_the_same_file(folder, kind):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": None}):  # a user's own style
        before = dict(matplotlib.rcParams)
        picture = plot.picture(plot.load_runs([folder]), kind)
        assert dict(matplotlib.rcParams) == before
    assert plot.picture(plot.load_runs([folder]), kind) == picture


@needs_matplotlib
def test_every_panel_shows_its_metric_over_the_deals_played(folder):
    _, strength, panels = drawn(folder)
    (line,) = (line for line in strength.lines if line.get_marker() == "o")
    assert points_of(line) == [[64 * update, mean] for update, mean in MEANS.items()]
    (band,) = strength.collections
    for corner in ([128, -0.45], [128, -0.35], [384, 0.15], [384, 0.25]):
        assert corner in corners_of(band)
    assert list(panels) == list(PANELS.values())
    for axes in panels.values():
        (line,) = axes.lines
        assert points_of(line) == [[64 * update, update / 10] for update in range(1, 7)]


@needs_matplotlib
def test_unknown_values_are_gaps(tmp_path):
    lines = [record(update) for update in range(1, 7)]
    lines[3] |= dict.fromkeys((STRENGTH, f"{STRENGTH}_low", f"{STRENGTH}_high", "losses/entropy"))
    lines[5]["losses/entropy"] = None
    figure, strength, panels = drawn(write_run(tmp_path / "mine", lines))
    (line,) = (line for line in strength.lines if line.get_marker() == "o")
    assert np.isnan(line.get_ydata()).tolist() == [False, True, False]
    bars = strength.collections[1:]  # no band shows the intervals of the two evaluations
    assert [corners_of(bar) for bar in bars] == [[[128, -0.45], [128, -0.35]], [[384, 0.15], [384, 0.25]]]
    (line,) = panels[PANELS["losses/entropy"]].lines
    assert np.isnan(line.get_ydata()).tolist() == [False, False, False, True, False, True]
    assert line.get_markevery() == [4]  # a point, for no line leads to it
    assert labels_of(figure) == ["mine: +0.200 ± 0.050"]


@needs_matplotlib
def test_the_legend_tells_the_last_strength_of_each_run(folder, tmp_path):
    unknown = record(2) | {f"{STRENGTH}_low": None, f"{STRENGTH}_high": None}
    one_deal = write_run(tmp_path / "one_deal", [record(1), unknown])
    new = write_run(tmp_path / "_$new$", [record(1)])
    figure, _, panels = drawn(folder, one_deal, new)
    assert labels_of(figure) == ["mine: +0.200 ± 0.050", "one_deal: −0.400", "_$new$: not evaluated"]
    assert all(len(axes.lines) == 3 for axes in panels.values())
    plot.picture(plot.load_runs([folder, one_deal, new]), "png")  # and a dollar sign begins no formula


@needs_matplotlib
def test_runs_in_folders_of_one_name_are_told_apart_by_their_paths(folder, tmp_path):
    other = write_run(tmp_path / "other" / "mine", [record(1)])
    figure, _, _ = drawn(folder, other)
    assert labels_of(figure) == [f"{folder}: +0.200 ± 0.050", f"{other}: not evaluated"]


@needs_matplotlib
def test_a_metric_that_no_run_reports_has_no_panel(tmp_path):
    lines = [{name: value for name, value in record(1).items() if name != "losses/clipfrac"}]
    _, _, panels = drawn(write_run(tmp_path / "mine", lines))
    assert list(panels) == [title for name, title in PANELS.items() if name != "losses/clipfrac"]


@needs_matplotlib
def test_overlaid_runs_differ_in_colour_and_in_marks_and_dashes(folder, tmp_path):
    others = [write_run(tmp_path / f"run_{number}", [record(2)]) for number in range(11)]
    _, strength, _ = drawn(folder, *others)
    lines = [line for line in strength.lines if line.get_marker() != "None"]
    in_gray = {(line.get_marker(), line.get_linestyle()) for line in lines}
    assert len(in_gray) == len(lines) == 12
    for one, next_one in itertools.pairwise(lines):
        assert one.get_color() != next_one.get_color()


def test_the_metrics_drawn_are_metrics_that_training_documents():
    page = (ROOT / "train" / "README.md").read_text(encoding="utf-8")
    for name in (*PANELS, STRENGTH, "charts/deals"):
        assert f"| `{name}`" in page


def test_matplotlib_is_imported_only_by_modules_that_draw():
    folders = ("euchre_env", "agents", "eval", "train")
    sources = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    importing = [file.name for file in sources if re.search(r"^\s*(import|from) matplotlib", file.read_text(), re.M)]
    assert sorted(importing) == ["page.py", "pictures.py", "plot.py", "style_page.py", "tournament_page.py"]


# What is refused


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "Expecting property name"),
        ("[1]", "it has no whole number 'update'"),
        ('{"update": 2}', "it has no number 'charts/deals'"),
        ('{"update": 2, "charts/deals": null}', "it has no number 'charts/deals'"),
        ('{"update": 2, "charts/deals": 8, "losses/entropy": "low"}', "'losses/entropy' is 'low', neither"),
        ('{"update": 2, "charts/deals": 8, "losses/entropy": true}', "'losses/entropy' is True, neither"),
        ('{"update": 2, "charts/deals": 8, "losses/entropy": NaN}', "'losses/entropy' is nan, neither"),
        (f'{{"update": 2, "charts/deals": 1{"0" * 400}}}', "too large"),
        ("[" * 100_000, "recursion"),
        ("", "Expecting value"),
    ],
    ids=["cut", "list", "no deals", "null deals", "text", "bool", "NaN", "huge", "brackets", "empty"],
)
def test_a_damaged_line_is_named_by_file_and_number(folder, capsys, line, fault):
    file = folder / METRICS_FILE
    first, *others = file.read_text().splitlines()
    file.write_text("\n".join([first, line, *others]) + "\n")
    said = refusal([folder], capsys)
    assert said.startswith(f"euchre-train: {file}, line 2, does not hold the metrics of an update: ")
    assert fault in said
    assert not (folder / "curves.png").exists()


def test_metrics_without_a_finished_update_are_named(folder, capsys):
    file = folder / METRICS_FILE
    for text in ("", '{"update": 1, "charts'):
        file.write_text(text)
        expected = "expected the metrics of an update, but no update is finished"
        assert refusal([folder], capsys) == f"euchre-train: {file}, line 1: {expected}\n"


def test_a_last_line_cut_short_by_a_kill_is_left_out(folder):
    whole = read_metrics(folder / METRICS_FILE)
    with (folder / METRICS_FILE).open("a") as file:
        file.write('{"update": 7, "charts/de')
    assert read_metrics(folder / METRICS_FILE) == whole


def test_a_folder_without_metrics_is_named(folder, tmp_path, capsys):
    said = refusal([folder, tmp_path / "nowhere"], capsys)
    assert (
        said == f"euchre-train: {tmp_path / 'nowhere'} holds no run with a finished update: metrics.jsonl is missing\n"
    )


@pytest.mark.parametrize(
    ("out", "fault"),
    [
        ("curves.jpg", "curves.jpg: the name of a picture must end in .png or .svg"),
        ("curves", "curves: the name of a picture must end in .png or .svg"),
        ("nowhere/curves.png", "nowhere/curves.png: there is no folder nowhere"),
    ],
)
def test_a_picture_that_cannot_be_is_refused(folder, tmp_path, monkeypatch, capsys, out, fault):
    monkeypatch.chdir(tmp_path)
    assert refusal([folder, "--out", out], capsys) == f"euchre-train: {fault}\n"


# The command line


@pytest.mark.parametrize(("arguments", "fault"), [([], "required: RUN"), (["x", "--ou", "y"], "unrecognized")])
def test_a_mistake_in_the_arguments_is_one_line_of_the_subcommand(capsys, arguments, fault):
    said = refusal(arguments, capsys)
    assert said.startswith("euchre-train plot: ")
    assert fault in said


def test_options_of_training_do_not_lead_to_a_picture(folder, capsys):
    assert main(["--run", "x", "plot", str(folder)]) == 2
    assert capsys.readouterr().err == f"euchre-train: unrecognized arguments: plot {folder}\n"


def test_the_help_of_training_leads_to_that_of_pictures(capsys):
    assert main(["--help"]) == 0
    assert "euchre-train plot --help" in " ".join(capsys.readouterr().out.split())
    assert main(["plot", "--help"]) == 0
    assert "--out FILE" in capsys.readouterr().out
