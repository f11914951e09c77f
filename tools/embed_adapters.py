"""Writes the adapters as C++ tables, so that they travel inside the preloaded library: their sources, and their code as
each CPython that is found here compiles it.

usage: embed_adapters.py SOURCES.inc COMPILED.inc FILE.py...

Compiled code is marked with the magic number of its bytecode, as in a .pyc file: an interpreter with another one compiles
the sources. So which interpreters are found changes how fast a program starts, and nothing else.
"""

from __future__ import annotations

import base64
import json
import pathlib
import subprocess
import sys
from typing import Dict, List, Optional, Tuple

import find_python

# Runs in each interpreter. The name is what a code object says of its file; _boot is compiled by the library itself.
COMPILE = """
import base64, importlib.util, json, marshal, os, sys
done = {}
for path in sys.argv[1:]:
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, "rb") as file:
        code = compile(file.read(), "<tenure>" + ("" if name == "_boot" else "/%s.py" % name), "exec")
    done[name] = base64.b64encode(marshal.dumps(code)).decode()
print(json.dumps([int.from_bytes(importlib.util.MAGIC_NUMBER, "little"), done]))
"""
PER_LINE = 64  # bytes


def escaped(part: bytes) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else "\\%03o" % b for b in part)


def literal(lines: List[bytes]) -> str:
    """The bytes as C string literals, a line each."""
    return "\n".join('    "' + escaped(line) + '"' for line in lines) or '    ""'


def write(target: str, parts: List[str]) -> None:
    path = pathlib.Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts) + "\n")


def source_table(files: List[str]) -> List[str]:
    parts = ["const EmbeddedSource kSources[] = {"]
    for name in sorted(files):
        path = pathlib.Path(name)
        source = path.read_bytes()
        lines = source.splitlines(keepends=True)
        parts.append(f'  {{"{path.stem}",\n{literal(lines)},\n   {len(source)}}},')
    return [*parts, "};"]


def compiled_by(python: str, files: List[str]) -> Optional[Tuple[int, Dict[str, bytes]]]:
    """The magic number and the code of each file; None where the interpreter cannot do it."""
    done = subprocess.run(
        [python, "-I", "-c", COMPILE, *sorted(files)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        return None
    magic, codes = json.loads(done.stdout)
    return magic, {name: base64.b64decode(code) for name, code in codes.items()}


def compiled_table(files: List[str]) -> List[str]:
    parts = ["const CompiledAdapter kCompiled[] = {"]
    for version in find_python.SUPPORTED:
        python = find_python.find(version)
        compiled = compiled_by(python, files) if python else None
        if compiled is None:
            continue
        magic, codes = compiled
        parts.append(f"  // CPython {version}")
        for name, code in codes.items():
            lines = [code[i : i + PER_LINE] for i in range(0, len(code), PER_LINE)]
            parts.append(f'  {{{magic}, "{name}",\n{literal(lines)},\n   {len(code)}}},')
    return [*parts, '  {0, "", "", 0},', "};"]


def main(sources: str, compiled: str, files: List[str]) -> None:
    write(sources, source_table(files))
    write(compiled, compiled_table(files))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
