"""What the tests of snapshots share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Callable

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))

import find_python


@pytest.fixture(scope="session")
def python_of() -> Callable[[str], str]:
    """python_of("3.11") -> its interpreter, or the test is skipped."""

    def find(version: str) -> str:
        found = find_python.find(version)
        if not found:
            pytest.skip(f"no CPython {version} on this machine")
        return str(found)

    return find
