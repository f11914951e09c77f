"""Every tracked block's stack equals what the interpreter says at that moment, on every Python here."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import find_python

PROGRAM = Path(__file__).with_name("tracked_stacks.py")


@pytest.mark.parametrize("version", find_python.SUPPORTED)
def test_the_stack_of_every_tracked_block_is_the_interpreters(version, run_tenure):
    python = find_python.find(version)
    if not python:
        pytest.skip(f"no CPython {version} on this machine")
    outcome = run_tenure(["run", "--", python, str(PROGRAM)])
    assert "wrong:" not in outcome.stdout, outcome.stdout[-2000:]
    assert outcome.stdout.strip().endswith("0 wrong") and outcome.returncode == 0
