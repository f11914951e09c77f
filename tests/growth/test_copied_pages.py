"""Forked workers copy what they write: also where reading a Python object writes its reference count."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict

import pytest

PROGRAM = Path(__file__).parent / "programs" / "forked_readers.py"
TEXT_BYTES = 200_000 * 24 * len("text 0000000 ")


@pytest.fixture
def read(env: Callable[[str], str], run_tenure) -> Callable[[str], Dict[str, Any]]:
    def run(mode: str) -> Dict[str, Any]:
        outcome = run_tenure(["run", "--", env("numpy"), str(PROGRAM), mode])
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stdout == "[0, 0]\n"
        return outcome.findings

    return run


def line_of(text: str) -> int:
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("mode", "reading", "holder"),
    [
        ("list", "letters += len(self.texts[number])", "`texts` of `Texts`"),
        ("rows", "size_of(source)", "`source` of main()"),
    ],
)
def test_reading_a_list_of_objects_copies_it(read, mode, reading, holder):
    findings = read(mode)
    assert findings["verdict"] == "leak"
    copied = findings["findings"][0]
    assert copied["kind"] == "copy-on-write"
    assert [w["line"] for w in copied["where"]] == [line_of(reading), line_of("self.texts = [")]
    assert holder in copied["holder"]["text"]
    assert copied["count"] == 400_000  # in both workers
    assert 0.2 * TEXT_BYTES < copied["bytes"] < 4 * TEXT_BYTES
    assert copied["steps"] and copied["bytes_per_step"]
    assert "NumPy array" in copied["fix"]


@pytest.mark.parametrize("mode", ["array", "small", "own"])
def test_what_copies_nothing_is_clean(read, mode):
    findings = read(mode)
    assert findings["verdict"] == "clean"
    assert [f for f in findings["findings"] if f["kind"] == "copy-on-write"] == []
