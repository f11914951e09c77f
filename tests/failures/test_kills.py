"""kill -9 at any instant leaves a record that can be read and is right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
sys.path.insert(0, str(HERE))

import kills  # noqa: E402


def test_40_kills_at_random_instants(tenure, compile_program, tmp_path):
    kills.kill_many(tenure, kills.victims(compile_program), tmp_path, times=40, seed=1)


def test_a_kill_while_the_program_joins(tenure, compile_program, tmp_path):
    program = compile_program(
        HERE / "programs" / "joins_only.cpp", "-std=c++20", "-static", "-I", str(SOURCE)
    )
    record = tmp_path / "record"
    run = subprocess.run(
        [tenure, "run", "--quiet", "-o", str(record), "--", "sh", "-c", f"{program}; exit 3"]
    )
    assert run.returncode == 3
    processes = json.loads((record / "run.json").read_text())["processes"]
    assert [process["has_begun"] for process in processes] == [True, False]
    assert kills.shown(tenure, record, tmp_path / "findings.json")["program"]["exit"] == 3
