"""`tenure.testing`: the same judgement in any test framework, and a clear refusal without Tenure."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Tuple

import pytest

PROGRAM = """
import unittest
import numpy as np
from tenure.testing import NoLeaksMixin, no_leaks
kept = []

class TestMixin(NoLeaksMixin, unittest.TestCase):
    no_leaks_options = {"rounds": 30}
    def test_leaks(self):
        kept.append(np.ones(20_000))
    def test_clean(self):
        np.ones(20_000)

class TestOthers(unittest.TestCase):
    @no_leaks(rounds=30)
    def test_decorated_leaks(self):
        kept.append(np.ones(20_000))
    @no_leaks(rounds=30)
    def test_decorated_clean(self):
        np.ones(20_000)
    def test_block_leaks(self):
        with no_leaks() as rounds:
            for _ in rounds:
                kept.append(np.ones(20_000))
    def test_block_clean(self):
        with no_leaks(max_peak="1MiB") as rounds:
            for _ in rounds:
                np.ones(20_000)
    def test_block_peak(self):
        with no_leaks(max_peak="100KiB") as rounds:
            for _ in rounds:
                np.ones(20_000)
    def test_block_without_rounds(self):
        with no_leaks():
            np.ones(20_000)
    @no_leaks(skip=True)
    def test_skipped_without_tenure(self):
        np.ones(20_000)

unittest.main(verbosity=2)
"""
PASSING = (
    "test_clean",
    "test_decorated_clean",
    "test_block_clean",
    "test_skipped_without_tenure",
)
LEAKING = ("test_leaks", "test_decorated_leaks", "test_block_leaks")


def run_program(env, tenure: str, folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    (folder / "suite.py").write_text(PROGRAM)
    environment = dict(os.environ, TENURE_BIN=tenure)
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "python")
    words = [*before, env("pytest"), "suite.py"]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


def outcomes(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if line.startswith("test_") and " ... " in line]
    return {line.split(" ")[0]: line.rpartition(" ... ")[2].split(" ")[0] for line in lines}


def test_unittest_is_judged_under_tenure(env, tenure: str, tmp_path: Path) -> None:
    done = run_program(env, tenure, tmp_path, tenure, "run", "--no-report", "--")
    seen = outcomes(done.stderr)
    assert [seen[name] for name in PASSING] == ["ok"] * 4, done.stderr
    assert [seen[name] for name in LEAKING] == ["FAIL"] * 3
    assert seen["test_block_peak"] == "FAIL"
    assert seen["test_block_without_rounds"] == "ERROR"
    assert done.stderr.count("kept by global list `kept`") >= 3
    assert "only 0 rounds were run" in done.stderr
    assert done.returncode == 1
    assert not list(tmp_path.glob("*.tenure"))


def test_without_tenure_nothing_passes_silently(env, tenure: str, tmp_path: Path) -> None:
    done = run_program(env, tenure, tmp_path)
    seen = outcomes(done.stderr)
    assert seen.pop("test_skipped_without_tenure") == "skipped"
    assert set(seen.values()) == {"ERROR"}
    assert len(seen) == 8
    assert "run the tests under `tenure run -- PROGRAM`" in done.stderr


@pytest.mark.parametrize("size", [("64", 64), ("1.5 KiB", 1536), ("2MB", 2_000_000)])
def test_sizes_are_read(size: Tuple[str, int], env) -> None:
    python = Path(__file__).resolve().parents[2] / "python"
    program = f"from tenure.testing._limits import bytes_of; print(bytes_of({size[0]!r}, 'x'))"
    done = subprocess.run(
        [env("pytest"), "-c", program],
        env=dict(os.environ, PYTHONPATH=str(python)),
        capture_output=True,
        text=True,
    )
    assert float(done.stdout) == size[1], done.stderr
