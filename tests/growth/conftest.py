"""Programs of a few lines, run with NumPy under Tenure."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Tuple

import pytest

# A few milliseconds of work without a block: half of the time of the run must not be one hiccup of the machine.
PREAMBLE = """import numpy as np
def work():
    return sum(range(150_000)) * 0
"""


@pytest.fixture
def run_text(env, run_tenure, tmp_path: Path) -> Callable[[str], Tuple[str, Any]]:
    """run_text(lines) -> the whole text it ran as program.py, and the findings."""

    def run(lines: str) -> Tuple[str, Any]:
        (tmp_path / "program.py").write_text(PREAMBLE + lines)
        outcome = run_tenure(["run", "--", env("numpy"), "program.py"])
        assert outcome.returncode == 0, outcome.stderr
        return PREAMBLE + lines, outcome.findings

    return run
