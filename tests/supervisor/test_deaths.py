"""Whoever dies, the program ends as it would without Tenure and the record can be read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from .conftest import PATIENCE, until

MIB = 1 << 20


def holds(findings, bytes_held):
    return findings["memory"]["live_bytes"] >= bytes_held and findings


def test_a_killed_program_leaves_its_figures(watched, compiled):
    run = watched([compiled("holder.c")])
    run.expect(b"ready")
    os.kill(run.program(), signal.SIGKILL)
    words = run.end()
    assert run.process.returncode == -signal.SIGKILL
    findings = run.findings()
    assert findings["program"]["signal"] == signal.SIGKILL
    assert findings["ending"] == "Killed by SIGKILL (9)."
    assert "Killed by SIGKILL (9)." in words
    assert 64 * MIB <= findings["memory"]["live_bytes"] < 66 * MIB
    assert run.show()["memory"]["live_bytes"] == findings["memory"]["live_bytes"]


def test_a_running_program_can_be_shown(watched, compiled):
    run = watched([compiled("holder.c")])
    run.expect(b"ready")
    shown = until(lambda: holds(run.show(), 64 * MIB))
    assert shown["program"]["running"] is True
    assert shown["program"]["exit"] is None
    assert shown["ending"] is None
    run.say(b"go on")
    run.end()
    assert run.process.returncode == 4
    assert run.show()["program"] == {**shown["program"], "running": False, "exit": 4}
    assert run.findings()["memory"]["live_bytes"] >= 128 * MIB


def test_a_killed_supervisor_leaves_the_program_alone_and_a_record(watched, compiled):
    run = watched([compiled("holder.c")])
    run.expect(b"ready")
    program = run.program()
    until(lambda: holds(run.show(), 64 * MIB))
    run.process.kill()
    run.process.wait()
    assert run.show()["program"]["running"] is True
    run.say(b"go on")
    run.expect(b"done")
    until(lambda: not Path(f"/proc/{program}").exists() or zombie(program))
    shown = run.show()
    assert shown["program"]["running"] is False
    assert shown["program"]["exit"] is None
    assert "end was not seen" in shown["ending"]
    assert 64 * MIB <= shown["memory"]["live_bytes"] < 66 * MIB


def zombie(pid: int) -> bool:
    """Where nobody reaps orphans the dead stay in the list."""
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


def test_a_dead_supervisor_does_not_stop_children_from_starting(watched):
    script = "read line; for i in 1 2 3; do sh -c 'echo child'; done; echo done"
    run = watched(["/bin/sh", "-c", "echo ready; " + script])
    run.expect(b"ready")
    run.process.kill()
    run.process.wait()
    run.say(b"go on")
    for word in (b"child", b"child", b"child", b"done"):
        run.expect(word)


def test_memory_refused_to_cpp_is_a_death_by_lack_of_memory(watched, compiled):
    run = watched([compiled("bad_alloc.cpp")])
    words = run.end()
    assert run.process.returncode == -signal.SIGABRT
    findings = run.findings()
    assert findings["verdict"] == "out-of-memory"
    (death,) = [f for f in findings["findings"] if f["kind"] == "out-of-memory"]
    assert death["where"][0]["file"].endswith("bad_alloc.cpp")
    assert "// asks" in death["where"][0]["source"]
    assert f"bad_alloc.cpp:{death['where'][0]['line']}" in words


NUMPY_DEATH = """
import resource
import numpy
kept = []
def train():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    while True:
        kept.append(numpy.ones(8 << 20))
train()
"""


def test_memory_refused_to_numpy_is_a_death_by_lack_of_memory(watched, env, tmp_path):
    script = tmp_path / "greedy.py"
    script.write_text(NUMPY_DEATH)
    run = watched([env("numpy"), str(script)], environ={"OPENBLAS_NUM_THREADS": "1"})
    words = run.end()
    assert run.process.returncode == 1
    findings = run.findings()
    assert findings["verdict"] == "out-of-memory"
    (death,) = [f for f in findings["findings"] if f["kind"] == "out-of-memory"]
    assert (death["where"][0]["file"], death["where"][0]["line"]) == (str(script), 8)
    assert "MemoryError" in death["error"]["type"]
    assert "greedy.py:8" in words


def test_the_oom_killer_is_told(watched, small_cgroup, tmp_path):
    script = tmp_path / "greedy.py"
    script.write_text("kept = []\nwhile True:\n    kept.append(bytearray(b'x') * (4 << 20))\n")

    def join() -> None:
        small_cgroup.write_text(str(os.getpid()))

    run = watched([sys.executable, str(script)], preexec_fn=join)
    words = run.end()
    assert run.process.returncode == -signal.SIGKILL
    findings = run.findings()
    assert findings["verdict"] == "out-of-memory"
    assert findings["findings"][0]["where"][0]["line"] == 3
    assert "greedy.py:3" in words


def test_a_run_ten_times_longer_makes_no_bigger_record(tenure, compiled, tmp_path):
    sizes = []
    for rounds in (60, 600):  # the first already fills what is kept of a run's clocks
        record = tmp_path / f"{rounds}.tenure"
        command = [compiled("long_run.c"), str(rounds)]
        done = subprocess.run([tenure, "run", "-o", str(record), *command], timeout=PATIENCE)
        assert done.returncode == 0
        sizes.append(sum(file.stat().st_size for file in record.iterdir()))
    assert sizes[1] < sizes[0] * 1.2
