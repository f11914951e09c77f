"""Kills a program, or its supervisor, at random instants; after each death the record must say what the program held."""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Optional

PROGRAMS = Path(__file__).resolve().parent / "programs"
LARGEST = 1024 + 200_000  # one block of each thread may be made or ended and not written down yet, or the other way round
MIB = 1 << 20
PATIENCE = 60


@dataclass
class Victim:
    """A program that keeps books. `base` is what its runtime holds beside what is in the books, at most."""

    name: str
    words: List[str]  # before and behind the name of the file with the books
    more: List[str]
    threads: int
    base: int

    def command(self, books: Path) -> List[str]:
        return [*self.words, str(books), *self.more]


def victims(compile_program: Callable[..., str]) -> List[Victim]:
    native = compile_program(PROGRAMS / "killed.cpp")
    python = [sys.executable, str(PROGRAMS / "killed.py")]
    return [
        Victim("one thread", [native], ["1"], threads=1, base=MIB),
        Victim("four threads", [native], ["4"], threads=4, base=MIB),
        Victim("children", [native], ["0"], threads=0, base=MIB),
        Victim("Python", python, [], threads=1, base=24 * MIB),
    ]


def child_of(pid: int) -> Optional[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def started_child_of(pid: int) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        child = child_of(pid)
        if child:
            return child
        time.sleep(0.001)
    raise AssertionError("the program did not start")


def killed_run(run: List[str], seconds: float, is_supervisor: bool) -> None:
    """Starts it and kills it after a while. With its supervisor dead the program is killed as well."""
    process = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    program = started_child_of(process.pid)
    time.sleep(seconds)
    if is_supervisor:
        process.kill()
    os.kill(program, signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL


def shown(tenure: str, record: Path, findings: Path) -> dict:
    show = [tenure, "show", str(record), "--json", str(findings)]
    done = subprocess.run(show, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr.decode()
    return dict(json.loads(findings.read_text()))


def kill_at(tenure: str, victim: Victim, folder: Path, seconds: float, is_supervisor: bool) -> None:
    """One run. Fails when the record cannot be read, or tells other figures than the program."""
    books, record = folder / "books", folder / "record"
    books.write_bytes(bytes(4096))
    run = [tenure, "run", "--quiet", "-o", str(record), "--", *victim.command(books)]
    killed_run(run, seconds, is_supervisor)
    if is_supervisor and not (record / "run.json").exists():
        assert not list(record.glob("ledger.*"))  # it had not begun to write
        return
    said = shown(tenure, record, folder / "findings.json")
    if is_supervisor:
        return  # right as of the last look at the program, and nobody knows when that was
    if not victim.threads:
        return  # the report is about the child that works, and children keep no books
    data = books.read_bytes()
    live = sum(struct.unpack_from("Q", data, 64 * i)[0] for i in range(victim.threads))
    if said["verdict"] == "unknown" and live < MIB:
        return  # it was killed before it could show anything
    slack = LARGEST * victim.threads
    assert live - slack <= said["memory"]["live_bytes"] <= live + slack + victim.base


def kill_many(tenure: str, those: List[Victim], folder: Path, times: int, seed: int) -> None:
    """In turn; each tenth time the supervisor dies."""
    dice = random.Random(seed)
    for i in range(times):
        here = folder / str(i)
        here.mkdir()
        victim, seconds = those[i % len(those)], dice.random() * 0.3
        try:
            kill_at(tenure, victim, here, seconds, is_supervisor=i % 10 == 9)
        except AssertionError as error:
            raise AssertionError(f"kill {i}, {victim.name} after {seconds:.6f} s: {error}") from error
