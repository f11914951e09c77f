#!/usr/bin/env python3
"""Measures how fast the report page is when it is very large: 100,000 lines and 262,144 calls, in a real browser.

usage: page_view.py [--rounds N] [--write FILE]     FILE: a page of docs, as Markdown

The page is invented (tests/page/big_page.py) and stands in the shell of this build. Needs what tools/page_picture.py needs.
Times are on the clock, from the act of a user until the browser has drawn what follows of it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "page")]

import big_page  # noqa: E402
import build_page  # noqa: E402
import page_picture  # noqa: E402

FIRST_SCREEN_MS, ACT_MS = 1000, 50
MOST_BYTES, MOST_SHELL_BYTES = 5_000_000, 200_000


def look(page: Path) -> Dict[str, Any]:
    browser = next(filter(None, map(shutil.which, page_picture.BROWSERS)), None)
    if not browser:
        sys.exit("page_view.py: no Chromium here; try tools/setup.py browser")
    folder = ROOT / "build" / "page-tests"
    if not (folder / "node_modules").exists():
        page_picture.install(folder)
    words = ["node", str(ROOT / "tests" / "page" / "browse.mjs"), browser, "big", str(page)]
    done = subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return json.loads(done.stdout)


def row(what: str, values: List[float], budget: float, unit: str = "ms") -> str:
    middle = statistics.median(values)
    spread = f" ({min(values):,.0f} to {max(values):,.0f})" if len(values) > 1 else ""
    kept = "kept" if middle <= budget else "missed"
    return f"| {what} | {middle:,.0f} {unit}{spread} | at most {budget:,.0f} | {kept} |"


def table(seen: List[Dict[str, Any]], shell: int, size: int, rounds: int) -> str:
    processors, load = os.cpu_count(), os.getloadavg()[0]
    rows = [
        "# How fast a very large report page is",
        "",
        f"Written by `bench/page_view.py --rounds {rounds}`: {big_page.LINES:,} lines and {big_page.CALLS:,} calls; "
        f"medians of {rounds} rounds.",
        f"{processors} processors, one minute's load {load:.1f} at the end.",
        "",
        "| what | measured | budget | |",
        "|---|---|---|---|",
        row("shell", [shell / 1000], MOST_SHELL_BYTES / 1000, "KB"),
        row("whole page", [size / 1000], MOST_BYTES / 1000, "KB"),
        row("first screen", [one["first_screen_ms"] for one in seen], FIRST_SCREEN_MS),
    ]
    for act in seen[0]["acts"]:
        rows.append(row(act, [one["acts"][act]["drawn"] for one in seen], ACT_MS))
    return "\n".join(rows) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    dist = ROOT / "build" / "web" / "dist" / "index.html"
    shell = build_page.with_policy(dist.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "big.html"
        size = big_page.write(shell, page)
        seen = [look(page) for _ in range(options.rounds)]
    text = table(seen, len(shell.encode()), size, options.rounds)
    print(text, end="")
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
