"""How many instructions of Tenure's library a block costs: counted by Valgrind, so the machine's load does not matter.

The counts are kept in instructions.json. A change that makes a block dearer fails here and shows the new count in its
own diff: `TENURE_COUNTS=write pytest tests/counts` writes the file. Instructions of libc and the interpreter are left
out, and so is the start: what is counted is the difference between many blocks and few. Counted blocks are of 70 KB:
Valgrind is slow, and the governor would begin to sample smaller ones. What happens now and then by the clock is left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Dict, List

import pytest

HERE = Path(__file__).resolve().parent
KEPT = HERE / "instructions.json"
TOLERANCE = 1.10  # compilers differ a little, and one block in 64 is timed, at random

FEW, MANY = 500, 8500  # far apart: which small blocks of the start are sampled is chance
FAST = ("malloc", "free")  # the hooks themselves, where a small block goes through
BY_THE_CLOCK = re.compile(r"OwnCost::|resident_bytes|populated_bytes")
# Valgrind takes the one instruction that fills a block for as many as it has bytes.
PLAIN_MEMSET = "glibc.cpu.x86_rep_stosb_threshold=100000000"


def counts_of(profile: Path) -> Dict[str, int]:
    """function of Tenure's library -> its own instructions, by Callgrind's file."""
    names: Dict[str, str] = {}
    counts: Dict[str, int] = {}
    library = function = ""
    is_call = False  # the line after calls= is what the callee took
    for line in profile.read_text(encoding="utf-8").splitlines():
        named = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", line)
        if named:
            key = named[2] + named[3]
            names.setdefault(key, named[4] or "")
            if not named[1] and named[2] == "ob":
                library = names[key]
            elif not named[1]:
                function = names[key]
        elif line.startswith("calls="):
            is_call = True
        elif line[:1] in "+-*0123456789" and line:
            is_ours = library.endswith("/libtenure.so") and not BY_THE_CLOCK.search(function)
            if is_ours and not is_call:
                counts[function] = counts.get(function, 0) + int(line.split()[1])
            is_call = False
    return counts


@pytest.fixture
def counted(tenure: str, tmp_path: Path) -> Callable[..., Dict[str, float]]:
    """counted(command) -> instructions per block, by function; the command gets the number of blocks as its last word."""
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed and cannot be: tools/setup.py test")

    def profile(command: List[str], rounds: int) -> Dict[str, int]:
        out = tmp_path / f"profile.{rounds}"
        watched = [tenure, "run", "--quiet", "-o", str(tmp_path / f"record.{rounds}"), "--"]
        valgrind = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]
        words = [*watched, *valgrind, *command, str(rounds)]
        fixed = {"LD_BIND_NOW": "1", "PYTHONHASHSEED": "0", "GLIBC_TUNABLES": PLAIN_MEMSET}
        subprocess.run(words, check=True, env={**os.environ, **fixed}, stdout=subprocess.DEVNULL)
        return counts_of(out)

    def per_block(command: List[str]) -> Dict[str, float]:
        few, many = profile(command, FEW), profile(command, MANY)
        return {name: (n - few.get(name, 0)) / (MANY - FEW) for name, n in many.items()}

    return per_block


def compare(name: str, count: float) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if os.environ.get("TENURE_COUNTS") == "write":
        kept[name] = round(count, 1)
        KEPT.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    assert name in kept, f"no count is kept for {name}: TENURE_COUNTS=write keeps {count:.1f}"
    assert count > 0, "nothing of Tenure's library was counted"
    assert count <= kept[name] * TOLERANCE, f"{name}: {count:.1f} instructions, kept {kept[name]}"


def test_a_small_block_costs_no_more_instructions_than_before(
    counted: Callable[..., Dict[str, float]], compile_program: Callable[..., str]
) -> None:
    counts = counted([compile_program(HERE / "pairs.c"), "64"])
    compare("small block", sum(counts[name] for name in FAST))


def test_a_counted_block_of_native_code_costs_no_more_instructions_than_before(
    counted: Callable[..., Dict[str, float]], compile_program: Callable[..., str]
) -> None:
    counts = counted([compile_program(HERE / "pairs.c"), "70000"])
    compare("block of native code", sum(counts.values()))


@pytest.mark.parametrize("depth", [3, 20])
def test_a_counted_block_of_python_costs_no_more_instructions_than_before(
    depth: int, counted: Callable[..., Dict[str, float]], env: Callable[[str], str]
) -> None:
    command = [env("tools"), "-S", str(HERE / "pairs.py"), str(depth)]
    compare(f"block of Python below {depth} frames", sum(counted(command).values()))
