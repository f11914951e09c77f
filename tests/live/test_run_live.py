"""`tenure run --live` in a pseudo terminal: the view and the program in one, and the program as it is without."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest

from .viewer import PATIENCE, Viewer

# Says what it is given, leaks until it is told to stop, and ends with 7.
PROGRAM = """
import os, sys, time
kept = []
def step(i):
    kept.append(bytearray(20_000))
    if i % 20 == 0:
        print("round", i, flush=True)
def main():
    print("stdin", sys.stdin.read() == "", flush=True)
    for i in range(60_000):
        step(i)
        time.sleep(0.005)
        if os.path.exists("stop"):
            print("\\x1b[32mthe end\\x1b[0m", flush=True)
            sys.exit(7)
try:
    main()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""
MADE_AT = "leak.py:5 in step()"


@pytest.fixture
def run_live(tenure: str, tmp_path: Path) -> Iterator[Callable[..., Viewer]]:
    (tmp_path / "leak.py").write_text(PROGRAM, encoding="utf-8")
    viewers: List[Viewer] = []

    def start(*, shell: str = "", **how: Any) -> Viewer:
        command = [tenure, "run", "--live", "-o", "leak.tenure", "--", sys.executable, "leak.py"]
        if shell:
            command = ["bash", "-c", shell.replace("RUN", " ".join(command))]
        viewers.append(Viewer(command, str(tmp_path), **how))
        return viewers[-1]

    yield start
    for viewer in viewers:
        end_program(tmp_path)
        viewer.close()


def main_pid(folder: Path) -> int:
    run = json.loads((folder / "leak.tenure" / "run.json").read_text(encoding="utf-8"))
    return int(run["main_pid"])


def end_program(folder: Path) -> None:
    """What a test that failed has left running."""
    try:
        run = json.loads((folder / "leak.tenure" / "run.json").read_text(encoding="utf-8"))
        if not run["has_ended"]:
            os.kill(int(run["main_pid"]), signal.SIGKILL)
    except (OSError, ValueError):
        pass


def test_the_view_the_output_and_the_end_of_a_program_share_a_terminal(run_live, tmp_path):
    viewer = run_live()
    seen = viewer.wait_for(
        lambda screen: f"leak       {MADE_AT}" in screen.text and "round " in screen.text
    )
    assert "what it prints goes to leak.tenure/output.txt" in seen
    viewer.size(10, 60)
    viewer.wait_for(lambda screen: len(screen.rows) == 10 and "output.txt" in screen.text)
    (tmp_path / "stop").touch()
    assert viewer.wait_for_end() == 7
    assert viewer.is_given_back()
    after = viewer.screen.after
    told = re.search(r"with exit code 7. Until then: 1 leak", after)
    assert told, after
    assert after.index("the end") < told.start() < after.index("output.txt")
    output = (tmp_path / "leak.tenure" / "output.txt").read_text(encoding="utf-8")
    assert output.startswith("stdin True\nround 0\nround 20\n")
    assert output.endswith("\x1b[32mthe end\x1b[0m\n")


def test_control_c_is_the_programs(run_live):
    viewer = run_live()
    viewer.wait_for_text("round 20")
    viewer.type("\x03")
    assert viewer.wait_for_end() == 3
    assert viewer.is_given_back()
    assert viewer.screen.after.count("interrupted\r\n") == 1


def test_when_the_view_is_left_the_program_has_the_terminal(run_live, tmp_path):
    viewer = run_live()
    viewer.wait_for_text("round 20")
    viewer.type("q")
    viewer.wait_for(lambda screen: not screen.is_own and "round" in screen.after)
    seen = viewer.screen.after
    viewer.wait_for(lambda screen: screen.after != seen and screen.after.rstrip().endswith("0"))
    (tmp_path / "stop").touch()
    assert viewer.wait_for_end() == 7
    assert viewer.screen.after.count("the end") == 1


def test_control_z_stops_program_and_view_until_they_go_on(run_live, tmp_path):
    viewer = run_live(shell="set -m; RUN; echo stopped; read answer; fg; echo code $?")
    viewer.wait_for_text("round 20")
    viewer.type("\x1a")
    viewer.wait_for(lambda screen: "stopped" in screen.after and viewer.is_given_back())
    state = Path(f"/proc/{main_pid(tmp_path)}/stat").read_text(encoding="utf-8")
    assert state.rpartition(")")[2].split()[0] == "T"
    viewer.type("\n")
    viewer.wait_for(lambda screen: screen.is_own and "round" in screen.text)
    (tmp_path / "stop").touch()
    viewer.wait_for_end()
    assert "code 7" in viewer.screen.after


def test_a_program_that_is_killed_ends_the_view_as_it_ended(run_live, tmp_path):
    viewer = run_live()
    viewer.wait_for_text("round 20")
    os.kill(main_pid(tmp_path), signal.SIGKILL)
    assert viewer.wait_for_end() == -signal.SIGKILL
    assert viewer.is_given_back()


def test_the_view_ends_with_its_supervisor(run_live, tmp_path):
    viewer = run_live()
    viewer.wait_for_text("round 20")
    viewer.process.kill()
    viewer.wait_for(lambda screen: not screen.is_own)


def test_where_there_is_no_terminal_nothing_changes(tenure, tmp_path):
    program = "import sys; print(sys.stdin.read()); print('words', file=sys.stderr); sys.exit(4)"
    command = [sys.executable, "-c", program]
    record = ["-o", str(tmp_path / "a.tenure"), "--"]
    how = {"input": "given", "capture_output": True, "encoding": "utf-8", "timeout": PATIENCE}
    alone = subprocess.run(command, **how)
    done = subprocess.run([tenure, "run", "--live", *record, *command], **how)
    assert (done.returncode, done.stdout) == (alone.returncode, alone.stdout) == (4, "given\n")
    assert done.stderr.startswith("words\ntenure: ")
    assert "there was no live view: it needs a terminal" in done.stderr
    assert not (tmp_path / "a.tenure" / "output.txt").exists()
