"""What the tests of snapshots share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

HERE = Path(__file__).resolve().parent
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import find_python  # noqa: E402


@pytest.fixture(scope="session")
def python_of() -> Callable[[str], str]:
    """python_of("3.11") -> its interpreter, or the test is skipped."""

    def find(version: str) -> str:
        found = find_python.find(version)
        if not found:
            pytest.skip(f"no CPython {version} on this machine")
        return str(found)

    return find


@pytest.fixture(scope="session")
def tool() -> str:
    chosen = os.environ.get("TENURE_SNAPSHOT_PATHS")
    beside = [ROOT / "build" / "dev" / "bin", ROOT / "build" / "bin"]
    paths = [Path(chosen)] if chosen else [folder / "snapshot_paths" for folder in beside]
    found = next((str(path) for path in paths if path.exists()), None)
    if not found:
        pytest.fail("snapshot_paths is not built: run `make dev`, or set TENURE_SNAPSHOT_PATHS")
    return found


@pytest.fixture
def take(run_tenure: Callable[..., Any], tool: str) -> Callable[..., List[Dict[str, Any]]]:
    """take(python, "kinds.py") -> the run's snapshots, oldest first: header and buffers."""

    def run(python: str, program: str, *args: str) -> List[Dict[str, Any]]:
        outcome = run_tenure(["run", "-o", "record", "--", python, str(HERE / program), *args])
        assert outcome.stdout == "fine\n" and outcome.returncode == 0, outcome.stderr[-2000:]
        record = outcome.folder / "record"
        listed = json.loads((record / "run.json").read_text(encoding="utf-8"))["processes"]
        snapshots = []
        for name in [name for process in listed for name in process["snapshots"]]:
            text = subprocess.run([tool, str(record / name)], check=True, stdout=subprocess.PIPE)
            lines = [json.loads(line) for line in text.stdout.decode().splitlines()]
            snapshots.append({**lines[0], "buffers": lines[1:]})
        return snapshots

    return run
