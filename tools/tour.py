#!/usr/bin/env python3
"""Makes docs/tour.md anew: runs its commands, puts what they print below them, and takes the pictures in docs/tour/.

usage: tour.py [--text]        --text: only the output, without pictures

A command is a line `$ ...` of a block that begins with ```console. All run in one folder with a copy of examples/tour, with
torch's environment as .venv. Pictures need what tools/page_picture.py needs. TENURE_BIN names another tenure than this build's.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List

import envs
import page_picture

ROOT = Path(__file__).resolve().parent.parent
TOUR = ROOT / "docs" / "tour.md"
PICTURES = ROOT / "docs" / "tour"
BLOCK = re.compile(r"(?<=^```console\n)\$ ([^\n]*)\n(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def told(text: str) -> Dict[str, str]:
    """{command: what the tour says that it prints}, in the order of the tour."""
    return {match[1]: match[2] for match in BLOCK.finditer(text)}


def run(commands: List[str], tenure: str, python: str, place: Path) -> Dict[str, str]:
    """{command: what it prints}. The records of the programs are left in `place`."""
    for program in (ROOT / "examples" / "tour").glob("*.py"):
        shutil.copyfile(program, place / program.name)
    (place / ".venv").symlink_to(Path(python).parent.parent)
    folders = [str(place / ".venv" / "bin"), str(Path(tenure).parent), os.environ["PATH"]]
    environ = {**os.environ, "PATH": os.pathsep.join(folders)}
    printed = {}
    for command in commands:
        done = subprocess.run(
            shlex.split(command),
            cwd=place,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )
        printed[command] = done.stdout
    return printed


def with_outputs(text: str, printed: Dict[str, str]) -> str:
    return BLOCK.sub(lambda match: f"$ {match[1]}\n{printed[match[1]]}", text)


def take_pictures(place: Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in ("train", "train_fixed"):
        report = place / f"{name}.tenure" / "report.html"
        page_picture.browse("tour", report, PICTURES)


def main() -> int:
    text = TOUR.read_text(encoding="utf-8")
    tenure = os.environ.get("TENURE_BIN") or str(ROOT / "build" / "bin" / "tenure")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        printed = run(list(told(text)), tenure, envs.path("torch"), place)
        TOUR.write_text(with_outputs(text, printed), encoding="utf-8")
        if "--text" not in sys.argv[1:]:
            take_pictures(place)
    print(TOUR)
    return 0


if __name__ == "__main__":
    sys.exit(main())
