#!/usr/bin/env python3
"""Fails when src/analyze opens a file, or asks the file system anything.

usage: check_no_files.py [SRC]        SRC: the folder that holds analyze/, src/ of this clone by default

The analysis is a function of the record: what it needs was read before it began. So a record tells
the same on another machine, after the program's files have gone or changed. Names of files may be
taken apart with std::filesystem::path; nothing else of std::filesystem is allowed, under no other
name, nor are the functions of other folders that read files.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Iterator, List

from cpp_text import INCLUDE, code_of

FOLDER = "analyze"
SUFFIXES = {".h", ".hpp", ".inc", ".cc", ".cpp"}
HEADERS = {
    "fstream",
    "fcntl.h",
    "dirent.h",
    "unistd.h",
    "sys/mman.h",
    "sys/stat.h",
    "ledger/record_file.h",
}
STREAMS = r"\b(?:basic_)?(?:i|o)?f(?:stream|ilebuf)\b"
CALLS = (
    r"\b(?:f(?:re|d)?open(?:64)?|p?open(?:at|64|dir)?|creat|mmap|readlink(?:at)?|l?stat|access"
    r"|read_(?:record|image|unchanged)|write_(?:record_file|image))\s*\("
)
FILE_SYSTEM = r"\bfilesystem\b(?!::path\b)"  # also `namespace fs = std::filesystem`
FORBIDDEN = re.compile("|".join((STREAMS, CALLS, FILE_SYSTEM)))


def errors_in_file(path: Path, name: str) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, (line, code) in enumerate(zip(text.splitlines(), code_of(text).splitlines()), 1):
        include = INCLUDE.match(line)
        if include:
            if include[2] in HEADERS:
                yield f"{name}:{number}: the analysis opens no file: includes {include[2]}"
            continue
        found = FORBIDDEN.search(code)
        if found:
            yield f"{name}:{number}: the analysis opens no file: {found[0].rstrip('( ')}"


def errors_in(src: Path) -> List[str]:
    files = sorted(path for path in (src / FOLDER).rglob("*") if path.suffix in SUFFIXES)
    if not files:
        return [f"no sources in {src / FOLDER}"]
    return [
        error for path in files for error in errors_in_file(path, path.relative_to(src).as_posix())
    ]


def main() -> int:
    here = Path(__file__).resolve().parent.parent / "src"
    errors = errors_in(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "no files ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
