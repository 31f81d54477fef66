"""docs/results.md and its pictures are what the records say, and the README's figures are among them."""

import re
from io import BytesIO

import numpy as np
import pytest
from support.paths import ROOT

pytest.importorskip("yaml", reason="the list of measurements is YAML (extra [train])")

from euchre_env.house_rules import parse_rules
from euchre_env.random_rules import random_rules
from euchre_eval.intervals import Mean
from euchre_train.config import load_config
from report.measurements import read_plan
from report.page import IMAGES, page
from report.pictures import paint
from report.records import digests, read_records

DOCS = ROOT / "docs"
PLAN = read_plan(ROOT / "report" / "results.yaml")
RECORDS = {name: record for name, record in read_records(DOCS / "results").items() if name in PLAN.measurements}
ORDERED = {name: RECORDS[name] for name in PLAN.measurements if name in RECORDS}
PICTURES = [picture for section in PLAN.sections for picture in section.pictures]
PLAYED = [each for each in PLAN.measurements.values() if each.is_played]
TRAININGS = [each for each in PLAN.measurements.values() if each.is_training]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CARD = (ROOT / "agents" / "euchre_agents" / "weights" / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\S+)` against `(\S+)` \| ([+-][\d.]+ ± [\d.]+) \| ([\d,]+) \|$", re.MULTILINE)


def pixels(png):
    """The picture in a PNG file, uint8, shape (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(BytesIO(png)).convert("RGB"))


def value_after(measurement, option):
    """The words that follow an option in a command."""
    words = measurement.arguments
    return [words[place + 1] for place, word in enumerate(words) if word == option]


# Page and records


def test_the_page_is_what_the_records_say():
    is_same = (DOCS / "results.md").read_text(encoding="utf-8") == page(PLAN, ORDERED)
    assert is_same, "docs/results.md is out of date: run `python -m report --page` and look at the result"


def test_every_record_is_that_of_a_measurement_in_the_list():
    assert {file.stem for file in (DOCS / "results").iterdir()} == set(RECORDS)


def test_the_agent_that_was_measured_is_the_one_that_is_shipped():
    (shipped,) = {digest for each in PLAYED for name, digest in digests(each).items() if name == "ppo"}
    measured = {name: record.networks["ppo"] for name, record in RECORDS.items() if "ppo" in record.networks}
    assert measured
    others = [name for name, digest in measured.items() if digest != shipped]
    assert others == [], "measured with another network: run `make results`"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_every_picture_is_what_the_records_draw(picture):
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra [plots]")
    pins = (ROOT / "constraints.txt").read_text()
    (pinned,) = re.findall(r"^matplotlib==(.*)$", pins, re.MULTILINE)
    if matplotlib.__version__ != pinned:
        pytest.skip(f"pixels are compared under matplotlib {pinned} only, and this is {matplotlib.__version__}")
    painted, file = paint(picture, ORDERED), DOCS / IMAGES / picture.file
    assert file.exists() == (painted is not None)
    if painted is not None:
        assert file.stat().st_size < 120_000
        assert np.array_equal(pixels(painted), pixels(file.read_bytes())), "run `python -m report --page`"


# The README and the card of the agent


def test_the_rows_of_the_readme_are_those_of_the_records():
    rows = ROW.findall(README)
    assert len(rows) >= 4
    matches = [record.result for record in RECORDS.values() if "points_per_deal" in record.result]
    known = {
        (*result["players"], str(Mean(**result["points_per_deal"])), f"{result['pairs']:,}")
        for result in matches
        if result["rules"] == "standard" and len(result["players"]) == 2 and result["pairs"] > 1
    }
    assert [row for row in rows if row not in known] == []


def test_the_strength_on_the_card_is_that_of_the_records():
    strengths = set(re.findall(r"[+-]?(0\.\d+) (?:±|\+/-) (0\.\d+)", CARD))
    assert strengths
    recorded = (DOCS / "results.md").read_text(encoding="utf-8")
    assert [strength for strength in strengths if " ± ".join(strength) not in recorded] == []


# The list


def test_the_random_house_rules_are_those_of_the_seed():
    rng = np.random.default_rng(0)
    drawn = [str(random_rules(rng)) for _ in range(12)]
    listed = [value_after(each, "--rules") for each in PLAYED if re.fullmatch(r"ppo_rules_random_\d+", each.name)]
    assert [[text] for text in drawn] == listed


@pytest.mark.parametrize("measurement", PLAYED, ids=lambda measurement: measurement.name)
def test_every_match_has_rules_that_exist_and_the_reporting_seed(measurement):
    for text in value_after(measurement, "--rules"):
        parse_rules(text)
    assert "--seed" not in measurement.arguments


@pytest.mark.parametrize("measurement", TRAININGS, ids=lambda measurement: measurement.name)
def test_every_training_has_settings_that_exist(measurement):
    (config,) = value_after(measurement, "--config")
    changes = value_after(measurement, "--set")
    load_config(ROOT / config, changes)
    assert [folder for folder in value_after(measurement, "--from") if folder not in map(str, sources())] == []


def sources():
    return [training.source for training in TRAININGS]


def test_no_two_trainings_write_to_one_folder():
    assert len(set(sources())) == len(sources())
