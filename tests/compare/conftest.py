"""Small real programs in several versions, recorded once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Callable, Dict

import pytest

LEAKY = """\
kept = []


def work(n):
    kept.append(bytearray(100_000))


for i in range(200):
    work(i)
"""
CLEAN = LEAKY.replace("kept.append(bytearray(100_000))", "kept.append(len(bytearray(100_000)))")
MOVED = "\n\n\nimport sys\n\n\ndef other():\n    pass\n\n\n" + LEAKY
ANOTHER = LEAKY.replace("    work(i)", "    work(i)\n    grow(i)").replace(
    "for i", "more = []\n\n\ndef grow(n):\n    more.append(bytearray(200_000))\n\n\nfor i"
)
SHORT = LEAKY.replace("100_000", "9_000_000").replace("range(200)", "range(5)")
WORSE = LEAKY.replace("work(i)", "work(i)\n    work(i)")


@pytest.fixture(scope="session")
def recorded(tenure: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """recorded(LEAKY) -> its record; recorded(LEAKY, "fit.py") of another file name. Made once."""
    made: Dict[str, str] = {}

    def record(source: str, name: str = "program.py", *options: str) -> str:
        key = "\0".join([source, name, *options])
        if key not in made:
            folder: Path = tmp_path_factory.mktemp("recorded")
            (folder / name).write_text(source, encoding="utf-8")
            command = [tenure, "run", "-o", "record", *options, "--", sys.executable, name]
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
            made[key] = str(folder / "record")
        return made[key]

    return record
