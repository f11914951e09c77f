"""What a report tells, without what differs from run to run: to hold what a page shows against what is printed today."""

from __future__ import annotations

import re
from typing import List

import gen_docs

# Not that of `train.py:19`, which has to stay.
FIGURE = re.compile(r"(?<![\w:.])(?:at least )?\d[\d,.]*(?: (?:[KMG]i)?B\b| %)?")
# The head of a finding, with its kind; then its rows that name lines, holders and the fix.
HEAD = re.compile(r"^(?: *\d+  (?:LEAK|warning)|tenure:) .*?  +([a-z]+(?:-[a-z]+)+)$", re.MULTILINE)
ROW = re.compile(
    r"^     (made at|kept by|kept at|created|closed|ended|freed|deleted|changed|used|fix) +(.*)$",
    re.MULTILINE,
)


# Programs that compute for seconds, or import what takes as long, are for tests/soak.
SLOW = ("tests/exam/EXC-N1",)


def is_quick(folder: str) -> bool:
    return gen_docs.Program(folder).case["env"] in ("numpy", "cpp") and folder not in SLOW


def without_figures(text: str) -> str:
    return FIGURE.sub("#", " ".join(text.split()))


def verdict_words(printed: str) -> str:
    """The first sentence: "tenure: # leak in # steps", without what depends on how fast the machine was."""
    first = printed.splitlines()[0] if printed else ""
    return without_figures(re.split(r" in [\d,]+ |[.(]", first)[0])


def told(printed: str) -> List[str]:
    """The verdict, the kinds, and the rows that say which line it was."""
    rows = [verdict_words(printed)] if not HEAD.match(printed) else []
    rows += HEAD.findall(printed)
    return rows + [f"{role} {without_figures(text)}" for role, text in ROW.findall(printed)]
