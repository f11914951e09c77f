#!/usr/bin/env python3
"""What Tenure costs: small programs, plain, under Tenure and under memray.

usage: bench/run.py [--rounds N] [--only NAME,NAME] [--write FILE.md]

The three take turns within each round, so that a busy machine slows all of them alike. Told are medians of the rounds'
ratios to plain, or differences from plain. Each program times its own steady loop and says when it started and ended.
"""

import argparse
import datetime
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

BENCH = ROOT / "bench"
TENURE = ROOT / "build" / "bin" / "tenure"
TOOLS = ("plain", "tenure", "memray")
TINY = ("numpy_small", "torch_mlp")  # rows of tiny operations have a budget of their own
BUDGET, TINY_BUDGET, MEAN_BUDGET = 1.03, 1.10, 1.00
START_UP_BUDGET, VERDICT_BUDGET = 0.030, 1.0  # seconds


@dataclass
class Workload:
    name: str
    program: List[str]
    paths: List[str]  # PYTHONPATH
    is_python: bool = True


@dataclass
class Measured:
    """One run. Seconds, but for the peak in KiB."""

    steady: float
    peak: float
    start_up: float  # from the command to the first line of the program
    end: float  # from its last line to the return of the command: teardown, and the verdict


Round = Dict[str, Measured]


def site_packages(python: str) -> str:
    words = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def workloads(folder: Path) -> List[Workload]:
    """All Python workloads run on the interpreter that has memray; PyTorch comes from its own environment."""
    python = envs.path("tools")
    found = []
    for script in sorted((BENCH / "workloads").glob("*.py")):
        paths = [str(BENCH)]
        if script.stem.startswith("torch"):
            paths.append(site_packages(envs.path("torch")))
        found.append(Workload(script.stem, [python, str(script)], paths))
    native = folder / "cpp_mixed"
    source = BENCH / "workloads" / "cpp_mixed.cpp"
    subprocess.run(["g++", "-O2", "-g", "-o", str(native), str(source)], check=True)
    return [*found, Workload("cpp_mixed", [str(native)], [], is_python=False)]


def command(tool: str, work: Workload, folder: Path) -> Optional[List[str]]:
    if tool == "plain":
        return work.program
    if tool == "tenure":
        return [str(TENURE), "run", "--quiet", "-o", str(folder / "record"), "--", *work.program]
    if not work.is_python:
        return None  # memray only runs Python
    options = ["-m", "memray", "run", "-q", "-f", "-o", str(folder / "memray.bin")]
    return [work.program[0], *options, *work.program[1:]]


def measure(tool: str, work: Workload, folder: Path) -> Optional[Measured]:
    words = command(tool, work, folder)
    if words is None:
        return None
    shutil.rmtree(folder / "record", ignore_errors=True)
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(work.paths)}
    began = time.monotonic()
    done = subprocess.run(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    returned = time.monotonic()
    steady, peak, started, ended = (float(word) for word in done.stdout.split()[:4])
    return Measured(steady, peak, started - began, returned - ended)


def measure_rounds(work: Workload, folder: Path, rounds: int) -> List[Round]:
    result = []
    for _ in range(rounds):
        found = {tool: measure(tool, work, folder) for tool in TOOLS}
        result.append({tool: m for tool, m in found.items() if m is not None})
    return result


Figure = Callable[[Measured], float]


def compared(
    rounds: List[Round], tool: str, of: Figure, how: Callable[[float, float], float]
) -> List[float]:
    return [how(of(r[tool]), of(r["plain"])) for r in rounds if tool in r]


def ratios(rounds: List[Round], tool: str, of: Figure) -> List[float]:
    return compared(rounds, tool, of, lambda a, b: a / b)


def more(rounds: List[Round], tool: str, of: Figure) -> List[float]:
    return compared(rounds, tool, of, lambda a, b: a - b)


def cell(values: List[float], form: str = "{:.2f}") -> str:
    if not values:
        return "-"
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{form} ({form} to {form})".format(middle, low, high)


def tables(measured: Dict[str, List[Round]]) -> List[str]:
    lines = ["| steady loop | tenure / plain | memray / plain |", "|---|---|---|"]
    for name, rounds in measured.items():
        both = [cell(ratios(rounds, tool, lambda m: m.steady)) for tool in TOOLS[1:]]
        lines.append(f"| {name} | {both[0]} | {both[1]} |")
    lines += [
        "",
        "| peak resident | plain, MiB | tenure, MiB more | memray, MiB more |",
        "|---|---|---|---|",
    ]
    for name, rounds in measured.items():
        plain = statistics.median(r["plain"].peak for r in rounds) / 1024
        both = [cell(more(rounds, tool, lambda m: m.peak / 1024), "{:.1f}") for tool in TOOLS[1:]]
        lines.append(f"| {name} | {plain:.1f} | {both[0]} | {both[1]} |")
    lines += [
        "",
        "| tenure | start-up, ms more | end, ms more: snapshot, analysis, verdict |",
        "|---|---|---|",
    ]
    for name, rounds in measured.items():
        start = cell([1000 * s for s in more(rounds, "tenure", lambda m: m.start_up)], "{:.0f}")
        end = cell([1000 * s for s in more(rounds, "tenure", lambda m: m.end)], "{:.0f}")
        lines.append(f"| {name} | {start} | {end} |")
    return lines


def budgets(measured: Dict[str, List[Round]]) -> List[str]:
    """Each budget, met or missed, in words."""
    steady = {
        n: statistics.median(ratios(r, "tenure", lambda m: m.steady)) for n, r in measured.items()
    }
    start = {
        n: statistics.median(more(r, "tenure", lambda m: m.start_up)) for n, r in measured.items()
    }
    end = {n: statistics.median(more(r, "tenure", lambda m: m.end)) for n, r in measured.items()}
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in steady.values()))
    slow = [
        f"{n} {ratio:.2f}"
        for n, ratio in steady.items()
        if ratio > (TINY_BUDGET if n in TINY else BUDGET)
    ]
    late = [f"{n} {1000 * s:.0f} ms" for n, s in start.items() if s > START_UP_BUDGET]
    long = [f"{n} {s:.2f} s" for n, s in end.items() if s > VERDICT_BUDGET]

    def line(what: str, missed: List[str]) -> str:
        return f"- {what}: " + ("MISSED by " + ", ".join(missed) if missed else "met") + "."

    return [
        line(
            f"geometric mean of the steady loops at most {MEAN_BUDGET:.2f}",
            [f"{mean:.3f}"] if mean > MEAN_BUDGET else [],
        ),
        line(f"no steady loop above {BUDGET}, of tiny operations above {TINY_BUDGET:.2f}", slow),
        line(f"start-up at most {1000 * START_UP_BUDGET:.0f} ms", late),
        line(f"verdict at most {VERDICT_BUDGET:.0f} s after the program's end", long),
    ]


def versions() -> str:
    python = envs.path("tools")
    code = "import sys, numpy, memray; print(sys.version.split()[0], numpy.__version__, memray.__version__)"
    words = subprocess.run(
        [python, "-c", code], stdout=subprocess.PIPE, check=True, text=True
    ).stdout.split()
    torch = subprocess.run(
        [envs.path("torch"), "-c", "import torch; print(torch.__version__)"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout.strip()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    return (
        f"Tenure {commit}, CPython {words[0]}, NumPy {words[1]}, PyTorch {torch}, memray {words[2]}"
    )


def machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    kernel = platform.release().partition("-")[0]
    return f"{len(os.sched_getaffinity(0))} CPUs ({names[0] if names else platform.machine()}), Linux {kernel}"


def page(measured: Dict[str, List[Round]], rounds: int, loads: List[float]) -> List[str]:
    return [
        "# What Tenure costs",
        "",
        f"Written by `bench/run.py --rounds {rounds} --write docs/performance.md` on {datetime.date.today()}.",
        f"{machine()}. {versions()}.",
        f"{rounds} rounds; in each, the three take turns. Medians, with the least and the most of the rounds.",
        f"Load average while it ran: {min(loads):.1f} to {max(loads):.1f}.",
        "",
        *tables(measured),
        "",
        "The peak is that of the program's process, Tenure's part in it included. memray writes every allocation to a file;",
        "Tenure keeps no log, reads the stack of every counted block, and has its verdict at the end.",
        "",
        "## Budgets",
        "",
        *budgets(measured),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="workloads, by name")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tenure-bench-"))
    measured: Dict[str, List[Round]] = {}
    loads = []
    for work in workloads(folder):
        if options.only and work.name not in options.only.split(","):
            continue
        measured[work.name] = measure_rounds(work, folder, options.rounds)
        loads.append(os.getloadavg()[0])
        print(f"{work.name} is done", file=sys.stderr, flush=True)
    print("\n".join([*tables(measured), "", *budgets(measured)]))
    if options.write:
        options.write.write_text("\n".join(page(measured, options.rounds, loads)) + "\n")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
