"""Manners: signals arrive once, a closed terminal ends both, records do not pile up, data goes where it was asked to go."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest

from .conftest import until

# Counts what comes, until it is told to end by another signal.
COUNTER = """
import signal, sys
seen = []
signal.signal(signal.SIGTERM, lambda *_: seen.append("TERM"))
signal.signal(signal.SIGUSR1, lambda *_: seen.append("USR1"))
print("ready", flush=True)
while "USR1" not in seen:
    signal.pause()
print(len(seen) - 1, flush=True)
"""
LEAK = """
import sys
kept = []
for step in range(200):
    kept.append(bytearray(40_000))
"""
CLEAN = "for step in range(200):\n    last = bytearray(40_000)\n"


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def pending_or_handled(pid: int, number: int) -> bool:
    """No signal of that number waits for the process."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("ShdPnd:"):
            return not int(line.split()[1], 16) >> (number - 1) & 1
    return True


@pytest.mark.parametrize("to", ["group", "supervisor", "program"])
def test_a_signal_arrives_once(watched, to):
    run = watched([sys.executable, "-c", COUNTER])
    run.expect(b"ready")
    program = run.program()
    send = {
        "group": lambda n: os.killpg(run.process.pid, n),
        "supervisor": lambda n: os.kill(run.process.pid, n),
        "program": lambda n: os.kill(program, n),
    }[to]
    send(signal.SIGTERM)
    until(lambda: pending_or_handled(run.process.pid, signal.SIGTERM))
    run.process.send_signal(signal.SIGUSR1)  # behind it, on the way that is passed on
    run.expect(b"1")
    run.end()


def test_the_witness_ends_with_the_run(watched):
    run = watched([sys.executable, "-c", COUNTER])
    run.expect(b"ready")
    children = Path(f"/proc/{run.process.pid}/task/{run.process.pid}/children").read_text().split()
    assert len(children) == 2
    run.process.kill()
    program = run.program()
    (witness,) = [int(pid) for pid in children if int(pid) != program]
    until(lambda: not is_alive(witness))
    os.kill(program, signal.SIGKILL)


@pytest.mark.parametrize("tool", ["plain", "tenure"])
def test_a_closed_terminal_ends_the_program(tenure, tmp_path, tool):
    """As the leader of a session, as under `ssh -t host command` or in a pane of tmux."""
    program = ["sh", "-c", f"echo $$ > {tmp_path}/pid; exec sleep 1000"]
    run = [tenure, "run", "-o", str(tmp_path / "r"), "--"] if tool == "tenure" else []
    leader, terminal = pty.fork()
    if leader == 0:
        os.execvp((run + program)[0], run + program)
    pid_file = tmp_path / "pid"
    pid = int(until(lambda: pid_file.exists() and pid_file.read_text().strip()))
    os.close(terminal)
    os.waitpid(leader, 0)
    until(lambda: not is_alive(pid))


def run_here(tenure: str, folder: Path, source: str, *options: str) -> Any:
    (folder / "app.py").write_text(source)
    command = [tenure, "run", *options, "--", sys.executable, "app.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True)


def names(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir() if "tenure" in path.name)


def test_the_record_before_is_kept_and_older_ones_are_not(tenure, tmp_path):
    begun = []
    for _ in range(3):
        run_here(tenure, tmp_path, CLEAN)
        begun.append(json.loads((tmp_path / "app.tenure" / "run.json").read_text())["started_ns"])
    assert names(tmp_path) == ["app.tenure", "app.tenure.old"]
    old = json.loads((tmp_path / "app.tenure.old" / "run.json").read_text())
    assert old["started_ns"] == begun[1]


def test_files_of_others_in_an_old_record_are_left_alone(tenure, tmp_path):
    run_here(tenure, tmp_path, CLEAN)
    run_here(tenure, tmp_path, CLEAN)
    (tmp_path / "app.tenure.old" / "mine.txt").write_text("mine")
    run_here(tenure, tmp_path, CLEAN)
    assert (tmp_path / "app.tenure.old" / "mine.txt").read_text() == "mine"
    assert (tmp_path / "app.tenure" / "run.json").exists()


def test_a_record_that_is_being_written_is_left_alone(tenure, tmp_path):
    (tmp_path / "app.py").write_text("print('ready', flush=True)\ninput()\n")
    command = [tenure, "run", "--", sys.executable, "app.py"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    runs = []
    for _ in range(2):
        runs.append(subprocess.Popen(command, cwd=tmp_path, **pipes))
        assert runs[-1].stdout.readline() == b"ready\n"
    for run in runs:
        run.communicate(b"\n")
    assert names(tmp_path) == ["app.2.tenure", "app.tenure"]


def test_quiet_keeps_no_record_of_a_clean_run(tenure, tmp_path):
    assert run_here(tenure, tmp_path, CLEAN, "--quiet").stderr == ""
    assert names(tmp_path) == []
    run_here(tenure, tmp_path, CLEAN, "--quiet", "-o", "asked.tenure")
    assert names(tmp_path) == ["asked.tenure"]


def test_quiet_keeps_the_record_of_a_leak(tenure, tmp_path):
    assert "1 leak" in run_here(tenure, tmp_path, LEAK, "--quiet").stderr
    assert names(tmp_path) == ["app.tenure"]


def test_json_goes_to_standard_output_when_asked(tenure, tmp_path):
    done = run_here(tenure, tmp_path, "print('mine')\n" + LEAK, "--json", "-")
    mine, _, document = done.stdout.partition("\n")
    assert mine == "mine"
    assert json.loads(document)["verdict"] == "leak"
    assert not (tmp_path / "-").exists()
    show = [tenure, "show", "--json", "-", "app.tenure"]
    shown = subprocess.run(show, cwd=tmp_path, capture_output=True, check=True, text=True)
    assert json.loads(shown.stdout) == json.loads(document)


# A parent that waits, and a worker that keeps what it makes.
SERVER = """
import os, sys, time
if os.fork() == 0:
    kept = []
    while len(kept) < 100_000:
        kept.append(bytearray(20_000))
        if len(kept) == 400:
            print("ready", flush=True)
        if len(kept) > 400:
            del kept[-1]
            time.sleep(0.01)
os.wait()
"""


def test_an_idle_parent_lets_its_worker_answer(watched):
    run = watched([sys.executable, "-c", SERVER])
    run.expect(b"ready")
    show = [run.tenure, "show", "--now", str(run.record)]
    shown = subprocess.run(show, capture_output=True, text=True)
    os.killpg(run.process.pid, signal.SIGKILL)
    assert shown.returncode == 0, shown.stderr
    assert "kept" in shown.stdout
