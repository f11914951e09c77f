"""Compiles a C program against the headers of each Python named on the command line, and prints what it prints."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def rows_of(program_text: str, headers: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "layout.c", Path(folder) / "layout"
        source.write_text(program_text, encoding="utf-8")
        # The parent holds what Debian keeps per machine (x86_64-linux-gnu/python3.x/pyconfig.h).
        includes = [f"-I{path}" for path in (headers, headers / "internal", headers.parent)]
        subprocess.run(["cc", "-w", *includes, str(source), "-o", str(program)], check=True)
        return subprocess.run([str(program)], check=True, stdout=subprocess.PIPE).stdout.decode()


def main(tool: str, program_text: str) -> int:
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(f"usage: {tool} HEADERS ..., the folders with Python.h", file=sys.stderr)
        return 2
    for headers in sys.argv[1:]:
        sys.stdout.write(rows_of(program_text, Path(headers)))
    return 0
