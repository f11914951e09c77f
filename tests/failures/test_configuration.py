"""What Tenure is told by the environment may be anything: the program runs as it does without Tenure, and is recorded."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Dict

import pytest

from .conftest import PROGRAM

NAMES = ["TENURE_SOCKET", "TENURE_MAIN_PID", "TENURE_HEAP", "TENURE_ARRAYS", "TENURE_TEXT"]
ODD = [b"", b"0", b"-1", b"1", b"9" * 40, b"x" * 107, b"x" * 108, b"x" * 100_000, b"\xff\x01" * 9]
ODD += [
    b"territory",
    b"libc",
    b"all",
    b"/dev/null",
    b"%s%n%s",
    b"tenure-",
    b"../../etc/passwd",
    b"\n",
]


def odd_environment(seed: int) -> Dict[bytes, bytes]:
    """Some of the names, with values that nobody meant; random bytes among them."""
    dice = random.Random(seed)
    noise = bytes(dice.randrange(1, 256) for _ in range(dice.randrange(1, 200)))
    chosen = dice.sample(NAMES, dice.randrange(1, len(NAMES) + 1))
    return {**os.environb, **{name.encode(): dice.choice([*ODD, noise]) for name in chosen}}


def ran(command, environ: Dict[bytes, bytes]) -> subprocess.CompletedProcess:
    done = subprocess.run(command, env=environ, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"ran\n"), done.stderr
    return done


def test_the_library_without_a_supervisor(tenure):
    library = Path(tenure).resolve().parent.parent / "lib" / "libtenure.so"
    assert library.exists()
    for seed in range(60):
        environ = {**odd_environment(seed), b"LD_PRELOAD": bytes(library)}
        assert ran([sys.executable, "-c", PROGRAM], environ).stderr == b""


@pytest.mark.parametrize("seed", range(12))
def test_the_supervisor(tenure, tmp_path, seed):
    run = [tenure, "run", "-o", str(tmp_path / "r"), "--", sys.executable, "-c", PROGRAM]
    assert b"tenure: clean" in ran(run, odd_environment(1000 + seed)).stderr
    shown = subprocess.run([tenure, "show", str(tmp_path / "r")], capture_output=True)
    assert shown.returncode == 0, shown.stderr
