"""`tenure run --small-arrays`: NumPy's arrays below 1 KiB against the program's own books, and the program unharmed."""

from __future__ import annotations

import collections
import json
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict

import pytest

# Line, bytes and number of all arrays that the program makes; half of them are let go.
PROGRAM = """
import contextvars, os, sys, threading
import numpy as np

kept = []


def work(rounds):
    for i in range(rounds):
        a = np.empty(7, np.float32)  #= 28
        b = np.zeros(100)  #= 800
        c = b.copy()  #= 800
        d = np.empty(128)  #= 1024
        if i % 2:
            kept.append((a, b, c, d))
        a[:], c[:] = i, i


threads = [threading.Thread(target=work, args=(300,)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
contextvars.Context().run(work, 200)
big = np.ones(4)
for size in (9, 300, 2, 0, 5):
    big.resize(size, refcheck=False)
print(big, sum(float(a[0] + c[5]) for a, _, c, _ in kept), np.arange(6).reshape(2, 3).T.tolist())
sys.stdout.flush()
os._exit(0)
"""
ROUNDS = 800


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path / "program.py"


def numbered(text: str) -> Any:
    return enumerate(text.splitlines(), 1)


SIZES = {n: int(line.split("#= ")[1]) for n, line in numbered(PROGRAM) if "#= " in line}
BOOKED = {line: [ROUNDS, ROUNDS * size, ROUNDS // 2] for line, size in SIZES.items()}


def seen_in(sites: Any, program: Path) -> Dict[int, Any]:
    """{line: [blocks of the size booked there, bytes of them, those that live]}"""
    seen: Dict[int, Any] = collections.defaultdict(lambda: [0, 0, 0])
    for site in sites:
        size = SIZES.get(site["line"])
        if Path(site["file"]).name != program.name or site["kind"] != "heap" or not size:
            continue
        if site["total_bytes"] == size * site["total_count"]:
            book = seen[site["line"]]
            book[0] += site["total_count"]
            book[1] += site["total_bytes"]
            book[2] += site["live_count"]
    return dict(seen)


@pytest.mark.parametrize("name", ["numpy", "tf215"])
@pytest.mark.parametrize("options", [[], ["--observe"]], ids=["own heap", "libc"])
def test_each_small_array_is_counted_and_the_program_does_the_same(
    name: str,
    options: Any,
    env: Callable[[str], str],
    run_tenure: Callable[..., Any],
    program: Path,
) -> None:
    python = env(name)
    plain = subprocess.run([python, str(program)], capture_output=True, text=True)
    command = ["run", "--small-arrays", *options, "-o", "record", "--", python, str(program)]
    run = run_tenure(command)
    assert (run.returncode, run.stdout) == (plain.returncode, plain.stdout), run.stderr
    assert run.adapters_off == {}
    run_tenure(["show", "record", "--figures", "figures.json"])
    figures = json.loads((run.folder / "figures.json").read_text(encoding="utf-8"))
    assert seen_in(figures["sites"], program) == BOOKED


def test_without_a_data_handler_that_is_said(
    env: Callable[[str], str], run_tenure: Callable[..., Any], program: Path
) -> None:
    run = run_tenure(["run", "--small-arrays", "--", env("tf115"), str(program)])
    assert run.returncode == 0
    assert run.adapters_off == {
        "adapter.numpy.small_arrays": "off: NumPy 1.18.5 has no data handler, so arrays below 1 KiB are estimated"
    }


def test_nobody_touches_the_handler_unasked(
    env: Callable[[str], str], figures_of: Callable[..., Any], program: Path
) -> None:
    _, figures = figures_of([env("numpy"), str(program)])
    small = [line for line, text in numbered(PROGRAM) if text.endswith(("#= 28", "#= 800"))]
    sites = [s for s in figures["sites"] if Path(s["file"]).name == program.name]
    assert not [s for s in sites if s["line"] in small and s["kind"] == "heap"]
