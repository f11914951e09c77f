"""A gate must not be flaky: a clean suite always passes, a leaking one always fails. More repeats under `make soak`."""

from __future__ import annotations

import os
from pathlib import Path

REPEATS = 200 if os.environ.get("TENURE_SOAK") else 10

CLEAN = """
warm = {}
@mark()
def test_warm_up():
    if len(warm) < 3:
        warm[len(warm)] = bytearray(300_000)
    work()

@mark(rounds=40)
def test_churn():
    blocks = [bytearray(n * 5_000) for n in range(20)]
    work()
"""

LEAKING = """
@mark()
def test_leak():
    kept.append(bytearray(30_000))
    work()
"""


def test_a_clean_suite_always_passes_and_a_leaking_one_never(run_pytest, tmp_path: Path) -> None:
    clean = [run_pytest(tmp_path, CLEAN).returncode for _ in range(REPEATS)]
    leaking = [run_pytest(tmp_path, LEAKING).outcomes for _ in range(REPEATS)]
    assert clean == [0] * REPEATS
    assert leaking == [{"test_leak": "FAILED"}] * REPEATS
