"""The report page in a real browser: records of real programs, seen and used as a person would."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

HERE = Path(__file__).resolve().parent
MOST_BYTES, MOST_SHELL_BYTES = 5_000_000, 200_000

LEAK = """
import numpy as np
history = []
def load(rows):
    return np.random.rand(rows, 100)
def step(i, table):
    history.append(table[:100] * i)
    return float((table * 2.0).sum())
def main():
    table = load(2000)
    for i in range(300):
        step(i, table)
main()
"""
CLEAN = """
import numpy as np
newest = {}
def work(i):
    newest[i % 5] = np.random.rand(40000)
for i in range(400):
    work(i)
"""
CLOSED = """
import tempfile
def opened(path):
    with open(path, "rb") as file:
        return file
with tempfile.NamedTemporaryFile() as data:
    opened(data.name).read()
"""
WORKERS = """
import multiprocessing
import numpy as np
kept = []
def work(i):
    kept.append(np.ones(40000))
    return i
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, range(240), chunksize=5)
"""
CPP = """
#include <cstdlib>
#include <cstring>
#include <vector>
struct Session { std::vector<char*> frames; };
char* decode(size_t size) {
  char* data = (char*)malloc(size);
  memset(data, 1, size);
  return data;
}
int main() {
  static Session session;
  for (int i = 0; i < 500; ++i)
    session.frames.push_back(decode(40000 + i));
  return session.frames.size() == 500 ? 0 : 1;
}
"""


def report_of(run_tenure: Callable[..., Any], name: str, command: List[str]) -> Path:
    done = run_tenure(["run", "--report", "-o", f"{name}.tenure", "--", *command])
    report = done.folder / f"{name}.tenure" / "report.html"
    assert done.stderr.rstrip().splitlines()[-1].endswith(f"{name}.tenure/report.html"), done.stderr
    return report


@pytest.fixture
def page_of(
    has_page: None, run_tenure: Callable[..., Any], env: Callable[[str], str], tmp_path: Path
) -> Callable[[str, str], Path]:
    """page_of("leak", source) runs a Python program and gives its report."""

    def run(name: str, source: str) -> Path:
        program = tmp_path / f"{name}.py"
        program.write_text(source.lstrip(), encoding="utf-8")
        return report_of(run_tenure, name, [env("numpy"), str(program)])

    return run


def check_whole(seen: Dict[str, Any], report: Path) -> None:
    """What holds for every page."""
    assert seen["errors"] == []
    assert seen["requests"] == []
    assert seen["complaints"] == []
    assert seen["small_width"] <= 360
    assert seen["large_width"] <= 3840
    assert sum(map(int, re.findall(r"\d+", seen["dark_background"])[:3])) < 150
    html = report.read_text(encoding="utf-8")
    assert len(html) <= MOST_BYTES
    data = re.search(r'id="data">([^<]*)<', html)
    assert data and len(html) - len(data[1]) <= MOST_SHELL_BYTES
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html


def test_first_screen_of_a_leak_has_line_holder_fix_band_and_balance(page_of, browse):
    report = page_of("leak", LEAK)
    seen = browse("look", report)
    check_whole(seen, report)
    assert seen["badge"] == ["Leak"] and "1 leak in 300 steps" in seen["verdict"][0]
    assert len(seen["findings"]) == 1
    for word in ("leak.py:6", "history.append(table[:100] * i)", "`history`", "fix"):
        assert word in seen["findings"][0]
    assert seen["chain"][0].startswith("made at leak.py:6")
    assert any(link.startswith("kept by history") for link in seen["chain"])
    assert "leak.py:6" in seen["legend"][0]
    assert "arrays and objects of Python" in seen["legend"]
    assert any("float64 [100, 100]" in block for block in seen["blocks"])
    assert seen["timeline_colors"] > 5 and seen["calls_colors"] > 2
    assert "leak" in seen["balance"]
    assert any("leak.py:6" in owner for owner in seen["owners"])
    assert seen["survivors"] >= 20  # of 48 stretches: all along the run
    assert any("history" in block for block in seen["blocks"])
    assert any(row.startswith("leak leak.py:6") and "steady pace" in row for row in seen["why"])
    assert seen["title"] == "Tenure: leak.py"


def test_page_of_a_leak_answers_to_mouse_keyboard_and_links(page_of, browse):
    seen = browse("use", page_of("leak", LEAK))
    assert seen["errors"] == [] and seen["requests"] == []
    assert 0 < len(seen["searched"]) < len(seen["before"])
    assert any("load()" in row for row in seen["searched"])
    assert seen["search_hash"] == "#search=load"
    assert seen["after_escape"] == seen["before"]
    assert seen["range_hash"].startswith("#range=")
    assert "made in the range" in seen["range_head"]
    assert seen["range_lines"] and seen["range_lines"] != seen["before"]
    assert "leak.py:6" in seen["range_lines"][0]
    assert seen["linked_lines"] == seen["range_lines"]
    assert seen["range_cleared"] == ""
    assert seen["band_clicked"] == ["leak.py:6"] and seen["above_clicked"] is False
    assert "range=" in seen["step_hash"] and "leak.py:6" in seen["step_lines"][0]
    assert seen["keyboard_range"].startswith("#range=")
    for tree, word in (("by holder", "by_holder"), ("by module", "by_module")):
        assert f"tree={word}" in seen[tree]
    assert len(seen["trail"]) == 3 and seen["trail"][0] == "all"
    assert seen["call_hash"].startswith("#call=")
    assert len(seen["trail_after"]) < len(seen["trail"])
    assert "inverted" in seen["inverted_hash"] and seen["inverted_colors"] > 2
    assert "steady pace" in seen["detail"][0] and "line=leak.py:6" in seen["line_hash"]
    assert seen["detail_after"] is False
    assert "search lines" in seen["keys"][0]


def test_two_runs_are_compared_on_a_page(page_of, tenure, browse, tmp_path):
    before = page_of("leak", LEAK).parent
    after = page_of(
        "fixed", LEAK.replace("history.append(table[:100] * i)", "table[:100] * i")
    ).parent
    page = tmp_path / "both.html"
    done = subprocess.run(
        [tenure, "diff", str(before), str(after), "--html", str(page)],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert f"page: {page}" in done.stdout
    seen = browse("difference", page)
    assert seen["errors"] == [] and seen["requests"] == [] and seen["complaints"] == []
    assert seen["small_width"] <= 360
    assert seen["badge"] == ["Fixed"] and "every step, gone" in seen["verdict"][0]
    assert len(seen["findings"]) == 1 and "`history`" in seen["findings"][0]
    assert "verdict Leak Clean" in seen["figures"]
    assert [curve.split()[0] for curve in seen["curves"]] == ["before", "after"]
    assert all(int(curve.split()[1]) > 10 for curve in seen["curves"])
    assert any("leak.py:6" in line and "gone" in line for line in seen["lines"])
    assert seen["pressed"] == ["by time"]
    html = page.read_text(encoding="utf-8")
    assert len(html) <= MOST_SHELL_BYTES + 100_000
    assert "https://" not in html


def test_a_page_of_two_runs_that_cannot_be_written_is_one_sentence(page_of, tenure, tmp_path):
    record = str(page_of("clean", CLEAN).parent)
    done = subprocess.run(
        [tenure, "diff", record, record, "-o", str(tmp_path / "no" / "such" / "page.html")],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1


def test_clean_run_is_told_clean_without_findings(page_of, browse):
    report = page_of("clean", CLEAN)
    seen = browse("look", report)
    check_whole(seen, report)
    assert seen["badge"] == ["Clean"]
    assert seen["verdict"][0].startswith("Clean Nothing material was growing")
    assert seen["findings"] == [] and seen["chain"] == []
    assert "leak" not in seen["balance"]
    assert any("clean.py:4" in line for line in seen["lines"])


def test_lifetime_error_is_told_in_the_order_of_its_events(page_of, browse):
    report = page_of("closed", CLOSED)
    seen = browse("look", report)
    check_whole(seen, report)
    assert seen["badge"] == ["Lifetime error"]
    assert [step.split()[0] for step in seen["life"]][-2:] == ["ended", "used"]
    assert "closed.py:3" in seen["life"][-2] and "closed.py:6" in seen["life"][-1]
    assert "ValueError" in seen["findings"][0]


def test_processes_stand_side_by_side_and_the_leaking_one_is_open(page_of, browse):
    report = page_of("workers", WORKERS)
    seen = browse("look", report)
    check_whole(seen, report)
    assert len(seen["processes"]) >= 3
    assert sum("(main)" in row for row in seen["processes"]) == 1
    assert "workers.py:5" in seen["legend"][0]  # of a worker: the main process keeps nothing


def test_leak_of_a_cpp_program_has_its_calls_and_line(
    has_page, run_tenure, compile_program, browse, tmp_path
):
    source = tmp_path / "decoder.cpp"
    source.write_text(CPP.lstrip(), encoding="utf-8")
    report = report_of(run_tenure, "decoder", [compile_program(source)])
    seen = browse("look", report)
    check_whole(seen, report)
    assert seen["badge"] == ["Leak"]
    assert "decoder.cpp:" in seen["legend"][0]
    assert any("decode()" in line for line in seen["lines"])


def test_names_and_source_of_a_hostile_program_stay_text(page_of, browse):
    name = "<img src=x onerror=alert(1)>"
    source = LEAK.replace(
        "table[:100] * i)", "table[:100] * i)  # </script><img src=x onerror=alert(2)>"
    )
    report = page_of(name, source)
    seen = browse("look", report)
    check_whole(seen, report)
    assert seen["images"] == 0
    assert "<img src=x onerror=alert(1)>.py:6" in seen["findings"][0]
    assert "onerror" not in report.read_text(encoding="utf-8")


def test_report_of_a_record_is_the_same_again_and_anywhere(page_of, tenure, tmp_path):
    first = page_of("leak", LEAK)
    (tmp_path / "leak.py").unlink()
    there = tmp_path / "elsewhere.html"
    done = subprocess.run(
        [tenure, "report", str(first.parent), "-o", str(there)],
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stdout) == (0, f"{there}\n"), done.stderr
    assert len(there.read_bytes()) == pytest.approx(len(first.read_bytes()), rel=0.05)


def test_report_says_what_is_wrong_with_its_arguments(tenure, tmp_path):
    done = subprocess.run(
        [tenure, "report", str(tmp_path / "none")], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1


def test_report_into_a_folder_that_is_not_there_is_one_sentence(page_of, tenure, tmp_path):
    record = page_of("clean", CLEAN).parent
    done = subprocess.run(
        [tenure, "report", str(record), "-o", str(tmp_path / "no" / "such" / "page.html")],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1
