"""Small disks, records to be damaged, and programs that cannot be seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Callable, Iterator, List

import pytest

PROGRAM = "b = bytearray(5_000_000)\nprint('ran')\n"


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """mounted("size=64k") -> a file system of its own; the test is skipped where none may be mounted."""
    folders: List[Path] = []

    def mount(options: str) -> Path:
        folder = tmp_path / f"mount{len(folders)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        if done.returncode != 0:
            pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
        folders.append(folder)
        return folder

    yield mount
    for folder in folders:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture(scope="session")
def good_record(tenure: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a small Python program; copy it before you damage it."""
    record = tmp_path_factory.mktemp("good") / "record.tenure"
    script = "kept = []\nfor i in range(300):\n    kept.append(bytearray(20000))\n"
    command = [tenure, "run", "-o", str(record), sys.executable, "-c", script]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return record
