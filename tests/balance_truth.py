"""What a program of the balance tests says about itself, and whether the findings agree with it.

A line that leaks ends in `#= EXPRESSION` (`//=` in C++): the bytes it has kept when the program ends, counted in the source.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, Iterable, List

import pytest

MARK = re.compile(r"(?:#|//)= (.+)")
Findings = Dict[str, Any]


def cases(names: Iterable[str], not_yet: Dict[str, str]) -> List[Any]:
    """The parameters of a test; those Tenure does not get right yet are expected to fail, with what it says instead."""
    expected = {n: pytest.mark.xfail(reason=why, strict=False) for n, why in not_yet.items()}
    return [pytest.param(n, marks=expected.get(n, ())) for n in names]


def marks(text: str) -> Dict[int, float]:
    """line -> bytes that stay"""
    found = ((number, MARK.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return {number: float(eval(mark.group(1))) for number, mark in found if mark}


def told(findings: Findings) -> str:
    """The verdict and every line that was looked at, for the message of a failing test."""
    lines = [f"verdict {findings['verdict']}: {findings['reason']}"]
    lines += [f"{f['severity']}: {f['title']} | {f['why']}" for f in findings["findings"]]
    lines += [
        f"{Path(c['file']).name}:{c['line']} {c['came_to']} by {c['rule']}: {c['bytes']} bytes in {c['count']}, "
        f"most {c['most_bytes']}, {c['bytes_per_step']} x {c['steps']} per {c['per']}, holder {c['holder']}"
        for c in findings["considered"][:8]
    ]
    return "\n".join(lines)


def leaks(findings: Findings) -> List[Dict[str, Any]]:
    return [f for f in findings["findings"] if f["severity"] in ("leak", "error")]


def check_leak(text: str, findings: Findings, name: str = "program.py") -> None:
    """Every marked line is among the first two places of the leaks, no other line is, and their bytes are the truth."""
    assert findings["verdict"] == "leak", told(findings)
    truth = marks(text)
    bytes_of = dict.fromkeys(truth, 0.0)
    for leak in leaks(findings):
        places = [p["line"] for p in leak["where"][:2] if Path(p["file"]).name == name]
        line = next((n for n in places if n in truth), None)
        assert line, f"places {places}, truth {truth}\n{told(findings)}"
        bytes_of[line] += leak["bytes_per_step"] * leak["steps"]
    for line, expected in truth.items():
        ratio = bytes_of[line] / expected
        assert 0.75 <= ratio <= 1.25, f"line {line}: {ratio:.2f} of the truth\n{told(findings)}"


def check_clean(findings: Findings) -> None:
    assert findings["verdict"] == "clean", told(findings)
    assert not leaks(findings), told(findings)
