"""What the threads of a library make is told under the line of the program that waits for it, on every Python."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List

import find_python
import pytest

SOURCE = Path(__file__).parent / "programs" / "library_thread.c"
BYTES = 200_000

PREAMBLE = """import ctypes, sys, threading, time
library = ctypes.CDLL("./library.so")
library.made_elsewhere.restype = ctypes.c_void_p
library.made_elsewhere.argtypes = [ctypes.c_size_t]
library.give_back.argtypes = [ctypes.c_void_p]
def work():
    return sum(range(30_000)) * 0
"""

LEAK = """
def load(number):
    block = library.made_elsewhere(200_000)  # HERE
    work()
    return block
def main():
    for number in range(300):
        load(number)
main()
"""

CLEAN = LEAK.replace("    return block", "    library.give_back(block)")

# One waits for a lock of Python's, which says nothing of who works for whom.
IDLE_THREAD = (
    """
forever = threading.Event()
threading.Thread(target=forever.wait, daemon=True).start()
"""
    + LEAK
)

# The library works on its own while the program does something else.
ALONE = """
def compute():
    end = time.time() + 2
    while time.time() < end:
        work()
library.work_alone()
compute()
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    built = tmp_path_factory.mktemp("library") / "library.so"
    command = ["gcc", "-g", "-O1", "-shared", "-fPIC", "-pthread", "-o", str(built), str(SOURCE)]
    subprocess.run(command, check=True)
    return built


@pytest.fixture
def run_text(run_tenure, library: Path, tmp_path: Path) -> Callable[[str, str], Dict[str, Any]]:
    def run(python: str, lines: str) -> Dict[str, Any]:
        (tmp_path / "library.so").symlink_to(library)
        (tmp_path / "program.py").write_text(PREAMBLE + lines)
        outcome = run_tenure(["run", "--", python, "program.py"])
        assert outcome.returncode == 0, outcome.stderr
        return outcome.findings

    return run


def lines_made_at(finding: Dict[str, Any]) -> List[int]:
    return [place["line"] for place in finding["where"] if place["file"].endswith("program.py")]


def marked_line(lines: str) -> int:
    text = (PREAMBLE + lines).splitlines()
    return next(number for number, line in enumerate(text, 1) if "# HERE" in line)


@pytest.mark.parametrize("version", find_python.SUPPORTED)
def test_the_line_that_waits_is_told(version: str, run_text: Callable[..., Any]) -> None:
    python = find_python.find(version)
    if not python:
        pytest.skip(find_python.missing_hint(version))
    findings = run_text(python, LEAK)
    assert findings["verdict"] == "leak", findings
    (leak,) = [f for f in findings["findings"] if f["severity"] == "leak"]
    assert lines_made_at(leak)[0] == marked_line(LEAK), leak
    assert leak["steps"] == pytest.approx(300, abs=3), leak
    assert leak["bytes_per_step"] == pytest.approx(BYTES, rel=0.1), leak


@pytest.mark.parametrize("lines", [IDLE_THREAD], ids=["idle_thread"])
def test_other_threads_that_wait_for_python_do_not_matter(
    lines: str, env: Callable[[str], str], run_text: Callable[..., Any]
) -> None:
    findings = run_text(env("numpy"), lines)
    (leak,) = [f for f in findings["findings"] if f["severity"] == "leak"]
    assert lines_made_at(leak)[0] == marked_line(lines), leak


def test_what_is_given_back_is_clean(
    env: Callable[[str], str], run_text: Callable[..., Any]
) -> None:
    assert run_text(env("numpy"), CLEAN)["verdict"] == "clean"


def test_a_line_that_does_not_wait_is_not_told(
    env: Callable[[str], str], run_text: Callable[..., Any]
) -> None:
    findings = run_text(env("numpy"), ALONE)
    assert findings["verdict"] == "leak", findings
    (leak,) = [f for f in findings["findings"] if f["severity"] == "leak"]
    assert lines_made_at(leak) == [], leak
