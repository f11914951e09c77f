"""A program whose rate of allocation changes: Tenure samples what became too dear to count, says so, and stays right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

PROGRAM = Path(__file__).parent / "programs" / "rate.cpp"
BIG, MIDDLE = 100 << 10, 1500  # bytes, as in the program
Sites = List[Dict[str, Any]]


@pytest.fixture(scope="module")
def line_of() -> Callable[[str], int]:
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    return lambda name: next(n for n, text in enumerate(lines, 1) if text.endswith(f"//= {name}"))


def test_what_became_too_dear_is_sampled_and_its_figures_stay_right(
    compile_program: Callable[..., str],
    figures_of: Callable[..., Any],
    line_of: Callable[[str], int],
) -> None:
    run, figures = figures_of([compile_program(PROGRAM)])
    true = json.loads(run.stdout)

    def sites_of(name: str) -> Sites:
        return [
            s for s in figures["sites"] if s["file"] == str(PROGRAM) and s["line"] == line_of(name)
        ]

    big, middle = sites_of("big"), sites_of("middle")
    assert {s["kind"] for s in big} == {"heap"}
    assert sum(s["total_count"] for s in big) == true["big"]
    assert sum(s["total_bytes"] for s in big) == true["big"] * BIG
    assert {s["kind"] for s in middle} == {"heap", "small heap"}, "the governor did not act"
    error = sum(s["total_error_bytes"] for s in middle)
    assert 0 < error < 0.05 * true["middle"] * MIDDLE
    assert abs(sum(s["total_bytes"] for s in middle) - true["middle"] * MIDDLE) <= 5 * error

    assert run.findings["verdict"] == "clean"
    threshold = re.match(r"blocks under (\d+) bytes", run.findings["losses"]["sampling"])
    assert threshold and int(threshold.group(1)) > MIDDLE
