"""A job of four ranks of which one leaks, for the tests of datasets; and how `tenure` is asked there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, List

LEAKING_RANK = 2
STEPS = 80
BLOCK = 500_000
RANK = f"""\
import os, sys
rank, kept = int(os.environ["RANK"]), []


def load(n):
    block = bytearray({BLOCK} + n % 3)
    if rank == {LEAKING_RANK}:
        kept.append(block)
    return block


for n in range(int(sys.argv[1])):
    load(n)
    sum(range(20_000))
"""
# What torchrun does, as far as Tenure sees of it: a process for each rank, numbered in its environment.
JOB = """\
import os, subprocess, sys
ranks = []
for rank in range(4):
    environ = dict(os.environ, RANK=str(rank), TORCHELASTIC_RUN_ID="none")
    ranks.append(subprocess.Popen([sys.executable, "rank.py", sys.argv[1]], env=environ))
sys.exit(max(rank.wait() for rank in ranks))
"""


def asked(tenure: str, *words: Any, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [tenure, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done


def recorded(tenure: str, folder: Path, steps: List[int]) -> List[Path]:
    """A record for each number of steps."""
    (folder / "rank.py").write_text(RANK, encoding="utf-8")
    (folder / "job.py").write_text(JOB, encoding="utf-8")
    made = []
    for number, count in enumerate(steps):
        made.append(folder / f"job{number}.tenure")
        command = [tenure, "run", "-o", str(made[-1]), "--", sys.executable, "job.py", str(count)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    return made
