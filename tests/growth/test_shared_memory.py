"""Named segments and their mappings: told once, and by the same law as blocks (docs/decisions/0060)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable, Dict

import pytest

SEGMENTS = 60
MIB = 1 << 20

PROGRAM = """
from multiprocessing import resource_tracker, shared_memory
def work():
    return sum(number * number for number in range(20_000))
kept = []
for step in range({segments}):
    segment = shared_memory.SharedMemory(create=True, size=1 << 20)
    segment.buf[0] = 1
    work()
    {each}
{end}
"""

EMPTIED_AT_THE_END = "for segment in kept:\n    segment.close()\n    segment.unlink()"


@pytest.fixture
def judged(run_tenure: Callable[..., Any], tmp_path: Path) -> Callable[..., Dict[str, Any]]:
    def judge(each: str, end: str = "") -> Dict[str, Any]:
        (tmp_path / "program.py").write_text(
            PROGRAM.format(segments=SEGMENTS, each=each, end=end), encoding="utf-8"
        )
        done = run_tenure(["run", "--", sys.executable, "program.py"])
        assert done.returncode == 0, done.stderr
        findings: Dict[str, Any] = done.findings
        return findings

    return judge


def test_segments_that_are_kept_mapped_are_counted_once(judged) -> None:
    findings = judged("kept.append(segment)", EMPTIED_AT_THE_END)
    (leak,) = [f for f in findings["findings"] if f["kind"] == "shared-memory"]
    assert leak["severity"] == "leak"
    assert leak["bytes"] == pytest.approx(SEGMENTS * MIB, rel=0.05)
    assert leak["bytes_per_step"] == pytest.approx(MIB, rel=0.1)


def test_segments_that_are_closed_and_not_unlinked_are_the_systems(judged) -> None:
    findings = judged("segment.close(); kept.append(segment)", "for s in kept: s.unlink()")
    (leak,) = [f for f in findings["findings"] if f["kind"] == "shared-memory"]
    assert leak["bytes"] == pytest.approx(SEGMENTS * MIB, rel=0.05)
    assert "named segments" in leak["holder"]["text"]


def test_mappings_of_segments_that_were_unlinked_are_the_programs(judged) -> None:
    findings = judged("segment.unlink(); kept.append(segment)")
    (leak,) = [f for f in findings["findings"] if f["kind"] == "shared-memory"]
    assert leak["bytes"] == pytest.approx(SEGMENTS * MIB, rel=0.05)
    assert leak["holder"] is None or "named segments" not in leak["holder"]["text"]


def test_segments_that_are_given_back_each_round_are_nothing(judged) -> None:
    findings = judged("segment.close(); segment.unlink()")
    assert findings["verdict"] == "clean"
    assert findings["findings"] == []
