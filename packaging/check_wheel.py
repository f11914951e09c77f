#!/usr/bin/env python3
"""Prints a wheel's size, tag and the newest glibc it needs; fails when it would not run where its tag says.

usage: check_wheel.py WHEEL

Each program and library in it may need only what every Linux of that tag has (the list of PEP 600, as far as C goes), no
symbol newer than the glibc that the tag names, and may carry no debug sections, but the name of the file that has them. No
file in it may hold the path of the folder it was built in: another folder would then give other bytes.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import List, Tuple

ALLOWED = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "librt.so.1",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
}
ROOT = Path(__file__).resolve().parent.parent
LARGEST = 4 << 20  # bytes; the first one had 1.7 MB

Version = Tuple[int, ...]


def output_of(*command: str) -> str:
    return subprocess.run(
        command, stdout=subprocess.PIPE, check=True, encoding="utf-8", errors="replace"
    ).stdout


def numbers(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def dotted(version: Version) -> str:
    return ".".join(map(str, version))


def glibc_needed(file: Path) -> Version:
    """The newest version of glibc that a symbol of `file` asks for. Its own definitions carry none."""
    found = re.findall(r"Name: GLIBC_([\d.]+)", output_of("readelf", "-V", "-W", str(file)))
    return max(map(numbers, found), default=(0,))


def libraries_needed(file: Path) -> List[str]:
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", "-W", str(file)))


def sections(file: Path) -> str:
    return output_of("readelf", "-S", "-W", str(file))


def has_debug_sections(file: Path) -> bool:
    return bool(re.search(r"\s\.(debug_|symtab)", sections(file)))


def names_debug_file(file: Path) -> bool:
    return ".gnu_debuglink" in sections(file)


def tag_of(wheel: Path) -> str:
    return "-".join(wheel.stem.split("-")[-3:])


def glibc_promised(tag: str) -> Version:
    found = re.search(r"manylinux_(\d+)_(\d+)_x86_64$", tag)
    if not found:
        raise ValueError(f"the tag {tag} names no glibc")
    return int(found[1]), int(found[2])


def errors_of(name: str, file: Path, promised: Version) -> List[str]:
    errors = []
    needed = glibc_needed(file)
    if needed > promised:
        errors.append(
            f"{name} needs glibc {dotted(needed)}, and the tag promises {dotted(promised)}"
        )
    foreign = sorted(set(libraries_needed(file)) - ALLOWED)
    if foreign:
        errors.append(f"{name} needs {', '.join(foreign)}")
    if has_debug_sections(file):
        errors.append(f"{name} is not stripped")
    if not names_debug_file(file):
        errors.append(f"{name} does not say which file has its debug sections")
    return errors


def check(wheel: Path) -> List[str]:
    """The faults of the wheel; prints what it is."""
    tag, errors, needed = tag_of(wheel), [], (0,)  # type: Tuple[str, List[str], Version]
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as scratch:
        for name in archive.namelist():
            content = archive.read(name)
            if str(ROOT).encode() in content:
                errors.append(f"{name} holds the path {ROOT}")
            if content[:4] != b"\x7fELF":
                continue
            file = Path(archive.extract(name, scratch))
            needed = max(needed, glibc_needed(file))
            errors += errors_of(name, file, glibc_promised(tag))
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size} bytes, tag {tag}, needs glibc {dotted(needed)}")
    if needed == (0,):
        errors.append("no program or library in it needs glibc: nothing was checked")
    if size > LARGEST:
        errors.append(f"{size} bytes are more than {LARGEST}")
    return errors


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: check_wheel.py WHEEL", file=sys.stderr)
        return 2
    errors = check(Path(sys.argv[1]))
    for error in errors:
        print(f"check_wheel: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
