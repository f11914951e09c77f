"""Two real runs of a job of four ranks, recorded once, and the dataset that `tenure export` makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, List

import fleet_job
import pytest
from fleet_job import STEPS, asked


@pytest.fixture(scope="session")
def fleet_python(env: Callable[[str], str]) -> str:
    return env("fleet")


@pytest.fixture(scope="session")
def records(tenure: str, tmp_path_factory: pytest.TempPathFactory) -> List[Path]:
    """The older one took half as many steps."""
    return fleet_job.recorded(tenure, tmp_path_factory.mktemp("job"), [STEPS // 2, STEPS])


@pytest.fixture(scope="session")
def dataset(
    tenure: str,
    records: List[Path],
    fleet_python: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    folder = tmp_path_factory.mktemp("fleet") / "dataset"
    for number, record in enumerate(records):
        words = ["--parquet", folder, "--run", f"release-{number}", "--python", fleet_python]
        done = asked(tenure, "export", *words, record)
        assert done.stderr == ""
    return folder


@pytest.fixture
def sql(tenure: str, dataset: Path, fleet_python: str) -> Callable[..., List[Dict[str, Any]]]:
    def ask(question: str, folder: Path = dataset) -> List[Dict[str, Any]]:
        words = [question, folder, "--format", "json", "--python", fleet_python]
        answer: List[Dict[str, Any]] = json.loads(asked(tenure, "sql", *words).stdout)
        return answer

    return ask
