#!/usr/bin/env python3
"""What Tenure costs: the steady loop of small programs, plain, under Tenure and under memray.

usage: bench/run.py [--rounds N] [--write FILE.md]

The three take turns within each round, so that a busy machine slows all of them alike. Told are the medians of the
rounds' ratios to plain. Each program times its own loop; start-up is measured apart.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

TENURE = ROOT / "build" / "bin" / "tenure"


def command(tool: str, program: List[str], folder: Path) -> Optional[List[str]]:
    if tool == "plain":
        return program
    if tool == "tenure":
        return [str(TENURE), "run", "--quiet", "-o", str(folder / "record"), "--", *program]
    if not program[0].endswith("python"):
        return None  # memray only runs Python
    return [
        program[0],
        "-m",
        "memray",
        "run",
        "-q",
        "-f",
        "-o",
        str(folder / "memray.bin"),
        *program[1:],
    ]


def steady_seconds(tool: str, program: List[str], folder: Path) -> Optional[float]:
    words = command(tool, program, folder)
    if words is None:
        return None
    shutil.rmtree(folder / "record", ignore_errors=True)
    environ = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return float(done.stdout.split()[0])


def whole_seconds(tool: str, program: List[str], folder: Path) -> Optional[float]:
    words = command(tool, program, folder)
    if words is None:
        return None
    shutil.rmtree(folder / "record", ignore_errors=True)
    began = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def workloads(folder: Path) -> Dict[str, List[str]]:
    python = envs.path("tools")
    native = folder / "cpp_mixed"
    source = ROOT / "bench" / "workloads" / "cpp_mixed.cpp"
    subprocess.run(["g++", "-O2", "-g", "-o", str(native), str(source)], check=True)
    scripts = sorted((ROOT / "bench" / "workloads").glob("*.py"))
    return {**{s.stem: [python, str(s)] for s in scripts}, "cpp_mixed": [str(native)]}


def ratios(program: List[str], folder: Path, rounds: int) -> Dict[str, List[float]]:
    found: Dict[str, List[float]] = {"tenure": [], "memray": []}
    for _ in range(rounds):
        plain = steady_seconds("plain", program, folder)
        for tool, values in found.items():
            seconds = steady_seconds(tool, program, folder)
            if plain and seconds is not None:
                values.append(seconds / plain)
    return found


def cell(values: List[float]) -> str:
    if not values:
        return "-"
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tenure-bench-"))
    lines = ["| steady loop | tenure / plain | memray / plain |", "|---|---|---|"]
    for name, program in workloads(folder).items():
        found = ratios(program, folder, options.rounds)
        lines.append(f"| {name} | {cell(found['tenure'])} | {cell(found['memray'])} |")
        print(lines[-1], flush=True)
    nothing = [envs.path("tools"), "-c", "pass"]
    extra = []
    for _ in range(options.rounds):
        plain, tenure = (whole_seconds(tool, nothing, folder) for tool in ("plain", "tenure"))
        extra.append(1000 * (tenure - plain))  # type: ignore[operator]
    text = f"`python -c pass` from start to verdict: {statistics.median(extra):.0f} ms more than plain."
    lines += ["", text]
    print(text)
    shutil.rmtree(folder, ignore_errors=True)
    if options.write:
        options.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
