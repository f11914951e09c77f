"""Faults of the program's own, sandboxes, other users, daemons: Tenure is never the cause of an end, nor in its way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

MIB = 1 << 20
NOBODY = 65534
PROGRAMS = Path(__file__).resolve().parent / "programs"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.mark.parametrize("mode", ["overflow", "overflow-in-thread"])
def test_a_stack_that_overflows_ends_the_program_as_before(both, compiled, mode):
    pair = both([compiled("faults.c"), mode])
    assert pair.plain.code == -signal.SIGSEGV
    assert pair.findings["program"]["signal"] == signal.SIGSEGV
    assert pair.findings["memory"]["live_bytes"] > MIB  # each level held a block


def test_a_stack_that_overflows_is_told_by_the_programs_own_handler(both, compiled):
    assert both([compiled("faults.c"), "overflow-told"]).plain.code == 13


def test_faults_that_the_program_asked_for_are_its_own(both, compiled):
    pair = both([compiled("faults.c"), "guards"])
    assert b"faults: 2000" in pair.plain.stdout
    assert pair.findings["verdict"] == "clean"


@pytest.mark.parametrize("blocks", [5, 1000], ids=["before it was written down", "after"])
@pytest.mark.parametrize("mode", ["magic", "tables", "ones", "noise"])
def test_a_wild_write_into_the_ledger_harms_nobody(both, compiled, tenure, mode, blocks):
    pair = both([compiled("scribbler.c"), mode, str(blocks)])
    assert pair.plain.code == 3
    if mode != "magic":  # that one looks as if it had not begun, where nothing was written before
        assert b"overwrote its ledger" in pair.traced.stderr, pair.traced.stderr
    shown = subprocess.run([tenure, "show", str(pair.record)], capture_output=True)
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize("mode", ["late", "exec"])
@pytest.mark.parametrize("action", ["refuse", "kill"])
def test_a_sandbox_that_does_not_know_our_calls(both, compiled, action, mode):
    pair = both([compiled("confined.c"), action, mode])
    assert b"bad: 0 0, child: 0, kept: 1" in pair.plain.stdout
    assert "locked itself in" in pair.findings["losses"]["sandbox"]
    if mode == "late":
        assert pair.findings["memory"]["peak_bytes"] >= 20 * MIB


def open_folder(tmp_path: Path) -> Path:
    """A folder that another user may go to, unlike pytest's own."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o055)
    return tmp_path


@as_root
def test_a_program_that_gains_rights_runs_without_us(tenure, compiled, tmp_path):
    program = Path(shutil.copy(compiled("identity.c"), open_folder(tmp_path) / "gains"))
    program.chmod(0o4755)
    run = [tenure, "run", "-o", str(tmp_path / "home" / "r"), "--"]
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", NOBODY, NOBODY)
    plain, traced = (
        subprocess.run([*way, str(program), "secure"], capture_output=True, user=NOBODY, env={})
        for way in ([], run)
    )
    assert plain.stdout == b"secure: 1, effective user 0, bad 0\n"
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode), traced.stderr
    assert b"changes its user when it starts" in traced.stderr


@as_root
def test_a_program_that_becomes_somebody_else(both, compiled, tmp_path):
    program = shutil.copy(compiled("identity.c"), open_folder(tmp_path) / "changes")
    pair = both([program, "nobody"])
    assert f"user {NOBODY}, bad 0, child 0, kept 4".encode() in pair.plain.stdout
    assert pair.findings["program"]["processes"] == 3  # its child, and what it became


def test_a_daemon_lives_on(tenure, compiled, tmp_path):
    told = {}
    for name, way in {"plain": [], "traced": [tenure, "run", "-o", str(tmp_path / "r")]}.items():
        file = tmp_path / name
        subprocess.run([*way, compiled("identity.c"), "daemon", str(file)], check=True)
        end = time.monotonic() + 60
        while not (file.exists() and file.read_text().endswith("\n")) and time.monotonic() < end:
            time.sleep(0.05)
        told[name] = file.read_text()
    assert told["traced"] == told["plain"]
    assert "daemon: bad 0" in told["plain"]
    shown = subprocess.run([tenure, "show", str(tmp_path / "r")], capture_output=True)
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize("kind", ["address", "thread", "leak"])
@pytest.mark.parametrize("way", ["alone", "as a child"])
def test_a_program_built_with_a_sanitizer_runs_without_us(both, tmp_path, kind, way):
    source, program = tmp_path / "made.c", tmp_path / "made"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        'int main() { free(malloc(100000)); puts("ran"); return 3; }\n'
    )
    done = subprocess.run(["gcc", f"-fsanitize={kind}", "-o", str(program), str(source)])
    if done.returncode != 0:
        pytest.skip(f"no runtime of the {kind} sanitizer to link with")
    command = [str(program)] if way == "alone" else ["/bin/sh", "-c", f"{program}; exit $?"]
    pair = both(command)
    assert (pair.plain.stdout, pair.plain.code) == (b"ran\n", 3)
    if way == "alone":
        assert pair.findings["verdict"] == "unknown"
        assert "runs with a sanitizer" in pair.findings["reason"]


def test_noise_at_the_supervisors_sockets_harms_nobody(both, env, tenure):
    pair = both([env("tools"), PROGRAMS / "noise.py"])
    assert (pair.plain.stdout, pair.plain.code) == (b"sent 100\n", 4)
    assert pair.findings["memory"]["peak_bytes"] >= 10_000_000
    assert b"no ledger" in pair.traced.stderr
    shown = subprocess.run([tenure, "show", str(pair.record)], capture_output=True)
    assert shown.returncode == 0, shown.stderr
