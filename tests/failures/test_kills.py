"""kill -9 at any instant leaves a record that can be read and is right."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import kills  # noqa: E402


def test_40_kills_at_random_instants(tenure, compile_program, tmp_path):
    kills.kill_many(tenure, kills.victims(compile_program), tmp_path, times=40, seed=1)
