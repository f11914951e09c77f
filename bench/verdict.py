#!/usr/bin/env python3
"""What the end of a run costs: seconds from the program's end to the prompt, and the size of the record, beside another build.

usage: bench/verdict.py --before TENURE [--after TENURE] [--rounds N] [--cases ID,ID]

The programs are cases of tests/exam. Both builds run each program in turn, in every round; told are medians of the ratios
of a round, after to before. The end of the program is what the record says of it: the command's time less `seconds` of
run.json. Exits with 1 where a median is above the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

CASES = ROOT / "tests" / "exam"
DEFAULT = "NAT-C1,NPO-01,EXC-N1,CPP-1,CLN-1"  # three of NumPy, one of C++, one of torch
LIMIT = 1.10
LONGEST = 300  # seconds of one run


class End(NamedTuple):
    seconds: float  # from the program's end to the prompt
    record: float  # bytes on disk


def command_of(case: Dict[str, object], folder: Path, build: Path) -> Optional[List[str]]:
    """The words that start the program; None where its environment cannot be had."""
    if case["env"] == "cpp":
        program = build / str(case["id"])
        words = ["g++", "-g", "-O1", "-std=c++17", "-pthread", "-o", str(program)]
        subprocess.run([*words, str(folder / "program.cpp")], check=True)
        return [str(program)]
    try:
        return [envs.path(str(case["env"])), str(folder / "program.py")]
    except envs.EnvError as problem:
        print(f"{case['id']:12} left out: {problem}")
        return None


def end_of(tenure: str, options: List[str], command: List[str]) -> End:
    """One run of the program under one build."""
    with tempfile.TemporaryDirectory(prefix="verdict") as folder:
        record = Path(folder) / "record"
        began = time.monotonic()
        subprocess.run(
            [tenure, "run", *options, "-o", str(record), "--", *command],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST,
        )
        whole = time.monotonic() - began
        run = json.loads((record / "run.json").read_text(encoding="utf-8"))
        size = sum(file.stat().st_size for file in record.iterdir())
        return End(whole - float(run["seconds"]), size)


def measure(name: str, tenures: List[str], rounds: int, build: Path) -> Optional[List[List[End]]]:
    """Per round, the end under each build; which comes first alternates."""
    folder = CASES / name
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    command = command_of(case, folder, build)
    if command is None:
        return None
    ends: List[List[End]] = []
    for number in range(rounds):
        order = [0, 1] if number % 2 == 0 else [1, 0]
        found = {at: end_of(tenures[at], case.get("options", []), command) for at in order}
        ends.append([found[0], found[1]])
    return ends


def row_of(name: str, ends: List[List[End]]) -> bool:
    """Prints the medians; False where one is above the limit."""
    time_ratio = statistics.median(after.seconds / before.seconds for before, after in ends)
    size_ratio = statistics.median(after.record / before.record for before, after in ends)
    before = [statistics.median(values) for values in zip(*(pair[0] for pair in ends))]
    after = [statistics.median(values) for values in zip(*(pair[1] for pair in ends))]
    print(
        f"{name:12} verdict {before[0]:6.3f} -> {after[0]:6.3f} s ({time_ratio:.2f}x)   "
        f"record {before[1] / 1024:7.1f} -> {after[1] / 1024:7.1f} KiB ({size_ratio:.2f}x)",
        flush=True,
    )
    return time_ratio <= LIMIT and size_ratio <= LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description="What the end of a run costs.")
    parser.add_argument("--before", required=True, help="the build to compare with")
    parser.add_argument("--after", default=str(ROOT / "build" / "bin" / "tenure"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cases", default=DEFAULT)
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    tenures = [os.path.abspath(args.before), os.path.abspath(args.after)]
    is_kept = True
    with tempfile.TemporaryDirectory(prefix="verdict-build") as build:
        for name in args.cases.split(","):
            ends = measure(name, tenures, args.rounds, Path(build))
            is_kept &= ends is None or row_of(name, ends)
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
