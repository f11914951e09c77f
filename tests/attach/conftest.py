"""Programs that run already, and `tenure attach` to them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Sequence

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"
PATIENCE = 60  # seconds, on a busy machine


@dataclass
class Attached:
    code: int
    stderr: str
    findings: Dict[str, Any]


class Attacher:
    """attach(pid, "1s") -> what was said of it."""

    def __init__(self, tenure: str, folder: Path) -> None:
        self.tenure, self.folder, self.count = tenure, folder, 0

    def record(self) -> Path:
        return self.folder / f"{self.count}.tenure"

    def begin(self, pid: int, *options: str) -> subprocess.Popen[str]:
        self.count += 1
        command = [self.tenure, "attach", str(pid), "-o", str(self.record()), *options]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def __call__(self, pid: int, duration: str = "1s") -> Attached:
        file = self.folder / f"{self.count + 1}.json"
        running = self.begin(pid, "--for", duration, "--json", str(file))
        _, stderr = running.communicate(timeout=PATIENCE)
        found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return Attached(running.returncode, stderr, found)


@pytest.fixture
def attach(tenure: str, tmp_path: Path) -> Attacher:
    return Attacher(tenure, tmp_path)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """start(["./program"]) -> it, once its first line has come where `is_told` says that there is one."""
    started: List[subprocess.Popen[str]] = []

    def begin(command: Sequence[str], is_told: bool = True) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            list(command), stdout=subprocess.PIPE, text=True, cwd=tmp_path, start_new_session=True
        )
        started.append(process)
        if is_told:
            assert process.stdout and process.stdout.readline(), "it ended before it was ready"
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def leaking(compile_program: Callable[..., str], start: Any) -> subprocess.Popen[str]:
    process: subprocess.Popen[str] = start([compile_program(PROGRAMS / "leak.c")], False)
    return process
