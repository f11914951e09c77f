"""Compiles the nasty little programs once a session, and runs each with and without Tenure."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"


@dataclass
class Ended:
    """How one run ended: a negative code is the signal that killed it."""

    code: int
    stdout: bytes
    stderr: bytes


@dataclass
class Pair:
    """The same program, plain and under Tenure."""

    plain: Ended
    traced: Ended
    findings: Dict[str, Any]
    record: Path


@pytest.fixture(scope="session")
def compiled(compile_program: Callable[..., str]) -> Callable[..., str]:
    """compiled("maps.c", "-DX") -> path of the program."""

    def compile_named(source: str, *flags: str, name: Optional[str] = None) -> str:
        return compile_program(PROGRAMS / source, *flags, name=name)

    return compile_named


def ended(command: List[str], stdin: bytes, environ: Dict[str, str]) -> Ended:
    done = subprocess.run(command, input=stdin, env=environ, capture_output=True, timeout=120)
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def both(tenure: str, tmp_path: Path) -> Callable[..., Pair]:
    """both([program, args]) runs it twice; the runs must not differ in what anybody could notice."""

    def run_both(
        command: Sequence[str], stdin: bytes = b"", environ: Optional[Dict[str, str]] = None
    ) -> Pair:
        environment = {**os.environ, **(environ or {})}
        command = [str(word) for word in command]
        findings, record = tmp_path / "findings.json", tmp_path / "record.tenure"
        tenure_run = [tenure, "run", "-o", str(record), "--json", str(findings), "--"]
        plain = ended(command, stdin, environment)
        traced = ended([*tenure_run, *command], stdin, environment)
        assert traced.stdout == plain.stdout
        assert traced.code == plain.code, traced.stderr.decode()
        assert traced.stderr.startswith(plain.stderr)
        return Pair(plain, traced, json.loads(findings.read_text(encoding="utf-8")), record)

    return run_both
