"""Programs on real libraries, run under Tenure, and the golden summaries of their reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
from summaries import summary_of

HERE = Path(__file__).parent
# Threads that spin for each other on a busy machine would take minutes.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}


@pytest.fixture
def summary(env: Callable[[str], str], run_tenure: Callable[..., Any]) -> Callable[..., Any]:
    """summary("numpy-apps", "sklearn_fits", 12) -> what a run of so many steps comes to."""

    def run(name: str, program: str, steps: int, *words: str) -> Dict[str, Any]:
        command = [env(name), str(HERE / "programs" / f"{program}.py"), str(steps), *words]
        done = run_tenure(["run", "--", *command], environ=ONE_THREAD, timeout=1500)
        assert done.returncode == 0, done.stderr
        return summary_of(done.findings)

    return run


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Dict[str, Any]]:
    def read(program: str) -> Dict[str, Any]:
        text = (HERE / "golden" / f"{program}.json").read_text(encoding="utf-8")
        told: Dict[str, Any] = json.loads(text)
        return told

    return read
