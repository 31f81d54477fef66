"""Files are replaced whole or not at all, through symbolic links, and devices and folders are left alone."""

import os
import re

import pytest

from euchre_env.files import parse_json, read_json, replace_bytes, replace_file, replace_text


def test_a_file_is_made_and_replaced(tmp_path):
    file = tmp_path / "a.txt"
    replace_text(file, "één")
    replace_bytes(file, b"two")
    assert file.read_bytes() == b"two"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_symbolic_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in ("made", "replaced"):
        replace_text(link, content)
        assert link.is_symlink()
        assert target.read_text() == content
    assert [each.name for each in target.parent.iterdir()] == ["target"]


def test_what_is_no_ordinary_file_is_not_replaced(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for file in (pipe, link):
        with pytest.raises(OSError, match="not an ordinary file, so it is not replaced") as refused:
            replace_text(file, "content")
        assert refused.value.filename == str(file)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError, match=re.escape(f"'{tmp_path}'")):
        replace_text(tmp_path, "content")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "pipe"]


def test_a_write_that_fails_keeps_the_file_and_leaves_nothing(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")

    def fail(new):
        new.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as failed:
        replace_file(file, fail)
    assert failed.value.filename == str(file)
    assert file.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("content", "message"), [(b"[" * 100_000, "it is nested too deeply"), (b"{", "Expecting"), (b"\xff", "utf-8")]
)
def test_what_is_no_json_is_a_value_error(tmp_path, content, message):
    file = tmp_path / "a.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_json(file)


def test_json_is_read_from_a_file_and_from_text(tmp_path):
    file = tmp_path / "a.json"
    replace_text(file, '{"é": [1, null]}')
    assert read_json(file) == parse_json('{"é": [1, null]}') == {"é": [1, None]}
