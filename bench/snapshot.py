#!/usr/bin/env python3
"""What a snapshot costs: the pause of the program, the walk of the heap, its file, and the analysis afterwards.

usage: bench/snapshot.py [--rounds N] [--scale X] [--write FILE.md]

One program with two million Python objects, 3 GB of arrays and two busy threads. The pause is what the program says of
its own call; the walk is the processor time of the copy, read from /proc while it lives. Told are medians.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

TENURE = ROOT / "build" / "bin" / "tenure"
NAME = "tenure-snapshot"  # as hidden_child.cpp calls the copy; the kernel keeps 15 characters
TICK = os.sysconf("SC_CLK_TCK")


class Figure(NamedTuple):
    what: str
    value: float
    unit: str
    budget: Optional[float]  # None: told for information
    is_least: bool = False  # the budget is a lower bound

    def row(self) -> str:
        measured = f"| {self.what} | {self.value:.3g} {self.unit} |"
        if self.budget is None:
            return f"{measured} | |"
        is_kept = self.value >= self.budget if self.is_least else self.value <= self.budget
        bound = "at least" if self.is_least else "at most"
        return f"{measured} {bound} {self.budget:g} | {'kept' if is_kept else '**missed**'} |"


class CopyWatch(threading.Thread):
    """Processor time of each copy that lived while this thread ran."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds: Dict[int, float] = {}
        self.is_over = threading.Event()

    def run(self) -> None:
        while not self.is_over.wait(0.01):
            for folder in Path("/proc").iterdir():
                if folder.name.isdigit():
                    self.look(folder)

    def look(self, folder: Path) -> None:
        try:
            text = (folder / "stat").read_text()
        except OSError:
            return
        name = text[text.index("(") + 1 : text.rindex(")")]
        fields = text[text.rindex(")") + 2 :].split()
        if name == NAME[:15]:
            self.seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / TICK


def run_program(folder: Path, rounds: int, scale: float) -> "tuple[List[float], List[float]]":
    """Pauses in milliseconds, processor seconds of the copies."""
    watch = CopyWatch()
    watch.start()
    program = [envs.path("numpy"), str(ROOT / "bench" / "workloads" / "big_heap.py")]
    command = [str(TENURE), "run", "--quiet", "-o", str(folder / "record"), "--", *program]
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, str(rounds), str(scale)],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    watch.is_over.set()
    watch.join()
    pauses = [float(line) for line in done.stdout.decode().splitlines()[:rounds]]
    return pauses, [seconds for seconds in watch.seconds.values() if seconds > 0.05]


def objects_told(record: Path) -> int:
    """Of the last line of `tenure show --holders`: "of 3 GiB in blocks and 2,431,120 Python objects; ..."."""
    words = [str(TENURE), "show", str(record), "--holders"]
    text = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.decode()
    return int(text.rpartition(" Python objects;")[0].rpartition(" ")[2].replace(",", ""))


def analysis_seconds(record: Path, rounds: int) -> List[float]:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        words = [str(TENURE), "show", str(record), "--holders"]
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - start)
    return seconds


def keep_one_snapshot(record: Path) -> Path:
    """The analysis of one: the others are taken out of the record."""
    run = json.loads((record / "run.json").read_text())
    names = [name for process in run["processes"] for name in process["snapshots"]]
    for process in run["processes"]:
        process["snapshots"] = [name for name in process["snapshots"] if name == names[0]]
    (record / "run.json").write_text(json.dumps(run))
    return record / names[0]


def measure(rounds: int, scale: float) -> List[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pauses, walks = run_program(folder, rounds, scale)
        record = folder / "record"
        snapshot = keep_one_snapshot(record)
        objects = objects_told(record)
        analysis = analysis_seconds(record, rounds)
        per_object = snapshot.stat().st_size / objects
    million = objects / 1e6
    heap = f"{million:.1f} M objects, {3.2 * scale:.1f} GB of arrays, two busy threads"
    walk = statistics.median(walks) if walks else float("nan")
    return [
        Figure(f"pause of the program ({heap})", statistics.median(pauses), "ms", 60),
        Figure("longest pause of all rounds", max(pauses), "ms", None),
        Figure("walk and write, of processor time", million / walk, "M objects/s", 2, True),
        Figure("the whole of `tenure show --holders`", statistics.median(analysis), "s", 1),
        Figure("file", per_object, "bytes per object", 8),
    ]


def page(figures: List[Figure], rounds: int, scale: float) -> str:
    lines = [
        "# What a snapshot costs",
        "",
        f"Written by `bench/snapshot.py --rounds {rounds} --scale {scale:g}`; medians of {rounds} rounds unless said.",
        f"{os.cpu_count()} processors, one minute's load {os.getloadavg()[0]:.1f} at the end.",
        "",
        "| what | measured | budget | |",
        "|---|---|---|---|",
    ]
    lines += [figure.row() for figure in figures]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    text = page(measure(options.rounds, options.scale), options.rounds, options.scale)
    print(text)
    if options.write:
        options.write.write_text(text)


main()
