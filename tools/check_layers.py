#!/usr/bin/env python3
"""Fails when a folder of src/ includes a folder that the table below does not allow.

usage: check_layers.py [SRC]        SRC: the folder to check, src/ of this clone by default

The table is the architecture. A new folder under src/ needs a line here first. Includes are written
as paths from src/, for example "ledger/layout.h"; those of the public headers as users write them,
"tenure/scope.h". The public headers are in include/ beside SRC.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional

# the analysis, stage after stage; what comes after it may read the data of any of them
STAGES: List[str] = [
    "analyze/run",
    "analyze/evidence",
    "analyze/heap",
    "analyze/causes",
    "analyze/growth",
    "analyze/errors",
    "analyze/balance",
    "analyze/findings",
    "analyze/compare",
    "analyze/page",
    "analyze/since",
]

# folder -> the folders it may include; itself is always allowed
ALLOWED: Dict[str, List[str]] = {
    "base": [],
    "ledger": ["base"],
    # the C++ library: what users include, and what is behind it
    "tenure": [],
    "lib": ["tenure", "base"],
    # inside the traced program
    "inproc/os": ["base"],
    "inproc/territory": ["base", "inproc/os"],
    "inproc/guard": ["base", "inproc/os", "inproc/territory"],
    "inproc/stacks": ["base", "ledger", "inproc/os"],
    "inproc/accounting": ["base", "ledger", "inproc/os", "inproc/territory", "inproc/stacks"],
    "inproc/snapshot": [
        "base",
        "ledger",
        "inproc/os",
        "inproc/territory",
        "inproc/stacks",
        "inproc/accounting",
    ],
    "inproc/boot": [
        "base",
        "ledger",
        "inproc/os",
        "inproc/stacks",
        "inproc/guard",
        "inproc/accounting",
        "inproc/snapshot",
    ],
    "inproc/hooks": [
        "base",
        "ledger",
        "inproc/os",
        "inproc/guard",
        "inproc/stacks",
        "inproc/territory",
        "inproc/accounting",
        "inproc/boot",
    ],
    # later or beside it
    "symbolize": ["base", "ledger"],
    "bytecode": ["base", "ledger"],
    "record": ["base", "ledger", "symbolize"],
    # the analysis: one folder per stage, each includes only earlier ones
    "analyze/run": ["base", "ledger", "bytecode", "record"],
    "analyze/evidence": ["base", "ledger", "bytecode", "analyze/run"],
    "analyze/heap": ["base", "ledger", "bytecode", "analyze/run", "analyze/evidence"],
    "analyze/causes": ["base", "ledger", "analyze/run"],
    "analyze/growth": [
        "base",
        "ledger",
        "bytecode",
        "record",
        "analyze/run",
        "analyze/evidence",
        "analyze/heap",
        "analyze/causes",
    ],
    "analyze/errors": ["base", "ledger", "record", "analyze/run"],
    "analyze/balance": ["base", "ledger", "bytecode", "record", *STAGES[:-5]],
    "analyze/findings": ["base", "ledger", "bytecode", *STAGES[:-4]],
    "analyze/compare": ["base", *STAGES[:-3]],
    "analyze/page": ["base", "ledger", "record", *STAGES[:-3]],
    "analyze/since": ["base", "ledger", "bytecode", "record", *STAGES[:-3]],
    "analyze": ["base", "ledger", "bytecode", "record", *STAGES],
    "report": ["base", "ledger", "record", *STAGES],
    "attach": ["base", "ledger"],
    "cli": ["base", "ledger", "symbolize", "record", *STAGES, "analyze", "report", "attach"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
SUFFIXES = {".h", ".hpp", ".inc", ".c", ".cc", ".cpp"}
GENERATED = re.compile(r"^[a-z_]+\.inc$")  # made by the build, included by bare name


def layer_of(path: str) -> Optional[str]:
    inside = [layer for layer in ALLOWED if path.startswith(layer + "/")]
    return max(inside, key=len, default=None)


def find_cycle() -> Optional[List[str]]:
    done: List[str] = []
    way: List[str] = []

    def visit(layer: str) -> Optional[List[str]]:
        if layer in way:
            return way[way.index(layer) :] + [layer]
        if layer in done:
            return None
        way.append(layer)
        for other in ALLOWED[layer]:
            cycle = visit(other)
            if cycle:
                return cycle
        done.append(way.pop())
        return None

    return next((cycle for cycle in map(visit, ALLOWED) if cycle), None)


def errors_in_file(path: Path, name: str) -> Iterator[str]:
    layer = layer_of(name)
    if layer is None:
        yield f"{name}: in no layer; add its folder to ALLOWED in tools/check_layers.py"
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if not found or GENERATED.match(found[1]):
            continue
        target = layer_of(found[1])
        if target is None:
            yield f'{name}:{number}: "{found[1]}" is not a path from src/'
        elif target != layer and target not in ALLOWED[layer]:
            yield f"{name}:{number}: {layer} must not include {target}"


def errors_in(src: Path) -> List[str]:
    cycle = find_cycle()
    errors = ["ALLOWED has a cycle: " + " -> ".join(cycle)] if cycle else []
    files = []
    for folder in (src, src.parent / "include"):
        found = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
        for path in found:
            errors += errors_in_file(path, path.relative_to(folder).as_posix())
        files += found
    if not files:
        errors.append(f"no sources in {src}")
    return errors


def main() -> int:
    here = Path(__file__).resolve().parent.parent / "src"
    errors = errors_in(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "layers ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
