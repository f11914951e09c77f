"""Loops are found by themselves, and counted exactly where they can be: every shape, every Python.

The programs say the truth themselves: `#= N` on the line of a loop that runs N times in all.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict

import find_python
import pytest

PROGRAMS = Path(__file__).parent / "programs"
MARK = re.compile(r"(?:#|//)= (\d+)")


def truth(program: Path) -> Dict[int, int]:
    """line -> rounds"""
    lines = program.read_text(encoding="utf-8").splitlines()
    marks = ((number, MARK.search(line)) for number, line in enumerate(lines, 1))
    return {number: int(mark.group(1)) for number, mark in marks if mark}


def seen_loops(figures_of: Callable[..., Any], command: list, program: Path) -> Dict[int, int]:
    _, figures = figures_of(command)
    steps = figures["steps"]
    return {s["line"]: s["steps"] for s in steps if Path(s["file"]).name == program.name}


def check(found: Dict[int, int], program: Path) -> None:
    expected = truth(program)
    seen = {line: found.get(line) for line in expected}
    assert seen == expected, {
        line: (expected[line], n) for line, n in seen.items() if n != expected[line]
    }


@pytest.mark.parametrize("version", find_python.SUPPORTED)
def test_python_loops_are_counted_exactly(version: str, figures_of: Callable[..., Any]) -> None:
    python = find_python.find(version)
    if not python:
        pytest.skip(find_python.missing_hint(version))
    program = PROGRAMS / "loops.py"
    found = seen_loops(figures_of, [python, str(program)], program)
    check(found, program)
    # `for attempt` and the loop of Reader always end in their first round: they may be seen or not.
    assert len(found) <= len(truth(program)) + 2, found


@pytest.mark.parametrize("version", find_python.SUPPORTED)
def test_loops_of_coroutines_that_take_turns_are_counted(
    version: str, figures_of: Callable[..., Any]
) -> None:
    python = find_python.find(version)
    if not python:
        pytest.skip(find_python.missing_hint(version))
    program = PROGRAMS / "coroutine_loops.py"
    found = seen_loops(figures_of, [python, str(program)], program)
    expected = truth(program)
    # A round in which nothing is made is not seen: the last one of each coroutine, and of each `while` that ends in it.
    wrong = {
        n: (expected[n], found.get(n)) for n in expected if abs(expected[n] - found.get(n, 0)) > 3
    }
    assert not wrong, wrong


# From 3.14 on the dict of a module no longer tells that it has changed.
@pytest.mark.parametrize("version", find_python.SUPPORTED[: find_python.SUPPORTED.index("3.14")])
def test_a_loop_of_a_module_over_an_object_that_does_not_count(
    version: str, figures_of: Callable[..., Any]
) -> None:
    python = find_python.find(version)
    if not python:
        pytest.skip(find_python.missing_hint(version))
    program = PROGRAMS / "module_loop.py"
    check(seen_loops(figures_of, [python, str(program)], program), program)


def test_an_instruction_that_makes_several_blocks_is_one_round(
    env: Callable[[str], str], figures_of: Callable[..., Any]
) -> None:
    program = PROGRAMS / "numpy_loops.py"
    check(seen_loops(figures_of, [env("numpy"), str(program)], program), program)


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_native_loops_are_counted_exactly(
    compiler: str, level: str, figures_of: Callable[..., Any], tmp_path: Path
) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} on this machine")
    program = PROGRAMS / "loops.cpp"
    binary = tmp_path / "loops"
    subprocess.run(
        [compiler, "-g", level, "-std=c++17", "-pthread", "-o", binary, program], check=True
    )
    found = seen_loops(figures_of, [str(binary)], program)
    if level == "-O2":  # the optimiser may leave a loop on the line before its own
        for line, rounds in truth(program).items():
            if line not in found and found.get(line - 1) == rounds:
                found[line] = found.pop(line - 1)
    check(found, program)
