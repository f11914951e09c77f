#!/usr/bin/env python3
"""What Tenure costs: small programs, plain, under Tenure, under other tools and on other heaps.

usage: bench/run.py [--rounds N] [--only NAME,NAME] [--tools NAME,NAME] [--keep FILE.json] [--write FILE.md]

All take turns within each round, so that a busy machine slows them alike. Told are medians of the rounds' ratios to
plain, or differences from plain, with the least and the most. Each program times its own steady loop, in processor time
(other programs on the machine do not count) and by the clock, and says when it started and ended. With --keep, programs that the file has figures of are not run again.
"""

import argparse
import datetime
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import envs  # noqa: E402

BENCH = ROOT / "bench"
TENURE = ROOT / "build" / "bin" / "tenure"
TOOLS = ("plain", "tenure", "observe", "memray", "heaptrack", "jemalloc", "tcmalloc", "mimalloc")
HEAPS = {
    "jemalloc": "libjemalloc.so.2",
    "tcmalloc": "libtcmalloc_minimal.so.4",
    "mimalloc": "libmimalloc.so.2",
}
TINY = (
    "numpy_small",
    "numpy_stream",
    "torch_mlp",
    "cpp_only_blocks",
)  # rows of tiny operations have a budget of their own
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
    """One run. Seconds, but for the peak in KiB and what is written in bytes."""

    cpu: float  # of the steady loop, all threads
    steady: float  # the same by the clock
    peak: float
    start_up: float  # from the command to the first line of the program
    end: float  # from its last line to the return of the command: teardown, and the verdict
    written: float  # bytes that stay on disk


Round = Dict[str, Measured]


def site_packages(python: str) -> str:
    words = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def workloads(folder: Path) -> List[Workload]:
    """All Python workloads run on the interpreter that has memray; frameworks come from their own environments."""
    python = envs.path("tools")
    found = []
    for script in sorted((BENCH / "workloads").glob("*.py")):
        if script.stem == "big_heap":  # of bench/snapshot.py
            continue
        framework = script.stem.partition("_")[0]
        paths = [str(BENCH)]
        if framework in ("torch", "jax"):
            paths.append(site_packages(envs.path(framework)))
        found.append(Workload(script.stem, [python, str(script)], paths))
    for source in sorted((BENCH / "workloads").glob("*.cpp")):
        native = folder / source.stem
        flags = ["-O2", "-g", "-std=c++17", "-pthread"]
        subprocess.run(["g++", *flags, "-o", str(native), str(source)], check=True)
        found.append(Workload(source.stem, [str(native)], [], is_python=False))
    return found


def heap_library(tool: str) -> Optional[str]:
    words = ["/sbin/ldconfig", "-p"]
    known = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout
    lines = (line.rpartition(" => ") for line in known.splitlines() if HEAPS[tool] in line)
    return next((path for _, _, path in lines), None)


def command(tool: str, work: Workload, folder: Path) -> Optional[List[str]]:
    """None: this tool cannot run it, or is not here."""
    out = str(folder / "out" / "record")
    if tool == "plain":
        return work.program
    if tool in ("tenure", "observe"):
        options = ["--observe"] if tool == "observe" else []
        return [str(TENURE), "run", "--quiet", *options, "-o", out, "--", *work.program]
    if tool in HEAPS:
        library = heap_library(tool)
        return ["env", f"LD_PRELOAD={library}", *work.program] if library else None
    if tool == "heaptrack":
        return ["heaptrack", "-o", out, *work.program] if shutil.which("heaptrack") else None
    if not work.is_python:
        return None  # memray only runs Python
    return [work.program[0], "-m", "memray", "run", "-q", "-f", "-o", out, *work.program[1:]]


def bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def told(output: bytes) -> List[float]:
    """The line of bench/measured.py; a tool may print lines of its own."""
    for line in output.decode(errors="replace").splitlines():
        words = line.split()
        if len(words) == 5 and words[0][:1].isdigit():
            return [float(word) for word in words]
    raise RuntimeError(f"no figures in {output!r}")


def measure(tool: str, work: Workload, folder: Path) -> Optional[Measured]:
    words = command(tool, work, folder)
    if words is None:
        return None
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environ = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(work.paths)}
    began = time.monotonic()
    done = subprocess.run(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    returned = time.monotonic()
    steady, cpu, peak, started, ended = told(done.stdout)
    written = bytes_in(folder / "out")
    return Measured(cpu, steady, peak, started - began, returned - ended, written)


def measure_rounds(work: Workload, folder: Path, rounds: int, tools: List[str]) -> List[Round]:
    result = []
    for _ in range(rounds):
        found = {tool: measure(tool, work, folder) for tool in tools}
        result.append({tool: m for tool, m in found.items() if m is not None})
    return result


def load(keep: Optional[Path]) -> Dict[str, List[Round]]:
    if keep is None or not keep.exists():
        return {}
    return {
        name: [{tool: Measured(*figures) for tool, figures in r.items()} for r in rounds]
        for name, rounds in json.loads(keep.read_text()).items()
    }


def save(keep: Optional[Path], measured: Dict[str, List[Round]]) -> None:
    if keep is not None:
        rows = {
            n: [{t: astuple(m) for t, m in r.items()} for r in rs] for n, rs in measured.items()
        }
        keep.write_text(json.dumps(rows))


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


def ratio_table(
    what: str, measured: Dict[str, List[Round]], tools: List[str], of: Figure
) -> List[str]:
    others = [tool for tool in tools if tool != "plain"]
    lines = [f"| {what} | " + " | ".join(others) + " |", "|---" * (len(others) + 1) + "|"]
    for name, rounds in measured.items():
        lines.append(
            f"| {name} | " + " | ".join(cell(ratios(rounds, t, of)) for t in others) + " |"
        )
    means = [mean_ratio(measured, tool, of) for tool in others]
    return [*lines, "| geometric mean | " + " | ".join(means) + " |", ""]


def mean_ratio(measured: Dict[str, List[Round]], tool: str, of: Figure) -> str:
    """Of the rows that the tool can run."""
    medians = [statistics.median(r) for r in (ratios(x, tool, of) for x in measured.values()) if r]
    return f"{math.exp(statistics.fmean(map(math.log, medians))):.2f}" if medians else "-"


def tables(measured: Dict[str, List[Round]], tools: List[str]) -> List[str]:
    lines = ratio_table(
        "processor time of the steady loop, of plain", measured, tools, lambda m: m.cpu
    )
    lines += ratio_table("the same by the clock", measured, tools, lambda m: m.steady)
    watchers = [tool for tool in tools if tool != "plain" and tool not in HEAPS]
    heads = [f"{tool}, MiB more" for tool in watchers]
    lines += [
        "| peak resident | plain, MiB | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 2) + "|",
    ]
    for name, rounds in measured.items():
        plain = statistics.median(r["plain"].peak for r in rounds) / 1024
        cells = [cell(more(rounds, tool, lambda m: m.peak / 1024), "{:.1f}") for tool in watchers]
        lines.append(f"| {name} | {plain:.1f} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "| bytes written, MiB | " + " | ".join(watchers) + " |",
        "|---" * (len(watchers) + 1) + "|",
    ]
    for name, rounds in measured.items():
        cells = [
            cell([r[t].written / (1 << 20) for r in rounds if t in r], "{:.1f}") for t in watchers
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "| tenure | start-up, ms more | end, ms more: snapshot, analysis, verdict |",
        "|---|---|---|",
    ]
    for name, rounds in measured.items():
        start = cell([1000 * x for x in more(rounds, "tenure", lambda m: m.start_up)], "{:.0f}")
        end = cell([1000 * x for x in more(rounds, "tenure", lambda m: m.end)], "{:.0f}")
        lines.append(f"| {name} | {start} | {end} |")
    return lines


def budgets(measured: Dict[str, List[Round]]) -> List[str]:
    """Each budget, met or missed, in words."""
    steady = {
        n: statistics.median(ratios(r, "tenure", lambda m: m.cpu)) for n, r in measured.items()
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


def page(
    measured: Dict[str, List[Round]], rounds: int, loads: List[float], tools: List[str]
) -> List[str]:
    return [
        "# What Tenure costs",
        "",
        f"Written by `bench/run.py {' '.join(sys.argv[1:])}` on {datetime.date.today()}.",
        f"{machine()}. {versions()}.",
        f"{rounds} rounds; in each, all take turns. Medians of the ratios, with the least and the most of the rounds.",
        f"Load average while it ran: {min(loads):.1f} to {max(loads):.1f}.",
        "",
        *tables(measured, tools),
        "",
        "`observe` is `tenure run --observe`: every block stays with libc. jemalloc, tcmalloc and mimalloc are heaps that are",
        "preloaded and count nothing. The peak is that of the program's process, Tenure's part in it included. memray writes every allocation to a file;",
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
    parser.add_argument("--tools", default=",".join(TOOLS), help="which of them")
    parser.add_argument("--keep", type=Path, help="figures of programs that were measured before")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    options = parser.parse_args()
    tools = [tool for tool in TOOLS if tool == "plain" or tool in options.tools.split(",")]
    folder = Path(tempfile.mkdtemp(prefix="tenure-bench-"))
    measured = load(options.keep)
    loads = [os.getloadavg()[0]]
    for work in workloads(folder):
        if work.name in measured or (options.only and work.name not in options.only.split(",")):
            continue
        measured[work.name] = measure_rounds(work, folder, options.rounds, tools)
        save(options.keep, measured)
        loads.append(os.getloadavg()[0])
        print(f"{work.name} is done", file=sys.stderr, flush=True)
    print("\n".join([*tables(measured, tools), "", *budgets(measured)]))
    if options.write:
        options.write.write_text("\n".join(page(measured, options.rounds, loads, tools)) + "\n")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
