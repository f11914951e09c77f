#!/usr/bin/env python3
"""How much resident memory is in no block that Tenure saw, and how much of it came along the run, over the clean programs of
an exam: what the limits were chosen by.

usage: unseen.py DIR

DIR is what `tests/exam/grade.py --kind clean --keep DIR` (or `make exam EXAM_ARGS="--kind clean --keep DIR"`) left: a
folder for each case. Prints each program, largest growth first, and the limits of src/analyze/balance/rules.h.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import List, Tuple

RULES = Path(__file__).resolve().parent.parent / "src" / "analyze" / "balance" / "rules.h"
MIB = 1 << 20


def unseen_in(folder: Path) -> List[Tuple[int, int, int, str]]:
    """(growth, unseen bytes, resident bytes, name) of each program that was called clean or unknown."""
    found = []
    for path in sorted(folder.glob("*/findings.json")):
        findings = json.loads(path.read_text(encoding="utf-8"))
        memory = findings["memory"]
        resident = memory["resident_peak_bytes"]
        if findings["verdict"] in ("clean", "unknown") and resident:
            unseen = memory["unseen_bytes"]
            found.append((memory["unseen_growth_bytes"], unseen, resident, path.parent.name))
    return sorted(found, reverse=True)


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    rows = unseen_in(Path(sys.argv[1]))
    if not rows:
        print(f"no findings of clean programs in {sys.argv[1]}", file=sys.stderr)
        return 2
    for growth, unseen, resident, name in rows:
        share = growth / resident
        print(
            f"{name:14} grew {growth / MIB:7.1f} MiB  {share:5.1%}   "
            f"had {unseen / MIB:7.1f} of {resident / MIB:7.1f} MiB"
        )
    limits = re.findall(r"(k\w*Unseen\w*) = ([^;]+);", RULES.read_text())
    print(
        f"{len(rows)} programs; limits: " + ", ".join(f"{name} {value}" for name, value in limits)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
