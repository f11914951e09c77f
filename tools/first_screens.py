#!/usr/bin/env python3
"""Takes pictures of the first screens of the report page: of real programs, light and dark, on a desk and on a phone.

usage: first_screens.py [FOLDER] [NAME...]      without: build/first-screens, all of them

NAME is graph_growth, autograd, decoder, clean, workers, session_closed or fixed (the page of `tenure diff`). Programs whose
framework has no environment here are left out. Needs what tools/page_picture.py needs. TENURE_BIN names another tenure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional

import envs
import page_picture

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "page" / "programs"
TOUR = ROOT / "examples" / "tour"
# name -> the framework that it needs, and the program
SCREENS = {
    "graph_growth": ("tf2", PROGRAMS / "graph_growth.py"),
    "autograd": ("torch", TOUR / "train.py"),
    "decoder": ("", PROGRAMS / "decoder.cpp"),
    "clean": ("torch", PROGRAMS / "clean.py"),
    "workers": ("numpy", PROGRAMS / "workers.py"),
    "session_closed": ("tf2", PROGRAMS / "session_closed.py"),
    "autograd_fixed": ("torch", TOUR / "train_fixed.py"),
}
COMPARED = ("autograd", "autograd_fixed")


def command_of(framework: str, program: Path, place: Path) -> Optional[List[str]]:
    """None: the environment is not there."""
    copy = place / program.name
    shutil.copyfile(program, copy)
    if program.suffix == ".cpp":
        binary = place / program.stem
        words = [os.environ.get("CXX", "c++"), "-std=c++17", "-g", "-O1"]
        subprocess.run([*words, str(copy), "-o", str(binary)], check=True)
        return [str(binary)]
    try:
        return [envs.path(framework), copy.name]
    except envs.EnvError:
        return None


def record(tenure: str, name: str, place: Path) -> Optional[Path]:
    """The page of a run; None: it cannot run here."""
    command = command_of(*SCREENS[name], place)
    if not command:
        print(f"{name}: left out, there is no {SCREENS[name][0]} here", file=sys.stderr)
        return None
    folder = place / f"{name}.tenure"
    words = [tenure, "run", "--report", "-o", str(folder), "--", *command]
    subprocess.run(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "report.html"


def compare(tenure: str, place: Path) -> Optional[Path]:
    records = [place / f"{name}.tenure" for name in COMPARED]
    if not all(one.exists() for one in records):
        return None
    page = place / "difference.html"
    words = [tenure, "diff", *map(str, records), "--html", str(page)]
    subprocess.run(words, cwd=place, check=True, stdout=subprocess.DEVNULL)
    return page


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "first-screens")
    wanted = sys.argv[2:] or [*SCREENS, "fixed"]
    tenure = os.environ.get("TENURE_BIN") or str(ROOT / "build" / "bin" / "tenure")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        pages: Dict[str, Optional[Path]] = {}
        names = {*wanted, *(COMPARED if "fixed" in wanted else ())}
        for name in (one for one in SCREENS if one in names):
            pages[name] = record(tenure, name, place)
        if "fixed" in wanted:
            pages["fixed"] = compare(tenure, place)
        for name, page in pages.items():
            if page and page.exists() and name in wanted:
                (folder / name).mkdir(exist_ok=True)
                page_picture.browse("screens", page, folder / name)
                print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
