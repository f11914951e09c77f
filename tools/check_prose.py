#!/usr/bin/env python3
"""Fails when src/analyze makes English: its stages send codes (base/sentence_writer.h), and src/report/texts has the words.

usage: check_prose.py [ROOT]

Prose is a string literal with a word beside a space. Codes, names of types and files, and formats of figures have none.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import List

import cpp_strings

FOLDER = "src/analyze"
BESIDE_A_SPACE = re.compile(r"[A-Za-z]{2,}[^\w\s]* | [^\w\s]*[A-Za-z]{2,}")
# What snapshots call references that have no name of their own: docs/snapshot-format.md.
LABELS = {
    "local `",
    "closure `",
    "context `",
    "thread-local values",
    " thread-local values",
    " temporary",
}


def errors_in(root: Path) -> List[str]:
    errors = []
    for path in sorted((root / FOLDER).rglob("*.[ch]*")):
        for literal in cpp_strings.literals_in(path.read_text(encoding="utf-8")):
            if literal.text in LABELS or not BESIDE_A_SPACE.search(literal.text):
                continue
            place = f"{path.relative_to(root)}:{literal.line}"
            errors.append(f'{place}: "{literal.text}" belongs into src/report/texts')
    return errors


def main() -> int:
    here = Path(__file__).resolve().parent.parent
    errors = errors_in(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "prose ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
