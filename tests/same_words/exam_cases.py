"""Programs of the exam that are quick enough to be run in several wordings, and how they are run.

Leaks, lifetime errors and clean ones, of NumPy, the standard library and torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

from same_words.told import Told, told

EXAM = Path(__file__).resolve().parent.parent / "exam"
CASES = [
    *("BND-1", "BUF-02", "CLN-4", "EXC-N1", "FDS-03", "FUT-01", "GRW-1", "GRW-2"),
    *("LOD-1", "NAT-C1", "NPD-01", "NPO-01"),
    *("CLN-1", "CLN-2", "KMO-13-TF", "PTC-04", "PTC-07", "PTL-05", "PTL-16", "THR-01"),
]


def text_of(name: str) -> str:
    return (EXAM / name / "program.py").read_text(encoding="utf-8")


def told_of(
    name: str, text: str, folder: Path, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> Told:
    """What Tenure tells of the case when its program has this text."""
    case = json.loads((EXAM / name / "case.json").read_text(encoding="utf-8"))
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    command = [
        "run",
        "-o",
        "record",
        *case.get("options", []),
        "--",
        env(case["env"]),
        "program.py",
    ]
    outcome = run_tenure(command, {"OMP_NUM_THREADS": "1"}, folder)  # as the grader runs it
    assert outcome.findings is not None, outcome.stderr
    return told(outcome.findings, program, text)
