"""How pytest comes to run under Tenure; where it cannot, it fails and says so."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

USAGE = 4  # pytest's exit code

TWO = """
@mark()
def test_leak():
    kept.append(bytearray(50_000))
    work()

@mark()
def test_clean():
    work()

import sys, tenure
def test_running():
    assert tenure.is_running()
    assert sys.argv[1:3] == ["-p", "tenure.pytest_plugin"]
"""


def test_workers_of_xdist_judge_their_own_tests(run_pytest, tmp_path: Path) -> None:
    session = run_pytest(tmp_path, TWO, "--tenure", "-n", "2")
    assert session.outcomes["test_leak"] == "FAILED"
    assert session.outcomes["test_clean"] == "PASSED"
    assert "kept by global list `kept`" in session.failure_of("test_leak")
    assert session.returncode == 1


def test_without_the_option_nothing_is_judged(run_pytest, tmp_path: Path) -> None:
    session = run_pytest(tmp_path, TWO, "-q")
    assert session.outcomes.get("test_leak", "PASSED") == "PASSED"
    assert "2 passed" in session.stdout  # and test_running fails: nothing was started again
    assert "1 failed" in session.stdout


def test_it_fails_where_the_library_is_not_loaded(run_pytest, tmp_path: Path) -> None:
    fake = tmp_path / "tenure"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    session = run_pytest(tmp_path, TWO, environment={"TENURE_BIN": str(fake)})
    assert session.returncode == USAGE
    assert "the library was not loaded into it" in session.stderr
    assert "passed" not in session.stdout


def test_it_fails_where_another_program_started_pytest(env, tenure: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    pass\n")
    program = (
        "import pytest; raise SystemExit(pytest.main(['-p', 'tenure.pytest_plugin', '--tenure']))"
    )
    python = Path(__file__).resolve().parents[2] / "python"
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    clean.update(PYTHONPATH=str(python), TENURE_BIN=tenure)
    words = [env("pytest"), "-c", program]
    done = subprocess.run(words, cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.returncode == USAGE
    assert "run `tenure run -- PROGRAM` instead" in done.stderr
    done = subprocess.run(
        [tenure, "run", "--quiet", "--", *words],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "1 passed" in done.stdout


def test_a_record_is_kept_where_one_is_asked_for(run_pytest, tenure: str, tmp_path: Path) -> None:
    session = run_pytest(tmp_path, TWO, "--tenure", "--tenure-record", "session.tenure")
    assert session.returncode == 1
    series = "round of test_it.py::test_leak"
    shown = subprocess.run(
        [tenure, "show", "--loops", str(tmp_path / "session.tenure")],
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 0, shown.stderr
    assert f"20  {series}" in shown.stdout


def test_strictly_what_is_not_known_fails(run_pytest, tmp_path: Path) -> None:
    tests = """
numbers = iter(range(20))
@mark()
def test_unknown():  # it grew so much over so few rounds that nobody can tell
    if next(numbers) >= 15:
        kept.append(bytearray(8 << 20))
    work()
"""
    lenient = run_pytest(tmp_path, tests)
    assert lenient.outcomes == {"test_unknown": "PASSED"}
    assert "not known to be free of leaks" in lenient.stdout
    strict = run_pytest(tmp_path, tests, "--tenure", "--tenure-strict")
    assert strict.outcomes == {"test_unknown": "FAILED"}
    assert "whether it leaks is not known" in strict.failure_of("test_unknown")
