"""What the generators of sources share: writing their files, and telling which are not as they should be."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Callable, Dict, List

HERE = Path(__file__).resolve().parent.parent

MadeFrom = Callable[
    [Path], Dict[str, str]
]  # the root of a tree -> the files as they should be, by path


def errors_in(root: Path, made_from: MadeFrom, source: str, tool: str) -> List[str]:
    try:
        made = made_from(root)
    except (OSError, ValueError, KeyError) as problem:
        return [f"{source}: {problem}"]
    stale = [
        name
        for name, text in made.items()
        if not (root / name).is_file() or (root / name).read_text(encoding="utf-8") != text
    ]
    return [f"{name} is not what {source} asks for: run tools/{tool}.py" for name in stale]


def main(made_from: MadeFrom, source: str, tool: str, description: str) -> int:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="change nothing, say what is stale")
    parser.add_argument("--root", type=Path, default=HERE)
    args = parser.parse_args()
    if args.check:
        errors = errors_in(args.root, made_from, source, tool)
        print("\n".join(errors) or f"{tool.split('_')[-1]} ok")
        return 1 if errors else 0
    for name, text in made_from(args.root).items():
        (args.root / name).write_text(text, encoding="utf-8")
    return 0
