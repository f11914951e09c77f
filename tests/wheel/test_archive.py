"""The archive of the wheel: the same contents are the same bytes, whenever and in whatever order they come."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from typing import List, Tuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import build_wheel
import wheel_file

FILES = [("b/two.py", b"2\n", False), ("a/one", b"\x7fELF", True), ("c", b"", False)]


def written(files: List[Tuple[str, bytes, bool]], path: Path, epoch: int = 1_700_000_000) -> bytes:
    archive = wheel_file.Archive(epoch)
    for name, content, is_executable in files:
        archive.add(name, content, is_executable)
    archive.add_record("x.dist-info/RECORD")
    archive.write(path)
    return path.read_bytes()


def test_order_and_clock_change_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = written(FILES, tmp_path / "1.whl")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    previous = os.umask(0o077)
    try:
        assert written(FILES[::-1], tmp_path / "2.whl") == first
    finally:
        os.umask(previous)


def test_another_content_mode_or_time_changes_the_bytes(tmp_path: Path) -> None:
    first = written(FILES, tmp_path / "1.whl")
    for number, others in enumerate(
        ([*FILES[:2], ("c", b"x", False)], [*FILES[:2], ("c", b"", True)]), start=2
    ):
        assert written(others, tmp_path / f"{number}.whl") != first
    assert written(FILES, tmp_path / "4.whl", epoch=1_700_000_002) != first


def test_every_file_has_the_one_time(tmp_path: Path) -> None:
    written(FILES, tmp_path / "1.whl")
    with zipfile.ZipFile(tmp_path / "1.whl") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def test_the_time_is_that_of_the_commit_or_what_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1234567890")
    assert build_wheel.epoch() == 1234567890
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert build_wheel.epoch() > 1_600_000_000
