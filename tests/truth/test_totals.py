"""Tenure's figures against the books that programs keep themselves.

Exact for blocks that are counted one by one in one thread; within the stated error where there is one.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

import pytest

PROGRAMS = Path(__file__).parent / "programs"
MARK = re.compile(r"(?:#|//)= (\w+)")
LEAST, MOST = 64 << 10, 192 << 10  # of the blocks that are booked; the most in books.cpp
Books = Dict[str, Dict[str, float]]


def names_of(program: Path) -> Dict[int, str]:
    """line -> the name its blocks are booked under"""
    lines = program.read_text(encoding="utf-8").splitlines()
    marks = ((number, MARK.search(line)) for number, line in enumerate(lines, 1))
    return {number: mark.group(1) for number, mark in marks if mark}


def seen_and_true(figures_of: Callable[..., Any], command: list, program: Path) -> Tuple[Any, Any]:
    run, figures = figures_of(command)
    names = names_of(program)
    seen: Books = {name: {} for name in names.values()}
    for site in figures["sites"]:
        if Path(site["file"]).name != program.name or site["line"] not in names:
            continue
        name = names[site["line"]]
        if site["kind"] != ("small heap" if name == "small" else "heap"):
            continue  # objects of the interpreter, made by the same line
        if name != "small" and site["total_bytes"] < LEAST * site["total_count"]:
            continue  # the same: a table that grew while the line ran
        book = seen[name]
        for key, value in site.items():
            if isinstance(value, (int, float)):
                book[key] = book.get(key, 0) + value
    return seen, json.loads(run.stdout)


def only(books: Books, like: Books) -> Books:
    return {name: {key: books[name].get(key, 0) for key in like[name]} for name in like}


@pytest.fixture
def native_books(compile_program, figures_of) -> Callable[[int], Tuple[Any, Any]]:
    program = PROGRAMS / "books.cpp"
    binary = compile_program(program)
    return lambda threads: seen_and_true(figures_of, [binary, str(threads)], program)


def within_stated_error(seen: Dict[str, float], true: Dict[str, float]) -> None:
    """Five standard deviations: a right figure misses that once in a million runs."""
    for what in ("live", "total"):
        error = seen[f"{what}_error_bytes"]
        assert 0 < error < 0.2 * true[f"{what}_bytes"]
        assert abs(seen[f"{what}_bytes"] - true[f"{what}_bytes"]) <= 5 * error


def test_native_figures_of_one_thread_are_exact(native_books):
    seen, true = native_books(1)
    true.pop("peak")
    small = true.pop("small")
    assert only(seen, true) == true
    within_stated_error(seen["small"], small)


def test_native_figures_of_four_threads_are_exact_and_at_the_peak_never_too_big(
    native_books,
):
    seen, true = native_books(4)
    peak, small = true.pop("peak"), true.pop("small")
    for book in true.values():
        del book["at_peak_bytes"], book["at_peak_count"]
    assert only(seen, true) == true
    within_stated_error(seen["small"], small)
    at_peak = sum(seen[name]["at_peak_bytes"] for name in true)
    # A thread stopped between its birth and the mark of the new peak lets ends of other threads go unsaved.
    assert 0 < at_peak <= peak + 2 * 4 * MOST


def without_passing_blocks(seen: Books, true: Books) -> Books:
    """Of blocks that came and went on an array's line: a few small ones of the interpreter's and of our adapters."""
    result = only(seen, true)
    for name, book in result.items():
        extra = book["total_count"] - true[name]["total_count"]
        if 0 < extra <= 32 and book["total_bytes"] - true[name]["total_bytes"] <= extra * 4096:
            book["total_count"] = true[name]["total_count"]
            book["total_bytes"] = true[name]["total_bytes"]
    return result


def test_figures_of_arrays_are_exact(env, figures_of):
    program = PROGRAMS / "books_numpy.py"
    seen, true = seen_and_true(figures_of, [env("numpy"), str(program)], program)
    assert without_passing_blocks(seen, true) == true
