"""`tenure live` in a pseudo terminal: keys, sizes, ends of all kinds, two viewers, and the terminal given back."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional

import pytest

from .viewer import PATIENCE, Screen, Viewer

LEAK = """
import os, time
kept = []
def step():
    kept.append(bytearray(100_000))
    return bytearray(200_000)
def main():
    while not os.path.exists("stop"):
        step()
        time.sleep(0.005)
main()
"""
FORKS = LEAK.replace("\nmain()\n", "\nos.fork()\nos.fork()\nmain()\n")
LEAKS = "1 leak in "
MADE_AT = "leak.py:5 in step()"


class Run:
    """`tenure run` on a program that leaks until it is ended."""

    def __init__(self, tenure: str, folder: Path, record: str, source: str) -> None:
        self.record = folder / record
        (folder / "leak.py").write_text(source, encoding="utf-8")
        self.process = subprocess.Popen(
            [tenure, "run", "-o", record, "--", sys.executable, "leak.py"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.pid = wait_until(self.main_pid)

    def main_pid(self) -> int:
        try:
            run = json.loads((self.record / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return 0
        has_ledger = any(process["has_begun"] for process in run["processes"])
        return int(run["main_pid"]) if has_ledger else 0

    def end(self) -> None:
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.process.wait(timeout=PATIENCE)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # what the program has started


def wait_until(answer: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := answer():
            return found
        time.sleep(0.02)
    raise AssertionError("nothing came of waiting")


@pytest.fixture
def running(tenure: str, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    runs: List[Run] = []

    def start(record: str = "leak.tenure", source: str = LEAK) -> Run:
        runs.append(Run(tenure, tmp_path, record, source))
        return runs[-1]

    yield start
    for run in runs:
        run.end()


@pytest.fixture
def view(tenure: str, tmp_path: Path) -> Iterator[Callable[..., Viewer]]:
    viewers: List[Viewer] = []

    def start(*args: str, command: Optional[List[str]] = None, **how: Any) -> Viewer:
        viewers.append(Viewer(command or [tenure, "live", *args], str(tmp_path), **how))
        return viewers[-1]

    yield start
    for viewer in viewers:
        viewer.close()


def live(tenure: str, folder: Path, *args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tenure, "live", *args],
        cwd=folder,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


def quit_by(viewer: Viewer, keys: str) -> None:
    viewer.type(keys)
    assert viewer.wait_for_end() == 0
    assert viewer.is_given_back()


def test_a_leak_is_seen_while_the_program_runs(running, view):
    run = running()
    viewer = view()
    seen = viewer.wait_for(
        lambda screen: LEAKS in screen.text and "kept by   global list `kept`" in screen.text
    )
    assert f"leak.py ({run.pid})  running for" in seen
    assert re.search(r"^Live +\S+ MiB +[▁▂▃▄▅▆▇█]+$", seen, re.MULTILINE), seen
    assert re.search(r"^Resident +\S+ MiB +[▁▂▃▄▅▆▇█]+$", seen, re.MULTILINE), seen
    assert re.search(r"^Growth +97.7 KiB every step", seen, re.MULTILINE), seen
    assert re.search(rf"^> .* 97.7 KiB  leak +{re.escape(MADE_AT)}", seen, re.MULTILINE), seen
    first = int(re.search(r"in (\d+) steps", seen)[1])
    viewer.wait_for(lambda screen: (now := steps_in(screen.text)) is not None and now > first)
    quit_by(viewer, "q")
    assert run.process.poll() is None, "the program goes on"
    assert viewer.screen.after.startswith("tenure: 1 leak in"), "the verdict stays in the terminal"


def steps_in(text: str) -> Any:
    found = re.search(r"in ([\d,]+) steps so far", text)
    return int(found[1].replace(",", "")) if found else None


def test_keys_sort_filter_move_and_help(running, view):
    running()
    viewer = view()
    viewer.wait_for_text(LEAKS)
    assert "LIVE▾" in viewer.screen.text
    viewer.type("o")
    viewer.wait_for_text("MOST▾")
    viewer.type("O")
    viewer.wait_for_text("LIVE▾")
    viewer.type("\x1b[B")
    viewer.wait_for(lambda screen: ">" in screen.text and not selects(screen, MADE_AT))
    viewer.type("\x1b[A")
    viewer.wait_for(lambda screen: selects(screen, MADE_AT))
    viewer.type("/LEAK.py:5")
    viewer.wait_for(lambda screen: "/LEAK.py:5_" in screen.text and "frozen" not in screen.text)
    viewer.type("\r")
    assert MADE_AT in viewer.wait_for_text("? help")
    viewer.type("/nothing has this\r")
    viewer.wait_for_text('no line has "nothing has this"')
    viewer.type("\x1b")
    viewer.wait_for_text("frozen")
    viewer.type("?")
    viewer.wait_for_text("ask the program for a snapshot")
    viewer.type("\x1b")
    viewer.wait_for_text("MADE AT")
    viewer.type("\r")
    viewer.wait_for(lambda screen: "MADE AT" not in screen.text and "made at" in screen.text)
    quit_by(viewer, "\x03")


def selects(screen: Screen, words: str) -> bool:
    return bool(re.search(rf"^>.*{re.escape(words)}", screen.text, re.MULTILINE))


def test_a_snapshot_is_taken_when_asked_for(running, view):
    run = running()
    viewer = view()
    viewer.wait_for_text(MADE_AT)
    viewer.type("s")
    viewer.wait_for_text(f"a snapshot of process {run.pid} was taken")
    viewer.wait_for_text("kept by   global list `kept`")
    assert list(run.record.glob(f"snapshot.{run.pid}.*"))


def test_the_screen_follows_its_size(running, view):
    running()
    viewer = view()
    viewer.wait_for_text(MADE_AT)
    viewer.size(10, 40)
    small = viewer.wait_for(lambda screen: len(screen.rows) == 10 and "leak.py" in screen.text)
    assert max(map(len, small.splitlines())) <= 40
    viewer.size(40, 150)
    viewer.wait_for(lambda screen: len(screen.rows) == 40 and "KEPT BY" in screen.text)
    viewer.size(2, 12)
    viewer.wait_for(lambda screen: len(screen.rows) == 2)
    viewer.size(24, 80)
    viewer.wait_for(lambda screen: len(screen.rows) == 24 and MADE_AT in screen.text)
    quit_by(viewer, "q")


def test_the_last_state_of_a_killed_program_stays(running, view):
    run = running()
    viewer = view()
    viewer.wait_for_text(LEAKS)
    os.kill(run.pid, signal.SIGKILL)
    seen = viewer.wait_for_text("killed by signal 9")
    assert MADE_AT in seen
    assert LEAKS in seen and "so far" not in seen
    viewer.type("s")
    viewer.wait_for_text("the program has ended; there is nothing to ask")
    quit_by(viewer, "q")


def test_a_program_that_is_killed_with_its_supervisor_is_seen_to_be_gone(running, view):
    run = running()
    viewer = view()
    viewer.wait_for_text(LEAKS)
    run.process.kill()
    os.kill(run.pid, signal.SIGKILL)
    assert MADE_AT in viewer.wait_for_text("gone after about")
    quit_by(viewer, "q")


def test_the_last_state_stays_when_the_record_is_removed(running, view):
    run = running()
    viewer = view()
    viewer.wait_for_text(LEAKS)
    run.record.rename(run.record.with_name("elsewhere"))
    assert MADE_AT in viewer.wait_for_text("the record is gone; this is the last that was seen")
    quit_by(viewer, "q")


def test_the_end_of_a_program_is_seen(running, view, tmp_path):
    run = running()
    viewer = view(str(run.pid))
    viewer.wait_for_text(LEAKS)
    (tmp_path / "stop").touch()
    seen = viewer.wait_for_text("ended with exit code 0")
    assert LEAKS in seen and "so far" not in seen
    assert re.search(rf"^> +[1-9]\S* MiB .* leak +{re.escape(MADE_AT)}", seen, re.MULTILINE), seen
    assert run.process.wait(timeout=PATIENCE) == 0
    quit_by(viewer, "q")


def test_two_viewers_see_the_same_program(running, view):
    run = running()
    viewers = [view(str(run.pid)), view("leak.tenure", rows=40, columns=120)]
    for viewer in viewers:
        viewer.wait_for_text(LEAKS)
    viewers[0].type("s")
    viewers[1].type("s")
    for viewer in viewers:
        viewer.wait_for_text(f"a snapshot of process {run.pid} was taken")
    quit_by(viewers[0], "q")
    steps = steps_in(viewers[1].screen.text)
    viewers[1].wait_for(lambda screen: (steps_in(screen.text) or 0) > steps)
    quit_by(viewers[1], "q")


def test_a_line_of_several_processes_is_one_row(running, view):
    running(source=FORKS)
    viewer = view()
    seen = viewer.wait_for(lambda screen: "4 processes" in screen.text and MADE_AT in screen.text)
    assert len(re.findall(rf"^[> ] .*{re.escape(MADE_AT)}$", seen, re.MULTILINE)) == 1, seen
    viewer.type("jj")
    viewer.wait_for(lambda screen: ">" in screen.text and not selects(screen, MADE_AT))
    quit_by(viewer, "q")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV])
def test_signals_give_the_terminal_back(running, view, number):
    running()
    viewer = view()
    viewer.wait_for_text(MADE_AT)
    viewer.process.send_signal(number)
    assert viewer.wait_for_end() == -number
    assert viewer.is_given_back()


def test_control_z_gives_the_terminal_back_until_it_goes_on(tenure, tmp_path, running, view):
    running()
    shell = ["bash", "-c", f"set -m; {tenure} live; echo stopped; read answer; fg"]
    viewer = view(command=shell)
    viewer.wait_for_text(MADE_AT)
    viewer.type("\x1a")
    viewer.wait_for(lambda screen: "stopped" in screen.after and viewer.is_given_back())
    viewer.type("\n")
    viewer.wait_for(lambda screen: screen.is_own and MADE_AT in screen.text)
    quit_by(viewer, "q")


def test_without_a_terminal_one_frame_is_printed(tenure, tmp_path, running):
    run = running()
    wait_until(lambda: MADE_AT in live(tenure, tmp_path).stdout)
    for args in [[], ["--once"], [str(run.pid)], [str(run.process.pid)], ["leak.tenure"]]:
        done = live(tenure, tmp_path, *args, LC_ALL="C.UTF-8")
        assert done.returncode == 0 and done.stderr == ""
        assert done.stdout.startswith(f"leak.py ({run.pid})  running for ")
        assert "\x1b" not in done.stdout and "q quit" not in done.stdout
    assert live(tenure, tmp_path, LC_ALL="C").stdout.isascii()


def test_the_frame_of_a_run_that_has_ended(tenure, tmp_path, running):
    running().end()
    done = live(tenure, tmp_path, "leak.tenure")
    assert done.returncode == 0
    assert "killed by signal 9" in done.stdout


def test_once_prints_one_frame_in_a_terminal_too(running, view):
    running()
    viewer = view("--once")
    assert viewer.wait_for_end() == 0
    assert "leak.py" in viewer.screen.after and viewer.is_given_back()


def test_the_newest_running_record_is_taken(tenure, tmp_path, running):
    (tmp_path / "below").mkdir()
    running("first.tenure")
    second = running("below/second.tenure")
    assert live(tenure, tmp_path).stdout.startswith(f"leak.py ({second.pid})")
    second.end()
    assert not live(tenure, tmp_path).stdout.startswith(f"leak.py ({second.pid})")


def test_what_cannot_be_shown_is_one_sentence(tenure, tmp_path):
    (tmp_path / "empty").mkdir()
    for args, words in {
        (): "no program runs under `tenure run` in this folder or below it",
        ("nowhere",): "nowhere is no record of Tenure: there is no such directory",
        ("empty",): "empty is no record of Tenure",
        ("1",): "process 1 is not running under `tenure run`",
        ("999999999999",): "is no record of Tenure",
        ("--wrong",): "Try: tenure --help",
        ("a", "b"): "Try: tenure --help",
    }.items():
        done = live(tenure, tmp_path, *args)
        assert (done.returncode, done.stdout) == (2, ""), args
        assert words in done.stderr and done.stderr.count("\n") == 1, args
