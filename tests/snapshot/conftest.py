"""What the tests of snapshots share."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Callable

import pytest

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
