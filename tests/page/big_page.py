"""An invented page that is as large as a page can be asked to be: 100,000 lines and 262,144 calls."""

from __future__ import annotations

import base64
import gzip
import json
import random
from pathlib import Path
from typing import Any, Dict, List

LINES = 100_000
CALLS = 262_144
MOMENTS = 1_100
MIB = 1 << 20
WORDS = (
    "read write step batch train model layer cache queue block forward backward load split merge "
    "encode decode token image frame graph node merge update build parse index lookup fetch store"
).split()


class Strings:
    def __init__(self) -> None:
        self.all: List[str] = [""]
        self.known = {"": 0}

    def __call__(self, text: str) -> int:
        if text not in self.known:
            self.known[text] = len(self.all)
            self.all.append(text)
        return self.known[text]


def places_of(random_: random.Random, strings: Strings) -> Dict[str, List[int]]:
    """Functions with a few lines each that call others."""
    columns: Dict[str, List[int]] = {"name": [0], "file": [0], "line": [0], "users": [0]}
    for i in range(6_000):
        name = strings(f"{random_.choice(WORDS)}_{random_.choice(WORDS)}")
        file = strings(f"/project/{random_.choice(WORDS)}/{random_.choice(WORDS)}.py")
        first = random_.randrange(1, 900)
        for line in range(first, first + 4):
            columns["name"].append(name)
            columns["file"].append(file)
            columns["line"].append(line)
            columns["users"].append(int(i % 3 == 0))
    return columns


def calls_of(random_: random.Random, strings: Strings) -> Dict[str, Any]:
    """A tree that forks as calls do: callers come before whom they call."""
    places = places_of(random_, strings)
    up = [0]
    for i in range(1, CALLS):
        up.append(min(i, 1 + int(random_.expovariate(1 / 40))) if i > 60 else i - (i - 1) // 4)
    own = [random_.choice((0, 0, 1024, 4096, 8192, 65536)) for _ in range(CALLS)]
    return {
        "up": up,
        "place": [0] + [random_.randrange(1, len(places["name"])) for _ in range(CALLS - 1)],
        "places": places,
        "peak": own,
        "live": [size // 2 for size in own],
        "total": [3 * size for size in own],
    }


def small_tree(strings: Strings) -> Dict[str, Any]:
    """All, and one group."""
    name = [0, strings("one of them")]
    places = {"name": name, "file": [0, 0], "line": [0, 0], "users": [0, 0]}
    sizes = {key: [0, 8192] for key in ("peak", "live", "total")}
    return {"up": [0, 1], "place": [0, 1], "places": places, **sizes}


def lines_of(random_: random.Random, strings: Strings) -> Dict[str, List[Any]]:
    columns: Dict[str, List[Any]] = {}
    for i in range(LINES):
        peak = 1024 * (LINES - i)
        verb, noun = WORDS[i // 100 % len(WORDS)], WORDS[i // 3200 % len(WORDS)]
        line = {
            "file": strings(f"/project/{noun}/{verb}.py"),
            "line": 1 + i % 3200,
            "function": strings(f"{verb}_{WORDS[i // 9 % len(WORDS)]}"),
            "source": strings(f"{noun} = {verb}({random_.choice(WORDS)})"),
            "kind": strings("heap"),
            "op": 0,
            "peak": [peak, 1 + i % 7],
            "live": [peak // 2, 1],
            "total": [3 * peak, 20],
            "came_to": "leak" if i < 3 else None,
            "word": "leak" if i < 3 else None,
        }
        if i < 300:
            stretch = [peak // 16, peak // 48, 1]
            line["births"] = [[1000 * k, 1000 * (k + 1), *stretch] for k in range(48)]
            line["judged"] = peak
        for name, value in line.items():
            columns.setdefault(name, []).append(value)
    return columns


def process_of(random_: random.Random, strings: Strings) -> Dict[str, Any]:
    at = [i / (MOMENTS - 1) for i in range(MOMENTS)]
    live = [int((40 + 200 * x) * MIB) for x in at]
    lines = lines_of(random_, strings)
    return {
        "pid": 7,
        "parent_pid": 1,
        "is_main": True,
        "command": strings("python train.py"),
        "peak_bytes": live[-1],
        "live_bytes": live[-1],
        "resident_peak_bytes": 300 * MIB,
        "began": 0,
        "ended": 60,
        "steps": 480,
        "per": "iteration of train.py:12",
        "moments": {
            "tick": [int(48000 * x) for x in at],
            "position": [round(x, 5) for x in at],
            "seconds": [round(60 * x, 3) for x in at],
            "step": [round(480 * x, 2) for x in at],
            "live": live,
            "anonymous": [size + 30 * MIB for size in live],
        },
        "marks": [{"what": "peak", "tick": 48000, "bytes": live[-1]}],
        "bands": [{"line": i, "bytes": [int(30 * x * MIB) for x in at]} for i in range(3)],
        "categories": [{"what": "native", "bytes": [20 * MIB for _ in at]}],
        "lines": lines,
        "other_lines": {name: values[-1:] for name, values in lines.items()},
        "lines_left_out": 0,
        "calls": calls_of(random_, strings),
        **{tree: small_tree(strings) for tree in ("by_holder", "by_module", "by_op")},
        "blocks": [],
    }


def findings() -> Dict[str, Any]:
    moment = {"total_bytes": 240 * MIB, "came_to": {"leak": 90 * MIB}, "small_lines_bytes": 0, "own_bytes": 0}
    return {
        "verdict": "leak",
        "reason": None,
        "ending": None,
        "program": {"argv": ["python", "train.py"], "python": "3.11.7", "frameworks": {}, "exit": 0, "signal": None, "processes": 1, "running": False},
        "memory": {"peak_bytes": 240 * MIB, "live_bytes": 240 * MIB, "resident_peak_bytes": 300 * MIB, "at_peak": {}, "unseen_bytes": 0, "parts": {}},
        "losses": {},
        "cost": {"time_share": 0.01, "bytes": MIB},
        "steps": 480,
        "per": "iteration of train.py:12",
        "findings": [],
        "considered": [],
        "balance": [{"pid": 7, "at_peak": moment, "at_end": moment}],
    }


def document() -> Dict[str, Any]:
    random_ = random.Random(20)  # the same page each time
    strings = Strings()
    process = process_of(random_, strings)
    words = {"verdict": "3 leaks in 480 steps. Peak 240 MiB at step 480.", "advice": "", "name": "train.py", "headlines": [], "considered": []}
    return {
        "schema": "tenure-page/1",
        "words": words,
        "run": {"directory": "/project", "started_ms": 0, "seconds": 60, "tenure": "0", "machine": "invented"},
        "findings": findings(),
        "processes": [process],
        "processes_left_out": 0,
        "shown_first": 0,
        "scopes": [],
        "strings": strings.all,
    }


def write(shell: str, page: Path) -> int:
    """The page in the shell that the build has made; its size in bytes."""
    packed = gzip.compress(json.dumps(document(), separators=(",", ":")).encode(), 9)
    page.write_text(shell.replace("@TENURE_DATA@", base64.b64encode(packed).decode()), encoding="utf-8")
    return page.stat().st_size
