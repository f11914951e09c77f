"""Systems that lack what is nearly always there: no place for a record, no /proc. The program runs, and one sentence says why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Tuple

import pytest

PROGRAM = "kept = [bytearray(300_000) for _ in range(100)]; print('ran', len(kept))"


def run_after(mounts: str, tenure: str, folder: Path, *options: str) -> Tuple[int, str, str]:
    """`tenure run` in a mount namespace of its own, in `folder`; `mounts` is done there first."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("no namespace can be made here")
    script = f'{mounts} && cd "{folder}" && exec "$@"'
    words = [tenure, "run", *options, "--", sys.executable, "-c", PROGRAM]
    environ = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    command = ["unshare", "-m", "sh", "-c", script, "sh", *words]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def nowhere(tmp_path: Path) -> Tuple[str, Path]:
    """Mounts that leave neither the current folder nor that for temporary files writable, and the former."""
    folder = tmp_path / "here"
    folder.mkdir()
    read_only = "mount -t tmpfs -o ro none"
    # What lies in /tmp, as Tenure itself may, is there as before, but cannot be changed.
    over = (
        "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp && mount --bind /var/tmp /var/tmp"
    )
    return f"{over} && {read_only} '{folder}' && mount -o remount,bind,ro /var/tmp", folder


def test_without_a_place_for_the_record_the_program_runs(
    tenure: str, nowhere: Tuple[str, Path]
) -> None:
    code, printed, said = run_after(nowhere[0], tenure, nowhere[1])
    assert (code, printed) == (0, "ran 100\n"), said
    assert said.startswith("tenure: cannot make the record ") and said.count("\n") == 1
    assert said.endswith("choose another with -o; the program runs without Tenure\n")


def test_a_place_that_was_asked_for_must_be_there(tenure: str, nowhere: Tuple[str, Path]) -> None:
    for options in (["-o", "record"], ["--check"]):
        code, printed, said = run_after(nowhere[0], tenure, nowhere[1], *options)
        assert (code, printed) == (2, ""), said
        assert said.count("\n") == 1 and "cannot make the record" in said


def test_without_proc_the_program_runs(tenure: str, tmp_path: Path) -> None:
    code, printed, said = run_after("mount -t tmpfs none /proc", tenure, tmp_path)
    assert (code, printed) == (0, "ran 100\n"), said
    first = said.splitlines()[0]
    assert first.startswith("tenure: "), said
    assert "is missing; build or install" not in said
