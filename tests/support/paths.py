"""Folders that tests read."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
DATA = TESTS / "data"
SHARED = ROOT.parent / "shared"  # other people's records, which are not part of the project
