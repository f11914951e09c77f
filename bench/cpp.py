#!/usr/bin/env python3
"""What the C++ library costs: a check beside a raw pointer, an allocation beside other allocators.

usage: bench/cpp.py [--rounds N] [--write FILE.md]

The traffic is recorded anew from one training step in PyTorch. All ways take turns within each round; told are
medians of the rounds' ratios to plain malloc.
"""

import argparse
import ctypes.util
import datetime
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

from run import ROOT, cell, machine

sys.path.insert(0, str(ROOT / "tools"))

import envs

CPP = ROOT / "bench" / "cpp"
LEAST = 1024  # bytes: smaller blocks are no tensors
REPEATS = 40  # of the step in one run of the replay
CHECK_BUDGET = 2.0  # ns
ACCESSES = ("raw pointer", "Buffer::data()", "TensorView::data()", "TensorView::at()", "a lease")


@dataclass
class Way:
    name: str
    word: str  # of replay.cpp
    preload: str = ""


def other_allocators() -> List[Way]:
    found = []
    for name in ("mimalloc", "jemalloc", "tcmalloc_minimal"):
        library = ctypes.util.find_library(name)
        if library:
            found.append(Way(name.replace("_minimal", ""), "malloc", library))
        else:
            print(f"{name} is not installed here and is left out", file=sys.stderr)
    return found


def ways() -> List[Way]:
    return [
        Way("malloc of glibc", "malloc"),
        *other_allocators(),
        Way("std::pmr::synchronized_pool_resource", "pool"),
        Way("std::pmr::unsynchronized_pool_resource", "unsynchronized_pool"),
        Way("new and delete, aligned to 64 bytes", "aligned_new"),
        Way("tenure::Buffer", "buffer"),
        Way("tenure::Buffer over a synchronized pool", "buffer_over_pool"),
        Way("tenure::Buffer over tenure::WarmMemory", "buffer_over_warm_memory"),
        Way("tenure::ScopeResource", "scope_resource"),
    ]


def build(folder: Path, name: str, *flags: str) -> Path:
    target = folder / name
    command = ["g++", "-std=c++20", "-O2", "-DNDEBUG", f"-I{ROOT / 'include'}"]
    command += [str(CPP / f"{name}.cpp"), *flags, "-o", str(target)]
    subprocess.run(command, check=True)
    return target


def with_numbers(lines: List[str]) -> List[Tuple[int, int]]:
    """Addresses become numbers, used again when their block has ended; what is too small is left out."""
    number_of: Dict[str, int] = {}
    free: List[int] = []
    events = []
    for line in lines:
        address, size = line.split()
        if size == "0" and address in number_of:
            free.append(number_of.pop(address))
            events.append((free[-1], 0))
        elif int(size) >= LEAST:
            number = free.pop() if free else len(number_of)
            number_of[address] = number
            events.append((number, int(size)))
    return events


def record(folder: Path) -> List[Tuple[int, int]]:
    library = build(folder, "record_traffic", "-shared", "-fPIC")
    raw = folder / "raw"
    environ = {**os.environ, "LD_PRELOAD": str(library), "TRAFFIC": str(raw)}
    command = [envs.path("torch"), str(CPP / "training_step.py")]
    subprocess.run(command, env=environ, check=True)
    return with_numbers(raw.read_text().splitlines())


def replay(program: Path, traffic: Path, way: Way) -> float:
    environ = {**os.environ, "LD_PRELOAD": way.preload} if way.preload else dict(os.environ)
    command = [str(program), str(traffic), way.word, str(REPEATS)]
    done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def measure_access(folder: Path, library: str) -> Dict[str, List[float]]:
    program = build(folder, "checked_access", library, "-ldl", "-pthread")
    said = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = [[float(word) for word in line.split()] for line in said.splitlines()]
    return {name: [row[i] for row in rows] for i, name in enumerate(ACCESSES)}


def access_table(times: Dict[str, List[float]]) -> List[str]:
    raw = times[ACCESSES[0]]
    lines = ["| access | ns | ns more than raw |", "|---|---|---|"]
    for name, values in times.items():
        more = [value - plain for value, plain in zip(values, raw)]
        lines.append(f"| {name} | {cell(values)} | {cell(more) if name != ACCESSES[0] else '-'} |")
    return lines


def check_budget(times: Dict[str, List[float]]) -> str:
    raw = times[ACCESSES[0]]
    cost = {
        name: statistics.median(value - plain for value, plain in zip(times[name], raw))
        for name in ACCESSES[1:3]
    }
    missed = [f"{name} {ns:.2f} ns" for name, ns in cost.items() if ns > CHECK_BUDGET]
    said = "MISSED by " + ", ".join(missed) if missed else "met"
    return f"- an unfailing check at most {CHECK_BUDGET:.0f} ns: {said}."


def traffic_table(measured: Dict[str, List[float]], plain: str) -> List[str]:
    lines = ["| memory from | ns an allocation | ratio to malloc |", "|---|---|---|"]
    for name, values in measured.items():
        ratios = [value / base for value, base in zip(values, measured[plain])]
        lines.append(f"| {name} | {cell(values, '{:.0f}')} | {cell(ratios)} |")
    return lines


REASONS = [
    "An allocation here is one with its end and with one write to each of its pages, as a kernel that fills the",
    "tensor would do. Times are CPU times of the thread, in the program and in the system.",
    "",
    "What is slow is not the search for a block but the system: a large block is mapped afresh, and every page of it",
    "is faulted in. Who keeps ended blocks and hands them out warm pays nothing for that; the pools of the standard",
    "library leave the largest blocks to their upstream. `tenure::Buffer` asks the memory resource of its scope,",
    "aligned `new` and `delete` unless told otherwise, so its own part is the difference to that row: one record",
    "(kept while a handle may ask), two short sections under the tree's mutex at its birth and one at its end, and",
    "two readings of the clock. Give a scope a `tenure::WarmMemory` for traffic like this.",
    "",
    "A check is one load and one compare that the processor predicts. `TensorView::at()` also compares every index",
    "with the shape. A lease is two atomic operations and a copy of a shared pointer: for work on whole tensors, not",
    "for single elements.",
]


def page(
    rounds: int, events: List[Tuple[int, int]], access: List[str], traffic: List[str], budget: str
) -> List[str]:
    made = [size for _, size in events if size]
    return [
        "# What the C++ library costs",
        "",
        f"Written by `bench/cpp.py --rounds {rounds} --write docs/performance-cpp.md` on {datetime.date.today()}.",
        f"{machine()}. Medians, with the least and the most of the rounds; all ways take turns in each round.",
        f"Load average at the end: {os.getloadavg()[0]:.1f}.",
        "",
        "## Checked access",
        "",
        *access,
        "",
        budget,
        "",
        "## Allocation",
        "",
        f"The traffic of one training step of a small convolutional network in PyTorch: {len(made)} blocks of at least",
        f"{LEAST} bytes, {sum(made) / 2**20:.0f} MiB in all, the largest {max(made) / 2**20:.1f} MiB.",
        "",
        *traffic,
        "",
        *REASONS,
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--write", type=Path, help="write the page to this file")
    options = parser.parse_args()
    library = str(ROOT / "build" / "libtenure_cpp.a")
    with tempfile.TemporaryDirectory(prefix="tenure-bench-") as name:
        folder = Path(name)
        events = record(folder)
        traffic = folder / "traffic"
        traffic.write_text("".join(f"{block} {size}\n" for block, size in events))
        times = measure_access(folder, library)
        program = build(folder, "replay", library, "-ldl", "-pthread")
        measured: Dict[str, List[float]] = {}
        for _ in range(options.rounds):
            for way in ways():
                measured.setdefault(way.name, []).append(replay(program, traffic, way))
    access, rows = access_table(times), traffic_table(measured, "malloc of glibc")
    lines = page(options.rounds, events, access, rows, check_budget(times))
    print("\n".join(lines))
    if options.write:
        options.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
