#!/usr/bin/env python3
"""Fails when the preloaded library exports other names than its list, or needs more than libc.

usage: check_exports.py [LIBRARY [MAP]]

By default build/lib/libtenure.so and src/inproc/exports.map.

A name too many would take over a symbol of the traced program. A name too few is a hook that is
not there.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import List, Set

ROOT = Path(__file__).resolve().parent.parent
ALLOWED_NEEDED = re.compile(r"libc\.so\.6|ld-linux-[a-z0-9-]+\.so\.\d+")


def listed_in(text: str) -> Set[str]:
    """The global names of a linker version script. Wildcards stay in, to be refused later."""
    text = re.sub(r"/\*.*?\*/|#[^\n]*|//[^\n]*", " ", text, flags=re.DOTALL)
    names: Set[str] = set()
    for body in re.findall(r"\{(.*?)\}", text, flags=re.DOTALL):
        section = "global"
        for word in re.findall(r"(?:global|local)\s*:|[^\s;:{}]+", body):
            if word.endswith(":"):
                section = word[:-1].strip()
            elif section == "global":
                names.add(word)
    return names


def output_of(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode(errors="replace")


def exported_by(library: Path) -> Set[str]:
    lines = output_of("nm", "-D", "--defined-only", "--format=posix", str(library)).splitlines()
    symbols = [line.split() for line in lines]
    # Type A with no section is the name of a version node, not a symbol of the program.
    return {words[0].split("@")[0] for words in symbols if len(words) > 1 and words[1] != "A"}


def needed_by(library: Path) -> List[str]:
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", "-W", str(library)))


def errors_in(library: Path, export_map: Path) -> List[str]:
    for path in (library, export_map):
        if not path.exists():
            return [f"{path} does not exist"]
    listed = listed_in(export_map.read_text(encoding="utf-8"))
    exported = exported_by(library)
    wildcards = {name for name in listed if re.search(r"[*?\[\]]", name)}
    extra, absent = sorted(exported - listed), sorted(listed - exported - wildcards)
    errors = [f"{export_map.name}: wildcard {name} in a closed list" for name in sorted(wildcards)]
    errors += [f"{library.name} exports {name}, which is not listed" for name in extra]
    errors += [f"{library.name} does not export {name}, which is listed" for name in absent]
    errors += [
        f"{library.name} needs {name}: only libc is allowed"
        for name in needed_by(library)
        if not ALLOWED_NEEDED.fullmatch(name)
    ]
    if not listed:
        errors.append(f"{export_map.name} lists no names")
    return errors


def main() -> int:
    library = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "lib" / "libtenure.so"
    export_map = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "src" / "inproc" / "exports.map"
    errors = errors_in(library, export_map)
    print("\n".join(errors) or "exports ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
