#!/usr/bin/env python3
"""What Tenure costs real small programs, counting every process of their trees.

usage: bench/tree.py [--rounds N] [--only NAME,NAME] [--write FILE.md]

Plain and Tenure take turns within each round, and which is first alternates. Told are medians of the ratios of a round,
with the least and the most, and medians of differences. Memory is of one more run of each, which is not timed: looking
at the pages of a tree disturbs it. --write replaces the section of that page.
"""

import argparse
import datetime
import os
import statistics
import sys
from pathlib import Path
from typing import Callable, Dict, List

from page import PROGRAMS_HEADING, cell, sections, table
from tree_run import ENVIRONMENTS, REQUESTS, ROOT, Run, Tree, envs, measure, scratch

TOOLS = ("plain", "tenure")
Rounds = List[Dict[str, Run]]


def ratios(rounds: Rounds, of: Callable[[Run], float]) -> List[float]:
    return [of(r["tenure"]) / of(r["plain"]) for r in rounds]


def more(rounds: Rounds, of: Callable[[Run], float]) -> List[float]:
    return [of(r["tenure"]) - of(r["plain"]) for r in rounds]


def told_seconds(run: Run) -> float:
    parts = run.told.get("processor_seconds", {})
    return sum(value for name, value in parts.items() if name != "program")


def line_of(name: str, rounds: Rounds, memory: Dict[str, Run]) -> List[str]:
    plain = statistics.median(r["plain"].cpu for r in rounds)
    served = [r["tenure"].p99 / r["plain"].p99 for r in rounds if r["plain"].p99]
    return [
        name,
        f"{plain:.2f}",
        cell(ratios(rounds, lambda r: r.cpu)),
        cell(ratios(rounds, lambda r: r.clock)),
        f"{statistics.median(more(rounds, lambda r: r.first)) * 1000:+.0f}",
        f"{statistics.median(more(rounds, lambda r: r.after)) * 1000:+.0f}",
        f"{memory['tenure'].resident - memory['plain'].resident:+.0f}",
        f"{statistics.median(more(rounds, lambda r: r.cpu)):+.2f}",
        f"{statistics.median(told_seconds(r['tenure']) for r in rounds):.2f}",
        cell(served) if served else "-",
    ]


HEADS = [
    "program",
    "plain, s",
    "processor time",
    "by the clock",
    "first line, ms",
    "after the end, ms",
    "resident, MiB",
    "more, s",
    "told, s",
    "p99",
]


def measured_round(name: str, number: int) -> Dict[str, Run]:
    order = TOOLS if number % 2 == 0 else TOOLS[::-1]
    return {tool: measure(name, tool) for tool in order}


def lines_of(names: List[str], count: int) -> List[List[str]]:
    rounds: Dict[str, Rounds] = {name: [] for name in names}
    for number in range(count):
        for name in names:
            rounds[name].append(measured_round(name, number))
            print(f"{name}: round {number + 1} is done", file=sys.stderr, flush=True)
    return [
        line_of(name, rounds[name], {t: measure(name, t, watches_memory=True) for t in TOOLS})
        for name in names
    ]


def section(lines: List[List[str]], rounds: int, names: List[str]) -> str:
    with scratch() as folder:
        how = Tree(folder).how()
    only = "" if len(names) == len(ENVIRONMENTS) else f" --only {','.join(names)}"
    return "\n".join(
        [
            PROGRAMS_HEADING,
            "",
            f"Written by `bench/tree.py --rounds {rounds}{only}` on {datetime.date.today()}, load {os.getloadavg()[2]:.1f} on",
            f"{os.cpu_count()} processors. Programs of bench/programs; processor time of the whole tree by {how}:",
            "the program, its children, copies that walk its heap, `tenure run` and its analysis. Ratios to plain are medians",
            "of the rounds, with the least and the most. `first line` and `after the end` are by the clock, from the command",
            "to the program's first output and from its last to the prompt. `more` is the processor time that was added,",
            f"`told` what Tenure tells of it as its own cost; `p99` is of {REQUESTS} requests, one after the other.",
            "",
            *table(HEADS, lines),
            "",
        ]
    )


def write(path: Path, text: str) -> None:
    """In place of the section of that name, or at the end."""
    page = sections(path)
    page[PROGRAMS_HEADING] = text.rstrip("\n") + "\n"
    path.write_text("\n".join(page.values()), encoding="utf-8")


def can_be_run(name: str) -> bool:
    try:
        envs.path(ENVIRONMENTS[name])
    except envs.EnvError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="programs, by name")
    parser.add_argument("--write", type=Path, help="the page whose section is replaced")
    options = parser.parse_args()
    os.chdir(ROOT)
    wanted = options.only.split(",") if options.only else list(ENVIRONMENTS)
    names = [name for name in wanted if can_be_run(name)]
    text = section(lines_of(names, options.rounds), options.rounds, names)
    print(text)
    if options.write:
        write(options.write, text)


if __name__ == "__main__":
    main()
