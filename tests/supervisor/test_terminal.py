"""On a terminal: Ctrl-C, Ctrl-Z and `fg` in a real shell; colours; the order of words."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, List

import pytest

from .conftest import PATIENCE


class Terminal:
    """A program on a terminal of its own, typed to and read from."""

    def __init__(self, command: List[str], environ: Dict[str, str]) -> None:
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, {**os.environ, **environ})

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def read_until(self, pattern: str) -> str:
        """What came up to the pattern, which is taken away."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.search(pattern, self.text)
            if found:
                before, self.text = self.text[: found.end()], self.text[found.end() :]
                return before
            if not self.fill():
                break
        raise AssertionError(f"{pattern!r} did not come; there is {self.text!r}")

    def fill(self) -> bool:
        if not select.select([self.fd], [], [], 1)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other side is gone
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def end(self) -> int:
        while self.fill():
            pass
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def shell(tenure: str, tmp_path: Path):
    """An interactive shell with job control; `run` is short for `tenure run` there."""
    run, rc = tmp_path / "run", tmp_path / "rc"
    run.write_text(f'#!/bin/sh\nexec {tenure} run -o {tmp_path}/r --json {tmp_path}/j "$@"\n')
    run.chmod(0o755)
    rc.write_text(f"PATH={tmp_path}:$PATH\nPS1='prompt> '\n")
    terminal = Terminal(["bash", "--rcfile", str(rc), "-i"], {"TERM": "xterm"})
    terminal.read_until("prompt> ")
    yield terminal
    os.killpg(os.tcgetpgrp(terminal.fd), signal.SIGKILL)  # what a test left running in front
    os.kill(terminal.pid, signal.SIGKILL)
    os.close(terminal.fd)
    os.waitpid(terminal.pid, 0)


@pytest.mark.parametrize("prefix", ["", "run "])
def test_ctrl_c_ends_the_program(shell, compiled, prefix):
    shell.type(f"{prefix}{compiled('lines.c')}\n")
    shell.read_until("ready")
    shell.type("\x03")
    words = shell.read_until("prompt> ")
    assert ("Interrupted." in words) == bool(prefix)
    shell.type("echo code $?\n")
    shell.read_until("code 130")


@pytest.mark.parametrize("prefix", ["", "run "])
def test_ctrl_z_stops_and_fg_goes_on(shell, compiled, prefix):
    shell.type(f"{prefix}{compiled('lines.c')}\n")
    shell.read_until("ready")
    for _ in range(2):
        shell.type("\x1a")
        shell.read_until("Stopped")
        shell.read_until("prompt> ")
        shell.type("fg\n")
        shell.read_until("lines")
        shell.type("one\n")
        shell.read_until("answer one")
    shell.type("end\n")
    shell.read_until("prompt> ")
    shell.type("echo code $?\n")
    shell.read_until("code 6")


@pytest.mark.parametrize("prefix", ["", "run "])
def test_a_program_that_ignores_ctrl_z_is_not_stopped(shell, compiled, prefix):
    shell.type(f"{prefix}{compiled('signals_told.c')} ignore-stop\n")
    shell.read_until("ready")
    shell.type("\x1a")
    shell.type("\x03")
    assert "Stopped" not in shell.read_until("got INT")
    shell.type("\x1c")
    shell.read_until("got QUIT")


def test_the_background_and_kill_by_job_number(shell, compiled):
    shell.type(f"run {compiled('signals_told.c')} &\n")
    shell.read_until("ready")
    shell.type("kill %1\n")
    shell.read_until("got TERM")
    shell.type("wait %1; echo code $?\n")
    shell.read_until("code 9")


LEAK = "kept = []\nfor i in range(3000):\n    kept.append(bytearray(20000))\n"


@pytest.mark.parametrize(
    ("environ", "is_coloured"),
    [
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb", "NO_COLOR": ""}, False),
    ],
)
def test_colours_only_where_they_are_wanted(tenure, tmp_path, environ, is_coloured):
    script = tmp_path / "leak.py"
    script.write_text(LEAK)
    command = [tenure, "run", "-o", str(tmp_path / "r"), sys.executable, str(script)]
    terminal = Terminal(command, environ)
    terminal.end()
    assert "leak.py:3" in terminal.text
    assert ("\x1b[" in terminal.text) == is_coloured
    for verb in (command, [tenure, "show", str(tmp_path / "r")]):
        done = subprocess.run(verb, capture_output=True, env={**os.environ, **environ})
        assert b"\x1b[" not in done.stdout + done.stderr


def test_words_come_after_the_programs_own(tenure, tmp_path):
    script = "import sys\nsys.stdout.write('out'); sys.stdout.flush(); sys.stderr.write('err\\n')"
    command = [tenure, "run", "-o", str(tmp_path / "r"), sys.executable, "-c", script]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.stdout.startswith(b"outerr\ntenure: ")


def test_terminal_output_is_untouched(tenure, tmp_path):
    script = "import sys; sys.stdout.write('\\x1b[31mred\\x1b[0m \\x00 \\u00e9\\n'); print(sys.stdout.isatty())"
    command = [sys.executable, "-c", script]
    plain = Terminal(command, {})
    plain.end()
    traced = Terminal([tenure, "run", "-o", str(tmp_path / "r"), *command], {})
    traced.end()
    assert traced.text.startswith(plain.text)
    assert re.match(r"(\x1b\[[0-9;]*m)*tenure:", traced.text[len(plain.text) :])


def test_a_descriptor_left_non_blocking_loses_no_words(tenure, tmp_path):
    script = "import os; os.set_blocking(2, False)"
    command = [tenure, "run", "-o", str(tmp_path / "r"), sys.executable, "-c", script]
    done = subprocess.run(command, stderr=subprocess.PIPE)
    assert done.stderr.endswith(b"r\n")


def test_ignored_child_signals_are_survived_and_inherited(tenure, tmp_path):
    script = "import signal; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN)"
    command = [tenure, "run", "-o", str(tmp_path / "r"), sys.executable, "-c", script]
    shell = f"trap '' CHLD; exec {' '.join(command[:-1])} '{script}'"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0
    assert done.stdout == b"True\n"
