"""The fifteen situations on minigraph: each asserts its own truth, and `tenure run` tells the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Callable, Dict, List

import pytest

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "minigraph"
SITUATIONS = sorted(path.stem for path in (EXAMPLE / "situations").glob("seed_*.cpp"))
ENDS = {"seed_0_2": "session `trainer`", "seed_2_1": "session `engine`"}
# Bytes a step; the table of the nodes grows, too, by up to 6 % of that.
GROWS = {"seed_3_1": 640000, "seed_3_2": 512064, "seed_3_3": 48004}
# Bounded, and freed at the end: a growth while it grows, and not one in the end; both are true.
EITHER = {"seed_4_1"}


def lines_marked(situation: str, mark: str) -> List[int]:
    text = (EXAMPLE / "situations" / f"{situation}.cpp").read_text(encoding="utf-8")
    return [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("// " + mark)]


def line_with(situation: str, text: str) -> int:
    lines = (EXAMPLE / "situations" / f"{situation}.cpp").read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def lines_told(finding: Dict, role: str) -> List[int]:
    return [place["line"] for place in finding["where"] if place["role"] == role]


def build(prefix: Path, folder: Path, target: str, *options: str) -> Path:
    configure = ["cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", folder, *options]
    subprocess.run([*configure, f"-DCMAKE_PREFIX_PATH={prefix}"], check=True, capture_output=True)
    command = ["cmake", "--build", folder, "-j2", "--target", target]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def built(prefix: Path) -> Path:
    return build(prefix, prefix.parent / "minigraph", "all")


def test_there_are_fifteen() -> None:
    assert len(SITUATIONS) == 15


@pytest.mark.parametrize("situation", sorted(set(SITUATIONS) - set(ENDS) - set(GROWS)))
def test_what_works_works_and_is_called_clean(built, run_tenure: Callable, situation: str) -> None:
    outcome = run_tenure(["run", "--", str(built / situation)])
    assert outcome.returncode == 0, outcome.stderr
    if situation not in EITHER:
        assert outcome.findings["verdict"] == "clean"


@pytest.mark.parametrize("situation", sorted(ENDS))
def test_what_fails_fails_with_its_history_also_when_it_is_caught(
    built, run_tenure: Callable, situation: str
) -> None:
    outcome = run_tenure(["run", "--", str(built / situation)])
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.findings["verdict"] == "lifetime-error"
    finding = outcome.findings["findings"][0]
    assert finding["kind"] == "closed-session"
    assert finding["title"] == f"{ENDS[situation]} was closed before this use"
    for role, mark in (("created", "born"), ("ended", "ended"), ("used", "used")):
        assert lines_told(finding, role) == lines_marked(situation, mark)


@pytest.mark.parametrize("situation", sorted(GROWS))
def test_what_grows_is_told_with_line_and_holder(
    built, run_tenure: Callable, situation: str
) -> None:
    outcome = run_tenure(["run", "--", str(built / situation)])
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.findings["verdict"] == "leak"
    finding = outcome.findings["findings"][0]
    assert finding["kind"] == "graph-growth"
    assert finding["holder"]["text"] == "graph `default`"
    assert set(lines_marked(situation, "grows")) <= set(lines_told(finding, "made at"))
    assert finding["bytes_per_step"] == pytest.approx(GROWS[situation], rel=0.1)


def test_a_compiler_that_was_given_relative_paths(prefix: Path, run_tenure: Callable) -> None:
    flags = f"-DCMAKE_CXX_FLAGS=-fmacro-prefix-map={EXAMPLE}=../../minigraph"
    folder = build(prefix, prefix.parent / "minigraph-relative", "seed_3_1", flags)
    outcome = run_tenure(["run", "--", str(folder / "seed_3_1")])
    finding = outcome.findings["findings"][0]
    assert finding["kind"] == "graph-growth"
    assert set(lines_marked("seed_3_1", "grows")) <= set(lines_told(finding, "made at"))


def test_scopes_are_listed_with_their_lines(built, run_tenure: Callable) -> None:
    outcome = run_tenure(["run", "-o", "r.tenure", "--", str(built / "seed_4_2")])
    assert outcome.returncode == 0, outcome.stderr
    told = run_tenure(["show", "r.tenure", "--scopes"]).stdout
    # The graph's constants end with its ops, so that nothing is left to end for the scope itself.
    rows = {
        "graph +1 +closed +week": "Graph graph(",
        "session +1 +1 buffers +closed +smooth": "Session s",
    }
    for row, made in rows.items():
        place = rf"made at \S*seed_4_2\.cpp:{line_with('seed_4_2', made)}\b"
        assert re.search(f"{row}, {place}", told), told
    assert re.search(r"step +1 .*closed +run, made at \S*seed_4_2\.cpp", told), told


def test_alone_the_library_writes_its_own_record(built, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    environ = {**os.environ, "TENURE_RECORD": str(record)}
    subprocess.run([built / "seed_2_1"], env=environ, check=True, capture_output=True)
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    errors = [line for line in lines if line["event"] == "lifetime-error"]
    assert [error["type"] for error in errors] == ["tenure::ClosedScope"]
    assert errors[0]["history"]["ended"]["line"] == lines_marked("seed_2_1", "ended")[0]
    assert lines[-1]["event"] == "exit" and lines[-1]["report"]["survivors"] == []
