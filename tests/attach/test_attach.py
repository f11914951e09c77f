"""`tenure attach` to programs that nobody prepared: what they leak is told, and they go on as before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

from .conftest import PATIENCE, PROGRAMS, Attacher

SERVER = """
import threading
history = []
def handle(i):
    history.append(bytearray(30_000))
    return bytes(100_000)
def work():
    for i in range(10**9):
        handle(i)
        stop.wait(0.001)
stop = threading.Event()
print("ready", flush=True)
threading.Thread(target=work, daemon=True).start()
while not stop.wait(0.05):
    pass
"""


def end_of(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGTERM)
    stdout, _ = process.communicate(timeout=PATIENCE)
    return stdout


def test_a_leak_of_a_running_c_program_is_told_with_its_line(
    leaking: Any, attach: Attacher
) -> None:
    told = attach(leaking.pid, "2s")
    assert told.code == 0, told.stderr
    assert told.findings["verdict"] == "leak"
    leak = told.findings["findings"][0]
    assert any(Path(place["file"]).name == "leak.c" for place in leak["where"])
    assert "before Tenure was attached" in told.findings["losses"]["attached"]
    assert end_of(leaking) == "wrong: 0\n"
    assert leaking.returncode == 0


def test_it_can_be_attached_to_again(leaking: Any, attach: Attacher) -> None:
    for _ in range(3):
        told = attach(leaking.pid, "1s")
        assert told.code == 0 and "detached" in told.stderr, told.stderr
        assert told.findings["memory"]["peak_bytes"] > 0
    assert end_of(leaking) == "wrong: 0\n"


def test_the_holder_in_a_running_python_program_is_told(start: Any, attach: Attacher) -> None:
    program = start([sys.executable, "-c", SERVER])
    told = attach(program.pid, "3s")
    assert told.code == 0, told.stderr
    assert told.findings["verdict"] == "leak", told.stderr
    assert "`history`" in told.findings["findings"][0]["holder"]["text"]
    assert program.poll() is None


def test_ctrl_c_ends_the_watching_and_not_the_program(leaking: Any, attach: Attacher) -> None:
    watching = attach.begin(leaking.pid)
    assert watching.stderr and "attached to process" in watching.stderr.readline()
    watching.send_signal(signal.SIGINT)
    _, stderr = watching.communicate(timeout=PATIENCE)
    assert watching.returncode == 0 and "it goes on" in stderr
    assert end_of(leaking) == "wrong: 0\n"


def test_a_program_that_ends_meanwhile_is_told_of(leaking: Any, attach: Attacher) -> None:
    watching = attach.begin(leaking.pid)
    assert watching.stderr and "attached to process" in watching.stderr.readline()
    assert end_of(leaking) == "wrong: 0\n"
    _, stderr = watching.communicate(timeout=PATIENCE)
    assert watching.returncode == 0 and "in " in stderr


def test_a_waiting_program_goes_on_waiting(
    compile_program: Callable[..., str], start: Any, attach: Attacher
) -> None:
    sleeper = start([compile_program(PROGRAMS / "sleeper.c")])
    told = attach(sleeper.pid, "100ms")
    assert told.code == 0 and told.findings["verdict"] == "unknown", told.stderr
    assert sleeper.poll() is None


def test_nothing_of_the_library_is_called_after_detaching(leaking: Any, attach: Attacher) -> None:
    assert attach(leaking.pid, "200ms").code == 0
    maps = Path(f"/proc/{leaking.pid}/maps").read_text(encoding="utf-8")
    assert "libtenure.so" in maps and "tenure-ledger" not in maps


def test_watch_runs_its_command_when_it_leaks(
    leaking: Any, attach: Attacher, tenure: str, tmp_path: Path
) -> None:
    watching = attach.begin(leaking.pid)
    assert watching.stderr and "attached to process" in watching.stderr.readline()
    record = str(attach.record())
    command = ["sh", "-c", 'echo "$TENURE_VERDICT $TENURE_PID" > told']
    done = subprocess.run([tenure, "watch", record, "--on", "leak", *command], cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "told").read_text(encoding="utf-8") == f"leak {leaking.pid}\n"
    watching.send_signal(signal.SIGINT)
    watching.communicate(timeout=PATIENCE)


def test_watch_says_what_is_wrong(tenure: str, tmp_path: Path) -> None:
    for words, said in (
        (["x.tenure", "--on", "rain", "true"], "--on takes one of"),
        (["x.tenure"], "needs a command"),
        (["x.tenure", "true"], "x.tenure"),
    ):
        done = subprocess.run(
            [tenure, "watch", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        assert done.returncode == 2 and said in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1


def test_children_of_an_attached_program_are_left_too(start: Any, attach: Attacher) -> None:
    forks = SERVER.replace("stop = thr", "import os; is_child = os.fork() == 0\nstop = thr")
    program = start([sys.executable, "-c", forks])
    assert attach(program.pid, "1s").code == 0
    assert program.poll() is None and os.getpgid(program.pid) == program.pid
    os.killpg(program.pid, signal.SIGKILL)
