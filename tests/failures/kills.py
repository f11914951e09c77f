"""Kills a program at random instants; after each death the record must say what the program held."""

from __future__ import annotations

import json
import random
import struct
import subprocess
from pathlib import Path

LARGEST = 1024 + 200_000  # one block may be made or ended already and not written down yet, or the other way round
BASE = 1 << 20  # what libc and the loader hold


def kill_at(tenure: str, program: str, folder: Path, microseconds: int) -> None:
    """One run. Fails when the record cannot be read, or tells other figures than the program."""
    books, record, findings = folder / "books", folder / "record", folder / "findings.json"
    books.write_bytes(bytes(4096))
    run = [tenure, "run", "--quiet", "-o", str(record), "--", program, str(books), str(microseconds)]
    died = subprocess.run(run, capture_output=True, timeout=60)
    assert died.returncode == -9, died.stderr.decode()
    show = [tenure, "show", str(record), "--json", str(findings)]
    shown = subprocess.run(show, capture_output=True, timeout=60)
    assert shown.returncode == 0, shown.stderr.decode()
    said = json.loads(findings.read_text())
    (live,) = struct.unpack("Q", books.read_bytes()[:8])
    if said["verdict"] == "unknown" and live < BASE:
        return  # it was killed before it could show anything
    assert live - LARGEST <= said["memory"]["live_bytes"] <= live + LARGEST + BASE


def kill_many(tenure: str, program: str, folder: Path, times: int, seed: int) -> None:
    instants = random.Random(seed)
    for i in range(times):
        here = folder / str(i)
        here.mkdir()
        kill_at(tenure, program, here, instants.randrange(300_000))
