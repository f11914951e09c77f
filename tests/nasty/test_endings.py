"""A program ends as it does without Tenure: same code, same signal, same last words."""

from __future__ import annotations

import signal
import subprocess

import pytest

MODES = ["exit-in-atexit", "exit-in-thread", "main-thread-exits", "jump", "abort", "segv"]
SIGNALS = ["HUP", "INT", "QUIT", "ILL", "TRAP", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2"]
SIGNALS += ["PIPE", "ALRM", "TERM", "XCPU", "XFSZ", "VTALRM", "PROF", "SYS"]


@pytest.mark.parametrize("mode", MODES)
def test_ends_the_same(both, compiled, mode):
    both([compiled("endings.c"), mode])


@pytest.mark.parametrize("mode", ["return", "_exit", "quick_exit"])
@pytest.mark.parametrize("code", [0, 1, 2, 126, 127, 128, 255])
def test_exit_codes_are_mirrored(both, compiled, mode, code):
    assert both([compiled("endings.c"), mode, str(code)]).plain.code == code


@pytest.mark.parametrize("name", SIGNALS)
def test_death_by_signal_is_mirrored(both, compiled, name):
    number = getattr(signal, "SIG" + name)
    pair = both([compiled("endings.c"), "signal", str(int(number))])
    assert pair.plain.code == -number
    assert pair.findings["program"]["signal"] == number
    assert pair.findings["program"]["exit"] is None


def test_a_death_from_outside_is_mirrored(both, compiled):
    assert both([compiled("endings.c"), "kill", "15"]).plain.code == -15


def test_a_closed_pipe_kills_the_program_and_not_the_report(tenure, compiled, tmp_path):
    command = [compiled("descriptors.c"), "write-for-ever"]
    run = [tenure, "run", "-o", str(tmp_path / "r"), "--", *command]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    process.stdout.readline()
    process.stdout.close()
    words = process.stderr.read()
    assert process.wait(60) == -signal.SIGPIPE
    assert b"tenure: " in words


def test_a_reader_of_our_words_that_went_away_changes_nothing(tenure, compiled, tmp_path):
    command = [tenure, "run", "-o", str(tmp_path / "r"), "--", compiled("endings.c"), "return", "7"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr
    process.stderr.close()
    assert process.wait(60) == 7
