"""docs/performance.md: tables of what was measured, and which budgets were met."""

import datetime
import math
import os
import platform
import re
import statistics
import sys
from pathlib import Path
from typing import Callable, Dict, List

from rounds import BENCH, HEAPS, Measured, Row, envs, output_of

PROGRAMS_HEADING = "## Whole programs, all processes counted"  # written by bench/tree.py
MISSES = BENCH / "misses.md"  # what is known of budgets that were missed
# Rows of tiny operations have a budget of their own.
TINY = ("numpy_small", "numpy_stream", "torch_mlp", "cpp_only_blocks")
BUDGET, TINY_BUDGET, MEAN_BUDGET = 1.03, 1.10, 1.00
START_UP_BUDGET, VERDICT_BUDGET = 0.030, 1.0  # seconds
PARTS_BUDGET = 0.02  # by which the parts of resident memory may differ from it
Rows = Dict[str, Row]
Figure = Callable[[Measured], float]


def compared(row: Row, tool: str, of: Figure, how: Callable[[float, float], float]) -> List[float]:
    return [how(of(r[tool]), of(r["plain"])) for r in row.rounds if tool in r]


def ratios(row: Row, tool: str, of: Figure) -> List[float]:
    return compared(row, tool, of, lambda a, b: a / b)


def more(row: Row, tool: str, of: Figure) -> List[float]:
    return compared(row, tool, of, lambda a, b: a - b)


def cell(values: List[float], form: str = "{:.2f}") -> str:
    if not values:
        return "-"
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{form} ({form} to {form})".format(middle, low, high)


def table(heads: List[str], lines: List[List[str]]) -> List[str]:
    rule = "|---" * len(heads) + "|"
    return [
        "| " + " | ".join(heads) + " |",
        rule,
        *("| " + " | ".join(x) + " |" for x in lines),
        "",
    ]


def mean_ratio(rows: Rows, tool: str, of: Figure) -> str:
    """Of the rows that the tool can run."""
    medians = [statistics.median(r) for r in (ratios(x, tool, of) for x in rows.values()) if r]
    return f"{math.exp(statistics.fmean(map(math.log, medians))):.2f}" if medians else "-"


def ratio_table(what: str, rows: Rows, tools: List[str], of: Figure) -> List[str]:
    lines = [[name, *(cell(ratios(row, t, of)) for t in tools)] for name, row in rows.items()]
    lines.append(["geometric mean", *(mean_ratio(rows, tool, of) for tool in tools)])
    return table([what, *tools], lines)


def young_table(rows: Rows) -> List[str]:
    """Only workloads that time their loop twice."""

    def is_twice(row: Row) -> bool:
        return any(r["plain"].young != r["plain"].cpu for r in row.rounds)

    tools = ["tenure", "observe"]
    lines = [
        [name, *(cell(ratios(row, t, lambda m: m.young)) for t in tools)]
        for name, row in rows.items()
        if is_twice(row)
    ]
    return table(["the same loop in the program's first seconds", *tools], lines) if lines else []


def peak_table(rows: Rows, tools: List[str]) -> List[str]:
    lines = []
    for name, row in rows.items():
        plain = statistics.median(r["plain"].peak for r in row.rounds) / 1024
        cells = [cell(more(row, tool, lambda m: m.peak / 1024), "{:.1f}") for tool in tools]
        lines.append([name, f"{plain:.1f}", *cells])
    return table(["peak resident", "plain, MiB", *(f"{tool}, MiB more" for tool in tools)], lines)


def written_table(rows: Rows, tools: List[str]) -> List[str]:
    def cells(row: Row) -> List[str]:
        return [
            cell([r[t].written / (1 << 20) for r in row.rounds if t in r], "{:.1f}") for t in tools
        ]

    return table(
        ["bytes written, MiB", *tools], [[name, *cells(row)] for name, row in rows.items()]
    )


def shares(row: Row, of: Figure) -> List[float]:
    """Of resident memory at Tenure's last look."""
    seen = [r["tenure"] for r in row.rounds if "tenure" in r and r["tenure"].resident]
    return [of(m) / m.resident for m in seen]


def edges_table(rows: Rows) -> List[str]:
    lines = []
    for name, row in rows.items():
        start = [1000 * x for x in more(row, "tenure", lambda m: m.start_up)]
        end = [1000 * x for x in more(row, "tenure", lambda m: m.end)]
        parts = [100 * x for x in shares(row, lambda m: m.parts)]
        unknown = [100 * x for x in shares(row, lambda m: m.unknown)]
        memory = [cell(parts, "{:.1f}"), cell(unknown, "{:.1f}")]
        lines.append([name, cell(start, "{:.0f}"), cell(end, "{:.0f}"), *memory])
    heads = [
        "tenure",
        "start-up, ms more",
        "end, ms more: snapshot, analysis, verdict",
        "parts of resident memory, % of VmRSS",
        "of these unknown, %",
    ]
    return table(heads, lines)


def how_table(rows: Rows) -> List[str]:
    def counts(row: Row) -> str:
        numbers = {t: sum(t in r for r in row.rounds) for r in row.rounds for t in r}
        most = max(numbers.values())
        fewer = ", ".join(f"{t} {n}" for t, n in numbers.items() if n < most)
        return f"{most}" + (f" ({fewer})" if fewer else "")

    lines = [
        [name, counts(row), row.commit, row.date, f"{min(row.loads):.1f} to {max(row.loads):.1f}"]
        for name, row in rows.items()
    ]
    return table(["how it was measured", "rounds", "Tenure", "date", "load average"], lines)


def tables(rows: Rows, tools: List[str]) -> List[str]:
    others = [tool for tool in tools if tool != "plain"]
    watchers = [tool for tool in others if tool not in HEAPS]
    return [
        *ratio_table("processor time of the steady loop, of plain", rows, others, lambda m: m.cpu),
        *young_table(rows),
        *ratio_table("the steady loop by the clock", rows, others, lambda m: m.steady),
        *ratio_table("the whole run by the clock", rows, others, lambda m: m.whole),
        *ratio_table("processor time of the whole run", rows, others, lambda m: m.whole_cpu),
        *peak_table(rows, watchers),
        *written_table(rows, watchers),
        *edges_table(rows),
        *how_table(rows),
    ]


def medians(rows: Rows, values: Callable[[Row], List[float]]) -> Dict[str, float]:
    found = {name: values(row) for name, row in rows.items()}
    return {name: statistics.median(x) for name, x in found.items() if x}


def behind(rows: Rows, tool: str) -> List[str]:
    """Rows in which another tool costs less than Tenure."""
    missed = []
    for name, row in rows.items():
        ours, theirs = (ratios(row, t, lambda m: m.cpu) for t in ("tenure", tool))
        if ours and theirs and statistics.median(ours) > statistics.median(theirs):
            missed.append(f"{name} {statistics.median(ours):.2f} ({statistics.median(theirs):.2f})")
    return missed


def budgets(rows: Rows) -> List[str]:
    """Each budget, met or missed, in words."""
    steady = medians(rows, lambda r: ratios(r, "tenure", lambda m: m.cpu))
    start = medians(rows, lambda r: more(r, "tenure", lambda m: m.start_up))
    end = medians(rows, lambda r: more(r, "tenure", lambda m: m.end))
    parts = medians(rows, lambda r: shares(r, lambda m: abs(m.parts - m.resident)))
    if not steady:
        return []
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in steady.values()))

    def limit(name: str) -> float:
        return TINY_BUDGET if name in TINY else BUDGET

    def line(what: str, missed: List[str]) -> str:
        return f"- {what}: " + ("MISSED by " + ", ".join(missed) if missed else "met") + "."

    return [
        line(
            f"geometric mean of the steady loops at most {MEAN_BUDGET:.2f}",
            [f"{mean:.3f}"] if mean > MEAN_BUDGET else [],
        ),
        line(
            f"no steady loop above {BUDGET}, of tiny operations above {TINY_BUDGET:.2f}",
            [f"{n} {x:.2f}" for n, x in steady.items() if x > limit(n)],
        ),
        line("steady loops no dearer than under memray", behind(rows, "memray")),
        line("steady loops no dearer than under heaptrack", behind(rows, "heaptrack")),
        line(
            f"start-up at most {1000 * START_UP_BUDGET:.0f} ms",
            [f"{n} {1000 * x:.0f} ms" for n, x in start.items() if x > START_UP_BUDGET],
        ),
        line(
            f"verdict at most {VERDICT_BUDGET:.0f} s after the program's end",
            [f"{n} {x:.2f} s" for n, x in end.items() if x > VERDICT_BUDGET],
        ),
        line(
            f"the parts of resident memory add up to VmRSS within {100 * PARTS_BUDGET:.0f} %",
            [f"{n} {100 * x:.1f} %" for n, x in parts.items() if x > PARTS_BUDGET],
        ),
    ]


def versions() -> str:
    code = "import sys, numpy, memray; print(sys.version.split()[0], numpy.__version__, memray.__version__)"
    python, numpy, memray = output_of(envs.path("tools"), "-c", code).split()
    torch = output_of(envs.path("torch"), "-c", "import torch; print(torch.__version__)")
    return f"CPython {python}, NumPy {numpy}, PyTorch {torch}, memray {memray}"


def machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        models = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    kernel = platform.release().partition("-")[0]
    model = models[0] if models else platform.machine()
    return f"{len(os.sched_getaffinity(0))} CPUs ({model}), Linux {kernel}"


def page(rows: Rows, tools: List[str]) -> str:
    lines = [
        "# What Tenure costs",
        "",
        f"Written by `bench/run.py {' '.join(sys.argv[1:])}` on {datetime.date.today()}.",
        f"{machine()}. {versions()}.",
        "In each round all tools take turns. Told are medians of the rounds' ratios to plain, or of the differences from it,",
        "with the least and the most. The last table says how each row was measured.",
        "",
        *tables(rows, tools),
        "`observe` is `tenure run --observe`: every block stays with libc. jemalloc, tcmalloc and mimalloc are heaps that are",
        "preloaded and count nothing. The peak is that of the program's process, Tenure's part in it included. memray writes",
        "every allocation to a file; Tenure keeps no log, reads the stack of every counted block, and has its verdict at the",
        "end. Loops of small blocks are timed twice: when the program is young, and when it is old enough for the governor to",
        "have acted, which samples the smallest counted blocks where counting them takes over 1 % of the time.",
        "",
        "## Budgets",
        "",
        *budgets(rows),
        "",
        MISSES.read_text(encoding="utf-8").rstrip() if MISSES.exists() else "",
    ]
    return "\n".join(lines).rstrip() + "\n"


def sections(path: Path) -> Dict[str, str]:
    """Heading -> text of each section of a page, the heading included; what is before the first has none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return {p.splitlines()[0] if p.startswith("## ") else "": p.rstrip("\n") + "\n" for p in parts}


def write(path: Path, rows: Rows, tools: List[str]) -> None:
    """The section of bench/tree.py stays as it is."""
    kept = sections(path).get(PROGRAMS_HEADING)
    text = page(rows, tools)
    path.write_text(f"{text}\n{kept}" if kept else text, encoding="utf-8")
