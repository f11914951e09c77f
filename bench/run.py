#!/usr/bin/env python3
"""What Tenure costs: small programs, plain, under Tenure, under other tools and on other heaps.

usage: bench/run.py [--rounds N] [--only NAME,NAME] [--tools NAME,NAME] [--seldom N] [--minutes N]
                    [--keep FILE.json] [--write FILE.md]

All take turns within each round, so that a busy machine slows them alike. Each program times its own steady loop, in
processor time (other programs on the machine do not count) and by the clock, and says when it started and ended. All
programs have their first round before any has its second. With --keep, rounds that the file has are not run again: the
bench can be stopped at any time and goes on where it was; with --minutes it stops by itself.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List

from page import budgets, tables, write
from rounds import TOOLS, Row, load, measure_round, names, save, workload

OTHERS = ("observe", "memray", "heaptrack", "jemalloc", "tcmalloc", "mimalloc")


def tools_of_round(number: int, tools: List[str], seldom: int) -> List[str]:
    """Tools that are only compared with need not have part in each round."""
    return [tool for tool in tools if tool not in OTHERS or number % seldom == 0]


def run(options: argparse.Namespace, tools: List[str], rows: Dict[str, Row]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="tenure-bench-"))
    wanted = options.only.split(",") if options.only else names()
    found = [work for work in (workload(name, folder) for name in wanted) if work]
    over = time.monotonic() + 60 * options.minutes
    for number in range(options.rounds):
        for work in found:
            row = rows.setdefault(work.name, Row())
            if len(row.rounds) > number or time.monotonic() > over:
                continue
            measure_round(work, folder, tools_of_round(number, tools, options.seldom), row)
            save(options.keep, rows)
            print(f"{work.name}: round {number + 1} is done", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", help="workloads, by name; `none` measures nothing")
    parser.add_argument("--tools", default=",".join(TOOLS), help="which of them")
    parser.add_argument("--seldom", type=int, default=1, help="other tools in every Nth round only")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no round after so long")
    parser.add_argument("--keep", type=Path, help="figures of rounds that were measured before")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    options = parser.parse_args()
    tools = [tool for tool in TOOLS if tool == "plain" or tool in options.tools.split(",")]
    rows = load(options.keep)
    if options.only != "none":
        run(options, tools, rows)
    rows = {name: row for name, row in sorted(rows.items()) if row.rounds}
    print("\n".join([*tables(rows, tools), *budgets(rows)]))
    if options.write:
        write(options.write, rows, tools)


if __name__ == "__main__":
    main()
