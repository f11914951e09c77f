"""The long form of tests/failures/test_kills.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

FAILURES = Path(__file__).resolve().parent.parent / "failures"
sys.path.insert(0, str(FAILURES))

import kills  # noqa: E402


@pytest.mark.parametrize("seed", range(10))
def test_1000_kills_at_random_instants(tenure, compile_program, tmp_path, seed):
    """100 for each seed."""
    those = kills.victims(compile_program)
    kills.kill_many(tenure, those, tmp_path, times=100, seed=100 + seed)
