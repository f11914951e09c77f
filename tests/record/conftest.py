"""Runs whose program, sources, interpreter and binary are gone afterwards."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Sequence

import pytest

PROGRAMS = Path(__file__).resolve().parent / "programs"
GUARDED = PROGRAMS.parent.parent / "guard" / "programs"
TABLES = ["--sites", "--loops", "--holders", "--scopes"]


@dataclass
class Recorded:
    """A record, and the folder with everything its program was made of."""

    record: Path
    home: Path
    told: str  # by `run`, at its end

    def lose_everything(self) -> None:
        shutil.rmtree(self.home)


def command_of(home: Path, name: str, python: Callable[[str], str]) -> List[str]:
    """A copy of the program in `home`, and the words that start it: all of them lie there."""
    if name == "native":
        source = shutil.copy(PROGRAMS / "rows.cpp", home)
        subprocess.run(["g++", "-g", "-O1", "-o", str(home / "rows"), source], check=True)
        return [str(home / "rows")]
    source = PROGRAMS / "rows.py" if name == "numpy" else GUARDED / "address.py"
    venv = Path(python("numpy")).parent.parent
    (home / "venv").symlink_to(venv, target_is_directory=True)
    return [str(home / "venv" / "bin" / "python"), str(shutil.copy(source, home))]


@pytest.fixture
def recorded(tenure: str, env: Callable[[str], str], tmp_path: Path) -> Callable[..., Recorded]:
    """recorded("numpy"), recorded("native"), recorded("lifetime"): a run that has ended."""

    def run(name: str, *options: str) -> Recorded:
        home, record = tmp_path / "home", tmp_path / "a.tenure"
        home.mkdir()
        words = [*options, *(["--guard"] if name == "lifetime" else [])]
        command = [tenure, "run", *words, "-o", str(record), "--", *command_of(home, name, env)]
        done = subprocess.run(command, cwd=home, capture_output=True, encoding="utf-8", timeout=180)
        return Recorded(record, home, done.stderr)

    return run


@pytest.fixture
def show(tenure: str, tmp_path: Path) -> Callable[..., bytes]:
    """show(record, "--sites"): what it prints, from an empty folder and without any variable."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def run(record: Path, *options: str) -> bytes:
        command: Sequence[str] = [tenure, "show", str(record), *options]
        done = subprocess.run(command, cwd=empty, env={}, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def everything(show: Callable[..., bytes], tmp_path: Path) -> Callable[[Path], List[bytes]]:
    """All that `show` says of a record: the report, every table, the findings."""

    def texts(record: Path) -> List[bytes]:
        findings = tmp_path / "shown.json"
        said = [show(record), show(record, *TABLES), show(record, "--json", str(findings))]
        return [*said, findings.read_bytes()]

    return texts
