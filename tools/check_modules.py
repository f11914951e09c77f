#!/usr/bin/env python3
"""Fails when modules include each other in a cycle.

usage: check_modules.py [SRC]        SRC: the folder to check, src/ of this clone by default

A module is a pair name.h and name.cpp of one folder, or one of them alone. It needs another module
when one of its files includes one of the other's. Includes are written as paths from src/; those of
the public headers, which are in include/ beside SRC, as users write them. Modules in a cycle can
only be understood, tested and moved together.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath
from typing import Dict, List, NamedTuple, Optional, Set

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp"}


class Include(NamedTuple):
    """Where one module names another."""

    file: str
    target: str


Modules = Dict[str, Dict[str, Include]]  # module -> module it needs -> one include that says so


def module_of(path: str) -> str:
    return PurePosixPath(path).with_suffix("").as_posix()


def add_file(modules: Modules, path: Path, name: str) -> None:
    needed = modules.setdefault(module_of(name), {})
    for target in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
        if PurePosixPath(target).suffix in SUFFIXES and module_of(target) != module_of(name):
            needed.setdefault(module_of(target), Include(name, target))


def modules_in(src: Path) -> Modules:
    modules: Modules = {}
    for folder in (src, src.parent / "include"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SUFFIXES:
                add_file(modules, path, path.relative_to(folder).as_posix())
    return modules


def shortest_cycle(modules: Modules, start: str) -> Optional[List[str]]:
    """The shortest way from `start` back to itself, or None."""
    ways = [[start]]
    seen: Set[str] = set()
    for way in ways:  # grows while it is walked: breadth first
        for target in modules.get(way[-1], {}):
            if target == start:
                return [*way, start]
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return None


def cycles_in(modules: Modules) -> List[List[str]]:
    """One cycle for each module that is in any and in none that was found before."""
    found: List[List[str]] = []
    for module in sorted(modules):
        if not any(module in cycle for cycle in found):
            cycle = shortest_cycle(modules, module)
            if cycle:
                found.append(cycle)
    return found


def as_error(modules: Modules, cycle: List[str]) -> str:
    lines = ["modules include each other: " + " -> ".join(cycle)]
    for module, target in zip(cycle, cycle[1:]):
        include = modules[module][target]
        lines.append(f'  {include.file} includes "{include.target}"')
    return "\n".join(lines)


def errors_in(src: Path) -> List[str]:
    modules = modules_in(src)
    if not modules:
        return [f"no sources in {src}"]
    return [as_error(modules, cycle) for cycle in cycles_in(modules)]


def main() -> int:
    here = Path(__file__).resolve().parent.parent / "src"
    errors = errors_in(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "modules ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
