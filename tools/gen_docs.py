#!/usr/bin/env python3
"""Makes what docs/ shows of programs and of the command line: runs the programs, and writes down what Tenure said.

usage: gen_docs.py [--only WORD] [--missing] [--command-line]      default: all; WORD: programs with it in their folder

A page names a program by a line `<!-- run FOLDER -->`; what stands up to `<!-- end -->` is made: the program, the command, and
Tenure's words about it. FOLDER is one of tests/exam or tests/docs/programs: program.py or program.cpp, and case.json with its
environment (`env`, of tools/envs.py, or cpp), `options` of `tenure run`, and `valgrind` where that is asked too. A program whose environment cannot be had is left as
it is. docs/command-line.md is what `tenure --print-for markdown` says. TENURE_BIN names another tenure than this build's.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import envs

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
COMMAND_LINE = DOCS / "command-line.md"
RUN = re.compile(r"<!-- run (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)
FLAGS = ["-g", "-O1", "-std=c++17", "-pthread"]
PATIENCE = 600  # seconds that a program may take under Tenure, with an import of a framework on a busy machine


class Program:
    """One program that a page shows."""

    def __init__(self, folder: str) -> None:
        self.folder = ROOT / folder
        self.name = folder
        self.case: Dict[str, Any] = json.loads((self.folder / "case.json").read_text("utf-8"))
        self.is_native = self.case["env"] == "cpp"
        self.file = self.folder / ("program.cpp" if self.is_native else "program.py")

    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    def command(self, place: Path) -> List[str]:
        """What runs it, with its file in `place`. EnvError: its environment cannot be had."""
        shutil.copy(self.file, place)
        if not self.is_native:
            return [envs.path(self.case["env"]), "program.py"]
        words = ["g++", *self.case.get("flags", FLAGS), "-o", "program", "program.cpp"]
        subprocess.run(words, cwd=place, check=True)
        return ["./program"]

    def shown_command(self) -> str:
        what = "./program" if self.is_native else "program.py"
        return " ".join(["tenure", "run", *self.case.get("options", []), what])

    def findings(self, place: Path) -> Dict[str, Any]:
        found: Dict[str, Any] = json.loads((place / "findings.json").read_text(encoding="utf-8"))
        return found


def tenure_program() -> str:
    return os.environ.get("TENURE_BIN") or str(ROOT / "build" / "bin" / "tenure")


def tenures_words(stderr: str) -> str:
    """From the first line that is Tenure's on; before it stand the program's own."""
    lines = stderr.splitlines(keepends=True)
    own = [number for number, line in enumerate(lines) if line.startswith("tenure:")]
    return "".join(lines[own[0] :]) if own else ""


def valgrinds_words(place: Path) -> str:
    """Its summary of the program that is built in `place`, without process ids."""
    words = ["valgrind", "--leak-check=full", "./program"]
    done = subprocess.run(words, cwd=place, capture_output=True, encoding="utf-8", check=True)
    rows = re.findall(r"^==\d+==\s+(\w+ (?:lost|reachable): .*)$", done.stderr, re.MULTILINE)
    return f"$ {' '.join(words)}\n" + "".join(row + "\n" for row in rows)


def run(program: Program, tenure: str, place: Path) -> str:
    """What Tenure says of it; findings.json and the record are left in `place`."""
    command = program.command(place)
    words = [tenure, "run", "--json", "findings.json", "-o", "program.tenure"]
    words += [*program.case.get("options", []), "--", *command]
    done = subprocess.run(
        words,
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
    )
    said = f"$ {program.shown_command()}\n{tenures_words(done.stderr)}"
    return said + (valgrinds_words(place) if program.case.get("valgrind") else "")


def block(program: Program, said: str) -> str:
    language = "cpp" if program.is_native else "python"
    return (
        f"<details><summary>{program.name}</summary>\n\n"
        f"```{language}\n{program.text()}```\n\n</details>\n\n"
        f"```\n{said}```\n"
    )


def pages() -> Iterator[Path]:
    for page in sorted(DOCS.glob("*.md")):
        if RUN.search(page.read_text(encoding="utf-8")):
            yield page


def shown() -> Iterator[Tuple[Path, str, str]]:
    """(page, folder of the program, what the page shows of it), in the order of the pages."""
    for page in pages():
        for match in RUN.finditer(page.read_text(encoding="utf-8")):
            yield page, match[1], match[2]


def made_again(folder: str, before: str, tenure: str) -> str:
    program = Program(folder)
    with tempfile.TemporaryDirectory() as place:
        try:
            said = run(program, tenure, Path(place))
        except (envs.EnvError, subprocess.TimeoutExpired) as problem:
            print(f"{folder} is left as it is: {problem}", file=sys.stderr)
            return before
    print(folder, flush=True)
    return block(program, said)


def command_line(tenure: str) -> str:
    words = [tenure, "--print-for", "markdown"]
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout


def write_down(page: Path, folder: str, made: str) -> None:
    """At once, so that a run that is stopped has lost nothing."""
    text = page.read_text(encoding="utf-8")
    filled = f"<!-- run {folder} -->\n{made}<!-- end -->"
    text = RUN.sub(lambda match: filled if match[1] == folder else match[0], text)
    page.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes what docs/ shows of programs.")
    parser.add_argument("--only", default="", help="a word in the name of the programs' folders")
    parser.add_argument("--missing", action="store_true", help="only what is not there yet")
    parser.add_argument("--command-line", action="store_true", help="only docs/command-line.md")
    chosen = parser.parse_args()
    tenure = tenure_program()
    if not chosen.missing:
        COMMAND_LINE.write_text(command_line(tenure), encoding="utf-8")
    if chosen.command_line:
        return 0
    for page, folder, before in list(shown()):
        if chosen.only in folder and not (chosen.missing and before):
            write_down(page, folder, made_again(folder, before, tenure))
    return 0


if __name__ == "__main__":
    sys.exit(main())
