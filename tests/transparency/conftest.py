"""Runs a program plain, under Tenure and under `tenure run --observe`: nobody must be able to tell them apart."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable, Dict, List, Sequence

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"


@pytest.fixture(scope="session")
def programs() -> Path:
    return PROGRAMS


@pytest.fixture
def ways(tenure: str, tmp_path: Path) -> Callable[[Sequence[str]], Dict[str, List[str]]]:
    """ways(command) -> the command in each way of running it."""

    def make(command: Sequence[str]) -> Dict[str, List[str]]:
        words = [str(word) for word in command]
        run = [tenure, "run", "--quiet", "-o"]
        return {
            "plain": words,
            "own heap": [*run, str(tmp_path / "own"), "--", *words],
            "observed": [*run, str(tmp_path / "observed"), "--observe", "--", *words],
        }

    return make


@pytest.fixture
def same(ways: Callable[[Sequence[str]], Dict[str, List[str]]]) -> Callable[..., str]:
    """same(command) runs it in all ways; the outputs and exit codes must be equal. Gives the output."""

    def run(command: Sequence[str], timeout: float = 300) -> str:
        ended = {
            name: subprocess.run(words, capture_output=True, text=True, timeout=timeout)
            for name, words in ways(command).items()
        }
        plain = ended["plain"]
        for name, other in ended.items():
            assert (name, other.stdout) == (name, plain.stdout), other.stderr
            assert (name, other.returncode) == (name, plain.returncode), other.stderr
        return plain.stdout

    return run
