"""Rounds against the program's own counters: Python and C++ programs of every style, each with a figure known by construction.

A count is the program's own, or it is told as an estimate (`about`). What a step adds, times the steps, is the whole.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = PROGRAMS / "rounds_python.py"
NATIVE = PROGRAMS / "rounds_native.cpp"
BYTES = 100_000
# Counted by the outer loop, or by the inner one.
ROUNDS_OF_LOOPS = {"nested_loops": (30, 150)}


def names_in_python() -> List[str]:
    names = re.findall(r"^def (\w+)\(\):", PYTHON.read_text(encoding="utf-8"), re.M)
    return [name for name in names if name != "work"]


def names_in_native() -> List[str]:
    return re.findall(r'^    \{"(\w+)", \w+\},', NATIVE.read_text(encoding="utf-8"), re.M)


def check(name: str, outcome: Any) -> Dict[str, Any]:
    assert outcome.returncode == 0, outcome.stderr
    kept = int(outcome.stdout)
    assert outcome.findings["verdict"] == "leak", outcome.stderr
    leak: Dict[str, Any] = outcome.findings["findings"][0]
    assert leak["bytes"] == pytest.approx(kept * BYTES, rel=0.1), leak
    assert leak["bytes_per_step"] * leak["steps"] == pytest.approx(leak["bytes"], rel=0.1), leak
    rounds = ROUNDS_OF_LOOPS.get(name, (kept,))
    assert leak["steps"] in rounds or "steps" in leak["about"], leak
    assert min(abs(leak["steps"] / each - 1) for each in rounds) < 0.1, leak
    return leak


@pytest.mark.parametrize("name", names_in_python())
def test_python(name: str, run_tenure) -> None:
    outcome = run_tenure(["run", "--", sys.executable, str(PYTHON), name])
    leak = check(name, outcome)
    assert "rounds_python.py:" in leak["per"]


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    made: Dict[Any, str] = {}

    def build(compiler: str, level: str) -> str:
        if not shutil.which(compiler):
            pytest.skip(f"no {compiler} on this machine")
        if (compiler, level) not in made:
            target = str(tmp_path_factory.mktemp("rounds") / "rounds_native")
            words = [compiler, "-g", level, "-std=c++20", "-pthread", "-o", target, str(NATIVE)]
            subprocess.run(words, check=True)
            made[compiler, level] = target
        return made[compiler, level]

    return build


@pytest.mark.parametrize("name", names_in_native())
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_native(name: str, level: str, native, run_tenure) -> None:
    leak = check(name, run_tenure(["run", "--", native("g++", level), name]))
    assert "rounds_native.cpp:" in leak["per"]


@pytest.mark.parametrize(
    "name", ["lambda_with_loop", "functor_for_each", "thread_pool", "coroutine"]
)
@pytest.mark.parametrize("compiler,level", [("clang++-19", "-O2"), ("g++", "-O1"), ("g++", "-O2")])
def test_native_elsewhere(name: str, compiler: str, level: str, native, run_tenure) -> None:
    check(name, run_tenure(["run", "--", native(compiler, level), name]))


SMALL_NODES = """
class Node:
    __slots__ = ("text",)
nodes = []
for number in range(60_000):
    node = Node()
    node.text = bytes(600)
    nodes.append(node)
print(len(nodes))
"""


def test_samples_are_told_as_estimates(run_tenure, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SMALL_NODES)
    outcome = run_tenure(["run", "--", sys.executable, "program.py"])
    leak = outcome.findings["findings"][0]
    assert {"bytes", "count"} <= set(leak["about"]), json.dumps(leak)
    # a text, and its node in an arena
    assert leak["bytes"] == pytest.approx(60_000 * (640 + 48), rel=0.15)
    assert leak["count"] == pytest.approx(60_000, rel=0.15)
    assert leak["bytes_per_step"] * leak["steps"] == pytest.approx(leak["bytes"], rel=0.1)
