#!/usr/bin/env python3
"""How what Tenure costs grows with threads, live blocks, sites and the length of the run.

usage: bench/growth.py [--rounds N] [--write FILE.md]

One program (growth.cpp) makes and frees blocks of 2 KB, each of which is counted or sampled. Plain and Tenure take
turns. Told is the median of what a pair of malloc and free costs more under Tenure, in processor time, and how long the
verdict took after the program's end. Nothing may grow faster than the axis.
"""

import argparse
import datetime
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from page import cell, machine, table
from rounds import BENCH, TENURE, output_of

PAIRS = 300_000
AXES: Dict[str, Tuple[List[int], int]] = {  # numbers, and pairs for each
    "threads": ([1, 2, 4, 8, 16], PAIRS // 4),
    "live": ([1, 1_000, 30_000, 1_000_000], PAIRS),
    "sites": ([1, 1_000, 10_000, 100_000], PAIRS),
    "length": ([1, 4, 16, 64], PAIRS),
}
WORDS = {
    "threads": "threads at once",
    "live": "live blocks",
    "sites": "sites",
    "length": "length of the run, times",
}


class Run(NamedTuple):
    pair: float  # nanoseconds
    end: float  # seconds from the program's last line to the return of the command


def run(command: List[str]) -> Run:
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    returned = time.monotonic()
    pair, ended = out.split()
    return Run(float(pair), returned - float(ended))


def measure(program: List[str], folder: Path) -> Tuple[Run, Run]:
    plain = run(program)
    record = folder / "record"
    shutil.rmtree(record, ignore_errors=True)
    return plain, run([str(TENURE), "run", "--quiet", "-o", str(record), "--", *program])


def axis_table(axis: str, program: str, folder: Path, rounds: int) -> List[str]:
    numbers, pairs = AXES[axis]
    lines = []
    for number in numbers:
        both = [measure([program, axis, str(number), str(pairs)], folder) for _ in range(rounds)]
        plain = statistics.median(p.pair for p, _ in both)
        more = [t.pair - p.pair for p, t in both]
        end = [t.end - p.end for p, t in both]
        lines.append([f"{number:,}", f"{plain:.0f}", cell(more, "{:.0f}"), cell(end)])
        print(f"{axis} {number} is done", file=sys.stderr, flush=True)
    heads = [WORDS[axis], "plain pair, ns", "tenure, ns more", "verdict, s after the end"]
    return table(heads, lines)


def page(tables: List[str], rounds: int) -> str:
    lines = [
        "# How Tenure's cost grows",
        "",
        f"Written by `bench/growth.py {' '.join(sys.argv[1:])}` on {datetime.date.today()}.",
        f"{machine()}. Tenure {output_of('git', 'rev-parse', '--short', 'HEAD')}. {rounds} rounds, plain and Tenure in turns;",
        "medians, with the least and the most. A pair is one malloc and one free of 2 KB, in processor time.",
        "Sites have native stacks of 19 frames, which are unwound for each block. All threads work at one line, whose books they",
        "share: with two processors these move to and fro, which is the step from one thread to two. The programs are young, so",
        "the governor does not act yet.",
        "",
        *tables,
    ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=Path, help="write the page to this file")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tenure-growth-"))
    program = str(folder / "growth")
    flags = ["-O2", "-g", "-std=c++17", "-pthread", "-fno-builtin"]
    subprocess.run(["g++", *flags, "-o", program, str(BENCH / "growth.cpp")], check=True)
    lines: List[str] = []
    for axis in AXES:
        lines += axis_table(axis, program, folder, options.rounds)
    print("\n".join(lines))
    if options.write:
        options.write.write_text(page(lines, options.rounds), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
