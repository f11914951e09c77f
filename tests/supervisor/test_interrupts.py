"""Ctrl-C ends a hanging program and still gives the report, with the line that waited."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from .conftest import until

WAITING = {
    "queue": ("import queue\nempty = queue.Queue()\ndef wait():\n    empty.get()  # waits\n", 4),
    "lock": (
        "import threading\nlock = threading.Lock()\nlock.acquire()\ndef wait():\n    lock.acquire()  # waits\n",
        5,
    ),
    "sleep": ("import time\ndef wait():\n    time.sleep(1000)  # waits\n", 3),
    "input": ("def wait():\n    input()  # waits\n", 2),
    "busy": ("def wait():\n    while True:\n        pass  # waits\n", None),
}
START = "import sys\nprint('ready', flush=True)\n"


def interrupt(run) -> str:
    """As the terminal does: to the whole foreground group."""
    os.killpg(run.process.pid, signal.SIGINT)
    return run.end()


@pytest.mark.parametrize("name", WAITING)
def test_the_waiting_line_is_named(watched, tmp_path, name):
    text, line = WAITING[name]
    script = tmp_path / "hangs.py"
    script.write_text(text + START + "wait()\n")
    run = watched([sys.executable, str(script)])
    run.expect(b"ready")
    asleep(run.program(), is_busy=name == "busy")
    words = interrupt(run)
    assert run.process.returncode == -signal.SIGINT
    ending = run.findings()["ending"]
    assert ending.startswith("Interrupted at hangs.py:")
    if line:
        assert f"hangs.py:{line}," in ending
    assert " ".join(ending.split()) in " ".join(words.split())


def asleep(pid: int, is_busy: bool) -> None:
    """Until the program waits; `ready` alone only says that it is about to."""
    if not is_busy:
        until(lambda: state_of(pid) == "S")


def state_of(pid: int) -> str:
    """`S` sleeps, `T` is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_program_that_catches_it_is_still_told_as_interrupted(watched, tmp_path):
    script = tmp_path / "catches.py"
    text = (
        "import time\ntry:\n    print('ready', flush=True)\n    time.sleep(1000)\n"
        "except KeyboardInterrupt:\n    print('caught')\n"
    )
    script.write_text(text)
    run = watched([sys.executable, str(script)])
    run.expect(b"ready")
    asleep(run.program(), is_busy=False)
    # To Tenure alone, which passes it on: from a process, unlike a terminal, a group's signal would come twice.
    os.kill(run.process.pid, signal.SIGINT)
    words = run.end()
    assert run.process.returncode == 0
    assert run.findings()["ending"] == "Interrupted."
    assert "Interrupted." in words


def test_a_native_program_is_told_as_interrupted(watched, compiled):
    run = watched([compiled("holder.c")])
    run.expect(b"ready")
    words = interrupt(run)
    assert run.process.returncode == -signal.SIGINT
    assert run.findings()["ending"] == "Interrupted."
    assert "Interrupted." in words


@pytest.mark.parametrize("name", ["HUP", "USR1", "USR2", "ALRM", "INT", "QUIT"])
def test_signals_to_the_supervisor_reach_the_program(watched, compiled, name):
    run = watched([compiled("signals_told.c")])
    run.expect(b"ready")
    run.process.send_signal(getattr(signal, "SIG" + name))
    run.expect(b"got " + name.encode())
    run.process.terminate()
    run.expect(b"got TERM")
    run.end()
    assert run.process.returncode == 9


def test_a_program_paused_from_outside_goes_on(watched, compiled):
    run = watched([compiled("lines.c")])
    run.expect(b"ready")
    os.kill(run.program(), signal.SIGSTOP)
    until(lambda: state_of(run.program()) == "T")
    os.kill(run.program(), signal.SIGCONT)
    run.say(b"one")
    run.expect(b"answer one")
    run.say(b"end")
    run.end()
    assert run.process.returncode == 6
