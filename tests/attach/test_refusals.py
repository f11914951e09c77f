"""What `tenure attach` refuses: each with one sentence that says why and what to do, and exit code 2."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest

from .conftest import PROGRAMS, Attacher

PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17


def refused(attach: Attacher, pid: int, said: str) -> None:
    told = attach(pid)
    assert told.code == 2, told.stderr
    assert said in told.stderr and told.stderr.count("\n") == 1, told.stderr
    assert not attach.record().exists()


@pytest.fixture
def sleeper(compile_program: Callable[..., str], start: Any) -> subprocess.Popen[str]:
    process: subprocess.Popen[str] = start([compile_program(PROGRAMS / "sleeper.c")])
    return process


def test_no_such_process(attach: Attacher) -> None:
    refused(attach, 99_999_999, "there is no process 99999999")


def test_a_time_that_is_none(tenure: str) -> None:
    done = subprocess.run(
        [tenure, "attach", "1", "--for", "soon"], stderr=subprocess.PIPE, text=True
    )
    assert done.returncode == 2 and "--for takes a time" in done.stderr


def test_a_zombie(attach: Attacher) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    refused(attach, pid, "has ended; its parent has not asked")
    os.waitpid(pid, 0)


def test_a_thread_of_the_kernel(attach: Attacher) -> None:
    if "VmSize" in Path("/proc/2/status").read_text() if Path("/proc/2").exists() else True:
        pytest.skip("this machine shows no thread of the kernel")
    refused(attach, 2, "is a thread of the kernel")


def test_a_stopped_process(attach: Attacher, sleeper: Any) -> None:
    sleeper.send_signal(signal.SIGSTOP)
    os.waitpid(sleeper.pid, os.WUNTRACED)
    refused(attach, sleeper.pid, "is stopped: let it go on first")


def test_a_traced_process(attach: Attacher, sleeper: Any) -> None:
    libc = ctypes.CDLL(None)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    assert libc.ptrace(PTRACE_SEIZE, sleeper.pid, 0, 0) == 0
    refused(attach, sleeper.pid, f"is traced by process {os.getpid()} already")


def test_a_process_that_locked_itself_in(
    attach: Attacher, start: Any, compile_program: Callable[..., str]
) -> None:
    locked = start([compile_program(PROGRAMS / "locked_in.c")])
    refused(attach, locked.pid, "has locked itself in (seccomp)")


def test_a_static_program(attach: Attacher, start: Any, compile_program: Any) -> None:
    program = start([compile_program(PROGRAMS / "sleeper.c", "-static", name="static/sleeper")])
    refused(attach, program.pid, "is a static program")


def test_a_program_with_a_malloc_of_its_own(
    attach: Attacher, start: Any, compile_program: Any
) -> None:
    program = start([compile_program(PROGRAMS / "own_malloc.c", "-rdynamic")])
    refused(attach, program.pid, "has a malloc of its own")


def test_a_program_under_tenure_run(attach: Attacher, tenure: str, start: Any) -> None:
    source = "import os; print(os.getpid(), flush=True); import time; time.sleep(600)"
    command = [tenure, "run", "-o", "run.tenure", "--", sys.executable, "-c", source]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=attach.folder)
    assert run.stdout
    pid = int(run.stdout.readline())
    refused(attach, pid, "was started by tenure run")
    os.kill(pid, signal.SIGKILL)
    run.communicate()


def test_a_program_that_is_attached_to(attach: Attacher, sleeper: Any) -> None:
    first = attach.begin(sleeper.pid)
    assert first.stderr and "attached to process" in first.stderr.readline()
    refused(attach, sleeper.pid, "another tenure attach watches process")
    first.send_signal(signal.SIGINT)
    first.communicate()
    assert first.returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_process_of_another_user(attach: Attacher, sleeper: Any, tenure: str) -> None:
    if not shutil.which("setpriv"):
        pytest.skip("there is no setpriv")
    command = ["setpriv", "--reuid=65534", "--clear-groups", tenure, "attach", str(sleeper.pid)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, cwd="/")
    if "Permission denied" in done.stderr or "failed to execute" in done.stderr:
        pytest.skip("that user may not run this build")
    assert done.returncode == 2 and "belongs to another user (uid 0)" in done.stderr, done.stderr
