"""Pools, preforked servers, subprocesses: every child works as before, and each that allocates is in the record."""

from __future__ import annotations

import subprocess

import pytest

# The fewest processes that must be in the record.
LEAST = {
    "fork-200": 201,
    "fork": 4,
    "spawn": 4,
    "forkserver": 4,
    "futures": 4,
    "shared": 2,
    "prefork": 6,
    "asyncio": 11,
    "bare": 4,
}


@pytest.mark.parametrize("way", LEAST)
def test_children_work_as_before_and_are_recorded(both, env, programs, tenure, way):
    pair = both([env("tools"), programs / "workers.py", way])
    assert pair.plain.code == 0, pair.plain.stderr
    assert pair.findings["program"]["processes"] >= LEAST[way]
    assert pair.findings["verdict"] == "clean"
    shown = subprocess.run([tenure, "show", str(pair.record)], capture_output=True)
    assert shown.returncode == 0, shown.stderr
