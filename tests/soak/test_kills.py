"""The long form of tests/failures/test_kills.py."""

from __future__ import annotations

import sys
from pathlib import Path

FAILURES = Path(__file__).resolve().parent.parent / "failures"
sys.path.insert(0, str(FAILURES))

import kills  # noqa: E402


def test_1000_kills_at_random_instants(tenure, compile_program, tmp_path):
    kills.kill_many(tenure, compile_program(FAILURES / "killed.c"), tmp_path, times=1000, seed=2)
