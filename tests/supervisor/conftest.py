"""The supervisor's tests watch it at work: they need the program's pid and the record as it grows."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"
PATIENCE = 60  # seconds until a test gives up; never an expectation


@pytest.fixture(scope="session")
def compiled(compile_program: Callable[..., str]) -> Callable[..., str]:
    def compile_named(source: str, *flags: str) -> str:
        return compile_program(PROGRAMS / source, *flags)

    return compile_named


def until(look: Callable[[], Any]) -> Any:
    """The first true answer of `look`."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        answer = look()
        if answer:
            return answer
        time.sleep(0.02)
    raise AssertionError("nothing came of waiting")


class Watched:
    """`tenure run` on a program, with pipes to both."""

    def __init__(self, tenure: str, folder: Path, command: List[str], **options: Any) -> None:
        self.tenure = tenure
        self.record = folder / "record.tenure"
        self.json = folder / "findings.json"
        run = [tenure, "run", "-o", str(self.record), "--json", str(self.json), "--", *command]
        pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
        self.process = subprocess.Popen(run, start_new_session=True, **{**pipes, **options})

    def expect(self, line: bytes) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == line + b"\n"

    def say(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def program(self) -> int:
        """The pid of the program itself."""
        run = until(lambda: (self.record / "run.json").exists() and self.record / "run.json")
        return int(json.loads(run.read_text())["main_pid"])

    def end(self) -> str:
        """Waits, and returns Tenure's words."""
        _, words = self.process.communicate(timeout=PATIENCE)
        return words.decode()

    def findings(self) -> Dict[str, Any]:
        return dict(json.loads(self.json.read_text(encoding="utf-8")))

    def show(self) -> Dict[str, Any]:
        """What `tenure show` says of the record now; it must never fail."""
        out = self.json.with_name("shown.json")
        command = [self.tenure, "show", "--json", str(out), str(self.record)]
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return dict(json.loads(out.read_text(encoding="utf-8")))


@pytest.fixture
def watched(tenure: str, tmp_path: Path):
    """watched([program, args]) -> Watched, ended with the test."""
    all_of_them: List[Watched] = []

    def start(command: List[str], environ: Optional[Dict[str, str]] = None, **options: Any):
        environment = {**os.environ, **(environ or {})}
        all_of_them.append(Watched(tenure, tmp_path, command, env=environment, **options))
        return all_of_them[-1]

    yield start
    for one in all_of_them:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
