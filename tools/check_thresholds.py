#!/usr/bin/env python3
"""Fails when a threshold of the analysis stands outside of the rules of its stage, or names no test.

usage: check_thresholds.py [SRC]        SRC: the folder that holds analyze/, src/ of this clone by default

The rules of a stage are in src/analyze/STAGE/rules.h, each with its unit and its reason. Elsewhere
in src/analyze a number may not be named as a constant (`constexpr int kMost = 8`), and a fraction
may not stand bare (`0.75`). Whole numbers may: loops and indices need them. Values that mark
something (`~0u`, hexadecimal ones, numeric_limits) are no thresholds.

In the rules of the stages in TESTED every threshold names the unit test that fails when it moves,
in the comment above it: `// Moved by: Suite.Test`. The test must be in tests/unit beside SRC.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator, List, Set

from cpp_text import code_of

FOLDER = "analyze"
RULES = "rules.h"
TESTED = ("run", "heap", "causes", "findings")
SUFFIXES = {".h", ".hpp", ".inc", ".cc", ".cpp"}
NUMBER = (
    r"(?:std::)?(?:u?int(?:_fast|_least)?(?:8|16|32|64)?_t|u?intptr_t|size_t|ptrdiff_t|auto"
    r"|double|float|(?:(?:unsigned|signed|long|short)\s+)*(?:int|long|short|unsigned|double))"
)
MARK = r"\s*(?:=\s*|\{\s*)(?:~|0[xX]|(?:std::)?numeric_limits|U?INT\d*_(?:MAX|MIN)|SIZE_MAX)"
CONSTANT = re.compile(
    r"\bconstexpr\s+(?:static\s+|inline\s+)*(?:const\s+)?"
    + NUMBER
    + r"\s+(k[A-Z]\w*)(?!"
    + MARK
    + ")\\b"
)
LITERAL = re.compile(r"(?<![\w.])(\d[\d']*\.\d*|\.\d+|\d[\d']*(?=[eE]))([eE][-+]?\d+)?(?!\w*\.\w)")


MOVED_BY = re.compile(r"^\s*// Moved by: (.+?)\s*$")
TEST = re.compile(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", re.MULTILINE)


def is_fraction(literal: str) -> bool:
    return float(literal.replace("'", "")) % 1 != 0


def errors_in_file(path: Path, name: str) -> Iterator[str]:
    code = code_of(path.read_text(encoding="utf-8", errors="replace"))
    for found in CONSTANT.finditer(code):
        number = code.count("\n", 0, found.start()) + 1
        yield f"{name}:{number}: threshold {found[1]} belongs into {RULES} of its stage"
    for number, line in enumerate(code.splitlines(), 1):
        for literal in LITERAL.finditer(line):
            if is_fraction(literal[0]):
                yield f"{name}:{number}: {literal[0]} needs a name in {RULES} of its stage"


def tests_in(folder: Path) -> Set[str]:
    """ "Suite.Test" of every test below it."""
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.cpp")]
    return {f"{suite}.{test}" for text in texts for suite, test in TEST.findall(text)}


def tests_above(lines: List[str], number: int) -> List[str]:
    """What the comment right above a line (from 1) names as moving it."""
    named: List[str] = []
    for line in reversed(lines[: number - 1]):
        if not line.lstrip().startswith("//"):
            break
        found = MOVED_BY.match(line)
        named += found[1].split(", ") if found else []
    return named


def errors_in_rules(path: Path, name: str, tests: Set[str]) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    for found in CONSTANT.finditer(code_of(text)):
        number = text.count("\n", 0, found.start()) + 1
        named = tests_above(text.splitlines(), number)
        if not named:
            yield f"{name}:{number}: {found[1]} needs `// Moved by: Suite.Test` above it"
        for test in named:
            if test not in tests:
                yield f"{name}:{number}: {found[1]} is moved by {test}, and there is no such test"


def errors_in(src: Path) -> List[str]:
    folder = src / FOLDER
    files = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    if not files:
        return [f"no sources in {folder}"]
    rules = [p for p in files if p.name == RULES and p.parent.parent == folder]
    errors = [
        error
        for path in files
        if path not in rules
        for error in errors_in_file(path, path.relative_to(src).as_posix())
    ]
    tests = tests_in(src.parent / "tests" / "unit")
    for path in rules:
        if path.parent.name in TESTED:
            errors += errors_in_rules(path, path.relative_to(src).as_posix(), tests)
    return errors


def main() -> int:
    here = Path(__file__).resolve().parent.parent / "src"
    errors = errors_in(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "thresholds ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
