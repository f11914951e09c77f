"""Runs real pytest, in an environment of its own, on a file of tests, with the plugin of the source tree."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Each round does some work, so that it is not one hiccup of the machine.
HEAD = """import asyncio, collections, functools, gc, math, random, unittest
import pytest
mark = pytest.mark.tenure
kept = []
def work():
    return sum(range(20_000))
"""


@dataclass
class Session:
    """One run of pytest: its words, and what became of each test."""

    returncode: int
    stdout: str
    stderr: str
    folder: Path

    @property
    def outcomes(self) -> Dict[str, str]:
        found = re.findall(r"^test_it\.py::(\S+) (PASSED|FAILED|ERROR)", self.stdout, re.M)
        found += [
            (name, outcome)
            for outcome, name in re.findall(r"(PASSED|FAILED) test_it\.py::(\S+)", self.stdout)
        ]
        return dict(found)

    def failure_of(self, test: str) -> str:
        """What is told below the heading of that test."""
        parts = re.split(r"^_{3,} (\S+) _{3,}$|^={3,} .* ={3,}$", self.stdout, flags=re.M)
        for name, text in zip(parts[1::2], parts[2::2]):
            if name == test:
                return text
        raise AssertionError(f"{test} did not fail:\n{self.stdout}")


@pytest.fixture(scope="session")
def run_pytest(env, tenure: str) -> Callable[..., Session]:
    """run_pytest(folder, tests, "--tenure", "-n", "2") -> Session"""

    def run(
        folder: Path,
        tests: str,
        *options: str,
        name: str = "pytest",
        environment: Optional[Dict[str, str]] = None,
    ) -> Session:
        (folder / "test_it.py").write_text(HEAD + tests, encoding="utf-8")
        words: List[str] = [env(name), "-m", "pytest", "-p", "tenure.pytest_plugin"]
        words += ["-v", "-p", "no:cacheprovider", *(options or ("--tenure",)), "test_it.py"]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        clean.update(PYTHONPATH=str(ROOT / "python"), TENURE_BIN=tenure, COLUMNS="200")
        clean.update(environment or {})
        done = subprocess.run(
            words,
            cwd=folder,
            env=clean,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=600,
        )
        return Session(done.returncode, done.stdout, done.stderr, folder)

    return run
