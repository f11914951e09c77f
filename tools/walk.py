#!/usr/bin/env python3
"""Counts the modules that one block passes on its way from the hook to the sentence about it.

usage: walk.py [--tenure PATH] [--most N] [--src DIR]

A module is a pair name.h and name.cpp of one folder of src/, or one of them alone. It is passed when
code of it runs: valgrind's callgrind follows every instruction, and the debug information says which
file it was written in, also where it was inlined. Two ways are followed and put together:

  in the program   one `malloc` of a C program that keeps a block in each round of a loop, long after
                   its start: the first block of its line, so that its stack is read and its site is
                   made. Of three such blocks the one that passed the fewest modules is taken: some
                   are timed, or need a fresh page.
  afterwards       `tenure show` on the record: from the file to the words on the terminal.

What names addresses (src/symbolize) is listed and not counted: it runs for every frame of a program,
whichever block is asked for. What copies the ledger into the record is not on the way: it never looks
at a block. --most makes the count a limit: the exit code is 1 when it is exceeded.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, Iterable, List, Set

ROOT = Path(__file__).resolve().parent.parent
UNCOUNTED = "symbolize"
SENTENCE = "every step"  # of the report: without it nothing was told

# One block in each round. Three rounds make it at a line of their own, each followed into a profile of its own.
PROGRAM = """
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>
static void* kept[200];
#define FOLLOWED(i) { CALLGRIND_START_INSTRUMENTATION; kept[i] = malloc(40000); \\
                      CALLGRIND_STOP_INSTRUMENTATION; CALLGRIND_DUMP_STATS; }
int main(void) {
  for (int i = 0; i < 200; ++i) {
    if (i == 120)
      FOLLOWED(i)
    else if (i == 150)
      FOLLOWED(i)
    else if (i == 180)
      FOLLOWED(i)
    else
      kept[i] = malloc(40000);
    memset(kept[i], 1, 40000);
  }
  return kept[0] == NULL;
}
"""

# `fl=(3) path` names a file once and gives it a number; fi and fe are code inlined from another file.
NAMED_FILE = re.compile(r"^(?:fl|fi|fe)=\((\d+)\)(?: (.*))?$", re.MULTILINE)
NAMED_BY_CALL = re.compile(r"^(?:cfi|cfl)=\((\d+)\) (.+)$", re.MULTILINE)


class WalkError(Exception):
    """Why the walk cannot be counted, as a sentence for people."""


def files_run(profile: str) -> Set[str]:
    """The files whose code ran, of callgrind's profile. Calls also name files, of code that ran elsewhere."""
    names: Dict[str, str] = {number: name for number, name in NAMED_BY_CALL.findall(profile)}
    names.update({number: name for number, name in NAMED_FILE.findall(profile) if name})
    return {names[number] for number, _ in NAMED_FILE.findall(profile) if number in names}


def modules_of(files: Iterable[str], src: Path) -> Set[str]:
    """The modules of src/ among the files, which may be those of another clone."""
    modules = set()
    for file in files:
        found = re.search(r"(?:^|/)src/(.+)\.(?:h|cpp)$", file)
        if found and any((src / (found[1] + suffix)).exists() for suffix in (".h", ".cpp")):
            modules.add(found[1])
    return modules


def run(command: List[str], folder: Path) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600
        )
    except FileNotFoundError:
        raise WalkError(f"{command[0]} is missing: tools/setup.py test")
    said = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise WalkError(f"{' '.join(command[:3])} ... ended with {done.returncode}:\n{said[-800:]}")
    return said


def profiles_in(folder: Path, pattern: str) -> List[str]:
    """The profiles in which anything ran."""
    texts = [path.read_text(errors="replace") for path in sorted(folder.glob(pattern))]
    return [text for text in texts if files_run(text)]


def follow_block(tenure: str, folder: Path, src: Path) -> Set[str]:
    """Leaves the record in `folder`."""
    (folder / "program.c").write_text(PROGRAM, encoding="utf-8")
    run(["gcc", "-g", "-O1", "-fno-builtin", "-o", "program", "program.c"], folder)
    callgrind = ["valgrind", "--tool=callgrind", "--trace-children=yes", "--instr-atstart=no"]
    run(
        [*callgrind, "--callgrind-out-file=block.%p", tenure, "run", "-o", "record", "./program"],
        folder,
    )
    ways = [modules_of(files_run(profile), src) for profile in profiles_in(folder, "block.*")]
    ways = [way for way in ways if way]
    if not ways:
        raise WalkError("no block was followed")
    return min(ways, key=len)


def follow_report(tenure: str, folder: Path, src: Path) -> Set[str]:
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=show"]
    said = run([*callgrind, tenure, "show", "record"], folder)
    if SENTENCE not in said:
        raise WalkError(f"the leak was not told:\n{said[-800:]}")
    return modules_of(files_run((folder / "show").read_text(errors="replace")), src)


def walk(tenure: str, src: Path) -> Set[str]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        return follow_block(tenure, folder, src) | follow_report(tenure, folder, src)


def by_folder(modules: Set[str]) -> Dict[str, List[str]]:
    folders: Dict[str, List[str]] = {}
    for module in sorted(modules):
        folders.setdefault(module.split("/")[0], []).append(module)
    return folders


def main() -> int:
    parser = argparse.ArgumentParser(description="Counts the modules a block passes.")
    parser.add_argument("--tenure", default=str(ROOT / "build" / "bin" / "tenure"))
    parser.add_argument("--src", type=Path, default=ROOT / "src", help="what it was built from")
    parser.add_argument("--most", type=int, help="exit with 1 when there are more")
    args = parser.parse_args()
    try:
        folders = by_folder(walk(str(Path(args.tenure).resolve()), args.src))
    except WalkError as error:
        print(error, file=sys.stderr)
        return 2
    for folder, modules in folders.items():
        note = " (not counted)" if folder == UNCOUNTED else ""
        print(f"{folder} {len(modules)}{note}: " + " ".join(m[len(folder) + 1 :] for m in modules))
    count = sum(len(modules) for folder, modules in folders.items() if folder != UNCOUNTED)
    print(
        f"{count} modules from hook to sentence" + (f", at most {args.most}" if args.most else "")
    )
    return 1 if args.most is not None and count > args.most else 0


if __name__ == "__main__":
    sys.exit(main())
