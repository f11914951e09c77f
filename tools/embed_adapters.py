"""Writes the adapters' sources as a C++ table, so that they travel inside the preloaded library.

usage: embed_adapters.py OUT.inc FILE.py...
"""

import pathlib
import sys


def literal(source: bytes) -> str:
    """The bytes as C string literals, a line each."""
    lines = []
    for line in source.splitlines(keepends=True):
        text = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else "\\%03o" % b for b in line)
        lines.append('    "' + text + '"')
    return "\n".join(lines) or '    ""'


def main(out: str, files: list[str]) -> None:
    parts = ["const EmbeddedSource kSources[] = {"]
    for name in sorted(files):
        path = pathlib.Path(name)
        source = path.read_bytes()
        parts.append(f'  {{"{path.stem}",\n{literal(source)},\n   {len(source)}}},')
    parts.append("};")
    target = pathlib.Path(out)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
