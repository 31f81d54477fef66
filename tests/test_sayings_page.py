"""docs/sayings.md and its pictures are what the records say."""

from io import BytesIO

import numpy as np
import pytest
from support.paths import ROOT

pytest.importorskip("yaml", reason="the records are read by the package of the report (extra [train])")

from euchre_eval.sayings import SAYINGS
from euchre_eval.sayings.page import Measured, page, picture, shown
from report.records import read_records
from report.sayings import MEASUREMENTS, main, page_of, pictures_of

DOCS = ROOT / "docs"
RECORDS = read_records(DOCS / "sayings")


def pixels(png):
    """The picture in a PNG file, uint8, shape (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(BytesIO(png)).convert("RGB"))


def test_the_page_is_what_the_records_say():
    is_same = (DOCS / "sayings.md").read_text(encoding="utf-8") == page_of(RECORDS)
    assert is_same, "docs/sayings.md is out of date: run `python -m report.sayings --page` and look at the result"


def test_every_record_is_that_of_a_measurement_in_the_list():
    assert {file.stem for file in (DOCS / "sayings").iterdir()} == set(RECORDS) <= set(MEASUREMENTS)
    for name, record in RECORDS.items():
        assert record.command == MEASUREMENTS[name].command
        assert (record.result["seed"], record.result["rules"]) == (0, "standard")


def test_the_pictures_are_drawn_from_the_records():
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    drawn = pictures_of(RECORDS)
    assert {file.name for file in (DOCS / "images").glob("saying_*.png")} == set(drawn)
    for name, content in drawn.items():
        assert np.array_equal(pixels((DOCS / "images" / name).read_bytes()), pixels(content)), name
    saying = SAYINGS["enough"]
    result = RECORDS["enough_ppo"].result
    assert picture(saying, result) == picture(saying, result)


def test_the_page_can_be_written_again_without_measuring(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    assert main(["--page", "--docs", str(tmp_path)]) == 0  # without any record
    text = (tmp_path / "sayings.md").read_text()
    assert text.count("Not measured yet, by `make sayings`.") == len(SAYINGS)
    assert text == page_of({})


def test_a_result_of_another_network_is_marked():
    result = {"player": "ppo", "deals": 10, "tables": []}
    texts = [page(SAYINGS, {"reading": [Measured("a command", result, current)]}) for current in (True, False)]
    assert ["with another network" in text for text in texts] == [False, True]
    assert all("10 deals: Too few deals to say." in text and "`a command`" in text for text in texts)


def test_figures_are_shown_with_their_unit_and_half_their_interval():
    figure = {"mean": 0.25, "low": 0.2, "high": 0.3, "se": 0.0255, "number": 40}
    assert shown(figure, "points") == "+0.250 ± 0.050"
    assert shown(figure, "number") == "0.250 ± 0.050"
    assert shown(figure, "share") == "25.0 ± 5.0 %"
    assert shown(figure | {"mean": -1e-9, "high": 0.05}, "share") == "0.0 ± 5.0 %"
    assert shown(None, "points") == ""
    alone = {"mean": 0.25, "low": None, "high": None, "se": None, "number": 1}
    assert [shown(alone, unit) for unit in ("points", "share")] == ["+0.25 ± unknown", "25.0 %"]


def test_a_measurement_that_is_not_in_the_list_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "enough_rulse", "--page"])
    assert "did you mean 'enough_rules'" in capsys.readouterr().err
